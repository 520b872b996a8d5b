"""How a table is written in a file."""

from __future__ import annotations

import gzip
import io
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pandas as pd

from frote.exceptions import FileError
from frote.files.format import Writing
from frote.files.formats import FORMATS, GZIPPED, format_named, format_of, known_formats, suffix_of
from frote.files.names import checked_names
from frote.files.source import TAKEN, require_text
from frote.whole import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from frote.files.format import Format
    from frote.table.spelling import DateSpelling

__all__ = ["FileForm"]

ALL_TAKEN = TAKEN + tuple(one.magic for one in FORMATS if one.magic)


@dataclass(frozen=True, slots=True)
class FileForm:
    r"""How a table is written in a file: enough to write another that looks the same.

    Parameters
    ----------
    format : {"csv", "tsv", "psv", "json lines", "parquet", "feather"}
        The format. The parameters about text mean nothing to Parquet and Feather files.

    gzipped : bool, default=False
        Whether the file, which is a text, is packed.

    encoding : str, default="utf-8"
        How characters are written, by Python's name of it.

    bom : bool, default=False
        Whether a mark at the start says so.

    delimiter : str, default=""
        What divides the cells of a CSV file; if nothing is said, a comma. It is a tab in "tsv" and a bar in "psv".

    decimal : str, default="."
        What stands between a number's whole part and the rest where cells are divided.

    newline : str, default="\\n"
        What ends a line.

    dates : mapping of str to DateSpelling, default={}
        How dates are written, where cells are divided, in the columns that do not have them in ISO form.

    ending : str, default=""
        How the name of such a file ends, but for ".gz"; if nothing is said, as is usual for the format.

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
    delimiter: str = ""
    decimal: str = "."
    newline: str = "\n"
    dates: Mapping[str, DateSpelling] = field(default_factory=dict, hash=False)
    ending: str = ""

    def __post_init__(self) -> None:
        own_format = self._format
        object.__setattr__(self, "delimiter", self.delimiter or own_format.delimiter or ",")
        object.__setattr__(self, "ending", self.ending or own_format.suffixes[0])
        if own_format.delimiter and self.delimiter != own_format.delimiter:
            raise FileError(
                f"{own_format.title} is divided by {own_format.delimiter!r}. For {self.delimiter!r}, ask for 'csv'."
            )
        if self.gzipped and not own_format.packs:
            raise FileError(f"{own_format.title} files are not packed by gzip. Leave {GZIPPED} out.")

    @property
    def _format(self) -> Format:
        return format_named(self.format)

    @property
    def suffix(self) -> str:
        """How the name of such a file ends: ".csv", ".jsonl.gz", ".parquet" and so on.

        Examples
        --------
        >>> FileForm("json lines").suffix
        '.jsonl'
        """
        return self.ending + (GZIPPED if self.gzipped else "")

    @property
    def has_marks(self) -> bool:
        """Whether texts of such a file are marked where a spreadsheet must not take them for formulas.

        Examples
        --------
        >>> FileForm("csv").has_marks, FileForm("json lines").has_marks
        (True, False)
        """
        return "delimiter" in self._format.options

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
        r"""Return the form of a file by its name: the same, but for the format and the packing that the name says.

        Raises
        ------
        FileError
            If the name ends in a way that is no format's.

        Examples
        --------
        >>> form = FileForm("csv", gzipped=True, delimiter=";")
        >>> form.named("loans.csv").suffix, form.named("loans.parquet").suffix, form.named("loans.tab").delimiter
        ('.csv', '.parquet', '\t')
        """
        named_format, suffix = format_of(path), suffix_of(path)
        gzipped = str(path).lower().endswith(GZIPPED)
        if named_format is None and suffix:
            raise FileError(f"{path}: nothing is written to a file of that name. Name one of {known_formats()}.")
        if named_format is None:
            return replace(self, gzipped=self._format.packs and (gzipped or self.gzipped))
        delimiter = self.delimiter if named_format is self._format else ""
        ending = suffix if suffix in named_format.suffixes else ""
        try:
            return replace(self, format=named_format.name, gzipped=gzipped, delimiter=delimiter, ending=ending)
        except FileError as error:
            raise FileError(f"{path}: {error}") from None

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
        if self._format.is_text:
            require_text(data, str(path), FORMATS)
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

    def _data(self, frame: pd.DataFrame, file_name: str, inert: frozenset[str]) -> bytes:
        frame = frame.set_axis(checked_names(map(str, frame.columns), file_name), axis=1)
        if not frame.size:
            raise FileError(
                f"{file_name}: a table without rows or columns cannot be read back. Write it when it has some."
            )
        return self._format.write(frame, self, Writing(file_name, inert, ALL_TAKEN))


def _packed(data: bytes) -> bytes:
    """Pack, without the time and the name that gzip would add."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, compresslevel=6, mtime=0) as file:
        file.write(data)
    return buffer.getvalue()
