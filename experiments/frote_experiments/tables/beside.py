"""Our numbers beside those that the paper prints, and how many of them are alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from frote.datasets.registry import PAPER_DATASETS, paper_record
from frote_experiments.definitions import BINARY, CONFIDENCES, UNSURE, experiment
from frote_experiments.models import BATCH_SIZES
from frote_experiments.paper_values import printed_data_sets, printed_in, printed_name, printed_wins
from frote_experiments.selected import selected
from frote_experiments.tables.compared import AHEAD, TESTED, ahead, told
from frote_experiments.tables.sheets import Column, Grid, Sheet, count, mean
from frote_experiments.tables.summaries import DRAW, in_order, summarised, with_differences
from frote_experiments.verdicts import NOTHING, RULE, verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile

__all__ = ["datasets", "overlay", "probabilistic", "reproduced", "selection"]

OVERLAY_METHODS = {"overlay-soft": "Overlay-Soft", "override": "Overlay-Hard", "published": "FROTE"}
SELECTIONS = ("random", "ip")
PROPERTIES = ("rows", "features", "numeric", "nominal", "labels")


class Quantity(NamedTuple):
    """Something that the paper prints."""

    title: str
    ours: str
    printed: str


OBJECTIVE = Quantity("Objective, final - initial", "change_objective", "objective")
AGREEMENT = Quantity("Agreement, final - initial", "change_agreement", "agreement")
F1 = Quantity("F1 outside coverage, final - initial", "change_f1", "f1")
BEYOND_MODIFIED = Quantity("Objective, final - modified", "augmentation", "objective")
ROWS_ADDED = Quantity("Rows added / rows", "share_added", "rows_added")
# Where our mean lies, in the words of verdicts; of rows added, more is neither better nor worse.
PLACES = {
    "within": ("within one standard deviation",),
    "above": ("better", "more"),
    "below": ("worse", "fewer"),
    "differs": ("definition differs",),
}
SIGNS = {"same": "same sign", "other": "other sign"}


def datasets(file: ResultFile, scope: Preset) -> Sheet:  # noqa: ARG001
    """Table 1: the data sets as they are loaded, and as printed."""
    lines: list[dict[str, Any]] = []
    for name in PAPER_DATASETS:
        record = paper_record(name)
        kinds = list(record.columns.values())
        made = (record.rows, len(kinds), kinds.count("numeric"), kinds.count("nominal"), len(record.labels))
        ours, paper = dict(zip(PROPERTIES, made, strict=True)), printed_data_sets()[name]
        apart = [f"{ours[one]:,} {one}, printed {paper[one]:,}" for one in PROPERTIES if ours[one] != paper[one]]
        printed = {f"paper_{one}": paper[one] for one in PROPERTIES}
        lines.append({"data": name, **ours, **printed, "difference": "; ".join(apart) or "none"})
    columns = (
        Column("data", "data"),
        *(column for one in PROPERTIES for column in (count(one), count("printed", f"paper_{one}"))),
        Column("difference", "difference"),
    )
    note = f"{scope.said} No runs are needed here: these are the data sets as they are loaded, before any is cut down."
    return Sheet("datasets", "Properties of the data sets (Table 1)", (note,), (Grid(pd.DataFrame(lines), columns),))


def overlay(file: ResultFile, scope: Preset) -> Sheet:
    """Table 2 and the appendix: soft and hard constraints of Overlay, and FROTE, against the initial model."""
    chosen = selected(file, scope, "overlay")
    data, models = in_order(scope, BINARY)
    frame = with_differences(chosen.frame)
    frame["method"] = frame["method"].map(OVERLAY_METHODS)
    cells = [(one, model, method) for one in data for model in models for method in OVERLAY_METHODS.values()]
    tables = ("table:overlay", "table:overlay1", "table:overlay2")
    paper = printed_in(*tables)
    paper["method"] = paper["method"].map(OVERLAY_METHODS)
    hard = OVERLAY_METHODS["override"]
    why = (
        f"{hard} answers by the rules inside their coverage and by the model elsewhere, so that F1 outside coverage "
        "cannot change and agreement cannot fall; the paper's negative values cannot follow from its description. They "
        "are printed beside ours all the same, with the verdict that the definition differs."
    )
    made = _beside(frame, cells, (OBJECTIVE, AGREEMENT, F1), paper, differs=hard)
    return _sheet("overlay", (chosen.note, _source(tables), RULE, why), made, _against_soft(made, frame))


def selection(file: ResultFile, scope: Preset) -> Sheet:
    """Tables 3 to 5: base rows selected at random and by the integer program, on draws that both have been run on."""
    chosen = selected(file, scope, "selection")
    data, models = in_order(scope)
    frame = with_differences(chosen.frame)
    frame = frame[frame.groupby(DRAW)["select"].transform("nunique") == len(SELECTIONS)].assign(method=frame["select"])
    cells = [(one, model, method) for one in data for model in models for method in SELECTIONS]
    tables = ("table:IPvsAll", "table:IPvsAllTMain", "table:IPvsAllT_mra")
    quantities = (OBJECTIVE, BEYOND_MODIFIED, ROWS_ADDED, AGREEMENT, F1)
    paper = printed_in(*tables)
    made = _beside(frame, cells, quantities, paper)
    note = (
        "Only draws on which both selections have been run count. The paper's text says that its differences are "
        "against the initial model; ours against the model on modified data are shown beside the same printed values. "
        "A batch of the integer program has floor(eta / m) rows for each of m rules, 18 of 20 for three of them: "
        "*fewer rows* is counted as it is, and once more with its rows multiplied to whole batches."
    )
    return _sheet("selection", (chosen.note, _source(tables), RULE, note, TESTED), made, _against_ip(frame, scope))


def probabilistic(file: ResultFile, scope: Preset) -> Sheet:
    """Appendix: rules with a confidence, where the rows held out keep their own labels."""
    chosen = selected(file, scope, "probabilistic")
    data, _ = in_order(scope, UNSURE)
    frame = with_differences(chosen.frame)
    frame["method"] = [f"p={value}" for value in frame["confidence"]]
    cells = [(one, "LR", f"p={value}") for one in data for value in CONFIDENCES]
    table = "table:probrules"
    note = (
        "LR, one rule, no covered row in training. The rule is not in effect for the rows held out: agreement is with "
        "their own labels, inside the rule's coverage."
    )
    made = _beside(frame, cells, (AGREEMENT, OBJECTIVE), printed_in(table))
    return _sheet("probabilistic", (chosen.note, _source([table]), RULE, note), made)


def reproduced(file: ResultFile, scope: Preset) -> Sheet:
    """Count the verdicts of all pages on which our means stand beside the paper's."""
    lines, notes = [], []
    for page in (overlay, selection, probabilistic):
        sheet = page(file, scope)
        notes.append(f"{sheet.title}: {sheet.note[0].removeprefix(scope.said).strip()}")
        made = sheet.grids[0].frame
        method = made["method"].where(~made["method"].str.startswith("p="), "all p")
        for (quantity, name), part in made.groupby(["quantity", method], sort=False):
            said = [text.partition(", ")[::2] for text in part["verdict"] if text != NOTHING]
            wheres, signs = [where for where, _ in said], [sign for _, sign in said]
            lines.append(
                {"page": sheet.title, "quantity": quantity, "method": name, "values": len(said)}
                | {where: sum(map(wheres.count, words)) for where, words in PLACES.items()}
                | {f"{sign}_sign": signs.count(words) for sign, words in SIGNS.items()}
            )
    columns = (
        *(Column(what, what) for what in ("quantity", "method")),
        count("values"),
        count("within one standard deviation", "within"),
        *(count(where) for where in ("above", "below")),
        count("definition differs", "differs"),
        *(count(words, f"{sign}_sign") for sign, words in SIGNS.items()),
    )
    note = (
        "A value is the mean of one data set, model and method that the paper prints and we have run. Our mean lies "
        "within one standard deviation, as printed, of the paper's, or above it, or below it; a mean that rounds to "
        "0.000 has no sign."
    )
    grid = Grid(pd.DataFrame(lines), columns, by="page")
    return Sheet("reproduced", "How many of the paper's values we find again", (scope.said, *notes, note), (grid,))


def _beside(
    frame: pd.DataFrame,
    cells: Sequence[tuple[str, ...]],
    quantities: Iterable[Quantity],
    paper: pd.DataFrame,
    differs: str = "",
) -> pd.DataFrame:
    """Put our means beside the printed ones, quantity by quantity; one method may be another by definition."""
    keys = ["data", "model", "method"]
    parts = []
    for quantity in quantities:
        part = summarised(frame, keys, [quantity.ours], cells)
        part.columns = pd.Index([*keys, "runs", "ours_mean", "ours_std"])
        printed = paper[paper["quantity"] == quantity.printed].drop(columns="quantity")
        part = part.merge(printed, on=keys, how="left", validate="one_to_one")
        part.insert(0, "quantity", quantity.title)
        part["verdict"] = [
            verdict(ours, theirs, std, differs=method == differs, count=quantity is ROWS_ADDED)
            for ours, theirs, std, method in part[["ours_mean", "paper_mean", "paper_std", "method"]].itertuples(
                index=False, name=None
            )
        ]
        parts.append(part.assign(remark=part["remark"].fillna("")))
    return pd.concat(parts, ignore_index=True)


def _against_soft(made: pd.DataFrame, frame: pd.DataFrame) -> Grid:
    """Count the data sets and models where FROTE gains more than soft constraints, here and as printed."""
    soft, frote = OVERLAY_METHODS["overlay-soft"], OVERLAY_METHODS["published"]
    wide = frame.pivot_table(index=DRAW, columns="method", values="final_objective").reindex(columns=[frote, soft])
    line = {"what": "FROTE - Overlay-Soft, counted", **ahead(wide[frote] - wide[soft])}
    objective = made[made["quantity"] == OBJECTIVE.title].set_index(["data", "model"])
    theirs = (
        objective[objective["method"] == frote]["paper_mean"] - objective[objective["method"] == soft]["paper_mean"]
    )
    line |= {"printed": int(theirs.notna().sum()), "printed_better": int((theirs > 0).sum())}
    columns = (*AHEAD, count("cells, printed", "printed"), count("better in, printed", "printed_better"))
    return Grid(told(pd.DataFrame([line]), "what", (frote, soft)), columns, by="what", name="counted")


def _against_ip(frame: pd.DataFrame, scope: Preset) -> Grid:
    """Count where random selection is ahead of the integer program, by share of covered rows."""
    random, ip = SELECTIONS
    whole = {
        (name, rules): eta / max(1, eta // rules * rules) for name, eta in BATCH_SIZES.items() for rules in scope.sizes
    }
    same = [
        rows * (whole[line] if method == ip else 1.0)
        for rows, method, line in zip(
            frame["rows_added"], frame["select"], zip(frame["data"], frame["rules"], strict=True), strict=True
        )
    ]
    objective, rows, equal = (
        frame.assign(same=same).pivot_table(index=DRAW, columns="select", values=of).reindex(columns=list(SELECTIONS))
        for of in ("final_objective", "rows_added", "same")
    )
    lines = []
    for share in (*(f"{tcf:g}" for tcf in scope.tcfs), "all"):
        tcfs = objective.index.get_level_values("tcf")
        here = np.array([share in (f"{tcf:g}", "all") for tcf in tcfs], dtype=bool)
        at_three = objective[here].groupby(["data", "model"]).mean().round(3)
        ahead_by = at_three[random] - at_three[ip]
        lines.append(
            {
                "what": "Random - integer program, counted",
                "tcf": share,
                **ahead((objective[random] - objective[ip])[here]),
            }
            | {"wins": (ahead_by > 0).sum(), "losses": (ahead_by < 0).sum(), "ties": (ahead_by == 0).sum()}
            | {"fewer": _fewer(rows[here]), "fewer_whole": _fewer(equal[here])}
        )
    wins, losses, ties = printed_wins()
    lines.append(
        {"what": "Random - integer program, counted", "tcf": "printed", "cells": wins + losses + ties}
        | {"wins": wins, "losses": losses, "ties": ties}
    )
    columns = (
        Column("tcf", "tcf", form="g"),
        *AHEAD,
        *(count(f"{name}, three decimals", name) for name in ("wins", "losses", "ties")),
        count("integer program adds fewer rows in", "fewer"),
        count("in whole batches", "fewer_whole"),
    )
    return Grid(told(pd.DataFrame(lines), "what", SELECTIONS), columns, by="what", name="counted")


def _fewer(rows: pd.DataFrame) -> int:
    """Count the data sets and models where the integer program adds fewer rows."""
    by_cell = rows.groupby(["data", "model"]).mean()
    return int((by_cell[SELECTIONS[1]] < by_cell[SELECTIONS[0]]).sum())


def _sheet(name: str, note: tuple[str, ...], made: pd.DataFrame, *more: Grid) -> Sheet:
    remarks = tuple(
        f"{line.quantity}, {line.data} {line.model} {line.method}: {line.remark}."
        for line in made[made["remark"] != ""].itertuples()
    )
    columns = (
        *(Column(what, what) for what in ("data", "model", "method")),
        mean("ours"),
        count("runs"),
        mean("paper", form=".3f"),  # with the minus before zero where it is printed
        Column("verdict", "verdict"),
    )
    return Sheet(name, experiment(name).title, note, (Grid(made, columns, said=remarks, by="quantity"), *more))


def _source(tables: Iterable[str]) -> str:
    return f"The paper's values are those of {', '.join(printed_name(table) for table in tables)}."
