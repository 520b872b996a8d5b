"""What agreement with the rules costs outside them, by model and way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from frote_experiments.figures.style import PALETTE, empty, marker, page, styled
from frote_experiments.tables.local import locality, ways

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile

__all__ = ["trade"]

ON = "confirmed on"
MARKS = {
    "default": (PALETTE["orange"], "s"),
    "twins": (PALETTE["blue"], "o"),
    "max loss 0.02": (PALETTE["blue"], "v"),
    "max loss 0.003": (PALETTE["blue"], "^"),
    "switches": (PALETTE["green"], "D"),
    "auto": (PALETTE["green"], "P"),
}


@styled()
def trade(file: ResultFile, scope: Preset) -> Figure:
    """Draw agreement with the rules over the loss outside them, for every model and way."""
    sheets = [make(file, scope) for make in (locality, ways)]
    made = pd.concat([sheet.grids[0].frame for sheet in sheets])
    made = made[made["draws"] == ON]
    figure, axes = page(
        "What agreement with the rules costs outside them",
        "Means over draws to confirm, on unseen rows: agreement inside the rules, and outside F1 of the model as it "
        "was less that of the edited one. Blue and orange edit the data; green puts the rules into the model. Anchored "
        "lies where auto does, with no loss at all.",
        sheets[0].note[0],
        (1, len(scope.models)),
        height=3.2,
        legend=[marker(name, *MARKS[name]) for name in MARKS],
        share=("all", "all"),
    )
    for panel, model in zip(axes[0], scope.models, strict=True):
        panel.set_title(model)
        panel.set_xlabel("loss of F1 outside")
        here = made[(made["model"] == model) & (made["runs"] > 0)].set_index("method")
        if here.empty:
            empty(panel)
        for name, (colour, shape) in MARKS.items():
            if name in here.index:
                line = here.loc[name]
                panel.plot(line["loss_mean"], line["agreement_mean"], shape, color=colour, markersize=7)
        panel.axvline(0, color="#bbbbbb", linewidth=0.8, zorder=0)
    axes[0][0].set_ylabel("agreement with the rules")
    return figure
