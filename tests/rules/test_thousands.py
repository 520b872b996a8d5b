"""Numbers with a dot and three digits: told of where a column's values are a thousand times larger, and only there."""

from __future__ import annotations

import pandas as pd
import pytest

import frote
from frote.exceptions import RuleWarning
from frote.rules.thousands import thousands
from frote.table import Table

FRAME = pd.DataFrame(
    {
        "limit": [10_000, 50_000, 80_000, None, 500_000],
        "balance": [-40_000, 0, -90_000, 70_000, 0],
        "rate": [0.5, 1.25, 60.0, 48.5, 51.0],
        "channel": list("abcab"),
    }
)
TOLD = "50.000 is read as 50, and most values of column 'limit' are far larger. Write 50000 if that is meant."


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("limit >= 50.000", [TOLD]),
        ("rate > 1 OR limit BETWEEN 50.000 AND 80_000", [TOLD]),
        ("limit IN {50.000, 7}", [TOLD]),
        (
            "balance < -40.500",
            [
                "-40.500 is read as -40.5, and most values of column 'balance' are far larger. "
                "Write -40500 if that is meant."
            ],
        ),
        ("limit >= 50", []),
        ("limit >= 50.0", []),
        ("limit >= 50.0000", []),
        ("limit >= 0.500", []),
        ("rate >= 50.000", []),
        ("rate >= 1.250", []),
        ("limit >= 50000", []),
        ("balance < -200.500", []),  # the largest is 90,000
        ("channel = 50.000", []),
    ],
)
def test_what_is_told_of(body, told):
    rules = frote.parse_rules(f"one: IF {body} THEN yes")
    assert thousands(rules, Table.from_frame(FRAME)) == ({"one": told} if told else {})
    # How a number was written is no part of what the rule is.
    assert frote.parse_rules(str(rules)) == rules


def test_check_and_editors_tell():
    rules = frote.parse_rules("IF rate > 2 THEN no") + frote.parse_rules("one: IF limit >= 50.000 THEN yes")
    assert f"one: {TOLD}" in rules.check(FRAME).advice
    with pytest.warns(RuleWarning, match="Rule 'one': 50.000 is read as 50"):
        rules[1:].resolve("exclude", FRAME)
    X = pd.concat([FRAME[["limit", "rate"]]] * 8, ignore_index=True).fillna(20_000.0)
    with pytest.warns(RuleWarning, match="Rule 'one': 50.000 is read as 50"):
        frote.FROTE(rules="one: IF limit >= 50.000 AND rate > 55 THEN yes", max_fits=0).fit(X, ["yes", "no"] * 20)


def test_numbers_with_several_dots_have_a_hint():
    with pytest.raises(frote.RuleSyntaxError, match=r"found '1.000.000' \(write 1000000\)"):
        frote.parse_rules("IF limit >= 1.000.000 THEN yes")
