"""What pages are told while they are open: server-sent events."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

__all__ = ["Events"]

WAITING = 1_000  # events that a page may leave unread; of more, the oldest are dropped
SILENCE = 15.0  # seconds, after which a word is sent so that nobody takes the line for dead


class Events:
    r"""What happens, told to every page that listens. Anyone may tell, from any thread.

    Examples
    --------
    >>> async def one():
    ...     events = Events()
    ...     stream = events.stream()
    ...     first = await anext(stream)
    ...     events.publish("run", {"step": 1})
    ...     return first, await anext(stream)
    >>> asyncio.run(one())
    (b'retry: 1000\n\n', b'event: run\ndata: {"step": 1}\n\n')
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._listeners: dict[asyncio.Queue[bytes | None], asyncio.AbstractEventLoop] = {}
        self._closed = False

    def publish(self, name: str, data: Any) -> None:
        """Tell all pages that listen.

        Parameters
        ----------
        name : str
            What happened, in one word.

        data : object
            What there is to know, as plain data.
        """
        self._send(f"event: {name}\ndata: {json.dumps(data)}\n\n".encode())

    def close(self) -> None:
        """End all streams: the studio stops."""
        self._closed = True
        self._send(None)

    def _send(self, message: bytes | None) -> None:
        with self._guard:
            listeners = list(self._listeners.items())
        for queue, loop in listeners:
            with suppress(RuntimeError):  # its loop has ended
                loop.call_soon_threadsafe(_put, queue, message)

    async def stream(self) -> AsyncIterator[bytes]:
        """Go through what happens from now on, as a browser reads it."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        with self._guard:
            self._listeners[queue] = asyncio.get_running_loop()
        try:
            yield b"retry: 1000\n\n"
            while not self._closed:
                try:
                    message = await asyncio.wait_for(queue.get(), SILENCE)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                if message is None:
                    return
                yield message
        finally:
            with self._guard:
                self._listeners.pop(queue, None)


def _put(queue: asyncio.Queue[bytes | None], message: bytes | None) -> None:
    while queue.qsize() >= WAITING:
        queue.get_nowait()
    queue.put_nowait(message)
