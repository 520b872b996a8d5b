"""All file formats, an entry for each. What is not listed here is neither read nor written."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from frote.exceptions import FileError, nearest
from frote.files.arrow import read_feather, read_parquet, write_feather, write_parquet
from frote.files.format import KINDS, Format, listed
from frote.files.json_lines import is_json_lines
from frote.files.texts import is_separated, read_lines, read_separated, write_lines, write_separated

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["FORMATS", "GZIPPED", "format_named", "format_of", "known_formats", "separated_by", "suffix_of"]

GZIPPED = ".gz"  # how the name of a packed file ends, behind that of its format

SPELLING = ("encoding", "bom", "newline")
SEPARATED = (*SPELLING, "delimiter", "decimal", "dates")
CELLS = frozenset({"numbers", "truth values", "dates", "texts"})

CSV = Format(
    name="csv",
    title="CSV",
    suffixes=(".csv",),
    other_suffixes=(".txt", ".data", ".dat"),
    read=read_separated,
    write=write_separated,
    carries=CELLS,
    options=SEPARATED,
    recognises=is_separated,
    packs=True,
)
FORMATS = (
    CSV,
    Format(
        name="tsv",
        title="tab-separated text",
        suffixes=(".tsv", ".tab"),
        read=partial(read_separated, delimiter="\t"),
        write=write_separated,
        carries=CELLS,
        options=SEPARATED,
        packs=True,
        delimiter="\t",
    ),
    Format(
        name="psv",
        title="bar-separated text",
        suffixes=(".psv",),
        read=partial(read_separated, delimiter="|"),
        write=write_separated,
        carries=CELLS,
        options=SEPARATED,
        packs=True,
        delimiter="|",
    ),
    Format(
        name="json lines",
        title="JSON lines",
        suffixes=(".jsonl", ".ndjson"),
        other_suffixes=(".json",),
        read=read_lines,
        write=write_lines,
        carries=CELLS | {"empty texts"},
        options=SPELLING,
        recognises=is_json_lines,
        packs=True,
    ),
    Format(
        name="parquet",
        title="Parquet",
        suffixes=(".parquet", ".pq"),
        read=read_parquet,
        write=write_parquet,
        carries=frozenset(KINDS),
        magic=b"PAR1",
        needs="files",
    ),
    Format(
        name="feather",
        title="Feather",
        suffixes=(".feather", ".arrow", ".ipc"),
        read=read_feather,
        write=write_feather,
        carries=frozenset(KINDS),
        magic=b"ARROW1",
        needs="files",
    ),
)


def suffix_of(path: str | PathLike[str]) -> str:
    """Return the end of a file's name in lower case, without that of a packed one.

    Examples
    --------
    >>> suffix_of("Loans.CSV.gz"), suffix_of("loans")
    ('.csv', '')
    """
    name = Path(str(path).lower())
    return Path(name.stem).suffix if name.suffix == GZIPPED else name.suffix


def format_of(path: str | PathLike[str]) -> Format | None:
    """Return the format that a file's name says, None if it says none that is known.

    Examples
    --------
    >>> format_of("loans.ipc").title, format_of("loans.doc")
    ('Feather', None)
    """
    suffix = suffix_of(path)
    return next((one for one in FORMATS if suffix in one.all_suffixes), None)


def format_named(name: str) -> Format:
    """Return a format by its name.

    Raises
    ------
    FileError
        If there is none of that name.
    """
    for one in FORMATS:
        if one.name == name:
            return one
    raise FileError(f"There is no format {name!r}. {nearest(name, [one.name for one in FORMATS])}")


def separated_by(delimiter: str) -> Format:
    """Return the format of texts whose cells a character divides: the one that it belongs to, or CSV."""
    return next((one for one in FORMATS if one.delimiter == delimiter), CSV)


def known_formats() -> str:
    """Return all formats in words, with how names of files end.

    Examples
    --------
    >>> print(known_formats())
    CSV (.csv, .txt, .data, .dat), tab-separated text (.tsv, .tab), ... or Feather (.feather, .arrow, .ipc)
    """
    return listed(FORMATS)
