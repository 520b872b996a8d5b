"""How often each group gets the favourable label, before and after: counted once, with intervals from the counts.

Rows of one cell (the same group, label and decisions, inside the rules or outside) count alike, so to draw rows with
replacement is to draw how many fall into each cell. All rates of a draw are sums of its counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.judging.interval import interval
from frote.judging.trade import PARTS
from frote.layout import Column, as_lines, as_list, as_sentence, as_shown, as_table
from frote.plain import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.compare.protected import Protected

    Floats = NDArray[np.float64]

__all__ = ["RATES", "Fairness", "Rows", "fairness_of", "small_groups"]

RATES = {
    "selection_rate": "selected",
    "true_positive_rate": "TPR",
    "false_positive_rate": "FPR",
    "adverse_impact_ratio": "impact ratio",
}
SMALL = 0.02  # the share of rows below which a group is no measure for the others
DRAWS = 200
NUMBERS = ("before", "after", "change")


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What is known of rows, where one label is favourable.

    Parameters
    ----------
    own : ndarray of bool or None
        Whether they have it, if their labels are known.

    before, after : ndarray of bool
        Whether they get it.

    covered : ndarray of bool
        Whether a rule covers them.
    """

    own: NDArray[np.bool_] | None
    before: NDArray[np.bool_]
    after: NDArray[np.bool_]
    covered: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Fairness:
    """How often protected groups get the favourable label, before and after. It prints as tables.

    Parameters
    ----------
    favourable : str
        The label.

    rates : DataFrame
        A line for each thing that is ``protected``, its ``group``, a part of the rows (``where``: outside the rules,
        inside, all) and ``measure``: the selection rate (the share of rows that get the favourable label), the true and
        the false positive rate (the same among rows that have it, and that have it not), and the adverse-impact ratio:
        the selection rate over the highest one of a group that has at least 2 % of these rows. With ``rows``;
        ``before``, ``after`` and ``change``; and for each the ends of the interval that holds 95 % of resamples, such
        as ``change_low``. NaN where something is not defined.

    notices : tuple of str
        Which rules name a protected column, and which others move the rate of a group.

    decided : str, default=""
        How rows were decided on by a threshold or by cost, in a sentence.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(1000)
    >>> before = frote.default_pipeline().fit(loans.X, loans.y)
    >>> rules = "young: IF age < 29 AND defaults = 0 THEN approved"
    >>> wanted = loans.y.mask(frote.parse_rules(rules)[0].mask(loans.X), "approved")
    >>> after = frote.default_pipeline().fit(loans.X, wanted)
    >>> asked = {"protected": "age < 25", "favourable": "approved"}
    >>> print(frote.compare_models(before, after, loans.X, rules, loans.y, **asked).fairness)
    Selected: gets 'approved', in %, with 95 % of resamples of the change. Impact ratio: with 95 % of those after.
    Rule 'young' names 'age', which is protected (age < 25).
    <BLANKLINE>
    Protected: age < 25
    group       where    rows                         selected            TPR           FPR                 impact ratio
    age < 25    outside    50        0.0 -> 2.0 (+0.0 to +7.4)              -    0.0 -> 2.0  0.00 -> 0.03 (0.00 to 0.10)
    all others  outside   753      73.8 -> 76.1 (+0.7 to +3.8)   94.1 -> 97.1  21.1 -> 21.5  1.00 -> 1.00 (1.00 to 1.00)
    age < 25    inside    123  0.0 -> 100.0 (+100.0 to +100.0)   0.0 -> 100.0  0.0 -> 100.0  0.00 -> 1.00 (1.00 to 1.00)
    all others  inside     74   13.5 -> 100.0 (+78.3 to +93.0)  30.0 -> 100.0  7.4 -> 100.0  1.00 -> 1.00 (1.00 to 1.00)
    age < 25    all       173     0.0 -> 71.7 (+65.6 to +79.0)   0.0 -> 100.0   0.0 -> 71.5  0.00 -> 0.92 (0.84 to 1.00)
    all others  all       827     68.4 -> 78.2 (+7.8 to +12.0)   91.8 -> 97.2  18.3 -> 37.6  1.00 -> 1.00 (1.00 to 1.00)
    """

    favourable: str
    rates: pd.DataFrame
    notices: tuple[str, ...] = ()
    decided: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the same as lists and numbers that JSON can hold."""
        lines = plain(self.rates.to_dict("records"))
        return {"favourable": self.favourable, "decided": self.decided, "notices": list(self.notices), "rates": lines}

    def __str__(self) -> str:
        lines = [self._headline(), *self.notices]
        for title, columns in self._tables():
            lines += ["", title, *as_lines(columns)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        tables = [as_table(columns, title) for title, columns in self._tables()]
        return as_shown(as_sentence(self._headline()), as_list(self.notices), *tables)

    def _headline(self) -> str:
        decided = f" {self.decided}" if self.decided else ""
        return (
            f"Selected: gets {self.favourable!r}, in %, with 95 % of resamples of the change. "
            f"Impact ratio: with 95 % of those after.{decided}"
        )

    def _tables(self) -> list[tuple[str, list[Column]]]:
        """Return a table for each thing that is protected: a line for each group and part."""
        tables = []
        for name, lines in self.rates.groupby("protected", sort=False):
            cells: dict[str, list[str]] = {"group": [], "where": [], "rows": []}
            for (group, where), measures in lines.groupby(["group", "where"], sort=False):
                cells["group"].append(str(group))
                cells["where"].append(str(where))
                cells["rows"].append(f"{measures['rows'].iloc[0]:,}")
                for line in measures.itertuples():
                    cells.setdefault(RATES[str(line.measure)], []).append(_shown(line))
            columns = [Column(title, texts, right=place > 1) for place, (title, texts) in enumerate(cells.items())]
            tables.append((f"Protected: {name}", columns))
        return tables


def _shown(line: Any) -> str:
    """Write a number before and after: rates in hundredths, and intervals of what is looked at first."""
    if np.isnan(line.before) and np.isnan(line.after):
        return "-"
    if line.measure == "adverse_impact_ratio":
        span = "" if np.isnan(line.after_low) else f" ({line.after_low:.2f} to {line.after_high:.2f})"
        return f"{line.before:.2f} -> {line.after:.2f}{span}"
    text = f"{100 * line.before:.1f} -> {100 * line.after:.1f}"
    if line.measure != "selection_rate" or np.isnan(line.change_low):
        return text
    return f"{text} ({100 * line.change_low:+.1f} to {100 * line.change_high:+.1f})"


def fairness_of(
    protected: Sequence[Protected], rows: Rows, favourable: str, *, draws: int = DRAWS, seed: int = 0
) -> Fairness:
    """Return the rates of protected groups, without notices.

    Parameters
    ----------
    protected : sequence of Protected
        The groups.

    rows : Rows
        The rows.

    favourable : str
        The text of the favourable label.

    draws, seed : int
        How many resamples, and where their chance comes from.

    Returns
    -------
    Fairness
    """
    lines = [line for one in protected for line in _lines(one, rows, draws, seed)]
    ends = [f"{name}{end}" for name in NUMBERS for end in ("", "_low", "_high")]
    return Fairness(favourable, pd.DataFrame(lines, columns=["protected", "group", "where", "rows", "measure", *ends]))


def _lines(one: Protected, rows: Rows, draws: int, seed: int) -> list[tuple[Any, ...]]:
    counts = _counted(one, rows)
    total = int(counts.sum())
    drawn = np.random.default_rng(seed).multinomial(total, counts.ravel() / total, size=draws)
    drawn = drawn.reshape(draws, *counts.shape)
    apart = 0 < int(rows.covered.sum()) < total
    lines = []
    for where in PARTS if apart else ("all",):
        inside = {"outside": [0], "inside": [1], "all": [0, 1]}[where]
        there, resampled = (some[:, :, inside].sum(axis=2) for some in (counts[np.newaxis], drawn))
        sizes = there[0].sum(axis=(1, 2, 3))
        measured, spread = {}, {}
        for place, model in enumerate(("before", "after")):
            measured[model], spread[model] = (_rates(some, place) for some in (there, resampled))
            reference = _reference(measured[model]["selection_rate"][0], sizes)
            for rates in (measured[model], spread[model]):
                selected = rates["selection_rate"]
                rates["adverse_impact_ratio"] = _divided(selected, selected[:, [reference]])
        for group, text in enumerate(one.groups):
            for measure in RATES:
                if rows.own is None and measure in ("true_positive_rate", "false_positive_rate"):
                    continue
                number = {name: found[measure][0, group] for name, found in measured.items()}
                sample = {name: found[measure][:, group] for name, found in spread.items()}
                number["change"] = number["after"] - number["before"]
                # Both models are judged on the same resample, so what they have in common does not blur their change.
                sample["change"] = sample["after"] - sample["before"]
                ends = [
                    part for name in NUMBERS for part in (number[name], *(interval(sample[name]) or (np.nan, np.nan)))
                ]
                lines.append((one.text, text, where, int(sizes[group]), measure, *ends))
    return lines


def _counted(one: Protected, rows: Rows) -> NDArray[np.intp]:
    """Count rows by group, whether they are inside the rules, and whether they have and get the favourable label."""
    own = np.zeros(len(one.member), dtype=bool) if rows.own is None else rows.own
    counts = np.zeros((len(one.groups), 2, 2, 2, 2), dtype=np.intp)
    where = one.member, *(mask.astype(np.intp) for mask in (rows.covered, own, rows.before, rows.after))
    np.add.at(counts, where, 1)
    return counts


def _rates(counts: NDArray[np.intp], model: int) -> dict[str, Floats]:
    """Return the rates of each group; counts are of shape (draws, groups, own, before, after)."""
    by_model = counts.sum(axis=4 - model)  # (draws, groups, own, decided)
    got, every = by_model[..., 1], by_model.sum(axis=3)
    return {
        "selection_rate": _divided(got.sum(axis=2), every.sum(axis=2)),
        "true_positive_rate": _divided(got[..., 1], every[..., 1]),
        "false_positive_rate": _divided(got[..., 0], every[..., 0]),
    }


def _reference(rates: Floats, sizes: NDArray[np.intp]) -> int:
    """Return the group with the highest rate, of those that are not small; of all if every one is."""
    small = small_groups(sizes)
    return int(np.nan_to_num(np.where(small & ~small.all(), np.nan, rates), nan=-1.0).argmax())


def small_groups(sizes: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return which groups have too few of the rows to be a measure for the others.

    Examples
    --------
    >>> small_groups(np.array([60, 39, 1]))
    array([False, False,  True])
    """
    small: NDArray[np.bool_] = sizes < SMALL * sizes.sum()
    return small


def _divided(part: Any, whole: Any) -> Floats:
    whole = np.broadcast_to(whole, np.shape(part))
    rates: Floats = np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0)
    return rates
