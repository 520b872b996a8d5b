"""The error that experiments raise for bad input, beside those of frote."""

from __future__ import annotations

from frote.exceptions import FroteError

__all__ = ["ExperimentError"]


class ExperimentError(FroteError):
    """An experiment, a preset or a file of results that is unknown, damaged or of another format."""
