"""The parser against the Lark grammar: what sentences there are, what they mean, and that they print and read back."""

import datetime as dt
import re
from fractions import Fraction
from pathlib import Path

import lark
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark
from tests.examples import examples

import frote
from frote import RuleSyntaxError, parse_rules
from frote.rules.files import from_json, to_json

TEXT = Path(__file__).with_name("grammar.lark").read_text("utf-8")
GRAMMAR = lark.Lark(TEXT, parser="lalr", maybe_placeholders=False)
LENIENT = {"suppress_health_check": list(HealthCheck)}

# What a well-formed rule may still be refused for.
MEANING = re.compile(
    "sum to|must be between 0 and 1|must be above 0 and at most 1|lower bound is above|found one of each|too large"
    "|stands here twice|another rule is named|read as pieces of one rule|expected a number or a date"
    "|no column is left|a duration is compared|cannot be added|only one column|digits beside|too small"
    "|expected a column name"
    "|every value would do|ends in a backslash"
    "|more than 60 brackets|can never apply|name is one line of text|disjoint pieces"
)


def accepts(text):
    try:
        GRAMMAR.parse(text)
    except lark.exceptions.LarkError:
        return False
    return True


def read(text):
    """Return the rules, or the messages of all the faults."""
    try:
        return parse_rules(text), []
    except RuleSyntaxError as error:
        return None, re.findall(r"^(?:.*, )?line \d+, column \d+: (.*)$", str(error), re.MULTILINE)


# Words are few, so that columns meet and rules do not fall apart into too many pieces.
NUMBERS = st.sampled_from(
    [
        *["0", "-2", "+3", "150K", "1_000", "1.5e3", ".5", "2.", "1.1K", "2.5M"],
        *["\u22124", "007", "1e-7", "123456789012345678901"],
    ]
)
WORDS = st.sampled_from(
    ["age", "marital-status", "a.b", "größe", "income", "x_1", "nothing", "4x4", "²", "\u0131f", "like"]
)
DATES = st.sampled_from(["2024-02-29", "1969-12-31", "0001-01-01", "9999-12-31", "2024-02-30"])
QUOTED = st.one_of(
    st.text(max_size=8).map(lambda text: "'" + text.replace("'", "''") + "'"),
    st.text(max_size=8).map(lambda text: '"' + text.replace('"', '""') + '"'),
    st.sampled_from(["'2'", "'2024-03-01 10:30'", "'2024-03-01T10:30:15.123456789'", "'# no comment'", "'M'", "'a%_'"]),
)
TERMINALS = {
    "START": st.one_of(
        st.sampled_from(["\nIF ", "\r\n  if ", "\rIf\n", "\n# remark: IF 'x\nIF "]),
        st.text("abcdefgh", min_size=4, max_size=6).map(lambda name: f"\n {name} & co: IF "),
        st.text("ab :#/{`", max_size=5).map(lambda name: f"\n'<{name}''>'/7:\tIF "),
    ),
    "_THEN": st.sampled_from([" THEN ", "\nthen "]),
    "_OR": st.just(" OR "),
    "_AND": st.sampled_from([" AND ", " and "]),
    "NOT": st.just(" NOT "),
    "_IN": st.just(" IN "),
    "_BETWEEN": st.just(" BETWEEN "),
    "_IS": st.just(" IS "),
    "_MISSING": st.just(" MISSING "),
    "_WITH": st.just(" WITH "),
    "_CONFIDENCE": st.just(" CONFIDENCE "),
    "_LIKE": st.sampled_from([" LIKE ", " like "]),
    "_STARTS": st.just(" STARTS "),
    "_ENDS": st.just(" ends "),
    "_CONTAINS": st.just(" CONTAINS "),
    "TRUE": st.sampled_from([" TRUE ", " true "]),
    "EQUALITY": st.sampled_from(["=", "==", "!=", "<>", "≠"]),
    "ORDER": st.sampled_from(["<", ">", "<=", ">=", "≤", "≥"]),
    "SIGNED": st.sampled_from([" -5 ", " +.5 ", " \u22122K "]),
    "UNIT": st.sampled_from([" days ", " Hour "]),
    "PLUS": st.just(" + "),
    "MINUS": st.sampled_from([" - ", " \u2212 "]),
    "STAR": st.sampled_from(["*", " * "]),
    "NUMBER": NUMBERS.map(lambda text: f" {text} "),
    "PROBABILITY": st.sampled_from(["1", "0.5", "1.0", ".25", "50e-2", "0"]),
    "DATE": DATES.map(lambda text: f" {text} "),
    "WORD": WORDS.map(lambda text: f" {text} "),
    "QUOTED": QUOTED.map(lambda text: f" {text} "),
    "BACKTICKED": st.sampled_from([" `capital gain` ", " `a``b` ", " `` ", " `if` ", " `a\n:b` "]),
    "_COMMENT": st.sampled_from(["# remark\n", "#\r", "# don't\r\n"]),
    "_BLANK": st.sampled_from([" ", "\t", "\n", "\r\n", "\u00a0", "\u2028"]),
}
BLANKS = ("_COMMENT", "_BLANK")


def sparing(*changes):
    """Return the grammar with shorter chains of AND and OR, without which most drawn rules would not end."""
    text = TEXT
    for pattern, replacement in [
        (r"\(_OR conjunction\)\*", "[_OR conjunction]"),
        (r"\(_AND negation\)\*", "[_AND negation]"),
        (r"more\*", "[more]"),
        *changes,
    ]:
        text, count = re.subn(pattern, replacement, text)
        assert count
    return lark.Lark(text, parser="lalr", maybe_placeholders=False)


SENTENCES = from_lark(sparing(), start="start", explicit=TERMINALS)
# For many rules that mean something, terminals bring their own blanks, and bounds are numbers.
RULE_TEXTS = from_lark(
    sparing((r"%ignore \w+", ""), (r"bound: .*", "bound: NUMBER")),
    start="rule",
    explicit={name: drawn for name, drawn in TERMINALS.items() if name not in BLANKS},
)


def test_rules_drawn_from_the_grammar_read_back_as_printed():
    seen = 0

    @settings(max_examples=examples(1_400), **LENIENT)
    @given(RULE_TEXTS)
    def round_trip(text):
        nonlocal seen
        rules, faults = read(text)
        if rules is None:
            assert all(MEANING.search(fault) for fault in faults), faults
            return
        assert parse_rules(str(rules)) == rules
        assert from_json(to_json(rules)) == rules
        seen += 1

    round_trip()
    assert seen >= examples(500)


@settings(max_examples=examples(375), **LENIENT)
@given(SENTENCES)
def test_what_the_grammar_accepts_the_parser_accepts(text):
    if not accepts(text):  # a drawn comment may have swallowed what follows
        return
    rules, faults = read(text)
    if rules is None:
        assert faults
        assert all(MEANING.search(fault) for fault in faults), faults
    else:
        assert len(rules.origins) <= len(GRAMMAR.parse(text).children)
        assert parse_rules(str(rules)) == rules


TOKENS = st.sampled_from(
    [
        *["IF", "THEN", "AND", "OR", "NOT", "IN", "BETWEEN", "IS", "MISSING", "WITH", "CONFIDENCE", "TRUE", "if"],
        *["LIKE", "STARTS", "ENDS", "contains", "+", "*", "-", "days"],
        *["(", ")", "{", "}", ",", ":", "=", "==", "!=", "<>", "<", "<=", ">", ">=", "≤", "≥", "≠", "/"],
        *["age", "a", "x-1", "a.b", "12ab", "5", "-5", "1.5", "150K", "1e5", "-", ".5", "5.", "1.5.2", "2024-01-01"],
        *["'x'", "'it''s'", '"q"', "`c d`", "'", '"', "`", "#", "# c\n"],
        *["\n", "\r", "\nIF", "\nn: IF", "\n'q'/2 : if"],
    ]
)
TOKEN_TEXTS = st.lists(st.tuples(TOKENS, st.sampled_from([" ", " ", " ", "", "\n"])), max_size=16).map(
    lambda pairs: "".join(token + blank for token, blank in pairs)
)


def damaged(text, cuts):
    for place, what in cuts:
        place %= len(text) + 1
        text = text[:place] + what + text[place + (what == "") :]
    return text


GOOD = st.sampled_from(
    [
        "young: IF age < 29 AND marital-status = 'single' AND income > 150K THEN approved",
        "IF a IN {1, x, 'y'} OR NOT (b BETWEEN 1 AND 2) THEN {p: 0.5, q: 0.5}",
        "IF plan STARTS WITH 'pre' AND NOT plan LIKE '%x_' OR size >= 'M' THEN p\nIF like NOT CONTAINS 5 THEN q",
        "'n: 1'/2: IF `c d` IS NOT MISSING\n AND d >= 2024-01-31 # why\nTHEN p WITH CONFIDENCE 0.8\nIF TRUE THEN q",
    ]
)
MUTATED = st.builds(damaged, GOOD, st.lists(st.tuples(st.integers(0, 200), st.one_of(st.just(""), TOKENS)), max_size=3))


@settings(max_examples=examples(2_000), **LENIENT)
@given(st.one_of(TOKEN_TEXTS, TOKEN_TEXTS.map(lambda text: "IF a = 1 " + text), MUTATED))
def test_grammar_and_parser_accept_the_same_texts(text):
    rules, faults = read(text)
    if accepts(text):
        assert rules is not None or all(MEANING.search(fault) for fault in faults), faults
    else:
        assert rules is None


GOOD_TEXTS = [
    "",
    "  \n\r\n\t",
    "# only a remark",
    "IF TRUE THEN x",
    "if true = true then true",
    "IF(a=1)THEN b",
    "IF`a`=1THEN b".replace("1T", "1 T"),
    "IF a=-5 AND b>-.5 THEN c",
    "IF a IN {} THEN b",
    "IF not not a IS missing THEN b",
    "IF a = 1 AND b = 2 OR c = 3 THEN d",
    "name with (odd) signs/3! :\n\n IF a = 1 THEN b",
    "'it''s': IF a = 1 THEN b",
    "IF a = 'two\nlines' THEN b",
    "IF a = 1 THEN 'two words'\nIF a = 2 THEN 5",
    "IF income > 1 AND android = 1 AND notes = 2 AND iffy = 3 THEN orange",
    "IF if-x = 1 AND then.y = 2 THEN not-z",
    "IF 2024-01-01 = 5 THEN x",
    "IF a BETWEEN 2024-01-01 AND '2024-01-31 12:00' THEN x",
    "IF a = 1 # THEN b\n THEN c",
    "\ufeffIF a = 1 THEN b",
    "IF a < x THEN b",
    "IF a = -x THEN b",
    "IF a = `b c` THEN b",
    "IF a -5 > 2*b THEN b",
    "IF - a + b <= 0.5 * c - 3K THEN b",
    "IF 30 days + start <= end THEN b",
    "IF end - start BETWEEN 1 week AND 36 HOURS THEN b",
    "IF days < 3 AND a > b + hours THEN b",
    "IF like LIKE like OR starts STARTS WITH ends AND contains contains 'contains' THEN like",
    "IF a NOT LIKE '50\\%' AND a NOT ENDS WITH 5 OR NOT a CONTAINS 2024-01-01 THEN b",
    "IF a < 'M' OR a BETWEEN 'M' AND 'XL' OR NOT a >= 'XL' THEN b",
]
BAD_TEXTS = [
    "a",
    "IF",
    "IF a = 1",
    "a = 1 THEN b",
    "IF THEN b",
    "IF a THEN b",
    "IF a = 1 THEN",
    "IF a = 1 THEN b c",
    "IF a = 1 THEN b IF c = 2 THEN d",
    "IF a = 1 AND THEN b",
    "IF a << 1 THEN b",
    "IF 5 = a THEN b",
    "IF a IN 1 THEN b",
    "IF a IN {1,} THEN b",
    "IF a IN {1 2} THEN b",
    "IF a NOT = 1 THEN b",
    "IF a IS 1 THEN b",
    "IF a BETWEEN 1 2 THEN b",
    "IF a BETWEEN 1 AND x THEN b",
    "IF (a = 1 THEN b",
    "IF a = 1) THEN b",
    "IF a = 'x THEN b",
    "IF `a = 1 THEN b",
    "IF a = 1 THEN {}",
    "IF a = 1 THEN {b}",
    "IF a = 1 THEN {b: c}",
    "IF a = 1 THEN b WITH 0.5",
    "IF a = 1 THEN b WITH CONFIDENCE",
    "IF a = if THEN b",
    "IF in = 1 THEN b",
    "IF a & b THEN c",
    "IF a = * x THEN b",
    "IF a * x > 1 THEN b",
    "IF a + < 1 THEN b",
    "IF a < b < c THEN b",
    "IF 0.4 * (a - b) > 1 THEN b",
    "IF a - b IN {1} THEN b",
    "IF'a' = 1 THEN b",
    "x: y: IF a = 1 THEN b",
    "'': IF a = 1 THEN b",
    "IF a = 1,000 THEN b",
    "IF a LIKE THEN b",
    "IF a STARTS 'x' THEN b",
    "IF a ENDS WITH in THEN b",
    "IF a CONTAINS {x} THEN b",
    "IF LIKE 'x' THEN b",
]


@pytest.mark.parametrize("text", GOOD_TEXTS)
def test_good_texts_are_good_to_both(text):
    assert accepts(text.removeprefix("\ufeff"))
    rules = parse_rules(text)
    assert parse_rules(str(rules)) == rules


@pytest.mark.parametrize("text", BAD_TEXTS)
def test_bad_texts_are_bad_to_both(text):
    assert not accepts(text)
    with pytest.raises(RuleSyntaxError, match=r"line \d+, column \d+: "):
        parse_rules(text)


# Meaning: the tree that Lark gives, evaluated row by row, against the disjoint pieces that the parser gives.

COLUMNS = {
    "n": (["-1", "0", "1", "1.5", "2K", "'2'"], [None, -1, 0, 0.5, 1, 1.5, 2, 2000, 3_000.5]),
    "`m m`": (["0", "1", "2"], [None, 0, 1, 2]),
    "t": (["x", "'y'", "'it''s'", "z-1"], [None, "x", "y", "it's", "z-1", "other", "y%", "it_s"]),
    "d": (["2024-01-01", "'2024-01-31'"], [None, dt.date(2023, 12, 31), dt.date(2024, 1, 1), dt.date(2024, 2, 1)]),
}


@st.composite
def comparisons(draw):
    column = draw(st.sampled_from(list(COLUMNS)))
    literals = st.sampled_from(COLUMNS[column][0])
    forms = ["equality", "among", "missing"] + (["pattern"] * 3 if column == "t" else ["order", "between"])
    form = draw(st.sampled_from(forms))
    if form == "pattern":
        words = draw(st.sampled_from(["LIKE", "STARTS WITH", "ENDS WITH", "CONTAINS", "NOT LIKE", "NOT CONTAINS"]))
        return f"{column} {words} '{draw(st.text('xyt_%z', min_size=1, max_size=3))}'"
    if form == "equality":
        return f"{column} {draw(st.sampled_from(['=', '!=', '<>']))} {draw(literals)}"
    if form == "order":
        return f"{column} {draw(st.sampled_from(['<', '<=', '>', '>=']))} {draw(literals)}"
    if form == "among":
        listed = ", ".join(draw(st.lists(literals, max_size=3)))
        return f"{column} {draw(st.sampled_from(['IN', 'NOT IN']))} {{{listed}}}"
    if form == "between":
        low, high = sorted((draw(literals), draw(literals)), key=literal)
        return f"{column} BETWEEN {low} AND {high}"
    return f"{column} IS {draw(st.sampled_from(['', 'NOT ']))}MISSING"


EXPRESSIONS = st.recursive(
    st.one_of(comparisons(), st.just("TRUE")),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(" AND ".join),
        st.tuples(inner, inner).map(" OR ".join),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"NOT {text}"),
        inner.map(lambda text: f"NOT ({text})"),
    ),
    max_leaves=8,
)
ROWS = st.fixed_dictionaries({column: st.sampled_from(values) for column, (_, values) in COLUMNS.items()})


def literal(text):
    """Read a literal of these tests: a number, a date or a text."""
    if text[0] == "'":
        text = text[1:-1].replace("''", "'")
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return dt.date.fromisoformat(text)
    if re.fullmatch(r"-?[\d.]+K?", text):
        return Fraction(text.rstrip("K")) * (1000 if text.endswith("K") else 1)
    return text


def is_like(value, pattern):
    """Tell whether a text is like a pattern, sign by sign: the slow way, which nobody can get wrong."""
    if not pattern:
        return not value
    if pattern[0] == "%":
        return any(is_like(value[start:], pattern[1:]) for start in range(len(value) + 1))
    return value != "" and pattern[0] in ("_", value[0]) and is_like(value[1:], pattern[1:])


PATTERNS = {"like": is_like, "starts": str.startswith, "ends": str.endswith, "contains": str.__contains__}


def holds(tree, row):
    """Evaluate a tree on a row: a missing value satisfies no comparison, and NOT is the complement."""
    parts = tree.children
    if tree.data == "everything":
        return True
    if tree.data == "expression":
        return any(holds(part, row) for part in parts)
    if tree.data == "conjunction":
        return all(holds(part, row) for part in parts)
    if tree.data == "negated":
        return not holds(parts[1], row)
    value = row[str(parts[0].children[0])]
    if tree.data == "missing":
        return value is None
    if value is None:
        return False
    if tree.data == "not_missing":
        return True
    if tree.data in ("among", "not_among"):
        inside = value in [literal(str(one.children[0])) for one in parts[-1].children]
        return inside == (tree.data == "among")
    if tree.data.removeprefix("not_") in PATTERNS:
        text = str(parts[-1].children[0])[1:-1]
        return PATTERNS[tree.data.removeprefix("not_")](value, text) != tree.data.startswith("not_")
    bounds = [literal(str(part.children[0])) for part in parts if isinstance(part, lark.Tree)][1:]
    if tree.data == "between":
        return bounds[0] <= value <= bounds[1]
    (bound,) = bounds
    operators = {
        **dict.fromkeys(("=", "=="), value == bound),
        **dict.fromkeys(("!=", "<>"), value != bound),
    }
    if tree.data == "order":
        operators = {"<": value < bound, "<=": value <= bound, ">": value > bound, ">=": value >= bound}
    return operators[str(parts[1])]


@settings(max_examples=examples(1_000), **LENIENT)
@given(EXPRESSIONS, st.lists(ROWS, min_size=5, max_size=5))
def test_pieces_mean_what_the_tree_means(expression, rows):
    text = f"IF {expression} THEN x"
    rules, faults = read(text)
    if rules is None:
        assert faults == ["this rule can never apply, and names no column"]
        assert not any(holds(GRAMMAR.parse(text).children[0].children[1], row) for row in rows)
        return
    tree = GRAMMAR.parse(text).children[0].children[1]
    printed = parse_rules(str(rules))
    for row in rows:
        named = {column.strip("`"): value for column, value in row.items()}
        for read_back in (rules, printed):
            covering = [rule for rule in read_back if all(named[name] in held for name, held in rule.clause)]
            assert len(covering) == holds(tree, row), (rules, row)


def test_the_example_of_the_paper():
    rules = parse_rules("IF age < 29 AND marital-status = 'single' AND income > 150K THEN approved")
    assert str(rules) == "rule 1: IF age < 29 AND marital-status = 'single' AND income > 150000 THEN approved"
    assert parse_rules(str(rules)) == rules == from_json(to_json(rules))
    built = (frote.col("age") < 29) & (frote.col("marital-status") == "single") & (frote.col("income") > 150_000)
    assert built.then("approved") == rules
