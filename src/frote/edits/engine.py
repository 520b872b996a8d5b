"""Where the work on tables in many files is done: threads of this process, workers beside it, or a cluster."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from frote.exceptions import EngineError, told
from frote.files.limits import bytes_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["engine", "require_seen_by_workers"]

LEAST = 10**9  # bytes of memory that a worker beside this process has
SPILLED = 10**9  # bytes that must be free where workers put what their memory does not hold
SECONDS = 10  # that a cluster may take to answer
ALIKE = ("frote", "pandas", "numpy")  # whose versions workers must have too
WAYS = "threads, processes, or the address of a scheduler such as tcp://10.0.0.5:8786"


@contextmanager
def engine(scheduler: str | None = None, memory: str | None = None) -> Iterator[None]:
    """Have Dask work somewhere for as long as this lasts.

    Parameters
    ----------
    scheduler : str, default=None
        "threads", which is what None means; "processes", for workers beside this one, which put on disk what their
        memory does not hold; or the address of a scheduler.

    memory : str, default=None
        What all workers beside this process may take together, such as 8GB.

    Raises
    ------
    EngineError
        If there is no such place, or it is none where frote can work.
    """
    try:
        import dask
    except ImportError:
        raise EngineError("--engine dask needs Dask. Run: pip install 'frote[dask]'.") from None
    if memory is not None and scheduler != "processes":
        why = (
            "threads share the memory of this process"
            if scheduler in (None, "threads")
            else "workers of a cluster have what they were started with"
        )
        raise EngineError(f"--memory is for workers beside this process, and {why}. Add --scheduler processes.")
    if scheduler in (None, "threads"):
        with dask.config.set(scheduler="threads"):
            yield
    elif scheduler == "processes":
        with _workers_beside(memory):
            yield
    elif "://" in str(scheduler):
        with _cluster_at(str(scheduler)):
            yield
    else:
        raise EngineError(f"--scheduler is {WAYS}, and not {scheduler!r}.")


@contextmanager
def _workers_beside(memory: str | None) -> Iterator[None]:
    import distributed

    cores = os.cpu_count() or 1
    each: Any = "auto"
    if memory is not None:
        most = bytes_of(memory)
        if most < LEAST:
            raise EngineError(f"--memory is 1GB at least, and not {memory}.")
        cores = min(cores, most // LEAST)
        each = most // cores
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    if free < SPILLED:
        raise EngineError(
            f"Workers put what their memory does not hold on disk, and {folder} has {free / 10**6:,.0f} MB left. Make "
            "room there, name another folder by the environment variable TMPDIR, or use --scheduler threads."
        )
    make_cluster: Any = distributed.LocalCluster
    make_client: Any = distributed.Client
    options = {"n_workers": cores, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with (
        _quietly(),
        tempfile.TemporaryDirectory(prefix="frote-", dir=folder, ignore_cleanup_errors=True) as spilled,
        make_cluster(memory_limit=each, local_directory=spilled, silence_logs=logging.CRITICAL, **options) as cluster,
        make_client(cluster),
    ):
        yield


@contextmanager
def _cluster_at(address: str) -> Iterator[None]:
    import distributed

    make_client: Any = distributed.Client
    with _quietly():
        try:
            client = make_client(address, timeout=SECONDS)
        except (OSError, ValueError, TypeError, ImportError) as error:
            why = told(error) or type(error).__name__
            raise EngineError(
                f"--scheduler {address}: no scheduler answers there ({why}). Start one with: dask scheduler."
            ) from None
        with client:
            _require_workers(client, address)
            yield


@contextmanager
def _quietly() -> Iterator[None]:
    """Keep to itself what a cluster logs, also of workers that come and go."""
    logger = logging.getLogger("distributed")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


def _require_workers(client: Any, address: str) -> None:
    """Refuse a cluster without workers, or with some that have not what is installed here."""
    try:
        client.wait_for_workers(1, timeout=SECONDS)
    except TimeoutError:
        raise EngineError(f"--scheduler {address}: it has no worker. Start some with: dask worker {address}.") from None
    try:
        there = client.run(_versions)
    except Exception as error:  # whatever a worker makes of a module that it has not
        raise EngineError(
            f"--scheduler {address}: a worker has not what is needed ({told(error)}). Install frote[dask] where "
            "workers run."
        ) from None
    here = _versions()
    for worker, found in sorted(there.items()):
        for name, own in here.items():
            if found[name] != own:
                raise EngineError(
                    f"--scheduler {address}: the worker at {worker} has {name} {found[name]}, and here it is {own}. "
                    "Install the same on both."
                )


def _versions() -> dict[str, str]:
    return {name: version(name) for name in ALIKE}


def require_seen_by_workers(folder: Path) -> None:
    """Refuse a folder that workers of a cluster do not see, or cannot write to; without a cluster there is none.

    Raises
    ------
    EngineError
        With the first worker that does not.
    """
    try:
        from distributed import default_client
    except ImportError:
        return
    find: Any = default_client
    try:
        client = find()
    except ValueError:
        return
    for worker, seen in sorted(client.run(_can_write, str(folder)).items()):
        if not seen:
            raise EngineError(
                f"{folder} is not there for the worker at {worker}, or cannot be written by it. Name a folder that all "
                "workers share."
            )


def _can_write(folder: str) -> bool:
    return os.access(folder, os.W_OK)
