"""All versions of a policy, none of which ever goes, and which of them is the current one.

A version is written before anything points to it, and what points to it is one small file put in place by a rename:
killed at any moment, the last version that a person was told of is there, and is the current one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from frote.studio.errors import StudioError
from frote.studio.versions import ID, Version

if TYPE_CHECKING:
    from frote.studio.inside import Inside

__all__ = ["Head", "History"]

FOLDER, HEAD, SUFFIX = "history", "history/head.json", ".json"
MOST = 50_000  # versions of a workspace
LARGEST = 2**24  # bytes of one
DEEPEST = 10_000  # versions that were undone and can be done again


@dataclass(frozen=True, slots=True)
class Head:
    """Where the history stands.

    Parameters
    ----------
    current : str
        The digest of the current version.

    undone : tuple of str, default=()
        What was undone and can be done again, the last one last.

    settled : bool, default=True
        Whether the files beside the history have been written since; otherwise that is to be done.
    """

    current: str
    undone: tuple[str, ...] = ()
    settled: bool = True

    @property
    def content(self) -> bytes:
        """The bytes of its file."""
        plain = {"head": 1, "current": self.current, "undone": list(self.undone), "settled": self.settled}
        return (json.dumps(plain, indent=1) + "\n").encode()

    @classmethod
    def of(cls, content: bytes) -> Head:
        """Read what `content` gave.

        Raises
        ------
        StudioError
            If it is none.
        """
        try:
            plain: Any = json.loads(content.decode("utf-8"))
            current, undone, settled = plain["current"], plain["undone"], plain["settled"]
            ids = [current, *undone]
        except (ValueError, KeyError, TypeError, RecursionError):
            ids = [None]
        if len(ids) > DEEPEST or not all(isinstance(one, str) and ID.fullmatch(one) for one in ids):
            raise StudioError(
                f"{HEAD} of the workspace is damaged. Remove it: every version is kept, and none is lost."
            )
        return cls(current, tuple(undone), settled is True)


@dataclass(eq=False)
class History:
    """The versions in a workspace.

    Parameters
    ----------
    files : Inside
        The files of the workspace.

    Attributes
    ----------
    damaged : list of str
        The names of files that are no versions though their names say so; they are left alone.

    Examples
    --------
    >>> import tempfile
    >>> from frote.studio.inside import Inside
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     history = History(Inside.of(folder))
    ...     history.add(Version(1, "IF age < 29 THEN yes", "", "policy team", "2026-11-18T09:00:00Z", "first"))
    ...     [version.why for version in History(Inside.of(folder)).versions()]
    ['first']
    """

    files: Inside
    damaged: list[str] = field(default_factory=list, init=False)
    _known: dict[str, Version] = field(default_factory=dict, init=False)

    @property
    def head(self) -> Head | None:
        """Where it stands; None where nothing was ever saved."""
        content = self.files.read(HEAD)
        return None if content is None else Head.of(content)

    def point(self, head: Head) -> None:
        """Let it stand somewhere else."""
        self.files.write(HEAD, head.content)

    def add(self, version: Version) -> None:
        """Keep a version."""
        self.files.write(f"{FOLDER}/{version.id}{SUFFIX}", version.content)
        self._known[version.id] = version

    def show(self, version: Version) -> None:
        """Know a version without keeping it, where nothing may be written."""
        self._known[version.id] = version

    def version(self, digest: str) -> Version:
        """Return a version by its digest.

        Raises
        ------
        StudioError
            If there is none, or it is not what its name says.
        """
        if digest not in self._known:
            self._known[digest] = self._read(digest)
        return self._known[digest]

    def _read(self, digest: str) -> Version:
        name = f"{FOLDER}/{digest}{SUFFIX}"
        content = self.files.read(name, LARGEST) if ID.fullmatch(digest) else None
        if content is None:
            raise StudioError(f"There is no version {digest[:8]!r} in the history. Choose one of those listed.")
        try:
            version = Version.of(content)
        except StudioError as error:
            raise StudioError(f"{name} of the workspace cannot be used. {error} Put it back from a copy.") from None
        if version.id != digest:
            raise StudioError(f"{name} of the workspace was changed since it was written. Put it back from a copy.")
        return version

    def versions(self) -> list[Version]:
        """Return all versions, the latest first; files that are none are named in `damaged`."""
        found, self.damaged[:] = [], []
        for name in sorted(self.files.names(FOLDER, MOST)):
            digest = name.removesuffix(SUFFIX)
            if ID.fullmatch(digest) and name.endswith(SUFFIX):
                try:
                    found.append(self.version(digest))
                except StudioError:
                    self.damaged.append(name)
        return sorted(found, key=lambda version: (-version.number, version.when, version.id))
