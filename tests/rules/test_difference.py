"""The difference of two policies, against every row there is in a small world."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.rules.brute_force import FRAME, GAPLESS, SCHEMA, TABLE, boxes, clause, one_row, rows

import frote
from frote.exceptions import BindingError, RuleError
from frote.rules import Clause, Outcome, Rule, RuleSet, difference, renaming
from frote.rules.masks import Masks, clause_mask
from frote.rules.work import Work
from frote.table import Table

quick = settings(max_examples=examples(100))

OUTCOMES = (Outcome.of("yes"), Outcome.of("no"), Outcome.of({"yes": 0.7, "no": 0.3}), Outcome.of("yes", confidence=0.8))
PLAIN = ("whole", "real", "word", "date")
MIRROR = {"newly covered": "no longer covered", "no longer covered": "newly covered"}


def policies(low=0, high=4, columns=(*PLAIN, "flag")):
    return st.lists(st.tuples(boxes(columns), st.sampled_from(OUTCOMES)), min_size=low, max_size=high)


def rule_set(drawn, stem="r"):
    return RuleSet(Rule(f"{stem}{place}", clause(box), outcome) for place, (box, outcome) in enumerate(drawn))


def answers(drawn):
    """Return what each row there is gets, in plain Python: a bit for each outcome that covers it."""
    found = np.zeros(len(FRAME), dtype=int)
    for box, outcome in drawn:
        found[rows(box)] |= 1 << OUTCOMES.index(outcome)
    return found


def bits(answer):
    return sum(1 << OUTCOMES.index(outcome) for outcome in answer.outcomes)


def rows_of(region, table=TABLE):
    mask = clause_mask(region.clause, table)
    for rule in region.outside:
        mask &= ~clause_mask(rule.clause, table)
    return mask


def holds_in(witness, clause):
    return all(name in witness and witness[name] in condition for name, condition in clause)


def inside(regions):
    """Return the region that each row lies in, -1 for none; no row lies in two."""
    found = np.full(len(FRAME), -1)
    for place, region in enumerate(regions):
        mask = rows_of(region)
        assert (found[mask] < 0).all(), "two regions share a row"
        found[mask] = place
    return found


@pytest.mark.parametrize("holes", [False, True], ids=["boxes", "holes"])
@pytest.mark.parametrize("schema", [SCHEMA, TABLE, GAPLESS, None], ids=["schema", "data", "gapless", "none"])
@quick
@given(data=st.data())
def test_a_row_lies_in_a_region_exactly_if_it_is_answered_otherwise(schema, holes, data):
    columns = (*PLAIN, "flag") if schema is not None else PLAIN
    both, old, new = (data.draw(policies(0, 3, columns)) for _ in range(3))
    old, new = [*both, *old], [*new, *both]
    with pytest.MonkeyPatch.context() as patch:
        if holes:
            patch.setattr(difference, "_boxes", lambda *_: None)
        else:
            patch.setattr(difference, "MANY_BOXES", difference.MOST_MET)
        found = rule_set(old).diff(rule_set(new, "s"), schema)
    places, before, after = inside(found.regions), answers(old), answers(new)
    assert ((places >= 0) == (before != after)).all()
    for place, region in enumerate(found.regions):
        assert (before[places == place] == bits(region.before)).all()
        assert (after[places == place] == bits(region.after)).all()
    for one, other in itertools.combinations(found.regions, 2):
        assert (one.clause & other.clause).is_empty() or holes
    for region in found.regions:
        assert holds_in(region.witness, region.clause)
        assert not any(holds_in(region.witness, rule.clause) for rule in region.outside)
        assert holes or not region.outside
    assert found.equal == (not found.regions)


@quick
@given(policies(1), policies(1))
def test_witnesses_are_rows_of_the_data_wherever_such_rows_are_possible(old, new):
    """What no such row can be is a level that the data lack; no other column is in the way."""
    for region in rule_set(old).diff(rule_set(new), TABLE).regions:
        if rows_of(region).any():
            row = one_row(region.witness)
            assert rows_of(region, Table.from_frame(row, schema=SCHEMA)).all()


@quick
@given(policies(), policies())
def test_rows_and_labels_are_counted(old, new):
    labels = np.array(["a", "b", "c"])[np.arange(len(FRAME)) % 3]
    found = rule_set(old).diff(rule_set(new), Masks(TABLE), labels)
    assert found.rows == len(FRAME)
    assert sum(region.rows for region in found.regions) == (answers(old) != answers(new)).sum()
    for region in found.regions:
        mask = rows_of(region)
        assert dict(region.labels) == {label: n for label in "abc" if (n := int((labels[mask] == label).sum()))}
    kinds = [(difference.KINDS.index(region.kind), -region.rows) for region in found.regions]
    assert kinds == sorted(kinds)


@quick
@given(policies(), policies())
def test_the_other_way_round_is_the_mirror_image(old, new):
    a, b = rule_set(old), rule_set(new, "s")
    there, back = a.diff(b, SCHEMA), b.diff(a, SCHEMA)
    mirrored = {
        (region.clause, MIRROR.get(region.kind, region.kind), str(region.after), str(region.before))
        for region in back.regions
    }
    assert {(r.clause, r.kind, str(r.before), str(r.after)) for r in there.regions} == mirrored
    assert sorted((after, before) for before, after in back.renamed) == sorted(there.renamed)


@quick
@given(policies(), st.randoms(use_true_random=False))
def test_order_names_and_repetition_make_no_difference(drawn, chance):
    rules = rule_set(drawn)
    assert rules.diff(rules).equal
    assert rules.diff(rules).renamed == ()
    shuffled = [replace(rule, name=f"s{place}", origin="") for place, rule in enumerate((*rules, *rules))]
    chance.shuffle(shuffled)
    assert rules.diff(RuleSet(shuffled)).equal
    assert rules.diff(RuleSet(shuffled), SCHEMA).equal


@quick
@given(policies(1, 3, PLAIN), policies(1, 3, PLAIN))
def test_what_is_resolved_differs_where_its_answers_do(old, new):
    """With the first rule that covers a row for its owner, or none where rules conflict."""
    before, after = answers(old), answers(new)
    for how in ("priority", "exclude"):
        found = rule_set(old).resolve(how).diff(rule_set(new).resolve(how))
        assert found.conflicting == (False, False)
        one, other = (resolved_answers(drawn, given, how) for drawn, given in ((old, before), (new, after)))
        assert ((inside(found.regions) >= 0) == (one != other)).all()


def resolved_answers(drawn, given, how):
    """Return what each row gets from resolved rules, in plain Python."""
    first = np.zeros(len(FRAME), dtype=int)
    for box, outcome in reversed(drawn):
        first[rows(box)] = 1 << OUTCOMES.index(outcome)
    return first if how == "priority" else np.where(given == first, first, 0)


@quick
@given(policies(1, 3, PLAIN))
def test_rules_without_conflicts_are_what_they_are_resolved_to(drawn):
    rules = rule_set([(box, OUTCOMES[0]) for box, _ in drawn])
    assert rules.diff(rules.disjoint()).equal
    for how in ("priority", "exclude", "mix"):
        assert rules.diff(rules.resolve(how)).equal


# -- examples by hand ----------------------------------------------------------------------------------------------


OLD = """
    young: IF age < 29 THEN approved
    poor: IF income < 10K THEN denied
    gone: IF debts > 3 THEN denied
"""
NEW = """
    juniors: IF NOT (age >= 29 OR age IS MISSING) THEN approved
    poor: IF income < 12K THEN denied
"""


PAGE = """\
4 regions are answered otherwise: 1 newly covered, 2 with another answer, 1 no longer covered.
3 of 4 rows lie there.

newly covered where (debts <= 3 OR debts IS MISSING) AND income >= 10000 AND income < 12000 AND (age >= 29 OR age IS
  MISSING), for example debts=3, income=10000, age=29
  was: no rule
  now: denied (poor)
  1 row: yes 1

another answer where (debts <= 3 OR debts IS MISSING) AND income >= 10000 AND income < 12000 AND age < 29, for
  example debts=3, income=10000, age=28
  was: approved (young)
  now: a conflict of juniors (approved), poor (denied)
  1 row: no 1

another answer where debts > 3 AND (income >= 12000 OR income IS MISSING) AND age < 29, for example debts=4,
  income=12000, age=28
  was: a conflict of young (approved), gone (denied)
  now: approved (juniors)
  0 rows

no longer covered where debts > 3 AND (income >= 12000 OR income IS MISSING) AND (age >= 29 OR age IS MISSING), for
  example debts=4, income=12000, age=29
  was: denied (gone)
  now: no rule
  1 row: no 1

- 'young' is now called 'juniors'.
- Both policies' rules conflict. What conflicts is compared as that, whichever rule comes first; resolve conflicts
  to compare what comes of it."""


def test_a_page():
    old, new = (frote.parse_rules(text) for text in (OLD, NEW))
    frame = pd.DataFrame({"age": [20, 40, 40, 40], "income": [11e3, 11e3, 20e3, 9e3], "debts": [0, 0, 5, 5]})
    found = old.diff(new, frame, ["no", "yes", "no", "no"])
    assert str(found) == PAGE


def test_nothing_is_lost_that_data_lack():
    """A level that no row has, and a missing value in a type without any, are told all the same."""
    frame = pd.DataFrame({"channel": ["web", "broker"], "age": [25, 40]})
    old = frote.parse_rules("IF channel = web THEN yes")
    fax = old + frote.parse_rules("fax: IF channel = fax THEN no")
    gap = old + frote.parse_rules("gap: IF age IS MISSING THEN no")
    other = frote.parse_rules("IF channel NOT IN {broker} THEN yes")
    assert [(r.witness, r.rows) for r in old.diff(fax, frame).regions] == [({"channel": "fax"}, 0)]
    assert [(r.witness["age"], r.rows) for r in old.diff(gap, frame).regions] == [(None, 0)] * 2
    assert [(r.witness, r.rows) for r in old.diff(other, frame).regions] == [({"channel": "other"}, 0)]


def test_kinds_count():
    old, new = frote.parse_rules("IF age > 28 THEN yes"), frote.parse_rules("IF age >= 29 THEN yes")
    assert [region.witness for region in old.diff(new).regions] == [{"age": 28.5}]
    assert old.diff(new, pd.DataFrame({"age": [25, 40]})).equal
    assert old.diff(new, Table.from_frame(pd.DataFrame({"age": [25, 40]})).schema).rows is None


def test_one_whole_number_is_written_as_one():
    old, new = frote.parse_rules("IF n >= 3 THEN yes"), frote.parse_rules("IF n >= 2 AND n != 4 THEN yes")
    frame = pd.DataFrame({"n": [1, 2]})
    assert [str(region.clause) for region in old.diff(new, frame).regions] == ["n = 2", "n = 4"]
    assert [str(region.clause) for region in old.diff(new).regions] == ["n >= 2 AND n < 3", "n = 4"]
    assert [str(region.clause) for region in new.diff(frote.RuleSet(), frame).regions] == ["n >= 2 AND n != 4"]


def test_many_renamed_rules_are_told_by_their_clauses(monkeypatch):
    """Where it takes too much to tell whether rules cover the same, those with the same clauses still do."""
    old = frote.parse_rules("\n".join(f"a{i}: IF x{i} > 1 OR y{i} > 1 THEN yes" for i in range(30)))
    new = frote.parse_rules("\n".join(f"b{i}: IF x{i} > 1 OR y{i} > 1 THEN yes" for i in range(30)))
    pairs = tuple((f"a{i}", f"b{i}") for i in range(30))
    assert old.diff(new).renamed == pairs
    monkeypatch.setattr(renaming, "MOST_COLUMNS", 1)
    assert old.diff(new).renamed == pairs
    wide = " AND ".join(f"c{i} > 1" for i in range(400))
    one, other = (frote.parse_rules(f"{name}: IF {wide} THEN yes") for name in "ab")
    assert one.diff(other).renamed == (("a", "b"),)


def test_everywhere_and_nothing():
    everyone = RuleSet([Rule("all", Clause(), Outcome.of("yes"))])
    assert str(RuleSet().diff(everyone, pd.DataFrame({"age": [1, 2]}))) == (
        "1 region is answered otherwise: 1 newly covered, 0 with another answer, 0 no longer covered.\n"
        "2 of 2 rows lie there.\n\nnewly covered everywhere\n  was: no rule\n  now: yes (all)\n  2 rows"
    )
    assert RuleSet().diff(RuleSet()).equal
    assert "mean the same" in RuleSet().diff(RuleSet())._repr_html_()


def test_conflicts_are_answers():
    """Of what; which rule comes first is for resolving."""
    yes, no, also = (f"{name}: IF age < {most} THEN {name}" for name, most in (("yes", 30), ("no", 20), ("yes2", 25)))
    one, other = frote.parse_rules(f"{yes}\n{no}"), frote.parse_rules(f"{no}\n{yes}")
    assert one.diff(other).equal
    assert one.diff(other).conflicting == (True, True)
    assert "whichever rule comes first" in str(one.diff(other))
    assert not one.resolve("priority").diff(other.resolve("priority")).equal
    (region,) = frote.parse_rules(yes).diff(one).regions
    assert (region.kind, str(region.before)) == ("another answer", "yes (yes)")
    assert str(region.after) == "a conflict of yes (yes), no (no)"
    third = frote.parse_rules(f"{yes}\n{no}\n{also}")
    assert [str(region.after) for region in one.diff(third).regions] == [
        "a conflict of yes (yes), no (no), yes2 (yes2)",
        "a conflict of yes (yes), yes2 (yes2)",
    ]


def test_names():
    """Rules that change places by name are renamed; numbers that nobody gave are no names."""
    old = frote.parse_rules("a: IF x > 1 THEN yes\nb: IF y > 1 THEN yes")
    new = frote.parse_rules("b: IF x > 1 THEN yes\na: IF y > 1 THEN yes")
    assert old.diff(new).equal
    assert old.diff(new).renamed == (("a", "b"), ("b", "a"))
    one = frote.parse_rules("IF x > 1 THEN yes\nIF y > 1 THEN yes")
    assert one.diff(frote.parse_rules("IF y > 1 THEN yes\nIF x > 1 THEN yes")).renamed == ()
    assert old.diff(one).renamed == (("a", "rule 1"), ("b", "rule 2"))
    either = frote.parse_rules("either: IF x > 1 OR y > 1 THEN yes")
    assert either.diff(frote.parse_rules("any: IF y > 1 OR x > 1 THEN yes")).renamed == (("either", "any"),)
    assert either.diff(frote.parse_rules("any: IF y > 1 OR x > 1 THEN no")).renamed == ()


def test_many_names_are_counted():
    rules = frote.parse_rules("\n".join(f"r{place}: IF x = {place} THEN yes" for place in range(9)))
    (region,) = rules.diff(RuleSet()).regions
    assert str(region.before) == "yes (r0, r1, r2, r3, and 5 more)"
    assert len(region.before.rules) == 9
    points = frote.parse_rules("\n".join(f"r{place}: IF x = {place} AND y{place} > 1 THEN yes" for place in range(60)))
    assert str(points.diff(RuleSet())).endswith("... and 10 regions more.")


def test_plain_and_html():
    old, new = (frote.parse_rules(text) for text in (OLD, NEW))
    frame = pd.DataFrame({"age": [20], "income": [11e3], "debts": [0], "since": pd.to_datetime(["2024-01-01"])})
    later = new + frote.parse_rules("later: IF since > 2024-01-01 AND debts IS MISSING THEN {yes: 0.5, no: 0.5}")
    found = old.diff(later, frame, [True])
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["equal"] is False
    assert sum(plain["counts"].values()) == len(plain["regions"])
    assert plain["renamed"] == [{"before": "young", "after": "juniors"}]
    assert all(region["clause"] and region["example"] for region in plain["regions"])
    shown = found._repr_html_()
    assert "<td>approved (young)</td>" in shown
    assert "True 1" in shown


def test_mistakes_are_told():
    rules = frote.parse_rules("IF age < 29 THEN yes")
    frame = pd.DataFrame({"agee": [20]})
    with pytest.raises(BindingError, match=r"The old rules do not fit the data: line 1, .*no column 'age'"):
        rules.diff(RuleSet(), frame)
    with pytest.raises(BindingError, match="The new rules do not fit"):
        RuleSet().diff(rules, frame)
    with pytest.raises(RuleError, match=r"not with str. Read it by frote.read_rules"):
        rules.diff("new.rules")
    with pytest.raises(RuleError, match="Give the data too"):
        rules.diff(rules, y=["yes"])


def test_one_changed_rule_among_many_is_cheap():
    text = [
        f"r{i}: IF a > {i % 97} AND b < {i % 89} AND c = {i % 7} THEN {'yes' if i % 2 else 'no'}" for i in range(1000)
    ]
    old = frote.parse_rules("\n".join(text))
    text[123] = "r123: IF a > 3 AND b < 1 AND c = 12 THEN yes"
    found = old.diff(frote.parse_rules("\n".join(text)))
    assert {region.kind for region in found.regions} == {"newly covered"}


def test_what_did_not_change_leaves_holes():
    """Twenty rules on columns of their own would cut what one of them gains into millions of boxes."""
    text = [f"r{i}: IF a{i} > 1 AND b{i} < 1 THEN {'no' if i == 19 else 'yes'}" for i in range(20)]
    old = frote.parse_rules("\n".join(text))
    new = frote.parse_rules("\n".join(["r0: IF a0 > 1 AND b0 < 2 THEN yes", *text[1:]]))
    frame = pd.DataFrame(np.ones((4, 40)), columns=[f"{name}{i}" for name in "ab" for i in range(20)])
    frame["a0"] = 2
    frame.loc[1, ["a1", "b1"]] = 2, 0
    frame.loc[2, ["a19", "b19"]] = 2, 0
    found = old.diff(new, frame)
    gained, clash = found.regions
    assert (str(gained.before), str(gained.after), gained.rows) == ("no rule", "yes (r0)", 2)
    assert gained.where == "where a0 > 1 AND b0 = 1, outside r1, r10, r11, r12, and 15 more"
    assert (str(clash.before), str(clash.after), clash.rows) == ("no (r19)", "a conflict of r0 (yes), r19 (no)", 1)
    assert {rule.name for rule in clash.outside} == {f"r{i}" for i in range(1, 19)}
    assert found.to_dict()["regions"][0]["outside"] == [rule.name for rule in gained.outside]


def test_many_boxes_are_better_than_nothing(monkeypatch):
    old = frote.parse_rules("\n".join(f"r{i}: IF a > {10 * i} AND a < {10 * i + 2} THEN yes" for i in range(30)))
    new = frote.parse_rules("\n".join(f"r{i}: IF a > {10 * i} AND b < {i} THEN yes" for i in range(30)))
    few = old.diff(new).regions
    monkeypatch.setattr(difference, "_boxes_with_holes", lambda *_: Work().spend(10**9))
    assert len(old.diff(new).regions) >= len(few) > difference.MANY_BOXES
    monkeypatch.setattr(difference, "_boxes", lambda *_: None)
    with pytest.raises(RuleError, match="more than 300,000 steps"):
        old.diff(new)


def test_work_is_bounded():
    rules = [
        frote.parse_rules("\n".join(f"r{i}: IF a{i} > 1 AND b{i} < {n} THEN yes" for i in range(40))) for n in (1, 2)
    ]
    with pytest.raises(RuleError, match=r"These rules fall|To tell where"):
        rules[0].diff(rules[1])


def test_rules_of_several_pieces_that_cover_other_rows_are_not_renamed():
    old = frote.parse_rules("one: IF x < 1 OR y > 5 THEN yes")
    assert old.diff(frote.parse_rules("other: IF x > 100 OR y < -5 THEN yes")).renamed == ()
    assert old.diff(frote.parse_rules("other: IF y > 5 OR x < 1 THEN yes")).renamed == (("one", "other"),)


def test_the_labels_of_a_region_come_by_how_many_rows_have_them():
    X, y = pd.DataFrame({"x": range(6)}), ["a", "b", "c", "b", "c", "c"]
    (region,) = RuleSet().diff(frote.parse_rules("IF x >= 0 THEN a"), X, y).regions
    assert region.labels == (("c", 3), ("b", 2), ("a", 1))


def test_a_difference_shows_itself_in_a_notebook_as_it_is_printed():
    found = frote.parse_rules("IF x > 1 THEN yes").diff(frote.parse_rules("IF x > 2 THEN yes"))
    assert repr(found) == str(found) != ""
