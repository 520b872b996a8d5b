"""All figures of the experiments, as SVG and PNG."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from frote_experiments.figures.boxes import benefit, differences, rule_count
from frote_experiments.figures.curves import k_and_q, progress
from frote_experiments.figures.dots import comparison, overlay, parts, probabilistic, selection
from frote_experiments.figures.illustration import illustration
from frote_experiments.figures.style import save
from frote_experiments.figures.trade import trade
from frote_experiments.tables import chosen, is_local

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from matplotlib.figure import Figure

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile

__all__ = ["FIGURES", "LOCAL_FIGURES", "write_figures"]

FIGURES: dict[str, Callable[[ResultFile, Preset], Figure]] = {
    "illustration": illustration,
    "benefit-relabel": partial(benefit, modify="relabel"),
    "benefit-none": partial(benefit, modify="none"),
    "benefit-drop": partial(benefit, modify="drop"),
    "differences-relabel": partial(differences, modify="relabel"),
    "differences-none": partial(differences, modify="none"),
    "differences-drop": partial(differences, modify="drop"),
    "rule-count": rule_count,
    "progress": progress,
    "probabilistic": probabilistic,
    "overlay": overlay,
    "selection": selection,
    "k-and-q": k_and_q,
    "comparison": comparison,
    "parts": parts,
}
LOCAL_FIGURES: dict[str, Callable[[ResultFile, Preset], Figure]] = {"trade": trade}


def write_figures(file: ResultFile, scope: Preset, folder: Path, only: Collection[str] = ()) -> list[Path]:
    """Draw all figures of what a preset has.

    Parameters
    ----------
    file : ResultFile
        All results; runs may be missing.

    scope : Preset
        Which runs were wanted.

    folder : Path
        Gets the folder ``figures`` with an SVG and a PNG file for each name in `FIGURES`, the same bytes for the same
        results.

    only : collection of str, default=()
        The names of the figures to draw; all if there are none.

    Returns
    -------
    list of Path
        What was written.
    """
    figures = chosen(LOCAL_FIGURES if is_local(scope) else FIGURES, only)
    return [path for name, draw in figures.items() for path in save(draw(file, scope), folder / "figures" / name)]
