"""Kills: a run is ended at a random moment, by any of three signals, and goes on to the same bytes."""

from __future__ import annotations

import json
import shutil
import signal
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import joblib

from campaigns.campaign import Broken, Campaign, require
from campaigns.child import Child, frote_main
from campaigns.command import require_fair
from campaigns.small_edit import EDIT, editor, loans, outcome, shop

if TYPE_CHECKING:
    from random import Random

__all__ = ["CAMPAIGN"]

SENT = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
RESULTS = ("augmented.csv", "ledger.csv", "rules.rules")


@dataclass(frozen=True, slots=True)
class Case:
    """What is run and how often it is ended, when and by what; moments are shares of an undisturbed run."""

    command: bool
    n_jobs: int
    backend: str
    force: bool
    kills: tuple[tuple[float, signal.Signals], ...]


def _make(chance: Random) -> Case:
    kills = tuple((chance.uniform(0, 1.1), chance.choice(SENT)) for _ in range(chance.choice((1, 1, 2))))
    backend = "loky" if chance.random() < 0.1 else "multiprocessing"
    return Case(chance.random() < 0.5, chance.choice((1, 1, 2)), backend, chance.random() < 0.3, kills)


def _judge(case: Case) -> None:
    folder = Path(tempfile.mkdtemp(dir=".")).absolute()
    try:
        (_command if case.command else _library)(case, folder)
    finally:
        shutil.rmtree(folder)


def _ended(child: Child, moment: float, sent: signal.Signals) -> bool:
    """Send a signal at a moment; return whether the child was still there."""
    time.sleep(moment)
    running = child.running
    child.send(sent)
    return running


def _run_library(folder: Path | None, result: Path | None, n_jobs: int, backend: str) -> int:
    """Run the edit and write down what came of it."""
    with joblib.parallel_config(backend=backend):
        found = outcome(editor(checkpoint=folder, n_jobs=n_jobs, max_fits=12), *loans())
    if result is not None:
        result.write_text(json.dumps(found), "utf-8")
    return 0


@cache
def _library_undisturbed() -> tuple[dict[str, Any], float]:
    start = time.monotonic()
    path = Path("undisturbed.json").absolute()
    said = Child(lambda: _run_library(None, path, 1, "multiprocessing")).wait()
    if said.code:
        raise RuntimeError(said.err)
    return json.loads(path.read_text("utf-8")), time.monotonic() - start


def _library(case: Case, folder: Path) -> None:
    expected, seconds = _library_undisturbed()
    for moment, sent in case.kills:
        child = Child(lambda: _run_library(folder / "checkpoint", None, case.n_jobs, case.backend))
        _ended(child, moment * seconds * case.n_jobs, sent)
        child.wait()
    path = folder / "result.json"
    said = Child(lambda: _run_library(folder / "checkpoint", path, case.n_jobs, case.backend)).wait()
    require(not said.code, f"the run that goes on ends with {said.code}: {said.err[-250:]}")
    found = json.loads(path.read_text("utf-8"))
    unlike = [name for name in expected if found[name] != expected[name]]
    require(not unlike, f"the run that went on ended with other {', '.join(unlike)}")


@cache
def _command_undisturbed() -> tuple[dict[str, bytes], float]:
    start = time.monotonic()
    folder = _prepared(Path(tempfile.mkdtemp(dir=".")).absolute())
    said = Child(frote_main(*EDIT, "--data", "loans.csv", "--out", "edit", folder=folder)).wait()
    if said.code:
        raise RuntimeError(said.err)
    return _results(folder / "edit"), time.monotonic() - start


def _prepared(folder: Path) -> Path:
    for name in ("loans.csv", "policy.rules"):
        shutil.copy(shop() / name, folder / name)
    return folder


def _results(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in RESULTS}


def _command(case: Case, folder: Path) -> None:
    expected, seconds = _command_undisturbed()
    _prepared(folder)
    old = None
    more: list[object] = ["--n-jobs", case.n_jobs]
    if case.force:  # an older edit lies there
        shutil.copytree(shop() / "edit", folder / "edit")
        old = _results(folder / "edit")
        more.append("--force")
    options = (*EDIT, "--data", "loans.csv", "--out", "edit", *more)
    for place, (moment, sent) in enumerate(case.kills):
        child = Child(frote_main(*options, *["--resume"] * (place > 0), folder=folder))
        running = _ended(child, moment * seconds, sent)
        said = child.wait()
        if said.code >= 0:
            require_fair(said)
        require(running or not said.code or place, f"ends with {said.code} by itself: {said.err[-200:]}")
        if (folder / "edit").exists():
            held = _whole(folder / "edit")
            require(held in (expected, old), "the folder is neither the old edit nor the new one")
    if (folder / "edit").exists() and not case.force:
        return  # it was through before its end came
    said = Child(frote_main(*options, "--resume", folder=folder)).wait()
    require(not said.code, f"the command that goes on ends with {said.code}: {said.err[-250:]}")
    require(_results(folder / "edit") == expected, "the command that went on ended in other bytes")
    rest = [path.name for path in folder.iterdir() if path.name.startswith(".edit")]
    require(not rest, f"left behind: {rest}")


def _whole(folder: Path) -> dict[str, bytes]:
    try:
        return _results(folder)
    except OSError as error:
        raise Broken(f"the folder is not whole: {error}") from None


CAMPAIGN = Campaign(
    "kills",
    "A run that is killed at any moment goes on to the same bytes; results are there whole or not at all.",
    full=1000,
    block=5,
    seconds=240,
    megabytes=4000,
    make=_make,
    judge=_judge,
)
