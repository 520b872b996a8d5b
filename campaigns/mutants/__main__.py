"""Try mutants of frote on its tests: python -m campaigns.mutants [--sample N] [--seconds N] [--again]."""

from __future__ import annotations

import argparse
import os
import sys
import time
from random import Random
from typing import TYPE_CHECKING, Any

# One thread each, set before anything is imported that reads it: threads do not survive a fork.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"):
    os.environ[name] = "1"

import pandas as pd  # noqa: F401 # for its side effect: what the first import does is done once, before any fork
import sklearn.ensemble  # noqa: F401

from campaigns.mutants.mutants import Mutant, mutants
from campaigns.mutants.results import PACKAGES, PAGE, RESULTS, append, latest, page, reasons
from campaigns.mutants.tests import Reached, Session, collected
from campaigns.results import ROOT, source_commit

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SOURCE = ROOT / "src"
TESTS = [f"tests/{part}" for part in (*PACKAGES, "selection", "test_worked_example.py")]
REACHED = ROOT / "build" / "reached.json"


def main() -> int:
    """Try what is not tried yet of a sample, then write the page."""
    asked = _arguments()
    if not asked.page:
        doctests = [f"src/frote/{part}" for part in PACKAGES]
        collected([*TESTS, *doctests], ROOT, lambda items: _run(items, asked))
    PAGE.write_text(page(), "utf-8")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m campaigns.mutants", description=__doc__)
    parser.add_argument("--sample", type=int, default=500, help="how many mutants, drawn by lot")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after about so long")
    parser.add_argument("--each", type=float, default=25, help="seconds of tests for each mutant, the quickest first")
    parser.add_argument("--again", action="store_true", help="try again what survived without a reason")
    parser.add_argument("--page", action="store_true", help="only write the page")
    return parser.parse_args()


def sample(count: int | None, seed: int = 0) -> list[tuple[Path, Mutant]]:
    """Draw mutants of all packages, each as likely as another; a larger sample begins with a smaller one."""
    paths = [path for part in PACKAGES for path in sorted((SOURCE / "frote" / part).rglob("*.py"))]
    known = [(path, mutant) for path in paths for mutant in mutants(path.read_text("utf-8"))]
    known.sort(key=lambda one: Random(f"{seed} {module_of(one[0])} {one[1].name}").random())
    return known if count is None else known[:count]


def module_of(path: Path) -> str:
    """Return the name of a module of frote."""
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def _run(items: list[pytest.Item], asked: argparse.Namespace) -> None:
    end = time.monotonic() + asked.seconds
    reached = Reached.measured(items, REACHED, str(SOURCE / "frote"))
    session, commit = Session(items), source_commit()
    done = latest(RESULTS)
    _let_go(done, commit)
    open_ones = {one for one, before in done.items() if before["verdict"] == "survived"} - reasons().keys()
    for number, (path, mutant) in enumerate(sample(asked.sample)):
        one = module_of(path), mutant.name
        tried = one in done and done[one]["verdict"] != "gone"
        if tried and not (asked.again and one in open_ones):
            continue
        if time.monotonic() > end:
            break
        tests = reached.of(str(path), mutant.function, asked.each)
        verdict, by = session.killer(str(path), mutant.code(str(path)), tests)
        found = {"module": module_of(path), "mutant": mutant.name, "kind": mutant.kind, "verdict": verdict}
        append(RESULTS, {**found, "by": by, "tests": len(tests), "source": commit})
        print(f"{number} {verdict} {module_of(path)}:{mutant.line} {mutant.name} {by}", file=sys.stderr, flush=True)


def _let_go(done: dict[tuple[str, str], dict[str, Any]], commit: str) -> None:
    """Write down which mutants are gone, since the source has changed there."""
    for module, name in done.keys() - {(module_of(path), mutant.name) for path, mutant in sample(None)}:
        if done[module, name]["verdict"] != "gone":
            append(RESULTS, {"module": module, "mutant": name, "verdict": "gone", "source": commit})


if __name__ == "__main__":
    sys.exit(main())
