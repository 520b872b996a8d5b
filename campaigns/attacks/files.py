"""Files of tables: written and read back, damaged, random, or out of all proportion."""

from __future__ import annotations

import gzip
import math
import tempfile
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd

from campaigns.campaign import Broken, Campaign, require
from campaigns.damage import damaged_bytes
from frote import FileError
from frote.files import FileForm, read_table
from frote.files.formats import FORMATS

__all__ = ["CAMPAIGN"]

FORMS = (
    *(FileForm(one.name) for one in FORMATS),
    FileForm("csv", gzipped=True),
    FileForm("csv", delimiter=";", decimal=",", newline="\r\n"),
    FileForm("csv", delimiter="\t"),
    FileForm("csv", delimiter="|", newline="\r"),
    FileForm("csv", bom=True),
    FileForm("csv", encoding="cp1252"),
    FileForm("csv", encoding="utf-16-le", bom=True, newline="\r\n"),
    FileForm("json lines", gzipped=True, bom=True, newline="\r\n"),
)
PIECES = (
    *(
        "a",
        "1",
        "01",
        ",",
        ";",
        '"',
        "'",
        "\n",
        " ",
        "=",
        "+1",
        "-",
        "@",
        "é",
        "\u2028",
        "\r",
        "\t",
        "1e5",
        "2024-01-02",
    ),
    *("NA", "null", "#", "{", "}", "[", ":", "\\", "\x1b", "ß", "漢", "50,000", "$5", "5%", "true", ".", "0"),
)
START = datetime(2023, 12, 30)


@dataclass(frozen=True, slots=True)
class Case:
    """A frame and how it is written, or bytes; what is done to them; and the name of the file."""

    do: str
    form: FileForm
    frame: pd.DataFrame = field(default_factory=pd.DataFrame)
    content: bytes = b""
    suffix: str = ""
    seed: int = 0

    def __repr__(self) -> str:
        return f"{self.do} {self.form} {self.suffix} {self.seed}\n{self.frame.to_dict('list')}\n{self.content[:500]!r}"


def _text(chance: Random) -> str:
    return "".join(chance.choices(PIECES, k=chance.randint(1, 4)))


def _column(chance: Random, rows: int) -> pd.Series[Any]:
    gaps = np.array([chance.random() < chance.choice((0, 0, 0.3)) for _ in range(rows)], dtype=bool)
    kind = chance.randrange(6)
    if kind == 0:
        whole = np.array([chance.choice((0, 1, 7, -3, 2**40, 2**63 - 1)) for _ in range(rows)])
        return pd.Series(pd.arrays.IntegerArray(whole, gaps)) if gaps.any() else pd.Series(whole)
    if kind == 1:
        number = np.array([chance.choice((0.5, 1e300, -1e-7, 3.0, math.inf, 0.1 + 0.2)) for _ in range(rows)])
        return pd.Series(np.where(gaps, math.nan, number))
    if kind == 2:
        truth = np.array([chance.random() < 0.5 for _ in range(rows)])
        return pd.Series(pd.arrays.BooleanArray(truth, gaps)) if gaps.any() else pd.Series(truth)
    if kind == 3:
        step = chance.choice((timedelta(days=1), timedelta(seconds=1), timedelta(microseconds=1)))
        moments = [None if gone else START + step * chance.randrange(1000) for gone in gaps]
        return pd.Series(moments, dtype="datetime64[us]")
    words = [_text(chance) for _ in range(chance.randint(1, 5))]
    held = [None if gone else chance.choice(words) for gone in gaps]
    return pd.Series(held, dtype=pd.CategoricalDtype(sorted({word for word in held if word is not None})))


def _frame(chance: Random) -> pd.DataFrame:
    rows = chance.randint(1, 8)
    names = {_text(chance) for _ in range(chance.randint(1, 4))}
    return pd.DataFrame({name: _column(chance, rows) for name in sorted(names)})


def _outsized(chance: Random) -> bytes:
    """Return a file of up to a megabyte that asks for much: packed, wide, long, open, or with ever new names."""
    size = int(10 ** chance.uniform(3, 6))
    piece = chance.choice((b"1,", b"\n", b'"', b"a,b\n1,2\n", b'{"a": [', b"x", b"\x00", b'{"a": 1}\n', b"1;2\r"))
    shape = chance.randrange(5)
    if shape == 0:
        return gzip.compress(piece * (chance.choice((1, 30)) * 2**20 // len(piece)), compresslevel=9)
    if shape == 1:
        return piece * (size // len(piece))
    if shape == 2:
        return "".join(f'{{"key{number}": {number}}}\n' for number in range(size // 20)).encode()
    if shape == 3:
        return (",".join(f"c{number}" for number in range(size // 8)) + "\n" + "1," * (size // 8)).encode()
    return b"a,b\n1,2\n" + piece * (size // len(piece))


def _make(chance: Random) -> Case:
    form, kind = chance.choice(FORMS), chance.random()
    if kind < 0.45:
        return Case("round trip", form, _frame(chance), suffix=form.suffix)
    suffix = chance.choice((form.suffix, form.suffix, ".csv", ".txt", ".json", ".parquet", ".gz", ""))
    if kind < 0.85:
        return Case("damaged", form, _frame(chance), suffix=suffix, seed=chance.getrandbits(32))
    if kind < 0.97:
        content = chance.randbytes(chance.randint(0, 300)) if chance.random() < 0.3 else None
        text = "".join(chance.choices(PIECES, k=chance.randint(0, 80))).encode()
        return Case("random", form, content=text if content is None else content, suffix=suffix)
    return Case("outsized", form, content=_outsized(chance), suffix=suffix)


def _judge(case: Case) -> str | None:
    with tempfile.TemporaryDirectory(dir=".") as folder:
        path = Path(folder, f"table{case.suffix}")
        if case.do == "round trip":
            return _round_trip(case, path)
        content = case.content
        if case.do == "damaged":
            try:
                case.form.write(case.frame, path)
            except FileError as error:
                return str(error)
            content = damaged_bytes(path.read_bytes(), Random(case.seed))
        path.write_bytes(content)
        try:
            read_table(path)
        except FileError as error:
            require("\n" not in str(error).strip(), "more than one sentence")
            return str(error)
    return None


def _round_trip(case: Case, path: Path) -> str | None:
    known = [str(name) for name in case.frame if isinstance(case.frame[name].dtype, pd.CategoricalDtype)]
    try:
        case.form.write(case.frame, path)
    except FileError as error:
        return str(error)
    try:
        found = read_table(path, categorical=known)
    except FileError as error:
        raise Broken(f"what was written cannot be read: {error}") from None
    again = path.with_name(f"again{path.suffix}")
    _equal(found.frame, case.frame)
    found.form.write(found.frame, again)
    _equal(read_table(again, categorical=known).frame, case.frame)
    return None


def _equal(found: pd.DataFrame, frame: pd.DataFrame) -> None:
    require(list(found.columns) == list(frame.columns), f"columns {list(found.columns)} for {list(frame.columns)}")
    for name in frame:
        theirs, ours = found[name], frame[name]
        if ours.isna().all():
            require(theirs.isna().all(), "values where there were none")
            continue
        if ours.dtype.kind == "M":
            require(theirs.dtype.kind == "M", f"moments read as {theirs.dtype}")
            theirs, ours = theirs.astype("datetime64[us]"), ours.astype("datetime64[us]")
        try:
            pd.testing.assert_series_equal(theirs, ours, check_exact=True)
        except AssertionError:
            raise Broken(f"{ours.tolist()} of {ours.dtype} read as {theirs.tolist()} of {theirs.dtype}") from None


CAMPAIGN = Campaign(
    "files",
    "A table that is written is read back equal, or refused before; any other file is a table or a FileError.",
    full=5_000,
    block=200,
    seconds=20,
    megabytes=1000,
    make=_make,
    judge=_judge,
)
