"""How a table is written in a file."""

from __future__ import annotations

import codecs
import gzip
import io
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from frote.exceptions import FileError
from frote.files.arrow import write_arrow
from frote.files.delimited import write_delimited
from frote.files.json_lines import write_json_lines
from frote.files.names import checked_names
from frote.whole import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    import pandas as pd

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

    def write(self, frame: pd.DataFrame, path: str | PathLike[str]) -> None:
        r"""Write a frame. The same frame gives the same bytes.

        Parameters
        ----------
        frame : pandas.DataFrame
            Numbers, texts, truth values and dates; its index is not written.

        path : str or path
            The file, which is replaced if it is there.

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
        data = self._data(frame.set_axis(checked_names(map(str, frame.columns), str(path)), axis=1), str(path))
        try:
            write_whole(path, data)
        except OSError as error:
            raise FileError(f"{path}: cannot be written ({error.strerror or error}).") from error

    def _data(self, frame: pd.DataFrame, place: str) -> bytes:
        if self.format in ("parquet", "feather"):
            return write_arrow(frame, self.format, place)
        if self.format == "csv":
            text = write_delimited(
                frame, delimiter=self.delimiter, decimal=self.decimal, newline=self.newline, dates=self.dates
            )
        else:
            text = write_json_lines(frame).replace("\n", self.newline)
        try:
            data = text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise FileError(
                f"{place}: cannot be written as {self.encoding}, which has no {text[error.start]!r}. "
                "Save the data as UTF-8 first."
            ) from None
        data = BOMS[self.encoding] + data if self.bom else data
        return _packed(data) if self.gzipped else data


def _packed(data: bytes) -> bytes:
    """Pack, without the time and the name that gzip would add."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, compresslevel=6, mtime=0) as file:
        file.write(data)
    return buffer.getvalue()
