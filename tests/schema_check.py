"""Hold plain data against a JSON schema: the keywords that our schemas use, and an error for any other."""

from __future__ import annotations

import json
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "schemas"
TYPES = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
    "array": list,
    "object": dict,
}
KEYWORDS = {"type", "const", "enum", "anyOf", "$ref", "items", "properties", "required", "additionalProperties"}
WORDS = {"$schema", "$defs", "title", "description"}  # they ask for nothing


def faults(value, name):
    """Say where a value is not as a schema says; a whole number is also a number, and a truth value is none."""
    schema = json.loads((FOLDER / name).read_text("utf-8"))
    return list(_faults(value, schema, schema["$defs"], "$"))


def _faults(value, schema, parts, place):
    if schema.keys() - KEYWORDS - WORDS:
        raise NotImplementedError(schema.keys() - KEYWORDS - WORDS)
    if "$ref" in schema:
        yield from _faults(value, parts[schema["$ref"].removeprefix("#/$defs/")], parts, place)
    if "anyOf" in schema and all(any(_faults(value, one, parts, place)) for one in schema["anyOf"]):
        yield f"{place} is none of what it may be: {value!r}"
    allowed = [schema["const"]] if "const" in schema else schema.get("enum", [value])
    if not any(type(value) is type(one) and value == one for one in allowed):
        yield f"{place} is {value!r}"
    kind = schema.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or (isinstance(value, bool) and kind != "boolean")):
        yield f"{place} is no {kind}: {value!r}"
    elif isinstance(value, dict):
        yield from (f"{place} lacks {name}" for name in schema.get("required", ()) if name not in value)
        for name, held in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties", True))
            if inner is False:
                yield f"{place} has {name}, which is unknown"
            elif inner is not True:
                yield from _faults(held, inner, parts, f"{place}.{name}")
    elif isinstance(value, list) and "items" in schema:
        for number, held in enumerate(value):
            yield from _faults(held, schema["items"], parts, f"{place}[{number}]")
