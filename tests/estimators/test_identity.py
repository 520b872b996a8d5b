"""What makes a run what it is, as text: equal for equal settings, in any process; another for any other."""

from __future__ import annotations

import datetime as dt
import functools
import itertools
import os
import pathlib
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lightgbm import LGBMClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, fbeta_score, make_scorer
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import frote
from frote.estimators.identity import described, versions

LEAVES = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.text(max_size=3)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


def typed(value):
    """Return a value by which 1, 1.0 and True are three."""
    if isinstance(value, list):
        return ["list", *map(typed, value)]
    if isinstance(value, dict):
        return {key: typed(held) for key, held in value.items()}
    return type(value).__name__, repr(value)


@given(VALUES, VALUES)
def test_equal_settings_have_equal_texts_and_others_have_not(one, two):
    assert described(one) == described(one)
    assert (described(one) == described(two)) == (typed(one) == typed(two))


class Plain:
    """Has no text of its own."""

    def __init__(self, **held):
        vars(self).update(held)


class Own(Plain):
    def __repr__(self):
        return f"Own at {hex(id(self))}"


def add(number, step=1):
    return number + step


def adder(step):
    return lambda number: number + step


def itself():
    """Return a function that holds itself, in a closure."""

    def count(number):
        return 0 if number == 0 else 1 + count(number - 1)

    return count


def ring():
    one = Plain(name="one")
    one.next = Plain(name="two", next=one)
    return one


# In each group no two are equal; all are made twice, by calls.
GROUPS = {
    "numbers": lambda: [1, 1.0, True, "1", None, "None", 2**70, float("nan"), float("inf"), 1e-300, b"1"],
    "containers": lambda: [[], (), {}, set(), [1], (1,), {1}, {1: 1}, [[1]], [1, 2], [2, 1], {1: 2}, {2: 1}, {1, 2}],
    "arrays": lambda: [
        np.array([1, 2]),
        np.array([1, 3]),
        np.array([1.0, 2.0]),
        np.array([[1, 2]]),
        np.array([1, 2], dtype=np.int8),
        np.array(["1", "2"]),
        np.array([1, "2"], dtype=object),
        np.array(["1", "2"], dtype=object),
        np.array([1.0, np.nan]),
        np.array([Plain(a=1)], dtype=object),
        np.array([Plain(a=2)], dtype=object),
    ],
    "frames": lambda: [
        pd.DataFrame({"a": [1, 2]}),
        pd.DataFrame({"a": [1, 3]}),
        pd.DataFrame({"b": [1, 2]}),
        pl.DataFrame({"a": [1, 2]}),
        pd.Series([1, 2]),
        pd.Series([1, 3]),
        pd.Series(["1", "2"]),
        (pd.DataFrame({"a": [1, 2]}), ["no", "yes"]),
        (pd.DataFrame({"a": [1, 2]}), ["yes", "no"]),
    ],
    "estimators": lambda: [
        LogisticRegression(),
        LogisticRegression(C=2.0),
        LogisticRegression(C=2),
        LogisticRegression(class_weight={"no": 1, "yes": 2}),
        LogisticRegression(class_weight={"no": 2, "yes": 1}),
        RandomForestClassifier(random_state=0),
        RandomForestClassifier(random_state=np.random.RandomState(0)),
        RandomForestClassifier(random_state=np.random.RandomState(1)),
        LogisticRegression,
        make_pipeline(StandardScaler(), LogisticRegression()),
        make_pipeline(StandardScaler(with_mean=False), LogisticRegression()),
        make_pipeline(LogisticRegression(), StandardScaler()),
        make_pipeline(FunctionTransformer(np.log1p), LogisticRegression()),
        make_pipeline(FunctionTransformer(np.log2), LogisticRegression()),
        frote.default_pipeline(),
        frote.default_pipeline(LGBMClassifier(n_estimators=3)),
    ],
    "functions": lambda: [
        add,
        adder,
        adder(1),
        adder(2),
        lambda number: number + 1,
        lambda number: number + 2,
        lambda number: number.real,
        lambda number: number.imag,
        lambda number, step=1: number + step,
        lambda number, step=2: number + step,
        lambda number, *, step=1: number + step,
        lambda number, *, step=2: number + step,
        lambda number: (lambda: number + 1)(),
        lambda number: (lambda: number + 2)(),
        lambda word: word in {"a", "b", "c", "d"},
        lambda word: word in {"a", "b", "c", "e"},
        functools.partial(add, 1),
        functools.partial(add, 2),
        functools.partial(add, step=2),
        itself(),
        len,
        np.log1p,
        np.log2,
        "a b".split,
        make_scorer(f1_score, average="macro"),
        make_scorer(f1_score, average="micro"),
        make_scorer(fbeta_score, beta=2),
    ],
    "others": lambda: [
        np.random.RandomState(0),
        np.random.RandomState(1),
        np.random.default_rng(0),
        np.random.default_rng(1),
        Plain(),
        Plain(a=1),
        Plain(a=2),
        Plain(b=1),
        Own(),
        ring(),
        KFold(3),
        KFold(4),
        KFold(3, shuffle=True, random_state=1),
        pathlib.PurePosixPath("a"),
        pathlib.PurePosixPath("b"),
        dt.date(2024, 1, 1),
        dt.date(2024, 1, 2),
        Plain,
        Own,
    ],
}


@pytest.mark.parametrize("group", GROUPS)
def test_each_has_a_text_of_its_own(group):
    once, twice = (list(map(described, GROUPS[group]())) for _ in range(2))
    assert once == twice
    alike = [(one, two) for one, two in itertools.combinations(range(len(once)), 2) if once[one] == once[two]]
    assert not alike
    assert not any(" at 0x" in text for text in once)


def test_numbers_of_numpy_are_those_of_python():
    assert described(np.int64(5)) == described(5)
    assert described(np.float64(0.5)) == described(0.5)
    assert described(np.bool_(True)) == described(True)
    assert described({"k": [np.int8(3)]}) == described({"k": [3]})


def test_order_matters_where_it_does():
    assert described({"a": 1, "b": 2}) == described({"b": 2, "a": 1})
    assert described({"x", "y", "z"}) == described({"z", "y", "x"})
    assert described(["x", "y"]) != described(["y", "x"])


def test_a_generator_that_was_used_is_another():
    chance = np.random.RandomState(0)
    before = described(chance)
    chance.normal()
    assert described(chance) != before


def test_series_of_any_kind():
    assert described(pd.Series(["no", "yes"], name="y")) == described(pl.Series(["no", "yes"]))
    assert described(pd.Series(["no", "yes"], index=[5, 6])) == described(pd.Series(["no", "yes"]))


def texts():
    return [described(value) for group in GROUPS.values() for value in group()]


def test_another_process_says_the_same():
    # Its hashes of texts are others, so sets and dicts have another order there.
    code = f"import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parents[2])!r}); "
    code += "from tests.estimators.test_identity import texts; print(repr(texts()))"
    environment = {**os.environ, "PYTHONHASHSEED": "1234", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.strip() == repr(texts())


def test_versions_of_what_the_bytes_depend_on():
    found = versions(frote.default_pipeline(LGBMClassifier()))
    assert list(found) == ["python", "frote", "numpy", "pandas", "scikit-learn", "scipy", "lightgbm"]
    assert found["numpy"] == np.__version__
    assert found["python"] == ".".join(map(str, sys.version_info[:3]))
    assert list(versions(Own())) == ["python", "frote", "numpy", "pandas", "scikit-learn", "scipy"]
