"""Results as a table: a row for each run, in the order of their settings, whatever the order of the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from frote_experiments.draws import LOANS
from frote_experiments.models import BATCH_SIZES, FOREST, PAPER_MODELS
from frote_experiments.runs import PUBLISHED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from frote_experiments.runs import Run

__all__ = ["STAGES", "as_frame"]

STAGES = ("initial", "modified", "final")
SCORES = ("objective", "agreement", "f1")
COUNTS = ("fits", "spared", "rows_added", "rows", "labels", "seconds")
# What later runs have beside: what changed outside the rules, and what the loop itself measured of the last model.
BESIDE = (
    *("flips_outside", "flips_near", "brier_outside", "brier_outside_initial", "chance_error", "chance_error_initial"),
    *("measured_agreement", "measured_loss"),
)
RESULTS = (*(f"{stage}_{name}" for stage in STAGES for name in SCORES), *COUNTS, *BESIDE, "steps")
SETTINGS = (
    "data",
    "model",
    "method",
    "rules",
    "tcf",
    "draw",
    "outside",
    "most_rows",
    "confidence",
    "progress",
    "conflicts",
)


def as_frame(results: Mapping[Run, Mapping[str, Any]]) -> pd.DataFrame:
    """Return results as a table.

    Parameters
    ----------
    results : mapping of Run to mapping
        From a result file.

    Returns
    -------
    DataFrame
        Columns for the settings (`data` and `model` ordered categories; options by their names, the published value
        where a run of the published algorithm does not change it); `initial_objective`, `modified_f1` and so on for
        three scores of three models; `fits`, `spared`, `rows_added`, `rows`, `labels`, `seconds`; `steps`,
        `flips_outside` and the like where there are any.
    """
    lines = []
    for run, result in results.items():
        settings = run.settings
        settings["most_rows"] = settings.pop("rows")
        options = settings.pop("options")
        usual = PUBLISHED if run.method == "published" else {}
        scores = {f"{stage}_{name}": result[stage][name] for stage in STAGES for name in SCORES}
        counts = {name: result[name] for name in COUNTS}
        measured = {f"measured_{name}": value for name, value in (result.get("measured") or {}).items()}
        beside = {name: result.get(name) for name in (*BESIDE, "steps")}
        lines.append({**settings, **usual, **options, **scores, **counts, **beside, **measured})
    columns = list(dict.fromkeys([*SETTINGS, *PUBLISHED, *RESULTS, *(name for line in lines for name in line)]))
    frame = pd.DataFrame(lines, columns=columns)
    frame["data"] = pd.Categorical(frame["data"], [*BATCH_SIZES, LOANS], ordered=True)
    frame["model"] = pd.Categorical(frame["model"], [*PAPER_MODELS, FOREST], ordered=True)
    numbers = [*(f"{stage}_{name}" for stage in STAGES for name in SCORES), *BESIDE]
    frame = frame.astype(dict.fromkeys(numbers, float))
    by = [name for name in columns if name not in RESULTS]
    # As text, since an option may be a word in one run and a number in another.
    order = frame[by].astype({name: str for name in by if name not in ("data", "model")})
    return frame.loc[order.sort_values(by).index].reset_index(drop=True)
