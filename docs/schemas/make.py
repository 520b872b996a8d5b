"""Write the JSON schemas of what an edit leaves for programs, from the types of the code that writes it.

    python docs/schemas/make.py

makes ``report.schema.json`` and ``edit.schema.json`` beside this file; a test says when they are out of date.
"""

from __future__ import annotations

import json
import types
from inspect import cleandoc
from pathlib import Path
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from frote.edits import order, record
from frote.edits.record import FORMAT, Record
from frote.report import contents
from frote.report.contents import VERSION, Report

__all__ = ["SCHEMAS", "schema_of", "written"]

FOLDER = Path(__file__).parent
DIALECT = "https://json-schema.org/draft/2020-12/schema"
SIMPLE: dict[Any, str] = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
# Names that the types use and their modules import for type checkers alone.
KNOWN = {**vars(contents), **vars(order), **vars(record)}


def schema_of(contract: Any, title: str) -> dict[str, Any]:
    """Return the schema of a contract; each part of it stands under ``$defs`` by its name."""
    parts: dict[str, Any] = {}
    _node(contract, parts)
    whole = parts.pop(contract.__name__)
    return {"$schema": DIALECT, "title": title, **whole, "$defs": dict(sorted(parts.items()))}


def _node(kind: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a type, and put what it is made of among the parts."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if kind in SIMPLE:
        return {"type": SIMPLE[kind]}
    if is_typeddict(kind):
        if kind.__name__ not in parts:
            parts[kind.__name__] = {}  # a part may hold itself
            parts[kind.__name__] = _object(kind, parts)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    if origin is NotRequired:
        return _node(arguments[0], parts)
    if origin is Literal:
        return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_node(one, parts) for one in arguments]}
    if origin is list:
        return {"type": "array", "items": _node(arguments[0], parts)}
    if origin is dict and arguments[0] is str:
        return {"type": "object", "additionalProperties": _node(arguments[1], parts)}
    raise TypeError(f"{kind} cannot be told in a JSON schema.")


def _object(contract: Any, parts: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(contract, localns=KNOWN, include_extras=True)
    return {
        "description": " ".join(cleandoc(contract.__doc__).split()),
        "type": "object",
        "properties": {name: _node(kind, parts) for name, kind in hints.items()},
        "required": [name for name, kind in hints.items() if get_origin(kind) is not NotRequired],
        "additionalProperties": False,
    }


SCHEMAS = {
    "report.schema.json": (Report, f"report.json of frote edit, version {VERSION}"),
    "edit.schema.json": (Record, f"edit.json of frote edit, format {FORMAT}"),
}


def written(name: str) -> str:
    """Return a schema as its file is to be."""
    return json.dumps(schema_of(*SCHEMAS[name]), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name in SCHEMAS:
        (FOLDER / name).write_text(written(name), "utf-8")
