"""Whether a function that a file names may be run: only a person says so."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from frote.exceptions import ModelError

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["require_trusted"]


def require_trusted(model: str, trusted: Collection[str], whose: object) -> None:
    """Refuse a function that a file names to make a model, unless a person trusts it.

    Parameters
    ----------
    model : str
        The name of a model, or ``package.module:function``.

    trusted : collection of str
        The functions that a person named.

    whose : object
        What names the model, for the message.

    Raises
    ------
    ModelError
        With what to add.
    """
    if ":" in model and model not in trusted:
        raise ModelError(
            f"{whose} names a function to be run, {model!r}. If you know what it does, add: "
            f"--trust-model {shlex.quote(model)}"
        )
