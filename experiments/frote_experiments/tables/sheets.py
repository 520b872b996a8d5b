"""A page with tables: raw numbers for CSV, and how they are printed as Markdown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from frote.whole import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

__all__ = ["Column", "Grid", "Sheet", "count", "mean"]

NOTHING = "-"


@dataclass(frozen=True, slots=True)
class Column:
    """How a column is printed.

    Parameters
    ----------
    title : str
        Its head.

    value : str
        The column of the frame.

    spread : str, default=""
        The column with what stands after ±.

    form : str, default="z.3f"
        How numbers are written; without a minus before zero.

    Examples
    --------
    >>> gain = Column("gain", "gain_mean", "gain_std", "+z.3f")
    >>> gain.text({"gain_mean": 0.25, "gain_std": 0.0312})
    '+0.250 ± 0.031'
    >>> gain.text({"gain_mean": 0.25, "gain_std": float("nan")}), gain.text({"gain_mean": None, "gain_std": None})
    ('+0.250', '-')
    """

    title: str
    value: str
    spread: str = ""
    form: str = "z.3f"

    def text(self, line: Mapping[Any, Any]) -> str:
        """Write a line's value, and its spread where there is one."""
        value = line[self.value]
        if isinstance(value, str):
            return value or NOTHING
        if pd.isna(value):
            return NOTHING
        written = format(value, self.form)
        if not self.spread or pd.isna(line[self.spread]):
            return written
        return f"{written} ± {format(line[self.spread], self.form.lstrip('+'))}"


def count(title: str, value: str = "") -> Column:
    """Return a column of whole numbers."""
    return Column(title, value or title, form=".0f")


def mean(title: str, value: str = "", form: str = "z.3f") -> Column:
    """Return a column of means with their standard deviations."""
    return Column(title, f"{value or title}_mean", f"{value or title}_std", form)


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """A table.

    Parameters
    ----------
    frame : DataFrame
        Raw numbers, nothing rounded; as it is, the CSV file.

    columns : tuple of Column
        What is printed, from left to right.

    said : tuple of str, default=()
        Sentences below the table.

    by : str, default=""
        The column of the frame for each of whose values there is a table of its own, with a head.

    name : str, default=""
        What the CSV file's name has after that of the page.

    Examples
    --------
    >>> grid = Grid(pd.DataFrame({"data": ["car"], "runs": [3]}), (Column("data", "data"), count("runs")))
    >>> print(grid.markdown())
    | data | runs |
    |---|---|
    | car | 3 |
    """

    frame: pd.DataFrame
    columns: tuple[Column, ...]
    said: tuple[str, ...] = ()
    by: str = ""
    name: str = ""

    def markdown(self) -> str:
        """Return the table or tables, and the sentences below."""
        blocks = [self._table(self.frame)] if not self.by else list(self._sections())
        return "\n\n".join([*blocks, *self.said])

    def _sections(self) -> Iterator[str]:
        for value, part in self.frame.groupby(self.by, sort=False):
            yield f"## {value}"
            yield self._table(part)

    def _table(self, frame: pd.DataFrame) -> str:
        head = [_row(column.title for column in self.columns), "|---" * len(self.columns) + "|"]
        lines = frame.to_dict("records")
        return "\n".join([*head, *(_row(column.text(line) for column in self.columns) for line in lines)])


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A page with tables.

    Parameters
    ----------
    name : str
        The name of its files.

    title : str
        Its head.

    note : tuple of str
        What its numbers are made of, and the rules by which it judges.

    grids : tuple of Grid
        The tables.
    """

    name: str
    title: str
    note: tuple[str, ...]
    grids: tuple[Grid, ...]

    def markdown(self) -> str:
        """Return the page."""
        return "\n\n".join([f"# {self.title}", *self.note, *(grid.markdown() for grid in self.grids)]) + "\n"

    def files(self) -> dict[str, str]:
        """Return the names and texts of its files: Markdown, and CSV for each table."""
        tables = {
            f"{self.name}-{grid.name}.csv" if grid.name else f"{self.name}.csv": grid.frame.to_csv(
                index=False, lineterminator="\n"
            )
            for grid in self.grids
        }
        return {f"{self.name}.md": self.markdown(), **tables}

    def write(self, folder: Path) -> None:
        """Write its files into a folder, which is made if it is not there."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.files().items():
            write_whole(folder / name, text.encode())


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
