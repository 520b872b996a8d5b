"""The errors that frote raises for bad input.

Each holds nothing but its message, so that it survives a trip through a worker process::

    FroteError (a ValueError)
    ├── TableError         a frame or column that cannot be read
    ├── RuleSyntaxError    rule text that cannot be parsed: line, column, caret
    ├── RuleError          a rule or rule set that cannot be: two rules of one name, probabilities above 1
    ├── BindingError       rules that do not fit the columns or the classes of a table
    ├── ConflictError      rules that overlap and disagree
    ├── DatasetError       a data set that is unknown, absent or damaged
    ├── FileError          a file that is no table, or cannot be read or written
    ├── CheckpointError    a checkpoint that is damaged or belongs to another run
    ├── ModelError         a model that is unknown or answers strangely, or a file of one that cannot be read or trusted
    ├── RecordError        a record of an edit that is damaged, or of other data
    ├── EngineError        an engine or a cluster that cannot be had, or not as asked
    └── TrackingError      an edit that cannot be logged to MLflow

What is no error, but must not go unsaid, is a `RuleWarning`, a `TableWarning` or a `SampleWarning`.
"""

from __future__ import annotations

import difflib
import heapq
import re
from itertools import takewhile
from operator import eq
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "BindingError",
    "CheckpointError",
    "ConflictError",
    "DatasetError",
    "EngineError",
    "FileError",
    "FroteError",
    "ModelError",
    "RecordError",
    "RuleError",
    "RuleSyntaxError",
    "RuleWarning",
    "SampleWarning",
    "TableError",
    "TableWarning",
    "TrackingError",
    "nearest",
    "told",
]


class FroteError(ValueError):
    """Any error that frote raises for bad input; catch this one to catch them all.

    Examples
    --------
    >>> import frote
    >>> try:
    ...     frote.parse_rules("IF age << 29 THEN approved")
    ... except frote.FroteError as error:
    ...     print(type(error).__name__)
    RuleSyntaxError
    """


class TableError(FroteError):
    """A frame or column that cannot be read as a table."""


class RuleSyntaxError(FroteError):
    """Rule text that cannot be parsed; the message shows every faulty rule with line, column and caret."""


class RuleError(FroteError):
    """A rule or rule set that cannot be, such as two rules of one name or probabilities that sum to 1.2."""


class BindingError(FroteError):
    """Rules that do not fit a table: an unknown column, a word against a number, a label that is no class."""


class ConflictError(FroteError):
    """Rules that overlap and send the overlap to different outcomes."""


class DatasetError(FroteError):
    """A data set that is unknown, not to be found, or not what its checksum says."""


class FileError(FroteError):
    """A file that is no table, or cannot be read or written; the message names the file and, if it can, the line."""


class CheckpointError(FroteError):
    """A checkpoint that is damaged, or belongs to another run."""


class ModelError(FroteError):
    """A model that is unknown or answers strangely, or the file of one that cannot be read or is not trusted."""


class RecordError(FroteError):
    """A record of an edit that is damaged, or that the given data do not belong to."""


class EngineError(FroteError):
    """An engine or a cluster that cannot be had, or cannot do what is asked of it."""


class TrackingError(FroteError):
    """An edit that cannot be logged to MLflow; what it wrote stays."""


class RuleWarning(UserWarning):
    """Rules that are not done, or only in part: left out, or with a value that the data do not have."""


class RecordWarning(UserWarning):
    """The folder of an edit that cannot be repeated from its record, or only with types that somebody must trust."""


class TableWarning(UserWarning):
    """A table that may not be what it is taken for: numbers among texts, names of rows, one label in two spellings."""


class SampleWarning(UserWarning):
    """An edit of a Dask frame that a sample of its rows decides on, and what that means."""


LISTED = 8  # names that are told where none is near
LONGEST = 200  # characters of a name that is looked for
COMPARED = 500  # names that one is compared with


def nearest(name: str, known_names: Iterable[str], *, most: int = 3) -> str:
    """Say which known names a mistyped one may have meant, as the end of an error message.

    Parameters
    ----------
    name : str
        The unknown name.

    known_names : iterable of str
        The names there are.

    most : int, default=3
        How many near names to give; where none is near, the first and the last known ones are given.

    Returns
    -------
    str
        A sentence.

    Examples
    --------
    >>> nearest("incme", ["age", "income"])
    "Did you mean 'income'?"
    >>> nearest("zzz", ["age", "income"])
    "Known: 'age', 'income'."
    >>> nearest("default", ["age", "default payment next month"])
    "Did you mean 'default payment next month'?"
    """
    names = list(dict.fromkeys(known_names))
    lowered = {text.casefold(): text for text in reversed(names)}
    close = [lowered[text] for text in _near(name.casefold(), list(reversed(lowered)), most)]
    if close:
        return f"Did you mean {' or '.join(repr(text) for text in close)}?"
    if not names:
        return "There are none."
    if len(names) <= LISTED:
        return f"Known: {', '.join(map(repr, names))}."
    # Both ends: what is looked for often stands last, as the target of a table does.
    first, last = (", ".join(map(repr, part)) for part in (names[: LISTED // 2], names[-LISTED // 2 :]))
    return f"Known: {first}, ..., {last} ({len(names):,} in all)."


def _near(name: str, known_names: list[str], most: int) -> list[str]:
    """Return the names that are spelt much like one, or else those of which it is a word."""
    if len(name) > LONGEST:
        return []
    alike = [text for text in known_names if len(text) <= LONGEST]
    if len(alike) > COMPARED:
        # To compare takes time: of very many names only those that begin and end most like it are looked at.
        alike = heapq.nlargest(COMPARED, alike, key=lambda text: _ends_alike(name, text))
    words = re.compile(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])") if re.search(r"\w{2}", name) else None
    holding = [text for text in known_names if words and words.search(text)]
    return difflib.get_close_matches(name, alike, n=most) or (holding if len(holding) <= most else [])


def _ends_alike(one: str, other: str) -> int:
    """Count the characters by which two texts begin and end alike."""
    first = sum(1 for _ in takewhile(bool, map(eq, one, other)))
    return first + sum(1 for _ in takewhile(bool, map(eq, reversed(one[first:]), reversed(other[first:]))))


def told(error: BaseException) -> str:
    r"""Return what someone else's code raised as a part of a sentence: its type and, in one line, what it says.

    Examples
    --------
    >>> told(MemoryError()), told(ValueError("two\nlines"))
    ('MemoryError', 'ValueError: two lines')
    """
    return ": ".join([type(error).__name__, *filter(None, [" ".join(str(error).split())])])
