"""What edits leave alone: by data with and without twins, and with the rules in the model."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pandas as pd

from frote_experiments.definitions import (
    AFRESH,
    CHANCE,
    CHOICE,
    CONFIRMATION,
    GUARDED,
    LAST,
    LOTS,
    THREE,
    WAYS,
    experiment,
)
from frote_experiments.selected import selected
from frote_experiments.tables.compared import TESTED, pairs_of, told
from frote_experiments.tables.sheets import Column, Grid, Sheet, count, mean
from frote_experiments.tables.summaries import DRAW, in_order, summarised, with_differences

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile

__all__ = ["chances", "loans", "locality", "many_rules", "methods", "probes", "ways"]

PLAIN = "default"
BESIDE = (PLAIN, "twins", *WAYS)
FLEXIBLE = ("RF", "LGBM")
DRAWS = ("chosen on", "confirmed on")
WITH_TWINS = ("confirmed afresh on", "confirmed last on")  # draws on which edits by data are compared with twins alone
ALL_DRAWS = dict(zip((*DRAWS, *WITH_TWINS), (CHOICE, CONFIRMATION, AFRESH, LAST), strict=True))
PART_OF = {draw: part for part, draws in ALL_DRAWS.items() for draw in draws}
SHOWN = ["agreement", "loss", "flips_outside", "flips_near", "brier", "fits", "rows_added"]
ENOUGH, LITTLE = 0.99, 0.003  # agreement and loss of F1 outside that an override is to be replaced for
TRADED = {"loss": "loss of F1 outside", "agreement": "agreement"}
MEANS = (
    count("runs"),
    mean("agreement"),
    mean("loss of F1 outside", "loss"),
    mean("flips outside", "flips_outside"),
    mean("flips near", "flips_near"),
    mean("Brier score outside, change", "brier", "+z.3f"),
    mean("retrainings", "fits", ".1f"),
    mean("rows added", "rows_added", ".0f"),
)
NOTE = (
    "All on unseen rows. *Agreement* is inside the rules; *loss of F1 outside* is that of the model as it was less "
    "that of the edited one; *flips outside* is the share of rows outside all rules that are answered otherwise than "
    "by the model as it was, *flips near* that of rows that miss a rule by one condition; the *Brier score* is over "
    "all classes, less is better. Mean ± standard deviation over runs."
)


def locality(file: ResultFile, scope: Preset) -> Sheet:
    """Edits by data: the default as it is, with twins, and with limits on what is lost."""
    chosen = selected(file, scope, "locality")
    frame = _named(chosen.frame)
    methods = [PLAIN, *GUARDED]
    _, models = in_order(scope)
    lines = [*product(DRAWS, models, methods), *product(WITH_TWINS, models, (PLAIN, "twins"))]
    by_model = summarised(frame, ["draws", "model", "method"], SHOWN, lines)
    cells = _cells(frame, scope, methods, ALL_DRAWS)
    note = (
        "*twins* makes rows outside the rules too, with the answers of the model as it was; *max loss* beside them "
        "hands back the step that agrees most among those that lose no more, on the rows that steps are compared on, "
        "and ends after 4 rejected batches in a row, where *twins* ends after 8."
    )
    grids = _grids(by_model, _halved(cells), cells, [_measured(method) for method in methods])
    return Sheet("locality", experiment("locality").title, (chosen.note, NOTE, note), grids)


def ways(file: ResultFile, scope: Preset) -> Sheet:
    """Rules put into the model, in three ways."""
    chosen = selected(file, scope, "ways")
    frame = _named(chosen.frame)
    _, models = in_order(scope)
    by_model = summarised(frame, ["draws", "model", "method"], SHOWN, product(DRAWS, models, WAYS))
    cells = _cells(frame, scope, WAYS, DRAWS)
    note = (
        "*switches* gives the model a column for each rule; *anchored* asks that model inside the rules alone, and the "
        "model as it was elsewhere; *auto* takes the first where it moves nothing, else the second."
    )
    grids = _grids(by_model, _reached(cells), cells, [_measured(way, form="z.4f") for way in WAYS])
    return Sheet("ways", experiment("ways").title, (chosen.note, NOTE, note), grids)


def _measured(method: str, **more: Any) -> tuple[Column, ...]:
    """Return the columns of a method in a table of cells."""
    measures = {"agreement": "agreement", "loss": "loss", "flips": "flips_outside"}
    return tuple(Column(f"{title}, {method}", f"{method} {value}", **more) for title, value in measures.items())


def _grids(
    by_model: pd.DataFrame, counted: Grid, cells: pd.DataFrame, measured: Iterable[tuple[Column, ...]]
) -> tuple[Grid, ...]:
    """Return tables of models, of what is counted over cells, and of all cells, measure by measure."""
    columns = (Column("data", "data"), Column("model", "model"), count("runs"))
    each = (column for columns_of_one in zip(*measured, strict=True) for column in columns_of_one)
    return (
        Grid(by_model, (Column("model", "model"), Column("method", "method"), *MEANS), by="draws", name="models"),
        counted,
        Grid(cells.assign(draws="Cells, " + cells["draws"]), (*columns, *each), by="draws", name="cells"),
    )


def methods(file: ResultFile, scope: Preset) -> Sheet:
    """Every way to edit, by share of covered rows, and its gain over the default on the draws of both."""
    both = [selected(file, scope, name) for name in ("locality", "ways")]
    frame = _named(pd.concat([one.frame for one in both], ignore_index=True)).rename(
        columns={"final_objective": "objective"}
    )
    frame = frame[frame["method"].isin(BESIDE)]
    frame["share"] = [f"{draws}, tcf {tcf:g}" for draws, tcf in zip(frame["draws"], frame["tcf"], strict=True)]
    shares = [f"{draws}, tcf {tcf:g}" for draws, tcf in product(DRAWS, scope.tcfs)]
    shown = ["objective", "agreement", "loss", "flips_outside", "fits", "rows_added"]
    means = summarised(frame, ["share", "method"], shown, product(shares, BESIDE))
    wide = frame.pivot_table(index=DRAW, columns="method", values="objective").reindex(columns=list(BESIDE))
    named = frame.drop_duplicates(DRAW).set_index(DRAW)["share"].reindex(wide.index)
    pairs = [(method, PLAIN) for method in BESIDE if method != PLAIN]
    lines = [{"share": share, **line} for share in shares for line in pairs_of(wide[named == share], pairs)]
    gains = told(pd.DataFrame(lines), "share", ("it", PLAIN)).drop(columns="second").rename(columns={"first": "method"})
    made = means.merge(gains, on=["share", "method"], how="left")
    columns = (
        Column("method", "method"),
        *(column for column in MEANS if column.value.removesuffix("_mean") in ("runs", *shown)),
        Column("gain over the default", "gain", "error", "+z.4f"),
        Column("corrected p", "corrected", form=".2g"),
        Column("ahead", "told"),
        count("better in", "better"),
    )
    columns = (columns[0], columns[1], mean("objective"), *columns[2:])
    notes = (f"{one.note}" for one in both)
    note = "Gain over the default in the objective on unseen rows, over the draws of both."
    return Sheet(
        "methods",
        "Ways to edit, tcf 0 and 0.2 apart (not in the paper)",
        (*notes, NOTE, f"{note} {TESTED}"),
        (Grid(made, columns, by="share"),),
    )


def probes(file: ResultFile, scope: Preset) -> Sheet:
    """Agreement as the loop measures it, beside that on unseen covered rows, where none was trained on."""
    chosen = selected(file, scope, "locality")
    frame = _named(chosen.frame)
    frame = frame[(frame["tcf"] == 0) & (frame["method"] == PLAIN)]
    data, models = in_order(scope)
    lines = [_correlated(frame, name, (model,)) for name, model in product(data, models)]
    lines += [_correlated(frame, name, models) for name in data]
    columns = (
        Column("data", "data"),
        Column("models", "models"),
        count("runs"),
        Column("on probes", "probes"),
        Column("on unseen covered rows", "unseen"),
        Column("mean distance", "distance"),
        Column("correlation", "correlation"),
    )
    note = (
        "Edits by the default with no covered row in training, so that agreement is measured on probes alone: their "
        "mean agreement, that on unseen rows which the rules cover, the mean distance of the two, and their "
        "correlation over draws, where both vary."
    )
    return Sheet("probes", "Probes against unseen rows", (chosen.note, note), (Grid(pd.DataFrame(lines), columns),))


def many_rules(file: ResultFile, scope: Preset) -> Sheet:
    """Ten rules at once."""
    chosen = selected(file, scope, "many-rules")
    _, models = in_order(scope)
    lines = summarised(
        _named(chosen.frame),
        ["data", "model", "method"],
        SHOWN,
        product(in_order(scope, THREE)[0], models, (PLAIN, "anchored", "auto")),
    )
    columns = (*(Column(name, name) for name in ("data", "model", "method")), *MEANS)
    return Sheet("many-rules", experiment("many-rules").title, (chosen.note, NOTE), (Grid(lines, columns),))


def chances(file: ResultFile, scope: Preset) -> Sheet:
    """How far probabilities inside rules are from what the rules say."""
    chosen = selected(file, scope, "chances")
    _, models = in_order(scope)
    shown = ["chance_error", "chance_error_initial", "agreement", "loss", "flips_outside"]
    lines = summarised(_named(chosen.frame), ["model", "method"], shown, product(models, (*LOTS, PLAIN, *WAYS)))
    columns = (
        *(Column(name, name) for name in ("model", "method")),
        count("runs"),
        mean("error of the mean probability inside", "chance_error"),
        mean("the same, model as it was", "chance_error_initial"),
        mean("loss of F1 outside", "loss"),
        mean("flips outside", "flips_outside"),
    )
    note = (
        f"Data sets of two classes, three rules with a confidence of {CHANCE}. The error is how far the mean chance "
        "of the rule's class, over the unseen rows that belong to the rule, is from the confidence; mean over rules. "
        "*lots* is the default with every label drawn by lot, as in the paper, and not by quota."
    )
    return Sheet("chances", experiment("chances").title, (chosen.note, note), (Grid(lines, columns),))


def loans(file: ResultFile, scope: Preset) -> Sheet:
    """Set side by side what ways of editing do to the forest of the demonstration."""
    chosen = selected(file, scope, "loans")
    frame = _named(chosen.frame)
    shown = ["agreement", "final_f1", "loss", "flips_outside", "fits", "rows_added"]
    methods = [(PLAIN,), ("twins",), ("auto",), ("override",)]
    lines = summarised(frame, ["method"], shown, methods)
    for name in shown:
        lines[f"{name}_error"] = lines[f"{name}_std"] / lines["runs"] ** 0.5
    columns = (
        Column("method", "method"),
        count("runs"),
        *(
            Column(title, f"{name}_mean", f"{name}_error", form)
            for title, name, form in (
                ("agreement", "agreement", "z.4f"),
                ("F1 outside", "final_f1", "z.4f"),
                ("loss of F1 outside", "loss", "z.4f"),
                ("flips outside", "flips_outside", "z.4f"),
                ("retrainings", "fits", ".1f"),
                ("rows added", "rows_added", ".0f"),
            )
        ),
    )
    note = (
        "Ten tables of 2,000 generated applications; a forest with leaves of five rows or more is trained on the first "
        "three quarters, edited with the policy, whose conflicts go to the rule that is written first, and judged on "
        "the rest. Mean ± standard error over tables."
    )
    return Sheet(
        "loans", experiment("loans").title, (f"{len(frame)} of {chosen.wanted} runs.", note), (Grid(lines, columns),)
    )


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return results with what was lost, the names of methods, and what their draws are for."""
    made = with_differences(frame)
    options = made.reindex(columns=["twins", "max_loss_outside", "patience", "label_by"]).to_dict("records")
    method = [_method(line) or way for line, way in zip(options, made["method"], strict=True)]
    return made.assign(
        method=method,
        draws=made["draw"].map(PART_OF),
        agreement=made["final_agreement"],
        loss=-made["change_f1"],
        brier=made["brier_outside"] - made["brier_outside_initial"],
    )


def _method(options: Mapping[Any, Any]) -> str:
    named = {name: value for name, value in options.items() if not pd.isna(value)}
    return next((method for method, changed in {**GUARDED, **LOTS}.items() if changed == named), "")


def _cells(frame: pd.DataFrame, scope: Preset, methods: Iterable[str], groups: Iterable[str]) -> pd.DataFrame:
    """Return a line for each data set and model, and choice or confirmation: the means of every method."""
    data, models = in_order(scope)
    lines = []
    for draws, name, model in product(groups, data, models):
        here = frame[(frame["draws"] == draws) & (frame["data"] == name) & (frame["model"] == model)]
        line: dict[str, Any] = {"draws": draws, "data": name, "model": model, "runs": len(here)}
        for method in methods:
            mine = here[here["method"] == method]
            line |= {f"{method} {value}": mine[value].mean() for value in SHOWN}
        lines.append(line)
    return pd.DataFrame(lines)


def _halved(cells: pd.DataFrame) -> Grid:
    """Say what twins do for models that can draw a box."""
    lines = []
    for draws, part in cells[cells["model"].isin(FLEXIBLE)].groupby("draws", sort=False):
        both = part.dropna(subset=[f"{PLAIN} loss", "twins loss"])
        lines.append(
            {"what": f"{' and '.join(FLEXIBLE)}, means over cells", "draws": draws, "cells": len(both)}
            | {
                f"{name}_{method}": both[f"{method} {name}"].mean()
                for name, method in product(TRADED, (PLAIN, "twins"))
            }
            | {"fewer_flips": int((both["twins flips_outside"] < both[f"{PLAIN} flips_outside"]).sum())}
        )
    columns = (
        Column("draws", "draws"),
        count("cells"),
        *(
            Column(f"{title}, {method}", f"{name}_{method}", form="z.4f")
            for name, title in TRADED.items()
            for method in (PLAIN, "twins")
        ),
        count("fewer flips with twins in", "fewer_flips"),
    )
    return Grid(pd.DataFrame(lines), columns, by="what", name="counted")


def _reached(cells: pd.DataFrame) -> Grid:
    """Say in how many cells a way agrees and loses nothing to speak of, and where it does not."""
    lines = []
    for (draws, part), way in product(cells.groupby("draws", sort=False), WAYS):
        some = part.dropna(subset=[f"{way} agreement"])
        good = (some[f"{way} agreement"] >= ENOUGH) & (some[f"{way} loss"] <= LITTLE)
        beyond = [
            f"{line['data']} {line['model']} ({line[f'{way} agreement']:.3f}, {line[f'{way} loss']:+.4f})"
            for line in some[~good].to_dict("records")
        ]
        lines.append(
            {"what": f"Agreement at least {ENOUGH} and loss at most {LITTLE}", "draws": draws, "way": way}
            | {"cells": len(some), "reached": int(good.sum()), "elsewhere": "; ".join(beyond)}
            | {"most_loss": some[f"{way} loss"].max(), "flips": some[f"{way} flips_outside"].max()}
        )
    columns = (
        *(Column(name, name) for name in ("draws", "way")),
        count("cells"),
        count("reached in", "reached"),
        Column("greatest loss", "most_loss", form="z.4f"),
        Column("most flips", "flips", form="z.4f"),
        Column("elsewhere", "elsewhere"),
    )
    return Grid(pd.DataFrame(lines), columns, by="what", name="counted")


def _correlated(frame: pd.DataFrame, data: str, models: Iterable[str]) -> dict[str, Any]:
    models = list(models)
    here = frame[(frame["data"] == data) & frame["model"].isin(models)]
    measured, unseen = here["measured_agreement"], here["agreement"]
    vary = all(len(values) > 1 and values.max() > values.min() for values in (measured, unseen))
    return {
        "data": data,
        "models": " ".join(models) if len(models) == 1 else "all",
        "runs": len(here),
        "probes": measured.mean(),
        "unseen": unseen.mean(),
        "distance": (measured - unseen).abs().mean(),
        "correlation": measured.corr(unseen) if vary else float("nan"),
    }
