"""The studio behind its door, asked as a browser asks."""

from __future__ import annotations

from starlette.testclient import TestClient

from frote.studio.app import create_app
from frote.studio.desk import Desk
from frote.studio.runs import Runs
from frote.studio.security import Keys
from frote.studio.state import Opening, State

PORT = 8765
HOME = f"http://127.0.0.1:{PORT}"


def opened(workspace):
    """Return a studio whose table lies open; no model is trained."""
    state = State(workspace)
    settings = workspace.settings
    state.desk = Desk.of(workspace.tables.path(settings.data), settings.columns, "logistic")
    state.opening = Opening(settings.data, "open")
    state.runs = Runs(workspace, state.events.publish)
    return state


def browser(state, keys=None, *, known=True):
    """Return a browser, which has come in or not."""
    keys = keys or Keys(PORT)
    client = TestClient(create_app(state, keys), base_url=HOME, follow_redirects=False, headers={"origin": HOME})
    client.keys = keys
    if known:
        client.cookies.set(keys.cookie, keys.session)
    return client
