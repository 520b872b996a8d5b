"""Warnings that name the caller's own line, however deep inside the library they are raised."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

__all__ = ["warn_caller"]

OURS = str(Path(__file__).parent)
BETWEEN = f"{Path('sklearn', 'base.py')}"  # scikit-learn checks the parameters of estimators around their methods


def warn_caller(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn, at the place where the library was called.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     warn_caller("Mind the gap.")
    >>> str(told[0].message)
    'Mind the gap.'
    """
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and _is_between(frame.f_code.co_filename):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def _is_between(file: str) -> bool:
    return file.startswith(OURS) or file.endswith(BETWEEN)
