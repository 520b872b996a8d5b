"""How figures look: one palette, one page with title, legend and a line that says what the figure is made from."""

from __future__ import annotations

import textwrap
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import matplotlib.style
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = [
    "DATA_NAMES",
    "FAINT",
    "INK",
    "MODEL_NAMES",
    "PALETTE",
    "empty",
    "marker",
    "page",
    "save",
    "styled",
    "swatch",
]

# The palette of Okabe and Ito, which people with any kind of colour vision can tell apart.
PALETTE = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "red": "#D55E00",
    "purple": "#CC79A7",
    "sky": "#56B4E9",
    "black": "#222222",
    "grey": "#999999",
}
INK, FAINT = "#222222", "#777777"
DATA_NAMES = {
    "breast_cancer": "Breast Cancer",
    "car": "Car",
    "contraceptive": "Contraceptive",
    "mushroom": "Mushroom",
    "splice": "Splice",
    "nursery": "Nursery",
    "wine_quality_white": "Wine Quality (white)",
    "adult": "Adult",
}
MODEL_NAMES = {"LR": "Logistic regression", "RF": "Random forest", "LGBM": "LightGBM"}

WIDTH = 9.0  # inches; all lengths below are too
MARGIN, RIGHT = 0.12, 0.25
TITLE, TEXT, LEGEND, PANEL_TITLE, AXIS, CAPTION = 0.36, 0.19, 0.30, 0.26, 0.52, 0.15
LOOK = {
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.labelsize": 8.5,
    "axes.titleweight": "bold",
    "axes.edgecolor": "#b0b0b0",
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.ymargin": 0.08,
    "grid.color": "#e8e8e8",
    "grid.linewidth": 0.7,
    "text.color": INK,
    "xtick.color": "#b0b0b0",
    "ytick.color": "#b0b0b0",
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "hatch.linewidth": 0.6,
    "svg.hashsalt": "frote",  # else the names inside a file are drawn by chance
}
# Dates and versions of matplotlib are left out.
FORMATS: dict[str, dict[str, Any]] = {
    ".svg": {"metadata": {"Date": None, "Creator": None}},
    ".png": {"metadata": {"Software": None}, "dpi": 150},
}


@contextmanager
def styled() -> Iterator[None]:
    """Let matplotlib look like this, whatever the user's settings, and as before afterwards."""
    with matplotlib.style.context(["default", LOOK]):
        yield


def page(
    title: str,
    text: str,
    note: str,
    shape: tuple[int, int],
    *,
    height: float,
    left: float = 0.75,
    gaps: tuple[float, float] = (0.25, 0.25),
    legend: Sequence[Any] = (),
    share: tuple[Any, Any] = (False, False),
) -> tuple[Figure, NDArray[Any]]:
    """Return a figure and its panels.

    Parameters
    ----------
    title, text : str
        What is shown, in a few words and in a sentence.

    note : str
        Where the numbers come from; it stands at the bottom.

    shape : tuple of int
        Rows and columns of panels.

    height : float
        Of a panel, in inches.

    left : float, default=0.75
        What labels on the left need, in inches.

    gaps : tuple of float, default=(0.25, 0.25)
        Between rows and between columns, in inches.

    legend : sequence of artists, default=()
        What the legend explains.

    share : tuple, default=(False, False)
        Which panels have one x axis and one y axis, in matplotlib's words.

    Returns
    -------
    Figure, array of Axes
        The panels always as a matrix.
    """
    said, small = textwrap.wrap(text, 138), textwrap.wrap(note, 164)
    top = MARGIN + TITLE + TEXT * len(said) + (LEGEND if legend else 0.05) + PANEL_TITLE
    bottom = MARGIN + CAPTION * len(small) + AXIS
    rows, columns = shape
    whole = top + bottom + rows * height + (rows - 1) * gaps[0]
    panel = (WIDTH - left - RIGHT - (columns - 1) * gaps[1]) / columns
    figure = Figure(figsize=(WIDTH, whole))
    axes: NDArray[Any] = figure.subplots(
        rows,
        columns,
        squeeze=False,
        sharex=share[0],
        sharey=share[1],
        gridspec_kw={
            "left": left / WIDTH,
            "right": 1 - RIGHT / WIDTH,
            "top": 1 - top / whole,
            "bottom": bottom / whole,
            "hspace": gaps[0] / height,
            "wspace": gaps[1] / panel,
        },
    )
    x, y = MARGIN / WIDTH, 1 - MARGIN / whole
    figure.text(x, y, title, va="top", fontsize=12, fontweight="bold")
    figure.text(x, y - 0.29 / whole, "\n".join(said), va="top", color=FAINT, linespacing=1.35)
    if legend:
        figure.legend(
            handles=list(legend),
            loc="upper left",
            bbox_to_anchor=(x, 1 - (MARGIN + TITLE + TEXT * len(said)) / whole),
            ncols=len(legend),
            borderpad=0,
            borderaxespad=0.2,
            handletextpad=0.5,
            columnspacing=1.6,
        )
    figure.text(x, MARGIN / whole, "\n".join(small), va="bottom", fontsize=7, color=FAINT, linespacing=1.3)
    return figure, axes


def empty(axes: Axes) -> None:
    """Say in a panel that there is nothing to show."""
    axes.text(0.5, 0.5, "no runs yet", transform=axes.transAxes, ha="center", va="center", color=FAINT, style="italic")
    axes.grid(visible=False)


def swatch(label: str, colour: str) -> Patch:
    """Return an entry of a legend for an area."""
    return Patch(facecolor=f"{colour}55", edgecolor=colour, label=label)


def marker(label: str, colour: str, shape: str = "o", *, hollow: bool = False, **more: Any) -> Line2D:
    """Return an entry of a legend for a mark."""
    more = {"linestyle": "", "markersize": 6, **more}
    return Line2D(
        [], [], color=colour, marker=shape, markerfacecolor="white" if hollow else colour, label=label, **more
    )


def save(figure: Figure, path: Path) -> list[Path]:
    """Write a figure as SVG and PNG, the same bytes for the same figure.

    Parameters
    ----------
    figure : Figure
        What to write.

    path : Path
        Where to, without an ending.

    Returns
    -------
    list of Path
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    written = {path.with_suffix(ending): more for ending, more in FORMATS.items()}
    with styled():
        for one, more in written.items():
            figure.savefig(one, **more)
    return list(written)
