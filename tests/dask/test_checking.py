"""Checks, coverage, conflicts, scores and comparisons of Dask frames are those of the same rows in memory."""

from __future__ import annotations

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.dummy import DummyClassifier
from tests.dask.made import RULES, table
from tests.dask.partitions import cut, ends_in, evenly
from tests.examples import examples

import dask
import frote
from frote.dask.comparing import compare_lazily
from frote.dask.scoring import score_lazily
from frote.exceptions import BindingError, TableError

CROSSED = frote.parse_rules("""
    a: IF age < 30.000 AND defaults IS MISSING OR income < 20K THEN yes
    b: IF purpose != boat AND since < 2021-06-01 AND income > 50.000 THEN {yes: 0.5, no: 0.5}
    c: IF owner = true AND age > 100 THEN no
    d: IF grade = a AND age > 40 THEN no WITH CONFIDENCE 0.7
""")
MODEL = frote.default_pipeline().fit(*table(300, seed=9))


@settings(max_examples=examples(50))
@given(st.integers(0, 99), st.integers(1, 60), st.data())
def test_a_check_and_coverage_are_those_in_memory(seed, rows, data):
    X, y = table(rows, seed)
    ends = data.draw(ends_in(rows))
    lazy = cut(X, ends), cut(y, ends)
    for given_rows, given_lazily in [((X,), lazy[:1]), ((X, y), lazy), ((X, y, MODEL), (*lazy, MODEL))]:
        if y.nunique() == 2 or len(given_rows) == 1:
            found, wanted = CROSSED.check(*given_lazily), CROSSED.check(*given_rows)
            assert str(found) == str(wanted)
            pd.testing.assert_frame_equal(found.frame, wanted.frame)
    assert_array_equal(CROSSED.coverage(lazy[0]).compute(), CROSSED.coverage(X))
    assert CROSSED.conflicts(lazy[0]) == CROSSED.conflicts(X)
    assert any(conflict.rows for conflict in CROSSED.conflicts(table(300)[0]))


@settings(max_examples=examples(30))
@given(st.integers(0, 99), st.data())
def test_scores_are_those_in_memory(seed, data):
    X, y = table(40, seed)
    ends = data.draw(ends_in(40))
    lazy = cut(X, ends), cut(y, ends)
    wanted = frote.score(MODEL, X, y, RULES, population=X[:20], favourable="yes", threshold=0.4)
    found = frote.score(MODEL, *lazy, RULES, population=evenly(X[:20], 3), favourable="yes", threshold=0.4)
    assert str(found) == str(wanted)
    pd.testing.assert_frame_equal(found.rules, wanted.rules)
    pd.testing.assert_frame_equal(found.numbers.lines, wanted.numbers.lines)
    numbers = [
        (one.objective, one.agreement, one.f1, one.f1_macro, one.objective_by_population) for one in (found, wanted)
    ]
    np.testing.assert_allclose(*numbers, rtol=1e-12)


@pytest.mark.parametrize("sample", [200, 1_000])
def test_what_is_sampled_does_not_depend_on_partitions_and_is_told(sample):
    X, y = table(600)
    scores, compared = set(), set()
    for parts in (1, 7):
        lazy = evenly(X, parts), evenly(y, parts)
        score = score_lazily(MODEL, *lazy, RULES, sample=sample)
        comparison = compare_lazily(MODEL, DummyClassifier().fit(X, y), lazy[0], RULES, lazy[1], sample=sample)
        scores.add((str(score), score.objective, score.numbers.lines.to_json()))
        compared.add(str(comparison))
        assert comparison.rows == min(sample, 600)
        assert any("sample of 200 of 600" in note for note in score.notes) == (sample < 600)
        assert any("sample of 200 of 600" in note for note in comparison.notes) == (sample < 600)
    assert len(scores) == len(compared) == 1
    in_memory = frote.score(MODEL, X, y, RULES)
    assert scores.pop()[1] == pytest.approx(in_memory.objective, rel=1e-12)  # of all rows, whatever the sample is
    if sample > 600:
        assert compared == {str(frote.compare_models(MODEL, DummyClassifier().fit(X, y), X, RULES, y))}


def test_a_label_that_the_model_does_not_know_is_counted_in_all_partitions():
    X, y = table(300)
    strange = y.where(np.arange(300) % 50 > 0, "perhaps")
    found = frote.score(MODEL, evenly(X, 7), evenly(strange, 7), RULES)
    assert found.unknown == frote.score(MODEL, X, strange, RULES).unknown
    assert found.unknown.rows == 6


@pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame")  # Dask, of pandas
def test_files_of_which_few_columns_are_read_are_counted_one_by_one(tmp_path):
    X, y = table(300)
    for number, start in enumerate(range(0, 300, 60)):
        part = X.assign(decision=y)[start : start + 60]
        part.drop(columns="grade").to_parquet(tmp_path / f"{number}.parquet", index=False)
    data = dd.read_parquet(tmp_path)
    rules = frote.parse_rules("young: IF age < 29 THEN yes")
    found = rules.check(data.drop(columns="decision"), data["decision"])
    assert str(found) == str(rules.check(X, y))


def lazily(rows=40, **columns):
    X, y = table(rows)
    return evenly(X.assign(**columns), 3), evenly(y, 3)


WRONG = {
    "the data have no column 'agee'": lambda: frote.parse_rules("IF agee < 29 THEN yes").check(*lazily()),
    "A rule has a condition on 'decision', which is the target": lambda: frote.parse_rules(
        "IF decision = no THEN yes"
    ).check(*lazily()),
    "'maybe' is no class of the data": lambda: frote.score(MODEL, *lazily(), "IF age < 29 THEN maybe"),
    "The model predicts 'never', which is none of the classes": lambda: frote.parse_rules("IF age < 90 THEN yes").check(
        *lazily(), DummyClassifier().fit([[0]], ["never"])
    ),
    "X has no row in any partition. Give it rows.": lambda: frote.score(MODEL, *lazily(0), RULES),
    "requires y to be passed": lambda: frote.score(MODEL, lazily()[0], None, RULES),
    "X has no column 'age', which the model was fitted to": lambda: frote.score(
        MODEL, lazily()[0].drop(columns="age"), lazily()[1], "IF owner = true THEN yes"
    ),
}


@pytest.mark.parametrize("message", WRONG)
def test_what_is_wrong_is_one_sentence(message):
    with pytest.raises((TableError, BindingError), match=message), dask.config.set(scheduler="threads"):
        WRONG[message]()
