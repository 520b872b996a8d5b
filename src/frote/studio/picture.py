"""All that the policy room shows of a text: cards, conflicts, mistakes, and the cases that are kept with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frote.exceptions import FroteError
from frote.studio.cards import mistakes, witness_words
from frote.studio.drawn import drawn_card
from frote.studio.trying import cases_of
from frote.studio.units import to_browser

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from frote.rules.drafts import Draft
    from frote.studio.desk import Desk
    from frote.studio.drawn import Draw
    from frote.studio.pulse import Clash, Pulse
    from frote.studio.workspace import Workspace

__all__ = ["case_lines", "picture"]

MATRIX = 24  # rules that are shown as a matrix, at most
LISTED = 40  # conflicts that are told one by one


def picture(
    desk: Desk,
    text: str,
    cursor: int,
    go_on: Callable[[], None],
    *,
    draw: Draw,
    known: Collection[str] = (),
) -> dict[str, Any]:
    """Return all that the room shows of a text.

    Parameters
    ----------
    desk : Desk
        The table.

    text : str
        The rules.

    cursor : int
        Where somebody writes: the rule there is shown with its columns.

    go_on : callable
        Called between the parts; it raises if nobody waits for the answer any more.

    draw : Draw
        Draws a template.

    known : collection of str, default=()
        The digests of the parts of cards that the page has; see `drawn_card`.
    """
    go_on()
    with desk.lock:
        go_on()
        draft = desk.draft(text)
        beat = desk.pulse(draft, go_on)
        go_on()
        focus = draft.at(cursor)
        meetings = _meetings(beat)
        cards = []
        for number in range(len(draft.written)):
            meets = meetings.get(number, ())
            cards.append(drawn_card(desk, draft, beat, number, meets, draw, open_=number == focus, known=known))
            go_on()
    conflicts = beat.conflicts
    return {
        "picture": draft,
        "beat": beat,
        "focus": focus,
        "cards": cards,
        "mistakes": mistakes(draft),
        "starts": [to_browser(text, one.start) for one in draft.written],
        "stops": [to_browser(text, one.stop) for one in draft.written],
        "meeting": _matrix(draft, beat),
        "conflicts": [_conflict(draft, clash) for clash in conflicts[:LISTED]],
        "conflict_count": len(conflicts),
    }


def _meetings(beat: Pulse) -> dict[int, list[Clash]]:
    """Return the pairs that each rule is one of."""
    found: dict[int, list[Clash]] = {}
    for clash in beat.clashes:
        found.setdefault(clash.first, []).append(clash)
        found.setdefault(clash.second, []).append(clash)
    return found


def _conflict(draft: Draft, clash: Clash) -> dict[str, Any]:
    return {
        "first": draft.written[clash.first],
        "second": draft.written[clash.second],
        "numbers": (clash.first, clash.second),
        "outcomes": [draft.written[one].rules[0].outcome for one in (clash.first, clash.second)],
        "rows": clash.rows,
        "witness": witness_words(clash.witness),
    }


def _matrix(draft: Draft, beat: Pulse) -> list[dict[str, Any]]:
    """Return which rules meet which as a matrix, if there are few."""
    numbers = sorted(beat.rules)
    if not 2 <= len(numbers) <= MATRIX:
        return []
    pairs = {(clash.first, clash.second): clash for clash in beat.clashes}
    lines = []
    for row in numbers:
        cells = []
        for column in numbers:
            clash = pairs.get((min(row, column), max(row, column)))
            own = row == column
            rows = beat.rules[row].inside.rows if own else clash.rows if clash else 0
            cells.append({"own": own, "rows": rows, "conflict": bool(clash and clash.witness is not None)})
        lines.append({"number": row, "name": draft.written[row].name, "cells": cells})
    return lines


def case_lines(desk: Desk, workspace: Workspace, draft: Draft) -> dict[str, Any]:
    """Return the cases that are kept, each with what the rules and the model answer, and how many hold."""
    kept = workspace.cases()
    lines: list[dict[str, Any]] = []
    error = ""
    if kept.text:
        try:
            cases = desk.cases(kept.digest, lambda: cases_of(desk, workspace.files.path("cases.csv")))
            frame = cases.by_rules(draft.rules).frame
            said = desk.model.answers.get(kept.digest, {})
            lines = [
                {
                    "name": str(name),
                    "expected": str(line.expected),
                    "answer": None if line.answer is None else str(line.answer),
                    "holds": line.holds,
                    "rule": line.rule,
                    "why": line.why,
                    "said": said.get(str(name)),
                }
                for name, line in zip(frame.index, frame.itertuples(), strict=True)
            ]
        except FroteError as caught:
            error = str(caught)
    return {
        "cases": lines,
        "cases_error": error,
        "cases_held": sum(line["holds"] is True for line in lines),
        "cases_broken": sum(line["holds"] is False for line in lines),
    }
