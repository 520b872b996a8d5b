"""Files that are no tables: one sentence that names the place and the way out, and nothing else."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import pickle
import struct
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import examples

import frote
from frote.files import FileForm, read_table
from frote.rules.files import to_json

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.feather")
pytest.importorskip("pyarrow.parquet")

FRAME = pd.DataFrame({"age": [31, 25, 40], "purpose": pd.Categorical(["car", "home", "car"])})


def message(path, **asked) -> str:
    with pytest.raises(frote.FileError) as caught:
        read_table(path, **asked)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(str(path))
    return text.removeprefix(f"{path}: ")


def written(tmp_path, data: bytes | str, name: str = "a.csv"):
    path = tmp_path / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def test_files_that_are_not_there_or_cannot_be_read(tmp_path):
    assert message(tmp_path / "a.csv") == "there is no such file. Check the path."
    assert message(tmp_path) == "is a folder. Give a file in it."
    assert message(tmp_path / "a.csv" / "b.csv") == "there is no such file. Check the path."
    assert message("a\0b").startswith("cannot be read (embedded null byte)")
    assert message(written(tmp_path, "a,b\n1,2\n") / "c.csv").startswith("cannot be read (Not a directory)")


def test_a_file_that_is_not_permitted(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(frote.FileError, match=r"a\.csv: you are not permitted to read it"):
        read_table(tmp_path / "a.csv")


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b"  \n", b"\xff\xfe", gzip.compress(b"", mtime=0)])
def test_an_empty_file(tmp_path, data):
    assert message(written(tmp_path, data)).startswith("is empty. Give a file with a line of column names")


@pytest.mark.parametrize("data", ["age,purpose\n", "age,purpose", "age", "age\n\n"])
def test_a_file_without_rows(tmp_path, data):
    assert message(written(tmp_path, data)).startswith("has a line of column names, but no rows")


def test_frames_without_rows(tmp_path):
    for form in (FileForm("parquet"), FileForm("feather")):
        path = tmp_path / f"a{form.suffix}"
        with pytest.raises(frote.FileError, match="a table without rows or columns cannot be read back"):
            form.write(FRAME[:0], path)
        (FRAME[:0].to_parquet if form.format == "parquet" else FRAME[:0].to_feather)(path)
        assert message(path) == "has no rows. Add some."
    assert message(written(tmp_path, "{}\n{}\n", "a.jsonl")).startswith("holds no values")
    assert message(written(tmp_path, "\n", "a.jsonl")).startswith("holds no values")


def packed() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.csv", "a,b\n1,2\n")
    return buffer.getvalue()


def test_binary_files(tmp_path):
    image = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + bytes(17)
    noise = bytes(byte or 1 for byte in np.random.default_rng(0).bytes(500))
    database = b"SQLite format 3\0" + bytes(100)
    late = b"a,b\n" + b"1,2\n" * 600_000 + b"\0,2\n"
    wide = "a,b\n1,2\n".encode("utf-32")
    nested = gzip.compress(gzip.compress(b"a,b\n1,2\n"))
    for data in (image, pickle.dumps(FRAME), pickle.dumps({}), noise, database, late, wide, nested, b"\0"):
        for name in ("a.csv", "a.jsonl", "a.xyz", "a"):
            assert message(written(tmp_path, data, name)).startswith("holds binary data and is no table. Give CSV")
    for page in (
        b"<!DOCTYPE html>\n<html>",
        b"\xef\xbb\xbf\n<html lang=en>",
        b"<?xml version='1.0'?>\n<Workbook/>",
        b"<table>",
    ):
        assert message(written(tmp_path, page + b"\n<p>a,b</p>", "a.csv")).startswith(
            "is a web page or XML, and no table."
        )
    for name in ("a.csv", "a.xlsx", "a.zip"):
        assert message(written(tmp_path, packed(), name)).startswith("is a zip archive or a spreadsheet. Unpack it")


def test_nothing_in_a_file_is_ever_run(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    message(written(tmp_path, pickle.dumps(Trap())))
    path = written(tmp_path, "a,b\n=cmd|' /C calc'!A0,<script>alert(1)</script>\n__import__('os'),x\n")
    frame = read_table(path).frame
    assert frame["a"].tolist() == ["=cmd|' /C calc'!A0", "__import__('os')"]
    assert frame["b"].tolist() == ["<script>alert(1)</script>", "x"]
    assert not (tmp_path / "sprung").exists()


def test_ragged_rows(tmp_path):
    text = "expected 3 cells as in the first line, found {}. Mend the line, or quote a cell that holds ','."
    assert message(written(tmp_path, "a,b,c\n1,2,3\n1,2\n")) == "line 3: " + text.format(2)
    assert message(written(tmp_path, "a,b,c\n1,2,3,4\n")) == "line 2: " + text.format(4)
    assert message(written(tmp_path, 'a,b,c\n"1\n\n",2,3\n\nx\n')) == "line 6: " + text.format(1)
    # As many commas too few in one line as too many in another.
    assert message(written(tmp_path, "a,b,c\n1,2\n1,2,3,4\n")) == "line 2: " + text.format(2)
    assert message(written(tmp_path, "a\nx\nhello, you\n")).startswith("line 3: expected 1 cells")


def test_quotes_that_are_not_closed(tmp_path):
    for data in ('a,b\n1,2\n"3,4\n5,6\n', 'a,b\n1,2\n"3"x,4\n'):
        assert message(written(tmp_path, data)).startswith("line 3: a quote is not closed, or text follows")


def test_names_of_columns(tmp_path):
    assert message(written(tmp_path, "a,b,a\n1,2,3\n")) == "columns 1 and 3 are both named 'a'. Rename one of them."
    assert message(written(tmp_path, ",b\n1,2\n")).startswith("column 1 of 2 has no name. Name it, or leave it out")
    title = message(written(tmp_path, "Loans of 2026,,\na,b,c\n1,2,3\n"))
    assert title.startswith("most of its 3 columns have no name. If a title or a note stands above the line of names")
    assert message(written(tmp_path, 'a," "\n\n1,2\n')).startswith("column 2 of 2 has no name.")
    assert message(written(tmp_path, '{"": 1}', "a.jsonl")).startswith("column 1 of 1 has no name.")
    assert message(written(tmp_path, '{"a": 1, "a": 2}', "a.jsonl")) == (
        "line 1: has the key 'a' twice. Rename one of them."
    )
    table = pyarrow.table([[1], [2]], names=["a", "a"])
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    assert message(tmp_path / "a.parquet").startswith("columns 1 and 2 are both named 'a'.")
    for form in (FileForm("csv"), FileForm("json lines"), FileForm("parquet"), FileForm("feather")):
        path = tmp_path / f"a{form.suffix}"
        form.write(FRAME, path)
        assert message(path, categorical=["purposes"]) == "has no column 'purposes'. Did you mean 'purpose'?"
        assert message(path, numeric=["Age"]) == "has no column 'Age'. Did you mean 'age'?"


def test_a_line_without_end_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "a.csv"
    with path.open("wb") as file:
        file.write(b"a,b\n1,2\n" + b"x" * (17 * 2**20))
        file.truncate(2**30)  # the rest is a hole in the file; were it read, it would be binary data
    text = "line 3 is longer than 16 MB. Check that it is a table whose rows are lines."
    assert message(path) == text
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress(b"a,b\n1,2\n" + b"x" * (40 * 2**20), 1))
    assert message(packed) == text
    # A line may be as long as that, and many lines as long as they like together.
    rows = "y,2\n" * 250_000
    assert len(read_table(written(tmp_path, f"a,b\n{rows}{'x' * (16 * 2**20 - 9)},1\n")).frame) == 250_001
    line = "x" * 2**20
    assert len(read_table(written(tmp_path, "a,b\n" + f"{line},1\n" * 18)).frame) == 18


def test_a_packed_bomb_is_not_unpacked_as_a_whole(tmp_path, monkeypatch):
    read = []
    original = gzip.GzipFile.read
    monkeypatch.setattr(gzip.GzipFile, "read", lambda self, size=-1: read.append(size) or original(self, size))
    path = written(tmp_path, gzip.compress(b"x" * (64 * 2**20), 1), "a.csv.gz")
    assert "longer than 16 MB" in message(path)
    assert sum(read) <= 18 * 2**20
    assert min(read) > 0


def test_damaged_gzip(tmp_path):
    rows = "a,b\n" + "".join(f"{number},{number**3}\n" for number in range(2000))
    data = gzip.compress(rows.encode())
    wrong = bytearray(data)
    wrong[len(data) // 2] ^= 255
    for damaged in (data[:-20], data[:-4], bytes(wrong), data[:5], data + b"more"):
        assert message(written(tmp_path, damaged, "a.csv.gz")).startswith("is a damaged gzip file (")
    # Content decides: text is no less a table for its name, and parts packed one by one are one file.
    plain = read_table(written(tmp_path, rows, "a.csv.gz"))
    assert not plain.form.gzipped
    two = read_table(written(tmp_path, gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4\n"), "b.gz"))
    assert two.form.gzipped
    assert two.frame["a"].tolist() == [1, 3]


@settings(max_examples=examples(375), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_files_are_read_or_refused(tmp_path, data):
    """Bytes changed, cut or added somewhere: a table or a sentence, whatever the format."""
    suffix = data.draw(st.sampled_from([".parquet", ".feather", ".jsonl", ".csv", ".csv.gz"]))
    forms = {form.suffix: form for form in (FileForm("parquet"), FileForm("feather"), FileForm("json lines"))}
    form = forms.get(suffix, FileForm("csv", gzipped=suffix.endswith("gz")))
    path = tmp_path / f"a{suffix}"
    form.write(FRAME, path)
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(content)))
        content[place : place + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    path.write_bytes(content)
    text = f"{path}: "
    try:
        read_table(path)
    except frote.FileError as error:
        text = str(error)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text


def test_damaged_parquet_and_feather(tmp_path):
    for form in (FileForm("parquet"), FileForm("feather")):
        path = tmp_path / f"a{form.suffix}"
        form.write(FRAME, path)
        data = path.read_bytes()
        for damaged in (data[:-8], data[: len(data) // 2], data[:8]):
            path.write_bytes(damaged)
            assert message(path).startswith(f"is a damaged {form.format.capitalize()} file (")
        path.write_text("a,b\n1,2\n")
        assert message(path).startswith(f"is named like a {form.format.capitalize()} file, but is none.")
        path.with_suffix(".csv").write_bytes(data)
        assert read_table(path.with_suffix(".csv")).form == form


def test_texts_that_are_none_are_found_before_they_are_used(tmp_path):
    path = tmp_path / "a.feather"
    pyarrow.feather.write_feather(pyarrow.table({"purpose": ["car", "home"]}), path, compression="uncompressed")
    path.write_bytes(path.read_bytes().replace(b"home", b"h\xff\xfee"))
    assert message(path).startswith("is a damaged Feather file (")


def test_columns_that_parquet_has_and_tables_have_not(tmp_path):
    path = tmp_path / "a.parquet"
    for column in ([[1, 2]], [{"a": 1}], [b"bytes"]):
        pyarrow.parquet.write_table(pyarrow.table({"x": column}), path)
        assert message(path).startswith("column 'x' holds ")
    pyarrow.parquet.write_table(pyarrow.table({"x": pyarrow.array([1, 2**63, None], pyarrow.uint64())}), path)
    assert message(path).startswith("row 2: column 'x' holds 9223372036854775808, which is too large for a number.")
    assert read_table(path, categorical=["x"]).frame["x"].tolist()[:2] == ["1", "9223372036854775808"]
    pyarrow.parquet.write_table(pyarrow.table({"x": ["1", "2", "?"]}), path)
    assert message(path, numeric=["x"]).startswith("row 3: column 'x' is to hold numbers, but holds '?'")


def test_without_pyarrow(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    FileForm("parquet").write(FRAME, path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert message(path) == "needs PyArrow. Run: pip install 'frote[files]'."
    with pytest.raises(frote.FileError, match="needs PyArrow"):
        FileForm("feather").write(FRAME, path)


def test_json_lines(tmp_path):
    good = '{"age": 31}\n'
    for line in ("[1, 2]", "31", '{"age": 31', "{age: 31}", "[" * 100_000, f'{{"age": {"9" * 5000}}}', "null"):
        text = message(written(tmp_path, f"{good}\n{line}\n", "a.jsonl"))
        assert text == 'line 3: is no JSON object. Give an object per line, such as {"age": 31}.'
    for value in ("[1]", "{}", '{"a": [1]}', "[]"):
        text = message(written(tmp_path, f'{good}{{"age": {value}}}\n', "a.jsonl"))
        assert text == "line 2: column 'age' holds a list or an object. Give it one value, or a key for each."
    text = message(written(tmp_path, '{"age": "\\ud800"}', "a.jsonl"))
    assert text.startswith("line 1: column 'age' holds half a character")
    assert message(written(tmp_path, json.dumps([{"age": 31}]), "a.json")).startswith("line 1: is no JSON object")
    words = "".join(f'{{"age": {number}}}\n' for number in range(9)) + '{"age": "?"}\n'
    assert message(written(tmp_path, words, "a.jsonl")).startswith("line 10: column 'age' holds '?' among numbers.")
    assert message(written(tmp_path, good + '{"age": true}', "a.jsonl"), numeric=["age"]).startswith("line 2: column")


def test_what_json_lines_hold(tmp_path):
    lines = [
        '{"n": 1, "f": 1.5, "t": true, "s": "01", "d": "2024-02-29", "m": 1, "big": 1, "tn": true}',
        '{"n": null, "f": 2, "t": false, "s": "NA", "d": null, "m": "x", "big": 99999999999999999999, "tn": 1}',
        '{"extra": "late"}',
    ]
    table = read_table(written(tmp_path, "\n".join(lines), "a"))
    frame = table.frame
    assert table.form == FileForm("json lines")
    assert frame["n"].tolist() == [1, pd.NA, pd.NA]
    assert frame["f"].tolist()[:2] == [1.5, 2.0]
    assert frame["t"].tolist() == [True, False, pd.NA]
    assert frame["s"].tolist()[:2] == ["01", "NA"]
    assert frame["d"].tolist() == [pd.Timestamp("2024-02-29"), pd.NaT, pd.NaT]
    assert frame["m"].tolist()[:2] == ["1", "x"]
    assert frame["big"].tolist()[:2] == ["1", "99999999999999999999"]
    assert frame["tn"].tolist()[:2] == ["True", "1"]
    assert frame["extra"].tolist()[2] == "late"
    assert read_table(tmp_path / "a", categorical="n").frame["n"].tolist()[0] == "1"


def test_names_that_say_nothing(tmp_path):
    assert message(written(tmp_path, "just words\n", "a")).startswith("is no table that can be read.")
    assert read_table(written(tmp_path, "a;b\n1;2\n", "a")).form.delimiter == ";"
    assert read_table(written(tmp_path, "a\n1\n", "A.CSV")).frame["a"].tolist() == [1]


def test_encodings(tmp_path):
    text = message(written(tmp_path, b"\xff\xfea\0,\0b\0\n\0001"))
    assert text.startswith("begins as UTF-16-LE text, but byte 10 is none (truncated data). Save it as UTF-8.")
    text = message(written(tmp_path, b"\xef\xbb\xbfa,b\n\xfc,1\n"))
    assert text.startswith("begins as UTF-8 text, but byte 7 is none (invalid start byte).")
    text = message(written(tmp_path, b"\xfe\xff\xd8\0"))
    assert text.startswith("begins as UTF-16-BE text, but byte 2 is none")
    bom = read_table(written(tmp_path, b"\xef\xbb\xbfage,b\n1,2\n"))
    assert bom.frame.columns[0] == "age"
    assert bom.form == FileForm("csv", bom=True)


def test_the_digest_is_that_of_the_file(tmp_path):
    for data in (b"a,b\n1,2\n", gzip.compress(b"a,b\n" + b"1,2\n" * 800_000), gzip.compress(b"a\n1\n") + bytes(50)):
        path = written(tmp_path, data)
        assert read_table(path).digest == hashlib.sha256(data).hexdigest()


def test_row_labels_of_pandas_are_no_column(tmp_path):
    path = tmp_path / "a.parquet"
    FRAME.set_index(np.array([5, 7, 10])).to_parquet(path)
    frame = read_table(path).frame
    assert list(frame.columns) == ["age", "purpose"]
    assert frame.index.equals(pd.RangeIndex(3))
    FRAME.set_index(pd.Index([5, 7, 10], name="id")).to_parquet(path)
    assert list(read_table(path).frame.columns) == ["age", "purpose", "id"]


def test_parquet_of_other_writers(tmp_path):
    table = pyarrow.table(
        {
            "day": pyarrow.array([19_782, None], pyarrow.date32()),
            "price": pyarrow.array(["1.50", None]).cast(pyarrow.decimal128(6, 2)),
            "word": pyarrow.array(["b", "a"], pyarrow.large_string()),
            "view": pyarrow.array(["b", "a"], pyarrow.string_view()),
            "code": pyarrow.DictionaryArray.from_arrays([0, 1], ["b", None]),
            "half": pyarrow.array([np.float16(0.5), None], pyarrow.float16()),
            "none": pyarrow.nulls(2),
            "twice": pyarrow.DictionaryArray.from_arrays([0, 1], ["b", "b"]),
        }
    )
    pyarrow.feather.write_feather(table, tmp_path / "a.feather")
    frame = read_table(tmp_path / "a.feather").frame
    assert frame["day"].tolist() == [pd.Timestamp("2024-02-29"), pd.NaT]
    assert frame["price"].tolist()[0] == 1.5
    assert frame["word"].cat.categories.tolist() == ["a", "b"]
    assert frame["view"].cat.categories.tolist() == ["a", "b"]
    assert frame["code"].cat.categories.tolist() == ["b"]
    assert frame["half"].tolist()[0] == 0.5
    assert frame["none"].isna().all()
    assert frame["twice"].cat.categories.tolist() == ["b"]


def test_files_that_polars_writes(tmp_path):
    polars = pytest.importorskip("polars")
    levels = polars.Enum(["low", "high"])
    given = polars.DataFrame({"s": ["b", None, "a"], "e": polars.Series(["low", "high", None], dtype=levels)})
    given.write_ipc(tmp_path / "a.feather")
    given.write_parquet(tmp_path / "a.parquet")
    given.write_csv(tmp_path / "a.csv")
    given.write_ndjson(tmp_path / "a.jsonl")
    for suffix in (".feather", ".parquet", ".csv", ".jsonl"):
        frame = read_table(tmp_path / f"a{suffix}").frame
        assert frame["s"].cat.categories.tolist() == ["a", "b"]
        assert frame["e"].tolist()[:2] == ["low", "high"]
        assert frame.isna().sum().tolist() == [1, 1]
        if suffix in (".feather", ".parquet"):
            assert frame["e"].cat.categories.tolist() == ["low", "high"]


@pytest.mark.parametrize(
    "line", ['{"\\ud800": 1}', '{"a": "\\udfff"}', '{"a": {"\\ud800": 1}}', '{"a": 1, "b\\ud800c": 2}']
)
def test_halves_of_characters_in_json_are_told(tmp_path, line):
    assert "\ud800" not in message(written(tmp_path, f'{{"a": "x"}}\n{line}\n', "a.jsonl"))
    rules = json.loads(to_json(frote.parse_rules("young: IF city = x AND age < 29 THEN approved")))
    rules["rules"][0]["if"].append(json.loads(line))
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rules))
    with pytest.raises(frote.RuleSyntaxError, match="half a character"):
        frote.read_rules(path)
