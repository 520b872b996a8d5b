from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score
from tests.examples import examples

import frote
from frote.coverage.answers import Answers
from frote.coverage.labels import Labels
from frote.judging.interval import interval
from frote.report.bootstrap import Cells
from frote.report.judged import Judged
from frote.table import Table

RULES = frote.parse_rules("""
    low: IF a < 3 THEN x WITH CONFIDENCE 0.75
    high: IF a > 6 THEN {y: 0.5, z: 0.5}
""")


class Says:
    """A model that predicts the texts it is given."""

    def __init__(self, predicted):
        self.predicted = np.array(predicted, dtype=object)
        self.classes_ = np.array(["w", "x", "y", "z"], dtype=object)

    def predict(self, _):
        return self.predicted


def cells_of(a, own, predicted):
    X = pd.DataFrame({"a": a})
    judged, said = Judged(Table.from_frame(X), Labels.of(own), RULES), Answers.of(Says(predicted), X)
    codes, agreed = {"m": judged.codes(said)}, {"m": judged.agreed(said)}
    return judged, said, Cells.of(judged.attribution.owner, judged.labels.codes, codes, agreed)


rows = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("xyz"), st.sampled_from("wxyz")), min_size=1, max_size=40)


@settings(max_examples=examples(125))
@given(rows)
def test_cells_give_the_scores_of_the_rows(lines):
    a, own, predicted = (list(column) for column in zip(*lines, strict=True))
    own[0] = "x"  # labels of one class at least that the rules name
    _, _, cells = cells_of(a, own, predicted)
    assert cells.counts.sum() == len(lines)
    found = cells.scores(cells.counts[np.newaxis], "m")
    wanted = frote.score(Says(predicted), pd.DataFrame({"a": a}), own, RULES)
    for measure in ("agreement", "f1", "objective"):
        assert found[measure][0] == pytest.approx(getattr(wanted, measure), nan_ok=True)


@settings(max_examples=examples(75))
@given(rows, st.integers(0, 99))
@example([(0, "x", "w"), (3, "z", "y"), (3, "z", "z")], 0)  # y is known to the model alone
def test_a_resample_has_the_scores_of_its_rows(lines, seed):
    a, own, predicted = (np.array(column) for column in zip(*lines, strict=True))
    own[0] = "x"
    judged, said, cells = cells_of(a, own, predicted)
    taken = np.random.default_rng(seed).integers(len(lines), size=len(lines))
    keys = list(zip(judged.attribution.owner, own, predicted, strict=True))
    firsts = list(dict.fromkeys(sorted(keys)))
    counts = np.array([[sum(keys[row] == key for row in taken) for key in firsts]])
    # Cells are sorted by rule, label and prediction; classes that the model alone knows come last.
    place = judged.known(said).classes.index
    ranks = [(rule, place(label), place(guess)) for rule, label, guess in firsts]
    order = sorted(range(len(firsts)), key=ranks.__getitem__)
    found = cells.scores(counts[:, order], "m")
    outside = judged.attribution.owner[taken] < 0
    if outside.any():
        labels = own[taken][outside], predicted[taken][outside]
        assert found["f1"][0] == pytest.approx(f1_score(*labels, average="weighted", zero_division=0))
    else:
        assert np.isnan(found["f1"][0])


def test_intervals_are_those_of_drawing_rows():
    rng = np.random.default_rng(0)
    a, own = rng.integers(0, 10, 400), rng.choice(list("xyz"), 400)
    predicted = np.where(rng.random(400) < 0.7, own, "x")
    judged, said, cells = cells_of(a, own, predicted)
    drawn = cells.scores(cells.draw(4000, 1), "m")
    agreed = np.nan_to_num(judged.agreed(said))
    taken = rng.integers(400, size=(4000, 400))
    inside = judged.attribution.owner[taken] >= 0
    by_hand = (agreed[taken] * inside).sum(axis=1) / inside.sum(axis=1)
    assert interval(drawn["agreement"]) == pytest.approx(interval(by_hand), abs=0.006)


def test_the_same_seed_draws_the_same():
    _, _, cells = cells_of([1, 5, 5, 8], list("xxyz"), list("xyyz"))
    np.testing.assert_array_equal(cells.draw(5, 3), cells.draw(5, 3))
    assert (cells.draw(5, 3) != cells.draw(5, 4)).any()
    assert (cells.draw(50, 3).sum(axis=1) == 4).all()


def test_nothing_defined_has_no_interval():
    assert interval(np.array([np.nan, np.nan])) is None
    assert interval(np.array([np.nan, 0.5])) == (0.5, 0.5)
