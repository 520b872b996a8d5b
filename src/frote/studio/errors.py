"""What the studio tells a person, in one sentence."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from frote.exceptions import FroteError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["OvertakenError", "ReadOnlyError", "StudioError", "TooLongError", "telling"]


class StudioError(FroteError):
    """What the studio cannot do, and the way out."""


class OvertakenError(StudioError):
    """A change of what somebody else has changed since."""


class ReadOnlyError(StudioError):
    """A change of a workspace that is only shown here."""


class TooLongError(StudioError):
    """A policy that is longer than can be drawn while it is written."""


@contextmanager
def telling(what: str, then: str) -> Iterator[None]:
    """Turn what the system says of files into a sentence.

    Examples
    --------
    >>> with telling("policy.rules cannot be read", "Put it back."):
    ...     open("/nowhere/policy.rules")
    Traceback (most recent call last):
        ...
    frote.studio.errors.StudioError: policy.rules cannot be read: No such file or directory. Put it back.
    """
    try:
        yield
    except OSError as error:
        raise StudioError(f"{what}: {error.strerror or error}. {then}") from None
