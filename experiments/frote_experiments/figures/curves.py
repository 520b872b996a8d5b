"""Curves: the objective while rows are added, and over settings of the algorithm."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import to_hex

from frote_experiments.definitions import CHOSEN_SIZE, CHOSEN_TCF, KS, QS
from frote_experiments.figures.style import DATA_NAMES, MODEL_NAMES, PALETTE, empty, marker, page, styled
from frote_experiments.runs import PUBLISHED
from frote_experiments.selected import selected

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile

__all__ = ["k_and_q", "progress"]

MARKS = dict(zip(DATA_NAMES, ("o", "s", "^", "D", "v", "P", "X", "p"), strict=True))
COLOURS = dict(zip(DATA_NAMES, PALETTE.values(), strict=True))


class Proposal(NamedTuple):
    """A batch that was proposed, with all accepted before it."""

    added: int
    objective: float
    accepted: bool


def proposals(steps: Sequence[Sequence[float | None]], rows: int, rows_added: int) -> list[Proposal]:
    """Return what was proposed in a run, and whether it was accepted.

    Parameters
    ----------
    steps : sequence of pairs
        For each retraining, how many rows the model was fitted to, and its objective on unseen rows.

    rows, rows_added : int
        How many rows there were at first, and how many were added in the end.

    Returns
    -------
    list of Proposal
        A batch was accepted if the next proposal is larger, the last one if the run ended with as many rows.

    Examples
    --------
    >>> [one.accepted for one in proposals([(120, 0.7), (140, 0.6), (140, 0.8)], rows=100, rows_added=40)]
    [True, False, True]
    """
    sizes = [int(size or 0) for size, _ in steps]
    accepted = [after > size for size, after in pairwise(sizes)] + [size == rows + rows_added for size in sizes[-1:]]
    return [
        Proposal(size - rows, np.nan if objective is None else objective, taken)
        for size, (_, objective), taken in zip(sizes, steps, accepted, strict=True)
    ]


@styled()
def progress(file: ResultFile, scope: Preset) -> Figure:
    """Draw the objective on unseen rows while rows are added, on Adult (appendix)."""
    chosen = selected(file, scope, "progress")
    frame = chosen.frame
    shades = [to_hex(colormaps["viridis"](share)) for share in np.linspace(0, 0.8, len(scope.tcfs))]
    figure, axes = page(
        "Augmentation progress on Adult",
        "Objective on unseen rows while rows are added: median over runs and, shaded, the range of 5 to 95 %, of what "
        "was accepted, carried forward where a run ended. Faint dots are all batches proposed, accepted or not.",
        chosen.note,
        (1, len(scope.models)),
        height=2.6,
        legend=[
            marker(f"tcf {tcf:g}", colour, "", linestyle="-", linewidth=2.5)
            for tcf, colour in zip(scope.tcfs, shades, strict=True)
        ],
        share=("all", "all"),
    )
    axes[0, 0].set_ylabel("objective on unseen rows")
    for panel, model in zip(axes[0], scope.models, strict=True):
        panel.set_title(MODEL_NAMES[model])
        panel.set_xlabel("rows added")
        for tcf, colour in zip(scope.tcfs, shades, strict=True):
            _bands(panel, frame[(frame["model"] == model) & (frame["tcf"] == tcf)], colour)
        if not len(panel.lines):
            empty(panel)
    return figure


def _bands(panel: Axes, frame: pd.DataFrame, colour: str) -> None:
    """Draw the runs of one model and tcf."""
    runs = [
        (start, proposals(steps, rows, added))
        for start, steps, rows, added in frame[["modified_objective", "steps", "rows", "rows_added"]].itertuples(
            index=False, name=None
        )
    ]
    if not runs:
        return
    tried = [one for _, steps in runs for one in steps]
    # A picture inside the SVG file: there may be some hundred thousand of them.
    panel.scatter(
        [one.added for one in tried],
        [one.objective for one in tried],
        s=5,
        color=colour,
        alpha=0.25,
        linewidths=0,
        rasterized=True,
    )
    places, curves = accepted_curves(runs)
    low, middle, high = np.nanpercentile(curves, (5, 50, 95), axis=0)
    last = 1.03 * places[-1]  # else the last step would be a vertical line at the end
    places, low, middle, high = (
        np.append(some, end) for some, end in ((places, last), (low, low[-1]), (middle, middle[-1]), (high, high[-1]))
    )
    panel.fill_between(places, low, high, step="post", color=colour, alpha=0.18, linewidth=0)
    panel.plot(places, middle, drawstyle="steps-post", color=colour, linewidth=1.8)


def accepted_curves(
    runs: Sequence[tuple[float, Sequence[Proposal]]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return, for runs given by their first objective and their proposals, what was accepted, on a common axis.

    Returns
    -------
    array of int, array of float
        Numbers of rows added, from 0 to the largest proposal; and for each run the objective there, that of the last
        accepted batch.

    Examples
    --------
    >>> first = 0.5, [Proposal(20, 0.7, True), Proposal(40, 0.1, False), Proposal(40, 0.8, True)]
    >>> places, curves = accepted_curves([first, (0.6, [Proposal(30, 0.2, False)])])
    >>> places.tolist(), curves.tolist()
    ([0, 20, 30, 40], [[0.5, 0.7, 0.7, 0.8], [0.6, 0.6, 0.6, 0.6]])
    """
    places = np.unique([0, *(one.added for _, steps in runs for one in steps)])
    kept = [[(0, start), *((one.added, one.objective) for one in steps if one.accepted)] for start, steps in runs]
    lines = [
        np.array([objective for _, objective in curve])[
            np.searchsorted([added for added, _ in curve], places, side="right") - 1
        ]
        for curve in kept
    ]
    return places, np.array(lines)


@styled()
def k_and_q(file: ResultFile, scope: Preset) -> Figure:
    """Draw the objective over the number of neighbours k and over the share of rows that may be added q."""
    chosen = selected(file, scope, "k-and-q")
    frame = chosen.frame
    settings: list[tuple[str, str, Sequence[float], str]] = [
        ("k", "oversample", KS, "k: neighbours"),
        ("oversample", "k", QS, "q: rows that may be added / rows"),
    ]
    figure, axes = page(
        "The effect of k and q",
        f"Mean objective on unseen rows over k, for q {PUBLISHED['oversample']}, and over q, for k {PUBLISHED['k']}; "
        f"{CHOSEN_SIZE} rules, tcf {CHOSEN_TCF}. Error bars are standard errors, where there are several draws.",
        chosen.note,
        (len(settings), len(scope.models)),
        height=2.3,
        gaps=(0.55, 0.2),
        legend=[marker(DATA_NAMES[data], COLOURS[data], MARKS[data], linestyle="-") for data in scope.data],
        share=("row", "all"),
    )
    for panels, (over, fixed, places, label) in zip(axes, settings, strict=True):
        panels[0].set_ylabel("objective on unseen rows")
        for panel, model in zip(panels, scope.models, strict=True):
            here = frame[(frame["model"] == model) & (frame[fixed] == PUBLISHED[fixed])]
            for data in scope.data:
                _line(panel, here[here["data"] == data], over, places, data)
            if not panel.lines:
                empty(panel)
            panel.set_xlabel(label)
            panel.set_xticks(range(len(places)), [f"{value:g}" for value in places])
            panel.set_xlim(-0.3, len(places) - 0.7)
    for panel, model in zip(axes[0], scope.models, strict=True):
        panel.set_title(MODEL_NAMES[model])
    return figure


def _line(panel: Axes, frame: pd.DataFrame, over: str, places: Sequence[float], data: str) -> None:
    """Draw the line of a data set."""
    means: Any = frame.groupby(over)["final_objective"].agg(["mean", "sem"]).reindex(list(places))
    if means["mean"].notna().any():
        panel.errorbar(
            range(len(places)),
            means["mean"],
            means["sem"].fillna(0),
            color=COLOURS[data],
            marker=MARKS[data],
            markersize=4.5,
            linewidth=1.3,
            elinewidth=0.8,
        )
