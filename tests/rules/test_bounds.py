"""Texts and files made to cost much: read in time and memory in proportion to their size, or refused in one sentence.

Nothing is timed. What was mended here took hours or tens of gigabytes before, so that a relapse cannot go unseen.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest

from frote import Condition, FroteError, RuleError, RuleSyntaxError, parse_rules
from frote.rules.combination import Joint, Single, _sharing_columns
from frote.rules.files import from_json
from frote.rules.intervals import Intervals

GROWTH = """
import resource, frote
def most(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = most()
for text in ({texts}):
    try:
        frote.parse_rules(text)
    except frote.FroteError as error:
        print(str(error).splitlines()[0])
print((most() - before) // 1024)
"""


OPEN = {
    "'IF a = \\'' + 'x' * 5_000_000": "line 1, column 8: this quote is never closed",
    "'IF `' + 'x``' * 2_000_000": "line 1, column 4: this backtick is never closed",
    "'\\'' + 'x' * 5_000_000 + '\\nIF a = 1 THEN x'": "line 1, column 1: expected a rule",
}


def test_open_quotes_cost_no_more_than_their_length():
    """Neither does the largest of them, so none does."""
    code = GROWTH.format(texts=", ".join(OPEN))
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    *said, taken = found.stdout.splitlines()
    for told, message in zip(said, OPEN.values(), strict=True):
        assert told.startswith(message)
    assert int(taken) < 200


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


def test_parts_that_share_a_column_are_found_at_once():
    held = Condition.compare("=", 1)
    parts = [Joint(False, (Single(f"b{place}", held), Single("a", held))) for place in range(50_000)]
    apart = [Single(f"c{place}", held) for place in range(50_000)]
    assert list(map(len, _sharing_columns([apart[0], *parts, *apart[1:]]))) == [1, 50_000, *[1] * 49_999]


# -- alternatives across columns -------------------------------------------------------------------------------------


def pairs(count, inner, outer):
    return f" {outer} ".join(f"(a{i} = 1 {inner} b{i} = 1)" for i in range(count))


def boxes(count, columns, seed=1):
    draw = random.Random(seed)
    return " OR ".join(
        "(" + " AND ".join(f"{name} > {draw.randint(0, 99)}" for name in columns) + ")" for _ in range(count)
    )


LARGE = {
    "NOT over OR over NOT": f"IF NOT ({' OR '.join(f'NOT (a{i} = 1 OR b{i} = 1)' for i in range(100))}) THEN x",
    "NOT over pairs": f"IF NOT ({pairs(90, 'AND', 'OR')}) THEN x",
    "pairs": f"IF {pairs(90, 'AND', 'OR')} THEN x",
    "AND of pairs": f"IF {pairs(100, 'OR', 'AND')} THEN x",
    "boxes in space": f"IF {boxes(150, 'abcdefgh')} THEN x",
    "chain of NOT": "IF "
    + "".join(f"NOT (a{i} = 1 AND b{i} = 1 OR " for i in range(59))
    + "z = 1"
    + ")" * 59
    + " THEN x",
    "many rules that split": "\n".join(f"IF {pairs(10, 'OR', 'AND')} THEN x" for _ in range(40)),
    "a long name": f"{'n' * 9_000}: IF {pairs(11, 'OR', 'AND')} THEN x",
    "a long label": f"IF {pairs(11, 'OR', 'AND')} THEN '{'l' * 9_000}'",
    "a long list": f"IF q IN {{{', '.join(map(str, range(1_500)))}}} AND {pairs(11, 'OR', 'AND')} THEN x",
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE.keys())
def test_texts_without_bounds_are_refused(text):
    """One sentence that says what there is too much of and what to do; before, minutes or gigabytes."""
    with pytest.raises(RuleSyntaxError, match=r"fall.? apart into|takes more than [0-9,]* steps") as caught:
        parse_rules(text)
    assert "Use fewer alternatives" in str(caught.value)


def test_ten_pairs_within_not():
    """The pieces that there are, at once, however often NOT stands around them."""
    rules = parse_rules(f"IF NOT ({' OR '.join(f'NOT (a{i} = 1 OR b{i} = 1)' for i in range(10))}) THEN x")
    assert len(rules) == 1024
    assert rules == parse_rules(f"IF NOT NOT ({pairs(10, 'OR', 'AND')}) THEN x")
    assert len(parse_rules(f"IF {boxes(60, 'abcde')} THEN x")) < 1_000


# -- many rules ------------------------------------------------------------------------------------------------------


def test_ten_thousand_rules_apart():
    """Rules that one column keeps apart are never looked at in pairs."""
    rules = parse_rules("\n".join(f"IF a = {i} AND b > {i % 7} THEN {'xy'[i % 2]}" for i in range(10_000)))
    assert rules.conflicts() == []
    assert rules.resolve("mix") == rules == rules.disjoint()


def test_too_many_conflicts_are_refused():
    rules = parse_rules("\n".join(f"IF a{i} > 1 THEN {'xy'[i % 2]}" for i in range(3_000)))
    with pytest.raises(RuleError, match="More than 10,000 pairs of these rules conflict, too many to list"):
        rules.conflicts()
    for how in ("exclude", "mix", "priority"):
        with pytest.raises(RuleError, match=r"Take fewer rules|Use fewer alternatives"):
            rules.resolve(how)
    assert rules[::2].conflicts() == []


def test_a_long_list_of_conflicts_is_given():
    """More conditions than rules may fall apart into: a list is looked through by a person, and costs less."""
    text = "\n".join(f"IF {' AND '.join(f'{name} > {i}' for name in 'abcde')} THEN l{i}" for i in range(68))
    assert len(parse_rules(text).conflicts()) == 68 * 67 // 2


def test_a_list_of_conflicts_between_long_lists_is_refused():
    """A file of 1 MB: few conflicts, each of thousands of values; before, minutes."""
    lists = (", ".join(str(place * 7 + i) for i in range(1_000)) for place in range(40))
    rules = parse_rules("\n".join(f"IF a NOT IN {{{values}}} THEN l{place}" for place, values in enumerate(lists)))
    assert len(rules[:10].conflicts()) == 45
    with pytest.raises(RuleError, match="780 pairs of these rules conflict, too many to list"):
        rules.conflicts()


def test_the_limit_of_pieces_holds_for_all_rules_together():
    draw = random.Random(3)
    lines = []
    for place in range(60):
        held = (f"{name} BETWEEN {(low := draw.randint(0, 99))} AND {low + 40}" for name in draw.sample("abcdef", 3))
        lines.append(f"IF {' AND '.join(held)} THEN {'xy'[place % 2]}")
    with pytest.raises(RuleError, match=r"fall apart into|takes more than"):
        parse_rules("\n".join(lines)).resolve("exclude")
