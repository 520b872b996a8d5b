"""A studio that is asked more than it can answer, on one core: the edit that runs ends in the same bytes."""

from __future__ import annotations

import http.client
import json
import os
import shutil
from contextlib import contextmanager
from urllib.parse import urlencode, urlsplit

import pytest
from hypothesis import settings
from tests.studio.conftest import furnished, waited
from tests.studio.flood import flood, requests_of
from tests.studio.killed_studio import ASKED
from tests.studio.process import started
from tests.studio.test_runs import bytes_of

from frote.studio.runs import Runs
from frote.studio.workspace import Workspace

RATE = 10_000  # requests a second
SECONDS = 10 if settings.get_current_profile_name() == "deep" else 1


@contextmanager
def one_core():
    """Let this process, and all that it starts, have one core."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


class Browser:
    """Asks a studio as its own page does."""

    def __init__(self, address):
        self.port = urlsplit(address).port
        self.cookie = ""
        answer = self.ask("GET", address.partition(f":{self.port}")[2])
        self.cookie = answer.getheader("set-cookie").partition(";")[0]

    def ask(self, method, path, **form):
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        own = {"Cookie": self.cookie, "Origin": f"http://127.0.0.1:{self.port}", **kind}
        line.request(method, path, urlencode(form) if form else None, own)
        answer = line.getresponse()
        answer.text = answer.read().decode()
        line.close()
        return answer


@pytest.fixture
def calm(tmp_path, loans_csv):
    """A workspace, and the edit of it that nobody disturbs."""
    with furnished(tmp_path / "calm", loans_csv, resolve="priority") as workspace:
        shutil.copytree(workspace.folder, tmp_path / "w", ignore=shutil.ignore_patterns(".studio.lock"))
        runs = Runs(workspace)
        job = runs.ask(ASKED, who="policy team", why="try")
        waited(runs, job.name)
        yield workspace.folder / job.folder
        runs.close()


def test_an_edit_ends_in_the_same_bytes_whatever_is_asked_meanwhile(calm, tmp_path):
    policy = (tmp_path / "w" / "policy.rules").read_bytes()
    with one_core(), started(tmp_path) as address:
        page = Browser(address)
        asked = {name: value for name, value in ASKED.plain.items() if value is not None}
        assert page.ask("POST", "/edit/run", **asked, why="try").status == 204
        name = calm.name
        run = _run(tmp_path, name, lambda run: run.state != "queued")
        assert run.live
        told = flood(page.port, requests_of(page.port, page.cookie), RATE, SECONDS)
        assert told.offered == RATE * SECONDS
        assert told.answered
        answer = page.ask("GET", "/policy")
        assert answer.status == 200
        assert "young: IF age" in answer.text
        assert json.loads(page.ask("GET", "/policy/text").text)["text"].encode() == policy
        assert _run(tmp_path, name, lambda run: not run.live).state == "done"
        assert page.ask("GET", f"/result?run={name}").status == 200
    assert bytes_of(tmp_path / "w" / "edits" / name) == bytes_of(calm)


def _run(folder, name, until):
    """Wait until an edit of a studio that is another process is as far as that."""
    with Workspace.open(folder / "w") as shown:  # to look at: the studio has it
        runs = Runs(shown)
        try:
            return waited(runs, name, until)
        finally:
            runs.close()
