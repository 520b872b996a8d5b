"""A headless Chromium that is spoken to by a pipe: no driver, no port."""

from __future__ import annotations

import base64
import itertools
import json
import os
import shutil
import subprocess

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One page of a headless browser; use it in a `with`."""

    def __init__(self, profile):
        self.numbers, self.events, self.rest = itertools.count(1), [], b""
        (inward, self.to), (self.back, outward) = os.pipe(), os.pipe()

        def wire():
            # The browser reads commands from 3 and writes to 4; through high numbers, since either may be taken.
            high_in, high_out = os.dup2(inward, 103), os.dup2(outward, 104)
            os.dup2(high_in, 3)
            os.dup2(high_out, 4)

        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}"]
        self.process = subprocess.Popen(
            [CHROMIUM, *options, "--remote-debugging-pipe", "about:blank"],
            preexec_fn=wire,
            close_fds=False,
            stderr=subprocess.DEVNULL,
        )
        os.close(inward)
        os.close(outward)
        self.session = None
        page = next(one for one in self.ask("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for part in ("Page", "Network", "Log", "Runtime"):
            self.ask(f"{part}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        os.close(self.to)
        self.process.terminate()
        self.process.wait(10)
        os.close(self.back)

    def ask(self, method, **params):
        """Send a command and return its answer; what is told meanwhile is kept in `events`."""
        message = {"id": next(self.numbers), "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            told = self.read()
            if told.get("id") == message["id"]:
                assert "error" not in told, told
                return told["result"]
            self.events.append(told)

    def read(self):
        while b"\0" not in self.rest:
            more = os.read(self.back, 1 << 16)
            assert more, "the browser has ended"
            self.rest += more
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def open(self, path, width, height=900, dark=False):
        """Show a file, and wait for it."""
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        self.ask("Page.navigate", url=path.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.read())

    def evaluate(self, code):
        return self.ask("Runtime.evaluate", expression=code, returnByValue=True)["result"].get("value")

    def picture(self, whole=False):
        """Return what is seen of the page, or all of it, as PNG."""
        found = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        return base64.b64decode(found["data"])

    def paper(self):
        """Return the page as PDF."""
        return base64.b64decode(self.ask("Page.printToPDF", printBackground=True)["data"])
