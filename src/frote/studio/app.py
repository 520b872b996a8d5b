"""The studio as a web application."""

from __future__ import annotations

import hashlib
from contextlib import asynccontextmanager
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from frote.exceptions import FroteError
from frote.studio.pages import not_found, refused, state_of, unforeseen
from frote.studio.rooms import ROUTES
from frote.studio.security import Guard
from frote.studio.turns import NobodyWaitsError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from frote.studio.security import Keys
    from frote.studio.state import State

__all__ = ["create_app"]

KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
REPORT_SHEET = "report.css"  # the style of the report, which is that of the studio too


def create_app(state: State, keys: Keys) -> Guard:
    """Return the studio as an ASGI application.

    Parameters
    ----------
    state : State
        What it is at.

    keys : Keys
        Who is let in.

    Returns
    -------
    ASGI application
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        state.open_table()
        yield
        state.close()

    app = Starlette(
        routes=[
            Route("/", _first),
            Route("/events", _events),
            Route("/static/{name}", _static),
            Route("/favicon.ico", _no_icon),
            *ROUTES,
        ],
        exception_handlers={
            FroteError: refused,
            NobodyWaitsError: refused,
            HTTPException: not_found,
            Exception: unforeseen,
        },
        lifespan=lifespan,
    )
    app.state.studio = state
    return Guard(app, keys)


async def _first(request: Request) -> Response:
    return RedirectResponse("/policy" if state_of(request).workspace.settings.target else "/data", 303)


async def _events(request: Request) -> Response:
    return StreamingResponse(state_of(request).events.stream(), media_type="text/event-stream")


async def _no_icon(_: Request) -> Response:
    return Response(status_code=204)  # pages name their own


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    found = _files().get(name)
    if found is None:
        raise HTTPException(404)
    content, kind, tag = found
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)


@cache
def _files() -> dict[str, tuple[bytes, str, str]]:
    """Return what pages are made with, by its name: what is not listed here is not served."""
    files = {path.name: path.read_bytes() for path in resources.files("frote.studio").joinpath("static").iterdir()}
    sheet = resources.files("frote.report").joinpath("templates", "style.css").read_bytes()
    return {
        name: (content, KINDS[name.rpartition(".")[2]], f'"{hashlib.sha256(content).hexdigest()[:20]}"')
        for name, content in {**files, REPORT_SHEET: sheet}.items()
    }
