"""How the studio answers: whole pages, parts of pages, files, and mistakes in sentences."""

from __future__ import annotations

import logging
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from anyio import CapacityLimiter, to_thread
from starlette.responses import FileResponse, HTMLResponse, Response

from frote.report.page import environment as report_environment
from frote.studio.errors import OvertakenError, StudioError
from frote.studio.security import TooLargeError, TooSlowError
from frote.studio.turns import NobodyWaitsError
from frote.studio.words import share_words, took_words, wanted_words
from frote.visible import visible
from frote.ways_out import for_pages

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from jinja2 import Environment
    from starlette.requests import Request

    from frote.studio.state import State

__all__ = [
    "asked_json",
    "download",
    "form",
    "fragment",
    "in_thread",
    "not_found",
    "page",
    "refused",
    "render",
    "state_of",
    "unforeseen",
    "while_it_comes",
    "whole",
]

T = TypeVar("T")
LOG = logging.getLogger("frote.studio")
ROOMS = (
    ("data", "Data", "What the rules speak of"),
    ("policy", "Policy", "Write and try the rules"),
    ("edit", "Edit", "Change the model"),
    ("result", "Result", "Review and sign"),
    ("history", "History", "Who, when and why"),
)
STATUSES = {TooLargeError: 413, TooSlowError: 408, OvertakenError: 409}  # of a refusal; 422 of any other
FIELDS = 200  # of a form
TURNS = {"answer": 8, "upload": 4}  # how many are worked out, or come in, at the same time


def state_of(request: Request) -> State:
    """Return what the studio is at."""
    state: State = request.app.state.studio
    return state


def page(request: Request, template: str, *, room: str, status: int = 200, **context: Any) -> HTMLResponse:
    """Render a whole page.

    Parameters
    ----------
    request : Request
        Who asks.

    template : str
        Its name; it extends ``layout.html.j2``.

    room : str
        The room that it is in.

    status : int, default=200
        The status of the answer.

    **context
        What the template names, besides `state`, `settings`, `rooms` and `room`; `opening` where it shows a table, as
        of the moment when that lay open.
    """
    state = state_of(request)
    known = {"opening": state.opening, "rooms": ROOMS, "room": room, **context}
    text = (
        _environment()
        .get_template(template)
        .render(state=state, workspace=state.workspace, settings=state.workspace.settings, **known)
    )
    return HTMLResponse(text, status)


def fragment(request: Request, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """Render a part of a page; see `page`."""
    state = state_of(request)
    text = (
        _environment()
        .get_template(template)
        .render(state=state, workspace=state.workspace, settings=state.workspace.settings, **context)
    )
    return HTMLResponse(text, status)


def render(template: str, **context: Any) -> str:
    """Render a template that asks nothing of the studio."""
    return _environment().get_template(template).render(**context)


@cache
def _environment() -> Environment:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, PrefixLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader(
            [PackageLoader("frote.studio"), PrefixLoader({"report": PackageLoader("frote.report")})],
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    own = {"visible": partial(visible, lines=False), "share": share_words, "wanted": wanted_words, "took": took_words}
    environment.filters |= {**report_environment().filters, **own}
    return environment


@cache
def _limiter(what: str) -> CapacityLimiter:
    return CapacityLimiter(TURNS[what])


async def in_thread(work: Callable[..., T], *args: Any, **named: Any) -> T:
    """Do what takes long beside the loop that answers everyone."""
    return await _beside("answer", partial(work, *args, **named))


async def while_it_comes(work: Callable[..., T], *args: Any) -> T:
    """Do what waits for somebody to send it: however slowly that comes, it takes no turn from an answer."""
    return await _beside("upload", partial(work, *args))


async def _beside(what: str, work: Callable[[], T]) -> T:
    def working() -> T:
        with for_pages():
            return work()

    return await to_thread.run_sync(working, limiter=_limiter(what))


async def form(request: Request) -> dict[str, str]:
    """Return the texts of a form, by their names; of several of one name, the last."""
    async with request.form(max_files=0, max_fields=FIELDS) as given:
        return {name: value for name, value in given.items() if isinstance(value, str)}


async def asked_json(request: Request) -> dict[str, Any]:
    """Return what a script of ours asks.

    Raises
    ------
    StudioError
        If it is no such question.
    """
    try:
        given = await request.json()
    except StudioError:  # too much of it, or too slow
        raise
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise StudioError("The studio did not understand this page. Load it again.")
    return given


def whole(given: dict[str, Any], name: str) -> int:
    """Return a whole number of a question; 0 where none stands."""
    value = given.get(name, 0)
    return value if isinstance(value, int) and abs(value) < 2**53 else 0


def download(path: Path, name: str) -> FileResponse:
    """Return a file to be kept, under a name that holds whatever it holds."""
    plain = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-_. ") else "_" for sign in name)
    said = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    return FileResponse(
        path, headers={"content-disposition": said, "content-security-policy": "default-src 'none'; sandbox"}
    )


def refused(request: Request, error: Exception) -> Response:
    """Answer with a sentence what cannot be done."""
    if isinstance(error, NobodyWaitsError):
        return Response(status_code=204)
    status = next((status for kind, status in STATUSES.items() if isinstance(error, kind)), 422)
    return _told(request, str(error), status)


def unforeseen(request: Request, error: Exception) -> Response:
    """Answer a mistake of ours; the log has what happened."""
    LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return _told(request, "Something went wrong in the studio; the server's log has the rest.", 500)


def not_found(request: Request, error: Exception) -> Response:
    """Answer whoever asks for what is not there."""
    status = getattr(error, "status_code", 404)
    return _told(request, "There is nothing at this address.", status)


def _told(request: Request, text: str, status: int) -> Response:
    wants_a_page = request.method == "GET" and request.headers.get("sec-fetch-dest", "document") == "document"
    if wants_a_page and "x-part" not in request.headers:
        return page(request, "trouble.html.j2", room="", status=status, text=text)
    return fragment(request, "parts/trouble.html.j2", status=status, text=text)
