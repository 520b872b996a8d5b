"""How the studio starts: a workspace is opened, an address is taken, and the address is told."""

from __future__ import annotations

import gc
import socket
import threading
import webbrowser
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import uvicorn

from frote.exceptions import FroteError
from frote.rules.written import WrittenRules
from frote.studio.app import create_app
from frote.studio.errors import StudioError
from frote.studio.runs import Runs
from frote.studio.security import LOOPBACK, Keys
from frote.studio.state import State
from frote.studio.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["Start", "collect_seldom", "serve", "start_state"]

DEMO = "loans.csv"  # in a workspace that nobody brought a table to
WAITING = 128  # connections before the first is answered


@dataclass(frozen=True, kw_only=True)
class Start:
    """What the studio is started with.

    Parameters
    ----------
    workspace : Path
        The folder that keeps all; it is made if it is not there.

    data : Path or None, default=None
        A table to open; None for the one that is there, or for made-up loan applications.

    target : str or None, default=None
        Its column of labels.

    rules : Path or None, default=None
        The rules that a new workspace begins with.

    model : str or None, default=None
        The name of a model; None for the one that is there, or the usual one.

    params : dict, default={}
        Its parameters.

    trusted : tuple of str, default=()
        Functions that may be run to make a model.
    """

    workspace: Path
    data: Path | None = None
    target: str | None = None
    rules: Path | None = None
    model: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    trusted: tuple[str, ...] = ()


def start_state(start: Start) -> State:
    """Open a workspace, with what it is started with.

    Raises
    ------
    FroteError
        If it cannot be opened, or what is brought along cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     state = start_state(Start(workspace=pathlib.Path(folder, "studio")))
    ...     state.workspace.settings.data, state.workspace.settings.target, len(state.workspace.policy().text) > 1000
    ...     state.close()
    ('data/loans.csv', 'decision', True)
    """
    policy, loans = _policy(start)
    workspace = Workspace.open(start.workspace, policy=policy)
    try:
        _furnish(workspace, start, loans)
    except BaseException:
        workspace.close()
        raise
    state = State(workspace, start.trusted)
    state.runs = Runs(workspace, state.events.publish, start.trusted)
    return state


def _policy(start: Start) -> tuple[str, Any]:
    """Return the rules that a new workspace begins with, and the loans where nobody brought a table."""
    loans = None
    if start.data is None and not (start.workspace / "studio.json").exists():
        from frote.datasets import load_loans

        loans = load_loans()
    if start.rules is not None:
        return WrittenRules.read(start.rules).text, loans
    return ("" if loans is None else loans.rules_text), loans


def _furnish(workspace: Workspace, start: Start, loans: Any) -> None:
    """Bring in what the studio is started with."""
    if workspace.read_only:
        return
    changed: dict[str, Any] = {}
    if loans is not None and not workspace.settings.data:
        content = loans.X.assign(**{str(loans.y.name): loans.y}).to_csv(index=False, lineterminator="\n").encode()
        changed |= {"data": workspace.tables.add(DEMO, [content], most=len(content)), "target": str(loans.y.name)}
        changed |= {"model": "forest", "params": {"min_samples_leaf": 5}, "favourable": "approved"}
        changed |= {"title": "New lending policy"}
    if start.data is not None:
        changed |= {"data": workspace.tables.take(start.data)}
        if start.target is None and not workspace.settings.target:
            changed |= {"target": ""}
    if start.target is not None:
        changed["target"] = start.target
    if start.model is not None:
        changed |= {"model": start.model, "params": start.params}
    if changed:
        workspace.change(**changed)


def collect_seldom() -> None:
    """Let Python look for garbage seldom: a look at all that a large policy is made of takes longer than an answer."""
    gc.set_threshold(20_000, 20, 20)


def serve(start: Start, *, host: str, port: int, password: str, browser: bool, tell: Callable[[object], None]) -> None:
    """Serve the studio until it is interrupted.

    Raises
    ------
    FroteError
        If it cannot start.
    """
    collect_seldom()
    state = start_state(start)
    try:
        listening = _listening(host, port)
    except FroteError:
        state.close()
        raise
    taken = listening.getsockname()[1]
    keys = Keys(taken, names=_names(host), password=password)
    shown = "127.0.0.1" if host in ("127.0.0.1", "0.0.0.0", "::") else host
    config = uvicorn.Config(
        create_app(state, keys),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=1,
        timeout_keep_alive=75,
        h11_max_incomplete_event_size=64 * 1024,
    )
    if state.workspace.read_only:
        tell(state.workspace.read_only)
    tell(f"The studio is open, with all it keeps in {start.workspace}:\n\n    {keys.address(shown)}\n\nCtrl-C ends it.")
    if browser:
        threading.Timer(0.5, webbrowser.open, (keys.address(shown),)).start()
    uvicorn.Server(config).run(sockets=[listening])


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(WAITING)  # from here on whoever opens the address that is printed gets an answer
    except (OSError, OverflowError) as error:
        listening.close()
        said = getattr(error, "strerror", None) or error
        raise StudioError(f"The studio cannot listen on {host}, port {port}: {said}. Give another --port.") from None
    return listening


def _names(host: str) -> tuple[str, ...]:
    """Return the names that a browser may ask for this machine by."""
    if host == "127.0.0.1":
        return LOOPBACK
    own = {host, socket.gethostname(), socket.getfqdn()}
    with suppress(OSError):
        own |= {str(found[4][0]) for found in socket.getaddrinfo(socket.gethostname(), None)}
    return (*LOOPBACK, *sorted(f"[{name}]" if ":" in name else name for name in own))
