"""What an edit may do at most: rows in all, rows of one rule, and labels that keep to their shares."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import frote

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"a": RNG.integers(0, 50, 400), "b": RNG.normal(size=400)})
LABELS = np.where(FRAME["a"] + 10 * FRAME["b"] > 25, "yes", "no")
UNSURE = "some: IF a < 15 THEN {no: 0.75, yes: 0.25}"


def edited(rules, **parameters):
    given = {"random_state": 0, "max_fits": 6, **parameters}
    return frote.FROTE(DecisionTreeClassifier(max_depth=4), rules, **given).fit(FRAME, LABELS)


def test_a_table_of_any_size_gets_a_bounded_number_of_rows():
    assert frote.FROTE()._limits(1000, 2).most_rows == 500
    assert frote.FROTE()._limits(10_000_000, 2).most_rows == 100_000
    assert frote.FROTE(oversample=0.5)._limits(10_000_000, 2).most_rows == 5_000_000  # the caller's own word
    assert frote.FROTE.as_published()._limits(10_000_000, 2).most_rows == 5_000_000


def test_a_rule_that_no_row_satisfies_cannot_take_most_of_a_batch():
    # The model keeps to the first rule from the start, and the second one has no row at all.
    rules = "kept: IF a >= 40 AND b > 1 THEN yes\nbare: IF a > 60 AND a < 70 AND b < -9 THEN yes"
    history = edited(rules).history_[1:]
    assert len(history)
    whole = history["proposed: kept"] + history["proposed: bare"]
    assert (history["proposed: bare"] > 0).all()
    first = history.iloc[0]
    assert first["proposed: bare"] <= math.ceil(math.ceil(0.05 * len(FRAME)) / 2)
    assert (whole == history["proposed"]).all()


def synthetic_shares(editor, label="no"):
    """Return the share of a label among the synthetic rows of each step."""
    synthetic = editor.ledger_[editor.ledger_["status"] == "synthetic"]
    return [(len(rows), (rows["new_label"] == label).mean()) for _, rows in synthetic.groupby("step")]


@pytest.mark.parametrize("select", ["random", "ip"])
def test_every_batch_keeps_to_the_shares_of_an_outcome(select):
    shares = synthetic_shares(edited(UNSURE, select=select, batch_size=41))
    assert shares
    for rows, share in shares:
        assert abs(rows * share - 0.75 * rows) <= 2  # rows from inside and from outside the rule are shared out apart


def test_labels_of_the_published_algorithm_are_drawn_by_lot():
    published = frote.FROTE.as_published()
    assert (published.label_by, published.oversample) == ("lots", 0.5)
    shares = [synthetic_shares(edited(UNSURE, label_by="lots", batch_size=41, random_state=seed)) for seed in range(6)]
    off = [abs(rows * share - 0.75 * rows) for steps in shares for rows, share in steps]
    assert max(off) > 2


def test_rules_that_leave_nothing_to_chance_get_the_same_rows_either_way():
    rules = "young: IF a < 15 THEN yes"
    by_quota, by_lot = (edited(rules, label_by=how, twins=1.0).resampled() for how in ("quota", "lots"))
    pd.testing.assert_frame_equal(by_quota[0], by_lot[0])
    assert (by_quota[1] == by_lot[1]).all()
