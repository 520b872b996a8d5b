"""Masks of 100 rules x 5 conditions over 1,000,000 rows x 12 mixed columns, against pandas on the same frame.

Seconds (the best of three) and ratios of one run, once with string columns and once with category columns.
The masks are compared, so that nothing is timed that is not the same. Run it with `make benchmark`.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd

from frote import RuleSet, Table, col
from frote.coverage.matrix import cover
from results import keep
from timing import timed

if TYPE_CHECKING:
    from numpy.typing import NDArray

Test: TypeAlias = tuple[str, str, Any]

TITLE = "Masks of rules, in seconds, against pandas on the same frame"
HEADS = (
    ("columns", "columns", "", ""),
    ("encode", "encode", "", ".2f"),
    ("masks", "masks", "", ".2f"),
    ("query", "query", "", ".2f"),
    ("indexing", "indexing", "", ".2f"),
    ("query / masks", "to_query", "", ".1f"),
    ("query / both", "to_query_both", "", ".1f"),
    ("indexing / masks", "to_indexing", "", ".1f"),
)

LEVELS = {"c0": 5, "c1": 8, "c2": 16, "c3": 30, "c4": 50}
FLOATS = ("f0", "f1", "f2", "f3")
WHOLES = ("i0", "i1", "i2")


def make_frame(rows: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return 12 mixed columns: 5 of strings, 4 of floats, 3 of whole numbers."""
    data: dict[str, object] = {name: rng.normal(size=rows) for name in FLOATS}
    data |= {name: rng.integers(0, 100, size=rows) for name in WHOLES}
    for name, count in LEVELS.items():
        levels = np.array([f"{name} level {i}" for i in range(count)])
        data[name] = pd.Series(levels[rng.integers(0, count, size=rows)], dtype="str")
    return pd.DataFrame(data)


def make_rules(count: int, rng: np.random.Generator) -> tuple[RuleSet, list[str], list[list[Test]]]:
    """Return rules of five conditions each: as rules, as query texts, and as tests of a frame's columns."""
    rules, queries, tests = RuleSet(), [], []
    for number in range(count):
        bounds = {str(name): round(float(rng.normal()), 2) for name in rng.choice(FLOATS, 2, replace=False)}
        whole, least = str(rng.choice(WHOLES)), int(rng.integers(10, 60))
        one, other = (str(name) for name in rng.choice(list(LEVELS), 2, replace=False))
        level = f"{one} level {rng.integers(LEVELS[one])}"
        some = [f"{other} level {i}" for i in rng.choice(LEVELS[other], 3, replace=False)]
        (f, f_bound), (g, g_bound) = bounds.items()
        expression = (col(f) < f_bound) & (col(g) < g_bound) & (col(whole) >= least) & (col(one) != level)
        rules = rules + (expression & col(other).isin(some)).then("yes", name=f"r{number}")
        queries.append(
            f"{f} < {f_bound} and {g} < {g_bound} and {whole} >= {least} and {one} != '{level}' and {other} in {some}"
        )
        tests.append(
            [(f, "lt", f_bound), (g, "lt", g_bound), (whole, "ge", least), (one, "ne", level), (other, "isin", some)]
        )
    return rules, queries, tests


def index_by(frame: pd.DataFrame, tests: list[Test]) -> NDArray[np.bool_]:
    """Return the mask of one rule by boolean indexing."""
    found: NDArray[np.bool_] = np.logical_and.reduce([getattr(frame[name], how)(value) for name, how, value in tests])
    return found


def measure(
    kind: str, frame: pd.DataFrame, rules: RuleSet, queries: list[str], tests: list[list[Test]]
) -> dict[str, Any]:
    """Time one kind of frame."""
    encode, table = timed(lambda: Table.from_frame(frame))
    masks, covered = timed(lambda: cover(rules, table))
    query, selected = timed(lambda: [frame.query(text).index.to_numpy() for text in queries])
    indexing, indexed = timed(lambda: [index_by(frame, test) for test in tests])
    for mine, by_query, by_index in zip(covered, selected, indexed, strict=True):
        assert np.array_equal(np.flatnonzero(mine), by_query)
        assert np.array_equal(mine, by_index)
    seconds = {"encode": encode, "masks": masks, "query": query, "indexing": indexing}
    ratios = {"to_query": query / masks, "to_query_both": query / (encode + masks), "to_indexing": indexing / masks}
    return {"columns": kind, **seconds, **ratios}


def main(rows: int, count: int) -> None:
    rng = np.random.default_rng(0)
    strings = make_frame(rows, rng)
    rules, queries, tests = make_rules(count, rng)
    categories = strings.astype(dict.fromkeys(LEVELS, "category"))
    kinds = {"string": strings, "category": categories}
    lines = [measure(kind, frame, rules, queries, tests) for kind, frame in kinds.items()]
    keep("masks", TITLE, HEADS, lines, repeats=3, rules=count, rows=rows, columns=strings.shape[1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rules", type=int, default=100)
    options = parser.parse_args()
    main(options.rows, options.rules)
