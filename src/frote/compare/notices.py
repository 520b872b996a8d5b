"""What a reader of rules must be told where something is protected: rules that name it, and rules that stand for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frote.compare.rates import DRAWS, small_groups
from frote.judging.interval import interval

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from frote.compare.protected import Protected
    from frote.compare.rates import Rows

__all__ = ["notices"]

LEAST = 0.01  # by how much a rule must move a group's rate more than that of others to be told


def notices(
    columns: Mapping[str, Collection[str]],
    protected: Sequence[Protected],
    owner: NDArray[np.intp],
    owners: Sequence[str],
    rows: Rows,
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> tuple[str, ...]:
    """Say which rules name a protected column, and which do not but move the rate of a group.

    A rule moves the rate of a group by the rows attributed to it that get the favourable label now and did not, less
    those that no longer get it, over the rows of the group. It is told if that is more or less than for all other rows:
    by a hundredth at least, and in 95 % of resamples.

    Parameters
    ----------
    columns : mapping of str to collection of str
        The columns that each rule names.

    protected : sequence of Protected
        What is protected.

    owner : ndarray of int
        The rule that each row is attributed to, as a position in `owners`; -1 for none.

    owners : sequence of str
        The names of these rules.

    rows : Rows
        The rows.

    draws, seed : int
        How many resamples, and where their chance comes from.

    Returns
    -------
    tuple of str
        A sentence each.
    """
    sentences = []
    for origin, named in columns.items():
        for one in protected:
            shared = [name for name in one.columns if name in named]
            if shared:
                what = "is protected" if shared == [one.text] else f"is protected ({one.text})"
                sentences.append(f"Rule {origin!r} names {shared[0]!r}, which {what}.")
    moved = rows.after.astype(np.intp) - rows.before
    for place, origin in enumerate(owners):
        effect = np.where(owner == place, moved, 0)
        for one in protected if effect.any() else ():
            if not set(one.columns) & set(columns[origin]):
                sentences += _stands_for(origin, one, effect, draws, seed)
    return tuple(sentences)


def _stands_for(origin: str, one: Protected, effect: NDArray[np.intp], draws: int, seed: int) -> list[str]:
    """Say so if the rule moves the rate of a group otherwise than that of all others: the group where it does most."""
    counts = np.zeros((len(one.groups), 3), dtype=np.intp)
    np.add.at(counts, (one.member, effect + 1), 1)
    drawn = np.random.default_rng(seed).multinomial(len(effect), counts.ravel() / len(effect), size=draws)
    (shift,), (rest,) = _shifts(counts[np.newaxis])
    sample, sample_rest = _shifts(drawn.reshape(draws, *counts.shape))
    small = small_groups(counts.sum(axis=1))
    apart = {}
    for group in np.flatnonzero(~small & (np.abs(shift - rest) >= LEAST)):
        span = interval(sample[:, group] - sample_rest[:, group])
        if span is not None and (span[0] > 0 or span[1] < 0):
            apart[int(group)] = abs(float(shift[group] - rest[group]))
    if not apart:
        return []
    most = max(apart, key=lambda group: apart[group])
    return [
        f"Rule {origin!r} names nothing of {one.text!r}, but moves the selection rate of {one.groups[most]} by "
        f"{100 * shift[most]:+.1f} points and that of all others by {100 * rest[most]:+.1f}: it may stand for it."
    ]


def _shifts(counts: NDArray[np.intp]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return by how much the rate moves in each group, and among all rows that are not in it; by draws."""
    rows, gained = counts.sum(axis=2), counts[..., 2] - counts[..., 0]
    others, gained_there = (some.sum(axis=1, keepdims=True) - some for some in (rows, gained))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(rows > 0, gained / rows, np.nan), np.where(others > 0, gained_there / others, np.nan)
