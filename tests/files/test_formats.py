"""The registry of formats: whatever is listed there is read, written back, told of and documented as it says."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from itertools import chain
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

import frote
from frote.files import FileForm, json_lines, read_table
from frote.files.format import KINDS, Format
from frote.files.formats import FORMATS, format_named, format_of, known_formats
from frote.files.names import Asked

pytest.importorskip("pyarrow.feather")
pytest.importorskip("pyarrow.parquet")

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
FRAME = pd.DataFrame({"age": [31, 25, 40], "purpose": pd.Categorical(["car", "home", "car"])})

# What a format that carries a kind gives back as it was.
COLUMNS = {
    "numbers": [
        pd.Series([1, -2, 2**53 + 1]),
        pd.Series([1, None, 3], dtype="Int64"),
        pd.Series([0.1, np.nan, -1e300]),
    ],
    "truth values": [pd.Series([True, False, True]), pd.Series([True, None, False], dtype="boolean")],
    "dates": [pd.Series(np.array(["2024-02-29", "NaT", "2023-01-01T10:20"], dtype="datetime64[us]"))],
    "texts": [pd.Series(['say "so"', None, "a,b;c\td|e"], dtype="category"), pd.Series(["x"] * 3, dtype="category")],
    "empty texts": [pd.Series(["", "a", "b"], dtype="category")],
    "number types": [pd.Series([1, 2, 3], dtype="int8"), pd.Series([0.1, 2, np.nan], dtype="float32")],
    "time zones": [
        pd.Series(pd.to_datetime(["2024-01-01 10:00", None, "2024-07-01 11:30"]).tz_localize("Europe/Berlin"))
    ],
    "levels": [pd.Series(pd.Categorical(["low", None, "high"], ["low", "middle", "high"], ordered=True))],
}

every_format = pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
every_text = pytest.mark.parametrize("known", [one for one in FORMATS if one.is_text], ids=lambda known: known.name)


def is_given_back(column: pd.Series, form: FileForm, folder: Path) -> bool:
    """Tell whether a column comes back from a file as it was, dates in whatever units."""
    path = folder / f"a{form.suffix}"
    frame = pd.DataFrame({"a": column, "other": 1})
    form.write(frame, path)
    found = read_table(path).frame["a"]
    if column.dtype.kind == "M" and found.dtype.kind == "M":
        found, column = found.dt.as_unit("us"), column.dt.as_unit("us")
    return found.dtype == column.dtype and found.equals(column)


@every_format
def test_each_kind_that_a_format_carries_comes_back_and_no_other_does(known, tmp_path):
    found = {
        kind: [is_given_back(column, FileForm(known.name), tmp_path) for column in columns]
        for kind, columns in COLUMNS.items()
    }
    assert found == {kind: [kind in known.carries] * len(columns) for kind, columns in COLUMNS.items()}
    assert known.carries <= set(KINDS) == set(COLUMNS)


@every_format
def test_a_file_is_written_back_under_the_name_that_it_had(known: Format, tmp_path):
    for suffix in known.all_suffixes:
        path = tmp_path / f"Table{suffix.upper()}"
        for start in FORMATS:
            form = FileForm(start.name).named(path)
            assert form.format == known.name
            assert form.suffix == (suffix if suffix in known.suffixes else known.suffixes[0])
        form.write(FRAME, path)
        table = read_table(path)
        pd.testing.assert_frame_equal(table.frame, FRAME)
        assert table.form == form
        table.form.write(table.frame, tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == path.read_bytes()


@every_format
def test_packed_files(known: Format, tmp_path):
    path = tmp_path / f"a{known.suffixes[0]}.gz"
    if not known.packs:
        with pytest.raises(frote.FileError, match=rf"{known.title} files are not packed by gzip. Leave \.gz out"):
            FileForm("csv").named(path)
        return
    form = FileForm("parquet").named(path)
    form.write(FRAME, path)
    assert gzip.decompress(path.read_bytes())
    assert read_table(path).form == form == FileForm(known.name, gzipped=True)
    assert form.suffix == f"{known.suffixes[0]}.gz"


def test_every_suffix_says_one_format():
    counts = Counter(chain.from_iterable(one.all_suffixes for one in FORMATS))
    assert set(counts.values()) == {1}
    for suffix in counts:
        assert suffix == suffix.lower()
        assert suffix in format_of(f"a{suffix}.gz").all_suffixes
    assert len({one.name for one in FORMATS}) == len(FORMATS)
    assert set(chain.from_iterable(one.options for one in FORMATS)) <= set(FileForm.__dataclass_fields__)


@every_text
def test_a_text_that_begins_like_another_format_is_told_apart(known: Format, tmp_path):
    for magic in filter(None, (one.magic for one in FORMATS)):
        frame = FRAME.rename(columns={"age": magic.decode()})
        form = FileForm(known.name)
        path = tmp_path / f"a{form.suffix}"
        form.write(frame, path)
        pd.testing.assert_frame_equal(read_table(path).frame, frame)


def test_names_that_no_format_has(tmp_path):
    path = tmp_path / "a.doc"
    path.write_text("Dear all,\n\nnothing here.\n")
    with pytest.raises(frote.FileError) as caught:
        read_table(path)
    assert str(caught.value) == f"{path}: is no table that can be read. Give {known_formats()}, and name it so."
    with pytest.raises(frote.FileError) as caught:
        FileForm("csv").named(path)
    assert str(caught.value) == f"{path}: nothing is written to a file of that name. Name one of {known_formats()}."
    for one in FORMATS:
        assert all(part in known_formats() for part in (one.title, *one.all_suffixes))
    # Without an end, a name says nothing, and the form stays.
    for form in (FileForm("tsv", gzipped=True), FileForm("parquet")):
        assert form.named("/dev/stdout") == form
    with pytest.raises(frote.FileError, match="There is no format 'excel'"):
        FileForm("excel")


def test_a_delimiter_that_belongs_to_a_format():
    assert FileForm("tsv").delimiter == "\t"
    assert FileForm("csv").delimiter == ","
    assert FileForm("csv", delimiter=";").named("a.psv").delimiter == "|"
    assert FileForm("csv", delimiter=";").named("b.csv").delimiter == ";"
    assert FileForm("tsv").named("a.csv").delimiter == ","
    with pytest.raises(frote.FileError, match=r"tab-separated text is divided by '\\t'\. For ';', ask for 'csv'\."):
        FileForm("tsv", delimiter=";")


@pytest.mark.parametrize("suffix", [".tsv", ".tab", ".psv"])
def test_a_name_says_what_divides_cells_where_it_fits(suffix, tmp_path):
    known = format_of(f"a{suffix}")
    path = tmp_path / f"a{suffix}"
    path.write_text("name|x, y, z\nAnn|1, 2, 3\nBob|4, 5, 6\n".replace("|", known.delimiter))
    table = read_table(path)
    assert list(table.frame.columns) == ["name", "x, y, z"]
    assert (table.form.format, table.form.suffix) == (known.name, suffix)


@pytest.mark.parametrize(
    ("name", "delimiter", "expected", "suffix"),
    [
        ("a.tsv", ",", "csv", ".csv"),
        ("a.psv", "\t", "tsv", ".tsv"),
        ("a.csv", "\t", "csv", ".csv"),
        ("a.txt", "|", "csv", ".csv"),
        ("a", "\t", "tsv", ".tsv"),
        ("a.xyz", ";", "csv", ".csv"),
    ],
)
def test_what_a_file_holds_goes_before_its_name(name, delimiter, expected, suffix, tmp_path):
    path = tmp_path / name
    path.write_text("age|purpose\n31|car\n25|home\n40|car\n".replace("|", delimiter))
    table = read_table(path)
    pd.testing.assert_frame_equal(table.frame, FRAME)
    assert (table.form.format, table.form.suffix, table.form.delimiter) == (expected, suffix, delimiter)


def line(known: Format) -> str:
    """Return what the page says of a format."""
    names = [f"`{suffix}`" for suffix in known.all_suffixes]
    kinds = "all" if known.carries == set(KINDS) else ", ".join(kind for kind in KINDS if kind in known.carries)
    needs = f"`frote[{known.needs}]`" if known.needs else ""
    return f"| {known.title} | {', '.join(names)} | {'yes' if known.packs else ''} | {kinds} | {needs} |"


def test_the_page_lists_all_formats_as_they_are():
    lines = [text for text in PAGE.read_text("utf-8").splitlines() if text.startswith("|")]
    first = lines.index(line(format_named("csv")))
    assert lines[first : first + len(FORMATS)] == [line(known) for known in FORMATS]
    assert lines[first - 2].split(" | ")[0] == "| format"


values = st.one_of(
    st.none(),
    st.integers(-(2**65), 2**65),
    st.integers(-3, 3),
    st.floats(width=32),
    st.booleans(),
    st.sampled_from(["a", "1", "2.5", "", "2024-02-29", "\ud800", [1], {"b": 1}]),
)


@settings(max_examples=examples(200))
@given(
    palettes=st.lists(st.lists(values, min_size=1, max_size=3), min_size=1, max_size=3),
    data=st.data(),
    asked=st.sampled_from([{}, {"categorical": ["c0"]}, {"numeric": ["c0"]}]),
)
def test_json_lines_are_the_same_for_pieces_of_any_size(palettes, data, asked):
    rows = data.draw(
        st.lists(
            st.fixed_dictionaries({}, optional={f"c{at}": st.sampled_from(one) for at, one in enumerate(palettes)}),
            max_size=8,
        )
    )
    content = "".join(f"{json.dumps(row)}\n" for row in rows).encode()

    def outcome(size: int):
        with mock.patch.object(json_lines, "PIECE", size):
            try:
                blocks = (content[at : at + 7] for at in range(0, len(content), 7))
                frame, row = json_lines.read_json_lines(
                    lambda: blocks, "a.jsonl", Asked.of(**({"categorical": (), "numeric": ()} | asked))
                )
            except frote.FileError as error:
                return str(error)
        return [(name, repr(frame[name].dtype), frame[name].astype(object).tolist()) for name in frame], row(
            len(frame) - 1
        )

    expected = outcome(2**16)
    for size in (1, 2, 3):
        assert repr(outcome(size)) == repr(expected)
