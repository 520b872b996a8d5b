"""Documents: rules, settings, records and checkpoints, damaged in their structure or in their bytes."""

from __future__ import annotations

import hashlib
import io
import json
import math
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import frote
from campaigns.attacks.rule_texts import rule_text
from campaigns.campaign import Campaign, require
from campaigns.command import frote_command
from campaigns.damage import DEPTH, NEST, as_json, damaged_bytes, damaged_document
from campaigns.small_edit import editor, loans, outcome, shop
from frote import FroteError
from frote.rules.files import to_json

__all__ = ["CAMPAIGN"]

SETTINGS: dict[str, Any] = {
    "rules": "policy.rules",
    "data": "loans.csv",
    "target": "decision",
    "categorical": ["channel"],
    "check": {"json": True},
    "edit": {"out": "edit", "seed": 3, "param": ["C=1"], "effective": "2027-01-31", "oversample": 0.5},
    "resolve": {"how": "priority"},
}


@dataclass(frozen=True, slots=True)
class Case:
    """What is damaged, how, and where chance comes from."""

    document: str
    bytewise: bool
    seed: int


def _make(chance: Random) -> Case:
    kinds = ("rules", "rules", "settings", "settings", "record", "run", "signed run", "signed batch")
    return Case(chance.choice(kinds), chance.random() < 0.3, chance.getrandbits(32))


def _judge(case: Case) -> str | None:
    chance = Random(case.seed)
    folder = Path(tempfile.mkdtemp(dir="."))
    try:
        return JUDGES[case.document](case, chance, folder)
    finally:
        shutil.rmtree(folder)


def _written(document: Any, case: Case, chance: Random) -> bytes:
    if case.bytewise:
        return damaged_bytes(json.dumps(document).encode(), chance)
    return as_json(damaged_document(document, chance))


def _rules(case: Case, chance: Random, folder: Path) -> str | None:
    text = "IF age < 1 THEN yes"
    for _ in range(5):
        text = rule_text(chance)
        try:
            frote.parse_rules(text)
            break
        except FroteError:
            text = "IF age < 1 THEN yes"
    path = folder / "policy.json"
    path.write_bytes(_written(json.loads(to_json(frote.parse_rules(text))), case, chance))
    rules = frote.read_rules(path)
    require(frote.parse_rules(str(rules)) == rules, "what is printed is read as other rules")
    return None


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(name))} = {_toml(held)}" for name, held in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)


def _settings(case: Case, chance: Random, folder: Path) -> str | None:
    document = SETTINGS if case.bytewise else damaged_document(SETTINGS, chance)
    lines = document.items() if isinstance(document, dict) else [("rules", document)]
    text = "\n".join(f"{json.dumps(str(name))} = {_toml(value)}" for name, value in lines)
    content = text.replace(json.dumps(NEST), "[" * DEPTH + "]" * DEPTH).encode("utf-8", "surrogatepass")
    path = folder / "frote.toml"
    path.write_bytes(damaged_bytes(content, chance) if case.bytewise else content)
    command = chance.choice((("resolve",), ("check",), ("--help",), ("edit", "--help")))
    return frote_command("--settings", path, *command).refusal


def _record(case: Case, chance: Random, folder: Path) -> str | None:
    record = json.loads((shop() / "edit" / "edit.json").read_text("utf-8"))
    path = folder / "edit.json"
    path.write_bytes(_written(record, case, chance))
    return frote_command("replay", path, "--data", shop() / "loans.csv", "--quiet").refusal


@cache
def _checkpoint() -> tuple[Path, dict[str, Any]]:
    """Return the checkpoint of a run that was cut off, and what the run comes to undisturbed."""
    folder = Path("checkpoint").absolute()
    editor(checkpoint=folder, callbacks=[lambda step: step.step == 5]).fit_resample(*loans())
    return folder, outcome(editor(), *loans())


def _resumed(folder: Path) -> dict[str, Any]:
    return outcome(editor(checkpoint=folder), *loans())


def _run(case: Case, chance: Random, folder: Path) -> str | None:
    """Damage any file of a checkpoint: it is refused, or the damage did nothing."""
    whole, expected = _checkpoint()
    place = Path(shutil.copytree(whole, folder / "checkpoint"))
    path = chance.choice(sorted(place.iterdir()))
    content = path.read_bytes()
    if case.bytewise or path.suffix != ".json":
        path.write_bytes(damaged_bytes(content, chance))
    else:
        path.write_bytes(as_json(damaged_document(json.loads(content), chance)))
    require(_resumed(place) == expected, "a damaged checkpoint was gone on from, to another end")
    return None


def _signed(run: bytes) -> bytes:
    return json.dumps({"sha256": hashlib.sha256(run).hexdigest(), "run": run.decode("utf-8", "replace")}).encode()


def _signed_run(case: Case, chance: Random, folder: Path) -> str | None:
    """Write another run with a true digest: what it says may be false, but nothing foreign is raised."""
    place = Path(shutil.copytree(_checkpoint()[0], folder / "checkpoint"))
    path = place / "run.json"
    run = json.loads(json.loads(path.read_bytes())["run"])
    path.write_bytes(_signed(_written(run, case, chance).decode("utf-8", "replace").encode()))
    _resumed(place)
    return None


def _signed_batch(case: Case, chance: Random, folder: Path) -> str | None:
    """Write another batch with a true digest."""
    place = Path(shutil.copytree(_checkpoint()[0], folder / "checkpoint"))
    run = json.loads(json.loads((place / "run.json").read_bytes())["run"])
    path = chance.choice(sorted(place.glob("*.npz")))
    path.write_bytes(damaged_bytes(path.read_bytes(), chance) if case.bytewise else _other_arrays(path, chance))
    step = str(int(path.stem.rpartition("-")[2]))
    run["batches"][step] = hashlib.sha256(path.read_bytes()).hexdigest()
    (place / "run.json").write_bytes(_signed(json.dumps(run).encode()))
    _resumed(place)
    return None


def _other_arrays(path: Path, chance: Random) -> bytes:
    with np.load(path) as archive:
        arrays = dict(archive)
    name = chance.choice(sorted(arrays))
    held = arrays[name]
    other = (
        lambda: held[:-1],
        lambda: held.astype("U5"),
        lambda: held.astype(np.float32) * np.float32(math.nan),
        lambda: np.full(held.shape, chance.choice((-1, 2**40, 10**6)), dtype=np.int64),
        lambda: held.reshape(1, -1),
        lambda: np.array(0),
        lambda: held.astype(np.complex128),
    )
    arrays[name] = chance.choice(other)()
    if chance.random() < 0.2:
        del arrays[name]
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


JUDGES = {
    "rules": _rules,
    "settings": _settings,
    "record": _record,
    "run": _run,
    "signed run": _signed_run,
    "signed batch": _signed_batch,
}
CAMPAIGN = Campaign(
    "documents",
    "A damaged document of rules, settings, a record or a checkpoint is refused in a sentence, or does no harm.",
    full=5_000,
    block=100,
    seconds=60,
    megabytes=1000,
    make=_make,
    judge=_judge,
)
