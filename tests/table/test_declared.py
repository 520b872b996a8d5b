"""Levels that are declared beside the data: in the schema, in new rows, and never at the price of a type."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from frote.exceptions import TableError
from frote.table import ColumnData, Table

CHANNELS = ["web", None, "branch", "web"]
COLUMNS = {
    "objects": pd.DataFrame({"channel": np.array(CHANNELS, dtype=object)}),
    "strings": pd.DataFrame({"channel": pd.array(CHANNELS, dtype="string")}),
    "arrow": pd.DataFrame({"channel": pd.array(CHANNELS, dtype="string[pyarrow]")}),
    "polars": pl.DataFrame({"channel": CHANNELS}),
    "polars categories": pl.DataFrame({"channel": pl.Series(CHANNELS, dtype=pl.Categorical)}),
    "array": np.array(CHANNELS, dtype=object).reshape(-1, 1),
}


@pytest.mark.parametrize("frame", COLUMNS.values(), ids=COLUMNS)
def test_a_declared_level_is_a_level_and_can_be_written(frame):
    name = "x0" if isinstance(frame, np.ndarray) else "channel"
    table = Table.from_frame(frame, levels={name: ["broker", "web"]})
    assert table.schema[name].levels == ("branch", "broker", "web")
    assert Table.from_frame(table.to_frame()).digest() == Table.from_frame(frame).digest()
    made = table.replace_data({name: ColumnData(np.array([1, 0], dtype=np.int8))}).to_frame()
    assert type(made) is type(frame)
    assert Table.from_frame(made).schema[name].levels == ("branch", "broker")
    if not isinstance(frame, np.ndarray):
        assert list(made.dtypes) == list(frame.dtypes)


@pytest.mark.parametrize("dtype", ["int16", "float32", "Int64"])
def test_numbers_that_are_read_as_categories(dtype):
    frame = pd.DataFrame({"zip": pd.array([30, 10, 30], dtype=dtype)})
    table = Table.from_frame(frame, kinds={"zip": "categorical"}, levels={"zip": [20, "40"]})
    assert table.schema["zip"].levels == (10, 20, 30, 40)
    pd.testing.assert_frame_equal(table.to_frame(), frame)
    made = table.replace_data({"zip": ColumnData(np.array([1, 3], dtype=np.int8))}).to_frame()
    pd.testing.assert_frame_equal(made, pd.DataFrame({"zip": pd.array([20, 40], dtype=dtype)}))


def test_a_type_that_lists_levels_needs_no_word():
    listed = pd.Categorical(["web"], categories=["web", "broker"])
    assert Table.from_frame(pd.DataFrame({"channel": listed})).schema["channel"].levels == ("web", "broker")
    enum = pl.DataFrame({"channel": pl.Series(["web"], dtype=pl.Enum(["web", "broker"]))})
    assert Table.from_frame(enum).schema["channel"].levels == ("web", "broker")
    assert Table.from_frame(enum, levels={"channel": ["broker"]}).schema["channel"].levels == ("web", "broker")


@pytest.mark.parametrize(
    ("frame", "levels", "text"),
    [
        (pd.DataFrame({"channel": pd.Categorical(["web"])}), {"channel": ["x"]}, "does not hold 'x'. Add it there"),
        (pl.DataFrame({"channel": pl.Series(["web"], dtype=pl.Enum(["web"]))}), {"channel": ["x"]}, "not hold 'x'"),
        (np.array([["web"]]), {"x0": ["broker"]}, "does not hold 'broker'"),
        (pd.DataFrame({"age": [1.5]}), {"age": ["x"]}, "is continuous and has no levels"),
        (pd.DataFrame({"channel": ["web"]}), {"chanel": ["x"]}, "No column 'chanel' for levels. Did you mean"),
        (pd.DataFrame({"channel": ["web"]}), {"channel": "broker"}, "is given a text, 'broker'. Give a list"),
    ],
)
def test_what_cannot_be_declared(frame, levels, text):
    with pytest.raises(TableError, match=text):
        Table.from_frame(frame, levels=levels)


def test_numbers_that_a_column_cannot_hold():
    with pytest.raises(TableError, match="holds integer values, and 'x' is no such one"):
        Table.from_frame(pd.DataFrame({"zip": [1, 2]}), kinds={"zip": "categorical"}, levels={"zip": ["x"]})
