"""Frames of any kind, through a file and back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from frote.edits.frame_forms import as_formed, form_of, in_file, texts_in, unlike
from frote.exceptions import RecordError
from frote.files import FileForm, read_table

ROWS = 30
RNG = np.random.default_rng(0)
WORDS = np.array(["01", "02"])[np.arange(ROWS) % 2]
GAPS = np.where(np.arange(ROWS) % 3 == 0, np.nan, 1.5)
MIXED = pd.DataFrame(
    {
        "whole": np.arange(ROWS),
        "small": np.arange(ROWS).astype("int8"),
        "real": RNG.normal(size=ROWS),
        "single": RNG.normal(size=ROWS).astype("float32"),
        "round": np.arange(ROWS).astype(float),
        "gaps": GAPS,
        "text": WORDS,
        "objects": pd.Series([*WORDS[1:].tolist(), None], dtype=object),
        "numbers as objects": pd.Series([1, 2] * (ROWS // 2), dtype=object),
        "string": pd.array(WORDS, dtype="string[python]"),
        "levels": pd.Categorical(WORDS, ["02", "01", "03"], ordered=True),
        "numbers as levels": pd.Categorical([1, 2] * (ROWS // 2), [2, 1]),
        "truth": np.arange(ROWS) > 4,
        "truth and gaps": pd.array([True, None] * (ROWS // 2), dtype="boolean"),
        "whole and gaps": pd.array([1, None] * (ROWS // 2), dtype="Int64"),
        "day": pd.date_range("2024-01-31", periods=ROWS),
        "minute": pd.date_range("2024-01-31", periods=ROWS, freq="37min").astype("datetime64[us]"),
    }
)
POLARS = pl.DataFrame(
    {
        "whole": [1, None] * (ROWS // 2),
        "text": WORDS.tolist(),
        "single": pl.Series(GAPS.tolist(), dtype=pl.Float32),
        "levels": pl.Series(WORDS.tolist(), dtype=pl.Enum(["02", "01", "03"])),
        "truth": [True, None] * (ROWS // 2),
        "day": pl.Series(MIXED["day"].dt.date.tolist(), dtype=pl.Date),
        "minute": pl.Series(MIXED["minute"].tolist(), dtype=pl.Datetime("us")),
    }
)
FRAMES = {
    "mixed": MIXED,
    "numbered": MIXED[["whole", "text"]].set_axis([0, 1], axis=1),
    "polars": POLARS,
    "floats": RNG.normal(size=(ROWS, 2)).astype("float32"),
    "objects": MIXED[["text", "real", "objects"]].to_numpy(dtype=object),
    "texts": np.array([WORDS, WORDS[::-1]]).T,
}
LABELS = {
    "series": pd.Series(WORDS, name="decision"),
    "nameless": pd.Series(np.arange(ROWS) % 2),
    "array": np.arange(ROWS) % 2,
    "texts": WORDS,
    "truth": (np.arange(ROWS) % 2).astype(bool),
    "list": ["yes", "no"] * (ROWS // 2),
    "polars": pl.Series("decision", WORDS.tolist()),
}


def back(X, y, path):
    """Return rows and labels as a file gives them back."""
    FileForm("csv").write(in_file(X, y, "label"), path)
    table = read_table(path, categorical=texts_in(X, y, "label")).frame
    rows = as_formed(table.drop(columns="label"), form_of(X))
    return rows, as_formed(table[["label"]], form_of(y), labels=True)


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_comes_back_as_it_was(name, tmp_path):
    X = FRAMES[name]
    rows, _ = back(X, LABELS["list"], tmp_path / "table.csv")
    assert type(rows) is type(X)
    assert unlike(X, rows) == []
    if isinstance(X, pd.DataFrame):
        pd.testing.assert_frame_equal(rows, X)
    elif isinstance(X, pl.DataFrame):
        assert rows.equals(X)
        assert rows.dtypes == X.dtypes
    else:
        assert rows.dtype == X.dtype


@pytest.mark.parametrize("name", LABELS)
def test_labels_come_back_as_they_were(name, tmp_path):
    y = LABELS[name]
    _, labels = back(FRAMES["floats"], y, tmp_path / "table.csv")
    assert type(labels) is type(y)
    assert list(labels) == list(y)
    assert getattr(labels, "dtype", None) == getattr(y, "dtype", None)
    if isinstance(y, pd.Series):
        assert labels.name == y.name


def test_what_cannot_be_told_has_no_form():
    zoned = pd.DataFrame({"day": MIXED["day"].dt.tz_localize("Europe/Berlin"), "text": WORDS})
    assert [column["type"] for column in form_of(zoned)["columns"]] == ["as in the file", "str"]
    assert form_of(pd.DataFrame({"day": pd.Categorical(MIXED["day"])}))["columns"][0]["type"] == "as in the file"
    assert form_of(MIXED[["whole"]].set_axis([(1, 2)], axis=1)) is None
    assert form_of(pl.DataFrame({"list": [[1], [2]]})) is None


@pytest.mark.parametrize(
    "form",
    [
        {"kind": "pandas", "columns": [{"name": "a", "type": "<U999999999"}]},
        {"kind": "pandas", "columns": [{"name": "a", "type": "category", "levels": [1]}]},
        {"kind": "numpy", "columns": [{"name": "a", "type": "<U999999999"}]},
        {"kind": "numpy", "columns": []},
        {"kind": "polars", "columns": [{"name": "a", "type": "read_csv"}]},
        {"kind": "polars", "columns": [{"name": "a", "type": 3}]},
        {"kind": "shelf", "columns": [{"name": "a", "type": "int64"}]},
        {},
    ],
)
def test_a_form_of_someone_else_makes_nothing_strange(form):
    with pytest.raises(RecordError, match="is not of the form that its record tells"):
        as_formed(pd.DataFrame({"a": [1, 2]}), form)
