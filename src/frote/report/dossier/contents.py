"""What a dossier is made of, before it is a page: sections of parts, parts of texts, lists, facts and tables.

All texts are plain: whatever renders them escapes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Block", "Code", "Dossier", "Facts", "Grid", "Part", "Points", "Reference", "Section", "Text"]


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph."""

    text: str
    kind: str = "text"


@dataclass(frozen=True, slots=True)
class Points:
    """A list of texts."""

    items: tuple[str, ...]
    kind: str = "points"


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts by name."""

    pairs: tuple[tuple[str, str], ...]
    kind: str = "facts"


@dataclass(frozen=True, slots=True)
class Code:
    """A text that is shown as it is written."""

    text: str
    kind: str = "code"


@dataclass(frozen=True, slots=True)
class Grid:
    """A table.

    Parameters
    ----------
    title : str
        What it shows.

    head : tuple of str
        What stands above its columns.

    lines : tuple of tuple of str
        Its cells.

    texts : int, default=1
        How many of its columns, from the left, hold texts; the others hold numbers.
    """

    title: str
    head: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    texts: int = 1
    kind: str = "grid"


Block: TypeAlias = Text | Points | Facts | Code | Grid


@dataclass(frozen=True, slots=True)
class Reference:
    """Another part that tells more: its key, number and title, and whether it is still to be written by the owner."""

    key: str
    number: str
    title: str
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a section.

    Parameters
    ----------
    key, number, title : str
        What it is called.

    point : str, default=""
        The point of a document that it answers, where it answers one.

    blocks : tuple, default=()
        What is told from the record.

    see : tuple of Reference, default=()
        Where more is told.

    asks : str, default=""
        What the owner is asked, if the owner has a say.

    written : tuple, default=()
        What the owner wrote.
    """

    key: str
    number: str
    title: str
    point: str = ""
    blocks: tuple[Block, ...] = ()
    see: tuple[Reference, ...] = ()
    asks: str = ""
    written: tuple[Block, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether the owner is asked and wrote nothing."""
        return bool(self.asks) and not self.written


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its key, number and title, what it is, and its parts."""

    key: str
    number: str
    title: str
    lead: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Dossier:
    """All that a dossier tells.

    Parameters
    ----------
    title, verdict : str
        Of the edit.

    facts : Facts
        What it is about, in a few words.

    cautions : tuple of str
        What must not be overlooked.

    sections : tuple of Section
        All sections.

    made_from : Facts
        The files that it was made from, and what says which they are.

    Examples
    --------
    >>> part = Part("intended-use", "1.3", "Intended use", asks="What is it for?")
    >>> section = Section("card", "1", "Model card", "What the model is.", (part,))
    >>> dossier = Dossier("New policy", "It did.", Facts(()), (), (section,), Facts(()))
    >>> dossier.count, [one.key for one in dossier.open_parts]
    (1, ['intended-use'])
    """

    title: str
    verdict: str
    facts: Facts
    cautions: tuple[str, ...]
    sections: tuple[Section, ...]
    made_from: Facts

    @property
    def parts(self) -> tuple[Part, ...]:
        """All parts of all sections."""
        return tuple(part for section in self.sections for part in section.parts)

    @property
    def count(self) -> int:
        """How many parts tell something, or are to: those that only say where are none."""
        return sum(bool(part.blocks or part.asks) for part in self.parts)

    @property
    def open_parts(self) -> tuple[Part, ...]:
        """The parts that are still to be written by the owner."""
        return tuple(part for part in self.parts if part.is_open)
