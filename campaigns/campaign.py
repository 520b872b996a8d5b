"""What a campaign is: cases made from numbers, and a judge that says whether a promise held."""

from __future__ import annotations

import random
import traceback
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import frote
from frote import FroteError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Answer", "Broken", "Campaign", "require"]

SHOWN = 300  # characters of a reason that are kept
SOURCE = str(Path(frote.__file__).parent)


class Broken(Exception):  # noqa: N818 # what happened is no error, it is a finding
    """A promise that did not hold; it is no `FroteError`, so that nothing takes it for a refusal."""


def require(held: object, reason: str) -> None:
    """Say that a promise is broken unless it held."""
    if not held:
        raise Broken(reason)


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a case.

    Parameters
    ----------
    kind : {"held", "refused", "broken"}
        Whether the case was accepted and all promises held, was refused in a sentence, or broke a promise.

    reason : str
        How it was refused, or which promise broke.
    """

    kind: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Campaign:
    """Cases and their judge.

    Parameters
    ----------
    name : str
        One or two words.

    promise : str
        What is held to, in a sentence.

    full : int
        How many cases make a full run.

    block : int
        How many cases are run by one process and written down together.

    seconds, megabytes : float
        What one case may take, of processor time, and of memory beyond what the process had before.

    make : callable
        Makes a case out of chance; a pure function of it.

    judge : callable
        Runs a case. It returns nothing, or why the case was refused; it raises `Broken`, or what frote raised.

    idle : float, default=1800
        Seconds on the wall clock after which a case hangs.
    """

    name: str
    promise: str
    full: int
    block: int
    seconds: float
    megabytes: float
    make: Callable[[random.Random], Any]
    judge: Callable[[Any], str | None]
    idle: float = 1800

    def case(self, seed: int, number: int) -> Any:
        """Return a case: the same for the same seed and number."""
        return self.make(random.Random(f"{seed} {self.name} {number}"))

    def shortened(self, cases: int) -> Campaign:
        """Return the same campaign with so many cases in a full run, at most as many in a block."""
        return replace(self, full=cases, block=min(cases, self.block))

    def answer(self, case: Any) -> Answer:
        """Judge a case."""
        try:
            reason = self.judge(case)
        except Broken as error:
            return Answer("broken", _cut(str(error)))
        except FroteError as error:
            if not str(error).strip():
                return Answer("broken", f"{type(error).__name__} without a word")
            return Answer("refused", _cut(str(error)))
        except Exception as error:
            return Answer("broken", _cut(f"{told(error)}, raised {_place(error)}"))
        return Answer("held") if reason is None else Answer("refused", _cut(reason))


def told(error: BaseException) -> str:
    """Return what an error is and says, in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _place(error: BaseException) -> str:
    """Return where an error comes from: the last line of frote's own, by the name of its file."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(SOURCE)] or frames
    return f"at {Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "nowhere"


def _cut(text: str) -> str:
    plain = text.encode("utf-8", "backslashreplace").decode()
    return plain if len(plain) <= SHOWN else f"{plain[: SHOWN - 3]}..."
