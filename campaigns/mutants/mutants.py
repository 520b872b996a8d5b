"""Small faults of a module: which there are, and the module with one of them.

A fault is in the body of a function. What a module does when it is imported stays
as it is, and so do defaults of arguments.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

__all__ = ["Mutant", "mutants"]

SWAPPED: dict[type[ast.AST], Any] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
NAMED = (*FUNCTIONS, ast.ClassDef)
NOT_RUN = (*NAMED, ast.arg, ast.AnnAssign)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a node of a tree hangs: in a field of its parent, or at a place of the list that is there."""

    parent: ast.AST
    field: str
    number: int | None

    def put(self, node: ast.AST) -> None:
        """Put another node there."""
        if self.number is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.number] = node


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault: where it is, and what it changes.

    Parameters
    ----------
    name : str
        What tells it from the others of its module, also after lines have moved.

    kind : str
        What is done: compare, boolean, arithmetic, number, condition, return, call or name.

    function : str
        The qualified name of the function that it is in.

    line : int
        Where it is in the source.

    tree, place, old, new
        The module, and what is put where in it.
    """

    name: str
    kind: str
    function: str
    line: int
    tree: ast.Module
    place: Place
    old: ast.AST
    new: ast.AST

    def code(self, path: str) -> CodeType:
        """Return the module with the fault, compiled; its lines are those of the source."""
        self.place.put(ast.fix_missing_locations(ast.copy_location(self.new, self.old)))
        try:
            return compile(self.tree, path, "exec")
        finally:
            self.place.put(self.old)


def mutants(text: str) -> list[Mutant]:
    """Return all small faults of a module, in the order of its text."""
    tree = ast.parse(text)
    seen: Counter[str] = Counter()
    found = []
    for function, place, old in _nodes(tree, "", inside=False):
        for kind, new in _changes(place, old):
            name = f"{function}: {ast.unparse(old)} -> {ast.unparse(new)}"
            seen[name] += 1
            name += f" ({seen[name]})" if seen[name] > 1 else ""
            found.append(Mutant(name, kind, function, old.lineno, tree, place, old, new))
    return found


def _nodes(node: ast.AST, function: str, inside: bool) -> Iterator[tuple[str, Place, ast.expr | ast.stmt]]:
    """Go through what functions do, with their qualified names; what errors and other texts say is no part of it."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "args") and isinstance(node, NOT_RUN):
            continue
        for number, child in enumerate(value if isinstance(value, list) else [value]):
            if not isinstance(child, ast.AST) or isinstance(child, ast.Raise | ast.JoinedStr) or _strict(child):
                continue
            if inside and isinstance(child, ast.expr | ast.stmt):
                yield function, Place(node, field, number if isinstance(value, list) else None), child
            within = inside or isinstance(child, FUNCTIONS)
            named = (
                f"{function}{'.<locals>' * inside}.{child.name}".lstrip(".") if isinstance(child, NAMED) else function
            )
            yield from _nodes(child, named, within)


def _strict(node: ast.AST) -> bool:
    """Return whether it is the word that makes `zip` raise, where lists that must be of one length are not."""
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _changes(place: Place, node: ast.expr | ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    """Return what may stand in the place of a node."""
    match node:
        case ast.Compare(left, [first, *ops], values) if type(first) in SWAPPED:
            yield "compare", ast.Compare(left, [SWAPPED[type(first)](), *ops], values)
        case ast.BoolOp(op, values):
            yield "boolean", ast.BoolOp(SWAPPED[type(op)](), values)
        case ast.BinOp(left, op, right) if type(op) in SWAPPED:
            yield "arithmetic", ast.BinOp(left, SWAPPED[type(op)](), right)
        case ast.AugAssign(target, op, value) if type(op) in SWAPPED:
            yield "arithmetic", ast.AugAssign(target, SWAPPED[type(op)](), value)
        case ast.Constant(bool() as value):
            yield "number", ast.Constant(not value)
        case ast.Constant(int() as value):
            yield "number", ast.Constant(value + 1)
            yield "number", ast.Constant(value - 1)
        case ast.UnaryOp(ast.Not() | ast.Invert() | ast.USub(), value):
            yield "condition", value
        case ast.Return(ast.expr() as value) if not isinstance(value, ast.Constant):
            yield "return", ast.Return(ast.Constant(None))
        case ast.Expr(ast.Call()):
            yield "call", ast.Pass()
        case ast.Name(name) if name in NAMES:
            yield "name", ast.Name(NAMES[name], ast.Load())
    if (
        place.field in ("test", "ifs")
        and isinstance(node, ast.expr)
        and not isinstance(node, ast.Compare | ast.UnaryOp)
    ):
        yield "condition", ast.UnaryOp(ast.Not(), node)
