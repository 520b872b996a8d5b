"""The data room: what the rules speak of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse
from starlette.routing import Route

from frote.studio.pages import page, state_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["ROUTES"]


async def show(request: Request) -> Response:
    """Show the room."""
    return page(request, "pending.html.j2", room="data")


async def opening(request: Request) -> Response:
    """Say how far the opening of a table is."""
    return PlainTextResponse(state_of(request).opening.state)


ROUTES = [Route("/data", show), Route("/data/opening", opening)]
