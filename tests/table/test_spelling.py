"""Dates as people write them: each is read by the spelling that writes it, and by no other."""

from __future__ import annotations

import datetime as dt

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.table.date_spellings import date_spellings

from frote.table.spelling import spellings

ways = date_spellings(["D", "m", "s", "ms", "us", "ns"])
LENGTHS = {"D": 10, "m": 16, "s": 19, "ms": 23, "us": 26, "ns": 29}
moments = st.datetimes(dt.datetime(1000, 1, 1), dt.datetime(9999, 12, 31))


def iso(moment: dt.datetime, unit: str) -> str:
    return f"{moment.isoformat(timespec='microseconds')}000"[: LENGTHS[unit]]


@settings(max_examples=examples(250))
@given(way=ways, found=st.lists(moments, min_size=1, max_size=5))
def test_what_a_spelling_writes_it_reads(way, found):
    dates = [iso(moment, way.unit) for moment in found]
    texts = [way.spelled(date) for date in dates]
    assert [way.iso(text) for text in texts] == dates
    orders = [one.day_first for one in spellings(texts)]
    decided = any(moment.day > 12 for moment in found)
    assert orders == ([way.day_first] if decided else [True, False])
    for one in spellings(texts):
        assert [one.spelled(one.iso(text)) for text in texts] == texts


@settings(max_examples=examples(250))
@given(text=st.from_regex(r"[0-9]{1,2}([/.-])[0-9]{1,2}\1[0-9]{4}( [0-9]{1,2}:[0-9]{2})?", fullmatch=True))
def test_a_date_is_one_by_some_spelling_if_and_only_if_it_exists(text):
    date, _, time = text.partition(" ")
    first, second, year = (int(part) for part in date.replace("/", ".").replace("-", ".").split("."))
    hour, minute = (int(part) for part in time.split(":")) if time else (0, 0)
    possible = []
    for day, month in ((first, second), (second, first)):
        try:
            possible.append(dt.datetime(year, month, day, hour, minute))
        except ValueError:
            possible.append(None)
    found = {way.day_first: pd.Timestamp(way.iso(text)).to_pydatetime() for way in spellings([text])}
    # Of 01/1/2024 one part has its zero and the other has none: no spelling is like that.
    parts = date.replace("/", ".").replace("-", ".").split(".")[:2]
    if {len(part) for part in parts if int(part) < 10} == {1, 2}:
        assert found == {}
    else:
        assert found == {order: moment for order, moment in zip((True, False), possible, strict=True) if moment}


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["car"],
        ["31/12/2024", "12/31/2024"],
        ["31/12/2024", "31.12.2024"],
        ["31/12.2024"],
        ["31/12/2024", "1/2/2024", "01/02/2024"],
        ["31/12/2024", "01/02/2024 10:00"],
        ["31/12/2024 10:00", "01/02/2024 10:00:00"],
        ["31/12/2024 09:00", "01/02/2024 9:00"],
        ["31/12/2024 24:00"],
        ["31/12/2024 10:00:00.5"],
        ["31/12/24"],
        ["2024/12/31"],
        ["30/02/2024"],
        ["29/02/2023"],
        ["00/01/2024"],
        ["31/12/0000"],
        [" 31/12/2024"],
        ["31/12/2024\n"],
        ["٣١/12/2024"],
    ],
)
def test_what_is_no_date_or_not_alike(texts):
    assert spellings(texts) == []


def test_how_spellings_are_named():
    names = {
        "dd/mm/yyyy": ["02/08/2022", "31/12/2022"],
        "m/d/yyyy h:mm": ["8/2/2022 9:05", "12/31/2022 14:30"],
        "d.m.yyyy hh:mm:ss": ["2.8.2022 09:05:00", "31.12.2022 14:30:00"],
        "dd-mm-yyyy hh:mm:ss.fff": ["31-12-2022 14:30:00.125"],
    }
    for name, texts in names.items():
        assert [str(way) for way in spellings(texts)] == [name]
