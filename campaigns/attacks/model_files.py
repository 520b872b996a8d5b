"""Model files: archives of skops with other names, arrays or bytes. None runs anything, and none ends the process."""

from __future__ import annotations

import io
import json
import os
import sys
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from skops.io._persist import NODE_TYPE_MAPPING

import frote
from campaigns.campaign import Campaign, require
from campaigns.command import frote_command
from campaigns.damage import as_json, damaged_bytes, damaged_document
from campaigns.faults import WRITING
from campaigns.small_edit import shop
from frote.edits.saved_models import save_model

__all__ = ["CAMPAIGN"]

MODELS: dict[str, Any] = {
    "logistic": LogisticRegression(max_iter=200),
    "tree": DecisionTreeClassifier(random_state=0),
    "forest": RandomForestClassifier(5, random_state=0),
    "boosting": HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=3, random_state=0),
}
HOSTILE = (
    ("os", "system"),
    ("os", "remove"),
    ("posix", "system"),
    ("subprocess", "check_output"),
    ("subprocess", "Popen"),
    ("builtins", "exec"),
    ("builtins", "eval"),
    ("builtins", "open"),
    ("builtins", "__import__"),
    ("shutil", "rmtree"),
    ("joblib", "load"),
    ("pickle", "loads"),
    ("numpy", "load"),
    ("pathlib", "Path"),
    ("functools", "partial"),
    ("operator", "methodcaller"),
    ("runpy", "run_path"),
    ("importlib", "import_module"),
)
# What no model needs: each is told to an audit hook before it is done.
FORBIDDEN = (
    *("os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork", "pty.spawn", "os.remove", "os.rename"),
    *("os.mkdir", "os.rmdir", "os.chmod", "shutil.rmtree", "socket.connect", "socket.getaddrinfo", "urllib.Request"),
    *("ctypes.dlopen", "pickle.find_class", "builtins.input", "os.putenv", "os.kill", "webbrowser.open"),
)
WORDS = ("touch canary", "touch", "canary", "0", "[]", "import os; os.system('touch canary')")


@dataclass(frozen=True, slots=True)
class Case:
    """Whose file, what is done to it, and where chance comes from."""

    model: str
    damage: str
    seed: int


def _make(chance: Random) -> Case:
    damage = chance.choice(("names", "names", "names", "arrays", "arrays", "arrays", "document", "bytes", "entries"))
    return Case(chance.choice(tuple(MODELS)), damage, chance.getrandbits(32))


@cache
def _archive(name: str) -> dict[str, bytes]:
    """Return the entries of a model's file."""
    table = pd.read_csv(shop() / "loans.csv")
    model = frote.default_pipeline(MODELS[name]).fit(table.drop(columns="decision"), table["decision"])
    path = Path(f"{name}.skops")
    save_model(model, path)
    with zipfile.ZipFile(path) as archive:
        return {entry: archive.read(entry) for entry in archive.namelist()}


@cache
def _names() -> list[tuple[str, str]]:
    """Return every callable of scikit-learn, frote and what they import, by module and name."""
    modules = [
        name
        for name in sorted(sys.modules)
        if name.partition(".")[0] in ("sklearn", "frote", "numpy", "scipy", "joblib")
    ]
    return [
        (name, attribute)
        for name in modules
        for attribute in sorted(vars(sys.modules[name]))
        if not attribute.startswith("__") and callable(vars(sys.modules[name])[attribute])
    ]


def _nodes(document: Any) -> list[dict[str, Any]]:
    """Return the nodes of a schema, in order."""
    found, stack = [], [document]
    while stack:
        node = stack.pop(0)
        if isinstance(node, dict):
            found += [node] if "__loader__" in node else []
            stack += node.values()
        elif isinstance(node, list):
            stack += node
    return found


def _json_node(text: str) -> dict[str, Any]:
    return {
        "__class__": "str",
        "__module__": "builtins",
        "__loader__": "JsonNode",
        "content": json.dumps(text),
        "is_json": True,
    }


def _renamed(schema: Any, chance: Random) -> None:
    """Give nodes other names, loaders and arguments."""
    nodes = _nodes(schema)
    for _ in range(chance.choice((1, 1, 2, 3))):
        node = chance.choice(nodes)
        if chance.random() < 0.8:
            node["__module__"], node["__class__"] = chance.choice(HOSTILE if chance.random() < 0.4 else _names())
        if chance.random() < 0.6:
            node["__loader__"] = chance.choice(sorted({loader for loader, _ in NODE_TYPE_MAPPING}))
        if chance.random() < 0.5:
            arguments = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode"}
            words = [_json_node(word) for word in chance.choices(WORDS, k=chance.randint(1, 2))]
            key = chance.choice(("content", "attrs", "reduce", "__reduce__", "args"))
            node[key] = chance.choice(({**arguments, "content": words}, words, {"args": words}, words[0]))
        node["__id__"] = chance.getrandbits(40)  # else what has the same number is taken


def _other_array(content: bytes, chance: Random) -> bytes:
    """Return an array with some other values, or of another type or shape."""
    kind = chance.randrange(5)
    if kind == 0:
        return damaged_bytes(content, chance)
    held = np.load(io.BytesIO(content), allow_pickle=False)
    if kind == 1:
        held = held[: len(held) // 2] if held.ndim else held
    elif kind == 2:
        held = held.reshape(-1, *([1] * chance.randint(1, 3)))
    elif held.size:
        held = held.copy()
        flat = held.reshape(-1)
        for _ in range(chance.choice((1, 3))):
            place = chance.randrange(len(flat))
            if held.dtype.names:
                field = chance.choice(held.dtype.names)
                flat[field][place] = _odd(held.dtype[field], chance)
            else:
                flat[place] = _odd(held.dtype, chance)
    file = io.BytesIO()
    np.save(file, held, allow_pickle=False)
    return file.getvalue()


def _odd(dtype: np.dtype[Any], chance: Random) -> Any:
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return chance.choice((limits.max, limits.min, limits.max // 2, 0, 1, max(-2, limits.min)))
    if dtype.kind == "f":
        return chance.choice((np.nan, np.inf, 1e30, -1.0, 0.0))
    return np.zeros((), dtype=dtype)[()]


def _damaged(case: Case, chance: Random) -> bytes:
    entries = dict(_archive(case.model))
    schema = json.loads(entries["schema.json"])
    arrays = sorted(name for name in entries if name.endswith(".npy"))
    if case.damage == "names":
        _renamed(schema, chance)
    elif case.damage == "document":
        schema = damaged_document(schema, chance)
    elif case.damage == "arrays":
        # The largest are those of trees: they come first.
        name = chance.choice(
            sorted(arrays, key=lambda entry: -len(entries[entry]))[: chance.choice((1, 4, len(arrays)))]
        )
        entries[name] = _other_array(entries[name], chance)
    elif case.damage == "entries":
        first, second = chance.choice(sorted(entries)), chance.choice(sorted(entries))
        entries[first] = entries.pop(second) if chance.random() < 0.5 else b""
    if case.damage != "entries":
        entries["schema.json"] = as_json(schema)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        for entry, content in entries.items():
            archive.writestr(entry, content)
    return damaged_bytes(file.getvalue(), chance) if case.damage == "bytes" else file.getvalue()


_seen: list[str] = []
_watching = [False]


@cache
def _watch() -> None:
    """Let nothing be done that no model needs, while a model is read and asked; note what was tried."""

    def happens(event: str, arguments: tuple[Any, ...]) -> None:
        if not _watching[0]:
            return
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING
        if event in FORBIDDEN or (writes and os.fsdecode(str(arguments[0])) != os.devnull):
            _seen.append(event)
            raise RuntimeError(f"a model's file did {event}")

    sys.addaudithook(happens)


def _judge(case: Case) -> str | None:
    path = Path("damaged.skops")
    path.write_bytes(_damaged(case, Random(case.seed)))
    rules, data = shop() / "policy.rules", shop() / "later.csv"
    _watch()
    sys.dont_write_bytecode = True  # modules that are imported late would write
    _seen.clear()
    _watching[0] = True
    try:
        return frote_command("score", "--data", data, "--target", "decision", "--rules", rules, "--load", path).refusal
    finally:
        _watching[0] = False
        require(not _seen, f"a model's file did {', '.join(_seen)}")
        require(not Path("canary").exists(), "a model's file ran a command")


CAMPAIGN = Campaign(
    "model files",
    "A model's file that was changed is refused in a sentence, or is a model; it runs nothing and ends no process.",
    full=2_000,
    block=100,
    seconds=30,
    megabytes=1500,
    make=_make,
    judge=_judge,
)
