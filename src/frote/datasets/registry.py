"""The facts about the paper's eight data sets, read once from ``paper.json``."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from frote.exceptions import DatasetError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PAPER_DATASETS", "OpenMLSource", "PaperRecord", "paper_record"]

PAPER_DATASETS: tuple[str, ...] = (
    "adult",
    "breast_cancer",
    "nursery",
    "wine_quality_white",
    "mushroom",
    "contraceptive",
    "car",
    "splice",
)
"""The names that :func:`frote.datasets.load` knows, in the paper's order."""


@dataclass(frozen=True, slots=True)
class OpenMLSource:
    """Where a data set is on OpenML, and how its raw form there differs from ours.

    Parameters
    ----------
    id, name, version : int, str, int
        How OpenML names it.

    drop : tuple of str, default=()
        Raw columns that we leave out, by their tidied names.

    missing : {"refuse", "drop", "keep"}, default="refuse"
        What happens to missing values: an error, the row goes, or ``?`` becomes a value of its own.

    drop_labels : tuple of str, default=()
        Labels whose rows we leave out.

    rename_labels : mapping of str to str, default={}
        Raw label to our label, where OpenML has re-coded them.

    first_row : mapping of str to str, default={}
        What tells our first row among the raw ones, where OpenML starts with another part of the data;
        the rows are rotated to begin with it.

    level_order : mapping of str to tuple of str, default={}
        Where the rows are the product of their columns' levels, the order of these: rows are sorted by it.

    as_written : tuple of (int, str, str), default=()
        Row, column and text of numbers that the source does not write in their shortest form.

    Examples
    --------
    >>> from frote.datasets.registry import paper_record
    >>> source = paper_record("breast_cancer").openml
    >>> source.name, dict(source.rename_labels)
    ('wdbc', {'1': 'B', '2': 'M'})
    """

    id: int
    name: str
    version: int
    drop: tuple[str, ...] = ()
    missing: Literal["refuse", "drop", "keep"] = "refuse"
    drop_labels: tuple[str, ...] = ()
    rename_labels: Mapping[str, str] = field(default_factory=dict)
    first_row: Mapping[str, str] = field(default_factory=dict)
    level_order: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    as_written: tuple[tuple[int, str, str], ...] = ()

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> OpenMLSource:
        """Make the record of the entry ``openml`` in ``paper.json``."""
        return cls(**{key: _frozen(value) for key, value in facts.items()})


@dataclass(frozen=True, slots=True)
class PaperRecord:
    """What is known of one of the paper's data sets before it is loaded.

    Parameters
    ----------
    name, title, source, licence : str
        What it is, whose it is, and how it may be used.

    file, sha256 : str
        Its file in the folder ``FROTE_DATA``, and that file's SHA-256.

    csv_sha256 : str
        SHA-256 of the CSV text itself, uncompressed.

    rows : int
        The number of rows.

    columns : mapping of str to {"numeric", "nominal"}
        The features in order, and their kinds.

    target : str
        The label's column, the last one of the file.

    labels : mapping of str to int
        How often each label occurs.

    openml : OpenMLSource
        The same data on OpenML.

    Examples
    --------
    >>> from frote.datasets.registry import paper_record
    >>> car = paper_record("car")
    >>> car.rows, list(car.columns), car.openml.id
    (1728, ['buying', 'maint', 'doors', 'persons', 'lug_boot', 'safety'], 40975)
    """

    name: str
    title: str
    source: str
    licence: str
    file: str
    sha256: str
    csv_sha256: str
    rows: int
    columns: Mapping[str, str]
    target: str
    labels: Mapping[str, int]
    openml: OpenMLSource

    @property
    def description(self) -> str:
        """Title, source and licence as one line."""
        return f"{self.title}. {self.source}. {self.licence}."


def paper_record(name: str) -> PaperRecord:
    """Look up one of the paper's data sets.

    Parameters
    ----------
    name : str
        One of :data:`PAPER_DATASETS`.

    Returns
    -------
    PaperRecord
        The facts about it.

    Examples
    --------
    >>> paper_record("nursery").labels["very_recom"]
    328
    >>> paper_record("mushrooms")
    Traceback (most recent call last):
    ...
    frote.exceptions.DatasetError: No data set 'mushrooms'. Did you mean 'mushroom'?
    """
    records = _records()
    if name not in records:
        raise DatasetError(f"No data set {name!r}. {nearest(str(name), records)}")
    return records[name]


@cache
def _records() -> Mapping[str, PaperRecord]:
    text = resources.files("frote.datasets").joinpath("paper.json").read_text("utf-8")
    facts: dict[str, dict[str, Any]] = json.loads(text)
    return MappingProxyType({name: _record(name, facts[name]) for name in PAPER_DATASETS})


def _record(name: str, facts: dict[str, Any]) -> PaperRecord:
    openml = OpenMLSource.from_json(facts["openml"])
    plain = {key: _frozen(value) for key, value in facts.items() if key != "openml"}
    return PaperRecord(name=name, openml=openml, **plain)


def _frozen(value: Any) -> Any:
    """JSON's lists as tuples and its objects as read-only mappings: a record is shared by every caller."""
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, dict):
        return MappingProxyType({key: _frozen(item) for key, item in value.items()})
    return value
