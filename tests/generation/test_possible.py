"""Which rules a table's columns, types and levels can satisfy, in whole and in part."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin

import frote
from frote.exceptions import RuleError, RuleWarning
from frote.generation.possible import able, impossible, in_part, uncovering
from frote.generation.sampler import Synthesizer
from frote.table import Table

FRAME = pd.DataFrame(
    {
        "age": np.array([20, 30, 40], dtype=np.uint8),
        "pay": [1.5, None, 3.0],
        "channel": ["web", "broker", None],
        "member": [True, False, True],
        "day": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"]),
    }
)
TABLE = Table.from_frame(FRAME)

conditions = st.sampled_from(
    [
        "age > 28 AND age < 29",
        "age > 300",
        "age <= 300",
        "age < 30",
        "age IS MISSING",
        "pay IS MISSING",
        "pay > 2",
        "channel = brokr",
        "channel != brokr",
        "channel IN {broker, brokr}",
        "channel NOT IN {web, broker}",
        "channel IS NOT MISSING",
        "member = true",
        "member IS MISSING",
        "day > 2024-01-02",
    ]
)
texts = st.recursive(
    conditions,
    lambda inner: st.builds("({} {} {})".format, inner, st.sampled_from(["AND", "OR"]), inner),
    max_leaves=4,
)


@given(st.lists(texts, min_size=1, max_size=3))
def test_what_can_be_made_is_possible_and_nothing_else(bodies):
    rules = frote.parse_rules("\n".join(f"IF {body} THEN yes" for body in bodies))
    bound = rules.bind(TABLE)
    assert tuple(able(bound, TABLE)) == Synthesizer(TABLE, bound).possible
    alive = {rule.origin for rule, fits in zip(rules, able(rules, TABLE), strict=True) if fits}
    assert {one.rule for one in impossible(rules, TABLE)} == set(rules.origins) - alive
    # What is told of in part is possible as a whole, and every level that nobody has is told of.
    parts = in_part(rules, TABLE)
    assert set(parts) <= alive
    for origin in alive:
        named = any("brokr" in str(piece) for piece in rules.pieces(origin))
        assert any("has no level 'brokr'" in said for said in parts.get(origin, ())) == named


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("channel = brokr", "column 'channel' has no level 'brokr'. Did you mean 'broker'?"),
        ("channel IN {zzz, brokr}", "column 'channel' has no level 'brokr' or 'zzz'. Did you mean 'broker'?"),
        ("channel NOT IN {web, broker} AND channel IS NOT MISSING", "column 'channel' has no level that it allows."),
        ("age > 28 AND age < 29", "column 'age' holds whole numbers from 0 to 255, and none of them is so."),
        ("age IS MISSING", "column 'age' is of a type that has no missing values."),
        ("day > 2024-01-01 AND day < 2024-01-01", "its conditions on column 'day' leave no value."),
        ("channel = web AND channel = broker", "its conditions on column 'channel' leave no value."),
    ],
)
def test_the_reason(body, why):
    (found,) = impossible(frote.parse_rules(f"one: IF {body} THEN yes"), TABLE)
    assert found.why == why
    assert found.told.startswith(f"line 1, rule 'one': no row can satisfy it: {why}\n  ")
    assert not found.made


def test_the_caret_stands_below_the_value_that_is_unknown():
    (found,) = impossible(frote.parse_rules("IF channel IN {10, 1} AND age < 30 THEN yes"), TABLE)
    assert found.told.splitlines()[1:] == ["  channel IN {1, 10}", "              ^"]


@pytest.mark.parametrize(
    "body",
    [
        "age <= 300 OR pay > 2",  # the first covers everything, so that nothing of the second is lost
        "channel = web OR channel = broker OR channel IS MISSING OR pay > 2",
        "age IS MISSING OR pay > 2",  # right where a value happens never to be missing
        "age < 30 OR pay > 2",
    ],
)
def test_pieces_that_take_nothing_with_them_are_not_told_of(body):
    assert in_part(frote.parse_rules(f"IF {body} THEN yes"), TABLE) == {}


def test_of_a_piece_that_fails_in_several_columns_all_are_told():
    table = Table.from_frame(FRAME.assign(kids=np.array([0, 1, 2], dtype=np.uint8)))
    rules = frote.parse_rules("IF channel = web OR (age > 300 AND kids > 300) THEN yes")
    assert in_part(rules, table) == {
        "rule 1": [
            f"column {name!r} holds whole numbers from 0 to 255, and none of them is so." for name in ("age", "kids")
        ]
    }
    gaps = frote.parse_rules("IF channel = web OR (age > 300 AND member IS MISSING) THEN yes")
    assert in_part(gaps, table) == {}  # right where a value happens never to be missing


def test_what_takes_too_many_pieces_to_find_out_is_told(monkeypatch):
    def refuse(*_):
        raise RuleError("These rules fall into too many pieces.")

    rules = frote.parse_rules("IF age <= 300 OR (age > 300 AND pay > 2) THEN yes")
    assert in_part(rules, TABLE) == {}  # what the second piece would add is within the first
    monkeypatch.setattr("frote.generation.possible.subtract", refuse)
    ((told,),) = in_part(rules, TABLE).values()
    assert told.startswith("column 'age' ")


def test_a_column_without_any_value():
    table = Table.from_frame(pd.DataFrame({"channel": [None, None]}))
    (found,) = impossible(frote.parse_rules("IF channel = web THEN yes"), table)
    assert found.why == "column 'channel' has no value in the data, and so no level."


def test_resolving_tells_what_it_drops():
    rules = frote.parse_rules("a: IF channel = brokr OR age < 30 THEN yes\nb: IF channel = brkr THEN no")
    with pytest.warns(RuleWarning) as told:
        rules.resolve("exclude", FRAME)
    expected = [
        "Rule 'b' covers nothing, since no row can satisfy it: "
        "column 'channel' has no level 'brkr'. Did you mean 'broker'?",
        "Part of rule 'a' cannot apply: column 'channel' has no level 'brokr'. Did you mean 'broker'?",
    ]
    assert [str(one.message) for one in told] == uncovering(rules, TABLE) == expected


# -- missing values that conflicts leave -------------------------------------------------------------------------------

WITHOUT_GAPS = pd.DataFrame(
    {"pay": np.linspace(0.5, 9.5, 40), "age": np.arange(20, 60), "channel": ["web", "shop"] * 20}
)
TAKEN = "all pay: IF pay > 5 OR pay <= 5 THEN no\n"


@pytest.mark.parametrize(
    ("rule", "made"),
    [
        ("IF age > 25 THEN yes", False),
        ("IF age > 25 AND pay IS MISSING THEN yes", True),
        ("IF age > 25 AND (pay > 5 OR pay IS MISSING) THEN yes", True),
        ("IF age > 25 AND NOT (pay <= 5) THEN yes", True),  # which includes missing values
        ("IF age > 25 OR channel = web THEN yes", False),
        ("IF pay IS MISSING OR channel = web THEN yes", True),
    ],
)
def test_missing_values_are_made_only_where_a_rule_asks_for_them(rule, made):
    rules = frote.parse_rules(TAKEN + f"late: {rule}").resolve("priority", WITHOUT_GAPS)
    table = Table.from_frame(WITHOUT_GAPS)
    late = [place for place, one in enumerate(rules) if one.origin == "late"]
    fits = able(rules, table)
    assert [fits[place] for place in late].count(True) == (1 if made else 0)
    assert tuple(fits) == Synthesizer(table, rules.bind(table)).possible
    assert [one.rule for one in impossible(rules, table)] == ([] if made else ["late"])
    assert uncovering(rules, table) == []  # a row with a missing value would be covered

    gappy = Table.from_frame(pd.concat([WITHOUT_GAPS, pd.DataFrame({"age": [30], "channel": ["web"]})]))
    assert all(able(rules, gappy))


def test_what_is_left_of_a_rule_for_missing_values_alone_is_told_of():
    rules = frote.parse_rules(TAKEN + "late: IF age > 25 THEN yes").resolve("priority", WITHOUT_GAPS)
    y = ["no", "yes"] * 20
    why = "conflicts leave it only rows where column 'pay' is missing, and no row of the data is so."
    with pytest.raises(frote.exceptions.BindingError, match=f"rule 'late': no row can satisfy it: {why}"):
        frote.FROTE(rules=rules).fit_resample(WITHOUT_GAPS, y)
    editor = frote.FROTE(rules=rules, on_impossible="skip", modify="none", max_fits=2, random_state=0)
    with pytest.warns(RuleWarning, match="Left out: rule 'late'"):
        X_new, _ = editor.fit_resample(WITHOUT_GAPS, y)
    assert not X_new["pay"].isna().any()


class _Rows(BaseEstimator, ClassifierMixin):
    """Knows how many rows it was trained on, and predicts by turns."""

    def fit(self, X, y):
        self.rows_, self.classes_ = len(X), np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[np.arange(len(X)) % 2]


def _more_rows(model, X, y):
    """Score so that every batch is accepted."""
    return float(model.rows_)


def test_pieces_for_missing_values_alone_make_no_rows():
    rules = frote.parse_rules(
        "low: IF pay <= 5 THEN no\nweb: IF pay > 5 AND channel = web THEN no\nold: IF age > 45 THEN yes"
    ).resolve("exclude", WITHOUT_GAPS)
    dead = [rule for rule, fits in zip(rules, able(rules, Table.from_frame(WITHOUT_GAPS)), strict=True) if not fits]
    assert [str(rule.clause) for rule in dead if rule.origin == "old"] == ["age > 45 AND pay IS MISSING"]
    editor = frote.FROTE(_Rows(), rules, scoring=_more_rows, agreement_weight=0.0, max_fits=5, random_state=0)
    X_new, _ = editor.fit_resample(WITHOUT_GAPS, ["no", "yes"] * 20)
    assert (editor.ledger_["rule"][editor.ledger_["status"] == "synthetic"].str.startswith("old")).sum() > 3
    assert not X_new["pay"].isna().any()
    assert in_part(rules, Table.from_frame(WITHOUT_GAPS)) == {}


def test_resolving_again_asks_for_nothing_more():
    rules = frote.parse_rules(TAKEN + "late: IF age > 25 THEN yes\nother: IF age > 50 THEN maybe")
    twice = rules.resolve("priority", WITHOUT_GAPS).resolve("priority", WITHOUT_GAPS)
    assert able(twice, Table.from_frame(WITHOUT_GAPS))[-1] is False
    assert all(rule.unasked_gaps == {"pay"} for rule in twice if rule.origin == "late")
