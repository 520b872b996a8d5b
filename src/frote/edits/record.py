"""The record of an edit: all that it was made from and all that came of it, so that anyone can repeat it.

``edit.json`` is plain data. All but ``timings`` is the same whenever the edit is repeated with the same versions, on
the same day and by the same names of files. ``root`` is a digest of all else in it, ``files`` are those of all files
beside it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypeAlias, TypedDict

from frote.edits.order import Order, PlainOrder
from frote.exceptions import RecordError
from frote.opened import opened, read_small
from frote.plain import unwritable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from frote.report.contents import MissedRule, ModelScores, PopulationPart, SampledPart, SeedsPart

__all__ = [
    "Outputs",
    "Record",
    "RecordedStep",
    "StoredRecord",
    "TableFacts",
    "TestFacts",
    "comparable",
    "differences",
    "digest_of",
    "once",
    "read_record",
    "record_of",
    "root_of",
    "since_then",
    "write_json",
]

# 1 had no digests of models, nor twins in its steps; before 3, resolved rules spoke of more missing values; 3 had no
# objective by population; 4 had no root, and did not say how many rows were judged on.
FORMAT: Literal[5] = 5
READABLE = (1, 2, 3, 4, FORMAT)
MISSING_VALUES = 3  # the format since which resolved rules speak of them as they do now
QUOTAS = 4  # the format since which labels are given by quota, and rules without support are bounded
UNROOTED = ("timings", "root")  # what that digest is not of
# What may differ when an edit is repeated.
NOT_COMPARED = ("timings", "root", "files", "data.name", "test.name", "picked_from")


RecordedStep: TypeAlias = dict[str, float | int | bool | str | None]


class TableFacts(TypedDict):
    """A table: the name of its file, the SHA-256 of its bytes, and how many rows it has.

    `digest`: there, and "rows", where the SHA-256 is that of its rows, however these are cut into files.
    """

    name: str
    sha256: str
    rows: int
    digest: NotRequired[Literal["rows"]]


class TestFacts(TableFacts):
    """The table to judge on: how many of its rows also stand in the data, and how many rows were judged on.

    If these are `rows` less `seen`, none that stands in the data was judged on. `made`: how many of the rows judged on
    are also among those that were made, and so were trained on.
    """

    seen: int
    judged: int
    made: int


class Outputs(TypedDict):
    """The SHA-256 of what came of the edit: data, ledger, rules as used, both models, the predictions on the data.

    Of data and ledger in many files it is the digest of their rows, and predictions are of the rows that the numbers of
    users are of.
    """

    augmented: str
    ledger: str
    rules: str
    before: str
    model: str
    predictions: str


class CaseCounts(TypedDict):
    """How many cases there are, and how many the models before and after answer as expected."""

    of: int
    held: int
    hold: int


class Record(TypedDict):
    """The record of an edit, as this version writes it.

    `edit` is the number of the format; `asked`: the order; `versions`: of libraries; `steps`: a line for each step,
    with ``agreement: NAME`` and ``proposed: NAME`` for each rule; `rows`: how many were kept, relabelled, dropped,
    made; `skipped` and `in_part`: what was not done; `files`: the SHA-256 of each file of the folder. `cases`, if
    the model was tried by some: how many there are and hold. `picked_from`: where the step that `asked` names was
    taken from a finished run, the SHA-256 of the record of that run. `notices`: if something is protected, what the
    report says of rules that name it or may stand for it. `seeds`: if the edit was made with several, what the report
    says of them. `sampled`: if the data were read by parts, what the report says of the rows that decided. `root`: the
    SHA-256 of the record itself, see `root_of`. `timings`, in seconds, are all else that differs when the edit is
    repeated.
    """

    edit: Literal[5]
    asked: PlainOrder
    data: TableFacts
    test: TestFacts | None
    versions: dict[str, str]
    steps: list[RecordedStep]
    rows: dict[str, int]
    skipped: list[MissedRule]
    in_part: list[MissedRule]
    scores: ModelScores
    population: PopulationPart | None
    verdict: str
    outputs: Outputs
    files: dict[str, str]
    cases: NotRequired[CaseCounts]
    picked_from: NotRequired[str]
    notices: NotRequired[list[str]]
    seeds: NotRequired[SeedsPart]
    sampled: NotRequired[SampledPart]
    root: str
    timings: dict[str, float]


class StoredRecord(TypedDict):
    """What a record on disk is sure to have, whichever format it is of; what else it has is compared as it is."""

    edit: int
    asked: PlainOrder
    data: TableFacts
    test: TestFacts | None
    versions: dict[str, str]
    outputs: dict[str, str]
    files: NotRequired[dict[str, str]]
    root: NotRequired[str]


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with opened(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def root_of(record: Mapping[str, Any]) -> str:
    """Return the digest of a record: of all that it says but for times and this digest itself.

    It is the SHA-256 of the record as JSON in UTF-8, with names in order and no blanks, so that it does not depend on
    how the file is laid out.

    Examples
    --------
    >>> root_of({"rows": {"kept": 3}, "edit": 5, "timings": {"fit": 0.2}})[:12]
    '2b5eb6a6dfc2'
    >>> hashlib.sha256(b'{"edit":5,"rows":{"kept":3}}').hexdigest()[:12]
    '2b5eb6a6dfc2'
    """
    covered = {name: value for name, value in record.items() if name not in UNROOTED}
    text = json.dumps(covered, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def write_json(plain: Mapping[str, Any], path: Path) -> None:
    """Write plain data, readable by people too."""
    path.write_text(json.dumps(plain, indent=2, ensure_ascii=False, allow_nan=False) + "\n", "utf-8")


def read_record(path: Path) -> StoredRecord:
    """Read the record of an edit.

    Raises
    ------
    RecordError
        If it is none, or of another version of this format.
    """
    return record_of(read_small(path), path)


def record_of(content: bytes, path: Path) -> StoredRecord:
    """Return the record of an edit that some bytes are, as `read_record` does; the path is for messages."""
    try:
        record = json.loads(content.decode("utf-8"), object_pairs_hook=once)
        form = record["edit"]
        Order.of(record["asked"])
        tables = [part for part in (record["data"], record["test"]) if part is not None]
        named = all(isinstance(part[name], str) for part in tables for name in ("name", "sha256"))
        digests = [record["versions"], record["outputs"]]
        whole = tables and named and all(isinstance(one, dict) and one for one in digests)
        whole = whole and isinstance(record.get("files", {}), dict)
        fault = unwritable(record)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RecordError(f"{path} is no record of an edit, or a damaged one ({str(error)[:200]}).") from None
    if not whole or fault:
        raise RecordError(f"{path} is no record of an edit, or a damaged one{f' ({fault})' if fault else ''}.")
    if type(form) is not int or form not in READABLE:
        raise RecordError(f"{path} is a record of format {form}; this version of frote reads formats 1 to {FORMAT}.")
    stored: StoredRecord = record
    return stored


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return what stands in an object of JSON, each name of it once: of two, one reader takes the other than another.

    Examples
    --------
    >>> json.loads('{"rows": 1, "rows": 2}', object_pairs_hook=once)
    Traceback (most recent call last):
        ...
    ValueError: 'rows' stands twice in one object
    """
    plain = dict(pairs)
    if len(plain) < len(pairs):
        ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"{name!r} stands twice in one object")
    return plain


def comparable(new: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a record says about what an earlier one tells of; one of this format is compared as a whole.

    Examples
    --------
    >>> new = {"edit": 5, "asked": {"seed": 1}, "rows": 3, "outputs": {"rules": "a", "model": "b"}}
    >>> comparable(new, {"edit": 1, "asked": {"seed": 0}, "outputs": {"rules": "a"}})
    {'edit': 1, 'asked': {'seed': 1}, 'outputs': {'rules': 'a'}}
    """
    if old["edit"] == FORMAT:
        return dict(new)
    shared = {name: value for name, value in new.items() if name in old}
    for part in ("asked", "outputs", "test"):
        if isinstance(shared.get(part), dict) and isinstance(old[part], dict):
            shared[part] = _told_of(new[part], old[part])
    if "steps" in shared and isinstance(old["steps"], list):
        told = {name for line in old["steps"] if isinstance(line, dict) for name in line}
        shared["steps"] = [_told_of(line, told) for line in new["steps"]]
    return {**shared, "edit": old["edit"]}


def _told_of(new: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in new.items() if name in names}


def since_then(old: StoredRecord) -> str | None:
    """Say what is done otherwise now than when a record was written, where that may show in what came of the edit."""
    reasons = []
    if old["edit"] < MISSING_VALUES and old["asked"].get("resolve") is not None:
        reasons.append(
            f"since format {MISSING_VALUES} resolved rules speak of missing values only where a column can have some, "
            "and make none where it has none"
        )
    if old["edit"] < QUOTAS and not old["asked"].get("published"):
        reasons.append(
            f"since format {QUOTAS} labels that a rule leaves to chance are given by quota, and a rule that hardly any "
            "row satisfies gets half of a batch at most"
        )
    if not reasons:
        return None
    return (
        f"The record is of format {old['edit']}, and {'; '.join(reasons)}: with it, rules.rules and what is made by "
        "these rules may differ from the edit without anything being wrong."
    )


def differences(old: Any, new: Any, path: str = "", aside: Collection[str] = NOT_COMPARED) -> list[str]:
    """Say where two records differ; times and the names of files, whose digests count, are left out.

    Other documents are compared likewise, with other parts left `aside`.

    Examples
    --------
    >>> differences({"a": 1, "timings": {"fit": 2}}, {"a": 3, "timings": {"fit": 1}})
    ['a: 1 before, 3 now']
    """
    if isinstance(old, dict) and isinstance(new, dict):
        return [
            line
            for name in dict.fromkeys([*old, *new])
            for here in [f"{path}.{name}" if path else name]
            if here not in aside
            for line in differences(old.get(name), new.get(name), here, aside)
        ]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [line for n, pair in pairs for line in differences(*pair, f"{path}[{n}]", aside)]
    return [] if old == new else [f"{path}: {_short(old)} before, {_short(new)} now"]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."
