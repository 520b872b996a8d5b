"""What a cluster says when partitions cannot be had, in a sentence; and workers that lack frote, before they wait."""

from __future__ import annotations

import errno
import sys
from importlib.util import find_spec
from typing import Any

from frote.exceptions import FroteError, TableError, told

__all__ = ["in_a_sentence", "require_package"]

GONE = (
    "the scheduler of the cluster cannot be reached any more",
    "Look whether it still runs, and make a new client, distributed.Client(address).",
)


def in_a_sentence(error: Exception, what: str = "X") -> FroteError | None:
    """Return what to raise for an error of a scheduler or of a task; None if it is nobody's but ours.

    Examples
    --------
    >>> print(in_a_sentence(FileNotFoundError("no such file")))
    The partitions of X cannot be had: FileNotFoundError: no such file.
    """
    # A worker process hands an error back with its traceback in the message; the error itself is inside.
    inside = getattr(error, "exception", error)
    if isinstance(inside, FroteError):
        return inside
    way_out = _way_out(error, inside)
    if way_out is None:
        return None
    fact, advice = way_out
    return _cannot_be_had(what, fact, advice)


def _cannot_be_had(what: str, fact: str, advice: str) -> TableError:
    return TableError(f"The partitions of {what} cannot be had: {fact}.{advice and f' {advice}'}")


def _way_out(error: Exception, inside: Any) -> tuple[str, str] | None:
    """Return the fact and the way out, which may be empty; None for what is not known."""
    if type(error).__name__ == "KilledWorker":
        return (
            "workers died of the same task again and again, as for want of memory, or of space on disk to spill to",
            "Give them more of it, or make partitions smaller.",
        )
    if "Cancelled" in type(error).__name__ or type(error).__name__ == "CommClosedError":
        return GONE
    if isinstance(inside, OSError) and inside.errno == errno.ENOSPC:
        return (
            f"no space is left on a disk ({told(inside)})",
            "Free some, or spill to another one: dask.config.set(temporary_directory=...) before the cluster is made.",
        )
    if isinstance(error, ModuleNotFoundError):
        return told(inside), "Install on workers what is installed here."
    if isinstance(inside, KeyError):  # of a column, as a file lacks it
        return told(inside), "Give each file all columns."
    if isinstance(error, OSError | ValueError | ImportError | TypeError):
        return told(inside), ""
    return None


def require_package() -> None:
    """Say so if a worker of the cluster lacks frote: it tells of nothing, and whoever asks it waits for ever.

    Raises
    ------
    TableError
        If one lacks it, with its address, or the scheduler is gone.
    """
    client = _client()
    if client is None:
        return
    # What is sent must be of Python itself, or it would not arrive either.
    try:
        found = client.run(find_spec, "frote", on_error="return")
    except OSError as error:
        raise _cannot_be_had("X", *GONE) from error
    lacking = [address for address, spec in found.items() if spec is None]
    if lacking:
        raise TableError(
            f"Worker {lacking[0]} has no package frote ({len(lacking)} of {len(found)} workers). Install on workers "
            "what is installed here."
        )


def _client() -> Any:
    """Return the client of the cluster that computes, None if threads or processes of this machine do."""
    if "distributed" not in sys.modules:
        return None
    import dask.base
    import distributed

    find: Any = dask.base.get_scheduler
    owner = getattr(find(), "__self__", None)
    client_type: Any = distributed.Client
    return owner if isinstance(owner, client_type) and not owner.asynchronous else None
