"""What augmentation does, over the share of covered rows, models, numbers of rules, and k and q."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

import pandas as pd

from frote_experiments.definitions import KS, MODIFICATIONS, QS, experiment
from frote_experiments.runs import PUBLISHED
from frote_experiments.selected import selected
from frote_experiments.tables.sheets import Column, Grid, Sheet, count, mean
from frote_experiments.tables.summaries import in_order, paired, signed_rank, summarised, with_differences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile
    from frote_experiments.tables.summaries import Paired

__all__ = ["benefit", "k_and_q", "rule_count", "trends"]

STAGES = ("initial_objective", "modified_objective", "final_objective")
GAINS = ("modification", "augmentation")
FIRST = "LR"  # the model for which the paper sees most
EVERYWHERE = "all"
TOLD = (
    'A trend is told by one rule: if the mean is more than two standard errors from zero, "as the paper says" or "not '
    'as the paper says" by its sign; else it "cannot be told".'
)


def benefit(file: ResultFile, scope: Preset) -> Sheet:
    """Figure 2 and its twins in numbers: the objective before and after, by modification and share of covered rows."""
    chosen = selected(file, scope, "benefit")
    by = ["modify", "data", "model", "tcf"]
    cells = product(MODIFICATIONS, *in_order(scope), scope.tcfs)
    made = summarised(with_differences(chosen.frame), by, [*STAGES, *GAINS], cells)
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
    return Sheet("benefit", experiment("benefit").title, (chosen.note, note), (Grid(made, columns, by="modify"),))


def trends(file: ResultFile, scope: Preset) -> Sheet:
    """Section 5.2: what the paper sees in Figure 2, put to the test."""
    chosen = selected(file, scope, "benefit")
    frame = with_differences(chosen.frame)
    frame = frame[frame["modify"] == "relabel"]
    data, _ = in_order(scope)
    lines = [
        {"trend": trend, "data": name, **paired(here)._asdict(), "p": signed_rank(here), "found": _told(paired(here))}
        for trend, pairs in _trends(frame, scope)
        for name in (*data, EVERYWHERE)
        for here in [pairs if name == EVERYWHERE else pairs[pairs.index.get_level_values("data") == name]]
    ]
    columns = (
        Column("data", "data"),
        Column("mean ± standard error", "mean", "error", "+z.4f"),
        count("pairs"),
        Column("Wilcoxon p", "p", form=".2g"),
        Column("found", "found"),
    )
    note = (
        "Improvement is the objective on unseen rows, final - relabelled. One pair is one draw of rules and rows "
        "of a data set; models and shares of covered rows are averaged within it where they are not what is compared. "
        "Pairs that are equal do not count in Wilcoxon's signed-rank test, which is made where there are at least six."
    )
    grid = Grid(pd.DataFrame(lines), columns, by="trend")
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
    grid = Grid(made.drop(columns="one_label_std"), columns)
    return Sheet("rule-count", experiment("rule-count").title, (chosen.note, note), (grid,))


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
    grids = (Grid(over_all, columns, name="over-all"), Grid(each, (*named, *columns)))
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


def _told(gain: Paired) -> str:
    if not gain.pairs:
        return ""
    if math.isnan(gain.error) or abs(gain.mean) <= 2 * gain.error:
        return "cannot be told"
    return "as the paper says" if gain.mean > 0 else "not as the paper says"


def _stages() -> Iterator[Column]:
    return (mean(name.partition("_")[0], name) for name in STAGES)


def _listed(sizes: tuple[int, ...]) -> str:
    return ", ".join(map(str, sizes[:-1])) + (" or " if sizes[:-1] else "") + str(sizes[-1])
