"""Single rows: one that is tried, which rule fires for it and which condition lacks; and the cases that are kept."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.coverage.cases import APART, OWN, Cases
from frote.rules.text import condition_text
from frote.rules.values import as_value, value_text
from frote.studio.errors import StudioError
from frote.table import Kind, TypedFrame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from frote.rules import RuleSet
    from frote.studio.desk import Desk
    from frote.table import Column, Table

__all__ = ["Trial", "keep_case", "remove_case", "row_texts", "texts_of_case", "try_row", "typed_row"]

MOST_CASES = 2_000


@dataclass(frozen=True, slots=True)
class Trial:
    """What a rule says of one row.

    Parameters
    ----------
    rule : str
        The rule.

    outcome : str
        What it wants.

    label : str
        The label that it makes most probable.

    conditions : tuple of (text, met)
        Its conditions, of the piece that lacks the fewest, and whether the row meets each.

    fires : bool
        Whether it covers the row.
    """

    rule: str
    outcome: str
    label: str
    conditions: tuple[tuple[str, bool], ...]
    fires: bool

    @property
    def lacking(self) -> int:
        """How many conditions the row does not meet."""
        return sum(not met for _, met in self.conditions)


def value_of(column: Column, text: str) -> Any:
    """Return what somebody wrote into a field as a value of its column; None if nothing stands there.

    Raises
    ------
    StudioError
        If it is none.

    Examples
    --------
    >>> from frote.table import Column
    >>> value_of(Column("age", Kind.INTEGER), " 29 "), value_of(Column("age", Kind.INTEGER), "")
    (29, None)
    """
    text = text.strip()
    if not text:
        return None
    if column.kind is Kind.CATEGORICAL:
        return next((level for level in column.levels if str(level) == text), text)
    try:
        if column.kind is Kind.BOOLEAN:
            return {"true": True, "false": False}[text.lower()]
        if column.kind is Kind.DATETIME:
            return pd.Timestamp(text)
        number = float(text.replace("_", "").replace(",", ""))
        whole = column.kind is Kind.INTEGER
        if not np.isfinite(number) or (whole and number != round(number)):
            raise ValueError
        return int(number) if whole else number
    except (ValueError, KeyError, OverflowError):
        wanted = {
            Kind.BOOLEAN: "true or false",
            Kind.DATETIME: "a date such as 2024-01-31",
            Kind.INTEGER: "a whole number",
        }.get(column.kind, "a number")
        raise StudioError(f"{column.name!r} holds {wanted}, and {text[:40]!r} is none.") from None


def typed_row(desk: Desk, texts: Mapping[str, str]) -> tuple[dict[str, Any], Table]:
    """Return a row that somebody wrote, as values and as a table of one row.

    Raises
    ------
    StudioError
        If a value is none of its column.
    """
    schema = desk.table.rows.table.schema
    row = {column.name: value_of(column, texts.get(column.name, "")) for column in schema}
    frame = pd.DataFrame({name: pd.Series([value], dtype=object) for name, value in row.items()})
    return row, TypedFrame.like(frame, schema, what="the case").table


def try_row(rules: RuleSet, row: Table) -> list[Trial]:
    """Say of each rule whether it covers a row, and what the row lacks; those that fire first, then the nearest.

    Examples
    --------
    >>> import frote
    >>> from frote.table import Table
    >>> rules = frote.parse_rules("young: IF age < 29 AND income > 20K THEN yes")
    >>> (trial,) = try_row(rules, Table.from_frame(pd.DataFrame({"age": [25], "income": [9000]})))
    >>> trial.fires, trial.conditions
    (False, (('age < 29', True), ('income > 20000', False)))
    """
    from frote.rules.masks import Masks, count

    masks = Masks(row)
    trials = []
    for origin in rules.origins:
        pieces = [
            tuple((condition_text(*pair)[0], bool(count(masks.packed([pair])))) for pair in piece.clause)
            for piece in rules.pieces(origin)
        ]
        nearest = min(pieces, key=lambda conditions: sum(not met for _, met in conditions))
        outcome = rules.pieces(origin)[0].outcome
        label = max(outcome.probabilities, key=lambda named: named[1])[0]
        trials.append(Trial(origin, str(outcome), label, nearest, all(met for _, met in nearest)))
    return sorted(trials, key=lambda trial: (not trial.fires, trial.lacking if not trial.fires else 0))


def row_texts(desk: Desk, place: int) -> dict[str, str]:
    """Return a row of the table as the fields of a form."""
    table = desk.table.rows.table
    return {column.name: cell_text(table, column, place) for column in table.schema}


def cell_text(table: Table, column: Column, place: int) -> str:
    """Return one cell as a person reads it; nothing if it is missing."""
    data = table[column.name]
    if column.kind.has_levels:
        code = int(data.values[place])
        level = column.levels[code] if code >= 0 else None
        if level is None:
            return ""
        return ("true" if level else "false") if column.kind is Kind.BOOLEAN else str(level)
    if data.missing is not None and data.missing[place]:
        return ""
    if column.kind is Kind.DATETIME:
        from frote.rules.values import Instant

        return str(Instant(int(data.values[place]) * column.step))
    value = data.values[place].item()
    return "" if value != value else value_text(as_value(value))


def some_places(bits: NDArray[np.uint8], rows: int, most: int) -> list[int]:
    """Return some of the rows in a mask, from all over the table."""
    places = np.flatnonzero(np.unpackbits(bits, count=rows))
    if len(places) <= most:
        return [int(place) for place in places]
    return [int(place) for place in places[np.linspace(0, len(places) - 1, most).astype(np.intp)]]


# --- cases that are kept ---


def own_names(desk: Desk) -> dict[str, str]:
    """Return what the columns of a case that are not the table's are called."""
    names = desk.table.rows.table.schema.names
    return {name: f"{APART}{name}" if name in names else name for name in OWN}


def keep_case(text: str, desk: Desk, texts: Mapping[str, str], *, name: str, expected: str, why: str) -> str:
    """Return the file of cases with one more, or with another in place of the one of that name.

    Raises
    ------
    StudioError
        If it has no name, or there are too many.
    """
    name = " ".join(name.split())
    if not name:
        raise StudioError("Give the case a name, so that it can be spoken of.")
    own, schema = own_names(desk), desk.table.rows.table.schema
    lines = _lines(text)
    header = list(dict.fromkeys([own["name"], own["expected"], own["why"], *_header(text), *schema.names]))
    case = {own["name"]: name, own["expected"]: expected, own["why"]: " ".join(why.split())}
    case |= {column.name: texts.get(column.name, "").strip() for column in schema}
    places = [place for place, line in enumerate(lines) if line.get(own["name"]) == name]
    if places:
        lines[places[0]] = case
    else:
        lines.append(case)
    if len(lines) > MOST_CASES:
        raise StudioError(f"A policy keeps at most {MOST_CASES:,} cases in the studio.")
    return _written(header, lines)


def remove_case(text: str, desk: Desk, name: str) -> str:
    """Return the file of cases without one."""
    own = own_names(desk)["name"]
    lines = _lines(text)
    left = [line for place, line in enumerate(lines) if (line.get(own) or f"case {place + 1}") != name]
    return _written(_header(text), left) if left else ""


def texts_of_case(text: str, desk: Desk, name: str) -> dict[str, str]:
    """Return the fields of a case that is kept."""
    own = own_names(desk)["name"]
    for place, line in enumerate(_lines(text)):
        if (line.get(own) or f"case {place + 1}") == name:
            return line
    raise StudioError(f"There is no case {name!r} any more.")


def cases_of(desk: Desk, path: Path) -> Cases:
    """Read the cases that are kept."""
    from frote.edits.cases import read_cases

    return read_cases(path, desk.table.rows, desk.table.y, desk.table.source)


def _header(text: str) -> list[str]:
    return list(next(csv.reader(io.StringIO(text)), []))


def _lines(text: str) -> list[dict[str, str]]:
    return [
        {name: value for name, value in line.items() if name is not None and isinstance(value, str)}
        for line in csv.DictReader(io.StringIO(text))
    ]


def _written(header: Sequence[str], lines: Sequence[Mapping[str, str]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, header, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return out.getvalue()
