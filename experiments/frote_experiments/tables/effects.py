"""What augmentation does, over the share of covered rows, models, numbers of rules, and k and q."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pandas as pd

from frote_experiments.definitions import KS, MODIFICATIONS, QS, experiment
from frote_experiments.runs import PUBLISHED
from frote_experiments.selected import selected
from frote_experiments.significance import as_claimed, gain_of, holm
from frote_experiments.tables.compared import AHEAD, ahead, told
from frote_experiments.tables.sheets import Column, Grid, Sheet, count, mean
from frote_experiments.tables.summaries import DRAW, in_order, summarised, with_differences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile

__all__ = ["benefit", "k_and_q", "rule_count", "trends"]

STAGES = ("initial_objective", "modified_objective", "final_objective")
GAINS = ("modification", "augmentation")
FIRST = "LR"  # the model for which the paper sees most
EVERYWHERE = "all"
CLAIMED = ("as the paper says", "not as the paper says")
TOLD = (
    "A trend is told by the sign-flip test over draws, exact for up to 24: if its p is below 0.05, corrected by "
    'Holm\'s method for the data sets of a table (of *all*, for the trends of this page), it is "as the paper says" or '
    '"not as the paper says" by its sign; else it "cannot be told". From n draws no p below 2 / 2 ** n can come: '
    "three draws of a data set never tell, nor do five."
)


def benefit(file: ResultFile, scope: Preset) -> Sheet:
    """Figure 2 and its twins in numbers: the objective before and after, by modification and share of covered rows."""
    chosen = selected(file, scope, "benefit")
    by = ["modify", "data", "model", "tcf"]
    cells = product(MODIFICATIONS, *in_order(scope), scope.tcfs)
    frame = with_differences(chosen.frame)
    made = summarised(frame, by, [*STAGES, *GAINS], cells)
    columns = (
        *(Column(name, name) for name in ("data", "model")),
        Column("tcf", "tcf", form="g"),
        count("runs"),
        *_stages(),
        mean("modified - initial", "modification", "+z.3f"),
        mean("final - modified", "augmentation", "+z.3f"),
    )
    note = (
        f"Objective on unseen rows, mean ± standard deviation over runs with {_listed(scope.sizes)} rules, for each "
        "modification of the training data."
    )
    counted = "In the last table, a cell is a data set and a model, and above or below is a mean at three decimals."
    grids = (Grid(made, columns, by="modify"), _gains(frame, scope))
    return Sheet("benefit", experiment("benefit").title, (chosen.note, note, counted), grids)


def trends(file: ResultFile, scope: Preset) -> Sheet:
    """Section 5.2: what the paper sees in Figure 2, put to the test."""
    chosen = selected(file, scope, "benefit")
    frame = with_differences(chosen.frame)
    frame = frame[frame["modify"] == "relabel"]
    data, _ = in_order(scope)
    lines = pd.DataFrame(
        {"trend": trend, "data": name, **gain_of(here)._asdict()}
        for trend, pairs in _trends(frame, scope)
        for name in (*data, EVERYWHERE)
        for here in [pairs if name == EVERYWHERE else pairs[pairs.index.get_level_values("data") == name]]
    )
    families = lines["trend"].where(lines["data"] != EVERYWHERE, EVERYWHERE)
    lines["corrected"] = lines.groupby(families, sort=False)["p"].transform(lambda ps: holm(list(ps)))
    lines["found"] = [as_claimed(gain, p, CLAIMED) for gain, p in zip(lines["mean"], lines["corrected"], strict=True)]
    columns = (
        Column("data", "data"),
        Column("mean ± standard error", "mean", "error", "+z.4f"),
        count("draws"),
        Column("p", "p", form=".2g"),
        Column("corrected", "corrected", form=".2g"),
        Column("found", "found"),
    )
    note = (
        "Improvement is the objective on unseen rows, final - relabelled. One pair is one draw of rules and rows "
        "of a data set; models and shares of covered rows are averaged within it where they are not what is compared."
    )
    grid = Grid(lines, columns, by="trend")
    return Sheet("trends", "Trends that the paper sees in Figure 2 (section 5.2)", (chosen.note, note, TOLD), (grid,))


def rule_count(file: ResultFile, scope: Preset) -> Sheet:
    """Figure 3 and its twins in numbers: the objective before and after by number of rules, and the rules' labels."""
    chosen = selected(file, scope, "rule-count")
    frame = with_differences(chosen.frame)
    frame["one_label"] = (frame["labels"] == 1).astype(float)
    by = ["data", "model", "rules"]
    cells = list(product(*in_order(scope), scope.counts))
    made = summarised(frame, by, [*STAGES, *GAINS, "labels", "one_label"], cells)
    made["one_label"] = (made.pop("one_label_mean") * made["runs"]).round().astype("Int64")
    columns = (
        *(Column(name, name) for name in ("data", "model")),
        count("rules"),
        count("runs"),
        *_stages(),
        mean("final - modified", "augmentation", "+z.3f"),
        Column("labels per draw", "labels_mean", form=".1f"),
        count("draws of one label", "one_label"),
    )
    note = (
        "Objective on unseen rows, mean ± standard deviation over runs; the data are relabelled first. Rules of one "
        "label never conflict, so that large sets without conflict are mostly of one label."
    )
    grids = (Grid(made.drop(columns="one_label_std"), columns), _below(frame))
    return Sheet("rule-count", experiment("rule-count").title, (chosen.note, note), grids)


def k_and_q(file: ResultFile, scope: Preset) -> Sheet:
    """Vary k and q, one at a time: over all data sets and models, and for each."""
    chosen = selected(file, scope, "k-and-q")
    frame = with_differences(chosen.frame)
    # k is varied at the usual q, and q at the usual k.
    parts = [
        frame[frame[fixed] == PUBLISHED[fixed]].assign(parameter=name, value=frame[varied])
        for name, varied, fixed in (("k", "k", "oversample"), ("q", "oversample", "k"))
    ]
    both = pd.concat(parts, ignore_index=True).astype({"value": float})
    values = [("k", float(value)) for value in KS] + [("q", value) for value in QS]
    shown = ["final_objective", "augmentation", "share_added", "fits"]
    cells = [(*cell, *value) for cell in product(*in_order(scope)) for value in values]
    by = ["data", "model", "parameter", "value"]
    each = summarised(both, by, shown, cells)
    there = both.groupby(["data", "model", "draw", "parameter"])["value"].transform("nunique")
    over_all = summarised(both[there == both["parameter"].map({"k": len(KS), "q": len(QS)})], by[2:], shown, values)
    columns = (
        Column("parameter", "parameter"),
        Column("value", "value", form="g"),
        count("runs"),
        mean("final objective", "final_objective"),
        mean("final - modified", "augmentation", "+z.3f"),
        mean("rows added / rows", "share_added"),
        mean("retrainings", "fits", "z.1f"),
    )
    note = (
        f"Published algorithm; k is varied at q = {PUBLISHED['oversample']:g}, q at k = {PUBLISHED['k']}. First over "
        "all data sets and models, only draws that have all values of the parameter; then for each data set and model."
    )
    named = tuple(Column(name, name) for name in ("data", "model"))
    grids = (Grid(over_all, columns, name="over-all"), _spans(over_all, both), Grid(each, (*named, *columns)))
    return Sheet("k-and-q", experiment("k-and-q").title, (chosen.note, note), grids)


def _trends(frame: pd.DataFrame, scope: Preset) -> Iterator[tuple[str, pd.Series[float]]]:
    """Give each trend and its pairs: differences that are positive if the paper is right."""
    draw = ["data", "rules", "draw"]
    least, most = min(scope.tcfs), max(scope.tcfs)
    first = frame[(frame["model"] == FIRST) & (frame["tcf"] == 0)].set_index(draw)
    yield f"Improvement, {FIRST} at tcf 0", first["augmentation"]
    shares = frame.pivot_table(index=[*draw, "model"], columns="tcf", values="augmentation")
    shares = shares.reindex(columns=[least, most]).dropna()
    gap = shares[least] - shares[most]
    yield f"Improvement at tcf {least:g} - at tcf {most:g}", gap.groupby(draw).mean()
    models = frame.pivot_table(index=[*draw, "tcf"], columns="model", values="augmentation")
    for other in in_order(scope)[1]:
        if other != FIRST:
            pairs = models.reindex(columns=[FIRST, other]).dropna()
            yield f"Improvement of {FIRST} - of {other}", (pairs[FIRST] - pairs[other]).groupby(draw).mean()


def _gains(frame: pd.DataFrame, scope: Preset) -> Grid:
    """Count, for each modification and share of covered rows, where augmentation adds to the modified data."""
    lines = []
    for modify, tcf in product(MODIFICATIONS, (*scope.tcfs, None)):
        here = frame[(frame["modify"] == modify) & ((frame["tcf"] == tcf) | (tcf is None))]
        gain = here.set_index(DRAW)["augmentation"]
        by_cell = gain.groupby(["data", "model", "tcf"]).mean().round(3)
        lines.append(
            {"what": "Final - modified, counted", "modify": modify, "tcf": "all" if tcf is None else f"{tcf:g}"}
            | {**ahead(gain), "runs_below": int((gain < 0).sum())}
            | {"cells": len(by_cell), "better": int((by_cell > 0).sum()), "worse": int((by_cell < 0).sum())}
        )
    columns = (
        Column("modify", "modify"),
        Column("tcf", "tcf", form="g"),
        *AHEAD,
        count("runs below", "runs_below"),
    )
    return Grid(told(pd.DataFrame(lines), "what", ("final", "modified")), columns, by="what", name="counted")


def _below(frame: pd.DataFrame) -> Grid:
    """Count the runs that end below the modified data."""
    gain = frame["augmentation"].astype(float)
    line = {
        "what": "Final - modified, counted",
        "runs": len(gain),
        "above": (gain > 0).sum(),
        "below": (gain < 0).sum(),
    }
    columns = (count("runs"), count("above"), count("below"))
    return Grid(pd.DataFrame([line]), columns, by="what", name="counted")


def _spans(over_all: pd.DataFrame, both: pd.DataFrame) -> Grid:
    """Say how far the means of k and of q lie apart, and how many runs got as many rows as q allows."""
    full = both["rows_added"] + 1 > both["oversample"].astype(float) * both["rows"]  # not even one more row
    lines = [
        {"parameter": name, "runs": int((both["parameter"] == name).sum())}
        | {"least": part["final_objective_mean"].min(), "most": part["final_objective_mean"].max()}
        | {"full": int(full[both["parameter"] == name].sum())}
        for name, part in over_all.groupby("parameter")
    ]
    columns = (
        Column("parameter", "parameter"),
        count("runs"),
        Column("least mean objective", "least"),
        Column("greatest", "most"),
        count("runs with all rows that q allows", "full"),
    )
    return Grid(pd.DataFrame(lines), columns, name="spans")


def _stages() -> Iterator[Column]:
    return (mean(name.partition("_")[0], name) for name in STAGES)


def _listed(sizes: tuple[int, ...]) -> str:
    return ", ".join(map(str, sizes[:-1])) + (" or " if sizes[:-1] else "") + str(sizes[-1])
