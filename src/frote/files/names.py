"""The names of a file's columns, and those that callers ask for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pandas as pd

from frote.exceptions import FileError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from frote.table.spelling import DateSpelling

__all__ = ["Asked", "checked_names"]


def checked_names(names: Iterable[str], file_name: str) -> list[str]:
    """Return the names of columns, each of which must be there, once.

    Examples
    --------
    >>> checked_names(["age", ""], "loans.csv")
    Traceback (most recent call last):
    ...
    frote.exceptions.FileError: loans.csv: column 2 of 2 has no name. Name it, or leave it out (pandas: index=False).
    """
    number_of: dict[str, int] = {}
    names = list(names)
    if len(names) > 2 and sum(not name.strip() for name in names) > len(names) / 2:
        raise FileError(
            f"{file_name}: most of its {len(names)} columns have no name. If a title or a note stands above the line "
            "of names, take it away; else name them."
        )
    for number, name in enumerate(names, 1):
        if not name.strip():
            raise FileError(
                f"{file_name}: column {number} of {len(names)} has no name. Name it, or leave it out (pandas: "
                "index=False)."
            )
        if any("\ud800" <= character <= "\udfff" for character in name):
            raise FileError(f"{file_name}: column {number} has half a character in its name, {name!r}. Rename it.")
        if name in number_of:
            raise FileError(
                f"{file_name}: columns {number_of[name]} and {number} are both named {name!r}. Rename one of them."
            )
        number_of[name] = number
    return names


@dataclass(frozen=True, slots=True)
class Asked:
    """The columns that are to be texts, or numbers, whatever they seem to be.

    Parameters
    ----------
    categorical, numeric : frozenset of str
        The columns that callers name; they must be there.

    texts : frozenset of str
        Columns that are texts in a table that this one is to be like, if they are there.

    dates : mapping of str to DateSpelling
        How that table spells its dates.
    """

    categorical: frozenset[str] = frozenset()
    numeric: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()
    dates: Mapping[str, DateSpelling] = field(default_factory=dict)

    @classmethod
    def of(cls, categorical: Iterable[str], numeric: Iterable[str]) -> Asked:
        """Take the names as callers give them; a text is one name."""
        texts, numbers = (frozenset((names,) if isinstance(names, str) else names) for names in (categorical, numeric))
        both = sorted(texts & numbers)
        if both:
            raise FileError(f"The column {both[0]!r} cannot be both categorical and numeric. Ask for one of them.")
        return cls(texts, numbers)

    def as_in(self, frame: pd.DataFrame, dates: Mapping[str, DateSpelling]) -> Asked:
        """Ask for what a table like another needs, where callers have not said otherwise."""
        texts = {str(name) for name, dtype in frame.dtypes.items() if isinstance(dtype, pd.CategoricalDtype)}
        return replace(self, texts=frozenset(texts - self.numeric), dates=dates)

    def is_text(self, name: str) -> bool:
        """Tell whether a column is one of texts, whatever it holds."""
        return name in self.categorical or name in self.texts

    def check(self, names: Sequence[str], file_name: str) -> None:
        """Say so if a column that is asked for is not there."""
        for name in sorted((self.categorical | self.numeric).difference(names)):
            raise FileError(f"{file_name}: has no column {name!r}. {nearest(name, names)}")
