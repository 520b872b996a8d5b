"""The studio behind its door, asked as a browser asks."""

from __future__ import annotations

import anyio
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


def knock(app, *asked):
    """Ask by what stands in a request, letter by letter, and return the status."""
    return anyio.run(knocking, app, *asked)


async def knocking(app, headers, method="GET", path="/policy", body=b"", until=None):
    """Ask with these headers; what is sent comes at once, or when `until` has been awaited."""
    found = []

    async def receive():
        if found:
            await anyio.sleep_forever()  # nobody goes away
        if until is not None:
            with anyio.fail_after(60):
                await until()
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        if message["type"] == "http.response.start":
            found.append(message["status"])

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", PORT),
    }
    await app(scope, receive, send)
    return found[0]
