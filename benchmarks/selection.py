"""Selection: base rows by integer program, 200,000 candidates x 20 overlapping rules; and nearest neighbours.

Seconds (the best of three), how small the program becomes and what it reaches. Where it can be done in time, the
program as the paper writes it, with a variable for every row, is solved too: its optimum is compared, so that nothing
is timed that is not the same. Run it with `make benchmark`.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from frote.generation.space import Points, nearest, nearest_with_distances
from frote.selection.program import BORDERLINE, kinds_of, solve
from results import keep
from timing import timed

if TYPE_CHECKING:
    from numpy.typing import NDArray


PROGRAMS = "Base rows by integer program, in seconds"
PROGRAM_HEADS = (
    ("rules", "rules", "", ""),
    ("candidates", "candidates", "", ",.0f"),
    ("how many rules", "count", "", ".0f"),
    ("kinds", "kinds", "", ",.0f"),
    ("solve", "solve", "", ".2f"),
    ("objective", "objective", "", ".0f"),
    ("as written", "as_written", "", ".2f"),
    ("ratio", "ratio", "", ".0f"),
)
NEIGHBOURS = "The five nearest rows, in milliseconds"
NEIGHBOUR_HEADS = (
    ("rows", "rows", "", ",.0f"),
    ("asked for", "queries", "", ".0f"),
    ("columns", "columns", "", ""),
    ("ours", "ms", "", ".0f"),
    ("against", "other", "", ""),
    ("that", "other_ms", "", ".0f"),
    ("ratio", "ratio", "", ".1f"),
)
LEAST, MOST = 6, 10  # bounds of each rule: k + 1, and 200 rows shared by 20 rules
LEVELS = np.linspace(5, 40, 8).astype(int)


def boxes(rows: int, rules: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return what rules of two conditions cover: a fifth of the rows or so each, and many of them alone."""
    data = rng.random((4, rows))
    covered = np.ones((rules, rows), dtype=bool)
    for mask in covered:
        for column in rng.choice(4, 2, replace=False):
            low = 0.6 * rng.random()
            mask &= (data[column] > low) & (data[column] < low + 0.4)
    return covered


def scattered(rows: int, rules: int, rng: np.random.Generator, share: float) -> NDArray[np.bool_]:
    """Return rules that cover rows without any order."""
    return np.asarray(rng.random((rules, rows)) < share)


def everywhere(rows: int, rules: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return rules such that every row counts for several: what is hardest for a solver."""
    covered = scattered(rows, rules, rng, 0.25)
    covered[:, covered.sum(axis=0) < 2] = False
    return covered


def as_written(weights: NDArray[np.float64], counts: NDArray[np.bool_]) -> float:
    """Solve equation 5 with a variable for every row."""
    found = milp(
        -weights,
        constraints=[LinearConstraint(counts.astype(np.float64), LEAST, MOST)],
        bounds=Bounds(0, 1),
        integrality=np.ones(len(weights), dtype=np.int64),
        options={"mip_rel_gap": 0.0},
    )
    assert found.fun is not None, found.message
    return -float(found.fun)


def measure(name: str, covered: NDArray[np.bool_], rng: np.random.Generator, *, compare: bool) -> dict[str, Any]:
    """Time one program."""
    counts = covered[:, covered.any(axis=0)]
    rules, rows = counts.shape
    weights = np.where(rng.random(rows) < 0.2, BORDERLINE, 1.0)
    lower, upper = np.full(rules, LEAST), np.full(rules, MOST)
    seconds, chosen = timed(lambda: solve(weights, counts, lower, upper, np.random.default_rng(0)))
    reached, kinds = float(weights[chosen].sum()), int(kinds_of(weights, counts).max()) + 1
    line = {"rules": name, "candidates": rows, "count": rules, "kinds": kinds, "solve": seconds, "objective": reached}
    if not compare:
        return {**line, "as_written": None, "ratio": None}
    whole, optimum = timed(lambda: as_written(weights, counts), repeat=1)
    assert np.isclose(reached, optimum)
    return {**line, "as_written": whole, "ratio": whole / seconds}


def search(rows: int, queries: int, rng: np.random.Generator) -> dict[str, Any]:
    """Time nearest neighbours in 4 numbers and 8 categories, against all distances and a partition."""
    codes = np.stack([rng.integers(0, levels, rows) for levels in LEVELS]).astype(np.int8)
    points = Points(rng.normal(size=(rows, 4)), codes)
    asked, among = rng.choice(rows, queries, replace=False), np.arange(rows)

    def plain() -> NDArray[np.float64]:
        distances = cdist(points.numbers[asked], points.numbers, "sqeuclidean")
        for column in points.codes:
            distances += column[asked][:, np.newaxis] != column
        distances[np.arange(queries), asked] = np.inf
        return np.sort(np.partition(distances, 4, axis=1)[:, :5], axis=1)

    seconds, (_, distances) = timed(lambda: nearest_with_distances(points, asked, among, 5))
    all_seconds, expected = timed(plain)
    assert np.allclose(distances, expected)
    return _searched(rows, queries, "4 numbers, 8 categories", seconds, "all distances", all_seconds)


def against_tree(rows: int, queries: int, dimensions: int, rng: np.random.Generator) -> dict[str, Any]:
    """Time nearest neighbours among numbers, for as few rows as a step asks for, against a tree built for them."""
    points = Points(rng.normal(size=(rows, dimensions)), np.empty((0, rows), dtype=np.int8))
    asked, among = rng.choice(rows, queries, replace=False), np.arange(rows)
    seconds, found = timed(lambda: nearest(points, asked, among, 5))
    tree_seconds, (_, places) = timed(lambda: cKDTree(points.numbers).query(points.numbers[asked], k=6))
    assert np.array_equal(np.sort(found, axis=1), np.sort(np.asarray(places)[:, 1:], axis=1))
    return _searched(rows, queries, f"{dimensions} numbers", seconds, "cKDTree with its building", tree_seconds)


def _searched(
    rows: int, queries: int, columns: str, seconds: float, other: str, other_seconds: float
) -> dict[str, Any]:
    line: dict[str, Any] = {"rows": rows, "queries": queries, "columns": columns, "ms": 1e3 * seconds}
    return {**line, "other": other, "other_ms": 1e3 * other_seconds, "ratio": other_seconds / seconds}


def main(rows: int, rules: int) -> None:
    rng = np.random.default_rng(0)
    few, some = min(rows, 10_000), min(rules, 10)
    programs = [
        measure("boxes", boxes(few, some, rng), rng, compare=True),
        measure("scattered", scattered(few, some, rng, 0.1), rng, compare=True),
        measure("boxes", boxes(rows, rules, rng), rng, compare=False),
        measure("scattered", scattered(rows, rules, rng, 0.1), rng, compare=False),
        measure("everywhere", everywhere(rows, rules, rng), rng, compare=False),
    ]
    keep("selection", PROGRAMS, PROGRAM_HEADS, programs, repeats=3, rows=rows, rules=rules)
    found = [search(45_000, 200, rng), *(against_tree(50_000, 67, dimensions, rng) for dimensions in (4, 12, 30))]
    keep("neighbours", NEIGHBOURS, NEIGHBOUR_HEADS, found, repeats=3, k=5)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rules", type=int, default=20)
    options = parser.parse_args()
    main(options.rows, options.rules)
