"""Policies such as people have them: columns of a kind each, conditions of that kind, every form of outcome."""

import datetime as dt

from hypothesis import strategies as st

from frote import Clause, Condition, Outcome, Rule, RuleSet
from frote.rules.linear import Sum, compare_sums
from frote.rules.values import DAY

KINDS = {
    "age": "number",
    "capital gain": "number",
    "marital-status": "text",
    "größe": "number",
    "applied on": "date",
    "decided-on": "date",
    "purpose": "text",
    "home_owner": "truth",
}
NUMBERS = st.one_of(st.integers(-3, 6), st.sampled_from([0.5, 24_000, 1e-7, 2**40, 1.1, -2.25]))
TEXTS = st.one_of(
    st.sampled_from(
        ["car", "own house", "broker", "a, b", 'a "b"', "it's", "-", "> 5", "not(x)", "none", "null", "a\\b"]
    ),
    st.text("abz ,()[]'\"-.é<>=", min_size=0, max_size=5),
).filter(lambda text: text not in ("true", "false"))
DATES = st.dates(dt.date(2023, 12, 30), dt.date(2024, 3, 2))
INSTANTS = st.datetimes(dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 3)).map(lambda time: time.replace(microsecond=0))
VALUES = {"number": NUMBERS, "text": TEXTS, "date": st.one_of(DATES, INSTANTS), "truth": st.booleans()}


def conditions(kind):
    """Draw a condition on a column of a kind, with or without missing values."""
    values = VALUES[kind]
    among = st.lists(values, min_size=1, max_size=3).map(Condition.among)
    plain = [among]
    if kind in ("number", "date"):
        order = st.builds(Condition.compare, st.sampled_from(["<", "<=", ">", ">="]), values)
        both = st.tuples(order, order).map(lambda two: two[0] & two[1])
        either = st.tuples(order, order).map(lambda two: two[0] | two[1])
        plain += [order, both, either]
    missing = Condition.is_missing()
    drawn = st.one_of(*plain).filter(lambda condition: condition != Condition.nothing())
    return st.one_of(
        drawn,
        drawn.map(lambda condition: condition | missing),
        among.map(lambda condition: ~condition),
        among.map(lambda condition: ~(condition | missing)),
        st.just(missing),
        st.just(~missing),
    )


@st.composite
def comparisons_of_columns(draw):
    """Draw a comparison of columns that a cell can say: one stretch, of a column that stands alone."""
    if draw(st.booleans()):
        dates = draw(st.permutations(["applied on", "decided-on"]))
        side, length = Sum.of(dates[0]) - Sum.of(dates[1]), st.sampled_from([None, 0, 1, 30, -2])
        low, high = (None if days is None else Sum.duration(days * DAY) for days in (draw(length), draw(length)))
    else:
        names = draw(st.permutations([name for name, kind in KINDS.items() if kind == "number"]))
        factors = [draw(st.sampled_from([-1, 0.5, 2, -0.25])) for _ in names[draw(st.integers(1, 2)) :]]
        side, bound = Sum.of(names[0]), st.sampled_from([None, 0, 2, -3, 0.5])
        for name, factor in zip(names[1:], factors, strict=False):
            side = side + Sum.of(name) * factor
        low, high = (None if value is None else Sum.number(value) for value in (draw(bound), draw(bound)))
    key, _ = compare_sums(side, ">", Sum())
    held = Condition.anything() & ~Condition.is_missing()
    for sign, value in ((draw(st.sampled_from([">", ">="])), low), (draw(st.sampled_from(["<", "<="])), high)):
        if value is not None:
            key, condition = compare_sums(side, sign, value)
            held &= condition
    if key.timed or (low is None and high is None) or held == Condition.nothing() or held.numbers.is_everything:
        key, held = compare_sums(side, "<", Sum() if low is None else low)
    return key, held


LABELS = st.sampled_from(["approved", "denied", "in a year", ">50K", "1", "true", "=A1", "it's"])
OUTCOMES = st.one_of(
    LABELS.map(Outcome.of),
    st.builds(lambda label, sure: Outcome.of(label, confidence=sure), LABELS, st.sampled_from([0.8, 1 / 3, 0.05])),
    st.sampled_from([{"approved": 0.7, "denied": 0.3}, {"approved": 1 / 3, "in a year": 2 / 3}]).map(Outcome.of),
)
ALONE = st.fixed_dictionaries({}, optional={name: conditions(kind) for name, kind in KINDS.items()})
BOXES = ALONE.map(Clause.of)
CLAUSES = st.builds(
    lambda alone, together: Clause.of({**alone, **dict(together)}),
    ALONE,
    st.one_of(st.just([]), st.just([]), st.lists(comparisons_of_columns(), min_size=1, max_size=2)),
)
NAMES = st.sampled_from(["young savers", "support 24/7", "it's", "a: b", "=SUM(A1)", "rule 7", "'q'", "x", "IF", "- y"])


@st.composite
def policies(draw, clauses=CLAUSES):
    """Draw a policy: some rules, one of them perhaps in pieces, with remarks beside them."""
    rules = []
    for name in draw(st.lists(NAMES, max_size=4, unique=True)):
        outcome, pieces = draw(OUTCOMES), draw(st.lists(clauses, min_size=1, max_size=2))
        remarks = draw(st.sampled_from([(), (("owner", "Ann, retail"),), (("owner", "Risk"), ("note", "=1+1"))]))
        if len(pieces) == 1:
            rules.append(Rule(name, pieces[0], outcome, remarks=remarks))
        else:
            numbered = enumerate(pieces, 1)
            rules += [Rule(f"{name}/{number}", clause, outcome, name, remarks=remarks) for number, clause in numbered]
    return RuleSet(rules)
