"""What came of verifying a folder: one line for each thing that was looked at."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from frote.layout import Column, as_lines, counted

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Check", "State", "Verification", "checked", "untold"]

State: TypeAlias = Literal["holds", "fails", "open"]

SHOWN = {"holds": "holds", "fails": "DOES NOT HOLD", "open": "cannot be told"}
FACTS = 5  # that are told of one check; the others are counted


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Parameters
    ----------
    part : str
        What it is about: a file, or "signature" and the like.

    what : str
        What is to hold, as a sentence.

    state : {"holds", "fails", "open"}
        Whether it does; "open" is what cannot be told.

    facts : tuple of str, default=()
        Where it does not hold, or why it cannot be told.

    Examples
    --------
    >>> Check("edit.json", "The record is as its root says.", "holds").state
    'holds'
    """

    part: str
    what: str
    state: State
    facts: tuple[str, ...] = ()


def checked(part: str, what: str, faults: Iterable[str | None]) -> Check:
    """Return a check that holds if there is no fault.

    Examples
    --------
    >>> checked("ledger.csv", "Every row stands in it once.", ["row 3 does not"]).state
    'fails'
    """
    facts = [fault for fault in faults if fault]
    more = [f"and {len(facts) - FACTS:,} more"] if len(facts) > FACTS else []
    return Check(part, what, "fails" if facts else "holds", (*facts[:FACTS], *more))


def untold(part: str, what: str, why: str) -> Check:
    """Return a check that nobody can decide here."""
    return Check(part, what, "open", (why,))


@dataclass(frozen=True, slots=True)
class Verification:
    """What holds of the folder of an edit.

    Parameters
    ----------
    folder : str
        The folder.

    form : int
        The format of its record.

    checks : tuple of Check
        What was looked at.

    Examples
    --------
    >>> print(Verification("edit", 5, (Check("rules.rules", "The file is the one recorded.", "holds"),)))
           file         what is to hold
    holds  rules.rules  The file is the one recorded.
    <BLANKLINE>
    All that can be told holds: 1 check.
    """

    folder: str
    form: int
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing was found that does not hold."""
        return not self.failed

    @property
    def failed(self) -> tuple[Check, ...]:
        """What does not hold."""
        return tuple(check for check in self.checks if check.state == "fails")

    @property
    def plain(self) -> dict[str, Any]:
        """The same as plain data."""
        return {"holds": self.holds, **asdict(self)}

    def __str__(self) -> str:
        lines = as_lines(
            [
                Column("", [SHOWN[check.state] for check in self.checks]),
                Column("file", [check.part for check in self.checks]),
                Column("what is to hold", [check.what for check in self.checks]),
            ]
        )
        told = [lines[0]]
        for line, check in zip(lines[1:], self.checks, strict=True):
            told += [line, *(f"                - {fact}" for fact in check.facts)]
        return "\n".join([*told, "", self.verdict])

    @property
    def verdict(self) -> str:
        """What came of it, in a sentence."""
        counts = Counter(check.state for check in self.checks)
        untold = f"; {counts['open']} cannot be told from the folder alone" if counts["open"] else ""
        if counts["fails"]:
            parts = ", ".join(dict.fromkeys(check.part for check in self.failed))
            return f"{counts['fails']} of {counted(len(self.checks), 'check')} do not hold ({parts}){untold}."
        return f"All that can be told holds: {counted(counts['holds'], 'check')}{untold}."
