"""Disks: full, or without permission, at each thing that is done to a file; nothing is lost, and --resume goes on."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import frote
from campaigns.campaign import Campaign, require
from campaigns.child import OWN_ERROR, Child, frote_main
from campaigns.command import require_fair
from campaigns.faults import FULL, Fault, watch
from campaigns.small_edit import EDIT, editor, loans, outcome, shop

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from campaigns.command import Said

__all__ = ["CAMPAIGN"]

INPUTS = ("loans.csv", "later.csv", "policy.rules", "conflicting.rules", "before.skops")
MODEL = ("--data", "loans.csv", "--target", "decision")
COMMANDS: dict[str, tuple[str, ...]] = {
    "edit": (*EDIT, "--data", "loans.csv", "--out", "made"),
    "edit --force": (*EDIT, "--data", "loans.csv", "--out", "made", "--force"),
    "resolve": ("resolve", "--rules", "conflicting.rules", "--how", "priority", "--out", "made.rules"),
    "overlay": ("overlay", *MODEL, "--rules", "policy.rules", "--load", "before.skops", "--out", "made.csv"),
    "explain": ("explain", *MODEL, "--load", "before.skops", "--out", "made.rules"),
}
USES = ("library", *COMMANDS)


@dataclass(frozen=True, slots=True)
class Case:
    """What is done, when it fails (as a share of all that it does to files), and how."""

    use: str
    moment: float
    error: int
    lasting: bool
    most: int | None


def _make(chance: Random) -> Case:
    error = chance.choice((errno.ENOSPC, errno.EACCES, errno.EIO, errno.EROFS, errno.EDQUOT))
    most = chance.choice((0, 10, 100, 600, 3000)) if chance.random() < 0.2 else None
    return Case(chance.choice(USES), chance.random(), error, chance.random() < 0.5, most)


def _prepared() -> Path:
    """Return a folder with everything that the commands read."""
    folder = Path(tempfile.mkdtemp(dir=".")).absolute()
    for name in INPUTS:
        shutil.copy(shop() / "edit" / name if name.endswith(".skops") else shop() / name, folder / name)
    return folder


def _run_library() -> None:
    editor(checkpoint="checkpoint").fit_resample(*loans())


def _work(
    use: str, folder: Path, fault: Fault, log: Path | None, more: tuple[str, ...] = ()
) -> Callable[[], int | None]:
    def work() -> int | None:
        os.chdir(folder)
        watch(folder, fault, log)
        if use != "library":
            return frote_main(*COMMANDS[use], *more, folder=folder)()
        try:
            _run_library()
        except frote.FroteError as error:
            print(f"Error: {error}", file=sys.stderr)
            return 2
        return 0

    return work


@cache
def _undisturbed(use: str) -> tuple[int, dict[str, bytes]]:
    """Return how many things are done to files, and what comes of it."""
    folder = _prepared()
    if use == "edit --force":
        shutil.copytree(shop() / "edit", folder / "made")
    log = folder.parent / f"{folder.name}.log"
    said = Child(_work(use, folder, Fault(), log)).wait()
    if said.code:
        raise RuntimeError(f"{use}: {said.err}")
    return int(log.read_text("ascii")), _made(folder)


def _made(folder: Path) -> dict[str, bytes]:
    """Return the files that are made, but for those with times in them."""
    timed = ("edit.json", "report.json", "report.html", "before.skops", "model.skops", "run.json")
    paths = [
        path for path in folder.rglob("*") if path.is_file() and path.relative_to(folder).parts[0].startswith("made")
    ]
    return {str(path.relative_to(folder)): b"" if path.name in timed else path.read_bytes() for path in sorted(paths)}


def _judge(case: Case) -> str | None:
    count, expected = _undisturbed(case.use)
    folder = _prepared()
    try:
        if case.use == "edit --force":
            shutil.copytree(shop() / "edit", folder / "made")
        before, given = _made(folder), {name: (folder / name).read_bytes() for name in INPUTS}
        fault = Fault(int(case.moment * count), case.error, case.lasting, case.most)
        said = Child(_work(case.use, folder, fault, None)).wait()
        found = _made(folder)
        require(said.code != OWN_ERROR, f"a foreign error: {_last(said)}")
        require_fair(said)
        require({name: (folder / name).read_bytes() for name in INPUTS} == given, "an input was changed")
        if case.use != "library":
            require(
                found in (before, expected),
                f"files are neither as before nor as they should be: {_unlike(found, expected)}",
            )
            require(said.code or found == expected, "exit code 0, and not all was written")
        _again(case, folder, expected, complete=found == expected)
        return said.refusal
    finally:
        shutil.rmtree(folder)


def _last(said: Said) -> str:
    return " ".join(said.err.strip().splitlines()[-1:])


def _unlike(found: dict[str, bytes], expected: dict[str, bytes]) -> str:
    return ", ".join(name for name in {**found, **expected} if found.get(name) != expected.get(name))


def _again(case: Case, folder: Path, expected: dict[str, bytes], *, complete: bool) -> None:
    """Require that the same is done to its end when the disk is well again."""
    if case.use == "library":
        here = Child(lambda: int(_outcome_in(folder) != outcome(editor(), *loans()))).wait()
        require(not here.code, f"the run that goes on ends otherwise: {_last(here)}")
        return
    more = {"edit": ("--resume",), "edit --force": ("--resume",)}.get(case.use, ())
    if complete and case.use == "edit":
        return
    if complete and case.use != "edit --force":
        more = ("--force",) if "--force" in _help(case.use) else ()
    said = Child(_work(case.use, folder, Fault(), None, more)).wait()
    require(not said.code, f"when the disk is well again: {_last(said)}")
    require(_made(folder) == expected, "when the disk is well again, other bytes are written")
    rest = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    require(not rest or case.error not in FULL, f"left behind: {rest}")  # what may not be removed stays


@cache
def _help(use: str) -> str:
    return Child(frote_main(use, "--help", folder=Path.cwd())).wait().out


def _outcome_in(folder: Path) -> object:
    return outcome(editor(checkpoint=folder / "checkpoint"), *loans())


CAMPAIGN = Campaign(
    "disks",
    "When a disk is full or may not be written, at any moment, it is told in a sentence, nothing that was there is "
    "lost, and the same command goes on or begins anew when the disk is well again.",
    full=200,
    block=10,
    seconds=120,
    megabytes=3000,
    make=_make,
    judge=_judge,
)
