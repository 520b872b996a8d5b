"""Run campaigns: python -m campaigns [NAME ...] [--seconds N] [--scale X]."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

# One thread each, set before anything is imported that reads it: threads do not survive a fork.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ[name] = "1"

from campaigns.attacks import CAMPAIGNS
from campaigns.results import (
    FOLDER,
    PAGE,
    append,
    finished,
    forget,
    quote,
    source_commit,
    summarise,
    write_summary,
)
from campaigns.runner import run_blocks

if TYPE_CHECKING:
    from campaigns.campaign import Campaign


def main() -> int:
    """Run what the command line asks for; return 1 if a promise was broken."""
    asked = _arguments()
    for sent in (signal.SIGINT, signal.SIGTERM):  # the first is ignored by what a shell starts in the background
        signal.signal(sent, signal.default_int_handler)
    if asked.case is not None:
        return _repeat(asked.names, asked.seed, asked.case)
    known = CAMPAIGNS if asked.cases is None else [one.shortened(asked.cases) for one in CAMPAIGNS]
    chosen = [one for one in known if not asked.names or one.name in asked.names]
    end, commit = time.monotonic() + asked.seconds, source_commit()
    try:
        for place, campaign in enumerate(chosen):
            share = (end - time.monotonic()) / (len(chosen) - place)
            _run(campaign, asked, commit, time.monotonic() + share)
    except KeyboardInterrupt:
        print("\nStopped; the same command goes on.", file=sys.stderr)
    summary = summarise(asked.out, known, asked.seed)
    write_summary(asked.out, summary)
    if asked.out == FOLDER:
        quote(PAGE, summary)
    return int(any(found["broken"] for found in summary["campaigns"].values()))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m campaigns", description=__doc__)
    names = [one.name for one in CAMPAIGNS]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which to run: {', '.join(names)}; all by default")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after about so long")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the cases of a full run")
    parser.add_argument("--cases", type=int, help="how many cases of each, in place of a full run")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--fresh", action="store_true", help="forget what was run before")
    parser.add_argument("--out", type=Path, default=FOLDER, help="where results are")
    parser.add_argument("--case", type=int, help="show and judge one case, in this process")
    asked = parser.parse_args()
    for name in asked.names:
        if name not in names:
            parser.error(f"no campaign is named {name!r}; there are {', '.join(names)}")
    if asked.case is not None and len(asked.names) != 1:
        parser.error("--case needs the name of its campaign")
    return asked


def _run(campaign: Campaign, asked: argparse.Namespace, commit: str, until: float) -> None:
    """Run what is not done yet of a campaign."""
    if asked.fresh:
        forget(asked.out, campaign)
    done = finished(asked.out, campaign, asked.seed)
    cases = max(1, round(campaign.full * asked.scale / campaign.block)) * campaign.block
    left = [range(first, first + campaign.block) for first in range(0, cases, campaign.block) if first not in done]
    counts = {"cases": 0, "refused": 0, "broken": 0}
    for block in run_blocks(campaign, asked.seed, left, asked.jobs, until):
        if source_commit() != commit:  # what was imported late would be of another version
            sys.exit("The source changed while it was attacked; the same command goes on with the new one.")
        append(asked.out, campaign, asked.seed, commit, block)
        for name in counts:
            counts[name] += getattr(block, name)
        if sys.stderr.isatty():
            print(f"\r{_told(campaign, counts)}", end="", file=sys.stderr, flush=True)
    print(f"\r{_told(campaign, counts)}", file=sys.stderr)


def _told(campaign: Campaign, counts: dict[str, int]) -> str:
    return f"{campaign.name}: {', '.join(f'{count:,} {name}' for name, count in counts.items())}"


def _repeat(names: list[str], seed: int, number: int) -> int:
    """Show a case and what becomes of it; what it writes goes into a folder that goes with it."""
    campaign = next(one for one in CAMPAIGNS if one.name == names[0])
    case = campaign.case(seed, number)
    print(repr(case))
    with tempfile.TemporaryDirectory(prefix="campaign-") as scratch, contextlib.chdir(scratch):
        answer = campaign.answer(case)
    print(f"{answer.kind}: {answer.reason}")
    return int(answer.kind == "broken")


if __name__ == "__main__":
    sys.exit(main())
