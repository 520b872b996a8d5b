"""All tables of the experiments: the paper's values beside ours, as Markdown and CSV, and a page that lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from frote.exceptions import nearest
from frote.whole import write_whole
from frote_experiments.definitions import all_runs
from frote_experiments.exceptions import ExperimentError
from frote_experiments.tables.beside import datasets, overlay, probabilistic, reproduced, selection
from frote_experiments.tables.compared import comparison
from frote_experiments.tables.effects import benefit, k_and_q, rule_count, trends
from frote_experiments.tables.local import chances, loans, locality, many_rules, methods, probes, ways
from frote_experiments.tables.ours import parts, seconds
from frote_experiments.tables.record import online, printed, row_conflicts
from frote_experiments.tables.sheets import Sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from frote_experiments.presets import Preset
    from frote_experiments.results import ResultFile

__all__ = [
    "FIGURE_TITLES",
    "LOCAL_FIGURE_TITLES",
    "LOCAL_SHEETS",
    "RECORD_SHEETS",
    "SHEETS",
    "Sheet",
    "chosen",
    "is_local",
    "write_tables",
]

T = TypeVar("T")

SHEETS: dict[str, Callable[[ResultFile, Preset], Sheet]] = {
    "datasets": datasets,
    "benefit": benefit,
    "trends": trends,
    "rule-count": rule_count,
    "overlay": overlay,
    "selection": selection,
    "probabilistic": probabilistic,
    "reproduced": reproduced,
    "k-and-q": k_and_q,
    "comparison": comparison,
    "parts": parts,
    "seconds": seconds,
}
LOCAL_SHEETS: dict[str, Callable[[ResultFile, Preset], Sheet]] = {
    "locality": locality,
    "ways": ways,
    "methods": methods,
    "many-rules": many_rules,
    "chances": chances,
    "probes": probes,
    "loans": loans,
}
RECORD_SHEETS: dict[str, Callable[[ResultFile, Preset], Sheet]] = {
    "printed": printed,
    "online": online,
    "row-conflicts": row_conflicts,
}
# What `figures` draws, in the order of the page that lists everything.
FIGURE_TITLES = {
    "illustration": "Moving a boundary, and filling a region without data (Figure 1)",
    "benefit-relabel": "Objective over tcf, data relabelled first (Figure 2 and its twins)",
    "benefit-none": "Objective over tcf, data as they are (appendix)",
    "benefit-drop": "Objective over tcf, contradicting rows dropped first (appendix)",
    "differences-relabel": "Differences of the objective over tcf, data relabelled first (appendix)",
    "differences-none": "Differences of the objective over tcf, data as they are (appendix)",
    "differences-drop": "Differences of the objective over tcf, contradicting rows dropped first (appendix)",
    "rule-count": "Number of rules (Figure 3 and its twins)",
    "progress": "Augmentation progress on Adult (appendix)",
    "probabilistic": "Probabilistic rules (appendix)",
    "overlay": "Comparison with Overlay",
    "selection": "Random and integer-program selection",
    "k-and-q": "The effect of k and q",
    "comparison": "The default against the published algorithm (not in the paper)",
    "parts": "What the parts of the default are worth (not in the paper)",
}
LOCAL_FIGURE_TITLES = {"trade": "What agreement with the rules costs outside them (not in the paper)"}


def write_tables(file: ResultFile, scope: Preset, folder: Path, only: Collection[str] = ()) -> list[Path]:
    """Write all tables of what a preset has, and a page that lists them and the figures.

    Parameters
    ----------
    file : ResultFile
        All results; runs may be missing.

    scope : Preset
        Which runs were wanted.

    folder : Path
        Gets ``README.md``, and the folder ``tables`` with a Markdown page for each name in `SHEETS` and the raw numbers
        as CSV.

    only : collection of str, default=()
        The names of the pages to write and of the figures to list; all if there are none.

    Returns
    -------
    list of Path
        What was written.
    """
    texts: dict[Path, str] = {}
    listed = []
    for make in chosen(_sheets(scope), only).values():
        sheet = make(file, scope)
        files = sheet.files()
        texts |= {folder / "tables" / name: text for name, text in files.items()}
        page, *raw = files
        listed.append(f"- [{sheet.title}](tables/{page}) ({', '.join(f'[CSV](tables/{name})' for name in raw)})")
    texts[folder / "README.md"] = _index(file, scope, listed, only)
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        write_whole(path, text.encode())
    return list(texts)


def chosen(known: Mapping[str, T], only: Collection[str]) -> dict[str, T]:
    """Return the tables or figures of some names, all if there are none.

    Examples
    --------
    >>> chosen({"benefit": 1, "overlay": 2}, ["overlay"]), chosen({"benefit": 1}, [])
    ({'overlay': 2}, {'benefit': 1})
    """
    for name in only:
        if name not in known:
            raise ExperimentError(f"No table or figure {name!r}. {nearest(name, known)}")
    return {name: one for name, one in known.items() if not only or name in only}


def is_local(scope: Preset) -> bool:
    """Tell whether a preset is the study of what edits leave alone."""
    return len(scope.draws_of("locality")) > 0


def _sheets(scope: Preset) -> dict[str, Callable[[ResultFile, Preset], Sheet]]:
    """Return the pages of a preset: a study of its own has its own."""
    if is_local(scope):
        return LOCAL_SHEETS
    return RECORD_SHEETS if scope.draws_of("printed") else SHEETS


def _index(file: ResultFile, scope: Preset, tables: list[str], only: Collection[str]) -> str:
    """Return the page that lists everything."""
    wanted = all_runs(scope)
    done, failed = (sum(run in outcomes for run in wanted) for outcomes in (file.results, file.failures))
    head = [f"# Experiments: {scope.name}", f"{scope.said} {done:,} of {len(wanted):,} runs, {failed:,} failed."]
    pages = [*head, "## Tables", "\n".join(tables)]
    titles = LOCAL_FIGURE_TITLES if is_local(scope) else FIGURE_TITLES if _sheets(scope) is SHEETS else {}
    figures = [f"- [{title}](figures/{name}.png)" for name, title in titles.items() if not only or name in only]
    if figures:
        pages += ["## Figures", "\n".join(figures)]
    return "\n\n".join(pages) + "\n"
