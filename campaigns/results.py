"""What was run so far: a file of JSON lines for each campaign, and a summary of all."""

from __future__ import annotations

import json
import platform
import subprocess
from collections import Counter
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from campaigns.campaign import Campaign
    from campaigns.runner import Block

__all__ = ["FOLDER", "PAGE", "append", "finished", "forget", "quote", "source_commit", "summarise", "write_summary"]

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "results"
PAGE = ROOT / "docs" / "reliability.md"
LIBRARIES = ("numpy", "pandas", "polars", "pyarrow", "scikit-learn", "scipy", "skops")
HEAD = """\
| campaign | cases | of | held | refused | broken | slowest | memory | source |
|---|--:|--:|--:|--:|--:|--:|--:|---|
"""


def source_commit() -> str:
    """Return the commit that changed frote's source last; with a plus if it was changed since."""

    def git(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)

    commit = git("log", "-1", "--format=%h", "--abbrev=7", "--", "src").stdout.strip() or "unknown"
    return commit + "+" * bool(git("status", "--porcelain", "--", "src").stdout)


def _path(folder: Path, campaign: Campaign) -> Path:
    return folder / f"{campaign.name.replace(' ', '-')}.jsonl"


def finished(folder: Path, campaign: Campaign, seed: int) -> dict[int, dict[str, Any]]:
    """Return the blocks of a campaign that are done, by their first case."""
    path = _path(folder, campaign)
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    blocks = (json.loads(line) for line in lines if line.endswith("}"))  # the last one may have been cut off
    return {block["first"]: block for block in blocks if block["seed"] == seed and block["cases"] == campaign.block}


def append(folder: Path, campaign: Campaign, seed: int, commit: str, block: Block) -> None:
    """Write down that a block is done."""
    folder.mkdir(parents=True, exist_ok=True)
    path = _path(folder, campaign)
    cut_off = path.exists() and not path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" * cut_off + json.dumps({"seed": seed, "source": commit, **asdict(block)}) + "\n")


def forget(folder: Path, campaign: Campaign) -> None:
    """Begin a campaign anew."""
    _path(folder, campaign).unlink(missing_ok=True)


def summarise(folder: Path, campaigns: Iterable[Campaign], seed: int) -> dict[str, Any]:
    """Return what was run of each campaign, and what came of it."""
    found = {one.name: _summed(one, list(finished(folder, one, seed).values())) for one in campaigns}
    libraries = {name: version(name) for name in LIBRARIES}
    machine = {"python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}
    return {"seed": seed, "versions": {**machine, **libraries}, "campaigns": found}


def _summed(campaign: Campaign, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    counts = {name: sum(block[name] for block in blocks) for name in ("cases", "held", "refused", "broken")}
    slowest = max(blocks, key=lambda block: block["slowest"], default={"slowest": 0.0, "slowest_case": -1})
    return {
        "promise": campaign.promise,
        **counts,
        "full": campaign.full,
        "slowest": slowest["slowest"],
        "slowest_case": slowest["slowest_case"],
        "megabytes": max((block["megabytes"] for block in blocks), default=0),
        "minutes": round(sum(block["seconds"] for block in blocks) / 60, 1),
        "sources": list(dict.fromkeys(block["source"] for block in blocks)),
        "failures": [failure for block in blocks for failure in block["failures"]],
    }


def write_summary(folder: Path, summary: dict[str, Any]) -> None:
    """Write the summary for machines and for people."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "summary.json").write_text(json.dumps(summary, indent=1) + "\n", "utf-8")
    (folder / "summary.md").write_text(_page(summary), "utf-8")


def quote(page: Path, summary: dict[str, Any]) -> None:
    """Put the table of the summary into a page that has an older one."""
    before, head, after = page.read_text("utf-8").partition(HEAD)
    lines = after.splitlines(keepends=True)
    rest = next(place for place, line in enumerate(lines) if not line.startswith("|"))
    page.write_text(before + head + _table(summary) + "".join(lines[rest:]), "utf-8")


def _table(summary: dict[str, Any]) -> str:
    return "".join(_line(name, found) for name, found in summary["campaigns"].items())


def _page(summary: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in summary["versions"].items())
    page = f"# Campaigns\n\n{HEAD}{_table(summary)}\nSeed {summary['seed']}; {versions}.\n"
    for name, found in summary["campaigns"].items():
        if found["failures"]:
            page += f"\n## {name}: {found['broken']:,} broken\n\n"
            first: dict[str, int] = {}
            for failure in found["failures"]:
                first.setdefault(failure["reason"], failure["case"])
            counts = Counter(failure["reason"] for failure in found["failures"])
            page += "".join(f"- {counts[reason]} x, case {case}: {reason}\n" for reason, case in first.items())
    return page


def _line(name: str, found: dict[str, Any]) -> str:
    cells = [name, *(f"{found[count]:,}" for count in ("cases", "full", "held", "refused", "broken"))]
    cells += [f"{found['slowest']:.2f} s", f"{found['megabytes']:,} MB", ", ".join(found["sources"])]
    return f"| {' | '.join(cells)} |\n"
