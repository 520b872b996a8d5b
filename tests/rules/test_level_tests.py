"""What is asked of levels: the laws of its algebra, what binding makes of it, and who is told of levels to come."""

from __future__ import annotations

import itertools
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.rules.boolean_laws import require_boolean_laws
from tests.rules.test_grammar import is_like

import frote
from frote import BindingError, RuleError, RuleSyntaxError, col, parse_rules
from frote.edits.saved_models import load_model, save_model
from frote.exceptions import RuleWarning
from frote.rules import Clause, Condition
from frote.rules.files import from_json, to_json
from frote.rules.level_tests import MOST_TESTS, LevelTest, compared, containing, ending, like, passing, starting
from frote.rules.text import condition_text
from frote.table import Column, Kind, Schema, Table

SIZES = ("S", "M", "L", "XL")
LEVELS = ("S", "M", "L", "XL", "xL", "50%", "a_b", "2", "2024-03-01", "")
COLUMN = Column("size", Kind.CATEGORICAL, levels=LEVELS, ordered=True)

PATTERNS = st.text("XLab5%_\\", min_size=1, max_size=4).filter(lambda text: len(text) - len(text.rstrip("\\")) != 1)
ATOMS = st.one_of(
    PATTERNS.filter(lambda text: not re.search(r"(?<!\\)(\\\\)*\\$", text)).map(like),
    st.sampled_from("XLa5").map(starting),
    st.sampled_from("XLa5").map(ending),
    st.sampled_from("XLa5").map(containing),
    st.tuples(st.sampled_from(["<", "<=", ">", ">="]), st.sampled_from(SIZES)).map(lambda pair: compared(*pair)),
    st.lists(st.sampled_from(LEVELS), max_size=3).map(Condition.among),
    st.just(Condition.is_missing()),
)
CONDITIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: pair[0] & pair[1]),
        st.tuples(inner, inner).map(lambda pair: pair[0] | pair[1]),
        inner.map(lambda one: ~one),
    ),
    max_leaves=5,
)


def inside(condition, column=COLUMN):
    return [*condition.levels_inside(column), condition.missing]


@settings(max_examples=examples(300))
@given(CONDITIONS, CONDITIONS, CONDITIONS)
def test_conditions_on_levels_are_a_boolean_algebra_before_anybody_knows_the_levels(a, b, c):
    require_boolean_laws(a, b, c, Condition.nothing(), Condition.anything())


@settings(max_examples=examples(600))
@given(CONDITIONS, CONDITIONS)
def test_they_are_decided_as_their_parts_are(a, b):
    assert inside(a & b) == [x and y for x, y in zip(inside(a), inside(b), strict=True)]
    assert inside(a | b) == [x or y for x, y in zip(inside(a), inside(b), strict=True)]
    assert inside(~a) == [not x for x in inside(a)]
    assert inside(a.on(COLUMN)) == inside(a)
    assert a.on(COLUMN).is_decided
    assert (a.pick(COLUMN) is None) == (not any(inside(a)))


@settings(max_examples=examples(600))
@given(CONDITIONS)
def test_they_are_written_and_read_back_as_they_are(condition):
    text, _ = condition_text("size", condition)
    if condition not in (Condition.nothing(), Condition.anything()):
        (rule,) = parse_rules(f"IF {text} THEN yes")
        assert dict(rule.clause) == {"size": condition.settled()}, text
        assert from_json(to_json(parse_rules(f"IF {text} THEN yes")))[0].clause == rule.clause
    assert pickle.loads(pickle.dumps(condition)) == condition


@settings(max_examples=examples(1_000))
@given(st.text("ab%_\\.*", max_size=6), st.text("ab%_.*\n", max_size=6))
def test_patterns_are_what_they_are_sign_by_sign(pattern, text):
    try:
        condition = like(pattern)
    except RuleError as error:
        assert "ends in a backslash" in str(error)  # noqa: PT017
        return
    # Wildcards that stand for themselves become other signs, in the pattern and in the text.
    other = {"%": "\ue000", "_": "\ue001"}
    plain = re.sub(r"\\(.)", lambda match: other.get(match[1], match[1]), pattern)
    assert (text in condition) == is_like("".join(other.get(sign, sign) for sign in text), plain)


def test_one_pattern_is_one_condition_however_it_is_written():
    assert like("pre%") == starting("pre") == like("pre%%")
    assert like("%_x") == like("_%x")
    assert like("car") == Condition.among(["car"])
    assert like("%") == ~Condition.is_missing()
    assert starting("50%") == like(r"50\%%")
    text = "IF a STARTS WITH '50%' AND b LIKE '%\\_' AND c LIKE 'a%b' THEN x"
    assert str(parse_rules(text)) == ("rule 1: IF a STARTS WITH '50%' AND b ENDS WITH '_' AND c LIKE 'a%b' THEN x")
    built = col("a").startswith("50%") & col("b").endswith("_") & col("c").like("a%b")
    assert built.then("x") == parse_rules(text)
    assert (~col("a").contains("x")).then("y") == parse_rules("IF NOT a CONTAINS x THEN y")


def test_numbers_and_dates_are_matched_as_rules_write_them():
    column = Column("code", Kind.CATEGORICAL, levels=(2.0, "2024-03-01", "01234", 212, "True"))
    assert starting("2").levels_inside(column) == [True, True, False, True, False]
    assert ending("2").levels_inside(column) == [True, False, False, True, False]
    assert starting("0").levels_inside(column) == [False, False, True, False, False]
    assert starting("t").levels_inside(column) == [False, False, False, False, True]


def test_a_hostile_pattern_takes_no_time():
    condition = like("%a" * 400 + "%b")
    assert "a" * 10_000 not in condition
    assert "a" * 10_000 + "b" in condition
    with pytest.raises(RuleError, match="at most 1,000 characters"):
        like("a" * 1_001 + "%")
    many = "IF " + " OR ".join(f"a LIKE '%{number}%x'" for number in range(MOST_TESTS + 1)) + " THEN yes"
    with pytest.raises(RuleSyntaxError, match=f"more than {MOST_TESTS} patterns are asked of one column"):
        parse_rules(many)
    for word in ("OR", "AND NOT"):
        most = f" {word} ".join(f"a LIKE '%{number}%x'" for number in range(MOST_TESTS))
        rules = parse_rules(f"IF {most} THEN yes")
        assert parse_rules(str(rules)) == rules
    with pytest.raises(RuleSyntaxError, match="patterns are asked of one column"):
        parse_rules("IF " + " OR ".join(f"(a LIKE '%{one}%x' AND a != {one})" for one in range(50)) + " THEN yes")


# Order.


@pytest.mark.parametrize("kind", ["pandas", "arrow", "polars"])
def test_an_order_of_levels_is_that_of_their_type(kind):
    values = ["S", None, "XL", "M"]
    if kind == "polars":
        X = pl.DataFrame({"size": pl.Series(values, dtype=pl.Enum(SIZES))})
    else:
        X = pd.DataFrame({"size": pd.Categorical(values, SIZES, ordered=True)})
    if kind == "arrow":
        import pyarrow as pa

        array = pa.DictionaryArray.from_arrays(pa.array([0, None, 3, 1]), pa.array(SIZES), ordered=True)
        X = pd.DataFrame({"size": pd.array(array, dtype=pd.ArrowDtype(array.type))})
    rules = parse_rules("IF size >= 'M' THEN yes\nIF NOT size BETWEEN 'M' AND 'L' THEN yes\nIF size < 'S' THEN no")
    assert rules.coverage(X).T.tolist() == [[False, False, True, True], [True, True, True, False], [False] * 4]
    bound = rules.bind(X)
    assert str(bound[0].clause) == "size IN {'L', 'M', 'XL'}"
    assert bound.coverage(X).tolist() == rules.coverage(X).tolist()


def test_an_order_declared_beside_the_data_counts():
    X = pd.DataFrame({"size": ["S", "XL", "M"]})
    for declared in (pd.CategoricalDtype(SIZES, ordered=True), pl.Enum(SIZES)):
        table = Table.from_frame(X, levels={"size": declared})
        assert table.schema["size"].levels == SIZES
        assert parse_rules("IF size > 'S' THEN yes").coverage(table).T.tolist() == [[False, True, True]]
    assert list(table.to_frame()["size"]) == ["S", "XL", "M"]
    with pytest.raises(frote.TableError, match="holds 'XL', for which it has no place"):
        Table.from_frame(X, levels={"size": pl.Enum(["S", "M"])})


NUMBERED = Column("rooms", Kind.CATEGORICAL, levels=("0", "1", "2", "3+"), ordered=True)


@settings(max_examples=examples(200))
@given(st.sampled_from(["<", "<=", ">", ">="]), st.sampled_from(["0", "1", "2", "'3+'"]), st.booleans())
def test_levels_that_are_numbers_stand_among_others(sign, bound, negated):
    (rule,) = parse_rules(f"IF {'NOT ' * negated}rooms {sign} {bound} THEN yes")
    place = NUMBERED.levels.index(bound.strip("'"))
    signs = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__}
    wanted = [signs[sign](one, place) != negated for one in range(4)]
    assert rule.clause["rooms"].levels_inside(NUMBERED) == wanted
    assert rule.clause["rooms"].on(NUMBERED).levels_inside(NUMBERED) == wanted


@pytest.mark.parametrize(
    ("levels", "ordered", "asked", "message"),
    [
        (("S", "M"), False, "size > 'S'", "which have no order. Use =, != or IN, or give the column a type with one"),
        (("S", "M"), True, "size > 'X'", "in an order, none of which is 'X'"),
        (("S", "Medium"), True, "size > 'Medum'", "Did you mean 'Medium'?"),
        (("3", "2", "1"), True, "size > 2", "whose order is not that of the values that they look like"),
        (("1", "2", "3+"), True, "size > 1.5", "1.5 is none of them"),
        (("1", "2", "3+"), True, "size > 1 OR size = 'x'", "numbers, dates and texts are compared with them at once"),
        (("S", "M"), True, "size STARTS WITH 'S' OR size > 3", "are compared with them at once"),
        (("S", "M"), False, "size STARTS WITH 'S' OR size > 3", "which have no order"),
    ],
)
def test_an_order_that_is_not_there_is_told(levels, ordered, asked, message):
    schema = Schema((Column("size", Kind.CATEGORICAL, levels=levels, ordered=ordered),))
    rules = parse_rules(f"IF {asked} THEN yes")
    with pytest.raises(BindingError, match=re.escape(message)):
        rules.bind(schema)


@pytest.mark.parametrize(
    ("values", "asked", "message"),
    [
        (
            [1, 2],
            "x STARTS WITH 1",
            "column 'x' holds numbers, and patterns are asked of texts. Compare it with a number",
        ),
        ([1, 2], "x < 'M'", "column 'x' holds numbers, and 'M' is none. Compare it with a number"),
        ([True, False], "x LIKE 't%'", "column 'x' holds true or false, and no texts"),
        (
            pd.to_datetime(["2024-01-01", "2024-01-02"]),
            "x LIKE '2024%'",
            "holds dates, and patterns are asked of texts",
        ),
    ],
)
def test_a_column_of_another_kind_is_told(values, asked, message):
    with pytest.raises(BindingError, match=re.escape(message)):
        parse_rules(f"IF {asked} THEN yes").coverage(pd.DataFrame({"x": values}))


# Rules.

PLANS = ["prepaid", "premium", "basic", None]
X = pd.DataFrame({"plan": PLANS * 6, "age": [20, 30, 40] * 8})


def test_conflicts_are_exact_once_the_levels_are_known():
    rules = parse_rules("a: IF plan STARTS WITH 'pre' THEN yes\nb: IF plan ENDS WITH 'm' AND age > 25 THEN no")
    for ask in (
        rules.conflicts,
        lambda: rules.resolve("mix"),
        lambda: rules[0].clause.is_empty(),
        lambda: rules.diff(rules),
    ):
        with pytest.raises(
            RuleError, match=r"plan STARTS WITH 'pre' is decided on the levels of a column. Give the data"
        ):
            ask()
    (conflict,) = rules.conflicts(X)
    assert str(conflict.overlap) == "plan = 'premium' AND age > 25"
    assert parse_rules("a: IF plan STARTS WITH 'x' THEN yes\nb: IF plan = basic THEN no").conflicts(X) == []
    resolved = rules.resolve("priority", X)
    assert not resolved.conflicts(X)
    assert (resolved.coverage(X).any(axis=1) == rules.coverage(X).any(axis=1)).all()
    assert not rules.diff(rules, X).regions
    (region,) = rules[1:].diff(rules[:0], X).regions
    assert region.where == "where plan = 'premium' AND age > 25"


ATOM_TEXTS = st.sampled_from(
    ["plan STARTS WITH pre", "plan LIKE '%m'", "plan NOT CONTAINS i", "plan = basic", "plan IS MISSING", "age > 25"]
)
EXPRESSIONS = ATOM_TEXTS
for _ in range(3):
    EXPRESSIONS = st.one_of(
        EXPRESSIONS,
        st.tuples(EXPRESSIONS, EXPRESSIONS).map(" AND ".join),
        st.tuples(EXPRESSIONS, EXPRESSIONS).map(lambda pair: f"({' OR '.join(pair)})"),
        EXPRESSIONS.map(lambda text: f"NOT ({text})"),
    )
ROWS = pd.DataFrame(list(itertools.product(PLANS, [20, 30])), columns=["plan", "age"])


@settings(max_examples=examples(300))
@given(EXPRESSIONS, EXPRESSIONS, st.sampled_from(["exclude", "priority", "mix"]))
def test_rules_with_patterns_are_what_their_bound_ones_are(one, other, how):
    try:
        rules = parse_rules(f"a: IF {one} THEN yes\nb: IF {other} THEN no")
    except RuleSyntaxError as error:
        assert "can never apply" in str(error)  # noqa: PT017
        return
    covered = rules.coverage(ROWS)
    places = {name: [place for place, rule in enumerate(rules) if rule.origin == name] for name in ("a", "b")}
    assert (covered[:, places["a"]].sum(axis=1) <= 1).all()  # pieces are disjoint
    a, b = (covered[:, places[name]].any(axis=1) for name in ("a", "b"))
    assert bool(rules.conflicts(Table.from_frame(ROWS).schema)) == (a & b).any()
    bound = rules.bind(ROWS)
    assert (bound.coverage(ROWS).any(axis=1) == (a | b)).all()
    assert all(rule.clause.columns == () or all(held.is_decided for _, held in rule.clause) for rule in bound)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleWarning)  # of rules that cover nothing
        resolved = rules.resolve(how, ROWS)
    left = resolved.coverage(ROWS)
    assert (left.sum(axis=1) <= 1).all()
    assert (left.any(axis=1) == ((a ^ b) if how == "exclude" else (a | b))).all()


def test_who_is_asked_later_is_told_of_levels_that_join():
    y = np.where(X["plan"] == "basic", "no", "yes")
    rules = parse_rules("a: IF plan STARTS WITH 'pre' THEN no\nb: IF age > 35 AND plan NOT LIKE 'pre%' THEN yes")
    overlay = frote.OverlayClassifier(frote.default_pipeline(), rules).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        overlay.predict(X)
    later = pd.DataFrame({"plan": ["pre2", "other", "basic"], "age": [20, 20, 40]})
    with pytest.warns(RuleWarning) as told:
        assert overlay.apply(later).tolist() == ["", "", "b"]
    assert [str(one.message) for one in told] == [
        "Rule 'a' was bound to data without the level 'pre2', which plan STARTS WITH 'pre' would let in. It is left "
        "out until the rules are bound to data that have it.",
        "Rule 'b' was bound to data without the level 'pre2', which plan NOT STARTS WITH 'pre' would keep out. It is "
        "let in until the rules are bound to data that have it.",
    ]
    again = pickle.loads(pickle.dumps(rules.bind(X)))
    with pytest.warns(RuleWarning, match="'pre2'"):
        again.resolve("priority", X).coverage(later)


def test_rules_without_patterns_are_what_they_were():
    rules = parse_rules("a: IF plan = basic AND age > 3 THEN yes")
    assert '"version": 1' in to_json(rules)
    assert len(rules.bind(X)[0].__getstate__()) == 8
    assert rules.bind(X)[0].decided == ()
    asked = parse_rules("a: IF plan STARTS WITH b THEN yes")
    assert '"version": 2' in to_json(asked)
    assert '"version": 1' in to_json(asked.bind(X))


@pytest.mark.parametrize(
    "damage",
    [
        ('"LIKE"', '"RLIKE"'),
        ('"b%"', "5"),
        ('"inside"', '"within"'),
        ('"b%"', '"b\\\\"'),
        ('["LIKE", "b%"]', '["LIKE"]'),
    ],
)
def test_json_of_patterns_is_held_against_its_form(damage):
    text = (
        re.sub(r"\s+", " ", to_json(parse_rules("a: IF plan STARTS WITH b THEN yes")))
        .replace("[ ", "[")
        .replace(" ]", "]")
    )
    assert damage[0] in text
    with pytest.raises(RuleSyntaxError, match="JSON: rule 1: "):
        from_json(text.replace(*damage))


def test_an_edit_makes_rows_of_the_levels_that_match():
    rng = np.random.default_rng(0)
    plans = np.array(["prepaid", "premium", "basic", "gold"])
    rows = pd.DataFrame(
        {
            "plan": plans[rng.integers(4, size=200)],
            "size": pd.Categorical(np.array(SIZES)[rng.integers(4, size=200)], SIZES, ordered=True),
            "age": rng.integers(18, 80, size=200),
        }
    )
    y = np.where(rows["age"] > 40, "yes", "no")
    rules = parse_rules("a: IF plan STARTS WITH 'pre' AND size >= 'L' THEN yes")
    editor = frote.FROTE(None, rules, max_fits=3, random_state=0)
    X_new, y_new = editor.fit_resample(rows, y)
    extra = X_new.iloc[len(rows) :]
    assert len(extra)
    assert (y_new[len(rows) :] == "yes").all()
    assert extra["plan"].str.startswith("pre").mean() == 1
    assert (extra["size"] >= "L").all()


def test_an_overlay_in_a_file_tells_of_levels_too(tmp_path):
    y = np.where(X["plan"] == "basic", "no", "yes")
    overlay = frote.OverlayClassifier(frote.default_pipeline(), parse_rules("a: IF plan STARTS WITH pre THEN no"))
    save_model(overlay.fit(X, y), tmp_path / "overlay.skops")
    with pytest.warns(RuleWarning, match="'pre2'"):
        load_model(tmp_path / "overlay.skops").predict(pd.DataFrame({"plan": ["pre2"], "age": [20]}))


def test_an_order_that_is_declared_is_in_no_record(tmp_path):
    levels = {"plan": pd.CategoricalDtype(["basic", "premium", "prepaid"], ordered=True)}
    rules = parse_rules("IF plan >= 'premium' AND age > 25 THEN yes")
    editor = frote.FROTE(None, rules, max_fits=1, random_state=0, levels=levels)
    editor.fit_resample(X, np.where(X["age"] > 20, "yes", "no"))
    with pytest.raises(frote.RecordError, match="the order that levels= declares for column 'plan'"):
        editor.save(tmp_path / "edit")


def test_the_safety_net_of_what_nobody_knows():
    asked = passing(LevelTest("LIKE", "a%"))
    for name in ("numbers", "times", "texts", "all_but"):
        with pytest.raises(RuleError, match="is decided on the levels of a column"):
            getattr(asked, name)
    with pytest.raises(RuleError, match="is decided on the levels"):
        asked.pick(None)
    with pytest.raises(RuleError, match="is decided on the levels"):
        asked.on(Column("n", Kind.INTEGER))
    with pytest.raises(RuleError, match="is decided on the levels"):
        Clause.of({"a": asked}).is_empty()
    with pytest.raises(RuleError, match="is decided on the levels"):
        "x" in compared("<", "M")  # noqa: B015
