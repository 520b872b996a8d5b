"""The policy room: rules as text and as cards, with what they cover while they are written."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from frote.rules.completion import complete
from frote.rules.text import KEYWORDS, label_text
from frote.studio import changes
from frote.studio.desk import MOST_TEXT, TOO_LONG
from frote.studio.errors import StudioError, TooLongError
from frote.studio.pages import asked_json, fragment, in_thread, page, render, state_of, whole
from frote.studio.picture import case_lines, picture
from frote.studio.units import from_browser, to_browser
from frote.table import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from frote.rules.drafts import Draft
    from frote.studio.desk import Desk
    from frote.studio.state import State
    from frote.studio.summaries import Summary

__all__ = ["ROUTES"]


async def show(request: Request) -> Response:
    """Show the room."""
    state = state_of(request)
    opening, desk = state.lying_open()
    if desk is None:
        return page(request, "pending.html.j2", room="policy", opening=opening)
    draft = state.workspace.policy()
    first = await in_thread(_shown, state, draft.text, 0, lambda: None, frozenset())
    return page(
        request,
        "policy.html.j2",
        room="policy",
        draft=draft,
        keywords=sorted(KEYWORDS),
        opening=opening,
        **first,
        **_frame(desk),
    )


async def pulse(request: Request) -> Response:
    """Say what a text covers; a question that was overtaken gets no answer."""
    desk, given = state_of(request).require_desk(), await asked_json(request)
    text, cursor = str(given.get("text", "")), from_browser(str(given.get("text", "")), whole(given, "cursor"))
    go_on = desk.turns.take(str(given.get("page", ""))[:40], whole(given, "number"))
    known = given.get("known", ())
    held = frozenset(map(str, known)) if isinstance(known, list) else frozenset()
    shown = await in_thread(_shown, state_of(request), text, cursor, go_on, held)
    return fragment(request, "policy/pulse.html.j2", view=str(given.get("view", "")), **shown, **_frame(desk))


def _shown(state: State, text: str, cursor: int, go_on: Callable[[], None], known: frozenset[str]) -> dict[str, Any]:
    """Return all that the room shows of a text, and of the cases that are kept with it."""
    desk = state.require_desk()
    draw = partial(render, **_frame(desk))
    try:
        shown = picture(desk, text, cursor, go_on, draw=draw, known=known)
    except TooLongError as error:  # the page is there all the same, so that it can be made shorter
        shown = picture(desk, "", 0, go_on, draw=draw)
        shown["mistakes"] = [{"start": 0, "stop": 0, "words": str(error), "excerpt": ""}]
    with desk.lock:
        example = "" if shown["cards"] else _new_rule(desk, shown["picture"])
    return {**shown, **case_lines(desk, state.workspace, shown["picture"]), "example": example}


async def completions(request: Request) -> Response:
    """Say what can stand at the cursor."""
    desk, given = state_of(request).require_desk(), await asked_json(request)
    text = str(given.get("text", ""))
    if len(text) > MOST_TEXT:
        raise TooLongError(TOO_LONG)
    found = await in_thread(complete, text, from_browser(text, whole(given, "cursor")), desk.known)
    return JSONResponse(
        {
            "start": to_browser(text, found.start),
            "stop": to_browser(text, found.stop),
            "offered": [{"text": one.text, "kind": one.kind, "detail": one.detail} for one in found.offered[:60]],
        }
    )


async def save(request: Request) -> Response:
    """Save the text as it is being written."""
    workspace, given = state_of(request).workspace, await asked_json(request)
    text, base = str(given.get("text", "")), str(given.get("base", ""))
    if given.get("instead"):
        saved = await in_thread(workspace.replace_policy, text, workspace.settings.who)
    else:
        saved = await in_thread(workspace.save_policy, text, base)
    state_of(request).events.publish("policy", {"digest": saved.digest, "page": str(given.get("page", ""))[:40]})
    return JSONResponse({"digest": saved.digest})


async def current(request: Request) -> Response:
    """Return the text that is saved."""
    draft = state_of(request).workspace.policy()
    return JSONResponse({"text": draft.text, "digest": draft.digest})


async def change(request: Request) -> Response:
    """Say what a click changes in the text."""
    desk, given = state_of(request).require_desk(), await asked_json(request)
    text = str(given.get("text", ""))
    found = await in_thread(_changed, desk, desk.draft(text), given)
    return JSONResponse(
        {"start": to_browser(text, found.start), "stop": to_browser(text, found.stop), "text": found.text}
    )


def _changed(desk: Desk, draft: Draft, given: dict[str, Any]) -> changes.Change:
    """Work out one change; see `frote.studio.changes`."""
    number, column, value = whole(given, "rule"), str(given.get("column", "")), str(given.get("value", ""))
    kind = str(given.get("kind", ""))
    if kind in ("toggle", "missing"):
        summary = _summary(desk, column)
        level = None if kind == "missing" else _level(summary, value)
        return changes.toggle(draft, number, column, level, summary)
    if kind == "condition":
        return changes.add_condition(draft, number, column, _summary(desk, column))
    simple: dict[str, Callable[[], changes.Change]] = {
        "remove": lambda: changes.remove(draft, number, whole(given, "asked")),
        "rename": lambda: changes.rename(draft, number, value),
        "outcome": lambda: changes.outcome(draft, number, value, str(given.get("confidence", ""))),
        "delete": lambda: changes.delete(draft, number),
        "up": lambda: changes.move(draft, number, -1),
        "down": lambda: changes.move(draft, number, 1),
        "new": lambda: changes.add_rule(draft, _new_rule(desk, draft)),
        "take": lambda: changes.add_rule(draft, _taken(draft, value)),
    }
    if kind not in simple:
        raise StudioError("The studio knows no such change.")
    return simple[kind]()


def _summary(desk: Desk, column: str) -> Summary:
    if column not in desk.table.rows.table.schema:
        raise StudioError(f"The table has no column {column!r} any more.")
    return desk.summaries[column]


def _level(summary: Summary, text: str) -> Any:
    if summary.column.kind is Kind.BOOLEAN:
        return text == "true"
    found = next((level for level in summary.column.levels if str(level) == text), None)
    if found is None:
        raise StudioError(f"Column {summary.column.name!r} has no such level any more.")
    return found


def _new_rule(desk: Desk, draft: Draft) -> str:
    """Return a rule to begin with: the first column that is in none yet and names no rows, and the rarest label."""
    named = {asked.column for one in draft.written for asked in one.asked}
    names = desk.table.rows.table.schema.names
    left = [name for name in names if name not in named]
    column = next((name for name in left if not desk.summaries[name].names_rows), names[0])
    counts = desk.pulses.counted(desk.pulses.masks.packed(())).labels
    label = label_text(min(zip(counts, desk.labels.texts, strict=True))[1])
    start = desk.draft(f"x: IF TRUE THEN {label}")
    condition = changes.add_condition(start, 0, column, desk.summaries[column]).text
    return f"{changes.free_name(draft, 'new rule')}: IF {condition} THEN {label}"


def _taken(draft: Draft, text: str) -> str:
    """Return a rule that is taken over, under a name that is free."""
    from frote.rules import parse_rules
    from frote.rules.text import name_text

    rules = parse_rules(text)
    if len(rules) != 1:
        raise StudioError("Only one rule can be taken over at a time.")
    name = changes.free_name(draft, rules[0].origin)
    return f"{name_text(name, name)}: IF {rules[0].clause}\n    THEN {rules[0].outcome}"


def _frame(desk: Desk) -> dict[str, Any]:
    """Return what the room shows whatever the rules say."""
    return {"labels": desk.labels.texts, "model": desk.model, "columns": desk.table.rows.table.schema.names}


ROUTES = [
    Route("/policy", show),
    Route("/policy/pulse", pulse, methods=["POST"]),
    Route("/policy/complete", completions, methods=["POST"]),
    Route("/policy/change", change, methods=["POST"]),
    Route("/policy/save", save, methods=["POST"]),
    Route("/policy/text", current),
]
