"""Nobody gets in: what every request must show before anything else looks at it.

While the studio runs, every page that is open in the same browser is an attacker too, and so is whatever it brings the
browser to ask. So a request names this address as its host, comes from no other page, and shows a cookie that only the
address printed at the start gives.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from frote.studio.errors import StudioError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, MutableMapping
    from typing import Any, TypeAlias

    Scope: TypeAlias = MutableMapping[str, Any]
    Message: TypeAlias = MutableMapping[str, Any]
    Receive: TypeAlias = Callable[[], Awaitable[Message]]
    Send: TypeAlias = Callable[[Message], Awaitable[None]]
    App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

__all__ = ["HEADERS", "MOST_UPLOADED", "Guard", "Keys", "TooLargeError", "TooSlowError"]

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
OPEN = ("/static/report.css", "/static/studio.css")  # what a page that refuses somebody needs
UPLOAD = "/data/upload"
MOST_UPLOADED = 512 * 2**20  # bytes of a table
MOST_SENT = 16 * 2**20  # bytes of anything else
MOST_SECRET = 4096  # bytes of a password's form
WAIT = 1.0  # seconds that a wrong password costs
PATIENCE = 60.0  # seconds without a piece of what somebody began to send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Keys:
    """What lets somebody in.

    Parameters
    ----------
    port : int
        The port that is listened on.

    names : tuple of str
        The names of this machine that a browser may have asked for.

    password : str, default=""
        What somebody on another machine says; empty where there is no other machine.

    token : str
        What the first address holds: 256 bits of chance.

    session : str
        What the cookie holds: 256 others, so that an address that is seen later tells nothing of it.
    """

    port: int
    names: tuple[str, ...] = LOOPBACK
    password: str = field(default="", repr=False)
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def cookie(self) -> str:
        """The name of the cookie: two studios on one machine have two."""
        return f"frote-studio-{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """What may stand in a request as its host."""
        plain = self.names if self.port == 80 else ()
        return frozenset(name.lower() for name in (*(f"{name}:{self.port}" for name in self.names), *plain))

    def address(self, host: str = "127.0.0.1") -> str:
        """Return the first address, with the token."""
        return f"http://{host}:{self.port}/?token={self.token}"


class Guard:
    """An application behind a door.

    Parameters
    ----------
    app : ASGI application
        What is behind it.

    keys : Keys
        What lets somebody in.
    """

    def __init__(self, app: App, keys: Keys) -> None:
        self.app = app
        self.keys = keys
        self._one_password = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or refuse it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})  # nothing here speaks by sockets
            return
        send = _with_headers(send)
        headers = _headers(scope)
        refusal = self._strange(scope, headers)
        if refusal:
            await _answer(send, 403, "Refused", refusal)
        elif scope["path"] in OPEN or self._is_known(headers):
            await self._let_in(scope, receive, send, headers)
        elif scope["path"] == "/" and scope["method"] == "GET" and b"token=" in scope["query_string"]:
            await self._by_token(scope, send)
        elif self.keys.password and scope["path"] == "/enter" and scope["method"] == "POST":
            await self._by_password(receive, send)
        else:
            await self._ask_who(send)

    def _strange(self, scope: Scope, headers: dict[str, list[str]]) -> str:
        """Say what is strange about where a request comes from; nothing if it comes from our own pages."""
        hosts = headers.get("host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self.keys.hosts:
            return "This studio has another address. Open the one that was printed when it started."
        origins = headers.get("origin", [])
        if any(not self._is_own(origin) for origin in origins):
            return "This request comes from another page."
        if scope["method"] not in ("GET", "HEAD") and not origins:
            return "This request does not say which page it comes from."
        sites = headers.get("sec-fetch-site", ["none"])
        opens_a_page = scope["method"] == "GET" and headers.get("sec-fetch-mode", ["navigate"]) == ["navigate"]
        framed = headers.get("sec-fetch-dest", ["document"])[0] in ("frame", "iframe", "embed", "object")
        if any(site not in ("same-origin", "none") for site in sites) and (not opens_a_page or framed):
            return "This request comes from another page."
        return ""

    def _is_own(self, origin: str) -> bool:
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme == "http" and parts.netloc.lower() in self.keys.hosts and not parts.path

    def _is_known(self, headers: dict[str, list[str]]) -> bool:
        for line in headers.get("cookie", []):
            try:
                held = SimpleCookie(line).get(self.keys.cookie)
            except CookieError:
                continue
            if held is not None and _same(held.value, self.keys.session):
                return True
        return False

    async def _let_in(self, scope: Scope, receive: Receive, send: Send, headers: dict[str, list[str]]) -> None:
        most = MOST_UPLOADED if scope["path"] == UPLOAD else MOST_SENT
        told = headers.get("content-length", ["0"])[0]
        if not told.isdecimal() or int(told) > most:
            await _answer(send, 413, "Too large", _too_large(most))
            return
        await self.app(scope, _Bounded(receive, most), send)

    async def _by_token(self, scope: Scope, send: Send) -> None:
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        if len(given) == 1 and _same(given[0], self.keys.token):
            await self._welcome(send)
        else:
            await self._ask_who(send)

    async def _by_password(self, receive: Receive, send: Send) -> None:
        bounded, content = _Bounded(receive, MOST_SECRET), b""
        try:
            more = True
            while more:
                message = await bounded()
                content += message.get("body", b"")
                more = message.get("more_body", False)
        except StudioError:
            content = b""
        given = parse_qs(content.decode("latin-1"), encoding="utf-8").get("password", [""])[0]
        async with self._one_password:  # guesses come one after the other
            if _same(given, self.keys.password):
                await self._welcome(send)
                return
            await asyncio.sleep(WAIT)
        await self._ask_who(send)

    async def _welcome(self, send: Send) -> None:
        """Give the cookie, and go on by a step of our own: a page of another site may have led here."""
        cookie = f"{self.keys.cookie}={self.keys.session}; Path=/; HttpOnly; SameSite=Strict"
        body = _page("Welcome", "The studio opens.", '<p><a href="/">Open it</a></p>', refresh=True)
        await _send(send, 200, body, {"set-cookie": cookie})

    async def _ask_who(self, send: Send) -> None:
        if not self.keys.password:
            text = "Open the address that frote studio printed when it started: it holds the key. If it was closed, "
            await _answer(send, 401, "Who is there?", f"{text}start it again.")
            return
        form = (
            '<form method="post" action="/enter"><label>Password '
            '<input type="password" name="password" autocomplete="current-password" required autofocus></label> '
            '<button class="primary">Enter</button></form>'
        )
        await _send(send, 401, _page("Who is there?", "This studio is open to those who know its password.", form), {})


class TooLargeError(StudioError):
    """More came than there may be."""


class TooSlowError(StudioError):
    """Something was begun to be sent, and does not come."""


class _Bounded:
    """A body that may not be larger than so many bytes, nor be kept back for long."""

    def __init__(self, receive: Receive, most: int) -> None:
        self.receive = receive
        self.most = self.left = most
        self.comes = True

    async def __call__(self) -> Message:
        if not self.comes:  # whether somebody goes away is asked while an answer is sent, however long
            return await self.receive()
        try:
            message = await asyncio.wait_for(self.receive(), PATIENCE)
        except TimeoutError:
            raise TooSlowError("What was sent did not come through. Send it again.") from None
        self.comes = message.get("more_body", False)
        self.left -= len(message.get("body", b""))
        if self.left < 0:
            raise TooLargeError(_too_large(self.most))
        return message


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _same(one: str, other: str) -> bool:
    """Compare in a time that tells nothing of where they differ, nor of how long they are."""
    digests = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in (one, other)]
    return hmac.compare_digest(*digests)


def _with_headers(send: Send) -> Send:
    """Add to each answer what a browser must not do with it; an answer may be stricter by itself, or say otherwise."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", []))
            names = {name.lower() for name, _ in given}
            more = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in names]
            message = {**message, "headers": [*given, *more]}
        await send(message)

    return sending


def _too_large(most: int) -> str:
    return f"This is more than the {most / 2**20:,.0f} MB that the studio takes. Put a larger table into its folder."


def _page(title: str, text: str, more: str = "", *, refresh: bool = False) -> bytes:
    go_on = '<meta http-equiv="refresh" content="0;url=/">' if refresh else ""
    sheets = "".join(f'<link rel="stylesheet" href="{path}">' for path in OPEN)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)} · frote studio</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">{go_on}{sheets}</head>'
        f'<body class="door"><main><p class="eyebrow">frote studio</p><h1>{escape(title)}</h1>'
        f"<p>{escape(text)}</p>{more}</main></body></html>"
    ).encode()


async def _answer(send: Send, status: int, title: str, text: str) -> None:
    await _send(send, status, _page(title, text), {})


async def _send(send: Send, status: int, body: bytes, headers: dict[str, str]) -> None:
    own = {"content-type": "text/html; charset=utf-8", "content-length": str(len(body)), **headers}
    pairs: Iterable[tuple[bytes, bytes]] = [(name.encode(), value.encode()) for name, value in own.items()]
    await send({"type": "http.response.start", "status": status, "headers": list(pairs)})
    await send({"type": "http.response.body", "body": body})
