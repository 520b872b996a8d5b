"""Delimited text: what divides the cells, what the columns are, and two ways of reading that agree."""

from __future__ import annotations

import csv
import io
import os
import tracemalloc
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

import frote
from frote.exceptions import FileError
from frote.files import delimited, read_table, regular
from frote.files.by_arrow import ArrowParts
from frote.files.by_pandas import PandasParts
from frote.files.delimited import Delimiter, find_delimiter, read_delimited, write_delimited
from frote.files.names import Asked
from frote.table import Table


def in_blocks(content: bytes, size: int = 16):
    """Return a text as it comes from a file, in small blocks."""
    return lambda: (content[at : at + size] for at in range(0, len(content), size))


def read(text: str, *, categorical=(), numeric=(), named=""):
    content = text.encode()
    asked = Asked.of(categorical, numeric)
    return read_delimited(in_blocks(content), find_delimiter(content, named=named), "a.csv", asked).frame


LINE_BY_LINE = mock.patch.object(delimited, "read_regular", return_value=None)


def in_parts(by, size: int):
    """Return a context in which regular texts are read by some library, in parts of some bytes."""
    return mock.patch.multiple(regular, _reader=by, PART=size, LARGE=size, WIDE=1)


def outcome(content: bytes, way=LINE_BY_LINE):
    """Return the columns with their types, or the error."""
    try:
        with way:
            table = read_delimited(in_blocks(content), find_delimiter(content), "a.csv", Asked())
    except frote.FileError as error:
        return str(error)
    frame = table.frame
    columns = [(name, repr(frame[name].dtype), frame[name].astype(object).tolist()) for name in frame]
    return table.decimal, table.dates, [table.row(row) for row in range(len(frame))], columns


cells = st.sampled_from(
    [
        *("", "NA", "nan", "null", "1", "-2", "+3", "007", "-01", "0", "0.5", "00.5", "1.0", "3.", ".5", "1e3"),
        *("inf", "-Infinity", " 4", "4 ", "\t5", "9223372036854775807", "9223372036854775808", "-9223372036854775809"),
        *("123456789012345678901234567890", "9007199254740993", "true", "False", "TRUE", "x", "Zürich", "1_000", "²"),
        *("31/12/2024", "02/08/2024", "2.8.2024", "31.12.2024 9:05", "30/02/2024"),
        *("2024-02-29", "2023-02-29", "2024-02-29T12:30", "1,5", "1,234", '"a,b"', '"say ""so"""', '"two\nlines"'),
        *(
            '5" pipe',
            '"x"y',
            'x"y"',
            '"',
            "'",
            "0x10",
            "1d5",
            '"12"',
            '"012"',
            '"-0.5"',
            "--1",
            "e5",
            "-",
            ".",
            "1e400",
            '""',
        ),
    ]
)


@st.composite
def documents(draw):
    """Files of all sorts: mostly regular ones, with columns that are all but alike."""
    width = draw(st.integers(1, 4))
    delimiter = draw(st.sampled_from([",", ";", "\t", "|"]))
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    height = draw(st.integers(0, 12))
    palettes = [draw(st.lists(cells, min_size=1, max_size=3)) for _ in range(width)]
    rows = [[f"c{place}" for place in range(width)]]
    rows += [[draw(st.sampled_from(palette)) for palette in palettes] for _ in range(height)]
    lines = [delimiter.join(row) for row in rows]
    if draw(st.integers(0, 9)) == 0:
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(["", " ", "x", delimiter * 5])))
    return (end.join(lines) + draw(st.sampled_from(["", end, end * 2]))).encode()


ways = st.builds(in_parts, st.sampled_from([ArrowParts, PandasParts]), st.sampled_from([1, 30, 100, 2**20]))


@settings(max_examples=examples(400))
@given(content=documents(), way=ways)
def test_both_ways_of_reading_agree(content, way):
    assert repr(outcome(content, way)) == repr(outcome(content))


almost_numbers = st.text(st.sampled_from("00123456789+-..eExXnaif \t_,"), max_size=7)


@settings(max_examples=examples(400))
@given(cells=st.lists(st.one_of(almost_numbers, cells), min_size=1, max_size=3), way=ways, first=st.integers(1, 4))
def test_what_is_almost_a_number_is_read_alike(cells, way, first):
    """The last texts stand behind many others of the column, in parts of their own."""
    column = [cells[0]] * first + cells * 2
    content = "".join(f"{cell};{number}\n" for number, cell in enumerate(["c", *column])).encode()
    assert repr(outcome(content, way)) == repr(outcome(content))


@pytest.mark.parametrize("by", [ArrowParts, PandasParts])
@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,x\n2,y\n3,z\nold,x\n",  # numbers first, then a word
        b"a,b\n1,x\n2.5,y\n,z\n-0,x\n",  # whole numbers, then others
        b"a,b\n,x\n,y\n7,z\n,x\n",  # nothing, then whole numbers
        b"a,b\n1.5,x\n007,y\n",
        b"a,b\n1,x\n9223372036854775808,y\n",
        b"a;b\n1,5;x\n2.5;y\n",
        b"a\n1\n\n2\n",
        b"a,b\n1,2\n\n\n3,4\n\n",
        b'a,b\n1,"two\n\nlines"\n2,"three\n\n\nlines"\n3,x\n',
        b"a,b\n\xef\xbb\xbf,1\n\xef\xbb\xbf,2\n",
        b'"a\nb",c\n1,2\n3,4\n',
        b'a,b\n1,2\n"3,4\n5,6\n',
        b"c0,c1\n1,2\n,\n3,4\n",
        b'c0\n""\n1\n',
        b"c0,c1\n,\nNA,9223372036854775808\n",
        b'c0,c1\n"1",2\nx"a,b",3\n',
        b"c0\n1.5\n1e400\n",
        b"c0\n 007\n1\n",
        b"c0,c1\r\n1.5,0\r\n2.5,-0\r\n",
    ],
)
def test_parts_of_any_size_give_the_same_table(by, content):
    expected = repr(outcome(content))
    for size in range(1, len(content) + 1):
        assert repr(outcome(content, in_parts(by, size))) == expected


@pytest.mark.parametrize("by", [ArrowParts, PandasParts])
def test_a_column_that_is_contradicted_is_read_again_alone(by):
    content = b"n,k,w\n" + b"1,5,x\n" * 50 + b"old,6,y\n" * 50
    asked, read = [], by.__call__
    with (
        in_parts(by, 30),
        mock.patch.object(
            by, "__call__", lambda self, part, wanted: asked.append(dict(wanted)) or read(self, part, wanted)
        ),
    ):
        table = read_delimited(in_blocks(content), find_delimiter(content), "a.csv", Asked())
    assert table.frame["n"].tolist() == ["1"] * 50 + ["old"] * 50
    assert table.frame["k"].dtype == np.int64
    again = [kinds for kinds in asked if len(kinds) == 1]
    assert {name for kinds in again for name in kinds} == {"n"}
    assert sum("n" in kinds for kinds in asked[: len(asked) - len(again)]) < len(asked) - len(again)


def test_a_regular_text_needs_little_more_memory_than_its_table():
    rng = np.random.default_rng(0)
    rows = 40_000
    table = pd.DataFrame(
        {"a": rng.integers(0, 90, rows), "b": rng.normal(size=rows), "c": rng.choice(["x", "y"], rows)}
    )
    content = table.to_csv(index=False).encode()
    for by in (ArrowParts, PandasParts):
        with in_parts(by, 2**14):
            tracemalloc.start()
            frame = read_delimited(in_blocks(content, 2**14), Delimiter(",", True, False), "a.csv", Asked()).frame
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert peak < 2 * frame.memory_usage().sum() + 2**19


awkward = st.text(st.sampled_from('ab1,;"\n\r \t|'), max_size=4)


@settings(max_examples=examples(200))
@given(rows=st.lists(st.tuples(awkward, awkward), max_size=8))
def test_any_file_that_csv_writers_write_is_read_as_it_was_meant(rows):
    file = io.StringIO()
    csv.writer(file, quoting=csv.QUOTE_ALL).writerows([["left", "right"], *rows])
    content = file.getvalue().encode()
    if not rows:
        with pytest.raises(frote.FileError, match="no rows"):
            read_delimited(in_blocks(content), find_delimiter(content), "a.csv", Asked())
        return
    asked = Asked.of(["left", "right"], [])
    frame = read_delimited(in_blocks(content), Delimiter(",", True, False), "a.csv", asked).frame
    for place, name in enumerate(("left", "right")):
        found = frame[name].astype(object)
        assert found.where(found.notna(), "").tolist() == [row[place] for row in rows]


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a\tb\nx, y\tz; w\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ('"a;b",c\n"x;y",z\n', ","),
        ("amount, in EUR;age\n1;2\n", ";"),
        ("a\n1\n", ","),
        ("a,b,c\n1,2,3\n1,2\n", ","),
        ("a,b\n" + "1,2\n" * 50_000, ","),
    ],
)
def test_the_delimiter_is_found(text, delimiter):
    assert find_delimiter(text.encode()).character == delimiter


def test_kinds_of_columns():
    frame = read(
        "whole,gaps,number,truth,gappy,day,zip,long,word,nothing,big\n"
        "1,,1.5,true,True,2024-02-29,01234,12345678901234567890,a,,1e400\n"
        "-2,7,,false,,2023-01-01,98765,1,=1+1,NA,1e400\n"
    )
    assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == {
        "whole": "int64",
        "gaps": "Int64",
        "number": "float64",
        "truth": "bool",
        "gappy": "boolean",
        "day": str(pd.to_datetime(pd.Index(["2024-02-29"])).dtype),
        "zip": "category",
        "long": "category",
        "word": "category",
        "nothing": "float64",
        "big": "category",
    }
    assert frame["whole"].tolist() == [1, -2]
    assert frame["gaps"].tolist() == [pd.NA, 7]
    assert frame["gappy"].tolist() == [True, pd.NA]
    assert frame["day"][0] == pd.Timestamp("2024-02-29")
    assert frame["zip"].tolist() == ["01234", "98765"]
    assert frame["long"].tolist() == ["12345678901234567890", "1"]
    assert frame["word"].cat.categories.tolist() == ["=1+1", "a"]
    assert frame["big"].tolist() == ["1e400", "1e400"]


def test_whole_numbers_are_exact_to_the_last_digit():
    frame = read("a,b\n9223372036854775807,9007199254740993\n-9223372036854775808,\n")
    assert frame["a"].tolist() == [2**63 - 1, -(2**63)]
    assert frame["b"].tolist() == [2**53 + 1, pd.NA]


def test_numbers_are_read_to_the_last_bit():
    numbers = np.random.default_rng(0).normal(size=500) * 10.0 ** np.arange(-250, 250)
    found = read("\n".join(["a,b", *(f"{number!r},x" for number in numbers.tolist())]))
    assert (found["a"] == numbers).all()


def column(numbers: int, others: int) -> str:
    return "\n".join(["age", *map(str, range(1, numbers + 1)), *["old"] * others])


def test_a_word_among_numbers_is_an_error_from_nine_in_ten_on():
    with pytest.raises(frote.FileError) as caught:
        read(column(9, 1))
    assert str(caught.value) == (
        "a.csv: line 11: column 'age' holds 'old' among numbers. Mend it, leave it empty if unknown, "
        "or take the column for texts: --categorical age."
    )
    assert read(column(8, 1))["age"].tolist()[-1] == "old"
    assert read(column(9, 1), categorical=["age"])["age"].tolist()[-1] == "old"
    with pytest.raises(frote.FileError, match="--categorical 'years of age'"):
        read(column(9, 1).replace("age", "years of age", 1))
    # Gaps do not count, and repeated words count as often as they come.
    assert read(column(9, 1) + "\nNA\nold")["age"].tolist()[-1] == "old"
    with pytest.raises(frote.FileError, match=r"line 10: column 'age' holds 'old'"):
        read(column(8, 1) + "\n9\nNA")


def test_the_line_of_a_word_counts_lines_within_quotes_and_blank_ones():
    body = "".join(f"{number},x\n" for number in range(9))
    with pytest.raises(frote.FileError, match="line 13: column 'age' holds '\\?'"):
        read('age,note\n1,"two\nlines"\n' + body + "?,x\n")
    with pytest.raises(frote.FileError, match="line 14: column 'age' holds '\\?'"):
        read('age,note\n\n1,"two\nlines"\n' + body + "?,x\n")


def test_asked_for_columns():
    text = "zip,code,n\n1,x,007\n2,y,8\n"
    frame = read(text, categorical=["zip"], numeric=["n"])
    assert frame["zip"].tolist() == ["1", "2"]
    assert frame["n"].tolist() == [7, 8]
    assert read("a,b\n1.50,1\n2,1\n", categorical="a")["a"].tolist() == ["1.50", "2"]
    assert read("a,b\n12345678901234567890,1\n", numeric=["a"])["a"].tolist() == [12345678901234567890.0]
    with pytest.raises(frote.FileError, match="line 2: column 'code' is to hold numbers, but holds 'x'"):
        read(text, numeric=["code"])
    with pytest.raises(frote.FileError, match="line 2: column 'b' is to hold numbers, but holds '1e400'"):
        read("a,b\n1,1e400\n", numeric=["b"])
    with pytest.raises(frote.FileError, match=r"a\.csv: has no column 'zipp'. Did you mean 'zip'\?"):
        read(text, categorical=["zipp"])
    with pytest.raises(frote.FileError, match="'zip' cannot be both categorical and numeric"):
        read(text, categorical=["zip"], numeric=["zip"])


def test_a_decimal_comma_is_found_for_the_whole_file():
    frame = read("a;b;c\n1,5;1,234;x, y\n2;2,000;1,5\n")
    assert frame["a"].tolist() == [1.5, 2.0]
    assert frame["b"].tolist() == [1.234, 2.0]
    assert frame["c"].tolist() == ["x, y", "1,5"]
    # Thousands, or decimals? Only a semicolon tells.
    assert read("a;b\n1,234;x\n2,000;y\n")["a"].tolist() == [1.234, 2.0]
    assert read("a\tb\n1,234\tx\n2,000\ty\n", named="\t")["a"].tolist() == ["1,234", "2,000"]
    assert read("a\tb\n1,23\tx\n", named="\t")["a"].tolist() == [1.23]
    # A column with a decimal point tells that the comma is none.
    assert read("a;b\n1,5;1.5\n")["a"].tolist() == ["1,5"]
    assert read("a;b\n1,5;1.0\n")["a"].tolist() == ["1,5"]
    assert read("a;b\n1,5;2\n", categorical=["a"])["a"].tolist() == ["1,5"]


def test_spaces_after_every_delimiter_are_no_part_of_the_cells():
    frame = read('age, work, note\n39, State-gov, "a, b"\n50, Private, x\n')
    assert list(frame.columns) == ["age", "work", "note"]
    assert frame["work"].tolist() == ["State-gov", "Private"]
    assert frame["note"].tolist() == ["a, b", "x"]
    assert read("age,work\n1, a\n2,b\n")["work"].tolist() == [" a", "b"]


def test_blank_lines_and_old_line_ends():
    assert read("a,b\n\n1,x\n  \n2,y\n\n\n")["a"].tolist() == [1, 2]
    assert read("\n\na,b\n1,x\n")["a"].tolist() == [1]
    assert read("a,b\r1,x\r2,y\r")["a"].tolist() == [1, 2]
    assert read('a\n1\n""\n2')["a"].tolist() == [1, pd.NA, 2]


def test_quotes_within_cells():
    assert read('a,b\n5" pipe,1\n6" pipe,2\n')["a"].tolist() == ['5" pipe', '6" pipe']


def test_a_long_cell_is_read_both_ways():
    long = "x" * 200_000
    limit = csv.field_size_limit()
    assert read(f'a,b\n{long},1\n5" pipe,2\n')["a"].tolist() == [long, '5" pipe']
    assert read(f"{long},b\n1,2\n").columns[0] == long
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize("name", ["car", "nursery", "wine_quality_white", "breast_cancer"])
def test_paper_data_are_read_as_their_own_loader_reads_them(name):
    folder = os.environ.get("FROTE_DATA")
    if not folder:
        pytest.skip("FROTE_DATA names no folder with the data sets")
    data = frote.datasets.load(name)
    (path,) = Path(folder).glob(f"{name}.csv*")
    frame = read_table(path).frame
    own, theirs = Table.from_frame(frame[list(data.X.columns)]), Table.from_frame(data.X)
    for column, known in zip(own.schema, theirs.schema, strict=True):
        # A data set's loader knows which numbers are names; the file does not say so.
        if known.kind.has_levels == column.kind.has_levels:
            assert column == known
            assert (own[column.name].values == theirs[known.name].values).all()


def test_dates_are_read_where_days_and_months_are_certain():
    text = "day,us,dot,dash,unsure,mixed,never,asked\n"
    text += "02/08/2022,8/2/2022,2.8.2022,02-08-2022,02/08/2022,02/08/2022,30/02/2022,31/12/2022\n"
    text += "31/12/2022,12/31/2022,31.12.2022,31-12-2022,12/12/2022,2022-12-31,31/12/2022,31/12/2022\n"
    frame = read(text, categorical=["asked"])
    for name in ("day", "us", "dot", "dash"):
        assert frame[name].tolist() == [pd.Timestamp("2022-08-02"), pd.Timestamp("2022-12-31")], name
        assert frame[name].dtype == read("a,b\n2022-08-02,1\n")["a"].dtype
    assert frame["unsure"].tolist() == ["02/08/2022", "12/12/2022"]
    assert frame["mixed"].tolist() == ["02/08/2022", "2022-12-31"]
    assert frame["never"].tolist() == ["30/02/2022", "31/12/2022"]
    assert frame["asked"].tolist() == ["31/12/2022"] * 2
    with pytest.raises(frote.FileError) as caught:
        read(text, numeric=["day"])
    assert str(caught.value) == (
        "a.csv: line 2: column 'day' is to hold numbers, but holds '02/08/2022', a date. "
        "Leave the column out of --numeric."
    )


def test_rows_are_called_by_their_lines():
    for text, lines in (
        ("a,b\n1,2\n3,4\n", [2, 3]),
        ('a,b\n1,"two\nlines"\n3,4\n5,"three\n\nlines"\n7,8\n', [2, 4, 5, 8]),
        ('"a\n",b\n1,2\n3,4\n', [3, 4]),
        ("a,b\n\n1,2\n\n3,4\n", [3, 5]),
    ):
        content = text.encode()
        table = read_delimited(in_blocks(content), find_delimiter(content), "a.csv", Asked())
        assert [table.row(row) for row in range(len(table.frame))] == [f"line {line}" for line in lines]


def large(tmp_path, rows: str, *, encoding: str = "utf-8") -> Path:
    """Write a file that is read in more than one block."""
    path = tmp_path / "a.csv"
    path.write_bytes(("a,b\n" + "1,x\n" * 300_000 + rows).encode(encoding))
    return path


def test_the_encoding_of_a_large_file_is_found_wherever_it_shows(tmp_path):
    late = read_table(large(tmp_path, "2,Zürich\n", encoding="cp1252"))
    assert late.form.encoding == "cp1252"
    assert late.frame["b"].tolist()[-1] == "Zürich"
    for cut in range(3):  # a character of three bytes at the end of a block
        table = read_table(large(tmp_path, "2," + "y" * (10 + cut) + "\u20ac" * 400_000 + "\n"))
        assert table.form.encoding == "utf-8"
        assert table.frame["b"].tolist()[-1].count("\u20ac") == 400_000
    marked = read_table(large(tmp_path, "2,y\n", encoding="utf-8-sig"))
    assert (marked.form.bom, marked.frame.columns.tolist()) == (True, ["a", "b"])


def test_what_is_wrong_with_a_file_goes_before_what_is_wrong_with_a_line(tmp_path):
    path = large(tmp_path, "1,2,3\n" + "1,x\n" * 300_000 + "\0")
    with pytest.raises(frote.FileError, match="holds binary data"):
        read_table(path)
    path = large(tmp_path, "1,2,3\n" + "1,x\n" * 300_000)
    with pytest.raises(frote.FileError, match="line 300002: expected 2 cells"):
        read_table(path)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch):
    path = large(tmp_path, "old,y\n" * 300_000)
    again = regular.Gathered

    def changed(*, texts: bool):
        if texts:  # the second pass is about to begin
            path.write_bytes(path.read_bytes()[:-1] + b" ")
        return again(texts=texts)

    monkeypatch.setattr(regular, "Gathered", changed)
    with pytest.raises(frote.FileError, match=r"a\.csv: was changed while it was read"):
        read_table(path)
    monkeypatch.undo()
    assert read_table(path).frame["a"].tolist()[-1] == "old"


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_table_written_some_rows_at_a_time_is_the_same_text(monkeypatch, delimiter):
    times = pd.Series(["2024-02-29", None, "2024-03-01", "2024-03-01T12:30"] * 3, dtype="datetime64[s]")
    frame = pd.DataFrame(
        {
            "at": times,
            "owner": pd.Categorical(["Ann", None, "Bo;b", "Zoë"] * 3),
            "note": ["=1+1", None, "tall, fair", " x"] * 3,
            "rate": [0.5, np.nan, -0.0, 1e-9] * 3,
            "months": pd.array([1, None, 3, 4] * 3),
            "old": pd.Series([True, None, False, True] * 3, dtype=object),
        }
    )
    wanted = write_delimited(frame, delimiter=delimiter, decimal=",", inert=["note"])
    assert wanted.count("2024-02-29T00:00:00") == 3  # dates are alike in all rows
    for rows in (1, 5, 12):
        monkeypatch.setattr(delimited, "AT_ONCE", rows)
        assert write_delimited(frame, delimiter=delimiter, decimal=",", inert=["note"]) == wanted
    monkeypatch.setattr(delimited, "AT_ONCE", 2)
    mixed = pd.DataFrame({"any": pd.Series([1, 2, "three", "four"], dtype=object)})
    with pytest.raises(FileError, match="holds values of several types"):
        write_delimited(mixed)
