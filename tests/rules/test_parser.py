"""The parser: numbers, names, lines, and that nothing but the package's own error comes out of any text."""

import re
import time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.examples import examples

from frote import FroteError, RuleSyntaxError, parse_rules
from frote.rules import Condition

LENIENT = {"suppress_health_check": list(HealthCheck)}


def read(text):
    """Return the rules, or the message of the error; any other error gets through."""
    try:
        return parse_rules(text), ""
    except FroteError as error:
        return None, str(error)


def condition(text):
    (rule,) = parse_rules(f"IF {text} THEN x")
    ((_, held),) = rule.clause
    return held


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("150K", 150_000),
        ("150k", 150_000),
        ("2.5M", 2_500_000),
        ("1.1K", 1_100),
        ("1_000", 1_000),
        ("1.5e3", 1_500),
        ("1e-2", 0.01),
        ("1.5e3K", 1_500_000),
        ("-2", -2),
        ("+2", 2),
        ("\u22122", -2),
        (".5", 0.5),
        ("5.", 5),
        ("-0", 0),
        ("'2'", 2),
        ('"2.5"', 2.5),
        ("0" * 5_000 + "7.0", 7),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("9" * 300, int("9" * 300)),
        ("1." + "0" * 5_000, 1),
    ],
)
def test_numbers(text, number):
    assert condition(f"a = {text}") == Condition.compare("=", number)
    assert condition(f"a <= {text}") == Condition.compare("<=", number)


@pytest.mark.parametrize("text", ["9" * 309, "1e309", "9" * 5_000, "1e308K", "9" * 305 + "M", "-" + "9" * 400])
def test_numbers_that_no_float_reaches_are_refused(text):
    with pytest.raises(RuleSyntaxError, match="line 1, column 8: this number is too large"):
        parse_rules(f"IF a = {text} THEN x")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("car", "car"),
        ("TRUE", "true"),
        ("'False'", "false"),
        ("007", "007"),
        ("'1.0'", "1.0"),
        ("12ab", "12ab"),
        ("'it''s'", "it's"),
        ('"say ""hi"""', 'say "hi"'),
        ("'a # b'", "a # b"),
        ("'\r\n'", "\r\n"),
        ("''", ""),
        ("'AND'", "AND"),
    ],
)
def test_texts(text, value):
    held = condition(f"a = {text}")
    assert held.texts == {value}
    assert not held.numbers


def test_instants():
    for text in ("'2024-03-01T00:00'", "'2024-03-01 00:00:00.0'"):
        assert condition("a = 2024-03-01") == condition(f"a = {text}")
    assert condition("a < 2024-03-01") != condition("a <= 2024-03-01")
    assert condition("a = 2024-02-30").texts == {"2024-02-30"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a == 1", "a = 1"),
        ("a <> 1", "a != 1"),
        ("a ≠ 1", "a != 1"),
        ("a ≤ 1", "a <= 1"),
        ("a ≥ 1", "a >= 1"),
        ("a BETWEEN 1 AND 2", "a >= 1 AND a <= 2"),
        ("a NOT IN {1, x}", "NOT (a IN {1, x}) AND a IS NOT MISSING"),
        ("NOT a > 1", "a <= 1 OR a IS MISSING"),
        ("NOT NOT a > 1", "a > 1"),
        ("NOT (a < 3 OR a > 3)", "NOT a != 3 OR a IS MISSING OR NOT (a < 3 OR a > 3)"),
        ("a in {1} or a IS missing", "NOT a != 1"),
        ("(((a = 1)))", "a = 1"),
        ("a = 1 OR a = 2 AND a = 3", "a = 1"),
        ("TRUE AND a = 1", "a = 1"),
    ],
)
def test_what_means_the_same_is_the_same(one, other):
    assert condition(one) == condition(other)


def test_all_but_one_number_is_not_that_number():
    (rule,) = parse_rules("IF NOT (a < 3 OR a > 3) THEN x")
    assert (3 in rule.clause["a"], 4 in rule.clause["a"], None in rule.clause["a"]) == (True, False, True)
    assert parse_rules(str(rule))[0] == rule


def test_true_covers_every_row():
    assert len(parse_rules("IF TRUE THEN x")[0].clause) == 0
    assert len(parse_rules("IF a = 1 OR NOT (a = 1) THEN x")[0].clause) == 0


def test_an_impossible_rule_is_kept():
    (rule,) = parse_rules("IF a = 1 AND a = 2 AND b = 3 THEN x")
    assert rule.clause.is_empty()
    assert str(rule.clause) == "a IN {} AND b = 3"
    (rule,) = parse_rules("IF a = 1 AND a = 2 AND (b = 3 OR c = 3) THEN x")
    assert rule.clause.is_empty()


def test_conditions_stay_in_the_order_of_writing():
    rules = parse_rules("IF (c = 1 OR b = 1) AND a = 2 THEN x")
    assert [str(rule.clause) for rule in rules] == ["c = 1 AND a = 2", "(c != 1 OR c IS MISSING) AND b = 1 AND a = 2"]


@pytest.mark.parametrize(
    ("text", "names", "origins"),
    [
        ("IF a = 1 THEN x", ("rule 1",), ("rule 1",)),
        ("a b: IF a = 1 THEN x", ("a b",), ("a b",)),
        ("a \t b :IF a = 1 THEN x", ("a b",), ("a b",)),
        ("a\n:IF a = 1 THEN x", None, None),
        ("a:\n\nIF a = 1 THEN x", ("a",), ("a",)),
        ("n/2: IF a = 1 THEN x", ("n/2",), ("n",)),
        ("'n/2': IF a = 1 THEN x", ("n/2",), ("n/2",)),
        ("'n'/2: IF a = 1 THEN x", ("n/2",), ("n",)),
        ("n /2: IF a = 1 THEN x", ("n /2",), ("n /2",)),
        ("/2: IF a = 1 THEN x", ("/2",), ("/2",)),
        ("'a: IF': IF a = 1 THEN x", ("a: IF",), ("a: IF",)),
        ('"it\'s": IF a = 1 THEN x', ("it's",), ("it's",)),
        ("n: IF a = 1 OR b = 1 THEN x", ("n/1", "n/2"), ("n",)),
        ("rule 2: IF a = 1 THEN x\nIF a = 2 THEN x\nIF a = 3 THEN x", ("rule 2", "rule 3", "rule 4"), None),
        ("'rule 2/1': IF a = 1 THEN x\nIF a = 2 OR b = 2 THEN x", ("rule 2/1", "rule 3/1", "rule 3/2"), None),
        ("IF a = 1 OR b = 2 THEN x\nrule 1: IF a = 2 THEN x", ("rule 2/1", "rule 2/2", "rule 1"), None),
    ],
)
def test_names(text, names, origins):
    if names is None:
        with pytest.raises(RuleSyntaxError):
            parse_rules(text)
        return
    rules = parse_rules(text)
    assert rules.names == names
    if origins:
        assert rules.origins == origins
    assert parse_rules(str(rules)) == rules


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_any_way(end):
    text = end.join(["# policy", "", "IF a = 1", "  THEN x # why", "n: IF b = 2 THEN y"])
    rules = parse_rules(text)
    assert [(rule.name, rule.line) for rule in rules] == [("rule 1", 3), ("n", 5)]
    with pytest.raises(RuleSyntaxError, match="line 5, column 12"):
        parse_rules(text.replace("2", ""))


def test_a_quoted_text_may_hold_what_looks_like_a_rule():
    text = "IF `c\nIF d` = 'x\nIF b = 1 THEN c' THEN d\nn: IF e = \"\r\n'q': IF\" THEN 'f\nIF'"
    rules = parse_rules(text)
    assert rules.names == ("rule 1", "n")
    assert rules.labels == ("d", "f\nIF")
    assert parse_rules(str(rules)) == rules


def test_an_unclosed_quote_hides_no_other_fault():
    with pytest.raises(RuleSyntaxError) as caught:
        parse_rules("IF a = 'x THEN y\nIF b = 'z' THEN w\nIF c << 1 THEN v\nIF d = 'u' THEN 't'")
    places = re.findall(r"line (\d+), column (\d+)", str(caught.value))
    assert places == [("1", "8"), ("3", "7")]


def test_long_lines_are_cut_and_many_faults_counted():
    with pytest.raises(RuleSyntaxError) as caught:
        parse_rules(f"IF a IN {{{'1, ' * 50_000}}} THEN x")
    assert len(str(caught.value)) < 600
    shown, carets = str(caught.value).splitlines()[1:]
    assert shown[carets.index("^")] == "}"
    with pytest.raises(RuleSyntaxError, match="3000 errors") as caught:
        parse_rules("IF a = THEN b\n" * 3_000)
    assert str(caught.value).endswith("... and 2900 more")


def test_carets_stand_below_wide_and_unprintable_characters():
    with pytest.raises(RuleSyntaxError) as caught:
        parse_rules("\tIF 漢字 = 'e\u0301\x1b' < 1 THEN x")
    shown, carets = str(caught.value).splitlines()[1:]
    assert shown == "  \tIF 漢字 = 'e\u0301\ufffd' < 1 THEN x"
    assert carets == "  \t" + " " * len("IF kkkk = 'e_' ") + "^"


HARD = {
    "deep brackets": "IF " + "(" * 50_000 + "a = 1" + ")" * 50_000 + " THEN x",
    "sixty brackets": "IF " + "(NOT a = 1 OR " * 60 + "b = 1" + ")" * 60 + " THEN x",
    "nested": "IF " + "".join(f"(NOT a{i} = 1 AND b{i} = 2 OR " for i in range(55)) + "b = 1" + ")" * 55 + " THEN x",
    "nots": "IF " + "NOT " * 50_001 + "a = 1 THEN x",
    "rules": "\n".join(f"IF a = {i} OR b = {i} THEN x" for i in range(1_000)),
    "bad rules": "IF a = THEN x\n" * 5_000,
    "ands": "IF " + " AND ".join(f"a{i} = 1" for i in range(5_000)) + " THEN x",
    "ors": "IF " + " OR ".join(f"a = {i}" for i in range(5_000)) + " THEN x",
    "ors of texts": "IF " + " OR ".join(f"a = 'x{i}'" for i in range(5_000)) + " THEN x",
    "ors across columns": "IF " + " OR ".join(f"a{i} = 1" for i in range(1_000)) + " THEN x",
    "too many pieces": "IF " + " AND ".join(f"(a{i} = 1 OR b{i} = 1)" for i in range(30)) + " THEN x",
    "list": "IF a IN {" + ", ".join(map(str, range(20_000))) + "} THEN x",
    "blanks": "a" + " " * 100_000,
    "blanks in a rule": "IF" + " " * 100_000 + "a",
    "blank lines": "a:" + "\n" * 100_000,
    "name lines": "a:\n" * 30_000,
    "digits": "IF a = " + "1" * 100_000 + "x THEN y",
    "number": "IF a = " + "1" * 100_000 + " THEN y",
    "decimals": "IF a = 0." + "1" * 100_000 + " THEN y",
    "underscores": "IF a = 1" + "_" * 100_000 + "- THEN y",
    "quotes": "IF a = " + "'" * 100_001 + " THEN y",
    "backticks": "`" * 100_001,
    "unclosed": "IF a = 'x THEN y\n" * 3_001,
    "word": "IF " + "a" * 100_000 + " = 1 THEN y",
    "commas": "IF a IN {" + "," * 100_000,
    "remark": "#" + "IF " * 100_000,
    "colons": "a:" * 50_000 + " IF a = 1 THEN b",
    "nul": "IF a = '\x00' THEN \x00",
    "surrogates": "\udc80: IF \ud800 = '\udfff' THEN `\ud800`",
    "separators": "IF\x85a\u2028=\u20291\x0bTHEN\x0cx\x1cIF",
}


@pytest.mark.parametrize("text", HARD.values(), ids=HARD)
def test_hard_texts_take_no_time_and_raise_nothing_else(text):
    start = time.process_time()
    rules, message = read(text)
    assert len(message) < 50_000
    assert rules is None or parse_rules(str(rules)) == rules
    assert time.process_time() - start < 10


WEIRD = st.characters(exclude_categories=())
PARTS = st.one_of(
    st.sampled_from(["IF", "THEN", "AND", "OR", "NOT", "IN", "BETWEEN", "IS", "MISSING", "WITH", "CONFIDENCE", "TRUE"]),
    st.sampled_from(list("(){},:=<>!'\"`#/-+.&|;[]%_ \t\n\r")),
    st.sampled_from(["\nIF ", "\nn: IF ", "''", "/1", "1e999", "0x1", "150K", "2024-13-45", "≤", "“", "9" * 400]),
    st.sampled_from(["\u0130F", "\u0131f", "\u2212", "if"]),
    st.text(WEIRD, max_size=3),
)


def only_our_own_error(text):
    rules, message = read(text)
    if rules is None:
        assert re.search(r"line \d+, column \d+: ", message)
    else:
        assert parse_rules(str(rules)) == rules


@settings(max_examples=examples(1_000), **LENIENT)
@given(st.text(WEIRD))
@example("")
@example("\ufeff")
@example("IF NOT TRUE THEN x")
@example("'\n': IF a=1 THEN b")
def test_any_text_raises_only_our_own_error(text):
    only_our_own_error(text)


@settings(max_examples=examples(1_500), **LENIENT)
@given(st.lists(PARTS, max_size=20).map("".join), st.sampled_from(["", "IF ", "n: IF a = 1 AND ", "IF a = 1 THEN "]))
def test_any_tokens_raise_only_our_own_error(text, before):
    only_our_own_error(before + text)
    only_our_own_error(before + text.replace("IF", " IF "))


VALID = (
    "young savers: IF age < 29 AND marital-status = 'single' AND income > 150K THEN approved\n"
    "IF `years, in job` >= 2 AND NOT (defaults = 0 OR x BETWEEN -1 AND 1.5e3) # why\n THEN {approved: 0.9, 'no': 0.1}\n"
    "'a/1'/2: IF purpose NOT IN {car, \"it's\"} OR since IS NOT MISSING THEN approved WITH CONFIDENCE 0.8\n"
)
EDITS = st.lists(
    st.tuples(st.sampled_from(["delete", "insert", "swap", "cut"]), st.integers(0, len(VALID) - 1), PARTS),
    min_size=1,
    max_size=5,
)


@settings(max_examples=examples(1_000), **LENIENT)
@given(EDITS)
def test_damaged_rules_raise_only_our_own_error(edits):
    text = VALID
    for kind, place, part in edits:
        if kind == "delete":
            text = text[:place] + text[place + 1 :]
        elif kind == "insert":
            text = text[:place] + part + text[place:]
        elif kind == "swap":
            text = text[:place] + text[place : place + 2][::-1] + text[place + 2 :]
        else:
            text = text[:place]
    only_our_own_error(text)


def test_a_comma_before_a_label_is_none_of_a_number():
    assert parse_rules("IF a = 1 THEN {0: 0,1: 1}") == parse_rules("IF a = 1 THEN {0: 0, 1: 1}")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("IF a < 3 THEN yes no IF b > 2 THEN x", "found 'no' (a rule starts on a new line)"),
        ("IF a < 3 THEN yes AND b > 2", "found 'AND'\n"),
        ("IF a < 3 THEN yes ELSE no", "found 'ELSE' (a rule has no ELSE; write another rule for the others)"),
    ],
)
def test_what_may_have_been_meant_behind_a_rule(text, told):
    with pytest.raises(RuleSyntaxError) as caught:
        parse_rules(text)
    assert f"expected the end of the rule, {told}" in str(caught.value)


@pytest.mark.parametrize("wrong", ["{yes: 0.4, no: 0.4}", "yes WITH CONFIDENCE 0"])
def test_the_carets_of_a_wrong_outcome_end_with_it(wrong):
    with pytest.raises(RuleSyntaxError) as caught:
        parse_rules(f"IF a < 3 THEN {wrong} AND b > 2")
    line, carets = str(caught.value).splitlines()[-2:]
    assert line[: len(carets)].endswith(wrong)
