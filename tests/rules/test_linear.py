"""Conditions over several columns, by brute force: every row of a small world of whole numbers, in plain Python."""

import datetime as dt
import itertools
import json
import operator
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

import frote
from frote import RuleError, RuleSyntaxError, col, parse_rules
from frote.coverage.matrix import cover
from frote.report.words import rule_words
from frote.rules import Clause, RuleSet
from frote.rules.feasible import Line, UndecidedError, find_point
from frote.rules.files import from_json, to_json
from frote.rules.intervals import Intervals
from frote.rules.linear import Linear, Sum, compare_sums
from frote.rules.masks import Masks, clause_mask
from frote.table import Column, Kind, Schema, Table

LEVELS = [-2, -1, 0, 1, 2, 3, None]
NAMES = ["a", "b", "c d"]
ROWS = list(itertools.product(LEVELS, repeat=3))
FRAME = pd.DataFrame({name: pd.array([row[at] for row in ROWS], dtype="Int64") for at, name in enumerate(NAMES)})
TABLE = Table.from_frame(FRAME)
FULL = FRAME.dropna().astype("int64")  # types without missing values
# All numbers of the world, and no others: what is empty there is empty.
WORLD = "a BETWEEN -2 AND 3 AND b BETWEEN -2 AND 3 AND `c d` BETWEEN -2 AND 3"
COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
FACTORS = ["", "2 * ", "0.5 * ", "3 * ", "1.5 * "]


def written(name):
    return f"`{name}`" if " " in name else name


@st.composite
def compared(draw):
    """Draw a comparison: its text, and what it says of a row of values."""
    names = draw(st.permutations(NAMES))[: draw(st.sampled_from([1, 2, 2, 2, 3]))]
    sign = draw(st.sampled_from(list(COMPARE)))
    bound = draw(st.sampled_from([0, 0, 1, -2, 1.5, 3]))
    if len(names) == 1:
        weights = {names[0]: Fraction(1)}
        text = f"{written(names[0])} {sign} {bound}"
    else:
        factors = [draw(st.sampled_from(FACTORS)) for _ in names]
        ways = [draw(st.sampled_from([1, -1])) for _ in names[1:]]
        weights = {
            name: way * Fraction(factor.removesuffix(" * ") or 1)
            for name, factor, way in zip(names, factors, [1, *ways], strict=True)
        }
        text = f"{factors[0]}{written(names[0])}"
        for name, factor, way in zip(names[1:], factors[1:], ways, strict=True):
            text += f" {'+' if way > 0 else '-'} {factor}{written(name)}"
        text += f" {sign} {bound}"

    def holds(row):
        values = [row[NAMES.index(name)] for name in weights]
        if None in values:
            return False
        return COMPARE[sign](sum(w * v for w, v in zip(weights.values(), values, strict=True)), Fraction(str(bound)))

    return text, holds


def both(one, other):
    return f"({one[0]}) AND ({other[0]})", lambda row: one[1](row) and other[1](row)


def either(one, other):
    return f"({one[0]}) OR ({other[0]})", lambda row: one[1](row) or other[1](row)


def opposite(one):
    return f"NOT ({one[0]})", lambda row: not one[1](row)


EXPRESSIONS = st.recursive(
    compared(),
    lambda inner: st.one_of(st.builds(both, inner, inner), st.builds(either, inner, inner), st.builds(opposite, inner)),
    max_leaves=3,
)


def truth(holds):
    return np.array([holds(row) for row in ROWS])


def mask(rules, frame=TABLE):
    return cover(rules, frame).any(axis=0) if len(rules) else np.zeros(len(ROWS), dtype=bool)


@settings(max_examples=examples(250))
@given(EXPRESSIONS)
def test_coverage_is_that_of_plain_python_and_pieces_are_disjoint(drawn):
    text, holds = drawn
    rules = parse_rules(f"r: IF {text} THEN yes")
    covered = cover(rules, TABLE)
    assert (covered.any(axis=0) == truth(holds)).all()
    assert covered.sum(axis=0).max() <= 1
    assert parse_rules(str(rules)) == rules
    assert from_json(to_json(rules)) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    bound = rules.bind(TABLE)
    assert parse_rules(str(bound)) == bound
    assert (mask(bound) == truth(holds)).all()
    assert (Masks(TABLE).unpacked(rules[0].clause) == clause_mask(rules[0].clause, TABLE)).all()
    floats = FRAME.astype("float64") + 0.0
    assert (mask(rules, pd.concat([floats, floats + 0.25]))[: len(ROWS)] == truth(holds)).all()


@settings(max_examples=examples(200))
@given(st.lists(compared(), min_size=1, max_size=4))
def test_emptiness_and_witnesses_are_those_of_the_world(drawn):
    text = " AND ".join([WORLD, *(text for text, _ in drawn)])
    (rule,) = parse_rules(f"IF {text} THEN yes")
    inside = np.logical_and.reduce([truth(holds) for _, holds in drawn]) & FRAME.notna().all(axis=1).to_numpy()
    witness = rule.clause.witness(TABLE.schema)
    assert rule.clause.doubt(TABLE.schema) == ""
    assert rule.clause.is_empty(TABLE.schema) == (not inside.any())
    if witness is None:
        assert not inside.any()
    else:
        assert all(holds(tuple(witness[name] for name in NAMES)) for _, holds in drawn)


@settings(max_examples=examples(150))
@given(st.lists(compared(), min_size=1, max_size=3), st.lists(compared(), min_size=1, max_size=3))
def test_implication_is_that_of_the_world(mine, theirs):
    one, other = (
        parse_rules(f"IF {' AND '.join([WORLD, *(text for text, _ in some)])} THEN yes") for some in (mine, theirs)
    )
    covered = cover(RuleSet([one[0]]), TABLE)[0], cover(RuleSet([other[0]]), TABLE)[0]
    assert one[0].clause.implies(other[0].clause, TABLE.schema) == (not (covered[0] & ~covered[1]).any())


RULES = st.lists(st.tuples(EXPRESSIONS, st.sampled_from(["yes", "no"])), min_size=2, max_size=3)


def rule_set(drawn):
    text = "\n".join(f"r{at}: IF {WORLD} AND ({text}) THEN {label}" for at, ((text, _), label) in enumerate(drawn))
    rules = parse_rules(text)
    inside = [truth(holds) & FRAME.notna().all(axis=1).to_numpy() for (_, holds), _ in drawn]
    return rules, inside, [label for _, label in drawn]


@settings(max_examples=examples(120))
@given(RULES)
def test_conflicts_are_those_of_the_world(drawn):
    rules, inside, labels = rule_set(drawn)
    schema = TABLE.schema
    found = {frozenset((one.first.origin, one.second.origin)) for one in rules.conflicts(schema)}
    wanted = {
        frozenset((f"r{i}", f"r{j}"))
        for i, j in itertools.combinations(range(len(labels)), 2)
        if labels[i] != labels[j] and (inside[i] & inside[j]).any()
    }
    assert found == wanted
    for one in rules.conflicts(FRAME):
        assert not one.doubt
        assert one.rows == (cover(RuleSet([one.first, one.second]), TABLE).all(axis=0)).sum() > 0


@settings(max_examples=examples(100))
@given(RULES, st.sampled_from(["exclude", "priority", "mix"]))
def test_resolution_is_that_of_the_world(drawn, how):
    rules, inside, labels = rule_set(drawn)
    resolved = rules.resolve(how, TABLE.schema)
    assert not resolved.conflicts(TABLE.schema)
    covered = cover(resolved, TABLE) if len(resolved) else np.zeros((0, len(ROWS)), dtype=bool)
    for at in range(len(ROWS)):
        holding = [label for own, label in zip(inside, labels, strict=True) if own[at]]
        answers = {str(rule.outcome) for rule, own in zip(resolved, covered, strict=True) if own[at]}
        if len(set(holding)) < 2:
            assert answers == set(holding)
        elif how == "exclude":
            assert answers == set()
        elif how == "priority":
            assert answers == {holding[0]}
        else:
            (mean,) = (rule.outcome for rule, own in zip(resolved, covered, strict=True) if own[at])
            assert dict(mean.probabilities)["yes"] == pytest.approx(holding.count("yes") / len(holding))
    assert parse_rules(str(resolved)) == resolved


@settings(max_examples=examples(100))
@given(EXPRESSIONS, EXPRESSIONS)
def test_difference_is_that_of_the_world(before, after):
    old, new = (parse_rules(f"r: IF {WORLD} AND ({text}) THEN yes") for text, _ in (before, after))
    whole = FRAME.notna().all(axis=1).to_numpy()
    was, now = truth(before[1]) & whole, truth(after[1]) & whole
    difference = old.diff(new, TABLE.schema)
    assert difference.equal == (was == now).all()
    told = {"newly covered": np.zeros(len(ROWS), bool), "no longer covered": np.zeros(len(ROWS), bool)}
    for region in difference.regions:
        told[region.kind] |= clause_mask(region.clause, TABLE)
        row = tuple(region.witness[name] for name in NAMES)
        assert (after if region.kind == "newly covered" else before)[1](row)
    assert (told["newly covered"] == now & ~was).all()
    assert (told["no longer covered"] == was & ~now).all()


@settings(max_examples=examples(50))
@given(RULES)
def test_rules_are_put_apart_and_implied_as_in_the_world(drawn):
    rules, inside, _ = rule_set([(expression, "yes") for expression, _ in drawn])
    apart = rules.disjoint(TABLE.schema)
    covered = cover(apart, TABLE) if len(apart) else np.zeros((1, len(ROWS)), dtype=bool)
    assert covered.sum(axis=0).max() <= 1
    assert (covered.any(axis=0) == np.logical_or.reduce(inside)).all()
    implied = rules.check(FULL).frame["implied_by"]
    for name, earlier in implied.items():
        if earlier:
            assert not (inside[int(name[1:])] & ~inside[int(earlier[1:])]).any()


@settings(max_examples=examples(200))
@given(
    st.lists(st.tuples(st.sampled_from([-3, -2, -1, 1, 2, 3]), st.integers(0, 2)), min_size=1, max_size=6),
    st.lists(st.integers(-4, 4), min_size=4, max_size=4),
    st.booleans(),
)
def test_points_are_found_where_there_are_some(drawn, bounds, whole):
    line = Line.of(Intervals.between(-3, 3, low_closed=True, high_closed=True), 1 if whole else 0)
    sums = []
    for at in range(0, len(drawn) - 1, 2):
        factors = {place: factor for factor, place in drawn[at : at + 2]}
        ends = [Intervals.between(high=bounds[0]), Intervals.between(bounds[1]), ~Intervals.points([bounds[2]])]
        sums.append((factors, Line.of(ends[at // 2])))
    point = find_point([line] * 3, sums)
    if point is not None:
        assert all(value in line for value in point)
        assert all(sum(c * point[at] for at, c in own.items()) in held for own, held in sums)
    else:
        grid = range(-3, 4) if whole else np.arange(-3, 3.25, 0.25).tolist()
        points = itertools.product([Fraction(value) for value in grid], repeat=3)
        assert not any(all(sum(c * at[p] for p, c in own.items()) in held for own, held in sums) for at in points)


# Worked by hand.


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("bill > 0.9 * limit", "bill > 0.9 * limit"),
        ("0.9 * limit < bill", "bill > 0.9 * limit"),
        ("instalment <= income * 0.4", "instalment <= 0.4 * income"),
        ("income - rent >= 500", "income - rent >= 500"),
        ("500 + rent <= income", "income - rent >= 500"),
        ("end >= start + 30 days", "end - start >= 30 days"),
        ("end - start > 1 week + 36 HOURS", "end - start > 204 hours"),
        ("end - start >= 0 days", "end - start >= 0 days"),
        ("2 * a - 2 * b > 4", "a - b > 2"),
        ("3 * a - 3 * b > 1", "3 * a - 3 * b > 1"),
        ("10 * bill > 9 * limit", "10 * bill > 9 * limit"),
        ("a - b BETWEEN 0 AND 5", "a >= b AND a - b <= 5"),
        ("a - b != 3", "a - b != 3"),
        ("a = `b`", "a - b = 0"),
        ("NOT (a > b)", "NOT a > b"),
        ("NOT (a > b AND a - b < 3)", "NOT (a > b AND a - b < 3)"),
        ("a > b AND b > a", "b > a AND a > b"),
        ("a < b OR a >= b", "b > a OR a >= b"),
        ("a - b < -3 OR a - b = 1", "b - a > 3 OR a - b = 1"),
        ("paid > due + 30 days", "paid - due > 30 days"),
        ("a + b > -3", "a + b > -3"),
        ("x > 2 * y", "x > 2 * y"),
        ("2 * y > x", "x < 2 * y"),
        ("`true` > `null` + `a b`", "`true` > `a b` + `null`"),
    ],
)
def test_one_way_to_write_each(text, printed):
    (rule,) = parse_rules(f"r: IF {text} THEN yes")
    assert str(rule.clause) == printed
    assert parse_rules(str(rule))[0] == rule


def test_equal_comparisons_are_equal_values():
    one, other = (parse_rules(f"r: IF {text} THEN yes") for text in ("a - b > 2", "4 + 2 * b < 2 * a"))
    assert one == other
    assert hash(one) == hash(other)
    assert one != parse_rules("r: IF a - b >= 2 THEN yes")


def test_the_builder_makes_what_the_parser_reads():
    built = {
        "bill > 0.9 * limit": col("bill") > 0.9 * col("limit"),
        "income - rent >= 500": col("income") - col("rent") >= 500,
        "end >= start + 30 days": col("end") >= col("start") + dt.timedelta(days=30),
        "start + 2 days < end": col("start") + np.timedelta64(2, "D") < col("end"),
        "a - b = 0": col("a") == col("b"),
        "a - b != 1": col("a") - col("b") != 1,
        "5 - a > -b + c": 5 - col("a") > -col("b") + col("c"),
        "NOT (a < b) OR c > 2": ~(col("a") < col("b")) | (col("c") > 2),
        "x > 2 * y": col("x") > np.float64(2) * col("y"),
    }
    for text, expression in built.items():
        assert expression.then("yes", name="r") == parse_rules(f"r: IF {text} THEN yes")
    for wrong in (
        lambda: col("a") * col("b"),
        lambda: col("a") + "x",
        lambda: col("a") * dt.timedelta(1),
        lambda: bool(col("a") + 1),
    ):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(RuleError, match="cannot be added"):
        (col("a") + 3).__gt__(col("b") + dt.timedelta(1))


def test_dates_of_any_unit_are_taken_from_one_another():
    frame = pd.DataFrame(
        {
            "start": np.array(["2024-01-01", "2024-01-01", "NaT", "1700-01-01"], dtype="datetime64[s]"),
            "end": np.array(["2024-01-31", "2024-01-30", "2024-01-30", "2024-01-01"], dtype="datetime64[ms]"),
        }
    )
    rules = parse_rules("r: IF end >= start + 30 days THEN yes\ns: IF end > start AND start >= 2024-01-01 THEN no")
    assert cover(rules, frame).tolist() == [[True, False, False, True], [True, True, False, False]]
    (conflict,) = rules.conflicts(frame)
    assert conflict.rows == 1
    assert (conflict.witness["end"] - conflict.witness["start"]).days >= 30
    assert not parse_rules("r: IF end >= start + 30 days THEN yes\ns: IF end < start THEN no").conflicts()


def test_floats_are_compared_as_pandas_compares_them():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"bill": rng.integers(0, 50, 4_000) / 10, "limit": rng.integers(0, 50, 4_000) / 9 + 0.1})
    (rule,) = parse_rules("IF bill > 0.9 * limit THEN yes")
    assert (rule.mask(frame) == (frame["bill"] > 0.9 * frame["limit"])).all()
    (rule,) = parse_rules("IF limit < bill THEN yes")
    assert (rule.mask(frame) == (frame["bill"] > frame["limit"])).all()
    (rule,) = parse_rules("IF bill - limit >= 0.3 THEN yes")
    assert (rule.mask(frame) == (frame["bill"] - frame["limit"] >= 0.3)).all()


def test_whole_numbers_are_added_exactly():
    large = 2**62
    frame = pd.DataFrame({"a": [large, large, -large], "b": [large - 1, large, large]})
    assert parse_rules("IF a > b THEN yes")[0].mask(frame).tolist() == [True, False, False]
    assert parse_rules("IF 3 * a - 2 * b > 0 THEN yes")[0].mask(frame).tolist() == [True, True, False]
    assert parse_rules("IF a > 0.1 * b THEN yes")[0].mask(pd.DataFrame({"a": [1, 2], "b": [10, 10]})).tolist() == [
        False,
        True,
    ]


def test_infinite_floats_without_a_difference_are_as_missing():
    frame = pd.DataFrame({"a": [np.inf, np.inf, 1.0], "b": [np.inf, -np.inf, np.inf]})
    rules = parse_rules("r: IF a > b THEN yes\ns: IF NOT (a > b) THEN no")
    assert cover(rules, frame).tolist() == [[False, True, False], [True, False, True]]


def test_three_in_a_circle_are_empty_and_said_to_be():
    (rule,) = parse_rules("IF a > b AND b > c AND c > a THEN yes")
    assert rule.clause.is_empty()
    assert not parse_rules("r: IF a > b AND b > c THEN yes\ns: IF c >= a THEN no").conflicts()
    assert len(parse_rules("r: IF a >= b AND b >= c THEN yes\ns: IF c >= a THEN no").conflicts()) == 1


def test_what_takes_too_long_may_conflict():
    # The sum of two whole numbers is even if their difference is, however far one looks.
    schema = Schema(tuple(Column(name, Kind.INTEGER) for name in "wxyz"))
    rules = parse_rules("r: IF x + y - 2 * z = 0 THEN yes\ns: IF x - y - 2 * w = 1 THEN no")
    (conflict,) = rules.conflicts(schema)
    assert conflict.witness == {}
    assert str(conflict).startswith("r (yes) and s (no) may conflict where x + y - 2 * z = 0 AND ")
    assert "takes too long" in str(conflict)
    both = rules[0].clause & rules[1].clause
    assert not both.is_empty(schema)
    assert both.witness(schema) is None
    assert "takes too long" in both.doubt(schema)
    assert not rules.resolve("exclude", schema).conflicts(schema)
    line = Line.of(Intervals.everything())
    sums = [
        ({at: 1 + at % 3, (at * 7 + 1) % 30: -1, (at * 5 + 2) % 30: 1}, Line.of(Intervals.between(-9, at)))
        for at in range(30)
    ]
    with pytest.raises(UndecidedError, match="so many conditions"):
        find_point([line] * 30, sums * 2)


def test_missing_values_are_in_no_comparison_and_in_every_complement():
    frame = pd.DataFrame({"a": [1.0, np.nan, 3.0], "b": [0.5, 1.0, np.nan]})
    rules = parse_rules("r: IF a > b THEN yes\ns: IF NOT (a > b) THEN no")
    assert cover(rules, frame).tolist() == [[True, False, False], [False, True, True]]
    assert not rules.conflicts(frame)
    gapless = rules.bind(frame.dropna().astype("int64")).resolve("exclude", frame.dropna().astype("int64"))
    assert str(gapless[1].clause) == "b >= a"


def test_a_column_alone_keeps_its_own_condition():
    (rule,) = parse_rules("IF a > b AND a < 3 AND b = 2 THEN yes")
    assert rule.clause.columns == ("a", "b")
    assert len(rule.clause) == 3
    assert rule.clause.relax(rule.clause.sums[0][0]) == Clause.of(rule.clause.alone)
    schema = Schema((Column("a", Kind.INTEGER), Column("b", Kind.INTEGER)))
    assert rule.clause.is_empty(schema)
    assert not rule.clause.is_empty()


def test_words_for_reports():
    rules = parse_rules("IF bill > 0.9 * limit AND NOT (end >= start + 30 days) THEN review")
    assert rule_words(rules) == (
        "If bill is above 0.9 * limit and it is not so that end - start is at least 30 days, then review."
    )


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"sum": [{"column": "a", "factor": 1}]}, "2 to 20 columns"),
        ({"sum": [{"column": "b", "factor": 1}, {"column": "a", "factor": -1}]}, "in order"),
        ({"sum": [{"column": "a", "factor": -1}, {"column": "b", "factor": 1}]}, "above 0"),
        ({"sum": [{"column": "a", "factor": 1}, {"column": "b", "factor": 0}]}, "out of range"),
        ({"sum": [{"column": "a", "factor": 10**16}, {"column": "b", "factor": 1}]}, "out of range"),
        ({"scale": 3}, "scale of a sum"),
        ({"scale": 0}, "out of range"),
        ({"durations": 1}, "expected true or false"),
        ({"numbers": "all"}, "expected a list"),
    ],
)
def test_strange_json_is_refused(entry, message):
    good = {
        "sum": [{"column": "a", "factor": 1}, {"column": "b", "factor": -1}],
        "scale": 1,
        "durations": False,
        "numbers": [[0, False, None, True]],
        "missing": False,
    }
    document = json.loads(to_json(parse_rules("r: IF a > b THEN yes")))
    assert {**document["rules"][0]["if"][0]} == good
    document["rules"][0]["if"] = [{**good, **entry}]
    with pytest.raises(RuleSyntaxError, match=message):
        from_json(json.dumps(document))
    document["rules"][0]["if"] = [good, good]
    with pytest.raises(RuleSyntaxError, match="stands twice"):
        from_json(json.dumps(document))


def test_sums_that_are_too_much_are_refused():
    names = [f"x{i}" for i in range(21)]
    with pytest.raises(RuleSyntaxError, match="more than 20 columns"):
        parse_rules(f"IF {' + '.join(names)} > 3 THEN yes")
    with pytest.raises(RuleSyntaxError, match="more than 15 digits"):
        parse_rules("IF a > 1e-20 * b THEN yes")
    with pytest.raises(RuleSyntaxError, match="too small"):
        parse_rules("IF a > 1e-999999999 * b THEN yes")
    assert isinstance(compare_sums(Sum.of("a"), ">", Sum.of("b"))[0], Linear)


def test_coverage_with_rules_is_told_by_check():
    frame = pd.DataFrame({"bill": [90.0, 95.0, np.nan], "limit": [100, 100, 100]})
    check = frote.parse_rules("over: IF bill > 0.9 * limit THEN review").check(frame, ["ok", "review", "ok"])
    assert check.frame.loc["over", ["rows", "missing_out", "agreement"]].tolist() == [1, 1, 1.0]
    assert check.ok
