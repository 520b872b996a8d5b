"""Any rules that can be made read back as they print, from text and from JSON."""

import math

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import examples

from frote import Clause, Condition, FroteError, Outcome, Rule, RuleSet, parse_rules
from frote.rules.files import _FIRST, _LAST, from_json, to_json
from frote.rules.intervals import Intervals
from frote.rules.values import LARGEST, as_value, canonical

# Any character, halves of characters and all line ends included, and often those that mean something in rule text.
CHARACTERS = st.one_of(
    st.sampled_from(list("'\"`#:{}()/,=<> \t\n\r\x00\x85\u2028\u00a0aIFifé漢\ud800")),
    st.characters(exclude_categories=()),
)
LINES = st.sampled_from(
    ["\nIF a = 1 THEN b", "x\n'n': IF (", "\r\nif `", "# no remark", "TRUE", "IF", "not", "-1", "1e5", "0x"]
)
TEXTS = st.one_of(st.text(CHARACTERS, max_size=6), st.text(max_size=12), LINES)
NUMBERS = st.one_of(
    st.integers(-5, 5),
    st.integers(-LARGEST, LARGEST),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([2**53 + 1, 10**308, 5e-324, 1.1, 1e22, -0.0]),
).map(canonical)
DAYS = st.integers(_FIRST // (86_400 * 10**9), _LAST // (86_400 * 10**9)).map(lambda day: day * 86_400 * 10**9)
INSTANTS = st.one_of(DAYS, st.integers(_FIRST, _LAST), st.sampled_from([0, 1, 1_000, _FIRST, _LAST]))


@st.composite
def lines(draw, points):
    """Draw a set of points: intervals open and closed, points, holes, open ends."""
    kind = draw(st.sampled_from(["none", "none", "all", "cuts", "cuts", "points", "holes"]))
    if kind in ("none", "all"):
        return Intervals.everything() if kind == "all" else Intervals()
    if kind in ("points", "holes"):
        listed = Intervals.points(draw(st.lists(points, min_size=1, max_size=4)))
        return listed if kind == "points" else ~listed
    sides = st.tuples(points, st.sampled_from([0, 1]))
    cuts = sorted(draw(st.sets(sides, min_size=1, max_size=7)))
    if len(cuts) % 2:
        cuts.append((math.inf, 1))
    line = Intervals(tuple(cuts))
    return ~line if draw(st.booleans()) else line


CONDITIONS = st.builds(
    Condition,
    lines(NUMBERS),
    lines(INSTANTS),
    st.frozensets(TEXTS.filter(lambda text: as_value(text) == text), max_size=3),
    all_but=st.booleans(),
    missing=st.booleans(),
)
COLUMNS = st.one_of(st.sampled_from(["age", "marital-status", "NOT", "true", "N", "1st", "a b"]), TEXTS)
CLAUSES = st.dictionaries(COLUMNS, CONDITIONS, max_size=2).map(Clause.of)

LABELS = st.one_of(st.sampled_from(["approved", "0", "1.0", "-1", ">50K", "IF", "true", ""]), TEXTS)
SHARES = st.one_of(st.integers(1, 9), st.floats(1e-9, 1))


def distribution(labels, shares):
    total = math.fsum(shares[: len(labels)])
    return Outcome.of({label: share / total for label, share in zip(labels, shares, strict=False)})


OUTCOMES = st.one_of(
    LABELS.map(Outcome.of),
    st.builds(lambda label, share: Outcome.of(label, confidence=share), LABELS, st.floats(5e-324, 1)),
    st.builds(
        distribution,
        st.lists(LABELS, min_size=1, max_size=4, unique=True),
        st.lists(SHARES, min_size=4, max_size=4),
    ),
)


def is_name(text):
    try:
        Rule(text, Clause(), Outcome.of("x"))
    except FroteError:
        return False
    return True


NAMES = st.one_of(
    st.sampled_from(["young savers", "a  b", "support 24/7", "x/1", "/1", "a /2", "IF", "if x", "it's", "a: b", "#1"]),
    st.text("ab /1':#", min_size=1, max_size=6),
    st.text(min_size=1, max_size=8),
).filter(is_name)


@st.composite
def rule_sets(draw):
    """Draw a few clauses, and make of each, its opposite and their meetings the rules or pieces of a few names."""
    drawn = draw(st.lists(CLAUSES, min_size=3, max_size=3))
    clauses = [*drawn, *(Clause.of({name: ~held for name, held in clause}) for clause in drawn)]
    clauses += [drawn[0] & drawn[1], drawn[1] & drawn[2]]
    rules = {}
    for origin in draw(st.lists(NAMES, min_size=3, max_size=3, unique=True)):
        outcome = draw(OUTCOMES)
        whole = draw(st.booleans())
        for number, clause in enumerate(clauses, 1):
            name = f"{origin} {number}" if whole else f"{origin}/{number}"
            if name not in rules:
                rules[name] = Rule(name, clause, outcome, name if whole else origin)
    return RuleSet(rules.values())


def test_many_rules_read_back_as_printed():
    seen = 0

    @settings(
        max_examples=examples(450),
        suppress_health_check=list(HealthCheck),
    )
    @given(rule_sets())
    def round_trip(rules):
        nonlocal seen
        read = parse_rules(str(rules))
        assert read == rules
        assert read.origins == rules.origins
        assert str(read) == str(rules)
        assert from_json(to_json(rules)) == rules
        seen += len(rules)

    round_trip()
    assert seen >= examples(10_000)
