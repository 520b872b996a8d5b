"""Where the marks of an edit's charts lie while it is run, in per cent of a chart's width and height."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

from frote.report.charts import EDGE, ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frote.report.contents import Frontier, FrontierPoint

__all__ = ["even", "frontier_of", "kept_by_rule", "line_chart"]


def line_chart(steps: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
    """Lay out a number over the steps of a run.

    Parameters
    ----------
    steps : sequence of dict
        The steps so far.

    name : str
        Which of their numbers: agreement, loss or objective.

    Returns
    -------
    dict
        `ticks` (y, text), `labels` (x, text), `marks` (x, y, step, value, accepted), `lines` (x1, y1, x2, y2) between
        the accepted ones; `now`: the value of the last accepted one; empty lists and None if no step has the number.

    Examples
    --------
    >>> steps = [{"step": 0, "accepted": True, "loss": 0.0}, {"step": 1, "accepted": True, "loss": 0.02}]
    >>> chart = line_chart(steps, "loss")
    >>> [(mark["x"], mark["y"]) for mark in chart["marks"]], chart["now"]
    ([(4.0, 100.0), (96.0, 0.0)], 0.02)
    """
    told = [step for step in steps if step.get(name) is not None]
    if not told:
        return {"ticks": [], "labels": [], "marks": [], "lines": [], "now": None}
    values = [step[name] for step in told]
    scale = ticks(min(values), max(values), 3)
    last = max(1, *(int(step["step"]) for step in told))

    def x(step: int) -> float:
        return round(EDGE + (100 - 2 * EDGE) * step / last, 2)

    def y(value: float) -> float:
        return float(round(100 * (scale[-1] - value) / (scale[-1] - scale[0]), 2))

    marks = [
        {
            "x": x(step["step"]),
            "y": y(step[name]),
            "step": step["step"],
            "value": step[name],
            "accepted": bool(step["accepted"]),
        }
        for step in told
    ]
    kept = [mark for mark in marks if mark["accepted"]]
    every = max(1, math.ceil(last / 8))
    digits = max(len(f"{value:g}".partition(".")[2]) for value in scale)
    return {
        "ticks": [{"y": y(value), "text": f"{value:.{digits}f}"} for value in scale],
        "labels": [{"x": x(step), "text": str(step)} for step in range(0, last + 1, every)],
        "marks": marks,
        "lines": [
            {"x1": one["x"], "y1": one["y"], "x2": other["x"], "y2": other["y"]}
            for one, other in itertools.pairwise(kept)
        ],
        "now": kept[-1]["value"] if kept else None,
    }


def even(chart: dict[str, Any]) -> dict[str, Any]:
    """Write the numbers along each side of a chart with as many decimals as the longest of them has.

    Examples
    --------
    >>> chart = even({"xs": [{"x": 0, "text": "0"}, {"x": 50, "text": "0.05"}], "ys": [{"y": 0, "text": "1"}]})
    >>> [tick["text"] for tick in chart["xs"]], [tick["text"] for tick in chart["ys"]]
    (['0.00', '0.05'], ['1'])
    """
    sides = {}
    for side in ("xs", "ys"):
        digits = max((len(tick["text"].partition(".")[2]) for tick in chart[side]), default=0)
        sides[side] = [{**tick, "text": f"{float(tick['text']):.{digits}f}"} for tick in chart[side]]
    return {**chart, **sides}


def kept_by_rule(names: Sequence[str], steps: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the agreement with each rule at the first step and at the last one that was kept.

    Examples
    --------
    >>> steps = [{"accepted": True, "per_rule": [0.5]}, {"accepted": True, "per_rule": [0.75]}]
    >>> kept_by_rule(["young"], steps)
    [{'name': 'young', 'first': 0.5, 'now': 0.75}]
    """
    kept = [step["per_rule"] for step in steps if step["accepted"] and step.get("per_rule")]
    if not kept:
        return []
    known = names if len(names) == len(kept[0]) else [f"rule {place + 1}" for place in range(len(kept[0]))]
    return [
        {"name": name, "first": first, "now": now} for name, first, now in zip(known, kept[0], kept[-1], strict=False)
    ]


def frontier_of(steps: Sequence[dict[str, Any]], most: float) -> Frontier:
    """Return the steps so far that no other one beats in agreement and loss.

    Examples
    --------
    >>> steps = [{"step": 0, "agreement": 0.5, "loss": 0.0}, {"step": 1, "agreement": 0.4, "loss": 0.1}]
    >>> frontier_of(steps, 1.0)["points"]
    [{'step': 0, 'agreement': 0.5, 'loss': 0.0}]
    """
    told = [step for step in steps if step.get("loss") is not None and step.get("agreement") is not None]
    ordered = sorted(told, key=lambda step: (step["loss"], -step["agreement"], step["step"]))
    frontier: Frontier = {"most": most, "picked": None, "points": []}
    for step in ordered:
        if not frontier["points"] or step["agreement"] > frontier["points"][-1]["agreement"]:
            point: FrontierPoint = {"step": step["step"], "agreement": step["agreement"], "loss": step["loss"]}
            frontier["points"].append(point)
    return frontier
