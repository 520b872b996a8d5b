"""`frote studio`, started as anybody starts it: a process of its own that prints the address."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager

COMMAND = "from frote.command.main import main; main()"


@contextmanager
def started(folder, *arguments):
    """Start the studio in a folder; give the address that it prints."""
    with (folder / "studio.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, "studio", "--no-browser", "--workspace", str(folder / "w"), *arguments],
            stdout=subprocess.PIPE,
            stderr=log,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        try:
            yield _address(process, folder / "studio.log")
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)
            process.stdout.close()


def _address(process, log):
    for line in process.stdout:
        found = re.search(rb"http://127\.0\.0\.1:\d+/\S+", line)
        if found:
            return found[0].decode()
    raise AssertionError(log.read_text())
