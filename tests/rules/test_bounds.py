"""Texts and files made to cost much: read in time and memory in proportion to their size, or refused in one sentence.

Nothing is timed. What was mended here took hours or tens of gigabytes before, so that a relapse cannot go unseen.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from frote import Condition, FroteError, RuleSyntaxError, parse_rules
from frote.rules.files import from_json
from frote.rules.intervals import Intervals

GROWTH = """
import resource, frote
def most(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = most()
try:
    frote.parse_rules({text})
except frote.FroteError as error:
    print((most() - before) // 1024, str(error).splitlines()[0])
"""


def memory(text: str) -> tuple[int, str]:
    """Return the megabytes that a text, given as Python, takes to be refused, and what is said of it."""
    found = subprocess.run(
        [sys.executable, "-c", GROWTH.format(text=text)], capture_output=True, text=True, check=True, timeout=300
    )
    taken, message = found.stdout.strip().split(" ", 1)
    return int(taken), message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("'IF a = \\'' + 'x' * 5_000_000", "line 1, column 8: this quote is never closed"),
        ("'IF `' + 'x``' * 2_000_000", "line 1, column 4: this backtick is never closed"),
        ("'\\'' + 'x' * 5_000_000 + '\\nIF a = 1 THEN x'", "line 1, column 1: expected a rule"),
    ],
)
def test_open_quotes_cost_no_more_than_their_length(text, message):
    taken, said = memory(text)
    assert said.startswith(message)
    assert taken < 200


def test_names_for_rules_without_one():
    """Each finds the next free number at once, however many are taken."""
    count = 20_000
    named = [f"rule {count + place}: IF a = 1 THEN x" for place in range(1, count + 1)]
    rules = parse_rules("\n".join([*named, *["IF a = 1 THEN x"] * count]))
    assert set(rules.names) == {f"rule {number}" for number in range(count + 1, 3 * count + 1)}
    assert len(rules + rules[count:]) == 3 * count


def test_intervals_of_a_json_file():
    numbers = [[place, True, place + 0.5, False] for place in reversed(range(30_000))]
    rest = {"column": "x", "times": [], "texts": [], "all_but": False, "missing": False}
    then = {"probabilities": {"yes": 1}, "rest": 0}
    rule = {"name": "a", "if": [{**rest, "numbers": numbers}], "then": then}
    (found,) = from_json(json.dumps({"format": "frote rules", "version": 1, "rules": [rule]}))
    assert len(list(found.clause["x"].numbers)) == len(numbers)
    assert len(str(found)) > len(numbers)


def test_a_list_of_many_values():
    count = 100_000
    (rule,) = parse_rules("IF a IN {" + ", ".join(map(str, range(count))) + "} THEN x")
    assert str(rule).count(",") == count - 1
    inside = rule.clause["a"]
    assert all(value in inside for value in range(count))
    assert Intervals.union(((value, 0), (value, 1)) for value in range(count)) == inside.numbers
    assert -1 not in inside


def test_brackets_and_nots_without_end():
    with pytest.raises(RuleSyntaxError, match="more than 60 brackets within one another"):
        parse_rules("IF " + "(" * 100_000 + "a = 1")
    (rule,) = parse_rules("IF " + "NOT " * 100_001 + "a = 1 THEN x")
    assert rule.clause["a"] == ~Condition.compare("=", 1)


@pytest.mark.parametrize("text", ["{" * 100_000, '{"format": "frote rules", "version": 1, "rules": ' + "[" * 100_000])
def test_json_without_end(text):
    with pytest.raises(FroteError, match="is no JSON"):
        from_json(text)
