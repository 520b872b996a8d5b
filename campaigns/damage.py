"""Damage to texts, bytes and documents, by chance."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

__all__ = ["DEPTH", "NEST", "ODD", "as_json", "damaged_bytes", "damaged_document", "damaged_text"]

NEST = "<a nest of lists>"
DEPTH = 5_000
# What stands where something else is expected.
ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 1, 0.5, 2**63, 10**400, 1e308, -1e-320, float("nan"), float("inf")),
    *("", "x", "\ud800", "\x00", "\x1b[31m\u202e", "1e999", "../outside", "os:system", "y" * 20_000),
    *([], {}, [None], {"": None}, [[], [], []], NEST),
)


def as_json(document: Any) -> bytes:
    """Write a document, with a nest of lists where one is to be: Python's own could not copy it."""
    nest = b"[" * DEPTH + b"]" * DEPTH
    return json.dumps(document).encode().replace(json.dumps(NEST).encode(), nest)


def damaged_text(text: str, chance: Random, tokens: Sequence[str]) -> str:
    """Return a text with some parts gone, doubled, moved, or replaced by tokens."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 5))):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice((0, 1, 1, 1, 2, 5, 20)))
        kind = chance.randrange(4)
        middle = ("", chance.choice(tokens), text[start:end] * 2, text[start:end][::-1])[kind]
        text = text[:start] + middle + text[end:]
    return text


def damaged_bytes(content: bytes, chance: Random) -> bytes:
    """Return bytes with some parts gone, doubled, changed, or cut off."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        start = chance.randrange(len(content) + 1)
        end = min(len(content), start + chance.choice((0, 1, 1, 2, 4, 16, 200)))
        kind = chance.randrange(6)
        if kind == 0:
            content = content[:start]
        else:
            size = max(1, end - start)
            middle = (b"", content[start:end] * 2, chance.randbytes(size), bytes(size), b"\xff" * size)[kind - 1]
            content = content[:start] + middle + content[end:]
    return content


def damaged_document(document: Any, chance: Random) -> Any:
    """Return plain data with some nodes of another type, gone, doubled, renamed or in each other's place."""
    held = [copy.deepcopy(document)]
    for _ in range(chance.choice((1, 1, 1, 1, 2, 4))):
        _damage(held, chance)
    return held[0]


def _damage(held: list[Any], chance: Random) -> None:
    places = list(_places(held))
    parent, key = chance.choice(places)
    kind = chance.randrange(10)
    if kind < 5:
        parent[key] = copy.deepcopy(chance.choice(ODD))
    elif kind == 5 and parent is not held:
        del parent[key]
    elif kind == 6:
        other, there = chance.choice(places)
        parent[key] = copy.deepcopy(other[there])
    elif kind == 7:
        parent[key] = [parent[key]]
    elif kind == 8 and isinstance(parent, dict):
        parent[chance.choice(("", "x", "\ud800", "__class__", *map(str, parent)))] = parent.pop(key)
    elif isinstance(parent, list) and parent is not held:
        parent.insert(key, copy.deepcopy(parent[key]))
    else:
        parent[key] = _nudged(parent[key], chance)


def _nudged(value: Any, chance: Random) -> Any:
    """Return something of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value * chance.choice((-1, 2, 1000, 0)) + chance.choice((0, 1, -1))
    if isinstance(value, str):
        return damaged_text(value, chance, ("a", "0", " ", "\n", "'", "="))
    return value


def _places(node: Any) -> Any:
    """Give every place in a document: what it is in, and its key there."""
    stack = [node]
    while stack:
        parent = stack.pop()
        for key in range(len(parent)) if isinstance(parent, list) else list(parent):
            yield parent, key
            if isinstance(parent[key], list | dict):
                stack.append(parent[key])
