"""Numbers and dates in disguise, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frote.table.disguise import disguise, disguised_numbers


@given(
    numbers=st.lists(st.decimals(0, 10**9, places=2, allow_nan=False), min_size=1, max_size=9),
    way=st.sampled_from(["{:,.2f}", "${:,.2f}", "-${:,.2f}", "€ {:,.2f}", "{:,.2f} USD", "({:,.2f})", "{:.2f}%"]),
    comma=st.booleans(),
)
def test_numbers_are_read_as_they_are_written(numbers, way, comma):
    texts = [way.format(number) for number in numbers]
    if comma:
        texts = [text.translate(str.maketrans(",.", ".,")) for text in texts]
    sign = -1 if way[0] in "(-" else 1
    assert disguised_numbers(texts, "," if comma else ".") == [sign * float(number) for number in numbers]


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["50,000", "62,500"], "numbers"),
        (["$50,000", "$5"], "numbers"),
        (["5%", "12.5 %"], "numbers"),
        (["1.234,56 €", "5.000 €"], "numbers"),
        (["1.234 €", "5.000 €"], "numbers"),
        (["12 500", "1 500"], "numbers"),
        (["1,5", "2,25"], "numbers"),
        (["31-Jan-2021", "1-Feb-2021"], "dates"),
        (["Jan 31, 2021", "February 1, 2021"], "dates"),
        (["31 Jan 21", "1 Feb 21"], "dates"),
        (["$50,000"] * 19 + ["unknown"], "numbers"),
        (["$50,000", "unknown"], ""),
        (["18-25", "26-40"], ""),
        (["01234", "98765"], ""),
        (["1.2", "1.10"], ""),
        (["ABC123", "ABC124"], ""),
        (["may 1", "mar 2"], ""),
        (["1.2.3", "1.2.4"], ""),
        (["< 5%", "> 5%"], ""),
        (["car", "boat"], ""),
        (["5%"], ""),
        ([], ""),
    ],
)
def test_what_texts_are(texts, kind):
    assert disguise(texts) == kind


def test_what_may_be_two_numbers_or_none_is_not_read():
    assert disguised_numbers(["1.234 €"]) is None
    assert disguised_numbers(["$1,234"]) == [1234]
    assert disguised_numbers(["$5", "five"]) is None
    assert disguised_numbers([]) is None
    assert disguised_numbers(["9" * 50]) is None
