"""Batches: every row inside its rule, weak ones changed in the columns that fail alone, the most wrong ones first."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

import frote
from frote.coverage.labels import Labels
from frote.coverage.ruling import Ruling
from frote.generation.making import Making
from frote.generation.outside import Outside
from frote.loop.probes import make_probes
from frote.loop.proposal import NoModel, Proposer
from frote.loop.rows import Rows
from frote.loop.twins import Twins
from frote.selection import Uniform


def setting(X, y, text, *, weak_share=1.0, candidates=1, k=3):
    """Return a proposer, what it makes rows with, and its rows."""
    labels, table = Labels.of(y), frote.Table.from_frame(X)
    ruling = Ruling.of(frote.parse_rules(text).bind(table.schema, labels.classes), labels.texts)
    making = Making.of(ruling, table, k)
    rows = Rows.of(making, frote.table.TypedFrame(table, X), labels.codes, labels.codes)
    return Proposer(making, rows, Uniform(), weak_share, candidates), making, rows


class Model(NoModel):
    """A model that a function answers for."""

    def __init__(self, ask):
        self.on = ask


def propose(proposer, rows, quotas, *, seed=0, ask=None):
    rng = np.random.default_rng(seed)
    return proposer.propose(rows, proposer.populations(rows), quotas, rng, Model(ask))


def mixed(size, seed=0):
    """Return rows of all kinds, some values missing."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 80, size),
            "income": np.where(rng.random(size) < 0.1, np.nan, rng.normal(30, 10, size)),
            "job": pd.Categorical(rng.choice(list("abcd"), size), categories=list("abcde")),
            "city": np.where(rng.random(size) < 0.1, None, rng.choice(["x", "y", "z"], size)),
            "since": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, size), "D"),
            "flag": rng.random(size) < 0.5,
        }
    )


RULES = (
    "one: IF age < 30 AND job = a AND income > 40 THEN yes",
    "one: IF age < 30 AND (job IN {b, c} OR city = x) THEN yes",
    "one: IF income > 90 AND city != x AND flag = true THEN yes",
    "one: IF job = e AND since >= 2022-01-01 THEN yes",
    "one: IF age BETWEEN 200 AND 210 AND income IS MISSING THEN no",
    "one: IF (income < 25 OR income IS MISSING) AND flag = false THEN {yes: 0.5, no: 0.5}",
)


@pytest.mark.parametrize("text", RULES)
@pytest.mark.parametrize("seed", range(3))
def test_weak_rows_change_only_in_columns_that_fail(text, seed):
    X = mixed(120, seed)
    y = np.random.default_rng(seed).choice(["yes", "no"], 120)
    proposer, making, rows = setting(X, y, text)
    batch = propose(proposer, rows, (60,), seed=seed)
    assert len(batch) == 60
    covered = batch.rows.attribution.covered
    assert covered[batch.piece, np.arange(60)].all()
    assert (rows.attribution.owner[batch.base] < 0).all()
    assert (batch.neighbour == -1).all()
    assert not batch.strong.any()
    assert (batch.rows.own == rows.own[batch.base]).all()
    before, after = X.iloc[batch.base].reset_index(drop=True), batch.rows.frame
    assert (after.dtypes == X.dtypes).all()
    for name in X:
        same = (before[name] == after[name]) | (before[name].isna() & after[name].isna())
        for row in np.flatnonzero(~same):
            held = making.ruling.rules[batch.piece[row]].clause[name]
            single = frote.RuleSet([frote.Rule("test", frote.Clause.of({name: held}), frote.Outcome.of("yes"))])
            assert not single.coverage(X.iloc[[batch.base[row]]]).any()


def test_values_follow_one_covered_row_where_there_are_enough():
    # Covered rows have income 100 + age, so a row that takes over both keeps to that; k + 1 = 4 of them are needed.
    covered = pd.DataFrame({"age": [20, 21, 22, 23, 24], "income": [120, 121, 122, 123, 124], "other": [1, 2, 3, 4, 5]})
    outside = pd.DataFrame({"age": [50] * 10, "income": [10] * 10, "other": [9] * 10})
    y = ["yes"] * 5 + ["no"] * 10
    proposer, _, rows = setting(
        pd.concat([covered, outside], ignore_index=True), y, "IF age < 30 AND income > 90 THEN yes"
    )
    made = propose(proposer, rows, (50,)).rows.frame
    assert (made["income"] - made["age"] == 100).all()
    assert set(made["age"]) == set(covered["age"])
    assert (made["other"] == 9).all()


def test_with_too_few_covered_rows_each_column_follows_the_rows_that_meet_its_condition():
    X = pd.DataFrame({"age": [20, 21, 22, 50, 51, 52], "income": [10, 10, 10, 95, 96, 97]})
    proposer, _, rows = setting(X, ["yes", "no"] * 3, "IF age < 30 AND income > 90 THEN yes")
    made = propose(proposer, rows, (200,)).rows.frame
    assert set(made["age"]) == {20, 21, 22}
    assert set(made["income"]) == {95, 96, 97}


@pytest.mark.parametrize(("covered", "relaxed"), [(3, True), (4, False)])
def test_a_rule_that_covers_one_row_more_than_there_are_neighbours_is_not_relaxed(covered, relaxed):
    # Strong base rows come from the rows that the rule covers, if these are k + 1 = 4; else age no longer counts.
    X = pd.DataFrame({"age": [20] * covered + [50] * 6, "job": list("a" * (covered + 3) + "b" * 3)})
    proposer, _, rows = setting(X, ["yes"] * covered + ["no"] * 6, "IF age < 30 AND job = a THEN yes", weak_share=0.0)
    ((base,),) = proposer.populations(rows)
    assert base.dropped == (("age",) if relaxed else ())
    assert base.rows.tolist() == list(range(covered + 3 if relaxed else covered))
    assert proposer.unsupported == (relaxed,)
    assert set(propose(proposer, rows, (60,)).base) == set(base.rows)


@pytest.mark.parametrize(("k", "last"), [(3, 6), (4, 12)])
def test_weak_base_rows_are_those_that_miss_by_least_if_they_are_one_more_than_there_are_neighbours(k, last):
    # Four rows miss by one condition and six by two: with three neighbours four are enough, with four all are taken.
    X = pd.DataFrame({"age": [20] * 2 + [50] * 10, "job": list("aa" + "a" * 4 + "b" * 6)})
    proposer, _, rows = setting(X, ["yes"] * 2 + ["no"] * 10, "IF age < 30 AND job = a THEN yes", k=k)
    assert set(propose(proposer, rows, (60,)).base) == set(range(2, last))


@pytest.mark.parametrize("weak_share", [0.0, 1.0])
@pytest.mark.parametrize("candidates", [1, 2])
def test_what_a_confidence_leaves_over_keeps_the_label_of_the_base_row(weak_share, candidates):
    # Rows 0 to 9 are covered, rows 10 to 29 are not; labels come by turns, and row 0 has one that no other row has.
    X = pd.DataFrame({"age": [20] * 10 + [50] * 20})
    y = ["first", *["maybe", "no"] * 14, "yes"]
    text = "IF age < 30 THEN yes WITH CONFIDENCE 0.1"
    proposer, making, rows = setting(X, y, text, weak_share=weak_share, candidates=candidates)
    batch = propose(proposer, rows, (200,), ask=lambda frame: np.zeros(len(frame), dtype=np.intp))
    kept = batch.rows.labels != making.ruling.classes.index("yes")
    assert 150 < kept.sum() < 200
    own = rows.labels[batch.base]
    mine = own != making.ruling.classes.index("yes")  # a row with the rule's own label gets another one
    assert (batch.rows.labels[kept & mine] == own[kept & mine]).all()
    assert len(set(own[kept & mine])) > 1


def test_values_that_no_row_has_are_drawn_inside_the_condition():
    X = pd.DataFrame({"age": [20, 30, 40, 50], "job": pd.Categorical(list("aabb"), categories=list("abc"))})
    proposer, _, rows = setting(X, ["yes", "no"] * 2, "IF age > 60 AND job = c THEN yes")
    made = propose(proposer, rows, (30,)).rows.frame
    assert (made["age"] > 60).all()
    assert (made["job"] == "c").all()


@pytest.mark.parametrize(("weak_share", "weak"), [(0.0, 0), (0.5, 5), (0.75, 8), (1.0, 11)])
def test_the_share_of_weak_rows(weak_share, weak):
    X = pd.DataFrame({"age": range(18, 78)})
    proposer, _, rows = setting(X, ["yes", "no"] * 30, "IF age < 40 THEN yes", weak_share=weak_share)
    batch = propose(proposer, rows, (11,))
    assert len(batch) == 11
    assert (batch.neighbour < 0).sum() == weak


def test_without_rows_outside_coverage_all_are_strong():
    X = pd.DataFrame({"age": range(18, 78)})
    proposer, _, rows = setting(X, ["yes", "no"] * 30, "IF age < 100 THEN yes")
    batch = propose(proposer, rows, (7,))
    assert len(batch) == 7
    assert (batch.neighbour >= 0).all()
    assert batch.strong.all()


def test_a_rule_that_gets_nothing():
    X = pd.DataFrame({"age": range(18, 78)})
    text = "a: IF age < 30 THEN yes\nb: IF age > 60 THEN no"
    proposer, making, rows = setting(X, ["yes", "no"] * 30, text, weak_share=0.5, candidates=3)
    batch = propose(proposer, rows, (0, 9), ask=lambda frame: np.zeros(len(frame), dtype=np.intp))
    assert set(making.ruling.origin[batch.piece]) == {1}
    assert len(batch) == 9


def test_of_weak_candidates_those_are_taken_that_the_model_is_most_wrong_about():
    X = pd.DataFrame({"age": range(18, 78)})
    proposer, making, rows = setting(X, ["no", "yes"] * 30, "IF age < 40 THEN yes", weak_share=0.5, candidates=20)
    asked = []

    def ask(rows):
        asked.append(len(rows))
        return np.where(rows.frame["age"] < 22, making.ruling.classes.index("no"), making.ruling.classes.index("yes"))

    batch = propose(proposer, rows, (10,), ask=ask)
    assert asked == [100]
    weak = batch.neighbour < 0
    assert weak.tolist() == [False] * 5 + [True] * 5
    assert (batch.rows.frame["age"][weak] < 22).all()
    assert (batch.rows.frame["age"][~weak] >= 22).any()  # chosen without asking


def test_where_the_model_is_right_the_first_candidates_are_taken():
    X = pd.DataFrame({"age": range(18, 78)})
    text = "a: IF age < 40 THEN yes\nb: IF age > 70 THEN no"
    proposer, making, rows = setting(X, ["no", "yes"] * 30, text, weak_share=1.0, candidates=3)
    wrong = propose(proposer, rows, (4, 5), ask=lambda rows: (rows.frame["age"] < 40).to_numpy().astype(np.intp))
    assert np.bincount(making.ruling.origin[wrong.piece]).tolist() == [4, 5]
    one = setting(X, ["no", "yes"] * 30, text, weak_share=1.0, candidates=1)[0]
    assert len(propose(one, rows, (4, 5))) == 9  # nobody is asked


@given(st.integers(0, 2**32), st.sampled_from(RULES), st.integers(0, 40))
@settings(max_examples=examples(100))
def test_probes_lie_inside_their_rules_and_come_from_the_seed_alone(seed, text, size):
    X = mixed(40 + size, seed)
    y = np.random.default_rng(seed).choice(["yes", "no"], len(X))
    _, making, rows = setting(X, y, text + "\ntwo: IF age > 60 AND age < 100 AND income < 10 AND city = z THEN no")
    one, again = (make_probes(making, rows, 7).rows for _ in range(2))
    pd.testing.assert_frame_equal(one.frame, again.frame)
    covered = one.attribution.covered
    for rule in range(2):
        mine = one.attribution.owner == rule
        assert mine.sum() == 400
        assert covered[making.ruling.origin == rule][:, mine].any(axis=0).all()
    assert not make_probes(making, rows, 8).rows.frame.equals(one.frame)


def test_half_of_the_probes_are_weakly_covered():
    X = pd.DataFrame({"age": [*range(18, 30), *range(40, 60)], "other": [0] * 12 + [1] * 20})
    _, making, rows = setting(X, ["no", "yes"] * 16, "IF age < 30 THEN yes")
    probes = make_probes(making, rows, 0).rows
    assert (probes.frame["other"] == 1).sum() == 200


def test_rows_below_others_become_a_frame_when_asked_for():
    X = mixed(40)
    proposer, _, rows = setting(X, ["no", "yes"] * 20, "IF age < 40 THEN yes", weak_share=0.5)
    batch = propose(proposer, rows, (10,))
    both = rows.stacked(batch.rows).stacked(batch.rows)
    assert "frame" not in vars(both)
    expected = pd.concat([X, batch.rows.frame, batch.rows.frame], ignore_index=True)
    pd.testing.assert_frame_equal(both.frame, expected)
    assert both.frame is both.frame
    assert rows.frame is X


def twins_of(each, now, seed=0):
    """Return twins of 40 rows inside a rule, for all of which the model as it was says 0."""
    X = mixed(200)
    y = np.where(X["age"] < 40, "yes", "no")
    proposer, making, rows = setting(X, y, "one: IF age < 50 AND job = a THEN yes", weak_share=0.0)
    batch, rng = propose(proposer, rows, (40,)), np.random.default_rng(seed)
    twins = Twins(making, Outside(rows.attribution))
    return twins.of(batch, each, lambda shown: np.zeros(len(shown), dtype=np.intp), rng, now)


def test_of_a_single_row_there_are_as_many_twins_as_are_wanted():
    X = mixed(60)
    proposer, making, rows = setting(X, np.where(X["age"] < 40, "yes", "no"), "IF age < 70 AND job != a THEN yes")
    batch = propose(proposer, rows, (1,))
    twins = Twins(making, Outside(rows.attribution))
    made = twins.of(batch, 3.0, lambda shown: np.zeros(len(shown), dtype=np.intp), np.random.default_rng(0))
    assert len(made) == 3


def moved_jobs(shown):
    """What a model says that has moved where the job is no longer a."""
    return (np.asarray(shown.frame["job"]) != "a").astype(np.intp)


@pytest.mark.parametrize("seed", range(4))
def test_twins_that_the_model_answers_otherwise_come_first(seed):
    twins = twins_of(1.0, moved_jobs, seed)
    assert len(twins) == 40
    assert (moved_jobs(twins.rows.shown) == 1).all()  # about half of 160 candidates
    by_lot = moved_jobs(twins_of(1.0, None, seed).rows.shown)
    assert 0 < by_lot.sum() < len(by_lot)


def test_twins_are_as_many_as_are_wanted_where_the_model_has_not_moved():
    assert len(twins_of(0.5, lambda shown: np.zeros(len(shown), dtype=np.intp))) == 20
    assert len(twins_of(0.0, moved_jobs)) == 0


def test_neighbours_are_of_all_pieces_of_a_rule():
    """Rows of the second piece lie far from those of the first, and so do their neighbours."""
    X = pd.DataFrame(
        {"age": [*range(10), *range(90, 100)], "pay": [*np.linspace(0, 1, 10), *np.linspace(100, 101, 10)]}
    )
    proposer, _, rows = setting(X, ["no", "yes"] * 10, "IF age < 10 OR pay > 99 THEN yes", weak_share=0.0, k=2)
    made = propose(proposer, rows, (60,)).rows.frame["pay"]
    assert ((made <= 1) | (made >= 100)).all()
    assert 0 < (made >= 100).sum() < 60
