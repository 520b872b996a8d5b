"""Policies such as people have them: columns of a kind each, conditions of that kind, every form of outcome."""

import datetime as dt

from hypothesis import strategies as st

from frote import Clause, Condition, Outcome, Rule, RuleSet

KINDS = {
    "age": "number",
    "capital gain": "number",
    "marital-status": "text",
    "größe": "number",
    "applied on": "date",
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


LABELS = st.sampled_from(["approved", "denied", "in a year", ">50K", "1", "true", "=A1", "it's"])
OUTCOMES = st.one_of(
    LABELS.map(Outcome.of),
    st.builds(lambda label, sure: Outcome.of(label, confidence=sure), LABELS, st.sampled_from([0.8, 1 / 3, 0.05])),
    st.sampled_from([{"approved": 0.7, "denied": 0.3}, {"approved": 1 / 3, "in a year": 2 / 3}]).map(Outcome.of),
)
CLAUSES = st.fixed_dictionaries({}, optional={name: conditions(kind) for name, kind in KINDS.items()}).map(Clause.of)
NAMES = st.sampled_from(["young savers", "support 24/7", "it's", "a: b", "=SUM(A1)", "rule 7", "'q'", "x", "IF", "- y"])


@st.composite
def policies(draw):
    """Draw a policy: some rules, one of them perhaps in pieces, with remarks beside them."""
    rules = []
    for name in draw(st.lists(NAMES, max_size=4, unique=True)):
        outcome, clauses = draw(OUTCOMES), draw(st.lists(CLAUSES, min_size=1, max_size=2))
        remarks = draw(st.sampled_from([(), (("owner", "Ann, retail"),), (("owner", "Risk"), ("note", "=1+1"))]))
        if len(clauses) == 1:
            rules.append(Rule(name, clauses[0], outcome, remarks=remarks))
        else:
            pieces = enumerate(clauses, 1)
            rules += [Rule(f"{name}/{number}", clause, outcome, name, remarks=remarks) for number, clause in pieces]
    return RuleSet(rules)
