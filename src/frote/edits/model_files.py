"""What a model's file says that it holds, read without making any of it.

skops calls what a file names: types, losses, functions inside functions. So the whole of the file's plan, which is
JSON, is gone through first, and every name in it is looked up in `frote.edits.model_types`. What a file declares
about sizes is held against its own size, so that a small file does not fill the memory.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.edits.model_types import KNOWN, OPEN
from frote.exceptions import ModelError
from frote.unpacked import unpacked

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["FileContents", "contents_of"]

PLAN = "schema.json"
WITH_FILE = ("NdArrayNode", "BytesNode", "BytearrayNode", "SparseMatrixNode")  # parts that may have files of their own
PROTOCOLS = (1, 2)  # in older ones a part says elsewhere what it calls
AT_LEAST, TIMES = 1 << 24, 20  # bytes that any file may unfold to, and that it may unfold to per byte of its own


@dataclass(frozen=True, slots=True)
class FileContents:
    """What a model's file holds.

    Parameters
    ----------
    names : list of str
        All types and functions that are made or called when it is read.

    unknown : list of str
        Those of them that it may not hold.

    content : bytes
        The file, written anew from what was looked at.
    """

    names: list[str]
    unknown: list[str]
    content: bytes


def contents_of(content: bytes, trusted: Collection[str]) -> FileContents:
    """Return what a file holds.

    Parameters
    ----------
    content : bytes
        The file.

    trusted : collection of str
        Names of types that it may hold besides those that frote knows.

    Returns
    -------
    FileContents

    Raises
    ------
    ModelError
        If the file is not as skops writes one. What else a damaged one raises is left to the caller.
    """
    most = AT_LEAST + TIMES * len(content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > most:
            raise ModelError("it unfolds to far more than its own size")
        plan = json.loads(unpacked(archive, archive.getinfo(PLAN)))
        if not isinstance(plan, dict) or type(plan.get("protocol")) is not int or plan["protocol"] not in PROTOCOLS:
            raise ModelError("it is of a version that frote does not read")
        reading = _Reading(archive, frozenset(trusted), most)
        reading.look(plan)
        return FileContents(sorted(reading.names), sorted(reading.unknown), _anew(plan, archive, reading.files))


def _anew(plan: dict[str, Any], archive: zipfile.ZipFile, files: Iterable[str]) -> bytes:
    anew = io.BytesIO()
    with zipfile.ZipFile(anew, "w") as new:
        new.writestr(PLAN, json.dumps(plan))
        for name in files:
            new.writestr(name, unpacked(archive, archive.getinfo(name)))
    return anew.getvalue()


class _Reading:
    """A walk through all parts of a plan, wherever they stand: skops makes nothing that is not such a part."""

    def __init__(self, archive: zipfile.ZipFile, trusted: frozenset[str], most: int) -> None:
        self.archive = archive
        self.trusted = trusted
        self.left = most
        self.names: set[str] = set()
        self.unknown: set[str] = set()
        self.files: dict[str, None] = {}  # in their order

    def look(self, value: Any) -> None:
        """Look at a value of the plan, and at all inside it."""
        if isinstance(value, dict):
            # In place of a part whose number it has seen, skops takes the first one of that number, whatever it is.
            value.pop("__id__", None)
            if "__loader__" in value:
                self._part(value)
            for one in value.values():
                self.look(one)
        elif isinstance(value, list):
            for one in value:
                self.look(one)

    def _part(self, part: dict[str, Any]) -> None:
        kind, name = part["__loader__"], _name(part)
        if kind not in KNOWN:
            raise ModelError(f"it holds a part of an unknown kind, {str(kind)[:40]!r}")
        self.names.add(name)
        if name not in KNOWN[kind] and not (kind in OPEN and name in self.trusted):
            if kind not in OPEN:
                raise ModelError(f"it holds {name} where that cannot be")
            self.unknown.add(name)
        if kind in WITH_FILE and "file" in part:
            self._file(part["file"], array=kind == "NdArrayNode")
        _require_sane(kind, part)

    def _file(self, name: Any, *, array: bool) -> None:
        """Refuse what would take more memory than the file accounts for, also if one thing is read many times."""
        size = self.archive.getinfo(name).file_size
        self.files[name] = None
        self.left -= size
        if self.left < 0:
            raise ModelError("it unfolds to far more than its own size")
        if array:
            with self.archive.open(name) as file:
                _require_array(file, size)


def _name(part: dict[str, Any]) -> str:
    """Return the name of what a part is to become, which is printed: a name of Python's, and no other text."""
    module, name = part["__module__"], part["__class__"]
    if not (isinstance(module, str) and isinstance(name, str) and name.isidentifier() and name.isascii()):
        raise ModelError("it holds a part without a name")
    if not all(step.isidentifier() and step.isascii() for step in module.split(".")):
        raise ModelError("it holds a part without a name")
    if part["__loader__"] != "MethodNode":
        return f"{module}.{name}"
    method = part["content"]["func"]
    if not (isinstance(method, str) and method.isidentifier() and method.isascii()):
        raise ModelError("it holds a part without a name")
    return f"{module}.{name}.{method}"


def _require_array(file: Any, size: int) -> None:
    """Refuse an array whose head does not fit its body; objects would have to be unpickled."""
    version = np.lib.format.read_magic(file)
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
    shape, _, dtype = read(file)
    body = size - file.tell()
    if dtype.hasobject or not dtype.itemsize or math.prod(shape) * dtype.itemsize != body:
        raise ModelError("it holds an array whose head and body do not fit")
    if math.prod(max(length, 1) for length in shape) * dtype.itemsize > max(body, AT_LEAST):
        raise ModelError("it holds an array of nothing, and very much of it")


def _require_sane(kind: str, part: dict[str, Any]) -> None:
    """Refuse parts that skops would call something with that no file of a model has there."""
    if kind == "DictNode":
        types = part["key_types"]
        sane = types["__loader__"] == "ListNode" and all(one["__loader__"] == "TypeNode" for one in types["content"])
    elif kind == "PartialNode":
        sane = part["content"]["func"]["__loader__"] == "FunctionNode"
    elif kind == "LossNode":  # what it is made of are arguments; a state would be taken without a look at its length
        sane = not part["content"]["content"] and part["__reduce__"]["args"]["__loader__"] == "TupleNode"
    elif kind == "TreeNode":
        sane = part["__reduce__"]["args"]["__loader__"] == "TupleNode"
    elif kind == "RandomGeneratorNode":
        generator = part["content"]["bit_generator"]
        seeds = part["content"].get("seed_seq", {"content": {}})["content"]
        texts = all(one["__class__"] == "str" for one in generator["key_types"]["content"])
        sane = texts and generator["content"]["bit_generator"]["content"] == '"PCG64"'
        sane = sane and seeds.get("pool_size", {"content": "4"})["content"] == "4"
    else:
        sane = True
    if not sane:
        raise ModelError(f"its {kind} is not made as skops makes one")
