"""Every type of column has numbers and times of its own: rows made for a rule satisfy it in that type, or none can."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from frote.coverage.check import check_rules
from frote.generation.sampler import DRAW, Seeds, Synthesizer
from frote.rules import Clause, Condition, Outcome, Rule, RuleSet
from frote.table import Table
from frote.table.lattice import Decimals, Floats

quick = settings(max_examples=examples(150))
brief = settings(quick, max_examples=examples(30))  # there are many types
ROWS = 12


def arrow(kind):
    return lambda values: pd.DataFrame({"x0": pd.Series(values, dtype=pd.ArrowDtype(kind))})


def pandas(dtype):
    return lambda values: pd.DataFrame({"x0": pd.Series(values, dtype=dtype)})


def polars(dtype):
    return lambda values: pl.DataFrame({"x0": pl.Series(values, dtype=dtype)})


def numpy(dtype):
    return lambda values: np.array(values, dtype=dtype).reshape(-1, 1)


def ints(low, high):
    return st.integers(max(low, -(2**63)), min(high, 2**63 - 1))


def whole_types():
    for bits in (8, 16, 32, 64):
        signed, unsigned = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1), (0, 2**bits - 1)
        for sign, limits in (("", signed), ("u", unsigned)):
            name = f"{sign}int{bits}"
            yield f"numpy {name}", numpy(name), ints(*limits)
            yield f"pandas {name}", pandas(name.title().replace("Ui", "UI")), ints(*limits)
            yield f"arrow {name}", arrow(getattr(pa, name)()), ints(*limits)
            yield f"polars {name}", polars(getattr(pl, name.title().replace("Ui", "UI"))), ints(*limits)
    yield "polars int128", polars(pl.Int128), ints(-(2**63), 2**63 - 1)
    yield "polars uint128", polars(pl.UInt128), ints(0, 2**63 - 1)
    yield "python ints", pandas(object), ints(-(2**63), 2**63 - 1)


def float_types():
    for bits in (16, 32, 64):
        values = st.floats(width=bits, allow_nan=False, allow_infinity=False)
        values = st.one_of(values, st.integers(-2000, 2000).map(float), st.floats(-1, 1, width=bits))
        yield f"numpy float{bits}", numpy(f"float{bits}"), values
        yield f"pandas sparse{bits}", pandas(pd.SparseDtype(f"float{bits}")), values
        if bits > 16:
            yield f"pandas Float{bits}", pandas(f"Float{bits}"), values
            yield f"polars Float{bits}", polars(getattr(pl, f"Float{bits}")), values
            yield f"arrow float{bits}", arrow(getattr(pa, f"float{bits}")()), values
    yield "numpy longdouble", numpy(np.longdouble), st.floats(-1e6, 1e6)


def decimal_types():
    shapes = ((4, 2), (10, 2), (18, 6), (38, 10), (38, 0), (3, 3), (38, 30))
    for precision, scale in shapes:
        most = 10**precision - 1
        counts = st.one_of(st.integers(-most, most), st.integers(-min(300, most), min(300, most)))
        values = counts.map(lambda count, scale=scale: Decimal(f"{count}E{-scale}"))
        yield f"polars decimal({precision}, {scale})", polars(pl.Decimal(precision, scale)), values
        yield f"arrow decimal({precision}, {scale})", arrow(pa.decimal128(precision, scale)), values
    small = st.integers(-9999, 9999).map(lambda count: Decimal(count) / 100)
    for kind in (pa.decimal32(4, 2), pa.decimal64(4, 2), pa.decimal256(4, 2)):
        yield f"arrow {kind}", arrow(kind), small
    yield (
        "arrow hundreds",
        arrow(pa.decimal128(4, -2)),
        st.integers(-9999, 9999).map(lambda count: Decimal(count * 100)),
    )
    yield "python decimals", pandas(object), small


def time_types():
    moments = st.datetimes(dt.datetime(1990, 1, 1), dt.datetime(2040, 1, 1))
    seconds = moments.map(lambda moment: moment.replace(microsecond=0))
    days = moments.map(lambda moment: moment.replace(hour=0, minute=0, second=0, microsecond=0))
    changes = st.datetimes(dt.datetime(2021, 3, 27, 22), dt.datetime(2021, 3, 28, 5)).map(
        lambda moment: moment.replace(microsecond=0)
    )
    for unit in ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "25s"):
        yield f"numpy {unit}", numpy(f"datetime64[{unit}]"), days if unit in "YMWD" else seconds
    for unit in ("s", "ms", "us", "ns"):
        yield f"pandas {unit}", pandas(f"datetime64[{unit}]"), seconds
        yield f"arrow {unit}", arrow(pa.timestamp(unit)), seconds
        if unit != "s":
            yield f"polars {unit}", polars(pl.Datetime(unit)), seconds
    yield "polars date", polars(pl.Date), days.map(dt.datetime.date)
    yield "arrow date32", arrow(pa.date32()), days.map(dt.datetime.date)
    yield "arrow date64", arrow(pa.date64()), days.map(dt.datetime.date)
    yield "python dates", pandas(object), days.map(dt.datetime.date)
    yield "python datetimes", pandas(object), moments
    for zone in ("Europe/Berlin", "America/Sao_Paulo"):
        times = st.one_of(seconds, changes) if zone == "Europe/Berlin" else st.one_of(seconds, days)
        yield f"polars {zone}", _zoned(polars(pl.Datetime("us")), zone), times
        yield f"pandas {zone}", _zoned(pandas("datetime64[us]"), zone), times


def _zoned(make, zone):
    def made(values):
        frame = make(values)
        if isinstance(frame, pl.DataFrame):
            return frame.with_columns(pl.col("x0").dt.replace_time_zone("UTC").dt.convert_time_zone(zone))
        return frame.assign(x0=frame["x0"].dt.tz_localize("UTC").dt.tz_convert(zone))

    return made


TYPES = {
    name: (make, values)
    for types in (whole_types, float_types, decimal_types, time_types)
    for name, make, values in types()
}


def literals(values):
    """Draw what a rule may compare with: values, such as lie beside them, and such as no type holds."""
    if isinstance(values[0], dt.date):
        near = st.timedeltas(dt.timedelta(days=-40), dt.timedelta(days=40))
        base = st.sampled_from([dt.datetime.combine(v, dt.time()) if type(v) is dt.date else v for v in values])
        gap = st.datetimes(dt.datetime(2021, 3, 28, 1, 30), dt.datetime(2021, 3, 28, 3, 30))
        return st.one_of(base, st.builds(lambda moment, apart: moment + apart, base, near), gap)
    plain = st.sampled_from([float(value) for value in values])
    beside = st.builds(lambda value, share: value + share, plain, st.floats(-1, 1))
    ends = st.sampled_from([0.001, 127, 128, 255.5, 65504, 65520, 1e9, 3.5e38, 1e39, 2**63 - 1, 2**63, 1e300, 99.99])
    return st.one_of(plain, beside, ends, ends.map(lambda end: -end)).filter(lambda value: math.isfinite(value))


@st.composite
def conditions(draw, values):
    literal = literals(values)
    found = Condition.compare(draw(st.sampled_from(["<", "<=", ">", ">=", "=", "!="])), draw(literal))
    for _ in range(draw(st.integers(0, 2))):
        more = Condition.compare(draw(st.sampled_from(["<", "<=", ">", ">="])), draw(literal))
        found = found & more if draw(st.booleans()) else found | more
    return found | Condition.is_missing() if draw(st.booleans()) else found


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")  # of pandas' sparse arrays
@pytest.mark.parametrize("name", TYPES)
@given(data=st.data())
@brief
def test_rows_satisfy_their_rule_once_they_are_written(name, data):
    make, values = TYPES[name]
    given_values = data.draw(st.lists(values, min_size=2, max_size=5))
    frame = make((given_values * ROWS)[:ROWS])
    table = Table.from_frame(frame)
    held = data.draw(conditions(given_values))
    rules = RuleSet([Rule("r", Clause.of({"x0": held}).settled(table.schema), Outcome.of("yes"))])
    synthesizer = Synthesizer(table, rules)
    covered = rules[0].mask(frame)
    if not synthesizer.possible[0]:
        assert not covered.any()
        return
    rng = np.random.default_rng(0)
    piece, base = np.zeros(40, dtype=np.intp), rng.integers(ROWS, size=40)
    made, _ = synthesizer.make(table, Seeds(piece, base, rng.integers(ROWS, size=(40, 3))), rng)
    models = {"x0": np.where(covered[base], -2, DRAW)}
    moved = synthesizer.move(table, piece, base, models, rng)
    for rows in (made, moved):
        written = rows.to_frame()
        assert rules[0].mask(written).all()
        assert _types(written) == _types(frame)
        back, kept = Table.from_frame(written)["x0"], rows["x0"]
        gone = np.zeros(40, dtype=bool) if kept.missing is None else kept.missing
        assert np.array_equal(back.values[~gone], kept.values[~gone])
        assert np.array_equal(gone, np.zeros(40, dtype=bool) if back.missing is None else back.missing)


def _types(frame):
    return frame.dtype if isinstance(frame, np.ndarray) else frame["x0"].dtype


HALVES = np.arange(2**16, dtype=np.uint16).view(np.float16)
SMALL = {
    "int8": (numpy("int8"), list(range(-128, 128))),
    "uint8": (pandas("UInt8"), list(range(256))),
    "float16": (numpy("float16"), HALVES[np.isfinite(HALVES)].tolist()),
    "decimals": (polars(pl.Decimal(3, 1)), [Decimal(count) / 10 for count in range(-999, 1000)]),
    "arrow decimals": (arrow(pa.decimal128(3, 2)), [Decimal(count) / 100 for count in range(-999, 1000)]),
}
ALL = {name: (make(every), np.array(every, dtype=np.float64) % 1 == 0) for name, (make, every) in SMALL.items()}


@pytest.mark.parametrize("name", SMALL)
@given(data=st.data())
@quick
def test_what_is_said_to_be_impossible_is(name, data):
    make, every = SMALL[name]
    some = data.draw(st.lists(st.sampled_from(every), min_size=2, max_size=4))
    held = data.draw(conditions(some))
    frame, whole = ALL[name]
    table = Table.from_frame(make(some))
    rules = RuleSet([Rule("r", Clause.of({"x0": held}).settled(table.schema), Outcome.of("yes"))])
    inside = rules[0].mask(frame)
    if table.schema["x0"].kind == "integer":
        inside &= whole  # such a column is one of whole numbers
    possible = inside.any() or (held.missing and table.storage("x0").nullable)
    assert Synthesizer(table, rules).possible[0] == possible
    assert check_rules(rules, make(some)).frame["possible"].all() == possible


counts = st.tuples(st.integers(1, 40), st.integers(-3, 40)).flatmap(
    lambda shape: st.tuples(st.just(Decimals(*shape)), st.integers(-(10 ** shape[0]) + 1, 10 ** shape[0] - 1))
)


@given(counts, st.sampled_from([0, 1]), st.floats(-1, 1))
@quick
def test_decimals_beside_a_cut(drawn, after, apart):
    decimals, count = drawn
    at = float(Decimal(f"{count}E{-decimals.scale}")) + apart * 10.0**-decimals.scale
    above, below = decimals.above(at, after), decimals.below(at, after)
    assert below <= at <= above
    assert above > at or not after
    assert below < at or after
    for end in (above, below):
        if math.isfinite(end):
            assert decimals.nearest(np.array([end]))[0] == end == float(decimals.written(np.array([end]))[0])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@given(st.floats(allow_nan=False), st.sampled_from([0, 1]))
@quick
def test_floats_beside_a_cut(dtype, at, after):
    floats = Floats(np.dtype(dtype))
    above, below = floats.above(at, after), floats.below(at, after)
    assert below <= at <= above
    with np.errstate(over="ignore"):
        assert floats.nearest(np.array([above]))[0] == above
        assert floats.nearest(np.array([below]))[0] == below
