"""What the parts of the default are worth, and the time that methods take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from frote_experiments.definitions import BINARY, PARTS, experiment
from frote_experiments.selected import selected
from frote_experiments.tables.compared import AHEAD, RUN, SPARED, TESTED, ahead, told
from frote_experiments.tables.sheets import Column, Grid, Sheet, count
from frote_experiments.tables.summaries import DRAW, in_order, with_differences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile

__all__ = ["parts", "seconds"]

WHOLE = "default"
CHOSEN_ON = 5  # draws before this one had been looked at when the default was settled


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
        {"which": said, "part": name, **_worth(wide[which], fits[which], name)}
        for said, which in (("chosen on", first), ("confirmed on", ~first))
        if which.any() or said == "chosen on"
        for name in PARTS
    ]
    columns = (
        Column("without, or with another", "part"),
        *AHEAD,
        Column("smallest gain of the default", "least", form="+z.4f"),
        Column("where", "where"),
        Column("retrainings", "fits", form=".1f"),
        Column("retrainings, default", "default_fits", form=".1f"),
    )
    made = told(pd.DataFrame(lines), "which", (WHOLE, "the other"))
    note = (
        "Gain of the default over the default changed in one part, in the objective on unseen rows, paired by draw. A "
        "cell is a data set and a model, over draws and both shares of covered rows. The parts were chosen on draws 0 "
        f"and 1, and draws before {CHOSEN_ON} were looked at since; later ones, where there are any, confirm or deny "
        f"the choice. {TESTED}"
    )
    return Sheet("parts", experiment("parts").title, (chosen.note, note), (Grid(made, columns, by="which"),))


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


def _changed() -> list[str]:
    """Return the parameters that tell parts from each other."""
    return list(dict.fromkeys(name for options in PARTS.values() for name in options))


def _part(line: Mapping[Any, Any]) -> str:
    """Return which part a run of the default is without, or that it is whole."""
    named = {name: value for name, value in line.items() if not pd.isna(value)}
    return next((part for part, options in PARTS.items() if options == named), WHOLE)


def _worth(wide: pd.DataFrame, fits: pd.DataFrame, part: str) -> dict[str, Any]:
    pairs = wide[[WHOLE, part]].dropna()
    spent = {"fits": fits.loc[pairs.index, part].mean(), "default_fits": fits.loc[pairs.index, WHOLE].mean()}
    return {**ahead(pairs[WHOLE] - pairs[part]), **spent}
