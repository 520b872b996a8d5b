"""Single values as SQL writes them, and back: numbers, texts, dates, true and false."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from frote.rules.values import Instant, Value, canonical, parse_instant

__all__ = ["literal", "value_of"]

# Times mean the wall clock of their column; one that names a zone is no value that rules know.
_OF_TIMES = ("DATE", "DATE32", "DATETIME", "TIMESTAMP", "TIMESTAMPLTZ", "TIMESTAMPNTZ", "TIMESTAMPTZ")


def value_of(node: exp.Expr) -> Any:
    """Return the value that a literal writes; None for all else.

    Examples
    --------
    >>> import sqlglot
    >>> [value_of(sqlglot.parse_one(text)) for text in ("-1.5", "'car'", "DATE '2024-01-31'", "TRUE", "age")]
    [-1.5, 'car', Instant(nanoseconds=1706659200000000000), True, None]
    """
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and not node.this.is_string:
        number = _number(node.this.this)
        return None if number is None else -number
    if isinstance(node, exp.Literal):
        return node.this if node.is_string else _number(node.this)
    if isinstance(node, exp.Cast) and node.to.this.name in _OF_TIMES and isinstance(node.this, exp.Literal):
        return parse_instant(node.this.this) if node.this.is_string else None
    return None


def _number(text: str) -> int | float | None:
    try:
        if len(text) < 310 and text.isdecimal():
            return int(text)
        return canonical(float(text))
    except ValueError:
        return None


def literal(value: Value, *, as_text: bool = False, as_truth: bool = False) -> exp.Expr:
    """Return a value as SQL writes it.

    Parameters
    ----------
    value : int, float, Instant or str
        The value.

    as_text : bool, default=False
        Whether its column holds texts.

    as_truth : bool, default=False
        Whether its column holds true and false.

    Examples
    --------
    >>> import sqlglot
    >>> date = value_of(sqlglot.parse_one("DATE '2024-01-31'"))
    >>> literal(2).sql(), literal(2, as_text=True).sql(), literal(date).sql("duckdb")
    ('2', "'2'", "CAST('2024-01-31' AS DATE)")
    """
    if as_truth:
        return exp.Boolean(this=value in ("true", 1))
    if as_text or isinstance(value, str):
        return exp.Literal.string(str(value))
    if isinstance(value, Instant):
        text = str(value)
        kind = exp.DType.TIMESTAMP if " " in text else exp.DType.DATE
        return exp.cast(exp.Literal.string(text), kind)
    number = exp.Literal.number(repr(abs(value)))
    return exp.Neg(this=number) if value < 0 else number
