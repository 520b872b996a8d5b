"""Rules in words, for people who do not read rule text.

The words say exactly what the rule says: two conditions that differ are never told alike.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from typing import TYPE_CHECKING

from frote.layout import counted
from frote.rules.level_tests import Undecided
from frote.rules.text import WORD, condition_text
from frote.rules.values import DAY, EPOCH, Instant, Number, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from frote.rules import Clause, Condition, Outcome, Rule
    from frote.rules.intervals import Intervals
    from frote.rules.linear import Key

__all__ = [
    "any_of",
    "clause_words",
    "condition_words",
    "each_of",
    "outcome_words",
    "percent",
    "rule_words",
    "some_of",
    "value_words",
]

PIECES = 4  # of one rule that are told, at most; the others are counted
LARGE = 10_000  # from here on numbers have commas: below, a year or a code would look odd

# Texts and names that would be read as a part of the sentence are quoted.
_SPOKEN = re.compile(
    r"above|after|always|and|any|anything|at|before|below|between|but|date|from|if|in|is|known|least|missing|most|"
    r"neither|nor|none|not|number|of|on|or|other|otherwise|than|then|to|value|with"
)

# Between sums of columns.
_SIGNS = {
    "=": "is",
    "!=": "is not",
    "<": "is below",
    "<=": "is at most",
    ">": "is above",
    ">=": "is at least",
    "AND": "and",
    "OR": "or",
    "NOT": "it is not so that",
}
_ORDERS = {False: ("above", "at least", "below", "at most"), True: ("after", "on or after", "before", "on or before")}


def percent(share: float) -> str:
    r"""Write a share; what is not all or nothing is not rounded to it.

    Examples
    --------
    >>> percent(0.5), percent(0.9996), percent(1), percent(0.00001)
    ('50\xa0%', '99.9\xa0%', '100\xa0%', '0.1\xa0%')
    """
    hundredths = 100 * share
    if 0.5 <= hundredths <= 99.5 or hundredths in (0, 100):
        return f"{hundredths:.0f}\xa0%"
    return f"{min(max(hundredths, 0.1), 99.9):.1f}\xa0%"


def value_words(value: Value) -> str:
    """Write a value: numbers with commas, dates with the month's name, texts as they are where that is clear.

    Examples
    --------
    >>> print(value_words(150000), value_words("car"), value_words("not in list"), value_words(Instant(0)), sep="; ")
    150,000; car; “not in list”; 1 January 1970
    """
    if isinstance(value, str):
        return _named(value)
    if isinstance(value, Instant):
        if value.nanoseconds % DAY:
            return str(value)
        day = EPOCH + dt.timedelta(microseconds=value.nanoseconds // 1_000)
        return f"{day.day} {day:%B} {day.year}"
    return f"{value:,}" if abs(value) >= LARGE else repr(value)


def condition_words(column: Key, condition: Condition) -> str:
    """Tell what a condition asks of a column, or of a sum of some.

    Examples
    --------
    >>> from frote.rules import Condition
    >>> condition_words("income", Condition.compare("<", 40_000) | Condition.is_missing())
    'income is below 40,000 or missing'
    >>> condition_words("purpose", ~(Condition.among(["car", "education"]) | Condition.is_missing()))
    'purpose is neither car nor education'
    """
    if not isinstance(column, str):
        return column.written(condition, _SIGNS)[0]
    name = _named(column)
    if isinstance(condition, Undecided):
        return f"it holds that {condition_text(column, condition)[0]}"
    if not condition.all_but:
        terms = _alternatives(condition)
        return f"{name} is {any_of(terms)}" if terms else f"{name} has no value that would do"
    outside = ~condition
    if not (outside.numbers.is_finite() and outside.times.is_finite()):
        return f"{name} is anything but {any_of(_alternatives(outside))}"
    values = [value_words(value) for value in outside.named_values()]
    if not values:
        return f"{name} is {'known' if outside.missing else 'anything'}"
    if len(values) == 1:
        text = f"{name} is not {values[0]}"
    elif len(values) == 2:
        text = f"{name} is neither {values[0]} nor {values[1]}"
    else:
        text = f"{name} is none of {each_of(values)}"
    return text if outside.missing else f"{text} or is missing"


def _alternatives(condition: Condition) -> list[str]:
    """Return what a value may be: stretches of numbers and dates, values, missing."""
    points: list[str] = []
    ranges: list[str] = []
    _told(condition.numbers, lambda number: number, "any number", points, ranges)
    _told(condition.times, lambda nanoseconds: Instant(int(nanoseconds)), "any date", points, ranges)
    points += [value_words(text) for text in sorted(condition.texts)]
    return [*points, *ranges, *(["missing"] if condition.missing else [])]


def _told(
    line: Intervals, to_value: Callable[[Number], Value], everything: str, points: list[str], ranges: list[str]
) -> None:
    """Sort the intervals of a line into single values and stretches."""
    if line.is_everything:
        ranges.append(everything)
        return
    for (low, low_open), (high, high_closed) in line:
        if low == high:
            points.append(value_words(to_value(low)))
            continue
        above, least, below, most = _ORDERS[everything == "any date"]
        if math.isfinite(low) and math.isfinite(high) and high_closed and not low_open:
            ranges.append(f"from {value_words(to_value(low))} to {value_words(to_value(high))}")
            continue
        ends = []
        if math.isfinite(low):
            ends.append(f"{above if low_open else least} {value_words(to_value(low))}")
        if math.isfinite(high):
            ends.append(f"{most if high_closed else below} {value_words(to_value(high))}")
        ranges.append(" and ".join(ends))


def clause_words(clause: Clause) -> str:
    """Tell what a clause asks of a row; nothing is asked by an empty one.

    Examples
    --------
    >>> import frote
    >>> print(clause_words(frote.parse_rules("IF age < 29 AND NOT (income > 10K) THEN yes")[0].clause))
    age is below 29, and income is at most 10,000 or missing
    """
    terms = [condition_words(name, condition) for name, condition in clause]
    # Beside an "or", a plain "and" could be read both ways.
    if any(" or " in term or " and " in term for term in terms):
        return ", and ".join(terms)
    return each_of(terms) if terms else ""


def outcome_words(outcome: Outcome) -> str:
    """Tell where a rule sends the label.

    Examples
    --------
    >>> from frote.rules import Outcome
    >>> print(outcome_words(Outcome.of({"approved": 0.7, "denied": 0.3})).replace(chr(160), " "))
    approved in 70 % and denied in 30 % of cases
    >>> print(outcome_words(Outcome.of("approved", confidence=0.8)).replace(chr(160), " "))
    approved, with a confidence of 80 %
    """
    shares = [(_named(label), f"{100 * share:g}\xa0%") for label, share in outcome.probabilities]
    if outcome.rest:
        return f"{shares[0][0]}, with a confidence of {shares[0][1]}"
    if len(shares) == 1:
        return shares[0][0]
    return each_of([f"{label} in {share}" for label, share in shares]) + " of cases"


def rule_words(pieces: Sequence[Rule]) -> str:
    """Tell a rule, given as its pieces, in one sentence.

    Examples
    --------
    >>> import frote
    >>> print(rule_words(frote.parse_rules("IF age < 29 AND income > 150K THEN approved")))
    If age is below 29 and income is above 150,000, then approved.
    """
    outcome = outcome_words(pieces[0].outcome)
    cases = [clause_words(piece.clause) for piece in pieces[:PIECES]]
    if not all(cases):
        return f"In every case {outcome}."
    if len(pieces) > PIECES:
        cases.append(f"in {counted(len(pieces) - PIECES, 'further case')} of this rule")
    return f"If {'; or if '.join(cases)}, then {outcome}."


def _named(text: str) -> str:
    """Write a text or a column's name so that it does not run into the sentence."""
    return text if WORD.fullmatch(text) and not _SPOKEN.fullmatch(text.lower()) else f"“{text}”"


def any_of(terms: Sequence[str]) -> str:
    """Join terms by commas and "or".

    Examples
    --------
    >>> any_of(["a"]), any_of(["a", "b", "c"])
    ('a', 'a, b or c')
    """
    return _joined(terms, " or ")


def each_of(terms: Sequence[str]) -> str:
    """Join terms by commas and "and".

    Examples
    --------
    >>> each_of(["a", "b"]), each_of(["a", "b", "c"])
    ('a and b', 'a, b and c')
    """
    return _joined(terms, " and ")


def some_of(terms: Sequence[str], most: int, noun: str) -> str:
    """Join the first terms by commas and "and", and count the others; one more is told as it is.

    Examples
    --------
    >>> some_of(["a", "b", "c"], 2, "rule"), some_of(["a", "b", "c", "d"], 2, "rule")
    ('a, b and c', 'a, b and 2 other rules')
    """
    if len(terms) <= most + 1:
        return each_of(terms)
    return each_of([*terms[:most], counted(len(terms) - most, f"other {noun}")])


def _joined(terms: Sequence[str], last: str) -> str:
    return last.join([", ".join(terms[:-1]), terms[-1]]) if len(terms) > 1 else terms[0]
