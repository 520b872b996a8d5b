"""Two processes that write to one folder at the same time: none spoils what the other does."""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import frote
from campaigns.attacks.kills import RESULTS
from campaigns.campaign import Campaign, require
from campaigns.child import OWN_ERROR, Child, frote_main
from campaigns.command import require_fair
from campaigns.small_edit import EDIT, editor, loans, outcome, shop

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from campaigns.command import Said

__all__ = ["CAMPAIGN"]


@dataclass(frozen=True, slots=True)
class Case:
    """What both do, how long the second waits, and which options each has besides."""

    command: bool
    wait: float
    options: tuple[tuple[str, ...], tuple[str, ...]]
    earlier: bool


def _make(chance: Random) -> Case:
    choices = ((), ("--force",), ("--resume",), ("--force", "--resume"))
    options = (chance.choice(choices), chance.choice(choices))
    return Case(chance.random() < 0.7, chance.choice((0, chance.random() * 2)), options, chance.random() < 0.3)


def _judge(case: Case) -> str | None:
    folder = Path(tempfile.mkdtemp(dir=".")).absolute()
    try:
        return (_commands if case.command else _library)(case, folder)
    finally:
        shutil.rmtree(folder)


def _both(case: Case, works: tuple[Callable[[], int | None], Callable[[], int | None]]) -> tuple[Said, Said]:
    first = Child(works[0])
    time.sleep(case.wait)
    second = Child(works[1])
    return first.wait(), second.wait()


def _commands(case: Case, folder: Path) -> str | None:
    for name in ("loans.csv", "policy.rules"):
        shutil.copy(shop() / name, folder / name)
    expected = {name: (shop() / "edit" / name).read_bytes() for name in RESULTS}
    if case.earlier:
        shutil.copytree(shop() / "edit", folder / "edit")
    given = (*EDIT, "--data", "loans.csv", "--out", "edit")
    said = _both(case, tuple(frote_main(*given, *more, folder=folder) for more in case.options))  # type: ignore[arg-type]
    for one in said:
        require_fair(one)
    told = [one.err.strip() for one in said if one.code]
    allowed = not case.earlier or any("--force" in more for more in case.options)
    require(not allowed or any(one.code == 0 for one in said), f"both failed: {told}")
    require((folder / "edit").is_dir(), f"there is no folder, with exit codes {[one.code for one in said]}")
    held = {name: (folder / "edit" / name).read_bytes() for name in RESULTS if (folder / "edit" / name).exists()}
    require(held == expected, "the folder is not whole, or of other bytes")
    rest = [path.name for path in folder.iterdir() if path.name.startswith(".edit")]
    require(told or not rest, f"left behind: {rest}")
    return told[0] if told else None


def _library(case: Case, folder: Path) -> str | None:
    def work(name: str) -> Callable[[], int | None]:
        def run() -> int | None:
            try:
                found = outcome(editor(checkpoint=folder / "checkpoint"), *loans())
            except frote.FroteError as error:
                (folder / f"{name}.error").write_text(str(error), "utf-8")
                return 2
            (folder / name).write_text(json.dumps(found), "utf-8")
            return 0

        return run

    said = _both(case, (work("first"), work("second")))
    require(OWN_ERROR not in {one.code for one in said}, f"a foreign error: {[one.err[-200:] for one in said]}")
    told = [path.read_text("utf-8") for path in sorted(folder.glob("*.error"))]
    require(any(one.code == 0 for one in said), f"both failed: {told}")
    expected = json.loads(json.dumps(outcome(editor(), *loans())))
    for name in ("first", "second"):
        if (folder / name).exists():
            require(json.loads((folder / name).read_text("utf-8")) == expected, "one of two runs ended otherwise")
    return told[0] if told else None


CAMPAIGN = Campaign(
    "two processes",
    "Of two processes on one folder, one at least comes to its end, the other is refused in a sentence or does too, "
    "and what is there is whole.",
    full=100,
    block=5,
    seconds=120,
    megabytes=3000,
    make=_make,
    judge=_judge,
)
