"""The names that a mistyped one may have meant: near ones first, and never a list that is cut before what matters."""

from __future__ import annotations

import pytest

from frote.exceptions import nearest

COLUMNS = [f"x{place}" for place in range(23)]


def test_both_ends_of_a_long_list_are_told():
    assert nearest("y", [*COLUMNS, "decision"]) == (
        "Known: 'x0', 'x1', 'x2', 'x3', ..., 'x20', 'x21', 'x22', 'decision' (24 in all)."
    )


@pytest.mark.parametrize("target", ["default payment next month", "default.payment.next.month", "DEFAULT_payment"])
def test_a_word_of_a_name_finds_it(target):
    assert nearest("default", [*COLUMNS, target]) == f"Did you mean {target!r}?"


def test_one_among_very_many_is_found():
    customers = [f"customer {place}" for place in range(9000)]
    assert nearest("customer 74O2", customers).startswith("Did you mean 'customer 74")
    assert nearest("brokr", [*(f"{place}-{place}" for place in range(3000)), "broker"]) == "Did you mean 'broker'?"
    assert nearest("x" * 10_000, ["x" * 9_999]).startswith("Known: ")
