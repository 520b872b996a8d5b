"""What a command says of an edit that is made."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from frote.exceptions import RecordError
from frote.shell import say

if TYPE_CHECKING:
    from pathlib import Path

    from frote.edits.record import Record
    from frote.report.contents import MeasureName, SeedsPart

__all__ = ["sign_edit", "tell_edit"]

TOLD: tuple[tuple[MeasureName, str], ...] = (
    ("agreement", "Agreement with the rules"),
    ("f1", "F1 elsewhere"),
    ("objective", "Objective by coverage"),
)


PARTS = {"outside": "outside the rules", "inside": "inside"}


def _of_seeds(seeds: SeedsPart) -> str:
    """Say how far the edit depends on chance."""
    spread = {one["measure"]: one for one in seeds["measures"] if not one["rule"]}
    scores = [
        f"{name} {spread[measure]['low']:.3f} to {spread[measure]['high']:.3f}"
        for measure, name in (("agreement", "agreement"), ("f1", "F1 elsewhere"))
        if measure in spread
    ]
    apart = [
        f"on {one['after']:.1%} of the rows {PARTS[one['where']]} (before the edit: {one['before']:.1%})"
        for one in seeds["unlike"]
        if one["where"] in PARTS
    ]
    return f"With {len(seeds['runs'])} seeds: {', '.join(scores)}. Models of two seeds disagree {' and '.join(apart)}."


def tell_edit(record: Record, out: Path) -> None:
    """Say what was done, what came of it, and where the report is."""
    for one in record["skipped"]:
        say(f"Not done: rule {one['rule']!r} was left out, since no row can satisfy it: {one['why']}")
    scores = record["scores"]
    counts = ", ".join(f"{count:,} {status}" for status, count in record["rows"].items())
    say(f"Rows: {counts}.")
    for name, shown in TOLD:
        before, after = (one[name] for one in (scores["before"], scores["after"]))
        if before is not None and after is not None:
            say(f"{shown}: {before:.3f} before, {after:.3f} after.")
    people = record["population"]
    if people is not None and people["before"] is not None and people["after"] is not None:
        say(
            f"Objective by population: {people['before']:.3f} before, {people['after']:.3f} after "
            f"({people['share']:.1%} of the training rows are covered)."
        )
    cases = record.get("cases")
    if cases is not None:
        say(f"Cases: {cases['held']:,} of {cases['of']:,} answered as expected before, {cases['hold']:,} after.")
    say(textwrap.fill(record["verdict"], 100))
    for notice in record.get("notices", ()):
        say(textwrap.fill(notice, 100))
    if "seeds" in record:
        say(textwrap.fill(_of_seeds(record["seeds"]), 100))
    if "sampled" in record:
        say(f"Scores are of all {record['data']['rows']:,} rows, those that were trained on among them.")
    elif record["test"] is None:
        say("This is on the rows that were trained on; --test judges on others.")
    say(f"The report is {out / 'report.html'}.")


def sign_edit(out: Path, key: Path | None, *, quiet: bool) -> None:
    """Sign the record of an edit, if there is a key; the edit itself is made, so that a failure is no bad input."""
    if key is None:
        return
    from frote.edits.signing import sign

    try:
        signature = sign(out, key)
    except RecordError as error:
        raise click.ClickException(str(error)) from None
    if not quiet:
        say(f"The record is signed: {signature}.")
