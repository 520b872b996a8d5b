"""Selection: base rows by integer program, 200,000 candidates x 20 overlapping rules; and nearest neighbours.

Prints seconds (the best of three), how small the program becomes and what it reaches. Where it can be done in time, the
program as the paper writes it, with a variable for every row, is solved too: its optimum is compared, so that nothing
is timed that is not the same. Run it with `make benchmark`.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from frote.generation.space import Points, nearest, nearest_with_distances
from frote.selection.program import BORDERLINE, kinds_of, solve
from timing import timed

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


def measure(name: str, covered: NDArray[np.bool_], rng: np.random.Generator, *, compare: bool) -> None:
    """Time one program and print a line."""
    counts = covered[:, covered.any(axis=0)]
    rules, rows = counts.shape
    weights = np.where(rng.random(rows) < 0.2, BORDERLINE, 1.0)
    lower, upper = np.full(rules, LEAST), np.full(rules, MOST)
    seconds, chosen = timed(lambda: solve(weights, counts, lower, upper, np.random.default_rng(0)))
    reached, kinds = float(weights[chosen].sum()), int(kinds_of(weights, counts).max()) + 1
    line = f"{name:<12}{rows:>10,}{rules:>7}{kinds:>9,}{seconds:>9.2f}s{reached:>11.0f}"
    if compare:
        whole, optimum = timed(lambda: as_written(weights, counts), repeat=1)
        assert np.isclose(reached, optimum)
        line += f"{whole:>11.2f}s{whole / seconds:>8.0f}x"
    print(line, flush=True)


def search(rows: int, queries: int, rng: np.random.Generator) -> None:
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
    print(
        f"\n5 nearest of {rows:,} for {queries} rows: {1e3 * seconds:.0f} ms; "
        f"all distances: {1e3 * all_seconds:.0f} ms ({all_seconds / seconds:.1f}x)"
    )


def against_tree(rows: int, queries: int, dimensions: int, rng: np.random.Generator) -> None:
    """Time nearest neighbours among numbers, for as few rows as a step asks for, against a tree built for them."""
    points = Points(rng.normal(size=(rows, dimensions)), np.empty((0, rows), dtype=np.int8))
    asked, among = rng.choice(rows, queries, replace=False), np.arange(rows)
    seconds, found = timed(lambda: nearest(points, asked, among, 5))
    tree_seconds, (_, places) = timed(lambda: cKDTree(points.numbers).query(points.numbers[asked], k=6))
    assert np.array_equal(np.sort(found, axis=1), np.sort(np.asarray(places)[:, 1:], axis=1))
    print(
        f"5 nearest of {rows:,} for {queries} rows in {dimensions} dimensions: {1e3 * seconds:.0f} ms; "
        f"cKDTree with its building: {1e3 * tree_seconds:.0f} ms ({tree_seconds / seconds:.1f}x)"
    )


def main(rows: int, rules: int) -> None:
    rng = np.random.default_rng(0)
    print("rules       candidates  rules    kinds    solve  objective  as written   ratio")
    few, some = min(rows, 10_000), min(rules, 10)
    measure("boxes", boxes(few, some, rng), rng, compare=True)
    measure("scattered", scattered(few, some, rng, 0.1), rng, compare=True)
    measure("boxes", boxes(rows, rules, rng), rng, compare=False)
    measure("scattered", scattered(rows, rules, rng, 0.1), rng, compare=False)
    measure("everywhere", everywhere(rows, rules, rng), rng, compare=False)
    search(45_000, 200, rng)
    for dimensions in (4, 12, 30):
        against_tree(50_000, 67, dimensions, rng)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--rules", type=int, default=20)
    options = parser.parse_args()
    main(options.rows, options.rules)
