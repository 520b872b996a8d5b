"""A report as one page of HTML that needs nothing else: no script, no network, light and dark, screen and paper."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from frote.judging.trade import MEASURES
from frote.layout import counted
from frote.report.charts import confidence_chart, frontier_chart, steps_chart
from frote.report.contents import require_report
from frote.report.figures import NONE, day, fact, score, share, signed
from frote.report.words import some_of
from frote.whole import write_whole

if TYPE_CHECKING:
    from os import PathLike

    from jinja2 import Environment
    from markupsafe import Markup

    from frote.report.contents import (
        AskedPart,
        Example,
        FairnessPart,
        Label,
        Measure,
        MeasureName,
        MovedPart,
        NumbersPart,
        Report,
        ResultPart,
    )

__all__ = ["environment", "measures_told", "render", "trade_tables", "write_report"]

NAMES = 12  # of columns in a sentence, at most; the others are counted
MATRIX = 12  # rules whose overlaps are shown as a matrix, at most


def render(summary: Report) -> str:
    """Render a report.

    Parameters
    ----------
    summary : Report
        From `gather`, or the same read back from JSON.

    Returns
    -------
    str
        One page of HTML.

    Raises
    ------
    RecordError
        If it is no report, or one of another version.

    Examples
    --------
    >>> import frote
    >>> from frote.report import gather, render
    >>> loans = frote.datasets.load_loans(300)
    >>> before = frote.default_pipeline().fit(loans.X, loans.y)
    >>> editor = frote.FROTE(rules="young: IF age < 29 THEN approved", max_fits=1, random_state=0).fit(loans.X, loans.y)
    >>> page = render(gather(editor, before, loans.X, loans.y, about={"title": "Young <applicants>"}))
    >>> page.count("<h1"), "Young &lt;applicants&gt;" in page, "<script" in page
    (1, True, False)
    """
    require_report(summary)
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            report=summary,
            overlap=_matrix(summary["asked"]),
            steps=steps_chart(summary["result"]["steps"]),
            frontier=frontier_chart(
                summary["result"]["steps"], summary["result"]["frontier"], -1 if summary["how"] == "data" else 0
            ),
            confidence=confidence_chart((summary["result"]["calibration"] or {"bins": []})["bins"]),
            measures=measures_told(summary["result"]),
            trade=trade_tables(summary["numbers"]),
            protected=_protected(summary["fairness"]),
            groups=_groups(summary["moved"]),
            examples=_examples(summary["done"]["examples"]),
        )
    )


def write_report(summary: Report, path: str | PathLike[str]) -> None:
    """Write a report as a page of HTML.

    Parameters
    ----------
    summary : Report
        From `gather`, or the same read back from JSON.

    path : str or path
        Where to write it; a file that is there is replaced.

    Examples
    --------
    >>> import tempfile, frote
    >>> from pathlib import Path
    >>> from frote.report import gather, write_report
    >>> loans = frote.datasets.load_loans(300)
    >>> before = frote.default_pipeline().fit(loans.X, loans.y)
    >>> editor = frote.FROTE(rules="young: IF age < 29 THEN approved", max_fits=1, random_state=0).fit(loans.X, loans.y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(gather(editor, before, loans.X, loans.y), Path(folder) / "edit.html")
    ...     print((Path(folder) / "edit.html").read_text("utf-8")[:15])
    <!doctype html>
    """
    write_whole(path, render(summary).encode())


@cache
def environment() -> Environment:
    """Return what pages are rendered with: every value is escaped, and numbers are written as in all of them."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # only pages need it

    pages = Environment(
        loader=PackageLoader("frote.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters |= {
        "score": score,
        "signed": signed,
        "ratio": lambda value: NONE if value is None else f"{value:.2f}",
        "share": share,
        "points": lambda value: f"{signed(100 * value, 1)} points" if value else "no shift",
        "count": lambda value: f"{value:,}",
        "of": counted,
        "each": lambda names: some_of(names, NAMES, "column"),
        "day": day,
        "parted": _parted,
        "fact": fact,
    }
    return pages


def _parted(name: str) -> Markup:
    """Let a name break between its words alone: after a dash, a dot, a slash or an underscore."""
    from markupsafe import Markup, escape

    return Markup("<wbr>").join(map(escape, re.split(r"(?<=[-_./])(?=[^-_./])", name)))


def _matrix(asked: AskedPart) -> list[dict[str, Any]]:
    """Return the rows that two rules cover as a matrix, if there are few rules; each line has its rule's name."""
    names = [rule["name"] for rule in asked["rules"]]
    if not 2 <= len(names) <= MATRIX:
        return []
    pairs = {frozenset((pair["first"], pair["second"])): pair for pair in asked["overlaps"]}
    nothing = {"rows": 0, "conflict": False}
    return [
        {
            "name": rule["name"],
            "cells": [
                {"rows": rule["rows"], "own": True, "conflict": False}
                if name == rule["name"]
                else {"own": False, **pairs.get(frozenset((rule["name"], name)), nothing)}
                for name in names
            ],
        }
        for rule in asked["rules"]
    ]


def measures_told(result: ResultPart) -> list[Measure]:
    """Return the measures that are told: of two kinds of F1 the one asked for first, and macro where it matters."""
    lines = {line["measure"]: line for line in result["measures"]}
    kinds: list[MeasureName] = ["f1_macro", "f1"] if result["leading"] == "f1_macro" else ["f1"]
    if result["uneven"] and "f1_macro" not in kinds:
        kinds.append("f1_macro")
    return [lines[measure] for measure in ("agreement", *kinds, "objective")]


def trade_tables(numbers: NumbersPart) -> dict[str, Any]:
    """Return the numbers as tables: one of all classes, one of each class; a cell for each part of the rows."""
    cells: dict[tuple[str, str], dict[str, Any]] = {}
    for line in numbers["lines"]:
        cells.setdefault((line["label"], line["measure"]), {})[line["where"]] = line
    shifts: dict[str, dict[str, Any]] = {}
    for shift in numbers["stability"]:
        shifts.setdefault(shift["label"], {})[shift["where"]] = shift["psi"]
    labels = dict.fromkeys(label for label, _ in cells if label)
    return {
        "parts": list(dict.fromkeys(line["where"] for line in numbers["lines"])),
        "all": [{"name": MEASURES[measure], "cells": found} for (label, measure), found in cells.items() if not label],
        "classes": [
            {
                "label": label,
                "lines": [
                    {"name": MEASURES[measure], "cells": found}
                    for (own, measure), found in cells.items()
                    if own == label
                ],
            }
            for label in labels
        ],
        "shifts": [{"label": label, "cells": found} for label, found in shifts.items()],
    }


def _protected(fairness: FairnessPart | None) -> list[dict[str, Any]]:
    """Return the rates by what is protected, part of the rows and group, each with its measures by name."""
    tables: dict[str, dict[str, dict[str, Any]]] = {}
    for rate in fairness["rates"] if fairness else ():
        groups = tables.setdefault(rate["protected"], {}).setdefault(rate["where"], {})
        group = groups.setdefault(rate["group"], {"words": rate["words"], "rows": rate["rows"]})
        group[rate["measure"]] = rate
    return [
        {"text": text, "parts": [{"where": where, "groups": list(groups.values())} for where, groups in parts.items()]}
        for text, parts in tables.items()
    ]


def _groups(moved: MovedPart) -> list[dict[str, Any]]:
    """Return groups by column, each with the class that its change is told by.

    Of two classes the one gains what the other loses, so the same is told for all groups: the one that most rows
    changed to. Of more, the one that moved most.
    """
    to: dict[Label, int] = {}
    for change in moved["changes"]:
        to[change["after"]] = to.get(change["after"], 0) + change["rows"]
    main = max(to, key=lambda label: to[label]) if to else None
    columns: dict[str, list[dict[str, Any]]] = {}
    for group in moved["subgroups"]:
        classes = group["classes"]
        shown = max(classes, key=lambda one: abs(one["shift"]))
        if len(classes) == 2:
            shown = next((one for one in classes if one["label"] == main), classes[0])
        columns.setdefault(group["column"], []).append({**group, "told": shown})
    return [{"column": column, "groups": groups} for column, groups in columns.items()]


def _examples(examples: list[Example]) -> list[dict[str, Any]]:
    """Return examples by rule."""
    rules: dict[str, list[Example]] = {}
    for example in examples:
        rules.setdefault(example["rule"], []).append(example)
    return [{"rule": rule, "examples": shown} for rule, shown in rules.items()]
