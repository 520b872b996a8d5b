"""Rules over a small world, decided by brute force: every row there is, tested in plain Python.

Each column has a few values: at least one in every stretch that the literals below tell apart. So what holds for the
product of these values, missing among them, holds for every row that there can be. Conditions are drawn as trees,
which are made into conditions by the package and evaluated here without it.
"""

from __future__ import annotations

import datetime as dt
import functools
import itertools
import math
import operator
from dataclasses import replace

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from frote.rules import Clause, Condition
from frote.table import Schema, Table

NEXT = math.nextafter(1.0, 2.0)
LEVELS = ("a", "b", "2", "02", "2024-03-01", "true")

VALUES = {
    "whole": [-2, -1, 0, 1, 2, 3, 4, None],
    "real": [-math.inf, -1.5, 0.0, 0.25, 0.5, 0.75, 1.0, NEXT, 1.5, 2.0, 1e300, None],
    "word": [*LEVELS, None],
    "flag": [False, True, None],
    "date": [
        dt.datetime(2023, 12, 31),
        dt.datetime(2024, 1, 1),
        dt.datetime(2024, 1, 1, 0, 0, 1),
        dt.datetime(2024, 2, 1),
        dt.datetime(2024, 3, 1),
        dt.datetime(2024, 3, 1, 12),
        None,
    ],
}

# Literals with what they mean; a literal that no value means ("zz", half a second) is among them.
LITERALS = {
    "whole": {-1: -1, 0: 0, 0.5: 0.5, 1: 1, 2.5: 2.5, 3: 3},
    "real": {0: 0, 0.5: 0.5, 1.0: 1.0, NEXT: NEXT, 2: 2},
    "word": {"a": "a", "b": "b", 2: "2", "2": "2", "02": "02", dt.date(2024, 3, 1): LEVELS[4], "TRUE": "true", "zz": 0},
    "flag": {"true": True, "False": False},
    "digit": {1: True, 0: False},
    "date": {
        "2024-01-01": dt.datetime(2024, 1, 1),
        dt.datetime(2024, 1, 1, 0, 0, 0, 500_000): dt.datetime(2024, 1, 1, 0, 0, 0, 500_000),
        dt.datetime(2024, 1, 1, 0, 0, 1): dt.datetime(2024, 1, 1, 0, 0, 1),
        dt.date(2024, 3, 1): dt.datetime(2024, 3, 1),
    },
}  # fmt: skip

COMPARE = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_PLACES = np.array(list(itertools.product(*(range(len(values)) for values in VALUES.values()))))
PLACES = dict(zip(VALUES, _PLACES.T, strict=True))


def _column(name: str) -> list:
    return [VALUES[name][place] for place in PLACES[name]]


FRAME = pd.DataFrame(
    {
        "whole": pd.array(_column("whole"), dtype="Int64"),
        "real": np.array(_column("real"), dtype=float),
        "word": pd.Categorical(_column("word"), categories=LEVELS),
        "flag": pd.array(_column("flag"), dtype="boolean"),
        "date": np.array(_column("date"), dtype="datetime64[s]"),
    }
)
TABLE = Table.from_frame(FRAME)
SCHEMA = TABLE.schema
# The same world if its types had no missing values, as those of whole numbers and truth values may have none.
GAPLESS = Schema(tuple(replace(column, nullable=False) for column in SCHEMA))


@functools.cache  # strategies are slow to build
def trees(column: str) -> st.SearchStrategy:
    """Draw conditions on a column; those on flags speak of words or of digits, not of both."""
    if column == "flag":
        return st.one_of(_trees("flag", "= !="), _trees("digit", "= !="))
    return _trees(column, "= !=" if column == "word" else "= != < <= > >=")


def _trees(vocabulary: str, operators: str) -> st.SearchStrategy:
    literals = st.sampled_from(list(LITERALS[vocabulary]))
    leaves = st.one_of(
        st.tuples(st.just(vocabulary), st.sampled_from(operators.split()), literals),
        st.tuples(st.just(vocabulary), st.just("in"), st.lists(literals, max_size=3)),
        st.just((vocabulary, "missing", None)),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(st.just("not"), inner),
            st.tuples(st.sampled_from(["and", "or"]), inner, inner),
        ),
        max_leaves=4,
    )


def build(tree: tuple) -> Condition:
    """Make a tree into a condition, by the package."""
    match tree:
        case ("not", inner):
            return ~build(inner)
        case ("and", one, other):
            return build(one) & build(other)
        case ("or", one, other):
            return build(one) | build(other)
        case (_, "missing", _):
            return Condition.is_missing()
        case (_, "in", literals):
            return Condition.among(literals)
        case (_, sign, literal):
            return Condition.compare(sign, literal)
    raise AssertionError(tree)


def holds(tree: tuple, value: object) -> bool:
    """Tell whether a value meets a condition, in plain Python."""
    match tree:
        case ("not", inner):
            return not holds(inner, value)
        case ("and", one, other):
            return holds(one, value) and holds(other, value)
        case ("or", one, other):
            return holds(one, value) or holds(other, value)
        case (_, "missing", _):
            return value is None
        case (vocabulary, "in", literals):
            return value is not None and value in [LITERALS[vocabulary][literal] for literal in literals]
        case (vocabulary, sign, literal):
            return value is not None and COMPARE[sign](value, LITERALS[vocabulary][literal])
    raise AssertionError(tree)


@functools.cache
def boxes(columns: tuple[str, ...] = tuple(VALUES)) -> st.SearchStrategy:
    """Draw clauses, as a mapping from columns to trees."""
    return st.fixed_dictionaries({}, optional={name: trees(name) for name in columns})


def clause(box: dict) -> Clause:
    """Make a box into a clause, by the package."""
    return Clause.of({name: build(tree) for name, tree in box.items()})


def rows(box: dict) -> np.ndarray:
    """Tell for every row there is whether it satisfies a clause, in plain Python."""
    found = np.ones(len(FRAME), dtype=bool)
    for name, tree in box.items():
        found &= np.array([holds(tree, value) for value in VALUES[name]])[PLACES[name]]
    return found


def one_row(witness: dict, *, frame: pd.DataFrame = FRAME) -> pd.DataFrame:
    """Return a row of the world's types that holds the witness's values; of other columns, any."""
    row = frame.iloc[[0]].reset_index(drop=True)
    for name, value in witness.items():
        row[name] = pd.Series([value], dtype=frame[name].dtype)
    return row
