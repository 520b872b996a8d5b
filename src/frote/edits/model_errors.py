"""What models raise, in one sentence."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from frote.exceptions import FroteError, ModelError, told

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["as_model_error", "as_training_error"]


@contextmanager
def as_model_error(what: str) -> Iterator[None]:
    """Put what a model raises into one sentence: a wrong parameter, columns that it does not know."""
    try:
        yield
    except (FroteError, OSError):
        raise
    except Exception as error:
        raise ModelError(f"{what}: {told(error)}") from error


@contextmanager
def as_training_error(what: str) -> Iterator[None]:
    """Do the same with what a model raises when an editor trains it; mistakes of frote's own stay what they are."""
    from frote.loop.training import IN_TRAINING  # heavy, and whoever trains has it

    try:
        yield
    except Exception as error:
        if IN_TRAINING not in getattr(error, "__notes__", ()):
            raise
        raise ModelError(f"{what}: {told(error)}") from error
