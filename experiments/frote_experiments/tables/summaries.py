"""Means and standard deviations over runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from frote_experiments.models import BATCH_SIZES, PAPER_MODELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from frote_experiments.presets import Preset

__all__ = ["DRAW", "in_order", "summarised", "with_differences"]

DRAW = ["data", "model", "rules", "tcf", "draw"]  # what the runs of several methods on the same draw have in common


def with_differences(frame: pd.DataFrame) -> pd.DataFrame:
    """Return results with what was gained.

    Returns
    -------
    DataFrame
        With `change_objective`, `change_agreement` and `change_f1`, final - initial; `modification`, the objective on
        modified data - initial; `augmentation`, final - on modified data; `share_added`, rows added / rows. Data sets
        and models are text.
    """
    numbers = dict.fromkeys(("rows", "rows_added", "labels", "fits"), float)
    made = frame.astype({"data": str, "model": str, **numbers})
    for score in ("objective", "agreement", "f1"):
        made[f"change_{score}"] = made[f"final_{score}"] - made[f"initial_{score}"]
    made["modification"] = made["modified_objective"] - made["initial_objective"]
    made["augmentation"] = made["final_objective"] - made["modified_objective"]
    made["share_added"] = made["rows_added"] / made["rows"]
    return made


def summarised(
    frame: pd.DataFrame, by: Sequence[str], values: Sequence[str], cells: Iterable[tuple[object, ...]]
) -> pd.DataFrame:
    """Summarise some columns in every cell, also in cells without a run.

    Parameters
    ----------
    frame : DataFrame
        A row for each run.

    by : sequence of str
        The columns that make a cell.

    values : sequence of str
        The columns to summarise.

    cells : iterable of tuple
        The cells, in the order in which they are wanted.

    Returns
    -------
    DataFrame
        A row for each cell: `by`, `runs` (those that have the first of the values), and for each value its mean and its
        standard deviation, with n - 1 below.

    Examples
    --------
    >>> runs = pd.DataFrame({"data": ["car", "car"], "gain": [0.1, 0.3]})
    >>> summarised(runs, ["data"], ["gain"], [("car",), ("adult",)])
        data  runs  gain_mean  gain_std
    0    car     2        0.2  0.141421
    1  adult     0        NaN       NaN
    """
    grouped = frame.groupby(list(by), observed=True)[list(values)]
    index = pd.MultiIndex.from_frame(pd.DataFrame(list(cells), columns=list(by)))
    parts = [grouped.count()[[values[0]]].set_axis(["runs"], axis=1)]
    parts += [grouped.mean().add_suffix("_mean"), grouped.std(ddof=1).add_suffix("_std")]
    summary = pd.concat(parts, axis=1)
    if len(by) == 1:
        summary.index = pd.MultiIndex.from_arrays([summary.index], names=list(by))
    order = ["runs", *(f"{value}_{part}" for value in values for part in ("mean", "std"))]
    made = summary.reindex(index)[order].reset_index()
    return made.assign(runs=made["runs"].fillna(0).astype(int))


def in_order(scope: Preset, names: Iterable[str] | None = None) -> tuple[list[str], list[str]]:
    """Return the data sets and the models of a preset in the order of all tables.

    Parameters
    ----------
    scope : Preset
        What was wanted.

    names : iterable of str, default=None
        The data sets that there can be; all if not given.
    """
    data = [name for name in BATCH_SIZES if name in scope.data and (names is None or name in names)]
    return data, [name for name in PAPER_MODELS if name in scope.models]
