"""The data and the ledger of an edit whose rows no memory holds: folders of Parquet files, written block by block."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pandas as pd

from frote.dask.blocks import each_block
from frote.dask.frames import computed, folded, parts_of
from frote.files.part_files import name_of_part, written_part
from frote.report.lines import Lines, lines_in
from frote.table.row_digest import chunk_digests, digest_of_chunks, kinds_of

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["AUGMENTED", "LEDGER", "Written", "write_augmented", "write_ledger"]

AUGMENTED, LEDGER = "augmented", "ledger"
ASIDE = "index"  # of the ledger: in many files a row has no name but its place


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """What was written: the digest of the rows, how many they are, and, of a ledger, its lines, counted."""

    sha256: str
    rows: int
    lines: Lines


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """What a block of rows tells when it is written."""

    digests: dict[int, list[str]]
    kinds: list[list[str]]
    rows: int
    lines: Lines

    @staticmethod
    def joined(blocks: list[_Block]) -> _Block:
        """Put blocks together, in whatever order they come."""
        digests = {number: own for block in blocks for number, own in block.digests.items()}
        lines = sum((block.lines for block in blocks), Counter())
        return _Block(digests, blocks[0].kinds, sum(block.rows for block in blocks), lines)


def write_augmented(folder: Path, X: Any, y: Any, target: str, place: int) -> Written:
    """Write the rows that a model was trained on, with the labels where they were, as files of a folder.

    Parameters
    ----------
    folder : Path
        The folder, which is made.

    X, y : Dask DataFrame and Series
        The rows and their labels, of known lengths.

    target : str
        The name of the labels.

    place : int
        Which column they are.

    Returns
    -------
    Written
    """
    return _written(folder, parts_of(X, y), X.divisions, partial(_augmented, target=target, place=place))


def write_ledger(folder: Path, ledger: Any, label_type: str) -> Written:
    """Write the ledger likewise; labels in it are of a type of pandas' that may be missing."""
    return _written(folder, parts_of(ledger), ledger.divisions, partial(_ledger, label_type=label_type))


def _written(folder: Path, parts: list[tuple[Any, ...]], divisions: tuple[int, ...], make: Any) -> Written:
    folder.mkdir()
    ends = [*divisions[:-1], divisions[-1] + 1]  # of a running index
    lengths = [end - start for start, end in pairwise(ends)]
    tasks = each_block(partial(_write, folder=folder.absolute(), make=make), parts, lengths)
    block = computed(folded(tasks, _Block.joined), str(folder.name))
    digests = [one for number in sorted(block.digests) for one in block.digests[number]]
    return Written(digest_of_chunks(block.kinds, block.rows, digests), block.rows, block.lines)


def _write(number: int, cuts: list[tuple[Any, ...]], *, folder: Path, make: Any) -> _Block:
    frame, lines = make(cuts)
    written_part(frame, folder / name_of_part(number))
    return _Block({number: chunk_digests([frame])}, kinds_of(frame), len(frame), lines)


def _augmented(cuts: list[tuple[Any, ...]], *, target: str, place: int) -> tuple[pd.DataFrame, Lines]:
    X, y = (pd.concat(parts, ignore_index=True) for parts in zip(*cuts, strict=True))
    X.insert(place, target, y)
    return X, Counter()


def _ledger(cuts: list[tuple[Any, ...]], *, label_type: str) -> tuple[pd.DataFrame, Lines]:
    ledger = pd.concat([lines for (lines,) in cuts], ignore_index=True).drop(columns=ASIDE)
    counted = lines_in(ledger)
    labels = {name: pd.Series(ledger[name].array, dtype=label_type) for name in ("old_label", "new_label")}
    return ledger.assign(**labels), counted
