"""Box plots of the objective on unseen rows, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.cbook import boxplot_stats
from matplotlib.ticker import MaxNLocator

from frote_experiments.definitions import CHOSEN_TCF
from frote_experiments.figures.style import DATA_NAMES, FAINT, INK, MODEL_NAMES, PALETTE, empty, page, styled, swatch
from frote_experiments.selected import selected

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile

__all__ = ["benefit", "differences", "rule_count"]

MODIFIED = {"relabel": "after relabelling", "none": "nothing modified", "drop": "after dropping"}
INITIAL, BETWEEN, FINAL = PALETTE["grey"], PALETTE["orange"], PALETTE["blue"]
READ = "Boxes show the quartiles, whiskers reach at most 1.5 box lengths further; dots are single runs"
TCF = "tcf: share of covered rows in training"
FEW_RUNS = 10  # runs; so few are drawn one by one


@styled()
def benefit(file: ResultFile, scope: Preset, modify: str) -> Figure:
    """Draw the objective of the initial, the modified and the final model over tcf (Figure 2 and its twins).

    Parameters
    ----------
    file : ResultFile
        All results.

    scope : Preset
        Which runs were wanted.

    modify : str
        How the data were modified first.

    Returns
    -------
    Figure
        A row of panels for each data set, a column for each model.

    Examples
    --------
    >>> from pathlib import Path
    >>> from frote_experiments.presets import preset
    >>> from frote_experiments.results import ResultFile
    >>> figure = benefit(ResultFile(Path("nothing.jsonl")), preset("smoke"), "relabel")
    >>> [panel.texts[0].get_text() for panel in figure.axes]
    ['no runs yet', 'no runs yet']
    """
    frame, note = _modified_by(modify, file, scope)
    return _grid(
        frame,
        scope,
        ("tcf", scope.tcfs, TCF),
        {
            "initial": (frame["initial_objective"], INITIAL),
            MODIFIED[modify]: (frame["modified_objective"], BETWEEN),
            "final": (frame["final_objective"], FINAL),
        },
        title=f"Benefit of augmentation, modification: {modify}",
        text="Objective on unseen rows of the model trained on the data as they are (initial), on the modified data, "
        f"and on the data that FROTE augmented (final). {READ}.",
        note=note,
        axis="objective on unseen rows",
    )


@styled()
def differences(file: ResultFile, scope: Preset, modify: str) -> Figure:
    """Draw what modification and augmentation add to the objective over tcf (appendix)."""
    frame, note = _modified_by(modify, file, scope)
    return _grid(
        frame,
        scope,
        ("tcf", scope.tcfs, TCF),
        {
            "modified - initial": (frame["modified_objective"] - frame["initial_objective"], BETWEEN),
            "final - modified": (frame["final_objective"] - frame["modified_objective"], FINAL),
        },
        title=f"What modification and augmentation add, modification: {modify}",
        text=f"Differences, within each run, of the objective on unseen rows. {READ}.",
        note=note,
        axis="difference of the objective",
    )


def _modified_by(modify: str, file: ResultFile, scope: Preset) -> tuple[pd.DataFrame, str]:
    """Return the results of data that were modified in one way, and a note on them."""
    chosen = selected(file, scope, "benefit")
    frame = chosen.frame[chosen.frame["modify"] == modify]
    return frame, f"{chosen.note} {len(frame):,} of them are drawn here."


@styled()
def rule_count(file: ResultFile, scope: Preset) -> Figure:
    """Draw the objective over the number of rules (Figure 3 and its twins)."""
    chosen = selected(file, scope, "rule-count")
    frame = chosen.frame
    return _grid(
        frame,
        scope,
        ("rules", scope.counts, "number of rules"),
        {
            "initial": (frame["initial_objective"], INITIAL),
            MODIFIED["relabel"]: (frame["modified_objective"], BETWEEN),
            "final": (frame["final_objective"], FINAL),
        },
        title="Number of rules",
        text=f"Objective on unseen rows by the number of rules, for tcf {CHOSEN_TCF}. {READ}; one run alone "
        "is a line. A grey dash on the axis: no run, for instance since no set of so many rules is free of conflicts.",
        note=chosen.note,
        axis="objective on unseen rows",
    )


def _grid(
    frame: pd.DataFrame,
    scope: Preset,
    over: tuple[str, Sequence[float], str],
    kinds: Mapping[str, tuple[pd.Series[float], str]],
    *,
    title: str,
    text: str,
    note: str,
    axis: str,
) -> Figure:
    """Draw a panel for each data set and model, with boxes of several kinds over the values of a setting."""
    setting, places, setting_axis = over
    figure, axes = page(
        title,
        text,
        note,
        (len(scope.data), len(scope.models)),
        height=1.3,
        left=0.95,
        gaps=(0.16, 0.16),
        legend=[swatch(name, colour) for name, (_, colour) in kinds.items()],
        share=("all", "row"),
    )
    for panels, data in zip(axes, scope.data, strict=True):
        panels[0].set_ylabel(DATA_NAMES[data], fontweight="bold")
        panels[0].yaxis.set_label_coords(-0.22, 0.5)
        panels[0].yaxis.set_major_locator(MaxNLocator(4))
        for panel, model in zip(panels, scope.models, strict=True):
            here = (frame["data"] == data) & (frame["model"] == model)
            groups = [
                [values[here & (frame[setting] == value)].dropna().to_numpy() for values, _ in kinds.values()]
                for value in places
            ]
            _boxes(panel, groups, [colour for _, colour in kinds.values()])
            if axis.startswith("difference"):
                panel.axhline(0, color=INK, linewidth=0.8, zorder=1)
    for panel, model in zip(axes[0], scope.models, strict=True):
        panel.set_title(MODEL_NAMES[model])
    for panel in axes[-1]:
        panel.set_xlim(-0.6, len(places) - 0.4)
        panel.set_xticks(range(len(places)), [f"{value:g}" for value in places])
        panel.set_xlabel(setting_axis)
    figure.supylabel(axis, x=0.012, fontsize=8.5, color=FAINT)
    return figure


def _boxes(panel: Axes, groups: list[list[NDArray[Any]]], colours: list[str]) -> None:
    """Draw the boxes of a panel: a group for each value of the setting, a colour for each kind."""
    panel.grid(visible=False, axis="x")
    panel.use_sticky_edges = False  # else bars stand on the axis
    if not any(len(values) for group in groups for values in group):
        empty(panel)
        return
    for place, group in enumerate(groups):
        if not any(len(values) for values in group):
            panel.text(place, 0.5, "-", transform=panel.get_xaxis_transform(), ha="center", va="center", color=FAINT)
    step = 0.8 / len(colours)
    for number, colour in enumerate(colours):
        places = [place for place, group in enumerate(groups) if len(group[number])]
        values = [groups[place][number] for place in places]
        x = np.array(places) + (number - (len(colours) - 1) / 2) * step
        _kind(panel, x, values, 0.82 * step, colour)


def _kind(panel: Axes, x: NDArray[Any], values: list[NDArray[Any]], width: float, colour: str) -> None:
    """Draw the boxes of one colour as a few curves; matplotlib's own have seven lines to a box."""
    stats = boxplot_stats(values, whis=1.5) if values else []
    low, q1, middle, q3, high = (
        np.array([one[name] for one in stats]) for name in ("whislo", "q1", "med", "q3", "whishi")
    )
    panel.bar(x, q3 - q1, width, bottom=q1, facecolor=f"{colour}55", edgecolor=colour, linewidth=0.9)
    tip = width / 4
    ends = np.array([(x, low, x, q1), (x, q3, x, high), (x - tip, low, x + tip, low), (x - tip, high, x + tip, high)])
    _segments(panel, *np.hstack(list(ends)), color=colour, linewidth=0.9)
    _segments(panel, x - width / 2, middle, x + width / 2, middle, color=colour, linewidth=1.8)
    dots = [inside if len(inside) < FEW_RUNS else one["fliers"] for one, inside in zip(stats, values, strict=True)]
    panel.plot(
        np.repeat(x, [len(some) for some in dots]),
        np.concatenate([*dots, []]),
        ".",
        color=colour,
        markersize=3.5,
        markeredgewidth=0,
    )


def _segments(panel: Axes, x0: Any, y0: Any, x1: Any, y1: Any, **look: Any) -> None:
    """Draw lines that do not touch as one curve with gaps."""
    gap = np.full(len(x0), np.nan)
    panel.plot(np.column_stack([x0, x1, gap]).ravel(), np.column_stack([y0, y1, gap]).ravel(), **look)
