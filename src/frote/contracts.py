"""Plain data held against a contract: whether a file of someone else's is of the right shape."""

from __future__ import annotations

import types
from functools import cache
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

__all__ = ["misfit"]

SIMPLE = {str: "text", bool: "truth value", int: "whole number", float: "number", type(None): "null"}


def misfit(value: Any, contract: Any, place: str = "it") -> str | None:
    """Say where plain data are not as a contract wants them, if so; more than it wants is no fault.

    Parameters
    ----------
    value : object
        As from JSON.

    contract : type
        A TypedDict, or what the values of one may be: texts, numbers, literals, lists, dicts by text, unions.

    place : str, default="it"
        What to call the value.

    Returns
    -------
    str or None
        A part of a sentence.

    Examples
    --------
    >>> from frote.report.contents import TableRows
    >>> misfit({"name": "loans.csv", "rows": 300, "more": 1}, TableRows)
    >>> misfit({"name": "loans.csv", "rows": "many"}, TableRows, "data")
    'data.rows is no whole number'
    """
    origin, inner = get_origin(contract), get_args(contract)
    if contract is Any:
        return None
    if is_typeddict(contract):
        return _misfit_of_parts(value, contract, place)
    if origin in (Union, types.UnionType):
        faults = [misfit(value, one, place) for one in inner]
        # Of null or something else, the latter tells more.
        return None if None in faults else next((fault for fault in faults if fault and "null" not in fault), faults[0])
    if origin is Literal:
        fits = any(type(value) is type(one) and value == one for one in inner)
        return None if fits else f"{place} is none of {', '.join(map(repr, inner))}"
    if origin is list:
        return _misfit_of_items(value, list, inner[0], place)
    if origin is dict:
        return _misfit_of_items(value, dict, inner[1], place)
    number = contract is float and type(value) is int
    return None if type(value) is contract or number else f"{place} is no {SIMPLE[contract]}"


def _misfit_of_parts(value: Any, contract: Any, place: str) -> str | None:
    if not isinstance(value, dict):
        return f"{place} has no parts"
    for name, kind in _parts(contract).items():
        optional = get_origin(kind) is NotRequired
        if name not in value:
            if optional:
                continue
            return f"{place} lacks {name!r}"
        fault = misfit(value[name], get_args(kind)[0] if optional else kind, f"{place}.{name}")
        if fault:
            return fault
    return None


@cache
def _parts(contract: Any) -> dict[str, Any]:
    return get_type_hints(contract, include_extras=True)


def _misfit_of_items(value: Any, kind: type, contract: Any, place: str) -> str | None:
    if not isinstance(value, dict | list) or type(value) is not kind:
        return f"{place} is no {'list' if kind is list else 'mapping'}"
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return next(filter(None, (misfit(item, contract, f"{place}[{name!r}]") for name, item in items)), None)
