"""The data room: what the rules speak of, and how each column is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from anyio import from_thread
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from frote.compare.protected import split
from frote.exceptions import FroteError
from frote.files import read_table
from frote.rules.masks import count
from frote.rules.text import column_text
from frote.studio.cards import bars_of, histogram_of, level_bars
from frote.studio.errors import StudioError
from frote.studio.pages import form, fragment, in_thread, page, state_of, while_it_comes
from frote.studio.security import MOST_UPLOADED

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from starlette.requests import Request

    from frote.studio.desk import Desk
    from frote.studio.state import State
    from frote.studio.summaries import Summary

__all__ = ["ROUTES"]

MOST_COLUMNS = 200  # that are drawn
KINDS = {
    "integer": "whole numbers",
    "continuous": "numbers",
    "categorical": "categories",
    "boolean": "true or false",
    "datetime": "dates",
}


async def show(request: Request) -> Response:
    """Show the room."""
    state = state_of(request)
    return page(request, "data.html.j2", room="data", **await in_thread(_shown, state))


async def part(request: Request) -> Response:
    """Show the columns again."""
    return fragment(request, "data/parts.html.j2", **await in_thread(_shown, state_of(request)))


def _shown(state: State) -> dict[str, Any]:
    opening, desk = state.lying_open()
    settings = state.workspace.settings
    protected = split(settings.protected)
    names = [] if desk is None else list(desk.table.rows.table.schema.names)
    found, error = _found(state) if desk is None else ([], "")
    return {
        "tables": state.workspace.tables.names(),
        "desk": desk,
        "columns": [] if desk is None else [_column(desk, state, name, protected) for name in names[:MOST_COLUMNS]],
        "more": max(0, len(names) - MOST_COLUMNS),
        "balance": [] if desk is None else _balance(desk),
        "labels": () if desk is None else desk.labels.texts,
        "other_protected": [
            text for text in protected if text not in {column_text(name) for name in names} | set(names)
        ],
        "found": found,
        "error": error or opening.error,
        "opening": opening,
        "kinds": KINDS,
    }


def _balance(desk: Desk) -> list[dict[str, Any]]:
    return bars_of(desk, list(map(count, desk.pulses.own)))


def _found(state: State) -> tuple[list[str], str]:
    """Return the columns of a table that no column of labels was chosen from yet; or why it cannot be read."""
    settings = state.workspace.settings
    if not settings.data or state.opening.state == "reading":
        return [], ""
    try:
        return list(map(str, read_table(state.workspace.tables.path(settings.data)).frame.columns)), ""
    except FroteError as error:
        return [], str(error)


def _column(desk: Desk, state: State, name: str, protected: tuple[str, ...]) -> dict[str, Any]:
    """Return a column as the room shows it."""
    with desk.lock:
        summary = desk.summaries[name]
    settings = state.workspace.settings
    given = "categorical" if name in settings.categorical else "numeric" if name in settings.numeric else ""
    return {
        "name": name,
        "kind": KINDS[str(summary.column.kind)],
        "given": given,
        "missing": summary.missing,
        "missing_share": summary.missing / len(desk.table.rows) if len(desk.table.rows) else 0.0,
        "distinct": summary.distinct,
        "protected": name in protected or column_text(name) in protected,
        "levels": level_bars(summary, summary.counts) if summary.column.kind.has_levels else [],
        "rest": summary.rest,
        "names_rows": summary.names_rows,
        "plot": None if summary.column.kind.has_levels else histogram_of(summary, summary.counts),
        "range": _range(summary),
    }


def _range(summary: Summary) -> str:
    if summary.column.kind.has_levels or not summary.quartiles:
        return ""
    bins = summary.bins
    least, most, middle = (summary.short(place) for place in (bins.least, bins.most, summary.quartiles[1]))
    more = "; another one in each row: leave it out if it only numbers them" if summary.names_rows else ""
    return f"{least} to {most}, half below {middle}{more}"


async def opening(request: Request) -> Response:
    """Say how far the opening of a table is."""
    return PlainTextResponse(state_of(request).opening.state)


async def open_(request: Request) -> Response:
    """Open a table of the workspace, or choose its column of labels."""
    state, given = state_of(request), await form(request)
    await in_thread(_open, state, given)
    return _go_to("/data")


def _open(state: State, given: dict[str, str]) -> None:
    settings = state.workspace.settings
    name = given.get("table", settings.data)
    state.workspace.tables.path(name)
    changed: dict[str, Any] = {"data": name}
    if name != settings.data:
        changed |= {
            "target": "",
            "categorical": (),
            "numeric": (),
            "ignore": (),
            "levels": {},
            "protected": "",
            "test": "",
        }
        columns = list(map(str, read_table(state.workspace.tables.path(name)).frame.columns))
        changed["target"] = settings.target if settings.target in columns else ""
    if "target" in given:
        changed["target"] = given["target"]
        changed["favourable"] = ""
    state.workspace.change(**changed)
    state.open_table()


async def change(request: Request) -> Response:
    """Take a column as something else, leave it out, or protect it."""
    state, given = state_of(request), await form(request)
    again = await in_thread(_change, state, given)
    if again:
        state.open_table()
        return _go_to("/data")
    return await part(request)


def _change(state: State, given: dict[str, str]) -> bool:
    """Change how a column is taken; tell whether the table must be read again for it."""
    settings, name = state.workspace.settings, given.get("column", "")
    desk = state.require_desk()
    if name not in desk.table.rows.table.schema:
        raise StudioError(f"The table has no column {name!r} any more.")
    protected = [text for text in split(settings.protected) if text not in (name, column_text(name))]
    if given.get("protected"):
        protected.append(column_text(name))
    kind, ignored = given.get("kind", ""), bool(given.get("ignored"))
    lists = {
        "categorical": list(settings.categorical),
        "numeric": list(settings.numeric),
        "ignore": list(settings.ignore),
    }
    for listed in lists.values():
        if name in listed:
            listed.remove(name)
    if kind in ("categorical", "numeric"):
        lists[kind].append(name)
    if ignored:
        lists["ignore"].append(name)
    before = {key: set(getattr(settings, key)) for key in lists}
    state.workspace.change(protected=", ".join(protected), **{key: tuple(listed) for key, listed in lists.items()})
    return any(set(listed) != before[key] for key, listed in lists.items())


async def bring_back(request: Request) -> Response:
    """Take a column in again that was left out."""
    state, given = state_of(request), await form(request)
    left = tuple(name for name in state.workspace.settings.ignore if name != given.get("column"))
    await in_thread(state.workspace.change, ignore=left)
    state.open_table()
    return _go_to("/data")


async def declare(request: Request) -> Response:
    """Say which label people hope for, what both models are judged on, and which model the edit starts from."""
    state, given = state_of(request), await form(request)
    known: dict[str, Any] = {name: given[name] for name in ("favourable", "title") if name in given}
    if given.get("test"):
        state.workspace.tables.path(given["test"])
    if "test" in given:
        known["test"] = given["test"]
    if "model" in given:
        known["model"], known["params"] = given["model"], {}
    before = state.workspace.settings
    await in_thread(state.workspace.change, **known)
    if state.workspace.settings.model != before.model:
        state.open_table()
        return _go_to("/data")
    return await part(request)


async def upload(request: Request) -> Response:
    """Take a table in, bounded, and open it."""
    state = state_of(request)
    name, stream = unquote(request.headers.get("x-file-name", "")), request.stream()
    taken = await while_it_comes(_taken, state, name, stream)
    await in_thread(_open, state, {"table": taken})
    return _go_to("/data")


def _taken(state: State, name: str, stream: AsyncIterator[bytes]) -> str:
    """Write a table piece by piece, as it comes in."""
    return state.workspace.tables.add(name, _pieces(stream), most=MOST_UPLOADED)


def _pieces(stream: AsyncIterator[bytes]) -> Iterator[bytes]:
    async def piece() -> bytes | None:
        return await anext(stream, None)

    while (content := from_thread.run(piece)) is not None:
        yield content


def _go_to(url: str) -> Response:
    return Response(status_code=200, headers={"x-go-to": url})


ROUTES = [
    Route("/data", show),
    Route("/data/opening", opening),
    Route("/data/parts", part),
    Route("/data/open", open_, methods=["POST"]),
    Route("/data/column", change, methods=["POST"]),
    Route("/data/back", bring_back, methods=["POST"]),
    Route("/data/declare", declare, methods=["POST"]),
    Route("/data/upload", upload, methods=["POST"]),
]
