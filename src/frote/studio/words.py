"""What the rooms call things."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from frote.report.figures import share
from frote.report.words import outcome_words

if TYPE_CHECKING:
    from frote.rules import Outcome

__all__ = [
    "FORETOLD",
    "HOW",
    "PARTS",
    "PHASES",
    "POINTS",
    "STATES",
    "clock_words",
    "share_words",
    "size_words",
    "took_words",
    "wanted_words",
]

LEAST_SHARE = 0.0005  # what is less is not rounded up
# The ways that rules get into a model: what each is called, and what it means to whoever chooses.
HOW = {
    "data": (
        "By its data",
        "Rows that contradict a rule are relabelled or dropped, and made-up rows are added where the model does not "
        "follow yet. Any model, served as it always was.",
    ),
    "switches": (
        "Switches",
        "The model gets a column for each rule, and is trained to follow it. It needs the rules wherever it is served.",
    ),
    "anchored": (
        "Anchored",
        "The edited model answers for the rows that rules cover, and the model before for all others: nothing moves "
        "outside the rules.",
    ),
    "auto": ("Whichever holds", "Switches if nothing moves outside the rules, anchored otherwise."),
    "override": (
        "Hard override",
        "Nothing is trained: the rules answer over the model before. What comes of it is a table of predictions; there "
        "is no edited model, so there is no folder to be reviewed and signed.",
    ),
}
# What is foretold of a way that trains no data: what the rules are to answer, and what becomes of all other rows.
FORETOLD = {
    "switches": "The edited model answers them too, with all switches off: hardly any changes; the run measures it.",
    "anchored": "The model before answers them, as ever: none changes.",
    "auto": "None changes, or hardly any: anchored is taken if the model with switches moves them.",
    "override": "The model before answers them, as ever: none changes.",
}
STATES = {
    "queued": "waits",
    "running": "running",
    "done": "done",
    "failed": "failed",
    "cancelled": "cancelled",
    "interrupted": "interrupted",
}
PHASES = {
    "reading": "Reading the table",
    "training": "Training the model before",
    "editing": "Trying rows, step by step",
    "judging": "Judging both models",
    "writing": "Writing the folder",
}
# Where an edit begins and could end, as a preview of the package calls it, and as a page does.
POINTS = {
    "model as it was": "the model before",
    "first model": "the start: trained on the changed labels",
    "hard override": "the rules over the model before",
}
PARTS = {
    "intended": "as the rules want",
    "wrong": "inside the rules, not as they want",
    "unintended": "outside the rules",
}


def clock_words(when: str) -> str:
    """Write a time as people do, in the zone of this machine; anything else as it is.

    Examples
    --------
    >>> clock_words("some day")
    'some day'
    """
    try:
        time = dt.datetime.fromisoformat(when).astimezone()
    except ValueError:
        return when
    return f"{time.day} {time:%B %Y, %H:%M}"


def size_words(size: int) -> str:
    """Write a number of bytes as people do.

    Examples
    --------
    >>> size_words(900), size_words(12_345), size_words(7_340_032)
    ('900 bytes', '12 kB', '7.3 MB')
    """
    if size < 1000:
        return f"{size} bytes"
    return f"{size / 1e3:.0f} kB" if size < 1e6 else f"{size / 1e6:.1f} MB"


def took_words(seconds: int) -> str:
    """Write how long something took, as the page's own clock does.

    Examples
    --------
    >>> took_words(90), took_words(140)
    ('90 s', '2 min 20 s')
    """
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min {seconds % 60} s"


def share_words(part: float | None) -> str:
    r"""Write a share, or a dash for one that is not defined; what is next to nothing is not said to be more.

    Examples
    --------
    >>> print(share_words(0.25), share_words(1 / 4200), share_words(0))
    25\xa0% under\xa00.1\xa0% 0\xa0%
    """
    return f"under\xa0{share(0.001)}" if part is not None and 0 < part < LEAST_SHARE else share(part)


def wanted_words(outcome: Outcome) -> str:
    r"""Write what a rule wants, in few words.

    Examples
    --------
    >>> from frote.rules import Outcome
    >>> print(wanted_words(Outcome.of("pay", confidence=0.9)))
    pay, with a confidence of 90\xa0%
    >>> print(wanted_words(Outcome.of({"pay": 1 / 3, "call back": 2 / 3})))
    call back 67\xa0%, pay 33\xa0%
    """
    if outcome.rest or len(outcome.probabilities) == 1:
        return outcome_words(outcome)
    ordered = sorted(outcome.probabilities, key=lambda named: -named[1])
    return ", ".join(f"{label} {share(part)}" for label, part in ordered)
