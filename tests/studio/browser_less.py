"""Asks a studio without a browser and without a socket, as a page of its own would."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlencode

if TYPE_CHECKING:
    from frote.studio.security import Keys

PORT = 8000
ADDRESS = f"http://127.0.0.1:{PORT}"


@dataclass
class Answer:
    """What came back."""

    status_code: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    content: bytes = b""

    @property
    def text(self) -> str:
        return self.content.decode("utf-8")


@dataclass
class Asker:
    """Asks an application that lies behind a door with these keys."""

    app: object
    keys: Keys

    def get(self, address, params=None, headers=None):
        address = f"{address}?{urlencode(params)}" if params else address
        return self._ask("GET", address, b"", headers or {})

    def post(self, address, data=None, headers=None):
        form = {"content-type": "application/x-www-form-urlencoded", "origin": ADDRESS, "x-part": "1"}
        return self._ask("POST", address, urlencode(data or {}).encode(), {**form, **(headers or {})})

    def _ask(self, method, address, body, headers):
        path, _, query = address.partition("#")[0].partition("?")
        known = {"host": f"127.0.0.1:{PORT}", "cookie": f"{self.keys.cookie}={self.keys.session}"}
        known |= {"content-length": str(len(body))} if body else {}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in {**known, **headers}.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", PORT),
        }
        return asyncio.run(asyncio.wait_for(self._asked(scope, body), 120))

    async def _asked(self, scope, body):
        answer, sent = Answer(), False

        async def receive():
            nonlocal sent
            if sent:
                await asyncio.sleep(3600)  # nobody goes away
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message):
            if message["type"] == "http.response.start":
                answer.status_code = message["status"]
                answer.headers = {name.decode().lower(): value.decode() for name, value in message.get("headers", [])}
            else:
                answer.content += message.get("body", b"")

        await self.app(scope, receive, send)
        return answer
