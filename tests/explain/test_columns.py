"""Column generation against brute force over all clauses, and over all choices of the clauses found."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import linprog

from frote.explain import choosing
from frote.explain import columns as module
from frote.explain.columns import Columns, generate
from frote.explain.master import Complexity, Instance, Limits, Prices, objective
from frote.explain.pricing import BeamSearch, BothSearches, ExactSearch

CHEAP = Complexity(0.01, 0.01)


def instance(seed: int, literals: int, rows: int = 40) -> Instance:
    """Random literals, and labels that a clause of two of them explains in part."""
    rng = np.random.default_rng(seed)
    met = rng.random((rows, literals)) < rng.uniform(0.3, 0.8, literals)
    positive = met[:, 0] & met[:, 1] | (rng.random(rows) < 0.2)
    positive[:2] = [True, False]
    return Instance.of(met, positive)


def limits(rounds: int = 1000) -> Limits:
    return Limits(rounds)


def all_clauses(literals: int, deepest: int) -> list[tuple[int, ...]]:
    sizes = range(1, deepest + 1)
    return [clause for size in sizes for clause in itertools.combinations(range(literals), size)]


@pytest.mark.parametrize("seed", range(100))
def test_exact_pricing_reaches_the_least_relaxation_of_all_clauses(seed):
    given = instance(seed, literals=4 + seed % 9)
    complexity = CHEAP if seed % 2 else Complexity(0, 0, most=float(2 + seed % 7))
    deepest = given.met.shape[1] if seed % 3 else 3
    found = generate(given, complexity, BothSearches(BeamSearch(deepest=deepest), ExactSearch(deepest)), limits())
    assert found.finished
    # The empty clause, which covers every row, may be found too; brute force lists it last.
    clauses = [*all_clauses(given.met.shape[1], deepest), ()]
    best = module._relaxation(given, clauses, given.coverage(clauses), complexity)[0]
    assert found.relaxed == pytest.approx(best, abs=1e-6)


def as_written(given: Instance, clauses: list[tuple[int, ...]], complexity: Complexity) -> float:
    """Solve the relaxation of the master program as it is written: a share of each clause, and of each row left out."""
    covered = np.array([[all(row[literal] for literal in clause) for clause in clauses] for row in given.met])
    positive, sizes = given.positive, np.array([len(clause) for clause in clauses])
    lengths = complexity.clause + complexity.literal * sizes if complexity.most is None else np.zeros(len(clauses))
    costs = [*(given.weight[~positive] @ covered[~positive] + lengths), *given.weight[positive]]
    left, right = -np.hstack([covered[positive], np.eye(positive.sum())]), -np.ones(positive.sum())
    if complexity.most is not None:
        left, right = np.vstack([left, [*(1 + sizes), *np.zeros(positive.sum())]]), np.append(right, complexity.most)
    return float(linprog(costs, A_ub=left, b_ub=right).fun)


@pytest.mark.parametrize("seed", range(30))
def test_prices_are_those_of_the_program_as_it_is_written(seed):
    given = instance(seed, literals=6)
    complexity = CHEAP if seed % 2 else Complexity(0, 0, most=float(2 + seed % 5))
    clauses = all_clauses(6, 1 + seed % 3)
    value, prices = module._relaxation(given, clauses, given.coverage(clauses), complexity)
    assert value == pytest.approx(as_written(given, clauses, complexity), abs=1e-9)
    # At these prices no clause gains, a row is worth its weight at most, and what all rows are worth is the value.
    worth = -prices.rows[given.positive]
    assert min(prices.of(given, clause) for clause in clauses) > -1e-9
    assert (worth >= 0).all()
    assert (worth <= given.weight[given.positive] + 1e-12).all()
    bound = 0.0 if complexity.most is None else complexity.most * prices.clause
    assert worth.sum() - bound == pytest.approx(value, abs=1e-9)


def test_the_choice_is_better_than_one_by_one():
    # The third literal covers most, but then the first two are needed all the same.
    met = np.array([[1, 0, 0], [1, 0, 1], [1, 0, 1], [0, 1, 1], [0, 1, 1], [0, 1, 0], [0, 0, 0]], dtype=bool)
    found = generate(Instance.of(met, met.any(axis=1)), CHEAP, BeamSearch(), limits())
    assert found.chosen == [(0,), (1,)]


@pytest.mark.parametrize("seed", range(30))
def test_the_choice_is_the_best_of_the_clauses_found(seed):
    given = instance(seed, literals=4, rows=25)
    found = generate(given, CHEAP, ExactSearch(4), limits())
    assert len(found.clauses) <= 14
    choices = itertools.chain.from_iterable(
        itertools.combinations(found.clauses, size) for size in range(len(found.clauses) + 1)
    )
    best = min(objective(given, list(choice), CHEAP) for choice in choices)
    assert found.objective == pytest.approx(best, abs=1e-9)
    assert found.relaxed <= best + 1e-9


@pytest.mark.parametrize("seed", range(30))
def test_a_bound_on_complexity_is_kept(seed):
    given = instance(seed, literals=8)
    found = generate(given, Complexity(0, 0, most=5.0), BeamSearch(), limits())
    assert sum(1 + len(clause) for clause in found.chosen) <= 5


@pytest.mark.parametrize("seed", range(60))
def test_the_beam_returns_only_clauses_of_negative_reduced_cost(seed):
    rng = np.random.default_rng(seed)
    given = instance(seed, literals=10)
    rows = np.where(given.positive, -rng.random(len(given.weight)), rng.random(len(given.weight))) * given.weight
    prices = Prices(rows, 0.005, 0.002)
    best = min(prices.of(given, clause) for clause in all_clauses(10, 4))
    found = BeamSearch(width=3, deepest=4, most=7).find(given, prices)
    assert len(found) <= 7
    costs = []
    for clause in found:
        mask = np.array([all(row[literal] for literal in clause) for row in given.met])
        costs.append(0.005 + 0.002 * len(clause) + rows[mask].sum())
    assert all(best - 1e-9 <= cost < 0 for cost in costs)
    wide = BeamSearch(width=500, deepest=4, most=1).find(given, prices)
    assert [prices.of(given, clause) for clause in wide] == ([pytest.approx(best)] if best < -1e-7 else [])
    exact = ExactSearch(4).find(given, prices)
    assert [prices.of(given, clause) for clause in exact] == ([pytest.approx(best)] if best < -1e-7 else [])


def test_equal_rows_are_one_with_a_weight():
    met = np.array([[True, False]] * 3 + [[False, True]])
    given = Instance.of(met, np.array([True, True, False, True]))
    assert sorted(given.weight.tolist()) == [0.25, 0.25, 0.5]
    assert given.weight.sum() == 1


def test_limits_return_the_best_so_far():
    given = instance(1, literals=12)
    one = generate(given, CHEAP, BeamSearch(), limits(1))
    assert isinstance(one, Columns)
    assert not one.finished
    assert one.rounds == 1
    late = generate(given, CHEAP, BeamSearch(), Limits.of(1000, -1.0))
    assert not late.finished
    assert late.objective <= given.weight[given.positive].sum() + 1e-9
    assert generate(given, CHEAP, BeamSearch(), limits()).objective <= late.objective + 1e-9


@pytest.mark.parametrize("most", [None, 3.0, 5.0])
def test_without_time_for_the_integer_program_clauses_are_chosen_one_by_one(monkeypatch, most):
    given = instance(2, literals=8)
    complexity = CHEAP if most is None else Complexity(0, 0, most=most)
    best = generate(given, complexity, BeamSearch(), limits())
    monkeypatch.setattr(choosing, "milp", lambda *_, **__: SimpleNamespace(x=None))
    found = generate(given, complexity, BeamSearch(), limits())
    assert best.objective <= found.objective < given.weight[given.positive].sum()
    assert found.chosen
    assert sum(1 + len(clause) for clause in found.chosen) <= (most or np.inf)


def test_an_integer_program_that_is_large_is_begun_with_a_clock_only(monkeypatch):
    given = instance(3, literals=8)
    solved = generate(given, CHEAP, BeamSearch(), limits())
    asked = []
    program = choosing.milp
    monkeypatch.setattr(choosing, "milp", lambda *a, **k: asked.append(set(k["options"])) or program(*a, **k))
    assert generate(given, CHEAP, BeamSearch(), limits()).chosen == solved.chosen
    assert asked == [{"node_limit"}]
    monkeypatch.setattr(choosing, "MOST_CELLS", 0)
    assert generate(given, CHEAP, BeamSearch(), limits()).objective == pytest.approx(solved.objective)
    assert len(asked) == 1
    assert generate(given, CHEAP, BeamSearch(), Limits.of(1000, 60.0)).chosen == solved.chosen
    assert asked[1:] == [{"time_limit"}]


@pytest.mark.parametrize("complexity", [Complexity(0.005, 0.005), Complexity(0, 0, most=12.0)])
def test_exchanging_clauses_comes_near_to_the_best_choice(monkeypatch, complexity):
    best, exchanged, greedy = np.array([_three_ways(monkeypatch, seed, complexity) for seed in range(20)]).T
    assert (best <= exchanged + 1e-9).all()
    assert (exchanged <= greedy + 1e-9).all()
    assert (greedy > best + 1e-9).sum() >= 5  # there is something to find,
    assert (exchanged > best + 1e-9).sum() <= 3  # and it is found but for a few


def _three_ways(monkeypatch, seed: int, complexity: Complexity) -> tuple[float, ...]:
    """Return what a choice costs that is made by integer program, by exchanging, and clause by clause."""
    half = np.random.default_rng(seed).random((150, 5)) < 0.5
    given = Instance.of(np.hstack([half, ~half]), half.sum(axis=1) % 3 == 1)  # no few clauses say when
    found = []
    for cells, tries in ((10**9, 0), (0, 2000), (0, 0)):
        monkeypatch.setattr(choosing, "MOST_CELLS", cells)
        monkeypatch.setattr(choosing, "MOST_TRIES", tries)
        found.append(generate(given, complexity, BeamSearch(), limits()))
    assert sum(1 + len(clause) for clause in found[1].chosen) <= (complexity.most or np.inf)
    return tuple(one.objective for one in found)


def test_no_literal_that_separates_gives_no_clause():
    met = np.ones((10, 2), dtype=bool)
    given = Instance.of(met, np.arange(10) % 3 == 0)
    assert generate(given, CHEAP, BothSearches(BeamSearch(), ExactSearch()), limits()).chosen == []


def test_rows_count_by_their_weight():
    met = np.array([[True, False]] * 3 + [[False, True]])
    given = Instance.of(met, np.array([True, True, False, True]), np.array([1.0, 2.0, 0.5, 0.5]))
    assert sorted(given.weight.tolist()) == [0.125, 0.125, 0.75]


def test_a_known_clause_is_chosen_among_those_that_are_generated():
    blind = BeamSearch(deepest=0)
    met = np.array([[True, True], [True, False], [False, True], [False, False]] * 5)
    given = Instance.of(met, met.all(axis=1))
    assert generate(given, CHEAP, blind, limits()).chosen == []
    assert generate(given, CHEAP, blind, limits(), [(0, 1)]).chosen == [(0, 1)]
    # Without literals, there is still the clause that covers every row.
    bare = Instance.of(np.ones((4, 0), dtype=bool), np.array([True, True, True, False]))
    assert generate(bare, CHEAP, BeamSearch(), limits(), [()]).chosen == [()]
    assert generate(bare, CHEAP, BeamSearch(), limits()).chosen == []
