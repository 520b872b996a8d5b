"""What the paper leaves open: the objective as printed, its third selection, and rules that meet where no row is."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pandas as pd

from frote_experiments.definitions import LINE_AND_TREES, ON, THREE, experiment
from frote_experiments.selected import selected
from frote_experiments.significance import gain_of
from frote_experiments.tables.sheets import Column, Grid, Sheet, count
from frote_experiments.tables.summaries import DRAW, in_order, with_differences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile

__all__ = ["online", "printed", "row_conflicts"]

ALL = "all"
WAYS = ("possible", "rows")
METHODS = ("published", "default")
SELECTIONS = ("random", "ip", "online")
ERROR = (
    "Differences are of pairs on the same draw, with the standard error of their mean over draws, which models share."
)


def printed(file: ResultFile, scope: Preset) -> Sheet:
    """Compare the objective on the data alone with that on the data and the batch, where rules cover no row."""
    chosen = selected(file, scope, "printed")
    frame = with_differences(chosen.frame)
    wide = _wide(frame, "evaluate", ON, ("final_objective", "modified_objective", "rows_added"))
    lines = []
    for name, model, cell in _cells(wide, in_order(scope, THREE)[0], LINE_AND_TREES):
        gain = gain_of(cell["final_objective", "published"] - cell["final_objective", "printed"])
        over_none = gain_of(cell["final_objective", "printed"] - cell["modified_objective", "printed"])
        lines.append(
            {
                "data": name,
                "model": model,
                "pairs": gain.pairs,
                **{f"{on}_accepting": int((cell["rows_added", on] > 0).sum()) for on in ON},
                **{f"{on}_rows": cell["rows_added", on].mean() for on in ON},
                **{on: cell["final_objective", on].mean() for on in ON},
                "relabel": cell["modified_objective", "printed"].mean(),
                "over_relabel": over_none.mean,
                "over_relabel_error": over_none.error,
                "gain": gain.mean,
                "error": gain.error,
            }
        )
    columns = (
        *(Column(name, name) for name in ("data", "model")),
        count("pairs"),
        *(count(f"{on}: runs that accept a batch", f"{on}_accepting") for on in ON),
        *(Column(f"{on}: rows added", f"{on}_rows", form=".0f") for on in ON),
        Column("objective, no row added", "relabel"),
        *(Column(f"objective, {on}", on) for on in ON),
        Column("printed - no row added", "over_relabel", "over_relabel_error", "+z.3f"),
        Column("published - printed", "gain", "error", "+z.3f"),
    )
    note = (
        "tcf 0: no rule covers a row of training. *printed* takes the objective on the data before the batch always, "
        "as Algorithm 1 is printed: until a batch is accepted it is F1 on rows that no rule covers. *published* takes "
        "it with the batch while a rule covers too few rows. Objective on unseen rows; *no row added* is the model on "
        f"the data as they are, in which at tcf 0 there is nothing to relabel. {ERROR}"
    )
    grid = Grid(pd.DataFrame(lines), columns)
    return Sheet("printed", experiment("printed").title, (chosen.note, note), (grid,))


def online(file: ResultFile, scope: Preset) -> Sheet:
    """Compare the paper's three selections, on draws on which all of them have been run."""
    chosen = selected(file, scope, "online")
    frame = with_differences(chosen.frame)
    wide = _wide(frame, "select", SELECTIONS, ("final_objective", "rows_added", "seconds"))
    tcf = wide.index.get_level_values("tcf")
    lines = []
    for share in scope.tcfs:
        for name, model, cell in _cells(wide[tcf == share], in_order(scope, THREE)[0], in_order(scope)[1]):
            final = cell["final_objective"]
            gains = {f"to_{one}": gain_of(final["online"] - final[one]) for one in SELECTIONS[:2]}
            lines.append(
                {
                    "tcf": f"tcf {share:g}",
                    "data": name,
                    "model": model,
                    "pairs": len(cell),
                    **{one: cell["final_objective", one].mean() for one in SELECTIONS},
                    **{f"{one}_rows": cell["rows_added", one].mean() for one in SELECTIONS},
                    **{f"{one}_seconds": cell["seconds", one].median() for one in SELECTIONS},
                    **{key: gain.mean for key, gain in gains.items()},
                    **{f"{key}_error": gain.error for key, gain in gains.items()},
                }
            )
    columns = (
        *(Column(name, name) for name in ("data", "model")),
        count("pairs"),
        *(Column(f"objective, {one}", one) for one in SELECTIONS),
        *(Column(f"online - {one}", f"to_{one}", f"to_{one}_error", "+z.3f") for one in SELECTIONS[:2]),
        *(Column(f"rows added, {one}", f"{one}_rows", form=".0f") for one in SELECTIONS),
    )
    note = (
        "The published algorithm with base rows selected at random, by integer program, and by online learning, which "
        "makes ten candidates for each row wanted and keeps those whose step of a logistic stand-in raises a smooth "
        f"objective most. Objective on unseen rows. {ERROR} Seconds, in the CSV, are medians and depend on the machine."
    )
    grid = Grid(pd.DataFrame(lines), columns, by="tcf")
    return Sheet("online", experiment("online").title, (chosen.note, note), (grid,))


def row_conflicts(file: ResultFile, scope: Preset) -> Sheet:
    """Compare sets without conflict on any possible row with sets without conflict on the rows of the data."""
    chosen = selected(file, scope, "row-conflicts")
    frame = with_differences(chosen.frame)
    data = in_order(scope, THREE)[0]
    values = ("final_objective", "change_objective", "labels")
    drawn = {way: _wide(frame[frame["conflicts"] == way], "method", METHODS, values) for way in WAYS}
    lines = []
    for share in scope.tcfs:
        here = {way: wide[wide.index.get_level_values("tcf") == share] for way, wide in drawn.items()}
        for two in zip(*(_cells(here[way], data, LINE_AND_TREES) for way in WAYS), strict=True):
            for way, (name, model, cell) in zip(WAYS, two, strict=True):
                gains = {one: gain_of(cell["change_objective", one]) for one in METHODS}
                lead = gain_of(cell["final_objective", "default"] - cell["final_objective", "published"])
                lines.append(
                    {
                        "tcf": f"tcf {share:g}",
                        "data": name,
                        "model": model,
                        "conflicts": way,
                        "pairs": lead.pairs,
                        "labels": cell["labels", "published"].mean(),
                        **{f"{one}_gain": gain.mean for one, gain in gains.items()},
                        **{f"{one}_error": gain.error for one, gain in gains.items()},
                        "lead": lead.mean,
                        "lead_error": lead.error,
                    }
                )
    columns = (
        *(Column(name, name) for name in ("data", "model")),
        Column("no conflict on", "conflicts"),
        count("pairs"),
        Column("labels in a set", "labels", form=".1f"),
        *(Column(f"gain, {one}", f"{one}_gain", f"{one}_error", "+z.3f") for one in METHODS),
        Column("default - published", "lead", "lead_error", "+z.3f"),
    )
    note = (
        "Sets of rules drawn from the same pools in two ways: without conflict on any *possible* row, as in all other "
        "experiments, and without conflict on the *rows* of the data set, where rules of different labels may meet in "
        "a region that no row lies in; there the one drawn first is right. Gain: objective on unseen rows, final model "
        "- initial one, with the standard error of the mean over draws, which models share."
    )
    grid = Grid(pd.DataFrame(lines), columns, by="tcf")
    return Sheet("row-conflicts", experiment("row-conflicts").title, (chosen.note, note), (grid,))


def _wide(frame: pd.DataFrame, by: str, wanted: Sequence[str], values: Sequence[str]) -> pd.DataFrame:
    """Return a line for each draw on which all that is compared was run, with columns (value, what is compared)."""
    one_each = frame.astype(dict.fromkeys(values, float)).drop_duplicates([*DRAW, by])
    wide = one_each.pivot_table(index=DRAW, columns=by, values=list(values))
    return wide.reindex(columns=pd.MultiIndex.from_product([values, wanted])).dropna()


def _cells(wide: pd.DataFrame, data: Iterable[str], models: Sequence[str]) -> list[tuple[str, str, pd.DataFrame]]:
    """Return the draws of each data set and model, then of each model, then all."""
    of, by = (wide.index.get_level_values(level) for level in ("data", "model"))
    cells = [(name, model, wide[(of == name) & (by == model)]) for name, model in product(data, models)]
    return [*cells, *((ALL, model, wide[by == model]) for model in models), (ALL, ALL, wide)]
