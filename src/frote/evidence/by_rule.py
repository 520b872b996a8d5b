"""Answers rule by rule, as text and as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frote.layout import Column, as_list, as_sentence, as_shown, as_table
from frote.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["html_by_rule", "text_by_rule"]


def text_by_rule(told: Mapping[str, str], notes: Sequence[str]) -> str:
    """Write notes, and below them a line for each rule.

    Examples
    --------
    >>> print(text_by_rule({"young": "proven", "old": "open"}, ["One rule covers nothing."]))
    One rule covers nothing.
    young  proven
    old    open
    >>> print(text_by_rule({}, []))
    There is no rule.
    """
    if not told:
        return "\n".join([*notes, "There is no rule."])
    names = [visible(rule, lines=False) for rule in told]
    width = max(map(len, names))
    return "\n".join([*notes, *(f"{name:<{width}}  {text}" for name, text in zip(names, told.values(), strict=True))])


def html_by_rule(told: Mapping[str, str], title: str, notes: Sequence[str], about: str) -> str:
    """Write the same for a notebook, with a title above what is told and a sentence below.

    Examples
    --------
    >>> "<td>young</td><td>proven</td>" in html_by_rule({"young": "proven"}, "answer", [], "Of all rows.")
    True
    """
    columns = [Column("rule", list(told)), Column(title, list(told.values()))]
    return as_shown(as_list(notes), as_table(columns) if told else "", as_sentence(about))
