"""What a reader of rules must be told where something is protected: rules that name it, and rules that stand for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frote.compare.rates import small_groups

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from frote.compare.protected import Protected
    from frote.compare.rates import Rows

__all__ = ["notices"]

LEAST = 0.01  # by how much a rule must move a group's rate more than that of others to be told
DEALS = 999  # how often rows are dealt out to groups by chance
EQUAL = 1e-9  # numbers that lie no further apart differ by rounding
CHANCE = 0.05  # how often chance alone may part groups as far


def notices(
    columns: Mapping[str, Collection[str]],
    protected: Sequence[Protected],
    owner: NDArray[np.intp],
    owners: Sequence[str],
    rows: Rows,
    *,
    seed: int = 0,
) -> tuple[str, ...]:
    """Say which rules name a protected column, and which do not but move the rate of a group.

    A rule moves the rate of a group by the rows attributed to it that get the favourable label now and did not, less
    those that no longer get it, over the rows of the group. It is told if that is more or less than for all other rows,
    by a hundredth at least, and further apart than the furthest group is in all but 5 % of tries where the same rows
    are dealt out to groups of the same sizes by chance.

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

    seed : int
        Where chance comes from.

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
                sentences += _stands_for(origin, one, effect, seed)
    return tuple(sentences)


def _stands_for(origin: str, one: Protected, effect: NDArray[np.intp], seed: int) -> list[str]:
    """Say so if the rule moves the rate of a group otherwise than that of all others: the group where it does most."""
    sizes = np.bincount(one.member, minlength=len(one.groups))
    lost, gained = (np.bincount(one.member[effect == sign], minlength=len(sizes)) for sign in (-1, 1))
    known = ~small_groups(sizes) & (sizes > 0) & (sizes < len(effect))
    shift, rest = (some[known] for some in _shifts(gained - lost, sizes))
    scale = np.sqrt(sizes * (1 - sizes / len(effect)))[known]  # what chance moves goes by one over it
    furthest = _by_chance(sizes, int(gained.sum()), int(lost.sum()), known, scale, seed)
    apart = np.abs(shift - rest)
    chance = [(1 + int((furthest >= far - EQUAL).sum())) / (1 + DEALS) for far in apart * scale]
    told = [place for place, share in enumerate(chance) if share <= CHANCE and apart[place] >= LEAST]
    if not told:
        return []
    most = max(told, key=lambda place: apart[place])
    group = one.groups[int(np.flatnonzero(known)[most])]
    return [
        f"Rule {origin!r} names nothing of {one.text!r}, but moves the selection rate of {group} by "
        f"{100 * shift[most]:+.1f} points and that of all others by {100 * rest[most]:+.1f}: it may stand for it."
    ]


def _by_chance(
    sizes: NDArray[np.intp], gained: int, lost: int, known: NDArray[np.bool_], scale: NDArray[np.float64], seed: int
) -> NDArray[np.float64]:
    """Return how far the furthest group lies apart where the rows that a rule moves are dealt out by chance."""
    rng = np.random.default_rng(seed)
    up = rng.multivariate_hypergeometric(sizes, gained, size=DEALS)
    down = np.array([rng.multivariate_hypergeometric(sizes - one, lost) for one in up]) if lost else 0
    shift, rest = _shifts(up - down, sizes)
    furthest: NDArray[np.float64] = (np.abs(shift - rest)[:, known] * scale).max(axis=1, initial=0.0)
    return furthest


def _shifts(moved: NDArray[np.intp], sizes: NDArray[np.intp]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return by how much the rate moves in each group, and among all rows that are not in it."""
    others = sizes.sum() - sizes
    elsewhere = moved.sum(axis=-1, keepdims=True) - moved
    with np.errstate(divide="ignore", invalid="ignore"):
        return moved / sizes, elsewhere / others
