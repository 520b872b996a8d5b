"""What the rooms call things."""

from __future__ import annotations

import datetime as dt

__all__ = ["FORETOLD", "HOW", "PARTS", "PHASES", "STATES", "clock_words", "size_words"]

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
