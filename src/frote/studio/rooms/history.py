"""The room *History*: every version and every edit, who, when and why; two of them side by side; back and forth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import Response
from starlette.routing import Route

from frote.studio.errors import StudioError
from frote.studio.meaning import compared
from frote.studio.pages import form, fragment, in_thread, page, state_of
from frote.studio.words import HOW, STATES, clock_words

if TYPE_CHECKING:
    from starlette.requests import Request

    from frote.studio.state import State
    from frote.studio.versions import Version

__all__ = ["ROUTES"]

SHOWN = 200  # versions that are listed


async def show(request: Request) -> Response:
    """Show the room."""
    state, asked = state_of(request), request.query_params
    context = await in_thread(_context, state, asked.get("one", ""), asked.get("other", ""))
    return page(request, "history.html.j2", room="history", **context)


async def versions(request: Request) -> Response:
    """Show the list of versions."""
    context = await in_thread(_context, state_of(request), "", "")
    return fragment(request, "history/listed.html.j2", **context)


async def keep(request: Request) -> Response:
    """Keep a version of what is being written."""
    state, given = state_of(request), await form(request)
    who = _named(state, given)
    facts = {name: given[name].strip() for name in ("owner", "effective") if name in given}

    def kept() -> Version:
        if facts:
            state.workspace.change(**facts)
        return state.workspace.keep_version(who, given.get("why", "").strip(), base=given.get("base") or None)

    return await _changed(request, await in_thread(kept))


async def propose(request: Request) -> Response:
    """Propose what is being written for signing."""
    state, given = state_of(request), await form(request)
    who = _named(state, given)
    return await _changed(request, await in_thread(state.workspace.propose, who, given.get("why", "").strip()))


async def undo(request: Request) -> Response:
    """Go back to the version before."""
    return await _changed(request, await in_thread(state_of(request).workspace.undo))


async def redo(request: Request) -> Response:
    """Do again what was undone."""
    return await _changed(request, await in_thread(state_of(request).workspace.redo))


async def restore(request: Request) -> Response:
    """Make an earlier version the current one, as a new one."""
    state, given = state_of(request), await form(request)
    who = _named(state, given)

    def restored() -> Version:
        return state.workspace.restore(given.get("id", ""), who=who, why=given.get("why", "").strip())

    return await _changed(request, await in_thread(restored))


async def name(request: Request) -> Response:
    """Remember who sits here."""
    state, given = state_of(request), await form(request)
    who = given.get("who", "").strip()
    if not who or len(who) > 200:
        raise StudioError("Say your name, in at most 200 letters.")
    await in_thread(lambda: state.workspace.change(who=who))
    return Response(status_code=204, headers={"x-go-to": "/history"})


async def _changed(request: Request, version: Version) -> Response:
    """Tell all pages of what the policy is now, and show the list."""
    state = state_of(request)
    digest = await in_thread(lambda: state.workspace.policy().digest)
    state.events.publish("policy", {"digest": digest, "number": version.number})
    context = await in_thread(_context, state, "", "")
    return fragment(request, "history/listed.html.j2", **context)


def _named(state: State, given: dict[str, str]) -> str:
    who = given.get("who", "").strip() or state.workspace.settings.who
    if who and who != state.workspace.settings.who and not state.workspace.read_only:
        state.workspace.change(who=who)
    return who


def _context(state: State, one: str, other: str) -> dict[str, Any]:
    """Return all that the room shows."""
    workspace = state.workspace
    found, current = workspace.history.versions(), workspace.current
    numbers = {version.id: version.number for version in found}
    edits: dict[str, list[dict[str, Any]]] = {}
    for run in state.runs.all():
        told = {"name": run.job.name, "state": run.state, "how": HOW[run.job.asked["how"]][0], "who": run.job.who}
        edits.setdefault(run.job.version, []).append(told)
    pair = _pair(workspace, one, other)
    table = None if state.desk is None else state.desk.table
    return {
        "versions": [_line(version, numbers, edits) for version in found[:SHOWN]],
        "more": max(len(found) - SHOWN, 0),
        "damaged": list(workspace.history.damaged),
        "current": current,
        "changed": workspace.changed,
        "can_undo": workspace.can_undo and not workspace.read_only,
        "can_redo": workspace.can_redo and not workspace.read_only,
        "draft": workspace.policy(),
        "states": STATES,
        "pair": pair,
        "compared": None if pair is None else compared(*pair, table),
    }


def _pair(workspace: Any, one: str, other: str) -> tuple[Version, Version] | None:
    """Return the two versions that are compared, the earlier one first."""
    if not one and not other:
        return None
    written = "now"
    pair = [
        workspace.written("", "What is being written.") if digest == written else workspace.history.version(digest)
        for digest in (one, other)
        if digest
    ]
    if len(pair) < 2:
        raise StudioError("Choose two versions to compare.")
    return min(pair, key=lambda version: version.number), max(pair, key=lambda version: version.number)


def _line(version: Version, numbers: dict[str, int], edits: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    return {
        "id": version.id,
        "number": version.number,
        "who": version.who,
        "when": clock_words(version.when),
        "why": version.why,
        "state": version.state,
        "parent": version.parent if version.parent in numbers else None,
        "from": numbers.get(version.parent or ""),
        "owner": version.owner,
        "effective": version.effective,
        "edits": edits.get(version.id, []),
        "signed": version.edit["name"] if version.edit else "",
        "reviews": len(version.reviews),
    }


ROUTES = [
    Route("/history", show),
    Route("/history/versions", versions),
    Route("/history/keep", keep, methods=["POST"]),
    Route("/history/propose", propose, methods=["POST"]),
    Route("/history/undo", undo, methods=["POST"]),
    Route("/history/redo", redo, methods=["POST"]),
    Route("/history/restore", restore, methods=["POST"]),
    Route("/history/who", name, methods=["POST"]),
]
