"""Dot plots: what the tables say, cell by cell, with the paper's values as hollow marks beside ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import MaxNLocator, PercentFormatter, ScalarFormatter

from frote_experiments.definitions import CONFIDENCES
from frote_experiments.figures.style import DATA_NAMES, FAINT, INK, PALETTE, WIDTH, empty, marker, page, styled
from frote_experiments.tables import SHEETS
from frote_experiments.tables.beside import AGREEMENT, BEYOND_MODIFIED, OBJECTIVE, OVERLAY_METHODS, ROWS_ADDED

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile

__all__ = ["comparison", "overlay", "parts", "probabilistic", "selection"]

OURS = (PALETTE["blue"], "o")
OTHER = (PALETTE["orange"], "s")
SELECTIONS = {"random": OTHER, "ip": OURS}
LEFT = 1.95  # inches, for the names of data sets and models
HOLLOW = "Hollow marks are the paper's values"


@styled()
def overlay(file: ResultFile, scope: Preset) -> Figure:
    """Draw what Overlay's soft and hard constraints, and FROTE, add to the objective (Table 2 and the appendix)."""
    sheet = SHEETS["overlay"](file, scope)
    made = _of(sheet.grids[0].frame, OBJECTIVE.title)
    cells = made[["data", "model"]].drop_duplicates()
    figure, axes = page(
        "Overlay and FROTE",
        "Change of the objective on unseen rows against the initial model, half of the covered rows in training: "
        f"means and standard deviations. {HOLLOW}; it must define Overlay-Hard otherwise, since ours cannot lose.",
        sheet.note[0],
        (1, len(OVERLAY_METHODS)),
        height=_height(cells, 0.3),
        left=LEFT,
        legend=[marker("ours", *OURS), marker("paper", *OURS, hollow=True)],
        share=("all", "all"),
    )
    for panel, method in zip(axes[0], OVERLAY_METHODS.values(), strict=True):
        panel.set_title(method)
        panel.set_xlabel("change of the objective")
        _beside(panel, made[made["method"] == method], *OURS, offsets=(-0.15, 0.15))
    _name_cells(axes[0], cells)
    return figure


@styled()
def selection(file: ResultFile, scope: Preset) -> Figure:
    """Draw random selection of base rows against that by integer program (Tables 3 and 4)."""
    sheet = SHEETS["selection"](file, scope)
    made = sheet.grids[0].frame
    cells = made[["data", "model"]].drop_duplicates()
    figure, axes = page(
        "Selection of base rows: random and by integer program",
        "Means and standard deviations over draws that both were run on. The paper's text says that it compares with "
        f"the initial model; its values are shown beside both. {HOLLOW}.",
        sheet.note[0],
        (1, 3),
        height=_height(cells, 0.34),
        left=LEFT,
        legend=[
            marker("random, ours", *SELECTIONS["random"]),
            marker("random, paper", *SELECTIONS["random"], hollow=True),
            marker("integer program, ours", *SELECTIONS["ip"]),
            marker("integer program, paper", *SELECTIONS["ip"], hollow=True),
        ],
        share=(False, "all"),
    )
    for panel, quantity in zip(axes[0], (OBJECTIVE, BEYOND_MODIFIED, ROWS_ADDED), strict=True):
        panel.set_title(quantity.title)
        panel.set_xlabel("share of the rows" if quantity is ROWS_ADDED else "change of the objective")
        here = _of(made, quantity.title)
        if quantity is ROWS_ADDED:
            panel.xaxis.set_major_formatter(PercentFormatter(1))
        for (method, (colour, shape)), offsets in zip(SELECTIONS.items(), ((-0.3, -0.1), (0.1, 0.3)), strict=True):
            _beside(panel, here[here["method"] == method], colour, shape, offsets)
    _name_cells(axes[0], cells)
    return figure


@styled()
def comparison(file: ResultFile, scope: Preset) -> Figure:
    """Draw, for each data set and model, how the default compares with the published algorithm."""
    sheet = SHEETS["comparison"](file, scope)
    made = sheet.grids[-1].frame
    made = made[made["share"] == "Cells, both"].reset_index(drop=True)
    figure, axes = page(
        "The default against the published algorithm",
        f"Objective on unseen rows, over draws that all methods were run on ({made['runs'].sum():,} in all) and both "
        "shares of covered rows in training. Right of 0 the default is better. The override answers by the rules "
        "inside their coverage, without retraining.",
        sheet.note[0],
        (1, 3),
        height=_height(made, 0.25),
        left=LEFT,
        legend=[marker("default", *OURS), marker("published algorithm", *OTHER)],
        share=(False, "all"),
    )
    gain, distance, fits = axes[0]
    gain.set_title("Default - published")
    gain.set_xlabel("difference ± standard error")
    distance.set_title("Default - override")
    distance.set_xlabel("difference of means")
    fits.set_title("Retrainings")
    fits.set_xlabel("mean number, log axis")
    lines = np.arange(len(made))
    _marks(gain, made["gain_mean"], made["gain_error"], lines, *OURS)
    _marks(distance, made["to_override"], None, lines, *OURS)
    done = made[made["runs"] > 0]
    if len(done):
        fits.hlines(
            lines[made["runs"] > 0], done["default_fits"], done["published_fits"], color="#cccccc", linewidth=1.2
        )
    _marks(fits, made["published_fits"], None, lines, *OTHER)
    _marks(fits, made["default_fits"], None, lines, *OURS)
    fits.set_xscale("symlog", linthresh=1, linscale=0.3)  # a run may need none
    fits.set_xlim(left=0)
    fits.xaxis.set_major_formatter(ScalarFormatter())
    _name_cells(axes[0], made)
    _dashes(axes[0], lines, made["runs"])
    return figure


@styled()
def parts(file: ResultFile, scope: Preset) -> Figure:
    """Draw what the default gains over itself without one of its parts."""
    sheet = SHEETS["parts"](file, scope)
    made = sheet.grids[0].frame
    draws = dict(zip(dict.fromkeys(made["which"]), (OURS, OTHER), strict=False))
    names = list(dict.fromkeys(made["part"]))
    pairs = made.groupby("which", sort=False)["pairs"].max()
    figure, axes = page(
        "What the parts of the default are worth",
        "Gain of the default over the default changed in one part, paired by draw: objective on unseen rows, mean and "
        "standard error. Right of 0 the part is worth having.",
        sheet.note[0],
        (1, 2),
        height=max(1.6, 0.36 * len(names)),
        left=1.35,
        gaps=(0.25, 0.3),
        legend=[
            marker(f"draws that parts were {one} (at most {pairs[one]:,} pairs)", *look) for one, look in draws.items()
        ],
        share=(False, "all"),
    )
    gain, cells = axes[0]
    gain.set_title("Gain of the default")
    gain.set_xlabel("difference of the objective ± standard error")
    cells.set_title("Cells in which the default is better")
    cells.set_xlabel("share of data sets and models")
    cells.xaxis.set_major_formatter(PercentFormatter(1))
    shift = 0.14 if len(draws) > 1 else 0.0
    for offset, (one, look) in zip((-shift, shift), draws.items(), strict=False):
        here = made[made["which"] == one]
        lines = np.arange(len(names)) + offset
        _marks(gain, here["gain"], here["error"], lines, *look)
        _dashes(axes[0], lines, here["pairs"])
        _marks(cells, here["better"] / here["cells"].where(here["cells"] > 0), None, lines, *look)
    _name_lines(axes[0], names)
    if gain.has_data():
        cells.set_xlim(-0.03, 1.03)
    return figure


@styled()
def probabilistic(file: ResultFile, scope: Preset) -> Figure:
    """Draw what rules with a confidence add to agreement and to the objective (appendix)."""
    sheet = SHEETS["probabilistic"](file, scope)
    made = sheet.grids[0].frame
    data = list(dict.fromkeys(made["data"]))
    quantities = {AGREEMENT: "change of agreement", OBJECTIVE: "change of the objective"}
    figure, axes = page(
        "Probabilistic rules",
        "Change against the initial model, where the rule is wrong: unseen rows keep their own labels, and agreement "
        "is with these. Logistic regression, one rule, no covered row in training; means and standard deviations. "
        f"{HOLLOW}.",
        sheet.note[0],
        (len(quantities), max(len(data), 1)),
        height=1.9,
        gaps=(0.2, 0.45),
        legend=[marker("ours", *OURS, linestyle="-"), marker("paper", *OURS, hollow=True, linestyle=":")],
        share=("all", False),
    )
    places = np.arange(len(CONFIDENCES))
    for panels, (quantity, label) in zip(axes, quantities.items(), strict=True):
        panels[0].set_ylabel(label)
        for panel, name in zip(panels, data, strict=False):
            here = _of(made, quantity.title)
            here = here[here["data"] == name]
            if here["runs"].any():
                panel.axhline(0, color=INK, linewidth=0.8, zorder=1)
                _marks(panel, places - 0.06, None, here["ours_mean"], *OURS, up=here["ours_std"], linestyle="-")
                _marks(
                    panel,
                    places + 0.06,
                    None,
                    here["paper_mean"],
                    *OURS,
                    up=here["paper_std"],
                    linestyle=":",
                    hollow=True,
                )
    for panel, name in zip(axes[0], data, strict=False):
        panel.set_title(DATA_NAMES[name])
    for panel in axes[-1]:
        panel.set_xticks(places, [f"{p:g}" for p in CONFIDENCES])
        panel.set_xlabel("p: confidence of the rule")
    _say_empty(axes.flat)
    return figure


def _of(made: pd.DataFrame, quantity: str) -> pd.DataFrame:
    return made[made["quantity"] == quantity]


def _height(cells: pd.DataFrame, line: float) -> float:
    """Return the height of a panel with a line for each cell."""
    return max(1.2, line * len(cells))


def _beside(panel: Axes, made: pd.DataFrame, colour: str, shape: str, offsets: tuple[float, float]) -> None:
    """Draw our means and, hollow, those of the paper; nothing where there are none of ours."""
    if not made["runs"].any():
        return
    lines = np.arange(len(made))
    _dashes([panel], lines + offsets[0], made["runs"])
    _marks(panel, made["ours_mean"], made["ours_std"], lines + offsets[0], colour, shape)
    _marks(panel, made["paper_mean"], made["paper_std"], lines + offsets[1], colour, shape, hollow=True)


def _marks(
    panel: Axes,
    x: Any,
    error: Any,
    y: Any,
    colour: str,
    shape: str,
    *,
    up: Any = None,
    hollow: bool = False,
    **look: Any,
) -> None:
    """Draw marks with errors to the sides or up and down; what is missing is left out."""
    here = np.isfinite(np.asarray(x, dtype=float)) & np.isfinite(np.asarray(y, dtype=float))
    if not here.any():
        return
    sides, ups = (None if one is None else np.nan_to_num(np.asarray(one, dtype=float))[here] for one in (error, up))
    look = {"linestyle": "", "linewidth": 1.2, **look}
    panel.errorbar(
        np.asarray(x, dtype=float)[here],
        np.asarray(y, dtype=float)[here],
        xerr=sides,
        yerr=ups,
        color=colour,
        marker=shape,
        markersize=4.8,
        markerfacecolor="white" if hollow else colour,
        elinewidth=0.9,
        **look,
    )


def _dashes(axes: Any, lines: Any, runs: Any) -> None:
    """Say on which lines there is nothing, if there is something on others."""
    for panel in axes:
        for line in lines[runs == 0] if any(runs) else ():
            panel.text(0.5, line, "-", transform=panel.get_yaxis_transform(), ha="center", va="center", color=FAINT)


def _name_cells(axes: Sequence[Axes] | NDArray[Any], cells: pd.DataFrame) -> None:
    """Write the models on the left, and the data sets beside them; every other data set is on a grey ground."""
    _name_lines(axes, list(cells["model"]))
    data = cells["data"].tolist()
    for number, name in enumerate(dict.fromkeys(data)):
        first, last = data.index(name), len(data) - 1 - data[::-1].index(name)
        axes[0].text(
            -(LEFT - 0.12) / (axes[0].get_position().width * WIDTH),
            (first + last) / 2,
            DATA_NAMES[name],
            transform=axes[0].get_yaxis_transform(),
            va="center",
            fontweight="bold",
        )
        for panel in axes:
            if number % 2 == 0:
                panel.axhspan(first - 0.5, last + 0.5, color="#f5f5f5", linewidth=0, zorder=0)


def _name_lines(axes: Sequence[Axes] | NDArray[Any], names: list[str]) -> None:
    """Write names on the left, one to a line, from top to bottom; zero is marked, for what has a sign."""
    _say_empty(axes)
    axes[0].set_ylim(max(len(names), 1) - 0.5, -0.5)
    axes[0].set_yticks(range(len(names)), names)
    for panel in axes:
        panel.grid(visible=False, axis="y")
        panel.tick_params(axis="y", length=0)
        if panel.get_xscale() == "linear":
            panel.xaxis.set_major_locator(MaxNLocator(5))
        if "fference" in panel.get_xlabel() or "change" in panel.get_xlabel():
            panel.axvline(0, color=INK, linewidth=0.8, zorder=1)


def _say_empty(axes: Any) -> None:
    for panel in axes:
        if not panel.has_data():
            empty(panel)
