"""Figure 1: a boundary that is moved, and a region without data that is filled; both computed, not drawn by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.patches import Patch, Rectangle
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from frote.estimators.sampler import FROTE
from frote_experiments.figures.style import INK, PALETTE, marker, page, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile

__all__ = ["illustration"]

AGES, INCOMES = (20, 70), (20, 120)
COLOURS = {"denied": PALETTE["orange"], "approved": PALETTE["blue"]}
SHAPES = {"denied": "s", "approved": "o"}
LOOKS: dict[str, dict[str, Any]] = {
    "kept": {"edgecolors": "white", "linewidths": 0.4, "s": 18},
    "relabelled": {"edgecolors": INK, "linewidths": 1.2, "s": 26},
    "synthetic": {"shape": "*", "edgecolors": INK, "linewidths": 0.6, "s": 52},
}
FINE = 100  # points along each side of the plane at which the model is asked


class Story(NamedTuple):
    """A rule, the corner of the plane that it covers, and what a panel says about it."""

    title: str
    rule: str
    ages: tuple[float, float]
    incomes: tuple[float, float]


STORIES = (
    Story(
        "The rule moves the boundary",
        "IF age < 35 AND income >= 75 THEN approved",
        (AGES[0], 35),
        (75, INCOMES[1]),
    ),
    Story(
        "The rule fills a region without data",
        "IF age >= 56 AND income < 45 THEN approved",
        (56, AGES[1]),
        (INCOMES[0], 45),
    ),
)


@styled()
def illustration(file: ResultFile, scope: Preset) -> Figure:  # noqa: ARG001
    """Draw what an edit is, on two columns of made-up data (Figure 1).

    Parameters
    ----------
    file : ResultFile
        Not needed.

    scope : Preset
        Not needed.

    Returns
    -------
    Figure
    """
    X, y = _loans()
    model = make_pipeline(StandardScaler(), SVC(C=5, gamma=0.7))
    figure, axes = page(
        "Editing a model with a rule",
        "Made-up loans by age and income, and where a support vector machine approves them: trained on the data as "
        f"they are, and edited by FROTE with {STORIES[0].rule} (middle), or with {STORIES[1].rule} (right).",
        "No runs are needed here: the figure is computed when it is drawn.",
        (1, 3),
        height=2.75,
        gaps=(0.2, 0.32),
        legend=[
            *(marker(label, COLOURS[label], SHAPES[label], markersize=5) for label in COLOURS),
            marker("relabelled", COLOURS["approved"], "o", markersize=6, markeredgecolor=INK, markeredgewidth=1.2),
            marker("synthetic", INK, "*", hollow=True, markersize=8, markeredgewidth=0.8),
            Patch(facecolor="none", edgecolor=INK, hatch="////", linewidth=0.9, label="covered by the rule"),
            marker("boundary", INK, "", linestyle="-"),
            marker("boundary before", INK, "", linestyle="--", linewidth=1),
        ],
        share=("all", "all"),
    )
    initial = model.fit(X, y)
    axes[0, 0].set_title("The model before")
    axes[0, 0].set_ylabel("income (thousand)")
    _ground(axes[0, 0], initial)
    _rows(axes[0, 0], X, y, **LOOKS["kept"])
    for panel, story in zip(axes[0, 1:], STORIES, strict=True):
        _edited(panel, story, initial, X, y)
    for panel in axes[0]:
        panel.grid(visible=False)
        panel.set(xlabel="age", xlim=AGES, ylim=INCOMES)
    return figure


def _loans() -> tuple[pd.DataFrame, pd.Series[str]]:
    """Make up loans: approved for those who earn enough for their age; of the old, all earn well."""
    rng = np.random.default_rng(8)
    age, income = rng.uniform(*AGES, 260), rng.uniform(*INCOMES, 260)
    there = (age < 53) | (income > 52)
    X = pd.DataFrame({"age": age[there], "income": income[there]}).round(1)
    enough = 112 - 1.15 * (X["age"] - AGES[0]) + 6 * np.sin(X["age"] / 5)
    noise = rng.normal(0, 3, len(X))
    return X, (X["income"] + noise > enough).map({True: "approved", False: "denied"})


def _edited(panel: Axes, story: Story, initial: Any, X: pd.DataFrame, y: pd.Series[str]) -> None:
    """Edit the model with a rule, and draw the model and the rows that it was trained on."""
    editor = FROTE(initial, story.rule, random_state=0)
    X_new, y_new = editor.fit_resample(X, y)
    status = editor.ledger_.set_index("row")["status"].reindex(range(len(X_new)))
    panel.set_title(story.title)
    _ground(panel, editor.estimator_)
    _boundary(panel, initial, linestyles="--", linewidths=1)
    (left, right), (low, high) = story.ages, story.incomes
    panel.add_patch(
        Rectangle(
            (left, low), right - left, high - low, fill=False, edgecolor=INK, hatch="////", linewidth=0.9, alpha=0.45
        )
    )
    for kind, look in LOOKS.items():
        here = (status == kind).to_numpy()
        _rows(panel, X_new[here], y_new[here], **look)


def _rows(panel: Axes, X: pd.DataFrame, y: pd.Series[str], shape: str = "", **look: Any) -> None:
    """Draw rows by their label."""
    for label, colour in COLOURS.items():
        here = X[(y == label).to_numpy()]
        panel.scatter(here["age"], here["income"], marker=shape or SHAPES[label], color=colour, zorder=3, **look)


def _ground(panel: Axes, model: Any) -> None:
    """Tint the plane by what the model predicts, and draw the boundary."""
    _boundary(panel, model, linestyles="-", linewidths=1.6, tint=True)


def _boundary(panel: Axes, model: Any, *, tint: bool = False, **look: Any) -> None:
    ages, incomes = np.meshgrid(np.linspace(*AGES, FINE), np.linspace(*INCOMES, FINE))
    plane = pd.DataFrame({"age": ages.ravel(), "income": incomes.ravel()})
    # Positive is the second class in alphabetical order, denied.
    height = model.decision_function(plane).reshape(FINE, FINE)
    if tint:
        colours = [f"{COLOURS['approved']}22", f"{COLOURS['denied']}22"]
        panel.contourf(ages, incomes, height, levels=[-np.inf, 0, np.inf], colors=colours)
    panel.contour(ages, incomes, height, levels=[0], colors=INK, **look)
