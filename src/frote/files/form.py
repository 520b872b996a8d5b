"""How a table is written in a file."""

from __future__ import annotations

import codecs
import gzip
import io
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from frote.exceptions import FileError
from frote.files.arrow import write_arrow
from frote.files.delimited import write_delimited
from frote.files.json_lines import encoded_json, write_json_lines
from frote.files.names import checked_names
from frote.files.source import TAKEN, decoded, require_text
from frote.whole import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from frote.rules.spelling import DateSpelling

__all__ = ["FileForm"]

SUFFIXES = {"csv": ".csv", "json lines": ".jsonl", "parquet": ".parquet", "feather": ".feather"}
FORMATS = {suffix: form for form, suffix in SUFFIXES.items()} | {
    ".arrow": "feather",
    ".json": "json lines",
    ".ndjson": "json lines",
    ".pq": "parquet",
}
BOMS = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}


@dataclass(frozen=True, slots=True)
class FileForm:
    r"""How a table is written in a file: enough to write another that looks the same.

    Parameters
    ----------
    format : {"csv", "json lines", "parquet", "feather"}
        The format. The other parameters are about text; Parquet and Feather files have none of it.

    gzipped : bool, default=False
        Whether the file is packed.

    encoding : str, default="utf-8"
        How characters are written, by Python's name of it.

    bom : bool, default=False
        Whether a mark at the start says so.

    delimiter : str, default=","
        What divides the cells of a CSV file.

    decimal : str, default="."
        What stands between a number's whole part and the rest in a CSV file.

    newline : str, default="\\n"
        What ends a line.

    dates : mapping of str to DateSpelling, default={}
        How dates are written in the columns of a CSV file that do not have them in ISO form.

    Examples
    --------
    >>> import pandas as pd, pathlib, tempfile
    >>> from frote.files import FileForm, read_table
    >>> form = FileForm("csv", delimiter=";", decimal=",", gzipped=True)
    >>> form.suffix
    '.csv.gz'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "loans.csv.gz")
    ...     form.write(pd.DataFrame({"age": [31, 25], "rate": [1.5, None]}), path)
    ...     read_table(path).form == form
    True
    """

    format: str
    gzipped: bool = False
    encoding: str = "utf-8"
    bom: bool = False
    delimiter: str = ","
    decimal: str = "."
    newline: str = "\n"
    dates: Mapping[str, DateSpelling] = field(default_factory=dict, hash=False)

    @property
    def suffix(self) -> str:
        """How the name of such a file ends: ".csv", ".tsv", ".jsonl", each also with ".gz", ".parquet" or ".feather".

        Examples
        --------
        >>> FileForm("json lines").suffix
        '.jsonl'
        """
        tabbed = self.format == "csv" and self.delimiter == "\t"
        return (".tsv" if tabbed else SUFFIXES[self.format]) + (".gz" if self.gzipped else "")

    def can_write(self, text: str) -> bool:
        """Tell whether the form's encoding has all characters of a text.

        Examples
        --------
        >>> FileForm("csv", encoding="cp1252").can_write("Łódź")
        False
        """
        try:
            text.encode(self.encoding)
        except UnicodeEncodeError:
            return False
        return True

    def named(self, path: str | PathLike[str]) -> FileForm:
        """Return the form of a file by its name: the same, but for the format and the packing that the name says.

        Examples
        --------
        >>> form = FileForm("csv", gzipped=True, delimiter=";")
        >>> form.named("loans.csv").suffix, form.named("loans.parquet").suffix
        ('.csv', '.parquet')
        """
        suffixes = Path(str(path).lower()).suffixes
        gzipped = suffixes[-1:] == [".gz"]
        ending = "".join(suffixes[-2:-1] if gzipped else suffixes[-1:])
        if ending == ".tsv":
            return replace(self, format="csv", gzipped=gzipped, delimiter="\t")
        if ending not in FORMATS:
            return replace(self, gzipped=gzipped or self.gzipped)
        delimiter = "," if ending == ".csv" and self.delimiter == "\t" else self.delimiter
        return replace(self, format=FORMATS[ending], gzipped=gzipped, delimiter=delimiter)

    def write(self, frame: pd.DataFrame, path: str | PathLike[str], *, inert: Iterable[str] = ()) -> None:
        r"""Write a frame. The same frame gives the same bytes.

        In a CSV file an empty text is read back as missing; all else that is written is read back as it was. What is
        in an encoding other than Unicode, and would be taken for another one, is written as UTF-8.

        Parameters
        ----------
        frame : pandas.DataFrame
            Numbers, texts, truth values and dates; its index is not written.

        path : str or path
            The file, which is replaced if it is there.

        inert : iterable of str, default=()
            Columns of a CSV file whose texts, and names, a spreadsheet must not take for formulas: an apostrophe is
            put before those that begin with ``=``, ``+``, ``-``, ``@``, a tab or a line end.

        Raises
        ------
        FileError
            If a value cannot be written in this form, or the file cannot.

        Examples
        --------
        >>> import pandas as pd, pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "loans.csv")
        ...     FileForm("csv").write(pd.DataFrame({"age": [31, 25]}), path)
        ...     path.read_text()
        'age\n31\n25\n'
        """
        data = self._data(frame, str(path), frozenset(inert))
        if self.format in ("csv", "json lines"):
            require_text(data, str(path))
            data = _packed(data) if self.gzipped else data
        try:
            write_whole(path, data)
        except OSError as error:
            raise FileError(f"{path}: cannot be written ({error.strerror or error}).") from error

    def check(self, frame: pd.DataFrame, path: str | PathLike[str]) -> None:
        r"""Say so if a frame of such columns cannot be written, without writing it.

        Parameters
        ----------
        frame : pandas.DataFrame
            The frame; of columns that are no numbers each distinct value, or level, is looked at.

        path : str or path
            The file, for messages.

        Raises
        ------
        FileError
            As `write` does.

        Examples
        --------
        >>> import pandas as pd
        >>> FileForm("csv").check(pd.DataFrame({"code": ["NA"]}), "loans.csv")
        Traceback (most recent call last):
        ...
        frote.exceptions.FileError: Column 'code' holds the text 'NA', which means a missing value in a CSV file. ...
        """
        for place, name in enumerate(frame.columns):
            column = frame.iloc[:, place]
            if isinstance(column.dtype, pd.CategoricalDtype):
                levels = column.cat.categories.to_series()
            else:
                levels = column.head(1) if column.dtype.kind in "biufM" else column.drop_duplicates()
            if len(levels):  # beside another column, as it may stand in the file
                self._data(pd.DataFrame({name: levels, f"{name}, and no other": 1}), str(path), frozenset())
        checked_names(map(str, frame.columns), str(path))

    def _data(self, frame: pd.DataFrame, place: str, inert: frozenset[str]) -> bytes:
        frame = frame.set_axis(checked_names(map(str, frame.columns), place), axis=1)
        if not frame.size:
            raise FileError(f"{place}: a table without rows or columns cannot be read back. Write it when it has some.")
        if self.format in ("parquet", "feather"):
            return write_arrow(frame, self.format, place)
        return self._csv(frame, place, inert) if self.format == "csv" else self._json_lines(frame)

    def _csv(self, frame: pd.DataFrame, place: str, inert: frozenset[str]) -> bytes:
        text = write_delimited(
            frame,
            delimiter=self.delimiter,
            decimal=self.decimal,
            newline=self.newline,
            dates=self.dates,
            inert=inert,
        )
        try:
            data = text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise FileError(
                f"{place}: cannot be written as {self.encoding}, which has no {text[error.start]!r}. "
                "Save the data as UTF-8 first."
            ) from None
        if self.bom:
            return BOMS[self.encoding] + data
        if data.startswith(TAKEN):  # and so by a name without quotes
            first = str(frame.columns[0])
            text = f'"{first}"{text.removeprefix(first)}'
            data = text.encode(self.encoding)
        return data if _is_read_as(data, self.encoding) else text.encode()

    def _json_lines(self, frame: pd.DataFrame) -> bytes:
        text = write_json_lines(frame).replace("\n", "\r\n" if self.newline == "\r\n" else "\n")
        data = encoded_json(text, self.encoding)
        if self.bom:
            return BOMS[self.encoding] + data
        return data if _is_read_as(data, self.encoding) else encoded_json(text, "ascii")


def _is_read_as(data: bytes, encoding: str) -> bool:
    """Tell whether a text without a mark is read in its encoding; the same bytes may be a text in another."""
    return decoded(data, "").content == data.decode(encoding).encode()


def _packed(data: bytes) -> bytes:
    """Pack, without the time and the name that gzip would add."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, compresslevel=6, mtime=0) as file:
        file.write(data)
    return buffer.getvalue()
