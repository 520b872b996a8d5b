"""What there is to know of a file format: one entry, which holds all of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pandas as pd

    from frote.files.form import FileForm
    from frote.files.names import Asked
    from frote.files.source import Source

__all__ = ["KINDS", "Format", "Parsed", "Writing", "listed"]

# What a format may give back as it was.
KINDS = ("numbers", "truth values", "dates", "texts", "empty texts", "number types", "time zones", "levels")


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """What a reader found.

    Parameters
    ----------
    frame : DataFrame
        The rows, with a RangeIndex.

    row : callable
        What to call a row in messages, by its number from 0.

    options : mapping of str to object, default={}
        How the file is written, as parameters of a `FileForm`.
    """

    frame: pd.DataFrame
    row: Callable[[int], str]
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Writing:
    """What a writer is told beside the frame and its form.

    Parameters
    ----------
    file_name : str
        The file, for messages.

    inert : frozenset of str
        Columns whose texts, and names, a spreadsheet must not take for formulas.

    taken : tuple of bytes
        What a text must not begin with, as it would be taken for something else.
    """

    file_name: str
    inert: frozenset[str]
    taken: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Format:
    r"""A format of files.

    Parameters
    ----------
    name : str
        By which a `FileForm` names it.

    title : str
        What people call it.

    suffixes : tuple of str
        How names of such files end. The first is given to a file whose name says something else.

    read : callable
        Makes a `Parsed` of a `Source` and of what is `Asked` for.

    write : callable
        Makes the bytes of a file from a frame, a `FileForm` and a `Writing`; the same ones give the same bytes.

    carries : frozenset of str
        Which of the `KINDS` come back as they were written.

    other_suffixes : tuple of str, default=()
        How names of such files end too, though they say little; files are not given them.

    options : tuple of str, default=()
        The parameters of a `FileForm` that are about such files.

    magic : bytes, default=b""
        What all such files begin with; nothing for a text.

    recognises : callable, default=None
        Tells by a text whether it is one, where its name does not say.

    packs : bool, default=False
        Whether such files may be packed by gzip.

    delimiter : str, default=""
        What divides cells, if that is part of the format.

    needs : str, default=""
        The extra that installs what reads and writes such files.

    Examples
    --------
    >>> from frote.files.formats import format_of
    >>> format = format_of("loans.tab.gz")
    >>> format.title, format.suffixes, format.delimiter
    ('tab-separated text', ('.tsv', '.tab'), '\t')
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    read: Callable[[Source, Asked], Parsed]
    write: Callable[[pd.DataFrame, FileForm, Writing], bytes]
    carries: frozenset[str]
    other_suffixes: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    magic: bytes = b""
    recognises: Callable[[bytes], bool] | None = None
    packs: bool = False
    delimiter: str = ""
    needs: str = ""

    @property
    def is_text(self) -> bool:
        """Whether such files are texts."""
        return not self.magic

    @property
    def all_suffixes(self) -> tuple[str, ...]:
        """All ends of names that say this format."""
        return self.suffixes + self.other_suffixes


def listed(formats: Iterable[Format]) -> str:
    """Return formats in words, with how names of files end."""
    titles = [f"{one.title} ({', '.join(one.all_suffixes)})" for one in formats]
    return " or ".join([", ".join(titles[:-1]), *titles[-1:]])
