"""Files that stand for more than they are: told in a sentence before they fill the memory, or wait for ever."""

from __future__ import annotations

import contextlib
import gzip
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import frote
from frote.files import FileForm, read_table
from frote.files.feather import unpacked_sizes
from frote.files.kinds import NUMBER
from frote.files.limits import Limit, bytes_of, granted
from frote.opened import read_small

MB = 2**20
# Reads a table where there is hardly more memory than Python and pandas need, and says what is told.
SMALL = """
import resource, sys
import frote.files, pandas, pyarrow.parquet, pyarrow.feather
here = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (here + 1500 * 2**20, -1))
for path in sys.argv[1].split(","):
    try:
        print(frote.files.read_table(path).frame.shape)
    except frote.FileError as error:
        print(error)
"""


def new_keys(path):
    path.write_text("".join(f'{{"k{n}": 1}}\n' for n in range(30_000)))


def packed(path):
    with gzip.open(path, "wb", compresslevel=9) as file:
        for _ in range(300):
            file.write(b"a,b\n" * (MB // 4))


def wide(path):
    path.write_text("\n".join([",".join(f"c{n}" for n in range(1_000_000)), "1," * 999_999 + "1", ""]))


def many_lines(path, size=8 * MB):
    with gzip.open(path, "wb", compresslevel=9) as file:
        file.write(b'"a";b\r' + b"1;2\r" * (size // 4))


def many_objects(path, size=8 * MB):
    with gzip.open(path, "wb", compresslevel=9) as file:
        file.write(b'{"a": 1}\n' * (size // 9))


def many_rows(path):
    pa.parquet.write_table(pa.table({"a": np.zeros(40_000_000, dtype=bool)}), path)


def zeros(path):
    pa.feather.write_feather(pa.table({"a": ["0" * MB] * 300}), path, compression="zstd")


BOMBS = {
    "keys.jsonl": (new_keys, "columns"),
    "packed.csv.gz": (packed, "unpacks"),
    "wide.csv": (wide, "1,000,000 columns"),
    "rows.parquet": (many_rows, "40,000,000 rows"),
    "zeros.feather": (zeros, "unpacks"),
}


def test_a_table_out_of_proportion_is_told_before_it_fills_the_memory(tmp_path):
    """One process reads them all: it refuses each, and is none the larger for the next."""
    for name, (make, _) in BOMBS.items():
        make(tmp_path / name)
    paths = ",".join(str(tmp_path / name) for name in BOMBS)
    done = subprocess.run(
        [sys.executable, "-c", SMALL, paths], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    for told, (name, (_, fact)) in zip(done.stdout.splitlines(), BOMBS.items(), strict=True):
        assert f"{name}: " in told
        assert fact in told
        assert "--max-size" in told


@pytest.mark.parametrize(("make", "shape", "room"), [(many_lines, (2097152, 2), 250), (many_objects, (932067, 1), 200)])
def test_many_lines_take_memory_by_their_cells_and_not_by_objects(make, shape, room, tmp_path):
    path, few = tmp_path / "many.gz", tmp_path / "few.gz"
    make(path)
    make(few, 1000)
    # What is imported and set aside once, for any table, is no memory of this one.
    warm = SMALL.replace("here =", "frote.files.read_table(sys.argv[2])\nhere =").replace("1500", str(room))
    done = subprocess.run(
        [sys.executable, "-c", warm, str(path), str(few)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.stdout == f"{shape}\n", done.stderr[-500:]


def test_more_can_be_granted(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,x\n" * 1000))
    with pytest.raises(frote.FileError, match=r"more than the 0 MB .* --max-size 1GB"):
        read_table(path, max_size="1KB")
    with granted("1KB"), pytest.raises(frote.FileError, match="--max-size"):
        read_table(path)
    assert len(read_table(path, max_size=200_000).frame) == 1000
    with granted("1GB"):
        assert len(read_table(path).frame) == 1000
    for wrong in ("", "0", "-1", "much", "1XB", "9" * 5000):
        with pytest.raises(frote.FileError, match="A size is a number of bytes"):
            read_table(path, max_size=wrong)


@given(st.integers(1, 10**12), st.sampled_from(["", "B", "kb", "MB", "g", " GB"]))
def test_sizes(number, unit):
    factor = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "G": 10**9, "GB": 10**9}[unit.strip().upper()]
    assert bytes_of(f"{number}{unit}") == number * factor


@given(st.integers(0, 10**9), st.integers(0, 10**6), st.integers(0, 10**6))
def test_what_is_granted_is_in_proportion_to_the_file(size, rows, columns):
    limit = Limit.of("a.csv", size)
    assert limit.most >= 100 * size
    try:
        limit.require_cells(rows, columns)
    except frote.FileError:
        assert rows * columns * 8 + columns * 10_000 > limit.most
    # A text of delimiters alone, in a hundred bytes per column, may always be read.
    Limit.of("a.csv", size + 100 * columns).require_cells(min(rows, size // (columns + 1)), columns)


def test_pipes_and_devices_are_not_waited_for(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    for path in (pipe, "/dev/zero", "/dev/null"):
        with pytest.raises(frote.FileError, match="a pipe or a device, and no file"):
            read_table(path)
        with pytest.raises(frote.RuleSyntaxError, match="a pipe or a device, and no file"):
            frote.read_rules(path)


def test_what_a_shell_hands_over_is_read(tmp_path):
    code = "import sys, frote.files; print(frote.files.read_table(sys.argv[1]).frame.shape)"
    for command in ("printf 'a,b\\n1,2\\n' | {0} -c '{1}' /dev/stdin", "{0} -c '{1}' <(printf 'a,b\\n1,2\\n')"):
        done = subprocess.run(
            ["bash", "-c", command.format(sys.executable, code)],
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        )
        assert done.stdout == "(1, 2)\n"


def test_rules_have_a_size(tmp_path):
    large = tmp_path / "large.rules"
    with large.open("wb") as file:
        file.truncate(17 * MB)  # takes no room on disk
    with pytest.raises(frote.RuleSyntaxError, match="larger than 16 MB"):
        frote.read_rules(large)
    with pytest.raises(OSError, match="larger than 1 MB"):
        read_small(large, MB)


@pytest.mark.parametrize("text", ["1" * 10**6 + "x", "1." + "1" * 10**6 + "x", "1e" + "1" * 10**6 + "x", " " * 10**6])
def test_a_long_text_that_is_no_number_is_seen_in_one_pass(text, tmp_path):
    assert not NUMBER.fullmatch(text)
    path = tmp_path / "a.csv"
    path.write_text(f"a,b\n{text},1\n2,3\n4,5\n")
    assert len(read_table(path).frame) == 3


@pytest.mark.parametrize("digits", [5_000, 10**6])
def test_numbers_of_many_digits(digits, tmp_path):
    number = "7" * digits
    path, lines = tmp_path / "a.csv", tmp_path / "a.jsonl"
    path.write_text(f"a,b\n{number},1\n2,3\n")
    assert read_table(path).frame["a"].tolist() == [number, "2"]
    lines.write_text(f'{{"a": {number}}}\n')
    with pytest.raises(frote.FileError, match="line 1"):
        read_table(lines)


def test_keys_that_stand_there_twice_are_found_at_once(tmp_path):
    path = tmp_path / "a.jsonl"
    keys = [f'"k{n}": 1' for n in range(200_000)]
    path.write_text("{" + ", ".join([*keys, keys[-1]]) + "}\n")
    with pytest.raises(frote.FileError, match="has the key 'k199999' twice"):
        read_table(path, max_size="4GB")


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"a": ['])
def test_deep_nesting(opening, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(opening * 100_000)
    with pytest.raises(frote.FileError, match="line 1"):
        read_table(path)


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_what_a_feather_file_says_of_itself(compression, tmp_path):
    path = tmp_path / "a.feather"
    table = pa.table({"a": np.arange(10_000), "b": pa.array(["x", "yy"] * 5000).dictionary_encode()})
    pa.feather.write_feather(table, path, compression=compression, chunksize=3000)
    sizes = list(unpacked_sizes(path.read_bytes()))
    assert sum(rows for rows, _ in sizes) == 10_000 + 2  # the levels are rows too
    assert 100_000 < sum(size for _, size in sizes) < 150_000


@given(data=st.data())
def test_a_damaged_feather_file_is_told(data, tmp_path_factory):
    path = tmp_path_factory.mktemp("damaged") / "a.feather"
    FileForm("feather").write(pd.DataFrame({"a": [1, 2, 3], "b": ["x", None, "y"]}), path)
    content = bytearray(path.read_bytes())
    for at in data.draw(st.lists(st.integers(8, len(content) - 7), min_size=1, max_size=4)):
        content[at] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    with contextlib.suppress(frote.FroteError):
        read_table(path)


def test_texts_that_stand_once_for_many_rows_stay_once(tmp_path):
    path = tmp_path / "a.parquet"
    long = "x" * MB
    texts = pa.DictionaryArray.from_arrays(pa.array(np.arange(100_000) % 2, pa.int8()), pa.array([long, "y"]))
    pa.parquet.write_table(pa.table({"a": texts}), path, store_schema=False)  # 100 GB, if each row had its own
    assert path.stat().st_size < 3 * MB
    frame = read_table(path).frame
    assert frame["a"].cat.categories.tolist() == [long, "y"]
    assert frame["a"].cat.codes.tolist()[:3] == [0, 1, 0]


def test_texts_of_parquet_are_categories_in_order_whatever_their_pages(tmp_path):
    path = tmp_path / "a.parquet"
    values = ["b", None, "a", "c", "a", "b"]
    table = pa.table({name: pa.array(values, kind) for name, kind in (("s", pa.string()), ("l", pa.large_string()))})
    for more in ({}, {"use_dictionary": False}, {"row_group_size": 2}, {"store_schema": False}):
        pa.parquet.write_table(table, path, **more)
        frame = read_table(path).frame
        for name in frame:
            assert frame[name].cat.categories.tolist() == ["a", "b", "c"]
            assert frame[name].astype(object).where(frame[name].notna(), None).tolist() == values
