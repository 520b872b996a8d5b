"""What makes a run what it is, as text: settings, estimators and versions, to tell two runs apart."""

from __future__ import annotations

import hashlib
import platform
import re
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions, version
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from frote.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["described", "versions"]

LIBRARIES = ("frote", "numpy", "pandas", "scikit-learn", "scipy")


def described(value: Any) -> str:
    """Describe a setting so that equal ones have equal texts, in this process or another.

    Estimators are described by their class and parameters, data by a digest, functions by their name and code.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> described(LogisticRegression(C=2.0))[:56]
    'sklearn.linear_model._logistic.LogisticRegression(C=2.0,'
    """
    return _described(value, frozenset())


def _described(value: Any, outer: frozenset[int]) -> str:
    """Describe a part of a setting; `outer` are the ids of what it is part of, so that a circle ends."""
    if id(value) in outer:
        return "..."
    inner = outer | {id(value)}

    def each(parts: Iterable[Any]) -> list[str]:
        return [_described(part, inner) for part in parts]

    def named(parts: Mapping[Any, Any]) -> str:
        return ", ".join(
            sorted(f"{_described(name, inner)}: {_described(part, inner)}" for name, part in parts.items())
        )

    if isinstance(value, np.generic):
        value = value.item()  # equal to Python's own
    if nw.dependencies.is_numpy_array(value):
        array = np.ascontiguousarray(value)
        content = str(each(array.ravel().tolist())).encode() if array.dtype.hasobject else array.tobytes()
        return f"array {array.dtype} {array.shape} {_digest(content)}"
    if nw.dependencies.is_into_dataframe(value):
        return f"table {Table.from_frame(value).digest()}"
    if nw.dependencies.is_into_series(value):
        return _described(np.asarray(value, dtype=object), inner)
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({', '.join(each(value))})"
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__}({', '.join(sorted(each(value)))})"
    if isinstance(value, dict):
        return f"{{{named(value)}}}"
    if isinstance(value, type):
        return _named(value)
    if hasattr(value, "get_params"):
        params = sorted(value.get_params(deep=False).items())
        return f"{_named(type(value))}({', '.join(f'{name}={_described(part, inner)}' for name, part in params)})"
    if isinstance(value, CodeType):
        return _digest(str([value.co_code, value.co_names, *each(value.co_consts)]).encode())
    if isinstance(value, FunctionType):
        enclosed = [cell.cell_contents for cell in value.__closure__ or ()]
        parts = each([value.__code__, value.__defaults__, value.__kwdefaults__, enclosed])
        return f"{_named(value)} {_digest(str(parts).encode())}"
    if isinstance(value, np.random.RandomState):
        return f"{_named(type(value))} {_digest(named(value.get_state(legacy=False)).encode())}"
    if isinstance(value, np.random.Generator):
        return f"{_named(type(value))} {_digest(named(value.bit_generator.state).encode())}"
    plain: Any = object.__repr__  # says nothing but the type
    if type(value).__repr__ is plain:
        return f"{_named(type(value))}({named(getattr(value, '__dict__', {}))})"
    # What prints an address would look other in every process.
    return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _named(thing: type | FunctionType) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


@cache
def _version(name: str) -> str:
    """Return the version of a package; asked once, since its file is read whole each time."""
    return version(name)


@cache
def _owners() -> Mapping[str, list[str]]:
    """Return the packages that each module comes from; asked once, since all files that are installed are listed."""
    return packages_distributions()


def _packages(module: str) -> list[str]:
    """Return the packages that a module comes from; most are named like it, and need not be looked for."""
    try:
        return [distribution(module).name]
    except PackageNotFoundError:
        return _owners().get(module, [])


def versions(estimator: Any) -> dict[str, str]:
    """Return the versions of what a run's bytes depend on: Python, our libraries and those of the estimator.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> list(versions(LogisticRegression()))
    ['python', 'frote', 'numpy', 'pandas', 'scikit-learn', 'scipy']
    """
    parts = [estimator, *estimator.get_params(deep=True).values()] if hasattr(estimator, "get_params") else [estimator]
    modules = {type(part).__module__.partition(".")[0] for part in parts if hasattr(part, "fit")}
    names = {name for module in modules - {"sklearn"} for name in _packages(module)} - set(LIBRARIES)
    found_versions = {"python": platform.python_version()}
    for name in (*LIBRARIES, *sorted(names)):
        try:
            found_versions[name] = _version(name)
        except PackageNotFoundError:
            continue
    return found_versions
