"""Plant a bug for each campaign and let the campaign look for it.

    python -m tests.campaigns.planted

A process of its own, with one thread: workers are forked from it and have the bug too. Prints a line of JSON for each
campaign: its name, and the first promise that its judge found broken.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest import mock

import click
from campaigns.attacks import CAMPAIGNS
from campaigns.runner import run_blocks

import frote
import frote.edits.saved_models
import frote.files
import frote.loop.attempts
from frote.shell import Command

RESAMPLE = frote.FROTE.fit_resample
WRITE = frote.files.FileForm.write
ATTEMPT = frote.loop.attempts.Bench.attempt
INVOKE = Command.invoke
LEAK = []
MAIN = os.getpid()


def raises(*_, **__):
    raise KeyError("planted")


def raises_in_children(self, X, y):
    """Fail in what a case starts, and not in what the worker prepares."""
    return RESAMPLE(self, X, y) if os.getppid() == MAIN else raises()


def foreign(self, context):
    try:
        return INVOKE(self, context)
    except (frote.FroteError, click.ClickException):
        raise KeyError("planted") from None


def spins(text):
    until = time.process_time() + 0.3
    while time.process_time() < until:
        pass


def turned(self, X, y):
    X_new, y_new = RESAMPLE(self, X, y)
    return X_new[::-1], y_new


def turned_when_it_goes_on(self, X, y):
    goes_on = self.checkpoint is not None and Path(self.checkpoint).exists()
    return (turned if goes_on else RESAMPLE)(self, X, y)


def leaks(self, *given):
    LEAK.append(b"x" * 100_000)
    return ATTEMPT(self, *given)


PLANTED = {
    "rule texts": (5, [(frote.RuleSet, "__str__", lambda _: "IF planted = 1 THEN yes")]),
    "large rule texts": (1, [(frote, "parse_rules", spins)]),
    "rule files": (1, [(frote, "parse_rules", spins)]),
    "documents": (5, [(frote, "read_rules", raises)]),
    "tables": (1, [(frote.FROTE, "fit_resample", turned)]),
    "files": (1, [(frote.files.FileForm, "write", lambda form, frame, path: WRITE(form, frame[::-1], path))]),
    "estimators": (1, [(frote.FROTE, "fit_resample", raises)]),
    "kills": (2, [(frote.FROTE, "fit_resample", turned_when_it_goes_on)]),
    "disks": (1, [(Command, "invoke", foreign)]),
    "two processes": (1, [(frote.FROTE, "fit_resample", raises_in_children)]),
    "memory": (1, [(frote.loop.attempts.Bench, "attempt", leaks)]),
    "model files": (1, [(frote.edits.saved_models, "load_model", lambda *_: os.system("true"))]),
}


@contextmanager
def planted(name):
    with mock.patch.multiple("campaigns.attacks.memory", STEPS=60, WARM=20):
        patches = [mock.patch.object(*where) for where in PLANTED[name][1]]
        for patch in patches:
            patch.start()
        yield
        for patch in patches:
            patch.stop()


def main():
    for campaign in CAMPAIGNS:
        cases = PLANTED[campaign.name][0]
        tight = (
            replace(campaign.shortened(cases), seconds=0.1) if "rule " in campaign.name else campaign.shortened(cases)
        )
        with planted(campaign.name):
            (block,) = run_blocks(tight, 0, [range(cases)], 1, float("inf"))
        print(
            json.dumps([campaign.name, block.broken, [failure["reason"] for failure in block.failures[:1]]]), flush=True
        )


if __name__ == "__main__":
    main()
