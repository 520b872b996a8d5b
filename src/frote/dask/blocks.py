"""Lazy rows cut anew: into blocks of so many rows, whatever the partitions are, and what is made of each block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frote.dask.frames import computed
from frote.table.row_digest import CHUNK, chunk_digests, digest_of_chunks, kinds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["BLOCK", "each_block", "row_digest"]

BLOCK = 4 * CHUNK  # rows


def each_block(call: Callable[..., Any], parts: Sequence[tuple[Any, ...]], lengths: Sequence[int]) -> list[Any]:
    """Return a task for each block of rows, which hands its number and the rows of it to a function.

    Parameters
    ----------
    call : callable
        Called with the number of a block, and a list of tuples: what stands beside each other in the partitions that
        the block lies in, of which there is the same part of each.

    parts : sequence of tuple of Delayed
        The partitions, one or more things with as many rows in each.

    lengths : sequence of int
        How many rows each has.

    Returns
    -------
    list of Delayed

    Examples
    --------
    >>> import pandas as pd
    >>> from dask.delayed import delayed
    >>> lengths = [200_000, 0, 100_000]
    >>> parts = [(delayed(pd.DataFrame({"age": np.arange(rows)})),) for rows in lengths]
    >>> counted = each_block(lambda number, cuts: (number, [len(cut) for (cut,) in cuts]), parts, lengths)
    >>> [task.compute() for task in counted]
    [(0, [200000, 62144]), (1, [37856])]
    """
    from dask.delayed import delayed

    work = delayed(_cut_and_called, pure=False)
    ends = np.cumsum([0, *lengths])
    tasks = []
    for number, start in enumerate(range(0, int(ends[-1]), BLOCK)):
        stop = min(start + BLOCK, int(ends[-1]))
        first, last = np.searchsorted(ends, start, "right") - 1, np.searchsorted(ends, stop, "left")
        cuts = [
            (list(parts[place]), max(start - int(ends[place]), 0), min(stop, int(ends[place + 1])) - int(ends[place]))
            for place in range(int(first), int(last))
            if lengths[place]
        ]
        tasks.append(work(call, number, cuts))
    return tasks


def _cut_and_called(call: Callable[..., Any], number: int, cuts: list[tuple[list[Any], int, int]]) -> Any:
    return call(number, [tuple(rows.iloc[start:stop] for rows in beside) for beside, start, stop in cuts])


def _digests(number: int, cuts: list[tuple[Any, ...]]) -> list[str]:  # noqa: ARG001
    return chunk_digests(frame for (frame,) in cuts)


def row_digest(parts: Sequence[tuple[Any, ...]], lengths: Sequence[int], empty: Any) -> str:
    """Return the digest of the rows of partitions, which does not depend on these; `empty` has their types."""
    from dask.delayed import delayed

    together = delayed(list, pure=False)
    digests = computed(together(each_block(_digests, parts, lengths)), "the data")
    return digest_of_chunks(kinds_of(empty), sum(lengths), [one for block in digests for one in block])
