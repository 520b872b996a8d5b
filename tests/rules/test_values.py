import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frote import RuleError
from frote.rules.values import Instant, as_value, canonical, parse_instant, quoted, value_text


@pytest.mark.parametrize(
    ("native", "value"),
    [
        (2, 2),
        (2.0, 2),
        ("2", 2),
        (np.int8(2), 2),
        (np.float32(0.5), 0.5),
        (np.longdouble(2.5), 2.5),
        ("-2.5", -2.5),
        (Decimal("1.50"), 1.5),
        (Fraction(1, 2), 0.5),
        ("02", "02"),
        ("2.0", "2.0"),
        ("-0", "-0"),
        ("2e0", "2e0"),
        ("1_000", "1_000"),
        ("٣", "٣"),
        (True, "true"),
        (np.bool_(False), "false"),
        ("True", "true"),
        ("fal\u017fe", "fal\u017fe"),
        ("", ""),
        ("9" * 41, int("9" * 41)),
        ("9" * 400, "9" * 400),
        ("-1" + "0" * 308, -(10**308)),
        ("0.1", 0.1),
        ("0.1000000000000000055", "0.1000000000000000055"),
    ],
)
def test_one_text_or_number_is_one_value(native, value):
    found = as_value(native)
    assert found == value
    assert type(found) is type(value)
    assert as_value(found) == found


MOMENT = parse_instant("2024-03-01 10:30:15.123456")


@pytest.mark.parametrize(
    "native",
    [
        dt.datetime(2024, 3, 1, 10, 30, 15, 123456),
        dt.datetime(2024, 3, 1, 10, 30, 15, 123456, tzinfo=dt.UTC),
        pd.Timestamp("2024-03-01 10:30:15.123456"),
        np.datetime64("2024-03-01T10:30:15.123456"),
        np.datetime64("2024-03-01T10:30:15.123456000", "ns"),
        "2024-03-01T10:30:15.123456",
        "2024-03-01 10:30:15.123456000",
    ],
)
def test_one_instant_is_one_value(native):
    assert as_value(native) == MOMENT


def test_dates_and_coarse_units():
    day = Instant(19_783 * 86_400 * 10**9)
    for native in (dt.date(2024, 3, 1), np.datetime64("2024-03"), np.datetime64("2024-03-01"), "2024-03-01T00:00:00"):
        assert as_value(native) == day
    assert str(as_value(np.datetime64("9999-12-31"))) == "9999-12-31"
    assert str(as_value(np.datetime64("0001-01-01T00:00:01", "s"))) == "0001-01-01 00:00:01"
    assert str(as_value(pd.Timestamp("2024-03-01 00:00:00.000000001"))) == "2024-03-01 00:00:00.000000001"


@pytest.mark.parametrize("native", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT")])
def test_what_is_no_value(native):
    with pytest.raises(RuleError, match="Use IS MISSING"):
        as_value(native)


def test_what_is_too_large():
    with pytest.raises(RuleError, match="beyond"):
        as_value(10**400)


@pytest.mark.parametrize(
    "text",
    ["2024-02-30", "2024-3-1", "24-03-01", "2024-03-01T", "2024-03-01 25:00", "2024-03-01T10:30Z", "0000-01-01"],
)
def test_what_is_no_instant(text):
    assert parse_instant(text) is None
    assert as_value(text) == text


@given(st.integers(-62_135_596_800 * 10**9, 253_402_300_800 * 10**9 - 1).map(Instant))
def test_instants_read_back_as_written(instant):
    assert parse_instant(str(instant)) == instant
    assert as_value(instant.native()) == instant


@given(st.one_of(st.integers(), st.floats(allow_nan=False, allow_infinity=False)))
def test_canonical_numbers_are_equal_and_written_alike(number):
    assert canonical(number) == number
    assert canonical(float(canonical(number))) == float(number)
    assert value_text(canonical(1500.0)) == "1500"


@given(st.text(), st.sampled_from("'\"`"))
def test_quotes_come_off_again(text, quote):
    inner = quoted(text, quote)[1:-1]
    assert inner.replace(quote * 2, quote) == text
    assert inner.count(quote) == 2 * text.count(quote)
