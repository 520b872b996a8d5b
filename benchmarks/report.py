"""Make the tables of benchmarks from their result files: python benchmarks/report.py.

The numbers of their README are taken from these tables, by ``python -m frote_experiments quote``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pandas as pd

from frote_experiments.tables.sheets import Column, Grid, Sheet
from results import FOLDER

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["sheets"]

MEASURED = tuple(
    Column(*head)
    for head in (
        ("benchmark", "benchmark"),
        ("date", "date"),
        ("commit", "commit"),
        ("cores", "cores", "", ".0f"),
        ("memory, GB", "memory", "", ".0f"),
        ("processor", "processor"),
        ("load", "load", "", ".1f"),
        ("Python", "python"),
        ("NumPy", "numpy"),
        ("pandas", "pandas"),
        ("scikit-learn", "scikit-learn"),
        ("repeats", "repeats", "", ".0f"),
    )
)
NOTE = (
    "*commit*: the one that changed the source last; *load*: how many processes wanted a core, on the mean of the "
    "quarter of an hour before it ended. What is not known of a run is left out: its numbers stood on the page before "
    "result files were written, and are of the day and the commit of that page."
)


def sheets(folder: Path = FOLDER) -> list[Sheet]:
    """Return the tables of all result files, and one that says when and where they were measured."""
    made, measured = [], []
    for path in sorted(folder.glob("*.json")):
        content: dict[str, Any] = json.loads(path.read_text("utf-8"))
        columns = tuple(Column(*head) for head in content["columns"])
        made.append(Sheet(path.stem, content["title"], (), (Grid(pd.DataFrame(content["lines"]), columns),)))
        measured.append({"benchmark": path.stem, **content["measured"], **content["versions"]})
    frame = pd.DataFrame(measured).reindex(columns=[column.value for column in MEASURED])
    return [*made, Sheet("measured", "When and where benchmarks were run", (NOTE,), (Grid(frame, MEASURED),))]


def main() -> None:
    out = FOLDER.parent / "tables"
    out.mkdir(exist_ok=True)
    for sheet in sheets():
        for name, text in sheet.files().items():
            (out / name).write_text(text, "utf-8")
            print(out / name)


if __name__ == "__main__":
    main()
