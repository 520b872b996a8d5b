"""Conflicts and their resolution, against every row there is in a small world, and for many rules at once."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.rules.brute_force import FRAME, SCHEMA, TABLE, boxes, clause, one_row, rows

import frote
from frote.exceptions import RuleError, RuleWarning
from frote.rules import Clause, Condition, Outcome, Rule, RuleSet
from frote.rules.clause import infer_schema
from frote.rules.conflicts import find_conflicts, resolve, tell_nothing_left
from frote.table import Table

quick = settings(max_examples=examples(100))

CLASSES = ("no", "yes", "maybe")
OUTCOMES = (
    Outcome.of("yes"),
    Outcome.of("no"),
    Outcome.of({"yes": 0.7, "no": 0.3}),
    Outcome.of("yes", confidence=0.8),
    Outcome.of("maybe", confidence=0.5),
)
outcomes = st.sampled_from(OUTCOMES)


def rule_set(drawn):
    return RuleSet(Rule(f"r{i}", clause(box), outcome) for i, (box, outcome) in enumerate(drawn))


def world(low, high, columns=("whole", "real", "word", "flag", "date")):
    return st.lists(st.tuples(boxes(columns), outcomes), min_size=low, max_size=high)


# -- finding -------------------------------------------------------------------------------------------------------


@quick
@given(world(1, 6))
def test_conflicts_are_those_there_are(drawn):
    """Never a false one, never a missed one; the witness is a row that both rules cover; rows are counted right."""
    rules = rule_set(drawn)
    masks = {f"r{i}": rows(box) for i, (box, _) in enumerate(drawn)}
    expected = {
        (a.name, b.name): int((masks[a.name] & masks[b.name]).sum())
        for a, b in itertools.combinations(rules, 2)
        if a.outcome != b.outcome and (masks[a.name] & masks[b.name]).any()
    }
    found = find_conflicts(rules, TABLE)
    assert {(c.first.name, c.second.name): c.rows for c in found} == expected
    assert [(c.first.name, c.second.name) for c in find_conflicts(rules, SCHEMA)] == list(expected)
    assert all(c.rows is None for c in find_conflicts(rules, SCHEMA))
    for conflict in found:
        row = one_row(conflict.witness)
        for one in (conflict.first, conflict.second):
            assert rules[one.name].mask(row).all()
            for name, held in one.clause:
                assert conflict.witness[name] in held


@quick
@given(world(2, 5), st.randoms(use_true_random=False))
def test_order_of_rules_does_not_matter(drawn, shuffler):
    rules = rule_set(drawn)
    shuffled = list(rules)
    shuffler.shuffle(shuffled)
    assert {frozenset((c.first.name, c.second.name)) for c in find_conflicts(rules, SCHEMA)} == {
        frozenset((c.first.name, c.second.name)) for c in find_conflicts(RuleSet(shuffled), SCHEMA)
    }


@quick
@given(world(2, 5, ("real", "word")))
def test_without_a_schema(drawn):
    """Of real numbers what is found is exact; a text that no rule names may be any."""
    rules = rule_set(drawn)
    masks = [rows(box) for box, _ in drawn]
    found = {(c.first.name, c.second.name): c for c in find_conflicts(rules)}
    inferred = infer_schema(rule.clause for rule in rules)
    for i, j in itertools.combinations(range(len(rules)), 2):
        meet = (masks[i] & masks[j]).any()
        conflict = found.get((f"r{i}", f"r{j}"))
        if meet and rules[i].outcome != rules[j].outcome:
            assert conflict is not None
        if conflict is not None:
            assert rules[i].outcome != rules[j].outcome
            for one in (rules[i].clause, rules[j].clause):
                assert all(conflict.witness[name] in held for name, held in one)
            if set(conflict.overlap.columns) <= set(inferred.names):
                assert meet


def test_conflict_text():
    rules = frote.parse_rules("""
        young: IF age < 29 THEN approved
        poor: IF income < 10K AND since > 2024-01-01 AND job IS MISSING THEN denied
        all: IF age IS MISSING OR NOT age IS MISSING THEN approved
    """)
    assert str(rules.conflicts()[0]) == (
        "young (approved) and poor (denied) conflict where age < 29 AND income < 10000 AND since > 2024-01-01 AND "
        "job IS MISSING, for example age=0, income=0, since=2024-01-02, job=missing"
    )
    everywhere = RuleSet([Rule("a", Clause(), Outcome.of("x")), Rule("b", Clause(), Outcome.of("y"))])
    frame = pd.DataFrame({"age": [1, 2]})
    assert str(everywhere.conflicts(frame)[0]) == "a (x) and b (y) conflict everywhere (2 rows)"
    assert str(everywhere.conflicts(frame[:1])[0]) == "a (x) and b (y) conflict everywhere (1 row)"


def test_equal_outcomes_do_not_conflict():
    rules = RuleSet(
        [
            Rule("a", Clause(), Outcome.of("x")),
            Rule("b", Clause(), Outcome.of({"x": 1.0})),
            Rule("c", Clause(), Outcome.of("x", confidence=1)),
        ]
    )
    assert rules.conflicts() == []
    for how in ("exclude", "mix", "priority"):
        assert rules.resolve(how) == rules


def test_whole_numbers_and_dates_for_ever():
    rules = frote.parse_rules("""
        a: IF age > 28 THEN x
        b: IF age < 29 THEN y
    """)
    assert len(rules.conflicts()) == 1
    assert rules.conflicts(pd.DataFrame({"age": [28, 29]})) == []
    rules = frote.parse_rules("""
        a: IF until > 2999-12-31 THEN x
        b: IF until >= 9999-12-31 THEN y
    """)
    assert rules.conflicts()[0].witness == {"until": pd.Timestamp("9999-12-31").to_pydatetime()}


def test_words_and_digits_of_truth_values():
    rules = frote.parse_rules("""
        a: IF member = 1 THEN x
        b: IF member = true THEN y
        c: IF member = false THEN z
    """)
    (conflict,) = rules.conflicts(pd.DataFrame({"member": [True, False, True]}))
    assert (conflict.first.name, conflict.second.name, conflict.rows) == ("a", "b", 2)


# -- resolving -----------------------------------------------------------------------------------------------------


def spread(outcome):
    return np.array([outcome.spread(CLASSES)[label] for label in CLASSES])


def expected_outcomes(rules, masks, how, weights):
    """Return what each row is to be sent to, as probabilities of the classes; None where it is to be left alone."""
    found = []
    for covering in masks.T:
        on = np.flatnonzero(covering)
        distinct = {rules[int(i)].outcome for i in on}
        if not distinct or (how == "exclude" and len(distinct) > 1):
            found.append(None)
        elif how == "priority" or len(distinct) == 1:
            found.append(rules[int(on[0])].outcome)
        else:
            shares = np.array([spread(rules[int(i)].outcome) for i in on])
            found.append(np.average(shares, axis=0, weights=[weights[int(i)] for i in on]))
    return found


def check_resolved(rules, resolved, masks, table, how, weights):
    """Compare resolved rules with what each row is to be sent to."""
    covered = resolved.coverage(table).T
    for row, expected in enumerate(expected_outcomes(rules, masks, how, weights)):
        found = {resolved[int(i)].outcome for i in np.flatnonzero(covered[:, row])}
        if expected is None:
            assert not found
        elif isinstance(expected, Outcome):
            assert found == {expected}
        else:
            (one,) = found
            assert np.abs(spread(one) - expected).max() < 1e-12


def check_names(rules, resolved):
    for rule in resolved:
        if rule.sources:
            assert set(rule.sources) <= set(rules.origins)
            assert len(rule.sources) > 1
        else:
            assert rule.origin in rules.origins
            assert rule.outcome == rules.pieces(rule.origin)[0].outcome


# Rows that are alike for all rules of the world are looked at once: a part of them says enough.
PART = np.random.default_rng(0).permutation(len(FRAME))[:600]
PART_TABLE = Table.from_frame(FRAME.iloc[PART])


@pytest.mark.parametrize("how", ["exclude", "mix", "priority"])
@settings(quick, max_examples=examples(65))
@given(drawn=world(1, 5, ("whole", "word", "flag")), weighted=st.booleans())
def test_resolved_rows(how, drawn, weighted):
    rules = rule_set(drawn)
    weights = [1.0, 0.5, 3, 2, 0.1][: len(rules)] if weighted and how == "mix" else None
    resolved = resolve(rules, how, SCHEMA, classes=CLASSES, weights=weights)
    masks = np.array([rows(box)[PART] for box, _ in drawn])
    check_resolved(rules, resolved, masks, PART_TABLE, how, weights or [1] * len(rules))
    check_names(rules, resolved)
    assert find_conflicts(resolved, SCHEMA) == []


@settings(quick, max_examples=examples(10))
@given(world(3, 4, ("whole", "word")))
def test_every_order_gives_the_same(drawn):
    rules = rule_set(drawn)
    masks = {f"r{i}": rows(box)[PART] for i, (box, _) in enumerate(drawn)}
    weights = {"r0": 2.0, "r2": 0.3}
    for order in itertools.permutations(rules):
        shuffled = RuleSet(order)
        ordered = np.array([masks[rule.name] for rule in shuffled])
        for how in ("exclude", "mix", "priority"):
            given_weights = weights if how == "mix" else None
            resolved = resolve(shuffled, how, SCHEMA, classes=CLASSES, weights=given_weights)
            shares = [(given_weights or {}).get(rule.name, 1) for rule in shuffled]
            check_resolved(shuffled, resolved, ordered, PART_TABLE, how, shares)


LEVELS = tuple("abcdef")


def thirty(seed, *, grid, share, labels, words=True):
    """Return 30 overlapping rules on three columns, and rows on, between and beyond their thresholds."""
    draw = random.Random(seed)

    def condition(name):
        if name == "c" and words:
            return Condition.among(draw.sample(LEVELS, draw.randint(1, 4)))
        ends = sorted(draw.sample(range(11), 2) if grid else (draw.uniform(0, 10), draw.uniform(0, 10)))
        low, high = Condition.compare(">=", ends[0]), Condition.compare("<", ends[1])
        found = draw.choice([low, high, low & high])
        return found | Condition.is_missing() if draw.random() < 0.2 else found

    chosen = draw.sample(OUTCOMES, labels)
    rules = []
    for i in range(30):
        held = {name: condition(name) for name in ("x", "y", "c") if draw.random() < share}
        rules.append(Rule(f"r{i}", Clause.of(held or {"c": condition("c")}), draw.choice(chosen)))
    random_rows = np.random.default_rng(seed)
    columns: dict = {}
    for name in ("x", "y", "c"):
        cuts = {value for rule in rules for value, _ in rule.clause[name].numbers.cuts if abs(value) < 99}
        ends = np.array(sorted(cuts))
        # On the thresholds, between them and beyond.
        columns[name] = random_rows.choice([-0.5, 10.5, np.nan, *ends, *((ends[1:] + ends[:-1]) / 2)], 1500)
    if words:
        columns["c"] = pd.Categorical.from_codes(random_rows.integers(-1, 6, 1500), categories=LEVELS)
    return RuleSet(rules), Table.from_frame(pd.DataFrame(columns))


CASES = [
    pytest.param(0, {"grid": True, "share": 0.6, "labels": 2}, id="coarse"),
    pytest.param(1, {"grid": True, "share": 1.0, "labels": 3}, id="coarse-full"),
    pytest.param(2, {"grid": False, "share": 0.8, "labels": 3}, id="continuous"),
    pytest.param(3, {"grid": False, "share": 1.0, "labels": 2}, id="continuous-full"),
    pytest.param(5, {"grid": False, "share": 0.6, "labels": 4, "words": False}, id="numbers"),
]


@pytest.mark.parametrize("how", ["exclude", "mix", "priority"])
@pytest.mark.parametrize(("seed", "shape"), CASES)
def test_thirty_rules(seed, shape, how):
    rules, table = thirty(seed, **shape)
    masks = np.array([rule.mask(table) for rule in rules])
    assert (masks.sum(axis=0) > 1).mean() > 0.3, "the rules hardly overlap"
    assert find_conflicts(rules, table)
    weights = [1 + i % 4 for i in range(30)] if how == "mix" and seed % 2 else None
    resolved = resolve(rules, how, table, classes=CLASSES, weights=weights)
    assert len(resolved) < 5_000
    assert find_conflicts(resolved, table) == []
    check_resolved(rules, resolved, masks, table, how, weights or [1] * 30)
    check_names(rules, resolved)
    if how != "exclude":
        assert (resolved.coverage(table).any(axis=1) == masks.any(axis=0)).all()
    if how != "priority" and shape.get("words", True):
        order = list(range(30))
        random.Random(seed).shuffle(order)
        shuffled = RuleSet([rules[i] for i in order])
        again = resolve(
            shuffled, how, table, classes=CLASSES, weights=None if weights is None else [weights[i] for i in order]
        )
        check_resolved(shuffled, again, masks[order], table, how, [(weights or [1] * 30)[i] for i in order])


def test_mix_is_the_weighted_mean():
    rules = frote.parse_rules("""
        a: IF x < 3 THEN yes
        b: IF x > 1 THEN {yes: 0.5, no: 0.5}
        c: IF x > 2 THEN no WITH CONFIDENCE 0.6
    """)
    mixed = rules.resolve("mix", classes=CLASSES, weights={"a": 2, "c": 5})
    assert [(rule.name, str(rule.clause)) for rule in mixed] == [
        ("a", "x <= 1"),
        ("a + b", "x > 1 AND x <= 2"),
        ("a + b + c", "x > 2 AND x < 3"),
        ("b + c", "x >= 3"),
    ]
    assert dict(mixed["a + b"].outcome.probabilities) == pytest.approx({"yes": 2.5 / 3, "no": 0.5 / 3}, abs=1e-15)
    assert dict(mixed["a + b + c"].outcome.probabilities) == pytest.approx(
        {"yes": (2 + 0.5 + 5 * 0.2) / 8, "no": (0.5 + 5 * 0.6) / 8, "maybe": 5 * 0.2 / 8}, abs=1e-15
    )
    assert mixed["a + b + c"].sources == ("a", "b", "c")


def test_mix_needs_classes_for_a_confidence():
    rules = frote.parse_rules("""
        a: IF x < 3 THEN yes
        b: IF x > 1 THEN no WITH CONFIDENCE 0.6
    """)
    with pytest.raises(RuleError, match=r"Pass classes=\[\.\.\.\]"):
        rules.resolve("mix")
    assert len(rules.resolve("exclude")) == 2


@pytest.mark.parametrize(
    "weights",
    [np.array([2**62, 2**62]), np.array([1, 1], dtype=np.float32), (0.1, 0.1), {"a": 3, "b": 3}, [True, 1]],
)
def test_equal_weights_of_any_type(weights):
    rules = frote.parse_rules("""
        a: IF x < 3 THEN yes
        b: IF x > 1 THEN no
    """)
    assert rules.resolve("mix", weights=weights) == rules.resolve("mix")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], "1 weights are given for 2 rules"),
        ({"c": 1}, "A weight is given for 'c', and no rule has that name"),
        ([1, 0], "A weight must be a number above 0, not 0"),
        ([1, -2], "A weight must be a number above 0, not -2"),
        ([1, float("nan")], "A weight must be a number above 0, not nan"),
        ([1, float("inf")], "A weight must be a number above 0, not inf"),
        ([1, "2"], "A weight must be a number above 0, not '2'"),
    ],
)
def test_wrong_weights(weights, message):
    rules = frote.parse_rules("""
        a: IF x < 3 THEN yes
        b: IF x > 1 THEN no
    """)
    with pytest.raises(RuleError, match=message):
        rules.resolve("mix", weights=weights)


def test_wrong_ways():
    rules = frote.parse_rules("IF x < 3 THEN yes")
    with pytest.raises(RuleError, match="by 'exclude', 'mix' or 'priority', not by 'vote'"):
        rules.resolve("vote")
    with pytest.raises(RuleError, match="Weights are for 'mix'; 'priority' has no use for them"):
        rules.resolve("priority", weights=[1])


def test_weights_of_pieces_that_binding_drops():
    rules = frote.parse_rules("""
        a: IF age > 28 AND age < 29 OR pay > 1 THEN yes
        b: IF pay > 0 THEN no
    """)
    frame = pd.DataFrame({"age": [1, 2], "pay": [0.5, 1.5]})
    with pytest.warns(frote.exceptions.RuleWarning, match="Part of rule 'a' cannot apply"):
        mixed = rules.resolve("mix", frame, weights={"a/1": 5, "a/2": 3})
    assert dict(mixed[-1].outcome.probabilities) == {"no": 0.25, "yes": 0.75}


def test_names_that_are_taken():
    rules = frote.parse_rules("""
        'a/1': IF w < 1 THEN x
        'a + b': IF w > 5 THEN z
        a: IF w > 1 AND w < 5 THEN y
        b: IF w > 2 AND w < 4 AND v < 1 THEN z
    """)
    resolved = rules.resolve("mix")
    assert resolved.names == ("a/1", "a + b", "a/2", "a/3", "mix 1")
    assert resolved["a/2"].origin == "a"
    assert resolved["mix 1"].sources == ("a", "b")
    assert frote.parse_rules(str(resolved)) == resolved


def test_sources_of_what_is_mixed_twice():
    rules = frote.parse_rules("""
        a: IF x < 3 THEN yes
        b: IF x > 1 THEN no
    """).resolve("mix")
    again = (rules + frote.parse_rules("c: IF x = 2 THEN yes")).resolve("mix")
    assert again["a + b + c"].sources == ("a", "b", "c")


def test_pieces_of_one_rule_stay_together():
    rules = frote.parse_rules("""
        a: IF x < 0 OR y < 0 THEN yes
        b: IF x < 0 AND y > 5 THEN no
    """)
    resolved = rules.resolve("priority")
    assert resolved == rules[:2]
    swapped = RuleSet([rules[2], *rules[:2]]).resolve("priority")
    assert swapped.origins == ("b", "a")
    assert swapped.pieces("a")[0].name == "a/1"


def test_no_rules():
    for how in ("exclude", "mix", "priority"):
        assert len(RuleSet().resolve(how)) == 0
    assert RuleSet().conflicts() == []


def test_rules_that_cancel_out():
    rules = frote.parse_rules("""
        a: IF x < 3 THEN yes
        b: IF x < 3 THEN no
    """)
    assert len(rules.resolve("exclude")) == 0
    assert rules.resolve("priority") == rules[:1]
    assert str(rules.resolve("mix")) == "a + b: IF x < 3 THEN {no: 0.5, yes: 0.5}"


def test_overlaps_of_few_rules_are_named_by_who_meets_there():
    """Where a and b meet, with c or without, the mean is the same; the names tell which rules it comes from."""
    rules = frote.parse_rules("""
        a: IF x < 1 THEN yes
        b: IF y < 1 THEN no
        c: IF z < 1 THEN {yes: 0.5, no: 0.5}
    """)
    mixed = {rule.origin: rule for rule in rules.resolve("mix") if rule.sources}
    assert set(mixed) == {"a + b", "a + c", "b + c", "a + b + c"}
    assert mixed["a + b"].outcome == mixed["a + b + c"].outcome
    assert mixed["a + b + c"].sources == ("a", "b", "c")


def test_means_are_in_the_decimals_written():
    rules = frote.parse_rules("a: IF x < 1 THEN yes WITH CONFIDENCE 0.9\nb: IF y < 1 THEN no")
    mixed = rules.resolve("mix", classes=["yes", "no", "maybe"])[-1]
    assert str(mixed.outcome) == "{maybe: 0.025, no: 0.525, yes: 0.45}"


@pytest.mark.parametrize("widest", [0, 2, 64])
def test_columns_beyond_those_held_at_once_keep_rules_apart(widest, monkeypatch):
    monkeypatch.setattr("frote.rules.overlaps.WIDEST", widest)
    rules = frote.parse_rules(
        "\n".join(f"IF c{i} = 1 THEN x\nIF c{i} = 2 THEN y\nIF d{i} = 1 THEN x" for i in range(5))
    )
    found = {(one.first.name, one.second.name) for one in rules.conflicts()}
    first, second, alone = ([f"rule {3 * i + place}" for i in range(5)] for place in (1, 2, 3))
    rivals = {(a, b) for i, b in enumerate(second) for a in [*first[:i], *first[i + 1 :], *alone]}
    assert {frozenset(pair) for pair in found} == {frozenset(pair) for pair in rivals}


def test_a_mix_is_named_after_the_rules_that_meet_if_they_are_few():
    rules = frote.parse_rules("\n".join(f"{label}: IF x > {place} THEN {label}" for place, label in enumerate("abcde")))
    assert rules.resolve("mix").names == ("a", "a + b", "a + b + c", "a + b + c + d", "mix 1")


def test_a_list_of_conflicts_that_is_too_long_to_write_is_refused(monkeypatch):
    rules = frote.parse_rules("a: IF x > 1 THEN yes\nb: IF y > 2 THEN no")
    assert len(rules.conflicts()) == 1
    monkeypatch.setattr("frote.rules.conflicts.MOST_CHARACTERS", 10)
    with pytest.raises(RuleError, match="1 pairs of these rules conflict, too many to list"):
        rules.conflicts()


def test_rules_of_which_nothing_is_left_are_told():
    rules = frote.parse_rules("a: IF x > 1 THEN yes\nb: IF x > 2 THEN no\nc: IF x > 3 THEN no")
    with pytest.warns(RuleWarning, match="^Nothing is left of 'b', 'c', since conflicts were resolved by priority"):
        tell_nothing_left(rules, rules.resolve("priority"), "priority")
    tell_nothing_left(rules, rules, "priority")  # no warning
    with pytest.raises(RuleError, match=r"^Resolving conflicts by exclude leaves nothing of any rule"):
        tell_nothing_left(rules, RuleSet(), "exclude")
