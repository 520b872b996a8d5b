"""What became of mutants: a file of JSON lines, why some survive, and the page made from both."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from campaigns.results import FOLDER, ROOT

__all__ = ["PACKAGES", "PAGE", "RESULTS", "append", "latest", "page", "reasons"]

PACKAGES = ("rules", "coverage", "generation", "loop")
RESULTS = FOLDER / "mutants.jsonl"
REASONS = Path(__file__).parent / "reasons.toml"
PAGE = ROOT / "docs" / "mutants.md"
OPEN = "not looked into yet"
HEAD = """\
# Mutants: can the tests fail?

A test that cannot fail says nothing. A *mutant* is frote with one small fault in one function: a comparison turned,
`and` for `or`, a number one more or less, plus for minus, a condition negated, a returned value or a call left out.
It is *killed* if a test fails, *timed out* if one takes five times as long as usual and five seconds more, and it
*survives* if all tests that are tried pass. Texts of errors, defaults of arguments and what a module does when it is
imported have no mutants.

```sh
python -m campaigns.mutants --sample 500    # goes on where it was stopped; then writes this page
python -m campaigns.mutants --again         # what survived without a reason, on the tests as they are now
```

Mutants are drawn by lot from all of four packages, each as likely as another. They are tried on the tests of these
packages and of selection, the worked example and the doctests: those that reach the function, the quickest first, 25
seconds of them for each mutant, none that takes more than four. The tests of estimators, edits and commands are not
tried: a fault that they alone would find counts as a survivor here. The *score* is the share that is killed or timed
out of all but those that no test could tell from frote (*equivalent*).

| package | mutants | killed | timed out | survived | of these equivalent | score |
|---|--:|--:|--:|--:|--:|--:|
"""


def append(path: Path, found: dict[str, Any]) -> None:
    """Write down what became of a mutant."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(found) + "\n")


def latest(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """Return what became of each mutant when it was tried last, by its module and name."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    found = (json.loads(line) for line in lines if line.endswith("}"))  # the last one may have been cut off
    return {(one["module"], one["mutant"]): one for one in found}


def reasons() -> dict[tuple[str, str], dict[str, str]]:
    """Return why mutants survive, by module and name, as told by whoever looked at them."""
    told = tomllib.loads(REASONS.read_text("utf-8"))["survivor"]
    return {(one["module"], one["mutant"]): one for one in told}


def page() -> str:
    """Return the page: counts of each package, and every survivor with its reason."""
    tried = [one for one in latest(RESULTS).values() if one["verdict"] not in ("invalid", "gone")]
    told, text = reasons(), HEAD
    for package in (*PACKAGES, "all"):
        mine = [one for one in tried if package in ("all", one["module"].split(".")[1])]
        counts = Counter(one["verdict"] for one in mine)
        survivors = [(one["module"], one["mutant"]) for one in mine if one["verdict"] == "survived"]
        same = sum(told.get(one, {}).get("kind") == "equivalent" for one in survivors)
        numbers = [len(mine), counts["killed"], counts["timed out"], counts["survived"], same]
        score = (counts["killed"] + counts["timed out"]) / max(1, len(mine) - same)
        text += f"| {package} | {' | '.join(f'{number:,}' for number in numbers)} | {score:.1%} |\n"
    text += "\n## Survivors\n\n| module | mutant | why |\n|---|---|---|\n"
    for one in sorted(tried, key=lambda one: (one["module"], one["mutant"])):
        if one["verdict"] == "survived":
            reason = told.get((one["module"], one["mutant"]))
            why = f"{reason['kind']}: {reason['reason']}" if reason else OPEN
            text += (
                f"| {one['module'].removeprefix('frote.')} | `{one['mutant'].replace('|', chr(92) + '|')}` | {why} |\n"
            )
    return text
