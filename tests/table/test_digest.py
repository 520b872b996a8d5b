"""The digest of a table: equal for equal rows of one kind of frame, another for whatever is changed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from frote.table import Table

# Each type of column with its values; None is missing.
COLUMNS = {
    "int64": st.integers(-(2**63), 2**63 - 1),
    "uint8": st.integers(0, 255),
    "float64": st.floats(allow_nan=False, width=64).map(lambda value: value + 0.0) | st.none(),
    "Int32": st.integers(-5, 5) | st.none(),
    "bool": st.booleans(),
    "boolean": st.booleans() | st.none(),
    "category": st.sampled_from(["a", "b", "c"]) | st.none(),
    "str": st.text(max_size=3) | st.none(),
    "object": st.sampled_from(["a", "b", 1, 2.5]) | st.none(),
    "datetime64[us]": st.datetimes(pd.Timestamp(2000, 1, 1), pd.Timestamp(2030, 1, 1)) | st.none(),
}


def series(dtype, values):
    if dtype == "category":
        return pd.Series(pd.Categorical(values, categories=["c", "b", "a"]))
    return pd.Series(values, dtype=dtype)


@st.composite
def frames(draw):
    chosen = draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=4))
    rows = draw(st.integers(1, 6))
    columns = [draw(st.lists(COLUMNS[dtype], min_size=rows, max_size=rows)) for dtype in chosen]
    return chosen, columns


def made(chosen, columns):
    return pd.DataFrame(
        {f"x{place}": series(dtype, values) for place, (dtype, values) in enumerate(zip(chosen, columns, strict=True))}
    )


def digest(frame, **kinds):
    return Table.from_frame(frame, **kinds).digest()


@given(frames(), st.randoms(use_true_random=False))
def test_equal_rows_whatever_the_index_and_the_memory(drawn, chance):
    frame = made(*drawn)
    expected = digest(frame)
    labels = [f"row {number}" for number in range(len(frame))]
    chance.shuffle(labels)
    assert digest(frame.set_axis(labels)) == expected
    assert digest(made(*drawn)) == expected
    twice = pd.concat([frame, frame], ignore_index=True)
    assert digest(twice.iloc[: len(frame)]) == expected
    assert Table.from_frame(frame).take(range(len(frame))).digest() == expected


@given(st.data(), frames())
def test_any_changed_cell(data, drawn):
    chosen, columns = drawn
    place = data.draw(st.integers(0, len(columns) - 1))
    row = data.draw(st.integers(0, len(columns[place]) - 1))
    new = data.draw(COLUMNS[chosen[place]])
    assume(new != columns[place][row])
    changed = [list(column) for column in columns]
    changed[place][row] = new
    assert digest(made(chosen, changed)) != digest(made(*drawn))


@given(frames())
def test_names_and_the_order_and_number_of_rows_and_columns(drawn):
    frame = made(*drawn)
    expected = digest(frame)
    assert digest(frame.rename(columns={"x0": "x9"})) != expected
    assert digest(pd.concat([frame, frame.iloc[:1]])) != expected
    if len(frame) > 1:
        assert digest(frame.iloc[1:]) != expected
        backwards = frame.iloc[::-1]
        if not backwards.reset_index(drop=True).equals(frame):
            assert digest(backwards) != expected
    if frame.shape[1] > 1:
        assert digest(frame[frame.columns[::-1]]) != expected
        assert digest(frame.iloc[:, 1:]) != expected


WHOLE = pd.DataFrame({"a": [1, 2, 1]})
WORDS = pd.DataFrame({"a": ["x", "y", "x"]})
TIMES = pd.DataFrame({"a": pd.date_range("2024-01-01", periods=3)})
LEVELS = pd.Categorical(["x", "y", "x"])
# Frames that look alike, each group of one size; the digests of all are unlike.
ALIKE = {
    "numbers": [
        *(
            WHOLE.astype(dtype)
            for dtype in ("int64", "int8", "uint8", "float64", "float32", "Int64", "Float64", "object")
        ),
        *(WHOLE.astype(dtype) for dtype in ("str", "category")),
        WHOLE.set_axis([0], axis=1),
        WHOLE.set_axis(["0"], axis=1),
        WHOLE.rename_axis("label", axis=1),
        pl.from_pandas(WHOLE),
        pl.from_pandas(WHOLE).cast(pl.Int32),
        WHOLE.set_axis(["x0"], axis=1),
        WHOLE.to_numpy(),
        WHOLE.to_numpy().astype(object),
        WHOLE.astype(bool),
        WHOLE.astype("Int64").assign(a=pd.array([1, None, 1], dtype="Int64")),
        WHOLE.astype("Int64").assign(a=pd.array([1, 0, 1], dtype="Int64")),
        WHOLE.assign(a=[1.0, np.nan, 1.0]),
        WHOLE.assign(a=[1.0, 0.0, 1.0]),
        WHOLE.assign(a=[1.0, np.inf, 1.0]),
    ],
    "words": [
        *(WORDS.astype(dtype) for dtype in ("str", "object", "string", "category")),
        WORDS.assign(a=LEVELS.as_ordered()),
        WORDS.assign(a=LEVELS.add_categories("z")),
        WORDS.assign(a=LEVELS.reorder_categories(["y", "x"])),
        WORDS.assign(a=LEVELS.rename_categories(["x", "z"])),
        WORDS.assign(a=["x", None, "x"]),
        WORDS.assign(a=["x", "None", "x"]),
        WORDS.assign(a=["x", "nan", "x"]),
        WORDS.assign(a=["x", "", "x"]),
        pl.from_pandas(WORDS),
        pl.from_pandas(WORDS).cast(pl.Categorical),
        pl.from_pandas(WORDS).cast(pl.Enum(["x", "y"])),
        pl.from_pandas(WORDS).cast(pl.Enum(["y", "x"])),
    ],
    "times": [
        TIMES,
        TIMES.assign(a=TIMES["a"].astype("datetime64[s]")),
        TIMES.assign(a=TIMES["a"].dt.tz_localize("UTC")),
        TIMES.assign(a=TIMES["a"].dt.tz_localize("Europe/Berlin")),
        TIMES.assign(a=TIMES["a"].where([True, False, True])),
        TIMES.assign(a=TIMES["a"].astype("int64")),
        pl.from_pandas(TIMES),
        pl.from_pandas(TIMES).cast(pl.Date),
    ],
}


@pytest.mark.parametrize("group", ALIKE)
def test_frames_that_look_alike(group):
    digests = [digest(frame) for frame in ALIKE[group]]
    alike = [(one, two) for one in range(len(digests)) for two in range(one) if digests[one] == digests[two]]
    assert not alike


def test_values_do_not_move_from_one_column_to_another():
    assert digest(pd.DataFrame({"a": [1, 2], "b": [3, 4]})) != digest(pd.DataFrame({"a": [1, 3], "b": [2, 4]}))
    assert digest(pd.DataFrame({"ab": ["c"]})) != digest(pd.DataFrame({"a": ["bc"]}))
    assert digest(np.arange(6).reshape(2, 3)) != digest(np.arange(6).reshape(3, 2))


def test_another_kind():
    assert digest(WHOLE, kinds={"a": "categorical"}) != digest(WHOLE)
    assert digest(WHOLE, kinds={"a": "continuous"}) != digest(WHOLE)
    assert digest(WHOLE, kinds={"a": "integer"}) == digest(WHOLE)


def test_arrays_and_polars_frames_whatever_their_memory():
    array = np.arange(12.0).reshape(4, 3)
    assert digest(array) == digest(np.asfortranarray(array)) == digest(np.repeat(array, 2, axis=0)[::2])
    frame = pl.from_numpy(array)
    assert digest(frame) == digest(pl.concat([frame[:1], frame[1:]], rechunk=False))


def test_display_options_do_not_matter():
    many = pd.DataFrame({f"c{place}": pd.Categorical(list("abcdefgh")) for place in range(120)})
    many["x"] = pd.Categorical([1.123456789, 2.0] * 4)
    expected = digest(many)
    with pd.option_context("display.max_seq_items", 3, "display.width", 20, "display.precision", 1):
        assert digest(many) == expected
    other = many.rename(columns={"c60": "c060"})
    assert digest(other) != expected
