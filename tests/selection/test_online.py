"""Base rows by online learning: the gradient against the objective itself, and what is kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression
from tests.examples import examples
from tests.selection.small_requests import make_request

from frote.generation.space import Points
from frote.selection import OnlineLearning
from frote.selection.online import StandIn

quick = settings(max_examples=examples(150))


class Made:
    """Rows that were made, of which those taken are told by their places."""

    def __init__(self, points, labels, rule):
        self.points, self.labels, self.rule = points, labels, rule

    def __len__(self):
        return len(self.labels)

    def take(self, places):
        return places


def kept_by(selection, request, points, labels, rule):
    """Return the places of the rows that are kept, whatever they were made from."""
    made = Made(points, labels, rule)
    return selection.select(replace(request, make_rows=lambda *_: made), np.random.default_rng(0))


def some_points(rng, count, levels=3):
    return Points(rng.normal(size=(count, 2)), rng.integers(-1, levels, (2, count)).astype(np.int8))


def setting(seed, classes, predicted_classes=None):
    """A request over 80 rows, a third of them covered, and 30 synthetic rows with labels."""
    rng = np.random.default_rng(seed)
    points = some_points(rng, 80)
    slopes = rng.normal(size=(2, predicted_classes or classes))
    predicted = (points.numbers @ slopes + rng.normal(size=(80, predicted_classes or classes))).argmax(axis=1)
    targets = rng.dirichlet(np.ones(classes), 2)
    owner = np.where(points.numbers[:, 0] > 0.5, points.codes[0] % 2, -1)
    request = make_request(
        [[range(40)], [range(40, 80)]],
        [4, 4],
        points=points,
        predicted=predicted,
        labels=rng.integers(0, classes, 80),
        owner=owner,
        targets=targets,
    )
    return request, some_points(rng, 30), rng.integers(0, classes, 30)


def smooth_objective(chances, request):
    """Half the mean probability of agreeing inside coverage, half that of the label outside; in plain Python."""
    inside, outside = [], []
    for row, owner in enumerate(request.owner.tolist()):
        if owner >= 0:
            inside.append(sum(a * b for a, b in zip(chances[row], request.targets[owner], strict=True)))
        else:
            outside.append(chances[row][request.labels[row]])
    return sum(inside) / max(len(inside), 1) / 2 + sum(outside) / max(len(outside), 1) / 2


def one_hot(points, sizes):
    rows = []
    for place in range(len(points)):
        row = list(points.numbers[place])
        for codes, size in zip(points.codes, sizes, strict=True):
            row += [float(codes[place] == level) for level in range(-1, size - 1)]
        rows.append([*row, 1.0])
    return np.array(rows)


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_exact_gain_is_that_of_the_objective(classes):
    request, made, labels = setting(classes, classes)
    stand_in = StandIn.of(request)
    gains = stand_in.gains(request, made, labels, 0.1, exact=True)
    features, new = one_hot(request.points, stand_in.sizes), one_hot(made, stand_in.sizes)
    before = smooth_objective(softmax(features @ stand_in.weights.T, axis=1), request)
    for gain, row, label in zip(gains, new, labels, strict=True):
        # One step of online learning on the logistic loss.
        error = np.eye(classes)[label] - softmax(stand_in.weights @ row)
        moved = stand_in.weights + 0.1 * np.outer(error, row)
        after = smooth_objective(softmax(features @ moved.T, axis=1), request)
        assert gain == pytest.approx(after - before, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_the_gradient_agrees_to_first_order(classes, seed):
    request, made, labels = setting(seed, classes)
    stand_in = StandIn.of(request)
    errors = []
    for rate in (1e-2, 1e-3, 1e-4):
        exact = stand_in.gains(request, made, labels, rate, exact=True)
        quick = stand_in.gains(request, made, labels, rate, exact=False)
        errors.append(np.abs(exact - quick).max() / np.abs(exact).max())
    # The error falls with the rate, and as fast.
    assert errors[0] < 0.1
    assert errors[1] < errors[0] / 5
    assert errors[2] < errors[1] / 5
    exact = stand_in.gains(request, made, labels, 0.1, exact=True)
    quick = stand_in.gains(request, made, labels, 0.1, exact=False)
    assert spearmanr(exact, quick).statistic > 0.95


@pytest.mark.parametrize("exact", [False, True])
def test_a_row_predicted_with_certainty_changes_nothing(exact):
    request, made, labels = setting(0, 3)
    stand_in = StandIn.of(request)
    new = one_hot(made, stand_in.sizes)
    sure = StandIn(1e3 * stand_in.weights, stand_in.sizes)
    labels = (new @ sure.weights.T).argmax(axis=1)
    certain = softmax(new @ sure.weights.T, axis=1).max(axis=1) == 1
    assert certain.sum() > 20
    assert sure.gains(request, made, labels, 0.1, exact=exact)[certain] == pytest.approx(0, abs=1e-30)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_stand_in_predicts_what_the_model_does(classes):
    request, _, _ = setting(1, classes)
    points = request.points
    predicted = np.digitize(points.numbers[:, 0], [0.0, 0.8][: classes - 1])
    request = make_request([[range(80)]], [3], points=points, predicted=predicted, targets=np.eye(classes)[:1])
    stand_in = StandIn.of(request)
    chances = softmax(one_hot(points, stand_in.sizes) @ stand_in.weights.T, axis=1)
    assert (chances.argmax(axis=1) == predicted).mean() > 0.9
    features = one_hot(points, stand_in.sizes)[:, :-1]
    model = LogisticRegression(max_iter=100, tol=1e-3).fit(features, predicted)
    assert chances == pytest.approx(model.predict_proba(features), abs=1e-9)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("predicted_classes", [2, 3])
def test_classes_that_are_never_predicted(exact, predicted_classes):
    request, made, labels = setting(2, 4, predicted_classes)
    stand_in = StandIn.of(request)
    chances = softmax(one_hot(request.points, stand_in.sizes) @ stand_in.weights.T, axis=1)
    assert (chances[:, predicted_classes:] < 1e-6).all()
    gains = stand_in.gains(request, made, labels, 0.1, exact=exact)
    assert np.isfinite(gains).all()
    assert len(kept_by(OnlineLearning(exact=exact), request, made, labels, np.arange(30) % 2)) == 8


def test_predictions_that_are_no_class_of_the_data():
    """They come as -1 and tell nothing about any class, the last one least of all."""
    request, made, labels = setting(3, 3, 2)
    known = StandIn.of(request)
    points = request.points.concat(request.points)
    odd = make_request(
        [[range(40)], [range(40, 80)]],
        [4, 4],
        points=points,
        predicted=np.concatenate([request.predicted, np.full(80, -1)]),
        labels=np.tile(request.labels, 2),
        owner=np.tile(request.owner, 2),
        targets=request.targets,
    )
    assert StandIn.of(odd).weights == pytest.approx(known.weights)
    origin = np.arange(30) % 2
    for seen in ([-1, 0], [-1, -1]):
        few = make_request([[range(2)]] * 2, [4, 4], points=points, predicted=np.resize(seen, 160), targets=odd.targets)
        assert kept_by(OnlineLearning(), few, made, labels, origin).tolist() == list(range(8))


def test_a_level_that_the_data_do_not_have():
    request, made, labels = setting(4, 2)
    stand_in = StandIn.of(request)
    codes = made.codes.copy()
    codes[:, 0], codes[:, 1] = 100, request.points.codes.max(axis=1)
    gains = stand_in.gains(request, Points(made.numbers[[0, 0]], codes[:, :2]), labels[[0, 0]], 0.1, exact=False)
    assert gains[0] != gains[1]  # it is not taken for the last one that they have


@pytest.mark.parametrize("exact", [False, True])
def test_the_best_of_each_rule_are_kept(exact):
    request, made, labels = setting(5, 3)
    origin = np.arange(30) % 3 % 2  # twice as many of the first rule
    selection = OnlineLearning(exact=exact)
    kept = kept_by(selection, request, made, labels, origin)
    assert (np.diff(kept) > 0).all()
    gains = StandIn.of(request).gains(request, made, labels, selection.rate, exact=exact)
    for rule, quota in enumerate(request.quotas):
        mine = np.flatnonzero(origin == rule)
        best = sorted(mine.tolist(), key=lambda row: (-gains[row], row))[:quota]
        assert kept[origin[kept] == rule].tolist() == sorted(best)


def test_fewer_made_than_wanted_and_none_wanted():
    request, made, labels = setting(6, 2)
    for quotas, origin, expected in (
        ((4, 4), np.zeros(30, dtype=int), (4, 0)),
        ((0, 4), np.arange(30) % 2, (0, 4)),
        ((50, 50), np.arange(30) % 2, (15, 15)),
    ):
        asked = make_request(
            [[range(40)], [range(40, 80)]],
            quotas,
            points=request.points,
            predicted=request.predicted,
            targets=request.targets,
        )
        kept = kept_by(OnlineLearning(), asked, made, labels, origin)
        assert tuple(np.bincount(origin[kept], minlength=2)) == expected
    assert kept_by(OnlineLearning(), request, made.take(np.arange(0)), labels[:0], labels[:0]).tolist() == []


def test_a_model_that_predicts_one_class():
    request, made, labels = setting(7, 2)
    one = make_request([[range(40)], [range(40)]], [2, 3], points=request.points, predicted=np.ones(80))
    assert kept_by(OnlineLearning(), one, made, labels, np.arange(30) // 15).tolist() == [0, 1, 15, 16, 17]


def test_a_stand_in_that_does_not_converge():
    """Infinite values stand at a million: the stand-in is rough then, but there is no noise about it."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(80, 3))
    numbers[::7] = 1e6
    points = Points(numbers, np.empty((0, 80), dtype=np.int8))
    request = make_request([[range(80)]], [5], points=points, predicted=rng.integers(0, 3, 80), targets=np.eye(3)[:1])
    kept = kept_by(OnlineLearning(), request, points, rng.integers(0, 3, 80), np.zeros(80, dtype=np.intp))
    assert len(kept) == 5


@pytest.mark.parametrize("columns", ["numbers", "codes"])
def test_tables_of_one_kind_of_column(columns):
    request, made, labels = setting(8, 2)

    def only(points):
        if columns == "numbers":
            return Points(points.numbers, points.codes[:0])
        return Points(points.numbers[:, :0], points.codes)

    asked = make_request(
        [[range(80)]], [3], points=only(request.points), predicted=request.predicted, targets=request.targets[:1]
    )
    assert len(kept_by(OnlineLearning(), asked, only(made), labels, np.zeros(30, dtype=np.intp))) == 3


PIECES = st.lists(st.sets(st.integers(0, 30), min_size=1, max_size=12).map(sorted), min_size=1, max_size=3)


@given(st.lists(st.tuples(PIECES, st.integers(0, 20)), max_size=4), st.integers(1, 5), st.integers(0, 99))
@quick
def test_several_to_choose_from_but_none_twice(rules, choices, seed):
    request = make_request([pieces for pieces, _ in rules], [quota for _, quota in rules])
    choice = OnlineLearning(choices=choices)._choice(request, np.random.default_rng(seed))
    for pieces, quota in zip(request.populations, request.quotas, strict=True):
        there = sum(len(population.rows) for population in pieces)
        mine = np.isin(choice.piece, [population.piece for population in pieces])
        assert mine.sum() == max(quota, min(choices * quota, there))
        if quota <= there:
            pairs = list(zip(choice.piece[mine].tolist(), choice.base[mine].tolist(), strict=True))
            assert len(set(pairs)) == len(pairs)
    again = OnlineLearning(choices=choices)._choice(request, np.random.default_rng(seed))
    assert again.base.tolist() == choice.base.tolist()
