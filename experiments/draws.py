"""Simulated feedback: rules drawn from perturbed tree paths, and splits that put few covered rows into training.

Paths of a decision tree stand in for rules that explain a model. As in section 5.1 of the paper, an operator is
reversed, its value drawn anew and a condition of another rule added; rules that cover 5 to 25 % of the rows are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from frote import Clause, Condition, Outcome, Rule, RuleSet, Table
from frote.coverage.matrix import cover
from frote.datasets import load
from frote.table import Kind

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from frote.datasets import Dataset

__all__ = ["Draw", "draw"]

LEAST, MOST = 0.05, 0.25
POOL = 100


@dataclass(frozen=True)
class Test:
    """One condition of a path: a column, an operator and a value."""

    column: str
    operator: str
    value: Any

    def condition(self) -> Condition:
        return Condition.compare(self.operator, self.value)


@dataclass(frozen=True)
class Draw:
    """Rules, and a split of a data set into training and test rows."""

    data: Dataset
    rules: RuleSet
    train: NDArray[np.intp]
    test: NDArray[np.intp]


@cache
def pool_of(name: str) -> tuple[Dataset, Table, tuple[Rule, ...]]:
    """Return a data set with its pool of perturbed rules, always the same."""
    data = load(name)
    table, rng = Table.from_frame(data.X), np.random.default_rng(42)
    return data, table, tuple(perturbed(table, tree_paths(table, data.y, rng), rng))


def draw(name: str, number: int, *, rules: int, tcf: float) -> Draw:
    """Return draw `number` for a data set: the same rules whatever the share of covered rows in training."""
    data, table, pool = pool_of(name)
    chosen = conflict_free(pool, table, rules, np.random.default_rng([number, rules]))
    covered = cover(chosen, table).any(axis=0)
    split = np.random.default_rng([number, rules, round(1000 * tcf)])
    inside, outside = (split.permutation(np.flatnonzero(mask)) for mask in (covered, ~covered))
    at_in, at_out = round(tcf * len(inside)), round(0.8 * len(outside))
    train = np.sort(np.concatenate([inside[:at_in], outside[:at_out]]))
    test = np.sort(np.concatenate([inside[at_in:], outside[at_out:]]))
    return Draw(data, chosen, train, test)


def tree_paths(table: Table, y: pd.Series[Any], rng: np.random.Generator) -> list[tuple[list[Test], str]]:
    """Return the paths of a small tree as tests with the label of their leaf."""
    features: list[NDArray[np.float64]] = []
    names: list[tuple[str, Any]] = []
    for column in table.schema:
        values = table[column.name].values
        if column.kind.has_levels:
            for code, level in enumerate(column.levels):
                features.append((values == code).astype(float))
                names.append((column.name, level))
        else:
            features.append(values.astype(float))
            names.append((column.name, None))
    tree = DecisionTreeClassifier(max_depth=4, min_samples_leaf=20, random_state=int(rng.integers(2**31)))
    tree.fit(np.column_stack(features), np.asarray(y, dtype=object))
    nodes, found = tree.tree_, []

    def walk(node: int, tests: list[Test]) -> None:
        if nodes.children_left[node] < 0:
            label = str(tree.classes_[int(np.argmax(nodes.value[node][0]))])
            found.append((tests, label))
            return
        name, level = names[nodes.feature[node]]
        bound = float(nodes.threshold[node])
        if level is not None:
            left, right = Test(name, "!=", level), Test(name, "=", level)
        else:
            if table.schema[name].kind is Kind.INTEGER:
                bound = int(np.floor(bound))
            left, right = Test(name, "<=", bound), Test(name, ">", bound)
        walk(nodes.children_left[node], [*tests, left])
        walk(nodes.children_right[node], [*tests, right])

    walk(0, [])
    return [(tests, label) for tests, label in found if tests]


def perturbed(table: Table, paths: list[tuple[list[Test], str]], rng: np.random.Generator) -> list[Rule]:
    """Return a pool of rules, each a path with a reversed operator, a new value and a condition of another path."""
    reverse = {"=": "!=", "!=": "=", "<=": ">", ">": "<="}
    pool: list[Rule] = []
    seen: set[Clause] = set()
    for _ in range(200 * POOL):
        tests, label = paths[rng.integers(len(paths))]
        changed = list(tests)
        place = int(rng.integers(len(changed)))
        old = changed[place]
        changed[place] = Test(old.column, reverse[old.operator], new_value(table, old, rng))
        other = paths[rng.integers(len(paths))][0]
        changed.append(other[rng.integers(len(other))])
        clause = Clause()
        for test in changed:
            clause = clause & Clause.of({test.column: test.condition()})
        if clause in seen or clause.is_empty(table.schema):
            continue
        rule = Rule(f"r{len(pool)}", clause, Outcome.of(label))
        if LEAST <= cover(RuleSet([rule]), table)[0].mean() < MOST:
            seen.add(clause)
            pool.append(rule)
            if len(pool) == POOL:
                break
    return pool


def new_value(table: Table, test: Test, rng: np.random.Generator) -> Any:
    """Draw another value for a test: another level, or a number within the observed range."""
    column, data = table.schema[test.column], table[test.column]
    if column.kind.has_levels:
        others = [level for level in column.levels if level != test.value]
        return others[rng.integers(len(others))] if others else test.value
    low, high = data.values.min(), data.values.max()
    return int(rng.integers(low, high + 1)) if column.kind is Kind.INTEGER else float(rng.uniform(low, high))


def conflict_free(pool: tuple[Rule, ...], table: Table, size: int, rng: np.random.Generator) -> RuleSet:
    """Draw rules from a pool until so many of them stand together without conflict."""
    for _ in range(200):
        chosen: list[Rule] = []
        for place in rng.permutation(len(pool)):
            trial = RuleSet([*chosen, pool[place]])
            if not trial.conflicts(table.schema):
                chosen.append(pool[place])
            if len(chosen) == size:
                return RuleSet(chosen)
    raise ValueError(f"no {size} rules without conflict were found in a pool of {len(pool)}")
