"""What a mean of paired differences can tell when draws are few, and runs of one draw are not independent.

Models, methods and shares of covered rows that are run on one draw share its rules and its rows. A draw of a data set
is therefore what is counted: standard errors are those of draws, and a test flips the sign of whole draws.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["LEVEL", "UNIT", "Gain", "as_claimed", "gain_of", "holm", "sign_flip"]

UNIT = ["data", "rules", "draw"]  # what runs on the same rules and rows have in common
LEVEL = 0.05
EXACT = 24  # draws up to which all ways to flip signs are tried
FLIPS = 99_999  # ways that are tried by lot beyond that


class Gain(NamedTuple):
    """A mean of paired differences, with its standard error over draws and the p of the sign-flip test."""

    mean: float
    error: float
    pairs: int
    draws: int
    p: float


def gain_of(differences: pd.Series[float], unit: Sequence[str] = UNIT) -> Gain:
    """Put differences of pairs together.

    Parameters
    ----------
    differences : Series
        A value for each pair, with the names in `unit` among the levels of its index.

    unit : sequence of str, default=("data", "rules", "draw")
        What pairs that are not independent have in common.

    Returns
    -------
    Gain
        The mean over pairs; its standard error from the sums of deviations within each draw; how many pairs and draws
        there are; and the p of `sign_flip`. NaN where there is too little.

    Examples
    --------
    Four pairs of two draws: the deviations from 0.5 add up to -0.4 in one draw and to 0.4 in the other.

    >>> import pandas as pd
    >>> index = pd.MultiIndex.from_product([["car"], [3], [0, 1], ["LR", "RF"]], names=[*UNIT, "model"])
    >>> gain_of(pd.Series([0.2, 0.4, 0.6, 0.8], index=index))
    Gain(mean=0.5, error=0.2, pairs=4, draws=2, p=0.5)
    """
    if differences.empty:
        return Gain(math.nan, math.nan, 0, 0, math.nan)
    mean, grouped = float(differences.mean()), differences.groupby(list(unit), observed=True)
    sums = grouped.sum().to_numpy(dtype=np.float64)
    apart, draws = sums - mean * grouped.size().to_numpy(), len(sums)
    error = math.sqrt(draws / (draws - 1) * float(apart @ apart)) / len(differences) if draws > 1 else math.nan
    return Gain(mean, round(error, 15), len(differences), draws, sign_flip(sums))


def sign_flip(sums: NDArray[np.floating]) -> float:
    """Return the p of the sign-flip test: how often a sum as far from zero would come of signs given by lot.

    Without an effect a draw is as likely to come out the other way round. All ways are tried for up to 24 draws, which
    makes the test exact; of more, 99,999 by a seeded lot. From n draws no p below 2 / 2 ** n can come.

    Examples
    --------
    >>> sign_flip(np.array([0.1, 0.2, 0.3])), sign_flip(np.array([0.1, 0.2, -0.3]))
    (0.25, 1.0)
    """
    if not len(sums):
        return math.nan
    least = abs(sums.sum()) - 1e-12 * float(np.abs(sums).sum())  # equal sums are not always equal in binary
    if len(sums) <= EXACT:
        flipped = sums[:1]  # the first sign stays: all signs turned round give the same distance from zero
        for one in sums[1:]:
            flipped = np.concatenate([flipped + one, flipped - one])
        return float(np.mean(np.abs(flipped) >= least))
    signs = np.random.default_rng(0).integers(0, 2, size=(FLIPS, len(sums))) * 2 - 1
    return float((1 + np.sum(np.abs(signs @ sums) >= least)) / (FLIPS + 1))


def holm(ps: Sequence[float]) -> list[float]:
    """Return p values corrected by Holm's method for how many there are; NaN stays, and counts for nothing.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03, float("nan")])
    [0.03, 0.06, 0.06, nan]
    """
    corrected, least = [math.nan] * len(ps), 0.0
    order = sorted((p, place) for place, p in enumerate(ps) if not math.isnan(p))
    for smaller, (p, place) in enumerate(order):
        least = max(least, min(1.0, p * (len(order) - smaller)))
        corrected[place] = least
    return corrected


def as_claimed(mean: float, corrected: float, words: tuple[str, str]) -> str:
    """Return the first word if a mean is above zero, the second if below, where its corrected p is below 0.05.

    Examples
    --------
    >>> as_claimed(0.2, 0.01, ("more", "less")), as_claimed(-0.2, 0.01, ("more", "less"))
    ('more', 'less')
    >>> as_claimed(0.2, 0.05, ("more", "less")), as_claimed(float("nan"), float("nan"), ("more", "less"))
    ('cannot be told', '')
    """
    if math.isnan(mean):
        return ""
    if not corrected < LEVEL:
        return "cannot be told"
    return words[0] if mean > 0 else words[1]
