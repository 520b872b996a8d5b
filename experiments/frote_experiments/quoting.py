"""Numbers on pages, taken from result tables by name: table, row and column.

A paragraph, or an item of a list, that holds numbers is followed by a comment with one entry for each of them, in their
order, with semicolons between::

    It reaches 0.979 of 1, in 222 runs.
    <!-- numbers: standard/comparison-methods[share=both, method=default].agreement_mean; 1; .runs -->

An entry is where the number stands in a CSV file of tables, or the number itself if it is no result. What is said
again may be left out: ``.runs`` is of the row before, ``[method=weights].runs`` of the table before. ``reference =
text`` says of a cell what it holds, and belongs to no number. A table is followed by a comment with a page of tables
and the head above the table, ``<!-- table: standard/parts#confirmed on -->``. Numbers in code and in addresses are left
alone. What could not be checked is refused: numbers in heads, figures within words, and counts in words.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from frote_experiments.exceptions import ExperimentError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["FOLDERS", "PAGES", "Quoted", "Tables", "quoted"]

PAGES = ("README.md", "docs/paper.md", "docs/technical_report.md", "experiments/README.md", "benchmarks/README.md")
FOLDERS = ("experiments", ".")  # in each: a preset or the benchmarks, and there the folder tables
PLAIN = "plain"  # a table that holds no results
NUMBER = re.compile(r"(?<![\w.])(?:(?<![^\s(])[+-])?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]\d+)?(?!\w)")
HIDDEN = re.compile(r"`[^`]*`|\]\([^)]*\)|<[^>]*>")  # code, addresses, tags
WORD = re.compile(r"\w*\d\w*")  # with a figure in it
NAMES = frozenset({"F1"})
_SMALL = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty"
COUNT = re.compile(rf"\b(?:{_SMALL})\s+of\s+(?:the\s+)?(?:{_SMALL})\b", re.IGNORECASE)
REFERENCE = re.compile(r"(?P<table>[\w/-]*)(?:\[(?P<row>.*)\])?\.(?P<column>\w+)")
CONDITION = re.compile(r"(\w+)=(.*?)(?:, (?=\w+=)|$)")
ITEM = re.compile(r"\s*(?:[-*]|\d+\.) ")
COMMENT = re.compile(r"<!-- (?P<kind>numbers|table): (?P<entries>.*?)\s*-->", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Quoted:
    """A page with its numbers written anew.

    Parameters
    ----------
    text : str
        The page.

    changed : int
        How many numbers and tables are not as they were.

    complaints : tuple of str
        Numbers without an entry, entries without a number, and entries that name nothing.
    """

    text: str
    changed: int
    complaints: tuple[str, ...]


class Tables:
    """The tables of results, by name.

    Parameters
    ----------
    *folders : Path
        Each has a folder ``tables`` of its own, or others in the folder of each preset, or of benchmarks.
    """

    def __init__(self, *folders: Path) -> None:
        self.folders = folders
        self._rows = cache(self._read)

    def cell(self, table: str, row: dict[str, str], column: str) -> str:
        """Return what stands in the only row that has some values."""
        lines = [line for line in self._rows(table) if all(line.get(name) == value for name, value in row.items())]
        if len(lines) != 1:
            raise ExperimentError(f"{len(lines)} rows of {table} have {row}; name one.")
        if column not in lines[0]:
            raise ExperimentError(f"{table} has no column {column}. It has {', '.join(lines[0])}.")
        return lines[0][column]

    def page(self, name: str) -> str:
        """Return the Markdown table of a page, the first below a head where one is named after #."""
        table, _, head = name.partition("#")
        text = self._path(table, ".md").read_text("utf-8")
        below = f"\n{text}".partition(f"\n## {head}\n")[2] if head else text
        block = re.search(r"(?:^\|.*\n?)+", below, re.MULTILINE)
        if block is None:
            raise ExperimentError(f"There is no table {name}.")
        return block[0].rstrip("\n")

    def _read(self, table: str) -> list[dict[str, str]]:
        with self._path(table, ".csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def _path(self, table: str, kind: str) -> Path:
        preset, _, name = table.rpartition("/")
        paths = [folder / preset / "tables" / f"{name}{kind}" for folder in self.folders]
        there = [path for path in paths if path.is_file()]
        if not there:
            raise ExperimentError(f"There is no table {table}: no file {' or '.join(map(str, paths))}.")
        return there[0]


def quoted(text: str, tables: Tables) -> Quoted:
    """Write the numbers of a page anew.

    Parameters
    ----------
    text : str
        Markdown with comments as above.

    tables : Tables
        Where the numbers are.

    Returns
    -------
    Quoted
        Where something is wrong with a paragraph, it is left as it is, and a complaint is made.
    """
    made, complaints, changed = [], list[str](), 0
    for block, comment in _blocks(text):
        try:
            new, number = _filled(block, comment, tables)
        except ExperimentError as error:
            complaints.append(f"{_beginning(block)}: {error}")
            new, number = block, 0
        changed += number
        made.append(new + comment)
    return Quoted("".join(made), changed, tuple(complaints))


def written(value: str, like: str) -> str:
    """Write a value of a table in the way of the number that stands on the page: its decimals, commas and sign.

    Examples
    --------
    >>> written("0.97862", "0.123"), written("0.0338", "-0.1234"), written("1623", "400"), written("2.04e-05", "1e-07")
    ('0.979', '+0.0338', '1,623', '2e-05')
    """
    sign = "+" if like[0] in "+-" else ""
    if "e" in like:
        return format(float(value), f"{sign}.{len(re.sub(r'e.*|[^0-9]', '', like))}g")
    decimals = len(like.partition(".")[2])
    return format(float(value), f"{sign}z{',' if abs(float(value)) >= 1000 else ''}.{decimals}f")


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Split a page into paragraphs, items of lists and tables, each with its comment, if it has one."""
    block, fenced, comment = "", False, ""
    for line in text.splitlines(keepends=True):
        if comment:
            comment += line
        elif not fenced and line.lstrip().startswith(("<!-- numbers:", "<!-- table:")):
            comment = line
        else:
            fence = line.lstrip().startswith("```")
            if not fenced and (fence or not line.strip() or ITEM.match(line) or line.startswith("#")):
                yield block, ""
                block = ""
            block += line
            if fenced and fence:
                yield block, ""
                block = ""
            fenced ^= fence
        if comment and "-->" in line:
            yield block, comment
            block, comment = "", ""
    yield block, comment


def _filled(block: str, comment: str, tables: Tables) -> tuple[str, int]:
    """Return a block with its numbers as the tables have them, and how many are new."""
    said = COMMENT.search(comment)
    entries = re.sub(r"\s+", " ", said["entries"]) if said else ""
    if block.lstrip().startswith(("```", "#")):
        if comment:
            raise ExperimentError("numbers in code and heads have no entries; take the comment away.")
        if block.startswith("#"):
            _require_none(_shown(block), "stands in a head")
        return block, 0
    if block.lstrip().startswith("|"):
        if said is None or said["kind"] != "table":
            raise ExperimentError("a table needs a comment that names it.")
        gap = block[: len(block) - len(block.lstrip())]
        new = block if entries == PLAIN else f"{gap}{tables.page(entries)}\n"
        return new, int(new != block)
    shown = _shown(block)
    numbers = list(NUMBER.finditer(shown))
    _require_none(NUMBER.sub(" ", shown), "is part of a word")
    if count := COUNT.search(shown):
        raise ExperimentError(f"the count {count[0]!r} is in words; write it in figures.")
    values = list(_values(entries, tables))
    if len(values) != len(numbers):
        there = ", ".join(number[0] for number in numbers)
        raise ExperimentError(f"{len(numbers)} numbers ({there}) have {len(values)} entries.")
    new, changed = block, 0
    for number, (value, result) in reversed(list(zip(numbers, values, strict=True))):
        if not result and value != number[0]:
            raise ExperimentError(f"the number {number[0]} has the entry {value}.")
        made = written(value, number[0]) if result else value
        changed += made != number[0]
        new = new[: number.start()] + made + new[number.end() :]
    return new, changed


def _shown(block: str) -> str:
    """Return a block with blanks for what is hidden in it."""
    return HIDDEN.sub(lambda found: " " * len(found[0]), block)


def _require_none(text: str, where: str) -> None:
    """Refuse figures that no entry could belong to."""
    left = [word for word in WORD.findall(text) if word not in NAMES]
    if left:
        raise ExperimentError(f"the number in {left[0]!r} {where}, where it is not checked.")


def _values(entries: str, tables: Tables) -> Iterator[tuple[str, bool]]:
    """Give what each entry says a number is, and whether it is a result; check what cells are said to hold."""
    table, row = "", dict[str, str]()
    for entry in filter(None, (one.strip() for one in entries.split(";"))):
        if NUMBER.fullmatch(entry):
            yield entry, False
            continue
        reference, claims, claim = entry.partition(" = ")
        parts = REFERENCE.fullmatch(reference)
        if parts is None:
            raise ExperimentError(f"{entry!r} is neither a number nor table[row].column.")
        if parts["table"]:
            table, row = parts["table"], {}
        if parts["row"]:
            row = dict(CONDITION.findall(parts["row"]))
        value = tables.cell(table, row, parts["column"])
        if not claims:
            yield value, True
        elif value != claim:
            raise ExperimentError(f"{reference} is {value!r}, and not {claim!r}: the words want another look.")


def _beginning(block: str) -> str:
    words = block.split()
    return f"“{' '.join(words[:8])}{' …' if len(words) > 8 else ''}”"
