"""A model's file as the same bytes whenever the same model is written, so that it can have a digest.

skops numbers objects by where they lie in memory, names arrays by these numbers, and its archive has the time of day.
Here nothing is numbered, arrays are named by what is in them, sets are in order, and there is no time.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import PurePosixPath
from typing import Any

__all__ = ["written_alike"]

PLAN = "schema.json"
NO_TIME = (1980, 1, 1, 0, 0, 0)  # the first that an archive can have
UNORDERED = ("builtins.set", "builtins.frozenset")


def written_alike(content: bytes) -> bytes:
    """Return the file of a model, as skops wrote it, without all that differs from one writing to the next."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    plan = json.loads(files.pop(PLAN))
    names = {name: f"{hashlib.sha256(body).hexdigest()}{PurePosixPath(name).suffix}" for name, body in files.items()}
    _settle(plan, names)
    named = {names[name]: body for name, body in files.items()}
    anew = io.BytesIO()
    with zipfile.ZipFile(anew, "w") as archive:
        for name in sorted(named):
            archive.writestr(_entry(name), named[name])
        archive.writestr(_entry(PLAN), json.dumps(plan, indent=2))
    return anew.getvalue()


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, NO_TIME)
    entry.create_system = 3  # on every system
    entry.external_attr = 0o600 << 16
    return entry


def _settle(value: Any, names: dict[str, str]) -> None:
    """Take the numbers away from all parts of a plan, name their files anew, and put sets into an order."""
    if isinstance(value, dict):
        for one in value.values():
            _settle(one, names)
        if "__loader__" in value:
            value.pop("__id__", None)
            if isinstance(value.get("file"), str):
                value["file"] = names[value["file"]]
            if f"{value['__module__']}.{value['__class__']}" in UNORDERED:
                # What a frozen set is made of stands in a list that is its only argument.
                members = value if value["__loader__"] == "SetNode" else value["content"]["content"][0]
                members["content"].sort(key=json.dumps)
    elif isinstance(value, list):
        for one in value:
            _settle(one, names)
