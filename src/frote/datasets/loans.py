"""Generated loan applications, decided by an old policy, with a new policy beside them."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.datasets.dataset import Dataset
from frote.exceptions import DatasetError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["load_loans"]

# The generator draws nothing but uniform numbers and combines them by + - * / and comparisons, which IEEE 754
# fixes to the bit; logarithms and powers differ between platforms. So a seed gives the same table everywhere.

FIRST_DAY = np.datetime64("2023-01-01")
DAYS = 731  # two years, one of them a leap year

STATUSES = ("divorced", "married", "single", "widowed")
PURPOSES = ("business", "car", "education", "home", "other")
SMALLEST = np.array([8_000, 3_000, 2_000, 40_000, 500])  # amount by purpose
SPREAD = np.array([70_000, 27_000, 20_000, 210_000, 12_000])
YEARS_TO_REPAY = np.array([7, 5, 8, 25, 3])

DESCRIPTION = (
    "Generated loan applications of 2023 and 2024. The label is the decision under the old policy, which "
    "scores yearly burden, defaults, employment and a guarantor and is strict with applicants under 30; in "
    "about one case in 25 the clerk decided otherwise. The rules are the new policy. Nobody here is real."
)


def load_loans(n: int = 2000, *, random_state: int | None = 0) -> Dataset:
    """Generate loan applications that an old policy has decided, and bring the new policy with them.

    Parameters
    ----------
    n : int, default=2000
        The number of applications.

    random_state : int or None, default=0
        The seed; the same seed gives the same table on every platform. ``None`` draws a new one.

    Returns
    -------
    Dataset
        Ten columns: ``age``, ``amount`` and ``defaults`` are whole numbers, ``income`` is a number with gaps,
        ``employment_years`` a whole number with gaps (``Int64``), ``marital-status`` and ``purpose`` are
        categories, ``has_guarantor`` is a boolean, ``channel`` a text with gaps, ``applied_on`` a date. The label
        ``decision`` is ``approved`` or ``denied``. ``rules`` is the new policy: seven rules, of which two
        contradict each other and one is redundant, so that a check has something to say.

    Raises
    ------
    DatasetError
        If `n` is below 1 or the seed is negative.

    Examples
    --------
    >>> from frote.datasets import load_loans
    >>> loans = load_loans(1000, random_state=0)
    >>> loans.X[["age", "income", "marital-status", "purpose", "amount"]].head(3)
       age    income marital-status purpose  amount
    0   32       NaN        married     car   16500
    1   31  34724.93        married   other    5600
    2   19  17079.45         single   other    6000
    >>> loans.y.value_counts().to_dict()
    {'approved': 565, 'denied': 435}
    >>> print(loans.rules_text.splitlines()[0])
    # The new lending policy, in force since 2025.
    """
    if n < 1:
        raise DatasetError(f"A data set of {n} loans cannot be made: n must be at least 1.")
    if random_state is not None and random_state < 0:
        raise DatasetError(f"The seed {random_state} is negative: random_state must be 0 or more, or None.")
    rng = np.random.default_rng(random_state)
    X, income, employment = _applications(rng, n)
    approved = _old_policy(X, income, employment) ^ (rng.random(n) < 0.04)
    y = pd.Series(["approved" if yes else "denied" for yes in approved.tolist()], name="decision")
    text = resources.files("frote.datasets").joinpath("loans.rules").read_text("utf-8")
    return Dataset("loans", X, y, DESCRIPTION, text)


def _applications(rng: np.random.Generator, n: int) -> tuple[pd.DataFrame, Floats, NDArray[np.int64]]:
    """Draw the table; beside it the true income and employment, which some applicants leave out."""
    u = rng.random((20, n))
    age = (18 + 57 * u[0] * (0.40 + 0.60 * u[1])).astype(np.int64)
    working = np.minimum(age - 18, 40)
    employment = (working * u[2] * (0.4 + 0.6 * u[3])).astype(np.int64)
    # the sixth power of a uniform number: most near 0, a few near 1, hence the long right tail
    cube = u[5] * u[5] * u[5]
    skew = 0.7 + 0.6 * u[4] + 6.0 * cube * cube * u[6]
    income = np.round((17_000 + 420 * np.minimum(working, 30) + 700 * np.minimum(employment, 25)) * skew, 2)
    young = age < 30
    purpose = np.where(
        young,
        _pick(u[7], (0.10, 0.28, 0.22, 0.16, 0.24)),
        _pick(u[7], (0.14, 0.28, 0.06, 0.32, 0.20)),
    )
    wealth = np.minimum(income / 60_000, 1.5)
    amount = SMALLEST[purpose] + SPREAD[purpose] * u[8] * (0.35 + 0.65 * u[9]) * (0.55 + 0.45 * wealth)
    strained = income < 24_000
    defaults = np.where(
        strained,
        _pick(u[10], (0.58, 0.20, 0.11, 0.06, 0.03, 0.02)),
        _pick(u[10], (0.74, 0.14, 0.06, 0.03, 0.02, 0.01)),
    )
    columns: dict[str, Any] = {
        "age": age,
        "income": np.where(u[11] < 0.05, np.nan, income),
        "employment_years": pd.array(employment, dtype="Int64"),
        "marital-status": _category(_marital_status(age, u[12]), STATUSES),
        "purpose": _category(purpose, PURPOSES),
        "amount": (amount / 100).astype(np.int64) * 100,
        "defaults": defaults,
        "has_guarantor": u[13] < np.where(young, 0.30, 0.12),
        "channel": _text(_pick(u[14], (0.42, 0.32, 0.23, 0.03)), ("branch", "online", "broker", None)),
        "applied_on": (FIRST_DAY + (u[15] * DAYS).astype(np.int64)).astype("datetime64[ns]"),
    }
    columns["employment_years"][u[16] < 0.06] = pd.NA
    return pd.DataFrame(columns), income, employment


def _marital_status(age: NDArray[np.int64], u: Floats) -> NDArray[np.int64]:
    young = _pick(u, (0.02, 0.18, 0.80, 0.00))
    middle = _pick(u, (0.16, 0.58, 0.25, 0.01))
    older = _pick(u, (0.20, 0.60, 0.10, 0.10))
    return np.where(age < 29, young, np.where(age < 55, middle, older))


def _old_policy(X: pd.DataFrame, income: Floats, employment: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Decide as the clerks did: points for and against, approved from 3 points on."""
    age, defaults = X["age"].to_numpy(), X["defaults"].to_numpy()
    years = YEARS_TO_REPAY[X["purpose"].cat.codes.to_numpy()]
    burden = X["amount"].to_numpy() / years / income  # the yearly instalment as a share of income
    points = np.select([burden < 0.12, burden < 0.24, burden < 0.40], [3, 2, 1], -3)
    points += np.select([defaults == 0, defaults == 1], [2, -2], -4)
    points += np.select([age < 25, age < 30, age < 66], [-4, -3, 1], 0)
    points += np.select([employment >= 5, employment >= 2], [1, 0], -1)
    points += X["has_guarantor"].to_numpy().astype(np.int64)
    return points >= 3


def _pick(u: Floats, shares: Sequence[float]) -> NDArray[np.int64]:
    """Turn uniform numbers into the places of a list, each with its share."""
    return np.searchsorted(np.cumsum(shares)[:-1], u, side="right").astype(np.int64)


def _category(codes: NDArray[np.int64], levels: Sequence[str]) -> pd.Categorical:
    return pd.Categorical([levels[code] for code in codes.tolist()], categories=list(levels))


def _text(codes: NDArray[np.int64], values: Sequence[str | None]) -> pd.Series:
    return pd.Series([values[code] for code in codes.tolist()])
