"""What the policy room shows beside the rules: ways out of conflicts, and the rules that the model follows."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from frote.exceptions import FroteError
from frote.studio.errors import StudioError
from frote.studio.pages import asked_json, fragment, in_thread, state_of
from frote.studio.resolutions import resolutions

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from frote.studio.desk import Model
    from frote.studio.state import State

__all__ = ["ROUTES"]

LOG = logging.getLogger("frote.studio")


async def ways(request: Request) -> Response:
    """Show what each way of resolving makes of the conflicts."""
    desk, given = state_of(request).require_desk(), await asked_json(request)
    rules = desk.draft(str(given.get("text", ""))).rules
    with_lock = await in_thread(_ways, desk, rules)
    return fragment(request, "policy/ways.html.j2", ways=with_lock)


def _ways(desk: Any, rules: Any) -> Any:
    with desk.lock:
        return resolutions(desk, rules)


async def choose(request: Request) -> Response:
    """Settle how conflicts are resolved; asked for again, it is settled no more."""
    state, given = state_of(request), await asked_json(request)
    way = str(given.get("way", ""))
    chosen = None if way == state.workspace.settings.resolve else way
    await in_thread(state.workspace.change, resolve=chosen)
    state.events.publish("resolve", {"way": chosen})
    return await ways(request)


async def model_rules(request: Request) -> Response:
    """Show the rules that the model follows now."""
    return fragment(request, "policy/model.html.j2", model=state_of(request).require_desk().model)


async def explain(request: Request) -> Response:
    """Ask for the rules that the model follows now."""
    state = state_of(request)
    model = state.require_desk().model
    if model.state != "ready" or model.away is None:
        raise StudioError("There is no model to ask yet.")
    if model.explaining not in ("asked", "done"):
        model.explaining = "asked"
        threading.Thread(target=_explain, args=(state, model), name="explain", daemon=True).start()
    return await model_rules(request)


def _explain(state: State, model: Model) -> None:
    try:
        model.explained = model.away.explain() if model.away is not None else []
        model.explaining = "done"
    except FroteError as error:
        model.explaining = str(error)
    except Exception:
        LOG.exception("The model could not be explained")
        model.explaining = "The model could not be explained; the server's log has the reason."
    state.events.publish("explained", {})


ROUTES = [
    Route("/policy/ways", ways, methods=["POST"]),
    Route("/policy/resolve", choose, methods=["POST"]),
    Route("/policy/model", model_rules),
    Route("/policy/explain", explain, methods=["POST"]),
]
