"""Checkpoints: a folder from which a run that was cut off goes on, to the same end.

`run.json` says what it is a run of, and holds its steps and its next plan; it is put in place by one rename after every
step. Accepted batches lie beside it as arrays. Nothing in the folder is ever executed: no model is stored, the current
one is fitted again.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.exceptions import CheckpointError
from frote.loop.engine import Past, Step
from frote.loop.objective import Scores
from frote.loop.schedule import Plan
from frote.loop.task import Batch
from frote.table import ColumnData

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from frote.loop.engine import EditLoop
    from frote.loop.task import Rows, Task

__all__ = ["Checkpoint"]

FORMAT = 1
RUN = "run.json"
SHOWN = 60  # characters of a setting that are shown where two of them differ


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The checkpoint of a run.

    Parameters
    ----------
    folder : Path
        Where it lies.

    identity : mapping of str to str
        What makes the run what it is: data, rules, settings, versions. A checkpoint of another run is refused.

    seed : int
        The seed of the run.

    digests : dict of str to str
        The steps whose batches are written, with the digests of their files.
    """

    folder: Path
    identity: Mapping[str, str]
    seed: int
    digests: dict[str, str] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], identity: Mapping[str, str], seed: int) -> Checkpoint:
        """Open a folder, whether there is a checkpoint in it or not.

        Parameters
        ----------
        folder : path
            The folder; it is made if it is not there.

        identity : mapping of str to str
            What makes this run what it is.

        seed : int
            The seed if the run is new; a run that goes on keeps the one it had.

        Returns
        -------
        Checkpoint

        Raises
        ------
        CheckpointError
            If the folder cannot be made or written to, or holds a checkpoint that is damaged or of another run.
        """
        path = Path(folder)
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritten(path, error.strerror) from None
        if not os.access(path, os.W_OK):
            raise _unwritten(path, "Permission denied")  # better now than after the first fit
        held = _read(path)
        if held is None:
            return cls(path, dict(identity), seed)
        _require_same(path, held["identity"], identity)
        return cls(path, dict(identity), held["seed"], dict(held["batches"]))

    def past(self, task: Task, rows: Rows) -> Past | None:
        """Return what was done before, None if nothing was.

        Parameters
        ----------
        task : Task
            The task of the run.

        rows : Rows
            The training data before any synthetic row.

        Returns
        -------
        Past or None
        """
        held = _read(self.folder)
        if held is None:
            return None
        steps = [_step(line) for line in held["steps"]]
        batches = tuple(
            (int(step), _batch(self.folder / _name(int(step)), digest, task, rows))
            for step, digest in held["batches"].items()
        )
        return Past(tuple(steps), batches, Plan(**held["plan"]))

    def save(self, loop: EditLoop, steps: Sequence[Step]) -> None:
        """Write down where a loop stands.

        Parameters
        ----------
        loop : EditLoop
            The loop, its state and plan up to date.

        steps : sequence of Step
            All steps so far.
        """
        for step, batch in loop.state.batches:
            if str(step) not in self.digests:
                content = _packed(batch)
                _put(self.folder / _name(step), content)
                self.digests[str(step)] = hashlib.sha256(content).hexdigest()
        held = {
            "format": FORMAT,
            "identity": dict(self.identity),
            "seed": self.seed,
            "steps": [asdict(step) for step in steps],
            "plan": asdict(loop.plan),
            "batches": self.digests,
        }
        text = json.dumps(held)
        _put(self.folder / RUN, json.dumps({"sha256": _sha256(text), "run": text}).encode())


def _name(step: int) -> str:
    return f"batch-{step:06d}.npz"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _put(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, also after a power cut."""
    beside = path.with_name(path.name + ".part")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise _unwritten(path, error.strerror) from None


def _read(folder: Path) -> dict[str, Any] | None:
    path = folder / RUN
    if not path.exists():
        return None
    try:
        outer = json.loads(path.read_bytes())
        text = outer["run"]
        if _sha256(text) != outer["sha256"]:
            raise ValueError
        held: dict[str, Any] = json.loads(text)
        form = held["format"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise _damaged(path) from None
    if form != FORMAT:
        raise CheckpointError(
            f"The checkpoint in {str(folder)!r} has format {form}, and this version of frote reads {FORMAT}. "
            "Use another folder to start anew."
        )
    return held


def _unwritten(path: Path, why: str | None) -> CheckpointError:
    return CheckpointError(f"The checkpoint {str(path)!r} cannot be written: {why}. Use another folder.")


def _damaged(path: Path) -> CheckpointError:
    return CheckpointError(
        f"The checkpoint file {str(path)!r} is damaged or cut off. Delete its folder, or use another, to start anew."
    )


def _require_same(folder: Path, held: Mapping[str, str], wanted: Mapping[str, str]) -> None:
    names = [name for name in {**held, **wanted} if held.get(name) != wanted.get(name)]
    if names:
        pairs = {name: (held.get(name), wanted.get(name)) for name in names}
        told = "; ".join(f"{name} was {_short(old, new)}, now {_short(new, old)}" for name, (old, new) in pairs.items())
        raise CheckpointError(
            f"The checkpoint in {str(folder)!r} is of another run: {told}. Use another folder to start anew."
        )


def _short(value: str | None, other: str | None) -> str:
    """Return a setting, of a long one the part where it begins to differ from another."""
    if value is None:
        return "not there"
    line, beside = (" ".join((text or "").split()) for text in (value, other))
    if len(line) <= SHOWN:
        return line
    same = next((place for place, pair in enumerate(zip(line, beside, strict=False)) if pair[0] != pair[1]), 0)
    start = max(0, min(same - SHOWN // 2, len(line) - SHOWN))
    return f"{'...' * (start > 0)}{line[start : start + SHOWN]}{'...' * (start + SHOWN < len(line))}"


def _step(line: dict[str, Any]) -> Step:
    found = line["scores"]
    if found is not None:
        found = Scores(**{**found, "per_rule": tuple(found["per_rule"]), "covered": tuple(found["covered"])})
    return Step(**{**line, "scores": found, "proposed": tuple(line["proposed"])})


def _packed(batch: Batch) -> bytes:
    arrays: dict[str, Any] = {
        "piece": batch.piece,
        "base": batch.base,
        "neighbour": batch.neighbour,
        "strong": batch.strong,
        "labels": batch.rows.labels,
        "own": batch.rows.own,
    }
    table = batch.rows.table
    for place, name in enumerate(table.schema.names):
        arrays[f"values {place}"] = table[name].values
        missing = table[name].missing
        if missing is not None:
            arrays[f"missing {place}"] = missing
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def _batch(path: Path, digest: str, task: Task, rows: Rows) -> Batch:
    try:
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise ValueError
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            held = dict(arrays)
    except (OSError, ValueError, zipfile.BadZipFile):
        raise _damaged(path) from None
    data = {
        name: ColumnData(held[f"values {place}"], held.get(f"missing {place}"))
        for place, name in enumerate(rows.table.schema.names)
    }
    table = rows.table.replace_data(data)
    made = task.rows(table, None, held["labels"], held["own"])
    return Batch(made, held["piece"], held["base"], held["neighbour"], held["strong"])
