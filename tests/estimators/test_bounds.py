"""What an edit may do at most: rows in all, rows of one rule, and labels that keep to their shares."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import frote
from frote.estimators.preparing import limits_of
from frote.loop.schedule import AdaptiveSchedule, FixedSchedule

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"a": RNG.integers(0, 50, 400), "b": RNG.normal(size=400)})
LABELS = np.where(FRAME["a"] + 10 * FRAME["b"] > 25, "yes", "no")
UNSURE = "some: IF a < 15 THEN {no: 0.75, yes: 0.25}"


def edited(rules, **parameters):
    given = {"random_state": 0, "max_fits": 6, **parameters}
    return frote.FROTE(DecisionTreeClassifier(max_depth=4), rules, **given).fit(FRAME, LABELS)


def test_a_table_of_any_size_gets_a_bounded_number_of_rows():
    assert limits_of(frote.FROTE(), 1000, 2).most_rows == 500
    assert limits_of(frote.FROTE(), 10_000_000, 2).most_rows == 100_000
    assert limits_of(frote.FROTE(oversample=0.5), 10_000_000, 2).most_rows == 5_000_000  # the caller's own word
    assert limits_of(frote.FROTE.as_published(), 10_000_000, 2).most_rows == 5_000_000


def test_callers_set_bounds_of_their_own():
    few = frote.FROTE(max_added=300)
    assert [limits_of(few, rows, 2).most_rows for rows in (1000, 10_000_000, 100)] == [300, 300, 50]
    assert limits_of(frote.FROTE(max_added=200_000), 10_000_000, 2).most_rows == 200_000
    assert limits_of(frote.FROTE(oversample=0.5, max_added=7), 1000, 2).most_rows == 7
    small = limits_of(frote.FROTE(max_batch=30), 10_000, 2)
    assert AdaptiveSchedule().begin(small).first().size == 30
    assert FixedSchedule().begin(limits_of(frote.FROTE.as_published(max_batch=5), 10_000, 2)).first().size == 5
    large = limits_of(frote.FROTE(max_batch=50_000), 10_000_000, 2)
    assert AdaptiveSchedule().begin(large).first().size == 50_000
    given = AdaptiveSchedule().begin(limits_of(frote.FROTE(batch_size=40, max_batch=60), 1000, 2))
    assert given.after(given.first(), accepted=True, added=40).size == 60
    assert (edited("some: IF a < 15 THEN yes", modify="none", max_batch=9).history_["proposed"] <= 9).all()
    assert edited("some: IF a < 15 THEN yes", modify="none", max_added=17).history_["added"].max() <= 17


SAMPLED = "some: IF a < 20 THEN yes\nsplit: IF a >= 40 AND b > 0 OR a >= 45 AND b <= 0 THEN no"


@pytest.fixture
def sampled(monkeypatch):
    """Edits on which a sample bites, of 20 rows in place of 1,000 at least."""
    monkeypatch.setitem(frote.FROTE._parameter_constraints, "sample", [int, None])

    def edit(**parameters):
        return edited(SAMPLED, **{"modify": "none", "max_fits": 4, **parameters})

    return edit


@pytest.mark.parametrize("select", ["random", "ip", "online"])
def test_synthetic_rows_start_from_a_sample_of_each_rule(sampled, select):
    step, batch = sampled(sample=20, select=select)._last.start.loop.tried[0]
    assert step == 1  # later ones may start from synthetic rows too
    rule = (batch.piece > 0).astype(int)
    for one in (0, 1):
        for strong in (True, False):
            bases = batch.base[(rule == one) & (batch.strong == strong)]
            assert len(np.unique(bases)) <= 20
    assert len(np.unique(batch.base)) > 10


def test_a_sample_that_holds_every_row_changes_nothing(sampled):
    whole, bounded = sampled(sample=None), sampled(sample=400)
    pd.testing.assert_frame_equal(whole.ledger_, bounded.ledger_)
    pd.testing.assert_frame_equal(whole.resampled()[0], bounded.resampled()[0])
    assert not whole.ledger_.equals(sampled(sample=20).ledger_)


def test_the_published_algorithm_looks_at_all_rows():
    assert frote.FROTE.as_published().sample is None
    assert frote.FROTE().sample is not None


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
