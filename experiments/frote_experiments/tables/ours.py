"""The default against the published algorithm and simpler ways, what its parts are worth, and the time it takes."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pandas as pd

from frote_experiments.definitions import BINARY, PARTS, experiment
from frote_experiments.selected import selected
from frote_experiments.tables.sheets import Column, Grid, Sheet, count, mean
from frote_experiments.tables.summaries import DRAW, in_order, paired, summarised, with_differences

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile

__all__ = ["comparison", "parts", "seconds"]

RUN = ("weights", "published", "default", "override")
METHODS = ("initial", "relabel", *RUN)
SCORES = ("objective", "agreement", "f1")
WHOLE = "default"
SPARED = (
    "Retrainings of the published algorithm are counted as it prescribes them; those that can change nothing any more "
    "are spared."
)
GAIN = Column("default - published", "gain_mean", "gain_error", "+z.4f")
CHOSEN_ON = 5  # the parts of the default were chosen on draws before this one


def comparison(file: ResultFile, scope: Preset) -> Sheet:
    """Each data set and model over both shares of covered rows, on draws that all methods have been run on."""
    chosen = selected(file, scope, "comparison")
    data, models = in_order(scope)
    frame = with_differences(chosen.frame)
    run = [method for method in RUN if (frame["method"] == method).any()]
    frame = _methods(frame[frame.groupby(DRAW)["method"].transform("nunique") == len(run)])
    wide, fits = (
        frame.pivot_table(index=DRAW, columns="method", values=of).reindex(columns=METHODS)
        for of in ("objective", "fits")
    )
    lines = []
    for name, model in product(data, models):
        here = (wide.index.get_level_values("data") == name) & (wide.index.get_level_values("model") == model)
        cell, spent = wide[here], fits[here]
        gain = paired(cell["default"] - cell["published"])
        lines.append(
            {
                "data": name,
                "model": model,
                "runs": len(cell),
                **{f"{method}_mean": cell[method].mean() for method in METHODS},
                **{f"{method}_std": cell[method].std(ddof=1) for method in METHODS},
                "gain_mean": gain.mean,
                "gain_error": gain.error,
                "to_override": (cell["default"] - cell["override"]).mean(),
                "default_fits": spent["default"].mean(),
                "published_fits": spent["published"].mean(),
            }
        )
    cells = pd.DataFrame(lines)
    columns = (
        *(Column(name, name) for name in ("data", "model")),
        count("runs"),
        *(mean(method) for method in METHODS),
        GAIN,
        Column("default - override", "to_override", form="+z.3f"),
        Column("retrainings, default", "default_fits", form=".1f"),
        Column("retrainings, published", "published_fits", form=".1f"),
    )
    note = (
        f"Only the {len(wide):,} draws count on which all methods have been run ({', '.join(run) or 'none yet'}). "
        "Objective on unseen rows, mean ± standard deviation over draws and both shares of covered rows; default - "
        "published with the standard error of the mean of pairs. *override* answers by the rules inside their "
        "coverage, without retraining; *weights* relabels, and weighs covered rows by what is best in three folds of "
        f"the training data. {SPARED}"
    )
    shown = ["agreement", "f1", "fits", "rows_added"]
    by_method = summarised(frame, ["method"], shown, [(method,) for method in METHODS])
    means = (
        Column("method", "method"),
        count("runs"),
        mean("agreement"),
        mean("F1 outside coverage", "f1"),
        mean("retrainings", "fits", ".1f"),
        mean("rows added", "rows_added", ".0f"),
    )
    grids = (Grid(cells, columns, said=tuple(_summary(cells, fits))), Grid(by_method, means, name="methods"))
    return Sheet("comparison", experiment("comparison").title, (chosen.note, note), grids)


def parts(file: ResultFile, scope: Preset) -> Sheet:
    """Compare the default with itself without one of its parts, or with another evaluation."""
    chosen = selected(file, scope, "parts")
    frame = with_differences(chosen.frame)
    frame["part"] = [_part(line) for line in frame.reindex(columns=_changed()).to_dict("records")]
    wide, fits = (
        frame.pivot_table(index=DRAW, columns="part", values=of).reindex(columns=[WHOLE, *PARTS])
        for of in ("final_objective", "fits")
    )
    first = wide.index.get_level_values("draw") < CHOSEN_ON
    lines = [
        {"draws": said, "part": name, **_worth(wide[which], fits[which], name)}
        for said, which in (("chosen on", first), ("confirmed on", ~first))
        if which.any() or said == "chosen on"
        for name in PARTS
    ]
    columns = (
        Column("without, or with another", "part"),
        count("pairs"),
        count("cells"),
        count("default better in", "better"),
        count("equal in", "equal"),
        Column("smallest gain of the default", "least", form="+z.4f"),
        Column("where", "where"),
        Column("mean gain ± standard error", "gain", "error", "+z.4f"),
        Column("retrainings", "fits", form=".1f"),
        Column("retrainings, default", "default_fits", form=".1f"),
    )
    note = (
        "Gain of the default over the default changed in one part, in the objective on unseen rows, paired by draw. A "
        "cell is a data set and a model, over draws and both shares of covered rows. The parts were chosen on draws 0 "
        f"to {CHOSEN_ON - 1}; later draws, where there are any, confirm or deny the choice."
    )
    return Sheet(
        "parts", experiment("parts").title, (chosen.note, note), (Grid(pd.DataFrame(lines), columns, by="draws"),)
    )


def seconds(file: ResultFile, scope: Preset) -> Sheet:
    """Median seconds of each method on each data set."""
    made, notes = [], []
    for name, methods in (("comparison", RUN), ("overlay", ("overlay-soft",))):
        chosen = selected(file, scope, name)
        notes.append(f"{experiment(name).title}: {chosen.note}")
        data, _ = in_order(scope, None if name == "comparison" else BINARY)
        frame = chosen.frame.astype({"data": str, "seconds": float, "spared": float, "fits": float})
        index = pd.MultiIndex.from_product([methods, data], names=["method", "data"])
        grouped = frame.groupby(["method", "data"])
        measured = {"runs": grouped["seconds"].count(), "median_seconds": grouped["seconds"].median()}
        measured["spared"] = grouped["spared"].sum() / grouped["fits"].sum()
        part = pd.DataFrame(measured).reindex(index)
        made.append(part.fillna({"runs": 0}).astype({"runs": int}).reset_index())
    columns = (
        Column("method", "method"),
        Column("data", "data"),
        count("runs"),
        Column("median seconds", "median_seconds", form=".2f"),
        Column("retrainings spared", "spared", form=".0%"),
    )
    note = (
        "Median over all models and draws, from training rows to the edited model, its first fit included. "
        f"{SPARED} Seconds depend on the machine and on what else it did: this is the only page that changes when runs "
        "are made again."
    )
    return Sheet("seconds", "Seconds", (*notes, note), (Grid(pd.concat(made, ignore_index=True), columns),))


def _methods(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each method and draw; every run has scores of the initial model and after relabelling."""
    one_each = frame.drop_duplicates(DRAW)
    made = [
        one_each[DRAW].assign(
            **{name: one_each[f"{stage}_{name}"] for name in SCORES},
            method=method,
            fits=fits,
            rows_added=0.0,
        )
        for stage, method, fits in (("initial", "initial", 0.0), ("modified", "relabel", 1.0))
    ]
    final = frame[[*DRAW, "method", "fits", "rows_added"]].assign(**{name: frame[f"final_{name}"] for name in SCORES})
    return pd.concat([*made, final], ignore_index=True)


def _summary(cells: pd.DataFrame, fits: pd.DataFrame) -> Iterator[str]:
    some = cells[cells["gain_mean"].notna()]
    if some.empty:
        yield "There is no draw yet on which both the default and the published algorithm have been run."
        return
    losses = some[some["gain_mean"] < 0]
    listed = "; ".join(f"{line['data']} {line['model']} ({GAIN.text(line)})" for line in losses.to_dict("records"))
    yield (
        f"The default is at least as good as the published algorithm in {len(some) - len(losses)} of {len(some)} "
        f"cells; below: {listed or 'none'}."
    )
    yield f"Retrainings: {fits['default'].median():.0f} against {fits['published'].median():.0f} (medians)."


def _changed() -> list[str]:
    """Return the parameters that tell parts from each other."""
    return list(dict.fromkeys(name for options in PARTS.values() for name in options))


def _part(line: Mapping[Any, Any]) -> str:
    """Return which part a run of the default is without, or that it is whole."""
    named = {name: value for name, value in line.items() if not pd.isna(value)}
    return next((part for part, options in PARTS.items() if options == named), WHOLE)


def _worth(wide: pd.DataFrame, fits: pd.DataFrame, part: str) -> dict[str, Any]:
    pairs = wide[[WHOLE, part]].dropna()
    gain = pairs[WHOLE] - pairs[part]
    by_cell = gain.groupby(["data", "model"]).mean()
    over_all = paired(gain)
    return {
        "pairs": over_all.pairs,
        "cells": len(by_cell),
        "better": int((by_cell > 0).sum()),
        "equal": int((by_cell == 0).sum()),
        "least": by_cell.min(),
        "where": " ".join(by_cell.index[int(by_cell.argmin())]) if len(by_cell) else "",
        "gain": over_all.mean,
        "error": over_all.error,
        "fits": fits.loc[pairs.index, part].mean(),
        "default_fits": fits.loc[pairs.index, WHOLE].mean(),
    }
