"""Where the marks of charts lie."""

from __future__ import annotations

from frote.report.charts import frontier_chart


def test_the_frontier_of_a_run_is_drawn_with_the_model_before_and_the_rules_themselves():
    steps = [
        {"step": 0, "accepted": True, "agreement": 0.8, "loss": 0.02},
        {"step": 1, "accepted": False, "agreement": 0.7, "loss": 0.04},
        {"step": 2, "accepted": False, "agreement": None, "loss": None},
    ]
    points = [{"step": -1, "agreement": 0.5, "loss": 0.0}, {"step": 0, "agreement": 0.8, "loss": 0.02}]
    chart = frontier_chart(steps, {"most": 0.9, "points": points})
    assert [mark["kind"] for mark in chart["marks"]] == ["override", "before", "accepted", "rejected"]
    # To the right is more loss, to the top more agreement.
    assert [(mark["x"], mark["y"]) for mark in chart["marks"]] == [(4.0, 0.0), (4.0, 100.0), (50.0, 25.0), (96.0, 50.0)]
    assert chart["lines"] == [{"x1": 4.0, "y1": 100.0, "x2": 50.0, "y2": 25.0}]
    assert frontier_chart(steps, {"most": 1.0, "points": []})["marks"] == []
