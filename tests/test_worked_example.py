"""Eight rows and two rules, every value worked out by hand.

row  age  job  label          young: IF age < 25 AND job = a THEN yes     covers 0, 1
0    20   a    no             old:   IF age >= 40 THEN no                 covers 5, 6, 7
1    22   a    no
2    24   b    yes            k = 2, so a rule needs 3 rows: `young` is relaxed. Without its condition on
3    30   a    no             job it covers 0, 1, 2 (three rows), without that on age 0, 1, 3, 5 (four): the
4    32   b    yes            condition on age goes.
5    40   a    yes
6    42   b    no             Relabelled: 0 and 1 to yes (young), 5 and 7 to no (old).
7    60   b    yes
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import frote
from frote.coverage.matrix import attribute, cover
from frote.coverage.population import populations
from frote.coverage.ruling import Ruling
from frote.generation.space import MixedSpace, nearest

RULES = frote.parse_rules("""
    young: IF age < 25 AND job = a THEN yes
    old: IF age >= 40 THEN no
""")


class Learner(ClassifierMixin, BaseEstimator):
    """Says no to all, until it has seen more than the eight rows; then yes to those under 25."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.learned_ = len(X) > 8
        return self

    def predict(self, X):
        return np.where(self.learned_ & (np.asarray(X["age"]) < 25), "yes", "no")


@pytest.fixture
def data():
    X = pd.DataFrame(
        {"age": [20, 22, 24, 30, 32, 40, 42, 60], "job": list("aabababb")}, index=[f"p{i}" for i in range(8)]
    )
    y = pd.Series(["no", "no", "yes", "no", "yes", "yes", "no", "yes"], index=X.index, name="label")
    return X, y


@pytest.fixture
def edited(data):
    X, y = data
    editor = frote.FROTE.as_published(Learner(), RULES, k=2, batch_size=6, max_fits=2, oversample=10, random_state=0)
    return (editor, *editor.fit_resample(X, y))


def test_coverage_and_attribution(data):
    covered = cover(RULES, data[0])
    assert np.flatnonzero(covered[0]).tolist() == [0, 1]
    assert np.flatnonzero(covered[1]).tolist() == [5, 6, 7]
    assert attribute(covered).tolist() == [0, 0, -1, -1, -1, 1, 1, 1]


def test_relaxation_and_base_populations(data):
    (young,), (old,) = populations(Ruling.of(RULES).on(frote.Table.from_frame(data[0])), least=3)
    assert young.dropped == ("age",)
    assert young.rows.tolist() == [0, 1, 3, 5]
    assert old.dropped == ()
    assert old.rows.tolist() == [5, 6, 7]


def test_neighbours(data):
    # The ages' mean is 33.75, their variance 154.4375.
    table = frote.Table.from_frame(data[0])
    space = MixedSpace.of(table)
    assert space.scales == (("age", 33.75, pytest.approx(154.4375**0.5)),)
    points = space.encode(table)
    # Among 0, 1, 3, 5 the job is the same: ages 20, 22, 30, 40. From 30, 20 and 40 are equally far: the first counts.
    young = np.array([0, 1, 3, 5])
    assert nearest(points, young, young, 2).tolist() == [[1, 3], [0, 3], [1, 0], [3, 1]]
    # Among 5, 6, 7: 4/154.4 + 1 from 5 to 6, 400/154.4 + 1 from 5 to 7, 324/154.4 from 6 to 7.
    old = np.array([5, 6, 7])
    assert nearest(points, old, old, 2).tolist() == [[6, 7], [5, 7], [6, 5]]


def test_objective_before_and_after(edited):
    history = edited[0].history_
    # Before: no to all. Agreement 3 of 5. Outside (yes, no, yes): F1 of yes 0, of no 1/2, weighted 1/6.
    assert history["agreement"][0] == pytest.approx(3 / 5)
    assert history["agreement: young"][0] == 0
    assert history["agreement: old"][0] == 1
    assert history["outside"][0] == pytest.approx(1 / 6)
    assert history["objective"][0] == pytest.approx((3 / 5 + 1 / 6) / 2)
    # `young` covers 2 rows, fewer than 3: step 1 is judged on the data with the batch, 3 rows for each rule. There the
    # old model agrees on 6 of 11 rows. The new one agrees on all; outside it is wrong on row 4: both F1 are 2/3.
    assert history["previous"][1] == pytest.approx((6 / 11 + 1 / 6) / 2)
    assert history["agreement"][1] == 1
    assert history["outside"][1] == pytest.approx(2 / 3)
    assert history["objective"][1] == pytest.approx((1 + 2 / 3) / 2)


def test_acceptance(edited):
    editor, X, y = edited
    history = editor.history_
    # Step 2 learns nothing new: its objective equals the one it is compared with, and is rejected.
    assert history["previous"][2] == history["objective"][2] == history["objective"][1]
    assert history["accepted"].tolist() == [True, True, False]
    assert history["added"].tolist() == [0, 6, 6]
    assert history["proposed: young"].tolist() == [0, 3, 3]
    assert editor.n_fits_ == 3
    assert editor.objective_ == history["objective"][1]
    assert len(X) == len(y) == 14


def test_synthetic_rows_lie_between_base_and_neighbour_and_inside_their_rule(edited):
    editor, X, y = edited
    ages = X["age"]
    for line in editor.ledger_[editor.ledger_["status"] == "synthetic"].itertuples():
        low, high = sorted((ages[line.base], ages[line.neighbour]))
        if line.rule == "old":
            assert {line.base, line.neighbour} <= {5, 6, 7}
            assert max(low, 40) <= ages[line.row] <= high
            assert line.covered == "strongly"
            assert y[line.row] == "no"
        else:
            assert {line.base, line.neighbour} <= {0, 1, 3, 5}
            # From 30 to 40 no way leads below 25: then anywhere from the least age, 20, to 24.
            assert (low if low < 25 else 20) <= ages[line.row] <= min(high, 24)
            assert X["job"][line.row] == "a"
            assert line.covered == ("strongly" if line.base in (0, 1) else "weakly")
            assert y[line.row] == "yes"


def test_ledger_of_the_rows_that_came_in(edited, data):
    editor, X, y = edited
    ledger = editor.ledger_.iloc[:8]
    assert ledger["row"].tolist() == ledger["source"].tolist() == list(range(8))
    assert ledger["index"].tolist() == [f"p{i}" for i in range(8)]
    status = ["relabelled", "relabelled", "kept", "kept", "kept", "relabelled", "kept", "relabelled"]
    assert ledger["status"].tolist() == status
    assert ledger["rule"].tolist() == ["young", "young", "", "", "", "old", "", "old"]
    assert ledger["old_label"].tolist() == data[1].tolist()
    assert ledger["new_label"].tolist() == ["yes", "yes", "yes", "no", "yes", "no", "no", "no"]
    assert y[:8].tolist() == ledger["new_label"].tolist()
    pd.testing.assert_frame_equal(X[:8], data[0].reset_index(drop=True))
    assert editor.sample_indices_[:8].tolist() == list(range(8))
