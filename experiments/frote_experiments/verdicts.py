"""What is said of our number beside the paper's: by rule, the same for all tables."""

from __future__ import annotations

import math

__all__ = ["NOTHING", "RULE", "verdict"]

RULE = (
    'Verdict: "within one standard deviation" if our mean is no further from the paper\'s than the standard deviation '
    'that the paper prints; else "better" or "worse", where larger is better (of rows added: "more" or "fewer"); then '
    "whether both means have the same sign, where one that rounds to 0.000 has none."
)
NOTHING = "-"  # the verdict where there is nothing to compare


def verdict(ours: float, paper: float, std: float, *, differs: bool = False, count: bool = False) -> str:
    """Say how our mean compares with the paper's.

    Parameters
    ----------
    ours, paper : float
        The two means; NaN where there is none.

    std : float
        The standard deviation that the paper prints.

    differs : bool, default=False
        Whether the two are not the same quantity by definition.

    count : bool, default=False
        Whether it is an amount of something, of which more is neither better nor worse and the sign says nothing.

    Returns
    -------
    str
        By the rule in `RULE`.

    Examples
    --------
    >>> verdict(0.035, 0.030, 0.008)
    'within one standard deviation, same sign'
    >>> verdict(0.300, 0.030, 0.008), verdict(-0.300, 0.030, 0.008)
    ('better, same sign', 'worse, other sign')
    >>> verdict(0.300, -0.237, 0.212, differs=True)
    'definition differs, other sign'
    >>> verdict(0.0004, 0.006, 0.002)
    'worse, no sign'
    >>> verdict(0.5, 0.1, 0.1, count=True), verdict(math.nan, 0.1, 0.1)
    ('more', '-')
    """
    if math.isnan(ours) or math.isnan(paper):
        return NOTHING
    if differs:
        said = "definition differs"
    elif abs(ours - paper) <= std + 1e-12:  # printed decimals are not exact in binary
        said = "within one standard deviation"
    else:
        said = (("fewer", "more") if count else ("worse", "better"))[ours > paper]
    return said if count else f"{said}, {_signs(ours, paper)}"


def _signs(ours: float, paper: float) -> str:
    one, other = (float(f"{mean:.3f}") for mean in (ours, paper))
    if one == 0 or other == 0:
        return "no sign"
    return "same sign" if (one > 0) == (other > 0) else "other sign"
