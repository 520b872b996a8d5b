"""What the policy room answers about single rows: rows of a rule, a row that is tried, and cases that are kept."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from frote.exceptions import FroteError
from frote.rules.linear import columns_of
from frote.rules.masks import count
from frote.studio.errors import StudioError
from frote.studio.pages import asked_json, fragment, in_thread, state_of, whole
from frote.studio.picture import case_lines
from frote.studio.trying import (
    cell_text,
    keep_case,
    remove_case,
    row_texts,
    some_places,
    texts_of_case,
    try_row,
    typed_row,
)

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from frote.rules.condition import Condition
    from frote.rules.linear import Key
    from frote.studio.desk import Desk
    from frote.studio.state import State

__all__ = ["ROUTES"]

SHOWN = 12  # rows of a rule that are looked at
MOST_TEXT = 2_000  # characters of a field


async def rows(request: Request) -> Response:
    """Show rows that a rule covers, and rows that miss it by one condition."""
    desk, given = state_of(request).require_desk(), await asked_json(request)
    found = await in_thread(_rows, desk, str(given.get("text", "")), whole(given, "rule"))
    return fragment(request, "policy/rows.html.j2", **found)


def _rows(desk: Desk, text: str, number: int) -> dict[str, Any]:
    draft = desk.draft(text)
    if not 0 <= number < len(draft.written) or not draft.written[number].rules:
        raise StudioError("Something is wrong with this rule. Mend it first.")
    one = draft.written[number]
    with desk.lock:
        known = desk.pulses.known(draft, one)
        near = desk.pulses.near(known.pieces) & ~known.bits
        named = list(dict.fromkeys(name for piece in known.pieces for name in piece.clause.columns))
        groups = [
            {
                "title": title,
                "rows": [_row(desk, known.pieces, named, place) for place in _some(desk, bits)],
                "of": count(bits),
            }
            for title, bits in (("Miss it by one condition", near), ("Covered", known.bits))
        ]
    return {"rule": one.name, "columns": named, "groups": groups}


def _some(desk: Desk, bits: Any) -> list[int]:
    return some_places(bits, len(desk.table.rows), SHOWN)


def _row(desk: Desk, pieces: Any, named: list[str], place: int) -> dict[str, Any]:
    """Return a row with the columns of a rule, and whether it meets what the rule asks of each."""
    table = desk.table.rows.table
    met = [{key: _meets(desk, (key, condition), place) for key, condition in piece.clause} for piece in pieces]
    nearest = max(met, key=lambda one: sum(one.values()) - len(one))
    failed = set(columns_of(key for key, meets in nearest.items() if not meets))
    return {
        "place": place,
        "label": desk.labels.texts[desk.labels.codes[place]],
        "cells": [{"text": cell_text(table, table.schema[name], place), "met": name not in failed} for name in named],
    }


def _meets(desk: Desk, condition: tuple[Key, Condition], place: int) -> bool:
    """Tell whether a row meets a condition: its bit in the mask."""
    return bool(desk.pulses.masks.packed([condition])[place // 8] >> (7 - place % 8) & 1)


async def trial(request: Request) -> Response:
    """Show the form of a row, filled from somewhere."""
    state, given = state_of(request), await asked_json(request)
    desk = state.require_desk()
    texts, name = await in_thread(_filled, state, given)
    result = await in_thread(_tried, state, given, texts)
    return fragment(request, "policy/try.html.j2", **_form(desk, texts), **result, filled_from=name)


async def tried(request: Request) -> Response:
    """Say which rule fires for the row in the form, and what the model says of it."""
    state, given = state_of(request), await asked_json(request)
    texts = _texts(given)
    return fragment(request, "policy/tried.html.j2", **await in_thread(_tried, state, given, texts))


def _filled(state: State, given: dict[str, Any]) -> tuple[dict[str, str], str]:
    """Return the fields of a row: one of the table, a case that is kept, or any."""
    desk, wanted = state.require_desk(), str(given.get("from", ""))
    if wanted == "case":
        name = str(given.get("name", ""))
        return texts_of_case(state.workspace.cases().text, desk, name), name
    if wanted == "row":
        place = whole(given, "place")
        if not 0 <= place < len(desk.table.rows):
            raise StudioError("This row is not there any more.")
        return row_texts(desk, place), f"row {place + 1:,}"
    place = random.randrange(len(desk.table.rows))
    return row_texts(desk, place), f"row {place + 1:,}"


def _texts(given: dict[str, Any]) -> dict[str, str]:
    values = given.get("values", {})
    if not isinstance(values, dict):
        raise StudioError("The studio did not understand this page. Load it again.")
    return {str(name): str(value)[:MOST_TEXT] for name, value in values.items()}


def _form(desk: Desk, texts: dict[str, str]) -> dict[str, Any]:
    schema = desk.table.rows.table.schema
    fields = []
    for column in schema:
        levels = [str(level).lower() if column.kind == "boolean" else str(level) for level in column.levels]
        fields.append(
            {
                "name": column.name,
                "kind": str(column.kind),
                "value": texts.get(column.name, ""),
                "levels": levels if len(levels) <= 100 else [],
                "missing": column.nullable,
            }
        )
    return {"fields": fields, "labels": desk.labels.texts}


def _tried(state: State, given: dict[str, Any], texts: dict[str, str]) -> dict[str, Any]:
    desk = state.require_desk()
    try:
        row, table = typed_row(desk, texts)
        trials = try_row(desk.draft(str(given.get("text", ""))).rules, table)
    except FroteError as error:
        return {"trials": [], "fault": str(error), "answer": None, "chances": {}, "model": desk.model}
    answer: Any = None
    chances: dict[str, float] = {}
    if desk.model.state == "ready" and desk.model.away is not None:
        answer, chances = desk.model.away.predict(row)
    return {"trials": trials, "fault": "", "answer": answer, "chances": chances, "model": desk.model}


async def keep(request: Request) -> Response:
    """Keep the row in the form as a case."""
    return await _changed(request, keeps=True)


async def remove(request: Request) -> Response:
    """Forget a case."""
    return await _changed(request, keeps=False)


async def _changed(request: Request, *, keeps: bool) -> Response:
    state, given = state_of(request), await asked_json(request)
    await in_thread(_change, state, given, keeps)
    state.events.publish("cases", {})
    return await show(request)


def _change(state: State, given: dict[str, Any], keeps: bool) -> None:
    desk, kept = state.require_desk(), state.workspace.cases()
    name = str(given.get("name", ""))[:200]
    if keeps:
        expected, why = str(given.get("expected", "")), str(given.get("why", ""))[:MOST_TEXT]
        if expected not in desk.labels.texts:
            raise StudioError("Say which label the case is to get.")
        texts = _texts(given)
        typed_row(desk, texts)
        text = keep_case(kept.text, desk, texts, name=name, expected=expected, why=why)
    else:
        text = remove_case(kept.text, desk, name)
    state.workspace.save_cases(text, kept.digest)


async def show(request: Request) -> Response:
    """Show the cases that are kept, with what the rules and the model answer."""
    state = state_of(request)
    given = await asked_json(request) if request.method == "POST" else {}
    text = str(given.get("text", "")) or state.workspace.policy().text
    lines = await in_thread(_lines, state, text)
    return fragment(request, "policy/cases.html.j2", model=state.require_desk().model, **lines)


def _lines(state: State, text: str) -> dict[str, Any]:
    """Return the cases; what the model answers is asked once for each file of them."""
    desk, kept = state.require_desk(), state.workspace.cases()
    model = desk.model
    if kept.text and model.state == "ready" and model.away is not None and kept.digest not in model.answers:
        try:
            answers = model.away.cases(state.workspace.files.path("cases.csv"))
            model.answers = {kept.digest: {str(name): str(label) for name, label in answers.items()}}
        except FroteError:
            model.answers = {kept.digest: {}}  # what is wrong with the cases is told beside them
    return case_lines(desk, state.workspace, desk.draft(text))


ROUTES = [
    Route("/policy/rows", rows, methods=["POST"]),
    Route("/policy/trial", trial, methods=["POST"]),
    Route("/policy/tried", tried, methods=["POST"]),
    Route("/policy/cases", show, methods=["POST"]),
    Route("/policy/cases/keep", keep, methods=["POST"]),
    Route("/policy/cases/remove", remove, methods=["POST"]),
]
