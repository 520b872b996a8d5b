"""What only the owner can say: the texts of a file that is the owner's, and that nothing here ever overwrites."""

from __future__ import annotations

import datetime as dt
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from frote.exceptions import RecordError, nearest
from frote.report.dossier.contents import Block, Points, Text
from frote.report.dossier.known import CroissantFacts
from frote.report.dossier.outline import OUTLINE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Owned", "blank", "read_owned"]

TABLE = "croissant"
HEAD = """\
# What only the owner can say. Write between the quotes: frote dossier takes it in, and never changes this file.
# Texts are plain: an empty line begins a paragraph, and lines that begin with "- " are a list.
"""
MACHINES = """\
# For croissant.json: license and url are addresses, such as https://spdx.org/licenses/CC-BY-4.0; the creator is an
# organisation; a date is written like 2026-11-18.
"""


@dataclass(frozen=True, slots=True)
class Owned:
    """What the owner says: texts by the keys of parts, and facts for machines; what is not said is not there."""

    texts: Mapping[str, str] = field(default_factory=dict)
    croissant: CroissantFacts = field(default_factory=CroissantFacts)

    def written(self, key: str) -> tuple[Block, ...]:
        r"""Return what is said in answer to a part's question: paragraphs and lists.

        Examples
        --------
        >>> Owned({"provider": "We.\n\n- one\n- two"}).written("provider")
        (Text(text='We.', kind='text'), Points(items=('one', 'two'), kind='points'))
        """
        paragraphs = self.texts.get(key, "").split("\n\n")
        return tuple(_block(lines) for lines in (_lines(paragraph) for paragraph in paragraphs) if lines)


def _lines(paragraph: str) -> list[str]:
    return [line.strip() for line in paragraph.splitlines() if line.strip()]


def _block(lines: list[str]) -> Block:
    if all(line.startswith("- ") for line in lines):
        return Points(tuple(line.removeprefix("- ") for line in lines))
    return Text(" ".join(lines))


def read_owned(text: str, where: str) -> Owned:
    """Read what the owner wrote.

    Parameters
    ----------
    text : str
        TOML, as `blank` makes it.

    where : str
        The file, for messages.

    Returns
    -------
    Owned

    Raises
    ------
    RecordError
        If it is no such file, or names a part that there is not.

    Examples
    --------
    >>> read_owned("intended-use = 'Loans up to 20,000.'", "owner.toml").texts
    {'intended-use': 'Loans up to 20,000.'}
    """
    try:
        given = tomllib.loads(text)
    except RecursionError:
        raise RecordError(f"{where} cannot be read: it nests too deeply.") from None
    except ValueError as error:
        raise RecordError(f"{where} cannot be read: {error}.") from None
    machines = given.pop(TABLE, {})
    if not isinstance(machines, dict):
        raise RecordError(f"{where}: {TABLE!r} is a table. Write its names below a line with [{TABLE}].")
    facts: Any = _texts(machines, CroissantFacts.__annotations__, f"{where}: [{TABLE}]")
    _require_date(facts.get("datePublished"), where)
    return Owned(_texts(given, [part.key for section in OUTLINE for part in section.parts if part.asks], where), facts)


def _texts(given: Mapping[str, Any], known: Any, where: str) -> dict[str, str]:
    """Return the texts that are not empty."""
    for name, value in given.items():
        if name not in known:
            raise RecordError(f"{where} has no part {name!r}. {nearest(name, known)}")
        if not isinstance(value, str):
            raise RecordError(f"{where}: {name!r} is a text in quotes, and not {str(value)[:40]!r}.")
    return {name: value.strip() for name, value in given.items() if value.strip()}


def _require_date(date: str | None, where: str) -> None:
    if date is None:
        return
    try:
        dt.date.fromisoformat(date)
    except ValueError:
        raise RecordError(f"{where}: datePublished is a date such as 2026-11-18, and not {date!r}.") from None


def blank() -> str:
    """Return the file as the owner finds it first: all questions, and no answers.

    Examples
    --------
    >>> read_owned(blank(), "owner.toml").texts
    {}
    """
    return (
        "\n".join(
            [HEAD, *_asked(), MACHINES + f"[{TABLE}]", *(f'{name} = ""' for name in CroissantFacts.__annotations__)]
        )
        + "\n"
    )


def _asked() -> Iterator[str]:
    for section in OUTLINE:
        questions = [part for part in section.parts if part.asks]
        if questions:
            yield f"# --- {section.title} ---\n"
        for part in questions:
            point = f" ({section.point_of(part)})" if part.point else ""
            yield f"# {part.title}{point}: {part.asks}\n{part.key} = '''\n'''\n"
