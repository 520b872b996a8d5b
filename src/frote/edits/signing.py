"""Signatures of a record, made and checked by OpenSSH's own ``ssh-keygen``: no cryptography of ours."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from frote.edits.ours import RECORD, SIGNATURE
from frote.exceptions import RecordError
from frote.opened import read_small

__all__ = ["NAMESPACE", "Signed", "require_key", "sign", "signers_of"]

NAMESPACE = "frote-edit"  # what a signature is for: one of something else is none of an edit
SECONDS = 120  # for a person to type a passphrase, or to touch a key
QUICK = 20
MOST = 2**20  # bytes of a signature, or of a list of signers


@dataclass(frozen=True, slots=True)
class Signed:
    """Who signed a record.

    Parameters
    ----------
    names : tuple of str
        Names of who did, by the list of those whose signatures count; empty if none of them did.

    fault : str
        Why there are none.
    """

    names: tuple[str, ...]
    fault: str


def sign(folder: Path, key: Path) -> Path:
    """Sign the record of an edit.

    Parameters
    ----------
    folder : Path
        The folder of the edit.

    key : Path
        The file of a private key, or of a public one whose private key an agent has.

    Returns
    -------
    Path
        The signature, beside the record.

    Raises
    ------
    RecordError
        If it cannot be signed.
    """
    record, signature = (folder / name for name in (RECORD, SIGNATURE))
    done = _asked("-Y", "sign", "-f", key, "-n", NAMESPACE, record, seconds=SECONDS)
    if done.returncode or not signature.is_file():
        raise RecordError(
            f"{record} cannot be signed with {key}: {_said(done)} To sign it later: "
            f"ssh-keygen -Y sign -f KEY -n {NAMESPACE} {record}"
        )
    return signature


def require_key(key: Path) -> None:
    """Refuse what is no key, before an edit that is to be signed is made.

    Raises
    ------
    RecordError
        If it is none, or there is no ``ssh-keygen``.
    """
    done = _asked("-l", "-f", key, seconds=QUICK)
    if done.returncode:
        raise RecordError(f"{key} is no key that ssh-keygen can sign with: {_said(done)}")


def signers_of(content: bytes, signature: Path, allowed: Path) -> Signed:
    """Say who signed the content of a record.

    Parameters
    ----------
    content : bytes
        What was signed.

    signature : Path
        The file of the signature.

    allowed : Path
        The file of those whose signatures count, as OpenSSH has it: a line for each, with names and a public key.

    Returns
    -------
    Signed

    Raises
    ------
    RecordError
        If a file cannot be read, or there is no ``ssh-keygen``.
    """
    with tempfile.TemporaryDirectory() as folder:
        copies = [_copied(path, Path(folder) / name) for path, name in ((signature, "signature"), (allowed, "signers"))]
        given = ("-s", copies[0], "-n", NAMESPACE)
        done = _asked("-Y", "check-novalidate", *given, seconds=QUICK, content=content)
        if done.returncode:
            return Signed((), f"{signature} is no signature of this record ({_said(done).rstrip('.')})")
        asked = (*given, "-f", copies[1])
        found = _asked("-Y", "find-principals", *asked, seconds=QUICK).stdout.decode("utf-8", "replace").splitlines()
        names = [
            one
            for one in found
            if not _asked("-Y", "verify", *asked, "-I", one, seconds=QUICK, content=content).returncode
        ]
        key = " ".join(done.stdout.decode("utf-8", "replace").split()).partition(" with ")[2]
        return Signed(
            tuple(names), "" if names else f"it was signed with {key}, of nobody whose signatures {allowed} lets count"
        )


def _copied(path: Path, to: Path) -> Path:
    """Copy a small file, which may be anything, to where nobody else writes."""
    try:
        to.write_bytes(read_small(path, MOST))
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror or error}.") from None
    return to


def _asked(*arguments: object, seconds: int, content: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Ask ssh-keygen; nothing of it goes through a shell, and it has only so long."""
    program = shutil.which("ssh-keygen")
    if program is None:
        raise RecordError("Signatures need ssh-keygen of OpenSSH, which is not installed (on Debian: openssh-client).")
    try:
        return subprocess.run(
            [program, *map(_plainly, arguments)], input=content, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        raise RecordError(f"ssh-keygen did not answer in {seconds} seconds.") from None


def _plainly(argument: object) -> str:
    """Return an argument; a path so that it is not taken for an option."""
    return os.path.abspath(argument) if isinstance(argument, Path) else str(argument)


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    """Return what ssh-keygen said, in one line."""
    said = " ".join(done.stderr.decode("utf-8", "replace").split()).rstrip(".")
    return f"ssh-keygen says: {said[:300] or 'nothing'}."
