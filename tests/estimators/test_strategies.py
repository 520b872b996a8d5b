"""Strategies given as objects: a name is short for one, and those of others are held to the rules."""

from __future__ import annotations

import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import frote
from frote import strategies

LOANS = frote.datasets.load_loans(200)
X, y = LOANS.X[["age", "income", "defaults"]].fillna(0), LOANS.y
RULES = "young: IF age < 29 AND defaults = 0 THEN approved"


def edited(**given):
    given = {"max_fits": 3, "modify": "none", "random_state": 0, **given}
    return frote.FROTE(LogisticRegression(), RULES, **given).fit(X, y)


@pytest.mark.parametrize(
    ("argument", "name", "strategy"),
    [
        ("select", "ip", strategies.IntegerProgram()),
        ("select", "online-exact", strategies.OnlineLearning(exact=True)),
        ("schedule", "fixed", strategies.FixedSchedule()),
        ("evaluate", "published", strategies.TrainingRows(remember=True)),
        ("evaluate", "printed", strategies.TrainingRows(remember=True, with_batch=False)),
        ("evaluate", 0.25, strategies.Probes(hold_out=0.25)),
        ("evaluate", (X[:50], y[:50]), strategies.Validation(X[:50], y[:50])),
        ("modify", "drop", strategies.Drop()),
    ],
    ids=lambda given: given if isinstance(given, str) else type(given).__name__,
)
def test_a_name_is_short_for_an_object(argument, name, strategy):
    by_name, by_object = edited(**{argument: name}), edited(**{argument: strategy})
    again = edited(**{argument: strategy})  # what it remembers is of one run
    for other in (by_object, again):
        assert other.ledger_.equals(by_name.ledger_)
        assert other.objective_ == by_name.objective_


class Everywhere:
    """Chooses rows that a rule may not start from."""

    def select(self, request, rng):
        return request.make(strategies.Choice.of([(0, rng.permutation(len(request.labels))[:10])]), rng)


class Nothing:
    def select(self, *_):
        return strategies.Choice.of([])


@pytest.mark.parametrize(
    ("selection", "words"),
    [(Everywhere(), "not in the population of its rule"), (Nothing(), "Nothing gave an object of type Choice")],
)
def test_a_selection_that_goes_beyond_its_rules_is_told(selection, words):
    with pytest.raises(frote.FroteError, match=words):
        edited(select=selection)


def test_something_that_is_no_strategy():
    for argument in ("select", "schedule", "evaluate", "modify"):
        with pytest.raises(ValueError, match=argument):
            edited(**{argument: object()})


class Worst:
    """A selection that asks the model, and counts how often it was asked for rows."""

    asked = 0

    def select(self, request, rng):
        self.asked += 1
        parts = []
        for populations, quota in zip(request.populations, request.quotas, strict=True):
            for population in populations:
                wrong = request.predicted[population.rows] != request.labels[population.rows]
                parts.append((population.piece, population.rows[wrong.argsort(kind="stable")[::-1]][:quota]))
        return request.make(strategies.Choice.of(parts), rng)


def test_one_s_own_selection_with_workers_and_checkpoints(tmp_path):
    mine = Worst()
    plain = edited(select=mine)
    assert mine.asked == 0  # the run had a copy
    assert edited(select=mine, n_jobs=2).ledger_.equals(plain.ledger_)
    cut = edited(select=mine, checkpoint=tmp_path / "run", callbacks=[lambda step: step.step == 1])
    assert cut.n_fits_ == 2
    assert edited(select=mine, checkpoint=tmp_path / "run").ledger_.equals(plain.ledger_)
    assert clone(plain).select.asked == 0
