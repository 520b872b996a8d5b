"""How many examples a law is tried on: all of them by `make laws`, a part of them, always the same, by `make test`."""

from __future__ import annotations

from hypothesis import settings

PART = 5


def examples(full: int) -> int:
    """Return how many of so many examples to try; the same ones each time."""
    return full if settings.get_current_profile_name() == "deep" else full // PART
