"""Where the marks of charts lie, in per cent of a chart's width and height, for the page to draw them."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frote.report.contents import Bin, Frontier, StepLine

__all__ = ["confidence_chart", "frontier_chart", "steps_chart", "ticks"]

LEAST = 0.02  # of the training objective that the axis spans, so that chance does not look like progress
EDGE = 4.0  # per cent of the width that are left free beside the first and the last mark


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return round numbers that span a range, a few of them.

    Examples
    --------
    >>> ticks(0.881, 0.929)
    [0.88, 0.89, 0.9, 0.91, 0.92, 0.93]
    >>> ticks(0.5, 0.5)
    [0.5, 0.502]
    """
    span = max(high - low, 0.01)
    rough = span / most
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return [round(number * step, digits) for number in range(first, max(last, first + 1) + 1)]


def steps_chart(steps: list[StepLine]) -> dict[str, Any]:
    """Lay out the training objective over the steps of a run.

    Parameters
    ----------
    steps : list of dict
        The `steps` of a report.

    Returns
    -------
    dict
        `ticks` (y, text), `labels` (x, text), `marks` (x, y, kind: accepted, rejected or failed; step, objective), and
        `lines` (x1, y1, x2, y2) between the accepted ones; empty lists if no step has an objective. `flat`: whether
        the training objective hardly changed.

    Examples
    --------
    >>> step = {"step": 0, "accepted": True, "objective": 0.5, "error": ""}
    >>> chart = steps_chart([step, {**step, "step": 1, "objective": 0.75}])
    >>> [(mark["x"], mark["kind"]) for mark in chart["marks"]], len(chart["lines"])
    ([(4.0, 'accepted'), (96.0, 'accepted')], 1)
    """
    objectives = [step["objective"] for step in steps if step["objective"] is not None]
    if not objectives:
        return {"ticks": [], "labels": [], "marks": [], "lines": [], "flat": False}
    # No higher than the largest objective there is, unless the objective itself is.
    middle = min((min(objectives) + max(objectives)) / 2, 1 - LEAST / 2)
    scale = ticks(min(*objectives, middle - LEAST / 2), max(*objectives, middle + LEAST / 2))
    digits = max(len(f"{value:g}".partition(".")[2]) for value in scale)
    last = int(max(step["step"] for step in steps))

    def x(step: int) -> float:
        return round(EDGE + (100 - 2 * EDGE) * step / max(last, 1), 2)

    def y(value: float | None) -> float:
        # What failed has no objective, and lies on the floor.
        return 100.0 if value is None else round(100 * (scale[-1] - value) / (scale[-1] - scale[0]), 2)

    marks = [
        {
            "x": x(step["step"]),
            "y": y(step["objective"]),
            "kind": "failed" if step["error"] else "accepted" if step["accepted"] else "rejected",
            "step": step["step"],
            "objective": step["objective"],
        }
        for step in steps
    ]
    kept = [mark for mark in marks if mark["kind"] == "accepted"]
    lines = [
        {"x1": one["x"], "y1": one["y"], "x2": other["x"], "y2": other["y"]} for one, other in itertools.pairwise(kept)
    ]
    every = max(1, math.ceil(last / 10))
    return {
        "ticks": [{"y": y(value), "text": f"{value:.{digits}f}"} for value in scale],
        "labels": [{"x": x(step), "text": str(step)} for step in range(0, last + 1, every)],
        "marks": marks,
        "lines": lines,
        "flat": max(objectives) - min(objectives) < LEAST,
    }


def frontier_chart(steps: list[StepLine], frontier: Frontier, before: int = -1) -> dict[str, Any]:
    """Lay out agreement with the rules over the loss outside them.

    Parameters
    ----------
    steps, frontier : list and dict
        The `steps` and the `frontier` of a report.

    before : int, default=-1
        The step that stands for the model before; 0 where the rules were put into the model.

    Returns
    -------
    dict
        `xs` (x, text) and `ys` (y, text), `marks` (x, y, kind: before, accepted, rejected or override; step, agreement,
        loss, picked), and `lines` (x1, y1, x2, y2) along the frontier; empty lists if the loss was not measured.

    Examples
    --------
    >>> step = {"step": 0, "accepted": True, "agreement": 0.5, "loss": 0.02}
    >>> points = [{"step": -1, "agreement": 0.4, "loss": 0.0}, step]
    >>> chart = frontier_chart([step], {"most": 1.0, "picked": 0, "points": points})
    >>> [mark["kind"] for mark in chart["marks"]], len(chart["lines"])
    (['override', 'before', 'accepted'], 1)
    """
    if not frontier["points"]:
        return {"xs": [], "ys": [], "marks": [], "lines": []}
    points: list[dict[str, Any]] = [{"kind": "override", "step": None, "agreement": frontier["most"], "loss": 0.0}]
    points += [{**point, "kind": "before"} for point in frontier["points"] if point["step"] < 0]
    points += [{**step, "kind": _kind(step, before)} for step in steps if step["loss"] is not None]
    losses = ticks(0.0, max(LEAST, *(point["loss"] for point in points)))
    heights = [point["agreement"] for point in points]
    agreements = ticks(min(heights), max(heights))

    def x(loss: float) -> float:
        return round(EDGE + (100 - 2 * EDGE) * loss / losses[-1], 2)

    def y(agreement: float) -> float:
        return round(100 * (agreements[-1] - agreement) / (agreements[-1] - agreements[0]), 2)

    picked = frontier.get("picked")  # reports of before do not say
    marks = [
        {**point, "x": x(point["loss"]), "y": y(point["agreement"]), "picked": point["step"] == picked is not None}
        for point in points
    ]
    pairs = itertools.pairwise(frontier["points"])
    lines = [
        {"x1": x(one["loss"]), "y1": y(one["agreement"]), "x2": x(other["loss"]), "y2": y(other["agreement"])}
        for one, other in pairs
    ]
    return {
        "xs": [{"x": x(value), "text": f"{value:g}"} for value in losses],
        "ys": [{"y": y(value), "text": f"{value:g}"} for value in agreements],
        "marks": marks,
        "lines": lines,
    }


def _kind(step: StepLine, before: int) -> str:
    if step["step"] == before:
        return "before"
    return "accepted" if step["accepted"] else "rejected"


def confidence_chart(bins: list[Bin]) -> list[dict[str, Any]]:
    """Lay out how often predictions are right by how sure a model was; larger marks stand for more rows.

    Parameters
    ----------
    bins : list of dict
        The bins of `calibration` in a report.

    Returns
    -------
    list of dict
        `model`, `x`, `y` and radius `r` in pixels, and what is told of the mark.

    Examples
    --------
    >>> confidence_chart([{"model": "after", "rows": 9, "confidence": 0.75, "accuracy": 0.5}])[0]["y"]
    50.0
    """
    most = max((line["rows"] for line in bins), default=1)
    return [
        {
            **line,
            "x": round(100 * line["confidence"], 2),
            "y": round(100 * (1 - line["accuracy"]), 2),
            "r": round(3 + 7 * math.sqrt(line["rows"] / most), 2),
        }
        for line in bins
    ]
