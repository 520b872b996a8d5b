"""What a checkpoint holds, read as if a stranger had written it: it is what a run writes, or it is damaged.

A digest tells accidents, not intent: whoever changes a file can change its digest too. So types, shapes and numbers are
checked before anything is made from them, and nothing takes more memory than the file has bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import zipfile
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.measures import Scores
from frote.loop.engine import Step
from frote.loop.rows import Batch, Rows
from frote.loop.schedule import Plan
from frote.table import ColumnData, TypedFrame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from frote.generation.making import Making
    from frote.loop.schedule import Planner

__all__ = ["batch_of", "packed", "require_followed", "require_parts", "require_scored", "run_of", "sha256", "steps_of"]

LARGEST = 2**53  # of whole numbers: those that every program reads alike
PARTS = {"format": int, "identity": dict, "seed": int, "steps": list, "plan": dict, "batches": dict}


def sha256(content: bytes) -> str:
    """Return the digest of a content."""
    return hashlib.sha256(content).hexdigest()


def run_of(content: bytes) -> dict[str, Any]:
    """Read ``run.json``.

    Raises
    ------
    ValueError
        If it is not what a run writes.
    """
    try:
        outer = json.loads(content)
        _require(isinstance(outer, dict) and isinstance(outer.get("run"), str))
        _require(sha256(outer["run"].encode()) == outer.get("sha256"))
        run = json.loads(outer["run"])
    except RecursionError:
        raise ValueError from None
    _require(isinstance(run, dict) and type(run.get("format")) is int)
    return dict(run)


def require_parts(run: Mapping[str, Any]) -> None:
    """Refuse what has not the parts of a run, each of its type.

    Raises
    ------
    ValueError
        If it has not.
    """
    _require(all(type(run.get(name)) is kind for name, kind in PARTS.items()))
    _require(0 <= run["seed"] < 2**128)
    _require(all(isinstance(text, str) for text in run["identity"].values()))
    _require(all(name.isdecimal() and isinstance(text, str) for name, text in run["batches"].items()))


def steps_of(lines: Sequence[Any], rules: int) -> tuple[Step, ...]:
    """Read the steps of a run that has so many rules as written.

    Raises
    ------
    ValueError
        If they are not what a run writes.
    """
    steps = tuple(_step(line, rules) for line in lines)
    _require(bool(steps) and [step.step for step in steps] == list(range(len(steps))) and steps[0].accepted)
    return steps


def _step(line: Any, rules: int) -> Step:
    given = _named(line, Step)
    _require(type(given["accepted"]) is bool and isinstance(given["error"], str) and isinstance(given["digest"], str))
    _require(all(_whole(given[name]) for name in ("step", "twins", "added", "guards")))
    _require(_wholes(given["proposed"], rules))
    _require(all(_number(given[name]) for name in ("previous", "fit_seconds", "predict_seconds", "other_seconds")))
    scores = None if given["scores"] is None else _scores(given["scores"], rules)
    _require(scores is not None or not given["accepted"])
    return Step(**{**given, "scores": scores, "proposed": tuple(given["proposed"])})


def _scores(line: Any, rules: int) -> Scores:
    given = _named(line, Scores)
    _require(all(_number(given[name]) for name in ("objective", "agreement", "outside")))
    _require(given["loss"] is None or _number(given["loss"]))
    _require(_whole(given["uncovered"]) and _wholes(given["covered"], rules))
    per_rule = given["per_rule"]
    _require(isinstance(per_rule, list) and len(per_rule) == rules and all(map(_number, per_rule)))
    return Scores(**{**given, "per_rule": tuple(per_rule), "covered": tuple(given["covered"])})


def require_scored(steps: Sequence[Step], batches: Sequence[int]) -> None:
    """Refuse batches of other steps than those that were scored.

    Raises
    ------
    ValueError
        If there are such, or one is not there.
    """
    _require(list(batches) == [step.step for step in steps[1:] if step.scores is not None])


def require_followed(steps: Sequence[Step], tried: Sequence[tuple[int, Batch]], plan: Any, planner: Planner) -> Plan:
    """Return the plan that follows from steps and the batches that they tried; refuse one that does not.

    Raises
    ------
    ValueError
        If one does not follow from the other.
    """
    batches, added, guards, follows = dict(tried), 0, 0, planner.first()
    _require(steps[0].added == steps[0].guards == 0)
    for step in steps[1:]:
        if step.accepted:
            batch = batches[step.step]
            added, guards = added + batch.inside, guards + len(batch) - batch.inside
        _require(step.added == added and step.guards == guards)
        follows = planner.after(follows, step.accepted, added)
    _require(Plan(**_named(plan, Plan)) == follows)
    return follows


def packed(batch: Batch) -> bytes:
    """Return a batch as bytes: plain arrays, nothing that is ever executed."""
    arrays: dict[str, Any] = {
        "piece": batch.piece,
        "base": batch.base,
        "neighbour": batch.neighbour,
        "strong": batch.strong,
        "guard": batch.guard,
        "labels": batch.rows.labels.astype(np.intp),
        "own": batch.rows.own.astype(np.intp),
    }
    table = batch.rows.table
    for position, name in enumerate(table.schema.names):
        arrays[f"values {position}"] = table[name].values
        missing = table[name].missing
        if missing is not None:
            arrays[f"missing {position}"] = missing
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def batch_of(content: bytes, making: Making, rows: Rows, before: int) -> Batch:
    """Read a batch, given how many rows there were before it.

    Raises
    ------
    ValueError
        If it is not what a run writes: rows of these columns, each inside its rule.
    """
    arrays, ruling = _arrays(content), making.ruling
    count = len(_array_of(arrays, "piece"))
    _require(count > 0)
    piece = _places(arrays, "piece", count, 0, len(ruling.rules))
    base, neighbour = _places(arrays, "base", count, 0, before), _places(arrays, "neighbour", count, -1, before)
    labels, own = (_places(arrays, name, count, 0, len(ruling.classes)) for name in ("labels", "own"))
    strong, guard = (_like(_array_of(arrays, name), count, np.dtype(bool)) for name in ("strong", "guard"))
    data = {}
    for position, name in enumerate(rows.table.schema.names):
        missing = arrays.get(f"missing {position}")
        data[name] = ColumnData(
            _like(_array_of(arrays, f"values {position}"), count, rows.table[name].values.dtype),
            None if missing is None else _like(missing, count, np.dtype(bool)),
        )
    made = Rows.of(making, TypedFrame(rows.table.replace_data(data)), labels, own, guard)
    within = ruling.conditions.covered(made.attribution.met)[piece, np.arange(count)]
    _require(bool(np.where(guard, made.attribution.owner < 0, within).all()))
    return Batch(made, piece, base, neighbour, strong)


def _arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """Read arrays as `numpy.savez` writes them; none takes more than its bytes in the file."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            _require(all(member.compress_type == zipfile.ZIP_STORED for member in members))
            _require(sum(member.file_size for member in members) <= len(content))
            return {member.filename.removesuffix(".npy"): _array(archive.read(member)) for member in members}
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, SyntaxError, TypeError):
        raise ValueError from None


def _array(content: bytes) -> NDArray[Any]:
    file = io.BytesIO(content)
    _require(np.lib.format.read_magic(file) == (1, 0))
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    _require(not dtype.hasobject and dtype.names is None and len(shape) == 1)
    _require(math.prod(shape) * dtype.itemsize == len(content) - file.tell())
    return np.frombuffer(content, dtype, offset=file.tell())


def _array_of(arrays: Mapping[str, NDArray[Any]], name: str) -> NDArray[Any]:
    _require(name in arrays)
    return arrays[name]


def _like(array: NDArray[Any], count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    _require(array.shape == (count,) and array.dtype == dtype)
    return array


def _places(arrays: Mapping[str, NDArray[Any]], name: str, count: int, least: int, end: int) -> NDArray[np.intp]:
    positions = _like(_array_of(arrays, name), count, np.dtype(np.intp))
    _require(bool(((positions >= least) & (positions < end)).all()))
    return positions


def _named(line: Any, kind: type) -> dict[str, Any]:
    _require(isinstance(line, dict) and line.keys() == {one.name for one in fields(kind)})
    return dict(line)


def _whole(value: Any) -> bool:
    return type(value) is int and 0 <= value < LARGEST


def _wholes(values: Any, count: int) -> bool:
    return isinstance(values, list) and len(values) == count and all(map(_whole, values))


def _number(value: Any) -> bool:
    return type(value) is float or (type(value) is int and abs(value) < LARGEST)


def _require(fact: bool) -> None:
    if not fact:
        raise ValueError
