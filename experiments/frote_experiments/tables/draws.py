"""How many draws stand behind each table and figure of the paper: there, and here."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pandas as pd

from frote_experiments.definitions import EXPERIMENTS, all_runs
from frote_experiments.presets import PRESETS
from frote_experiments.tables.sheets import Column, Grid, Sheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile
    from frote_experiments.runs import Run

__all__ = ["draws"]

PRINTED = "paper"
HERE = ("quick", "standard", "paper", "record", "local")
OURS = "(not in the paper)"
NOTE = (
    "Draws of rules and rows behind each setting (data set, model, number of rules, tcf, modification and so on), the "
    "fewest and the most, and runs in all. *There* is as printed, which the preset `paper` asks for; here is what has "
    "been run of the settings that each preset asks for."
)


def draws(files: Mapping[str, ResultFile]) -> Sheet:
    """Count the draws of every experiment.

    Parameters
    ----------
    files : mapping of str to ResultFile
        The results of presets; those that are not there have run nothing.
    """
    lines: list[dict[str, Any]] = []
    for name in (*EXPERIMENTS, ""):
        title = EXPERIMENTS[name].title if name else "all"
        printed = [] if title.endswith(OURS) else _runs(PRESETS[PRINTED], name)
        line: dict[str, Any] = {"experiment": name or "all", "title": title}
        line |= {"there_draws": _span(printed, printed), "there_runs": len(printed) or None}
        for which in HERE:
            wanted = _runs(PRESETS[which], name)
            done = [run for run in wanted if which in files and run in files[which].results]
            line |= {f"{which}_draws": _span(wanted, done) if done else "", f"{which}_runs": len(done) or None}
            line[f"{which}_wanted"] = len(wanted)
        lines.append(line)
    columns = (
        Column("experiment", "title"),
        *(
            column
            for which in ("there", *HERE)
            for column in (Column(f"draws, {which}", f"{which}_draws"), Column("runs", f"{which}_runs", form=",.0f"))
        ),
    )
    made = pd.DataFrame(lines).astype({name: "Int64" for name in lines[0] if name.endswith(("_runs", "_wanted"))})
    return Sheet("draws", "Draws behind each table of the paper", (NOTE,), (Grid(made, columns),))


def _runs(scope: Preset, name: str) -> list[Run]:
    return all_runs(scope, [name] if name else EXPERIMENTS)


def _span(wanted: Iterable[Run], done: Iterable[Run]) -> str:
    """Say how many draws the settings have, the fewest and the most."""
    settings = Counter(dict.fromkeys(map(_setting, wanted), 0))
    settings.update(map(_setting, done))
    if not settings:
        return ""
    fewest, most = min(settings.values()), max(settings.values())
    return str(most) if fewest == most else f"{fewest} to {most}"


def _setting(run: Run) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(value)) for name, value in run.settings.items() if name != "draw")
