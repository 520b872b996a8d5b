"""The default against the published algorithm and simpler ways, with and without covered rows in training."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pandas as pd

from frote_experiments.definitions import CHOSEN_TCF, experiment
from frote_experiments.selected import selected
from frote_experiments.significance import Gain, as_claimed, gain_of, holm
from frote_experiments.tables.sheets import Column, Grid, Sheet, count, mean
from frote_experiments.tables.summaries import DRAW, in_order, summarised, with_differences

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile

__all__ = ["AHEAD", "RUN", "SPARED", "TESTED", "ahead", "comparison", "pairs_of", "told"]

RUN = ("weights", "published", "default", "override")
METHODS = ("initial", "relabel", *RUN)
SCORES = ("objective", "agreement", "f1")
TCFS = {"tcf 0": 0.0, "tcf 0.2": CHOSEN_TCF}
BOTH = "both"
PAIRS = (
    ("published", "relabel"),
    ("weights", "relabel"),
    ("weights", "published"),
    ("default", "published"),
    ("default", "weights"),
    ("override", "default"),
)
SPARED = (
    "Retrainings of the published algorithm are counted as it prescribes them; those that can change nothing any more "
    "are spared."
)
TESTED = (
    "A draw of rules and rows is what is counted, since all models and shares of covered rows share it: ± is the "
    "standard error over draws, and p that of a sign-flip test, exact for up to 24 draws, which turns whole draws "
    "round. It is corrected by Holm's method for all lines of a table; below 0.05, the sign tells, else it cannot be "
    "told."
)
AHEAD = (
    count("pairs"),
    count("draws"),
    Column("mean gain ± standard error", "gain", "error", "+z.4f"),
    Column("p", "p", form=".2g"),
    Column("corrected", "corrected", form=".2g"),
    Column("ahead", "told"),
    count("cells"),
    count("better in", "better"),
    count("worse in", "worse"),
)


def comparison(file: ResultFile, scope: Preset) -> Sheet:
    """Every method at each share of covered rows, pairs of methods, and each data set and model."""
    chosen = selected(file, scope, "comparison")
    frame = with_differences(chosen.frame)
    run = [method for method in RUN if (frame["method"] == method).any()]
    frame = _methods(frame[frame.groupby(DRAW)["method"].transform("nunique") == len(run)])
    wide, fits = (
        frame.pivot_table(index=DRAW, columns="method", values=of).reindex(columns=METHODS)
        for of in ("objective", "fits")
    )
    note = (
        f"Only the {len(wide):,} settings (data set, model, share of covered rows, draw) count on which all methods "
        f"have been run ({', '.join(run) or 'none yet'}). Objective on unseen rows. *override* answers by the rules "
        "inside their coverage, without retraining; *weights* "
        "relabels, and weighs covered rows by what is best in three folds of the training data. Of methods and cells, "
        f"mean ± standard deviation over runs. {SPARED}"
    )
    cell = "A cell is a data set and a model: better in so many, and worse, are means over its draws."
    methods = _by_method(frame)
    grids = (_side_by_side(methods.frame), methods, _by_pair(wide), _by_cell(wide, fits, scope))
    return Sheet("comparison", experiment("comparison").title, (chosen.note, note, f"{cell} {TESTED}"), grids)


def pairs_of(wide: pd.DataFrame, pairs: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return a line for each pair of methods, columns of a table of objectives by draw: how far the first is ahead."""
    return [{"first": first, "second": second, **ahead(wide[first] - wide[second])} for first, second in pairs]


def ahead(differences: pd.Series[float]) -> dict[str, Any]:
    """Return how far something is ahead: over all pairs, and in how many cells it is better and worse."""
    there = differences.dropna()
    gain: Gain = gain_of(there)
    by_cell = there.groupby(["data", "model"], observed=True).mean()
    named = {"pairs": gain.pairs, "draws": gain.draws, "gain": gain.mean, "error": gain.error, "p": gain.p}
    return {
        **named,
        "cells": len(by_cell),
        "better": int((by_cell > 0).sum()),
        "worse": int((by_cell < 0).sum()),
        "least": by_cell.min(),
        "where": " ".join(by_cell.index[int(by_cell.argmin())]) if len(by_cell) else "",
    }


def told(lines: pd.DataFrame, by: str, words: tuple[str, str]) -> pd.DataFrame:
    """Return lines with p corrected for all that have the same value in a column, and what they tell, by two words."""
    corrected = lines.groupby(by, sort=False)["p"].transform(lambda ps: holm(list(ps)))
    said = [as_claimed(gain, p, words) for gain, p in zip(lines["gain"].astype(float), corrected, strict=True)]
    return lines.assign(corrected=corrected, told=said)


def _by_method(frame: pd.DataFrame) -> Grid:
    named = frame.assign(share=frame["tcf"].map({value: name for name, value in TCFS.items()}))
    both = pd.concat([named, frame.assign(share=BOTH)])
    shown = [*SCORES, "fits", "rows_added"]
    made = summarised(both, ["share", "method"], shown, product((*TCFS, BOTH), METHODS))
    middle = both.groupby(["share", "method"])["fits"].median()
    made["fits_median"] = [
        middle.get((share, method)) for share, method in zip(made["share"], made["method"], strict=True)
    ]
    columns = (
        Column("method", "method"),
        count("runs"),
        mean("objective"),
        mean("agreement"),
        mean("F1 outside coverage", "f1"),
        mean("retrainings", "fits", ".1f"),
        count("median", "fits_median"),
        mean("rows added", "rows_added", ".0f"),
    )
    return Grid(made, columns, by="share", name="methods")


def _side_by_side(methods: pd.DataFrame) -> Grid:
    """Put the means of both shares of covered rows beside each other."""
    shown = {"objective": ".3f", "agreement": ".3f", "f1": ".3f", "fits": ".1f"}
    titles = {"objective": "objective", "agreement": "agreement", "f1": "F1 outside", "fits": "retrainings"}
    values = methods.set_index(["method", "share"])
    lines: list[dict[str, Any]] = [
        {"what": "Side by side", "method": method}
        | {f"{name} {share}": values.loc[(method, share), f"{name}_mean"] for name, share in product(shown, TCFS)}
        for method in METHODS
    ]
    columns = (
        Column("method", "method"),
        *(
            Column(f"{titles[name]}, {share}", f"{name} {share}", form=form)
            for name, form in shown.items()
            for share in TCFS
        ),
    )
    return Grid(pd.DataFrame(lines), columns, by="what", name="shares")


def _by_pair(wide: pd.DataFrame) -> Grid:
    parts = []
    for share in (*TCFS, BOTH):
        here = wide[wide.index.get_level_values("tcf") == TCFS[share]] if share in TCFS else wide
        parts += [{"share": f"Pairs, {share}", **line} for line in pairs_of(here, PAIRS)]
    columns = (Column("first", "first"), Column("second", "second"), *AHEAD)
    return Grid(told(pd.DataFrame(parts), "share", ("first", "second")), columns, by="share", name="pairs")


def _by_cell(wide: pd.DataFrame, fits: pd.DataFrame, scope: Preset) -> Grid:
    lines = []
    for share, name, model in product((*TCFS, BOTH), *in_order(scope)):
        data, models, tcf = (wide.index.get_level_values(level) for level in ("data", "model", "tcf"))
        here = (data == name) & (models == model) & ((tcf == TCFS[share]) if share in TCFS else True)
        cell, spent = wide[here], fits[here]
        gain = gain_of((cell["default"] - cell["published"]).dropna())
        lines.append(
            {"share": f"Cells, {share}", "data": name, "model": model, "runs": len(cell)}
            | {f"{method}_mean": cell[method].mean() for method in METHODS}
            | {f"{method}_std": cell[method].std(ddof=1) for method in METHODS}
            | {"gain_mean": gain.mean, "gain_error": gain.error}
            | {"to_override": (cell["default"] - cell["override"]).mean()}
            | {f"{method}_fits": spent[method].mean() for method in ("default", "published")}
        )
    columns = (
        *(Column(name, name) for name in ("data", "model")),
        count("runs"),
        *(mean(method) for method in METHODS),
        Column("default - published", "gain_mean", "gain_error", "+z.4f"),
        Column("default - override", "to_override", form="+z.3f"),
        *(Column(f"retrainings, {method}", f"{method}_fits", form=".1f") for method in ("default", "published")),
    )
    return Grid(pd.DataFrame(lines), columns, by="share")


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
