"""The command, run in this process, and held to what every command promises."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass

from click.testing import CliRunner

from campaigns.campaign import Broken, require
from frote.command.main import main

__all__ = ["Said", "frote_command", "require_fair"]

# What a terminal would obey: control characters but for line ends and tabs, and marks that turn the order of letters.
COMMANDS_TO_TERMINALS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Said:
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def refusal(self) -> str | None:
        """Why it was refused, None if it was not."""
        return self.err.strip() or "no reason" if self.code else None


def frote_command(*arguments: object) -> Said:
    """Run the command and judge what it says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        if isinstance(done.exception, MemoryError):
            raise Broken("MemoryError")
        raise done.exception
    said = Said(done.exit_code, done.stdout.replace("\r", ""), done.stderr.replace("\r", ""))
    require_fair(said)
    return said


def _errors(text: str) -> str:
    """Return the last lines of tracebacks."""
    return "; ".join(line for line in text.splitlines() if re.match(r"[\w.]*(Error|Exception|Interrupt)\b", line))


def require_fair(said: Said) -> None:
    """Require an exit code that means something, one sentence for bad input, and nothing that a terminal obeys."""
    require(said.code in (0, 1, 2), f"exit code {said.code}: {said.err[-200:]}")
    require("Traceback" not in said.err, f"a traceback: {_errors(said.err)}")
    require(said.code != 2 or "Error: " in said.err, f"exit code 2 without a word: {said.err[-200:]}")
    raw = COMMANDS_TO_TERMINALS.search(said.out + said.err)
    require(raw is None, f"{raw and raw.group()!r} reaches the terminal")
