"""The record of an edit: all that it was made from and all that came of it, so that anyone can repeat it.

``edit.json`` is plain data. All but ``timings`` is the same whenever the edit is repeated with the same versions.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from frote.exceptions import RecordError
from frote.opened import opened, read_small
from frote.plain import unwritable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["RESOLUTIONS", "SEEDS", "Asked", "comparable", "differences", "digest_of", "read_record", "write_json"]

FORMAT = 2  # 1 had no digests of models
READ = (1, FORMAT)
OUTSIDE = ("timings", "files", "data.name", "test.name")  # what may differ when an edit is repeated
COLUMNS = ("categorical", "numeric", "ignore")  # what names columns
SEEDS = 2**32
RESOLUTIONS = ("exclude", "mix", "priority")
SEEN = ("drop", "keep")
KINDS = {
    **dict.fromkeys(("target", "rules", "model"), "a text"),
    **dict.fromkeys(("params", "settings"), "values by name"),
    "published": "true or false",
    **dict.fromkeys(("resolve", "seen"), "a text or nothing"),
    **dict.fromkeys(COLUMNS, "a list of texts"),
    "seed": "a whole number",
    "about": "texts by name",
    "levels": "lists of texts by name",
    "spreadsheet_safe": "true or false",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What an edit is asked to do.

    Parameters
    ----------
    target : str
        The column of labels.

    rules : str
        The rules as written.

    model : str
        The name of the model.

    params : dict, default={}
        Its parameters.

    settings : dict, default={}
        Parameters of `FROTE` other than the usual ones.

    published : bool, default=False
        Whether the algorithm is the paper's.

    resolve : str or None, default=None
        How conflicts are resolved.

    categorical, numeric : tuple of str, default=()
        Columns whose kind the caller gives.

    ignore : tuple of str, default=()
        Columns that are left out.

    levels : dict of str to list of str, default={}
        Levels that columns may have though no row has them.

    seed : int, default=0
        Where chance comes from.

    about : dict, default={}
        Free facts for the report: title, owner, approver, effective.

    seen : str or None, default=None
        What is done with rows to judge on that also stand in the data: "drop", "keep", or what is usual.

    spreadsheet_safe : bool, default=False
        Whether texts that a spreadsheet would take for formulas are written with an apostrophe before them.
    """

    target: str
    rules: str
    model: str
    params: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    published: bool = False
    resolve: str | None = None
    categorical: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    levels: dict[str, list[str]] = field(default_factory=dict)
    seed: int = 0
    about: dict[str, str] = field(default_factory=dict)
    seen: str | None = None
    spreadsheet_safe: bool = False

    def __post_init__(self) -> None:
        if fault := self._fault():
            raise RecordError(f"What is asked for cannot be done: {fault}.")

    def _fault(self) -> str | None:
        """Say what no edit can be asked for: a record may say anything."""
        for name, kind in KINDS.items():
            if not _is(getattr(self, name), kind):
                return f"{name!r} must be {kind}"
        if not 0 <= self.seed < SEEDS:
            return f"'seed' must be from 0 to {SEEDS - 1}"
        if self.resolve not in (None, *RESOLUTIONS):
            return f"'resolve' must be one of {', '.join(RESOLUTIONS)}"
        if self.seen not in (None, *SEEN):
            return f"'seen' must be one of {', '.join(SEEN)}"
        return unwritable(self.plain)

    @property
    def plain(self) -> dict[str, Any]:
        """The same as plain data; what came later than the format is there if it is used."""
        plain = {**asdict(self), **{name: list(getattr(self, name)) for name in COLUMNS}}
        return plain if self.spreadsheet_safe else {name: plain[name] for name in plain if name != "spreadsheet_safe"}

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Asked:
        """Read what `plain` gave.

        Raises
        ------
        RecordError
            If a part is of another type than it should be.
        """
        listed = {name: tuple(plain[name]) if isinstance(plain[name], list) else plain[name] for name in COLUMNS}
        return cls(**{**plain, **listed})


def _is(value: Any, kind: str) -> bool:
    """Tell whether a value is of a kind."""
    match kind:
        case "a text":
            return isinstance(value, str)
        case "a text or nothing":
            return value is None or isinstance(value, str)
        case "true or false":
            return isinstance(value, bool)
        case "a whole number":
            return isinstance(value, int) and not isinstance(value, bool)
        case "a list of texts":
            return isinstance(value, tuple) and all(isinstance(one, str) for one in value)
        case "texts by name":
            return isinstance(value, dict) and all(isinstance(one, str) for pair in value.items() for one in pair)
        case "lists of texts by name":
            listed = isinstance(value, dict) and all(isinstance(one, list) for one in value.values())
            return listed and all(isinstance(one, str) for pair in value.items() for one in (pair[0], *pair[1]))
        case "values by name":
            return isinstance(value, dict) and all(isinstance(name, str) for name in value)
    raise AssertionError(kind)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_json(plain: Mapping[str, Any], path: Path) -> None:
    """Write plain data, readable by people too."""
    path.write_text(json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False) + "\n", "utf-8")


def read_record(path: Path) -> dict[str, Any]:
    """Read the record of an edit.

    Raises
    ------
    RecordError
        If it is none, or of another version of this format.
    """
    try:
        record = json.loads(read_small(path).decode("utf-8"))
        form = record["edit"]
        Asked.of(record["asked"])
        tables = [part for part in (record["data"], record["test"]) if part is not None]
        named = all(isinstance(part[name], str) for part in tables for name in ("name", "sha256"))
        digests = [record["versions"], record["outputs"]]
        whole = tables and named and all(isinstance(one, dict) and one for one in digests)
        fault = unwritable(record)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RecordError(f"{path} is no record of an edit, or a damaged one ({str(error)[:200]}).") from None
    if not whole or fault:
        raise RecordError(f"{path} is no record of an edit, or a damaged one{f' ({fault})' if fault else ''}.")
    if type(form) is not int or form not in READ:
        known = " and ".join(map(str, READ))
        raise RecordError(f"{path} is a record of format {form}; this version of frote reads formats {known}.")
    return dict(record)


def comparable(new: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a record says about what an earlier one tells of; one of this format is compared as a whole.

    Examples
    --------
    >>> new = {"edit": 2, "asked": {"seed": 1}, "rows": 3, "outputs": {"rules": "a", "model": "b"}}
    >>> comparable(new, {"edit": 1, "asked": {"seed": 0}, "outputs": {"rules": "a"}})
    {'edit': 1, 'asked': {'seed': 1}, 'outputs': {'rules': 'a'}}
    """
    if old["edit"] == FORMAT:
        return dict(new)
    told = {name: value for name, value in new.items() if name in old}
    for part in ("asked", "outputs"):
        told[part] = {name: value for name, value in new[part].items() if name in old[part]}
    return {**told, "edit": old["edit"]}


def differences(old: Any, new: Any, place: str = "") -> list[str]:
    """Say where two records differ; times and the names of files, whose digests count, are left out.

    Examples
    --------
    >>> differences({"a": 1, "timings": {"fit": 2}}, {"a": 3, "timings": {"fit": 1}})
    ['a: 1 before, 3 now']
    """
    if isinstance(old, dict) and isinstance(new, dict):
        return [
            line
            for name in dict.fromkeys([*old, *new])
            for here in [f"{place}.{name}" if place else name]
            if here not in OUTSIDE
            for line in differences(old.get(name), new.get(name), here)
        ]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [
            line for n, pair in enumerate(zip(old, new, strict=True)) for line in differences(*pair, f"{place}[{n}]")
        ]
    return [] if old == new else [f"{place}: {_short(old)} before, {_short(new)} now"]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."
