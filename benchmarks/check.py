"""`check` and `conflicts` of 100 rules x 5 conditions over 1,000,000 rows x 12 mixed columns, some values missing.

Seconds of the processor (the best of three), which a busy machine hardly changes. With `--before`, the folder of
another version's source (`git worktree add ../before 8022512`, then `--before ../before/src`), the same is measured
there in a process of its own, what both found is compared, and there are ratios. Run it with `make benchmark`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from frote import Outcome, Rule, RuleSet, Table
from masks import make_frame, make_rules
from results import keep
from timing import timed

if TYPE_CHECKING:
    from collections.abc import Callable


TITLE = "Checks and conflicts, in seconds of the processor"
HEADS = (
    ("question", "question", "", ""),
    ("now", "now", "", ".2f"),
    ("before", "before", "", ".2f"),
    ("ratio", "ratio", "", ".1f"),
    ("found", "found", "", ""),
)


def measure(rows: int, count: int) -> dict[str, tuple[float, str]]:
    """Return the seconds of each question, and what came of it in a line."""
    rng = np.random.default_rng(0)
    frame = make_frame(rows, rng)
    frame.loc[rng.random(rows) < 0.05, "f0"] = np.nan
    alike, _, _ = make_rules(count, rng)
    no = Outcome.of("no")
    unlike = RuleSet(
        Rule(rule.name, rule.clause, rule.outcome if place % 2 else no) for place, rule in enumerate(alike)
    )
    table = Table.from_frame(frame)
    questions: dict[str, Callable[[], Any]] = {
        "conflicts, two outcomes": lambda: unlike.conflicts(table),
        "check, two outcomes": lambda: unlike.check(table),
        "check, one outcome": lambda: alike.check(table),
    }
    found = {}
    for name, ask in questions.items():
        seconds, answer = timed(ask, clock=time.process_time)
        conflicts = answer if isinstance(answer, list) else answer.conflicts
        covered = "" if isinstance(answer, list) else f", {answer.covered:,} rows covered"
        in_conflict = sum(conflict.rows or 0 for conflict in conflicts)
        found[name] = seconds, f"{len(conflicts):,} conflicts of {in_conflict:,} rows{covered}"
    return found


def measured_in(source: Path, rows: int, count: int) -> dict[str, tuple[float, str]]:
    """Return the same as another version has it."""
    command = [sys.executable, __file__, "--rows", str(rows), "--rules", str(count), "--json"]
    environment = os.environ | {"PYTHONPATH": str(source.resolve(strict=True))}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=3600)
    return {name: (seconds, said) for name, (seconds, said) in json.loads(done.stdout).items()}


def main(rows: int, count: int, before: Path | None) -> None:
    now = measure(rows, count)
    then = measured_in(before, rows, count) if before is not None else {}
    lines = []
    for name, (seconds, said) in now.items():
        before_seconds, said_before = then.get(name, (None, said))
        assert said_before == said, (name, said_before, said)
        ratio = None if before_seconds is None else before_seconds / seconds
        lines.append({"question": name, "now": seconds, "before": before_seconds, "ratio": ratio, "found": said})
    keep("check", TITLE, HEADS, lines, repeats=3, rules=count, rows=rows, before="8022512" if then else None)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rules", type=int, default=100)
    parser.add_argument("--before", type=Path, help="the src of a worktree of 8022512")
    parser.add_argument("--json", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.json:
        print(json.dumps(measure(options.rows, options.rules)))
    else:
        main(options.rows, options.rules, options.before)
