"""A workspace: a folder of plain files in which a policy is written, tried, edited and signed.

What is being written stands in ``policy.rules``, ``cases.csv`` and ``studio.json``, saved at every pause of typing. A
version of it is kept when somebody says so, and before anything would take its place; versions stay for good. One
studio writes at a time; another one on the same folder shows it and changes nothing.
"""

from __future__ import annotations

import hashlib
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from frote.edits.lock import let_go, take
from frote.studio.errors import OvertakenError, ReadOnlyError, StudioError
from frote.studio.history import Head, History
from frote.studio.inside import Inside
from frote.studio.settings import SETTINGS, Settings
from frote.studio.tables import Tables
from frote.studio.versions import LARGEST_CASES, LARGEST_POLICY, Version, now

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from frote.studio.versions import Review, SignedEdit

__all__ = ["CASES", "POLICY", "Draft", "Workspace"]

POLICY, CASES, LOCK = "policy.rules", "cases.csv", ".studio.lock"
MOST = {POLICY: LARGEST_POLICY, CASES: LARGEST_CASES}
SAID = ("owner", "effective", "resolve")  # what settings say of the policy
BEFORE = "Kept before something else took its place."


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that is being written.

    Parameters
    ----------
    text : str
        The text.

    digest : str
        Its digest, by which a page says which text it was that it changed.

    Examples
    --------
    >>> Draft.of("IF age < 29 THEN approved").digest[:8]
    'd3dacf90'
    """

    text: str
    digest: str

    @classmethod
    def of(cls, text: str) -> Draft:
        """Return a text with its digest."""
        return cls(text, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())


@dataclass(eq=False)
class Workspace:
    """A workspace that is open. Use `Workspace.open`.

    Parameters
    ----------
    files : Inside
        Its files.

    read_only : str
        Why nothing may be changed; empty if it may.

    clock : callable, default=now
        Returns the time.

    Attributes
    ----------
    history : History
        All versions of the policy.

    tables : Tables
        The tables in it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Workspace.open(folder) as workspace:
    ...     draft = workspace.save_policy("IF age < 29 THEN approved", base=workspace.policy().digest)
    ...     kept = workspace.keep_version("policy team", "young savers")
    ...     print(kept.number, workspace.changed, workspace.undo().number, workspace.redo().number)
    2 False 1 2
    """

    files: Inside
    read_only: str
    clock: Callable[[], str] = now
    history: History = field(init=False)
    tables: Tables = field(init=False)
    _settings: Settings = field(init=False)
    _head: Head = field(init=False)
    _held: int | None = field(default=None, init=False)
    _guard: threading.RLock = field(default_factory=threading.RLock, init=False)

    # --- opening and closing ---

    @classmethod
    def open(
        cls, folder: str | os.PathLike[str], *, policy: str = "", clock: Callable[[], str] = now, **settings: Any
    ) -> Workspace:
        """Open a workspace; a folder that is none yet becomes one.

        Parameters
        ----------
        folder : path
            The folder.

        policy : str, default=""
            What a new workspace begins with, if there are no rules in the folder.

        clock : callable, default=now
            Returns the time.

        **settings
            What a new workspace is about; see `Settings`.

        Raises
        ------
        StudioError
            If a file in it is damaged or not what it should be.
        """
        files = Inside.of(folder)
        held, why = _taken(files)
        workspace = cls(files, why, clock)
        workspace._held = held
        try:
            workspace._begin(policy, settings)
        except BaseException:
            workspace.close()
            raise
        return workspace

    def close(self) -> None:
        """Let another studio have it."""
        if self._held is not None:
            let_go(self.files.root / LOCK, self._held)
            self._held = None
            self.read_only = "The workspace is closed."

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _begin(self, policy: str, settings: dict[str, Any]) -> None:
        self.history, self.tables = History(self.files), Tables(self.files)
        content = self.files.read(SETTINGS)
        self._settings = Settings(**settings) if content is None else Settings.of(content)
        head = self.history.head
        if head is None:
            self._found(policy)
            return
        self._head = head
        self.history.version(head.current)  # what is damaged is told now
        if not self.read_only:
            self._settle()

    def _found(self, policy: str) -> None:
        """Begin with what stands in the folder; versions that nothing points to any more are there still."""
        there = self._read(POLICY), self._read(CASES)
        texts = (policy if there[0] is None else there[0], there[1] or "")
        number = 1 + max((version.number for version in self.history.versions()), default=0)
        first = Version(number, *texts, "", self.clock(), "The beginning.", **self._said())
        self._head = Head(first.id)
        if self.read_only:
            self.history.show(first)
        else:
            self.files.write(SETTINGS, self._settings.content)
            self._make(first)

    # --- what is being written ---

    @property
    def folder(self) -> Path:
        """The folder."""
        return self.files.root

    @property
    def settings(self) -> Settings:
        """What it is about."""
        if self.read_only:
            content = self.files.read(SETTINGS)
            self._settings = self._settings if content is None else Settings.of(content)
        return self._settings

    def change(self, **settings: Any) -> Settings:
        """Change settings, by name; see `Settings`."""
        with self.changing():
            changed = replace(self._settings, **settings)
            if changed != self._settings:
                self.files.write(SETTINGS, changed.content)
                self._settings = changed
            return changed

    def policy(self) -> Draft:
        """Return the rules as they are being written; those of the current version if their file is gone."""
        text = self._read(POLICY)
        return Draft.of(self.current.policy if text is None else text)

    def cases(self) -> Draft:
        """Return the cases, as CSV; empty if there are none."""
        return Draft.of(self._read(CASES) or "")

    def save_policy(self, text: str, base: str) -> Draft:
        """Save the rules as they are being written.

        Parameters
        ----------
        text : str
            The rules.

        base : str
            The digest of the text that they were made from.

        Raises
        ------
        OvertakenError
            If that is no longer what stands there. Nothing is written.

        StudioError
            If they cannot be written.
        """
        return self._save(POLICY, text, base)

    def save_cases(self, text: str, base: str) -> Draft:
        """Save the cases; see `save_policy`."""
        return self._save(CASES, text, base)

    def _save(self, name: str, text: str, base: str) -> Draft:
        draft, content = Draft.of(text), _bytes(text, name)
        with self.changing():
            self._settle()
            there = self.policy() if name == POLICY else self.cases()
            if there.digest not in (base, draft.digest):
                raise OvertakenError(
                    f"{name} was changed since by another tab, or outside of the studio. What you wrote is not lost: "
                    "it is here still. Take what is there, or put yours in its place; what is there is kept then too."
                )
            if self._read(name) != text:
                self.files.write(name, content)
            return draft

    def replace_policy(self, text: str, who: str) -> Draft:
        """Put rules in place whatever stands there, of which a version is kept first."""
        with self.changing():
            self._keep_aside(who)
            return self._save(POLICY, text, self.policy().digest)

    # --- versions ---

    @property
    def current(self) -> Version:
        """The version that was kept, restored or gone back to last; what is being written may say something else."""
        with self._guard:
            self._look()
            return self.history.version(self._head.current)

    @property
    def changed(self) -> bool:
        """Whether what is being written says something else than the current version."""
        with self._guard:
            return self.written("", "").says != self.current.says

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo: what was signed is not undone."""
        version = self.current
        return self.changed or (version.parent is not None and version.state != "signed")

    @property
    def can_redo(self) -> bool:
        """Whether something was undone that can be done again."""
        self._look()
        return bool(self._head.undone) and not self.changed

    def keep_version(self, who: str, why: str, *, base: str | None = None) -> Version:
        """Keep a version of what is being written.

        Parameters
        ----------
        who, why : str
            Who made it, and what was changed or why.

        base : str or None, default=None
            The digest of the rules that a page shows; None for whatever stands there.

        Returns
        -------
        Version
            The current one, if it says the same.

        Raises
        ------
        OvertakenError
            If other rules stand there.
        """
        _require_named(who)
        with self.changing():
            self._settle()
            self._require_shown(base)
            version = self.written(who, why)
            return self.current if version.says == self.current.says else self._make(version)

    def undo(self) -> Version:
        """Go back to the version before, or from what is being written to the current one; `redo` brings it back."""
        with self.changing():
            self._keep_aside("")
            version = self.current
            if version.state == "signed":
                raise StudioError("What was signed is not undone. Change the policy, or restore an earlier version.")
            if version.parent is None:
                raise StudioError("There is nothing to undo: this is where the policy began.")
            parent = self.history.version(version.parent)
            return self._point(parent, (*self._head.undone, version.id))

    def redo(self) -> Version:
        """Do again what was undone last."""
        with self.changing():
            self._settle()
            if self.changed or not self._head.undone:
                raise StudioError("There is nothing to do again: nothing was undone, or something was changed since.")
            return self._point(self.history.version(self._head.undone[-1]), self._head.undone[:-1])

    def restore(self, digest: str, *, who: str, why: str = "") -> Version:
        """Make a version that says what an earlier one says; what is there now stays in the history."""
        _require_named(who)
        with self.changing():
            earlier = self.history.version(digest)
            self._keep_aside(who)
            said = {name: getattr(earlier, name) for name in ("policy", "cases", *SAID)}
            made = self._next(self.current, who, why or f"Version {earlier.number} restored.", **said)
            return self._make(made)

    def propose(self, who: str, why: str, *, base: str | None = None) -> Version:
        """Propose what is being written for signing."""
        _require_named(who)
        with self.changing():
            self._settle()
            self._require_shown(base)
            if self.current.state != "draft" and not self.changed:
                raise StudioError(f"Version {self.current.number} is {self.current.state} already.")
            return self._make(replace(self.written(who, why), state="proposed"))

    def sign(self, digest: str, *, who: str, why: str, edit: SignedEdit, reviews: list[Review]) -> Version:
        """Sign the current version with an edit that was made with it and reviewed; see `frote.studio.signing`.

        Raises
        ------
        OvertakenError
            If the current version is another one than that of the digest, or something else is being written.
        """
        _require_named(who)
        with self.changing():
            self._settle()
            current = self.current
            if digest != current.id or self.changed:
                raise OvertakenError("The policy was changed since. Run the edit again with what it says now.")
            if current.state == "signed":
                raise StudioError("This version is signed already. The next change is a new version.")
            signed = self._next(current, who, why, state="signed", edit=edit, reviews=reviews)
            return self._make(signed)

    # --- how versions are made ---

    def _next(self, base: Version, who: str, why: str, **changed: Any) -> Version:
        """Make a version from another, a draft unless it is said."""
        number = 1 + max(version.number for version in self.history.versions())
        usual = {"state": "draft", "edit": None, "reviews": [], **changed}
        return replace(base, number=number, parent=base.id, who=who.strip(), when=self.clock(), why=why, **usual)

    def written(self, who: str, why: str) -> Version:
        """Return what is being written as a version, which is not kept."""
        written = {"policy": self.policy().text, "cases": self.cases().text, **self._said()}
        return self._next(self.current, who, why, **written)

    def _said(self) -> dict[str, Any]:
        return {name: getattr(self.settings, name) for name in SAID}

    def _keep_aside(self, who: str) -> None:
        """Keep a version of what is being written, if it says something else than the current version."""
        self._settle()
        if self.changed:
            self._make(self.written(who, BEFORE))

    def _make(self, version: Version) -> Version:
        self.history.add(version)
        return self._point(version, ())

    def _point(self, version: Version, undone: tuple[str, ...]) -> Version:
        head = Head(version.id, undone, settled=False)
        self.history.point(head)
        self._head = head
        with suppress(StudioError):  # the version is safe; the files follow with the next change, or on opening
            self._settle()
        return version

    def _settle(self) -> None:
        """Let the files say what the current version says, if that was begun and not done."""
        if self._head.settled:
            return
        version = self.history.version(self._head.current)
        for name, text in ((POLICY, version.policy), (CASES, version.cases)):
            if text or name == POLICY:
                self.files.write(name, text.encode())
            else:
                self.files.remove(name)
        self.change(**{name: getattr(version, name) for name in SAID})
        head = replace(self._head, settled=True)
        self.history.point(head)
        self._head = head

    # --- small parts ---

    def _require_shown(self, base: str | None) -> None:
        if base is not None and base != self.policy().digest:
            raise OvertakenError("The policy was changed since by another tab, or outside of the studio. Look at it.")

    def _look(self) -> None:
        """Look where another studio has moved to, if this one only shows."""
        if self.read_only:
            self._head = self.history.head or self._head

    def _read(self, name: str) -> str | None:
        return _text(self.files.read(name, 4 * MOST[name]), name)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Change something while nobody else does."""
        with self._guard:
            if self.read_only:
                raise ReadOnlyError(f"Nothing can be changed here. {self.read_only}")
            yield


def _taken(files: Inside) -> tuple[int | None, str]:
    """Take the lock of a folder, which is made if it is not there; return it, or why it cannot be had."""
    path = files.path(LOCK)
    try:
        held = take(path)
    except OSError as error:
        if not files.root.is_dir():
            raise StudioError(f"{files.root} cannot be made a workspace: {error.strerror}. Name another.") from None
        return None, f"The folder of the workspace cannot be written to: {error.strerror}."
    if held is None:
        return None, "Another studio has this workspace open; this one shows what it does. Close the other one first."
    return held, ""


def _bytes(text: str, name: str) -> bytes:
    """Return a text as the file of it holds it."""
    if len(text) > MOST[name]:
        raise StudioError(f"{name} would have {len(text):,} characters; the studio keeps at most {MOST[name]:,}.")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise StudioError(f"{name} would hold half a character ({text[error.start]!r}), which no file can.") from None


def _text(content: bytes | None, name: str) -> str | None:
    if content is None:
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise StudioError(f"{name} of the workspace is not UTF-8 text. Save it as such, or move it away.") from None


def _require_named(who: str) -> None:
    if not who.strip():
        raise StudioError("Say who you are first, so that the history can tell who changed what.")
