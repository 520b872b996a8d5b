"""Checkpoints: a folder from which a run that was cut off goes on, to the same end.

`run.json` says what it is a run of, and holds its steps and its next plan; it is put in place by one rename after every
step. Batches that were scored lie beside it as arrays. Nothing in the folder is ever executed: no model is stored, the
current one is fitted again.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frote.exceptions import CheckpointError, TableError
from frote.loop.checkpoint_contents import (
    batch_of,
    packed,
    require_followed,
    require_parts,
    require_scored,
    run_of,
    sha256,
    steps_of,
)
from frote.loop.engine import Past
from frote.ways_out import way_out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from frote.loop.engine import EditLoop, Step
    from frote.loop.rows import Batch

__all__ = ["Checkpoint"]

FORMAT = 2
RUN = "run.json"
SHOWN = 60  # characters of a setting that are shown where two of them differ


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The checkpoint of a run.

    Parameters
    ----------
    folder : Path
        Where its files lie: one of the run, and one for each batch accepted.

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
        run = _read(path)
        if run is None:
            return cls(path, dict(identity), seed)
        _require_same(path, run["identity"], identity)
        return cls(path, dict(identity), run["seed"], dict(run["batches"]))

    def past(self, loop: EditLoop) -> Past | None:
        """Return what was done before, None if nothing was.

        Parameters
        ----------
        loop : EditLoop
            The loop of the run, before its first step.

        Returns
        -------
        Past or None

        Raises
        ------
        CheckpointError
            If what was done cannot have been done by this run.
        """
        run = _read(self.folder)
        if run is None:
            return None
        try:
            steps = steps_of(run["steps"], len(loop.ruling.outcomes))
            require_scored(steps, [int(step) for step in run["batches"]])
        except ValueError:
            raise _damaged(self.folder / RUN) from None
        tried: list[tuple[int, Batch]] = []
        rows = len(loop.rows.labels)
        for step, digest in run["batches"].items():
            batch = self._batch(self.folder / _name(int(step)), digest, loop, rows)
            tried.append((int(step), batch))
            rows += len(batch) if steps[int(step)].accepted else 0
        try:
            plan = require_followed(steps, tried, run["plan"], loop.bench.planner)
        except ValueError:
            raise _damaged(self.folder / RUN) from None
        return Past(steps, tuple(tried), plan)

    def kept(self, loop: EditLoop) -> Past:
        """Return what was done in a run that is finished; nothing is written.

        Parameters
        ----------
        loop : EditLoop
            A loop of the same run, before its first step.

        Returns
        -------
        Past

        Raises
        ------
        CheckpointError
            If there is nothing, or it was done by another run.
        """
        # The ways out of a run that was cut off are none here: there is nothing to go on with.
        try:
            run = _read(self.folder)
            other = "" if run is None else _unlike(run["identity"], self.identity)
            past = None if run is None or other or run["seed"] != self.seed else self.past(loop)
        except CheckpointError:
            other, past = "", None
        if past is None:
            why = f"of another run: {other}" if other else "not there, damaged, or of another version of frote"
            raise CheckpointError(f"The steps kept in {str(self.folder)!r} are {why}. Edit again.")
        return past

    def _batch(self, path: Path, digest: str, loop: EditLoop, before: int) -> Batch:
        try:
            content = path.read_bytes() if path.is_file() else b""
            if sha256(content) != digest:
                raise ValueError
            return batch_of(content, loop.bench.proposer.making, loop.rows, before)
        except (OSError, ValueError, TableError):
            raise _damaged(path) from None

    def save(self, loop: EditLoop, steps: Sequence[Step]) -> None:
        """Write down where a loop stands.

        Parameters
        ----------
        loop : EditLoop
            The loop, its state and plan up to date.

        steps : sequence of Step
            All steps so far.
        """
        for step, batch in loop.tried:
            if str(step) not in self.digests:
                content = packed(batch)
                _put(self.folder / _name(step), content)
                self.digests[str(step)] = sha256(content)
        run = {
            "format": FORMAT,
            "identity": dict(self.identity),
            "seed": self.seed,
            "steps": [asdict(step) for step in steps],
            "plan": asdict(loop.plan),
            "batches": self.digests,
        }
        text = json.dumps(run)
        _put(self.folder / RUN, json.dumps({"sha256": sha256(text.encode()), "run": text}).encode())


def _name(step: int) -> str:
    return f"batch-{step:06d}.npz"


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
        with suppress(OSError):
            beside.unlink()  # room for others, on a full disk
        raise _unwritten(path, error.strerror) from None


def _read(folder: Path) -> dict[str, Any] | None:
    path = folder / RUN
    if not path.exists():
        return None
    try:
        run = run_of(path.read_bytes() if path.is_file() else b"")
        form = run["format"]
        if form == FORMAT:
            require_parts(run)
    except (OSError, ValueError):
        raise _damaged(path) from None
    if form != FORMAT:
        raise CheckpointError(
            f"The checkpoint in {str(folder)!r} has format {form}, and this version of frote reads {FORMAT}. "
            "Use another folder to start anew."
        )
    return run


def _unwritten(path: Path, why: str | None) -> CheckpointError:
    told = f"The checkpoint {str(path)!r} cannot be written: {why}. Use another folder."
    on_a_page = f"What was trained cannot be kept: {why}. Make room, and try again: it goes on where it was."
    return CheckpointError(way_out(told, told, on_a_page))


def _damaged(path: Path) -> CheckpointError:
    return CheckpointError(
        f"The checkpoint file {str(path)!r} is damaged or cut off. Delete its folder, or use another, to start anew."
    )


def _require_same(folder: Path, saved: Mapping[str, str], wanted: Mapping[str, str]) -> None:
    differences = _unlike(saved, wanted)
    if differences:
        raise CheckpointError(
            f"The checkpoint in {str(folder)!r} is of another run: {differences}. Use another folder to start anew."
        )


def _unlike(saved: Mapping[str, str], wanted: Mapping[str, str]) -> str:
    """Say where two runs differ; empty if they do not."""
    pairs = {name: (saved.get(name), wanted.get(name)) for name in {**saved, **wanted}}
    return "; ".join(
        f"{name} was {_short(old, new)}, now {_short(new, old)}" for name, (old, new) in pairs.items() if old != new
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
