"""Offers a studio on this machine more than it can answer: so many requests a second, whether it answers or not."""

from __future__ import annotations

import itertools
import json
import socket
import time
from dataclasses import dataclass

LINES = 40  # connections
HELD = 1 << 16  # bytes of requests that wait for a connection to take them; what comes beyond that is lost


@dataclass(frozen=True)
class Told:
    """How many requests were offered, and how many answers came while they were."""

    offered: int
    answered: int


class Line:
    """A connection that sends what it can, throws away what comes, and is opened again when it is closed."""

    def __init__(self, port):
        self.port = port
        self.waiting = b""
        self.answered = 0
        self.open()

    def open(self):
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        self.socket.setblocking(False)
        self.waiting = b""

    def offer(self, request):
        if len(self.waiting) < HELD:
            self.waiting += request

    def turn(self):
        try:
            if self.waiting:
                self.waiting = self.waiting[self.socket.send(self.waiting) :]
            came = self.socket.recv(1 << 20)
            self.answered += came.count(b"HTTP/1.1 ")
            if not came:
                self.reopen()
        except BlockingIOError:
            pass
        except OSError:
            self.reopen()

    def reopen(self):
        self.socket.close()
        self.open()


def flood(port, requests, rate, seconds):
    """Offer so many requests a second for so long: bounded in their number and in time."""
    lines = [Line(port) for _ in range(LINES)]
    around, kinds = itertools.cycle(lines), itertools.cycle(requests)
    most, offered, begun = rate * seconds, 0, time.monotonic()
    while offered < most:
        due = min(most, int(rate * (time.monotonic() - begun)))
        for _ in range(due - offered):
            next(around).offer(next(kinds))
        offered = due
        for line in lines:
            line.turn()
        time.sleep(0.005)
    for line in lines:
        line.socket.close()
    return Told(offered, sum(line.answered for line in lines))


def requests_of(port, cookie):
    """Return what strangers ask, other pages, and one that has the cookie."""
    here, evil = f"127.0.0.1:{port}", {"Origin": "http://evil.example"}
    own = {"Cookie": cookie, "Origin": f"http://{here}"}
    nothing = json.dumps({"text": "", "page": "x"}).encode()
    return [
        _request("GET", "/policy/text", here),
        _request("GET", "/?token=x", here),
        _request("GET", "/static/studio.css", here),
        _request("GET", "/policy", "evil.example", {"Cookie": cookie}),
        _request("POST", "/policy/save", here, {"Cookie": cookie, **evil}, nothing),
        _request("POST", "/edit/cancel", here, {"Cookie": cookie, **evil}, nothing),
        _request("POST", "/policy/save", here, {"Origin": f"http://{here}"}, nothing),
        _request("GET", "/policy/text", here, own),
        _request("POST", "/policy/pulse", here, own, nothing),
    ]


def _request(method, path, host, headers=None, body=b""):
    named = {"Host": host, **(headers or {}), **({"Content-Length": str(len(body))} if body else {})}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in named.items()), "", ""]
    return "\r\n".join(lines).encode() + body
