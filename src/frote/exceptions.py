"""The errors that frote raises for bad input.

Each holds nothing but its message, so that it survives a trip through a worker process::

    FroteError (a ValueError)
    ├── TableError         a frame or column that cannot be read
    ├── RuleSyntaxError    rule text that cannot be parsed: line, column, caret
    ├── RuleError          a rule or rule set that cannot be: two rules of one name, probabilities above 1
    ├── BindingError       rules that do not fit the columns or the classes of a table
    ├── ConflictError      rules that overlap and disagree
    ├── DatasetError       a data set that is unknown, absent or damaged
    └── CheckpointError    a checkpoint that is damaged or belongs to another run
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "BindingError",
    "CheckpointError",
    "ConflictError",
    "DatasetError",
    "FroteError",
    "RuleError",
    "RuleSyntaxError",
    "TableError",
    "nearest",
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


class CheckpointError(FroteError):
    """A checkpoint that is damaged, or belongs to another run."""


def nearest(name: str, known: Iterable[str], *, most: int = 3) -> str:
    """Say which known names a mistyped one may have meant, as the end of an error message.

    Parameters
    ----------
    name : str
        The unknown name.

    known : iterable of str
        The names there are.

    most : int, default=3
        How many near names to give; where none is near, the first few known ones are given.

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
    """
    names = list(dict.fromkeys(known))
    lowered = {text.casefold(): text for text in reversed(names)}
    close = [lowered[text] for text in difflib.get_close_matches(name.casefold(), lowered, n=most)]
    if close:
        return f"Did you mean {' or '.join(repr(text) for text in close)}?"
    if not names:
        return "There are none."
    listed = ", ".join(repr(text) for text in names[:8])
    return f"Known: {listed}, ... ({len(names)} in all)." if len(names) > 8 else f"Known: {listed}."
