"""A finished edit: its report, and what of it is to be looked at before it may be signed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from frote.edits.ours import RECORD, digests_of
from frote.edits.record import digest_of, read_record
from frote.report.reading import read_report
from frote.studio.errors import StudioError, telling
from frote.studio.versions import now

if TYPE_CHECKING:
    from pathlib import Path

    from frote.edits.record import StoredRecord
    from frote.report.contents import Change, Region, Report
    from frote.studio.jobs import Job
    from frote.studio.versions import Review, SignedEdit, Version
    from frote.studio.workspace import Workspace

__all__ = ["Finished", "Item"]

LARGEST = 2**26  # bytes of a report
REVIEWS = "reviews"
TO_REVIEW = ("wrong", "unintended")


@dataclass(frozen=True, slots=True)
class Item:
    """A part of what changed.

    Parameters
    ----------
    key : str
        What it is known by.

    name : str
        What it is called, such as ``unintended 1``.

    part : {"intended", "wrong", "unintended"}
        Whether the rules want it.

    before, after : object
        The labels before and after.

    changed : int
        How many predictions changed so.

    rows : int or None
        How many rows lie in the region; None for changes that no region tells.

    words, rule : str
        Where it is, in words and as a rule; empty for changes that no region tells.
    """

    key: str
    name: str
    part: str
    before: Any
    after: Any
    changed: int
    rows: int | None
    words: str
    rule: str

    @property
    def to_review(self) -> bool:
        """Whether somebody has to look at it."""
        return self.part in TO_REVIEW

    @property
    def told(self) -> str:
        """What it is, in a line, as a signed version keeps it."""
        where = f"where {self.words}" if self.words else "anywhere else, told by no short rule"
        return f"{self.changed:,} from {self.before} to {self.after}, {where}"


@dataclass(frozen=True)
class Finished:
    """A finished edit of a workspace.

    Parameters
    ----------
    workspace : Workspace
        The workspace.

    job : Job
        What was asked for.
    """

    workspace: Workspace
    job: Job

    @property
    def folder(self) -> Path:
        """Where it is."""
        return self.workspace.files.path(self.job.folder)

    @cached_property
    def record(self) -> StoredRecord:
        """Its record.

        Raises
        ------
        FroteError
            If it cannot be read.
        """
        path = self.workspace.files.path(f"{self.job.folder}/{RECORD}")
        with telling(f"The record of {self.job.name} cannot be read", "Run the edit again."):
            return read_record(path)

    @cached_property
    def signature(self) -> SignedEdit:
        """What a signed version names it by."""
        return {"name": self.job.name, "record": digest_of(self.workspace.files.path(f"{self.job.folder}/{RECORD}"))}

    @cached_property
    def report(self) -> Report:
        """Its report, if that is as it was written.

        Raises
        ------
        FroteError
            If it is not there, or was changed since.
        """
        name = f"{self.job.folder}/report.json"
        content = self.workspace.files.read(name, LARGEST)
        listed = self.record.get("files", {}).get("report.json")
        if content is None or hashlib.sha256(content).hexdigest() != listed:
            raise StudioError(f"{name} of the workspace is gone or was changed since it was written. Edit again.")
        return read_report(self.workspace.files.path(name))

    # --- what is to be looked at ---

    @cached_property
    def items(self) -> list[Item]:
        """All that changed: regions, and changes of each kind that no region tells; what is to be reviewed first."""
        moved = self.report["moved"]
        regions = [self._of_region(region) for region in moved["regions"]]
        rest = [item for change in moved["changes"] if (item := self._rest(change, regions)) is not None]
        order = {"wrong": 0, "unintended": 1, "intended": 2}
        return sorted([*regions, *rest], key=lambda item: (order.get(item.part, 3), item.rows is None, -item.changed))

    def _of_region(self, region: Region) -> Item:
        key = _key(self.job.name, region["part"], region["before"], region["after"], region["rule"])
        return Item(
            key,
            region["region"],
            region["part"],
            region["before"],
            region["after"],
            region["changed"],
            region["rows"],
            region["words"],
            region["rule"],
        )

    def _rest(self, change: Change, regions: list[Item]) -> Item | None:
        """Return what no region tells of a kind of change, or only one that the report leaves out."""
        part, before, after = change["part"], change["before"], change["after"]
        mine = [one for one in regions if (one.part, one.before, one.after) == (part, before, after)]
        told = round(change["rows"] * (change["explained"] or 0.0))
        if len(mine) < change["regions"]:
            told = min(sum(one.changed for one in mine), change["rows"] - 1)
        if told >= change["rows"]:
            return None
        key = _key(self.job.name, part, before, after, "the rest")
        name = f"{part}, the rest" if told else part
        return Item(key, name, part, before, after, change["rows"] - told, None, "", "")

    def item(self, key: str) -> Item:
        """Return one of them.

        Raises
        ------
        StudioError
            If there is none.
        """
        for item in self.items:
            if item.key == key:
                return item
        raise StudioError("There is no such region in this edit. Load the page again.")

    # --- reviews ---

    @property
    def _place(self) -> str:
        return f"{REVIEWS}/{self.job.name}.json"

    def reviews(self) -> dict[str, Review]:
        """Return what was looked at so far, by its key; reviews of another edit of this name count for nothing."""
        content = self.workspace.files.read(self._place)
        if content is None:
            return {}
        try:
            plain = json.loads(content.decode("utf-8"))
            of, items = plain["record"], plain["items"]
            known = {item.key for item in self.items}
            reviews: dict[str, Review] = {
                key: {
                    "region": str(one["region"]),
                    "words": str(one["words"]),
                    "who": str(one["who"]),
                    "when": str(one["when"]),
                    "why": str(one["why"]),
                }
                for key, one in items.items()
                if key in known
            }
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise StudioError(f"{self._place} of the workspace is damaged. Move it away, and review again.") from None
        return reviews if of == self.signature["record"] else {}

    def review(self, key: str, *, who: str, why: str) -> None:
        """Tick a part of what changed as looked at, with a word why it may stay; without one it is open again.

        Raises
        ------
        StudioError
            If nobody says who.
        """
        item = self.item(key)
        if not who.strip():
            raise StudioError("Say who you are first, so that the review can tell who looked at what.")
        with self.workspace.changing():
            reviews = {one: review for one, review in self.reviews().items() if one != key}
            if why.strip():
                told = {"region": item.name, "words": item.told, "who": who.strip(), "when": now(), "why": why.strip()}
                reviews[key] = told  # type: ignore[assignment]
            plain = {"record": self.signature["record"], "items": reviews}
            self.workspace.files.write(self._place, (json.dumps(plain, indent=1, ensure_ascii=False) + "\n").encode())

    @property
    def open_items(self) -> list[Item]:
        """What nobody has looked at yet."""
        reviews = self.reviews()
        return [item for item in self.items if item.to_review and item.key not in reviews]

    # --- signing ---

    def hindrances(self) -> list[str]:
        """Say why it cannot be signed now; nothing if it can."""
        current, said = self.workspace.current, []
        if self.workspace.read_only:
            said.append(self.workspace.read_only)
        left = len(self.open_items)
        if left:
            verb = "is" if left == 1 else "are"
            said.append(f"{left:,} of the changes that the rules do not ask for {verb} not reviewed.")
        if current.state == "signed":
            said.append(
                f"Version {current.number} is signed already"
                + (" with this edit." if self.signed is not None else "; the next change makes a new one.")
            )
        elif self._version_says_otherwise(current):
            said.append(f"The policy was changed since version {self.job.number}, which this edit was made with.")
        return said

    def _version_says_otherwise(self, current: Version) -> bool:
        return self.workspace.changed or current.says != self.workspace.history.version(self.job.version).says

    @property
    def signed(self) -> Version | None:
        """The version that was signed with this edit, if there is one."""
        record = self.signature["record"]
        signed = (version for version in self.workspace.history.versions() if version.edit is not None)
        return next((version for version in signed if version.edit and version.edit["record"] == record), None)

    def sign(self, *, who: str, why: str) -> Version:
        """Sign the policy with this edit.

        Raises
        ------
        FroteError
            If anything stands against it, or a file of its folder is not as it was written.
        """
        against = self.hindrances()
        if against:
            raise StudioError(f"This cannot be signed. {against[0]}")
        self.require_intact()
        reviews = self.reviews()
        kept = [reviews[item.key] for item in self.items if item.key in reviews]
        current = self.workspace.current
        return self.workspace.sign(current.id, who=who, why=why, edit=self.signature, reviews=kept)

    def require_intact(self) -> None:
        """Refuse a folder whose files are not those that the edit wrote.

        Raises
        ------
        StudioError
            With the first that is not.
        """
        with telling(f"The folder of {self.job.name} cannot be read", "Run the edit again."):
            found = {name: digest for name, digest in digests_of(self.folder).items() if name != RECORD}
        listed = dict(self.record.get("files", {}))
        unlike = sorted(name for name in {*found, *listed} if found.get(name) != listed.get(name))
        if unlike:
            raise StudioError(
                f"{unlike[0]} of the edit {self.job.name} is not as the edit wrote it, so it cannot be signed. Run the "
                "edit again."
            )

    def files(self) -> dict[str, int]:
        """Return the names of all files of its folder, with their bytes."""
        with telling(f"The folder of {self.job.name} cannot be read", "Run the edit again."):
            paths = [path for path in sorted(self.folder.rglob("*")) if path.is_file() and not path.is_symlink()]
            return {path.relative_to(self.folder).as_posix(): path.stat().st_size for path in paths}


def _key(*parts: object) -> str:
    return hashlib.sha256("\0".join(map(str, parts)).encode("utf-8", "replace")).hexdigest()[:16]
