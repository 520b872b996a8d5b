"""A studio that is served, and a browser before it: Debian's Chromium, or the one that Playwright brought along."""

from __future__ import annotations

import shutil
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvicorn

from frote.studio.app import create_app
from frote.studio.runs import Runs
from frote.studio.security import Keys
from frote.studio.state import State

ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking")


@contextmanager
def served(workspace):
    """Serve a workspace on a free port; give the first address, and what the studio is at."""
    state = State(workspace)
    state.runs = Runs(workspace, state.events.publish)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        keys = Keys(listening.getsockname()[1])
        server = uvicorn.Server(uvicorn.Config(create_app(state, keys), log_level="error", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield keys.address(), state
        finally:
            server.should_exit = True
            thread.join(30)


def chromium(playwright: Any) -> Any:
    """Start a browser, or skip with the reason."""
    known = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    try:
        return playwright.chromium.launch(executable_path=known, args=list(ARGUMENTS))
    except Exception as error:
        return pytest.skip(f"no browser can be started: {str(error).splitlines()[0]}")


@dataclass
class Seen:
    """What a page said and asked for beside what it shows."""

    errors: list[str] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)

    def watch(self, page: Any) -> None:
        page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda asked: None if _is_here(asked.url) else self.strange.append(asked.url))


def _is_here(url: str) -> bool:
    return url.startswith(("http://127.0.0.1:", "data:", "blob:", "about:"))
