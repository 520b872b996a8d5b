"""JSON that comes from outside: bounded in depth, told with its file's name."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from frote.exceptions import RuleSyntaxError
from frote.plain import unwritable

__all__ = ["read_json"]


def read_json(content: bytes, place: str) -> Any:
    """Read JSON.

    Raises
    ------
    RuleSyntaxError
        If it is none, or nests deeper than any policy.

    Examples
    --------
    >>> read_json(b'{"a": [1, null]}', "policy.json")
    {'a': [1, None]}
    """
    try:
        document = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_once)
    except RuleSyntaxError as error:
        raise RuleSyntaxError(f"{place}: {error}") from None
    except UnicodeDecodeError as error:
        raise RuleSyntaxError(f"{place}: is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from None
    except (ValueError, RecursionError) as error:
        where = f" at line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise RuleSyntaxError(f"{place}: is no JSON{where}.") from None
    strange = unwritable(document)
    if strange is not None:
        raise RuleSyntaxError(f"{place}: {strange}, which no policy has.")
    return document


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise RuleSyntaxError(f"an object has the key {twice[:60]!r} twice. Keep one.")
    return found
