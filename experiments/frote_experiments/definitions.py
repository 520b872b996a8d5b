"""What each experiment of the paper, and of ours, consists of: the runs that a preset asks for.

Several experiments share runs: a run is made once for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, get_args

from frote.exceptions import nearest
from frote_experiments.draws import LOANS, TRAINED, Conflicts
from frote_experiments.exceptions import ExperimentError
from frote_experiments.models import FOREST
from frote_experiments.runs import PUBLISHED, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from frote_experiments.presets import Preset

__all__ = [
    *("BINARY", "CHOSEN_TCF", "CONFIDENCES", "EXPERIMENTS", "LINE_AND_TREES", "ON", "PARTS", "THREE"),
    *("Experiment", "all_runs", "experiment"),
]

BINARY = ("breast_cancer", "mushroom", "adult")
THREE = ("breast_cancer", "car", "contraceptive")
UNSURE = ("mushroom", "wine_quality_white", "breast_cancer")
CONFIDENCES = (0.4, 0.6, 0.8, 1.0)
MODIFICATIONS = ("relabel", "none", "drop")
KS, QS = (2, 5, 10, 20), (0.1, 0.25, 0.5, 1.0)
CHOSEN_TCF = 0.2  # where only one value is studied
CHOSEN_SIZE = 3
TWINS = 20  # draws that the paper has for numbers of rules, except on Breast Cancer
# The default without one of its parts, or with another evaluation.
PARTS: dict[str, dict[str, Any]] = {
    "one candidate": {"candidates": 1},
    "no weak bases": {"weak_share": 0.0},
    "half weak bases": {"weak_share": 0.5},
    "no probes": {"evaluate": "active"},
    "held out": {"evaluate": 0.2},
}
# Edits by data that are to leave the rest alone, and the ways to put rules into the model.
GUARDED: dict[str, dict[str, Any]] = {
    "twins": {"twins": 1.0},
    "max loss 0.02": {"twins": 1.0, "max_loss_outside": 0.02, "patience": 4},
    "max loss 0.003": {"twins": 1.0, "max_loss_outside": 0.003, "patience": 4},
}
LOTS: dict[str, dict[str, Any]] = {"lots": {"label_by": "lots"}}  # labels as in the paper, where rules leave chances
WAYS = ("switches", "anchored", "auto")
LINE_AND_TREES = ("LR", "LGBM")  # two models as unlike as the paper has
ON = ("published", "printed")  # what the objective is taken on while a rule covers too few rows
CHANCE = 0.7  # confidence of rules whose probabilities are looked at
MANY = 10  # rules
POLICY = 7  # rules of the loans
CHOICE, CONFIRMATION = (0, 1, 2), (5, 6, 7, 8, 9)  # draws; those between had a say in other parts of the default
AFRESH = (10, 11, 12, 13, 14)  # nobody had seen any of them when twins were settled
LAST = (15, 16, 17, 18, 19)  # nor any of these when the end of a search with twins was settled too


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment.

    Parameters
    ----------
    name : str
        What it is called.

    title : str
        What it studies, and where the paper has it.

    runs : callable
        Gives its runs under a preset.
    """

    name: str
    title: str
    runs: Callable[[Preset], Iterable[Run]]


def _published(scope: Preset, data: str, model: str, rules: int, tcf: float, draw: int, **changed: Any) -> Run:
    named = {name: changed.pop(name) for name in PUBLISHED if name in changed}
    options = {"max_fits": scope.max_fits, **named}
    return Run(data, model, "published", rules, tcf, draw, options, rows=scope.rows.get(data), **changed)


def _benefit(scope: Preset) -> Iterator[Run]:
    for draw, data, model, size, tcf, modify in product(
        scope.draws_of("benefit"), scope.data, scope.models, scope.sizes, scope.tcfs, MODIFICATIONS
    ):
        yield _published(scope, data, model, size, tcf, draw, modify=modify)


def _rule_count(scope: Preset) -> Iterator[Run]:
    for draw, data, model, size in product(scope.draws_of("rule-count"), scope.data, scope.models, scope.counts):
        if draw < TWINS or data == "breast_cancer":
            yield _published(scope, data, model, size, CHOSEN_TCF, draw)


def _overlay(scope: Preset) -> Iterator[Run]:
    for draw, data, model in product(scope.draws_of("overlay"), BINARY, scope.models):
        if data in scope.data:
            yield _published(scope, data, model, CHOSEN_SIZE, 0.5, draw, outside=0.5)
            for method in ("overlay-soft", "override"):
                yield Run(data, model, method, CHOSEN_SIZE, 0.5, draw, outside=0.5, rows=scope.rows.get(data))


def _selection(scope: Preset) -> Iterator[Run]:
    for draw, data, model, size, tcf, select in product(
        scope.draws_of("selection"), scope.data, scope.models, scope.sizes, scope.tcfs, ("random", "ip")
    ):
        yield _published(scope, data, model, size, tcf, draw, select=select)


def _progress(scope: Preset) -> Iterator[Run]:
    for draw, model, tcf in product(scope.draws_of("progress"), scope.models, scope.tcfs):
        yield _published(scope, "adult", model, CHOSEN_SIZE, tcf, draw, progress=True)


def _probabilistic(scope: Preset) -> Iterator[Run]:
    for draw, data, confidence in product(scope.draws_of("probabilistic"), UNSURE, CONFIDENCES):
        if data in scope.data:
            yield _published(scope, data, "LR", 1, 0.0, draw, confidence=confidence)


def _k_and_q(scope: Preset) -> Iterator[Run]:
    for draw, data, model in product(scope.draws_of("k-and-q"), scope.data, scope.models):
        for k in KS:
            yield _published(scope, data, model, CHOSEN_SIZE, CHOSEN_TCF, draw, k=k)
        for q in QS:
            yield _published(scope, data, model, CHOSEN_SIZE, CHOSEN_TCF, draw, oversample=q)


def _comparison(scope: Preset) -> Iterator[Run]:
    for draw, data, model, tcf in product(scope.draws_of("comparison"), scope.data, scope.models, (0.0, CHOSEN_TCF)):
        yield _published(scope, data, model, CHOSEN_SIZE, tcf, draw)
        for method in ("default", "weights", "override"):
            yield Run(data, model, method, CHOSEN_SIZE, tcf, draw, rows=scope.rows.get(data))


def _parts(scope: Preset) -> Iterator[Run]:
    for draw, data, model, tcf in product(scope.draws_of("parts"), scope.data, scope.models, (0.0, CHOSEN_TCF)):
        for options in ({}, *PARTS.values()):
            yield Run(data, model, "default", CHOSEN_SIZE, tcf, draw, options, rows=scope.rows.get(data))


def _locality(scope: Preset) -> Iterator[Run]:
    draws = [draw for draw in scope.draws_of("locality") if draw in (*CHOICE, *CONFIRMATION, *AFRESH, *LAST)]
    for draw, data, model, tcf in product(draws, scope.data, scope.models, (0.0, CHOSEN_TCF)):
        for options in ({}, GUARDED["twins"]) if draw in (*AFRESH, *LAST) else ({}, *GUARDED.values()):
            yield Run(data, model, "default", CHOSEN_SIZE, tcf, draw, options, rows=scope.rows.get(data))


def _ways(scope: Preset) -> Iterator[Run]:
    for draw, data, model, tcf in product(_local_draws(scope), scope.data, scope.models, (0.0, CHOSEN_TCF)):
        for method in WAYS:
            yield Run(data, model, method, CHOSEN_SIZE, tcf, draw, rows=scope.rows.get(data))


def _many_rules(scope: Preset) -> Iterator[Run]:
    for draw, data, model, tcf in product(_local_draws(scope), THREE, scope.models, (0.0, CHOSEN_TCF)):
        if draw in CONFIRMATION and data in scope.data:
            for method in ("default", "anchored", "auto"):
                yield Run(data, model, method, MANY, tcf, draw, rows=scope.rows.get(data))


def _chances(scope: Preset) -> Iterator[Run]:
    for draw, data, model, tcf in product(_local_draws(scope), BINARY, scope.models, (0.0, CHOSEN_TCF)):
        if draw in CONFIRMATION and data in scope.data:
            for method, options in product(("default", *WAYS), ({}, *LOTS.values())):
                if method == "default" or not options:  # the ways know quotas alone
                    rows = scope.rows.get(data)
                    yield Run(data, model, method, CHOSEN_SIZE, tcf, draw, options, rows=rows, confidence=CHANCE)


def _loans(scope: Preset) -> Iterator[Run]:
    for draw in scope.draws_of("loans"):
        for method, options in (("default", {}), ("default", GUARDED["twins"]), ("auto", {}), ("override", {})):
            yield Run(LOANS, FOREST, method, POLICY, TRAINED, draw, options, outside=TRAINED)


def _printed(scope: Preset) -> Iterator[Run]:
    for draw, data, model, evaluate in product(scope.draws_of("printed"), THREE, LINE_AND_TREES, ON):
        if data in scope.data:
            yield _published(scope, data, model, CHOSEN_SIZE, 0.0, draw, evaluate=evaluate)


def _online(scope: Preset) -> Iterator[Run]:
    for draw, data, model, tcf, select in product(
        scope.draws_of("online"), THREE, scope.models, scope.tcfs, ("random", "ip", "online")
    ):
        if data in scope.data:
            yield _published(scope, data, model, CHOSEN_SIZE, tcf, draw, select=select)


def _row_conflicts(scope: Preset) -> Iterator[Run]:
    for draw, data, model, tcf, conflicts in product(
        scope.draws_of("row-conflicts"), THREE, LINE_AND_TREES, scope.tcfs, get_args(Conflicts)
    ):
        if data in scope.data:
            yield _published(scope, data, model, CHOSEN_SIZE, tcf, draw, conflicts=conflicts)
            rows = scope.rows.get(data)
            yield Run(data, model, "default", CHOSEN_SIZE, tcf, draw, rows=rows, conflicts=conflicts)


def _local_draws(scope: Preset) -> list[int]:
    return [draw for draw in scope.draws_of("locality") if draw in (*CHOICE, *CONFIRMATION)]


EXPERIMENTS = {
    one.name: one
    for one in (
        Experiment("benefit", "Benefit of augmentation over tcf (Figure 2 and its appendix twins)", _benefit),
        Experiment("rule-count", "Number of rules (Figure 3 and its appendix twins)", _rule_count),
        Experiment("overlay", "Comparison with Overlay (Table 2 and the appendix)", _overlay),
        Experiment("selection", "Random and integer-program selection (Tables 3 to 5)", _selection),
        Experiment("progress", "Augmentation progress on Adult (appendix)", _progress),
        Experiment("probabilistic", "Probabilistic rules (appendix)", _probabilistic),
        Experiment("k-and-q", "The effect of k and q, which the paper mentions", _k_and_q),
        Experiment("comparison", "The default against the published algorithm (not in the paper)", _comparison),
        Experiment("parts", "What the parts of the default are worth (not in the paper)", _parts),
        Experiment("locality", "Edits by data that leave the rest alone (not in the paper)", _locality),
        Experiment("ways", "Rules put into the model (not in the paper)", _ways),
        Experiment("many-rules", "Ten rules, by data and in the model (not in the paper)", _many_rules),
        Experiment("chances", "Probabilities inside rules that leave something to chance (not in the paper)", _chances),
        Experiment("loans", "The loans and the forest of the demonstration (not in the paper)", _loans),
        Experiment("printed", "The objective as printed, where rules cover no row (not in the paper)", _printed),
        Experiment("online", "Online selection beside random and integer program (appendix)", _online),
        Experiment("row-conflicts", "Rules that may meet where there is no row (not in the paper)", _row_conflicts),
    )
}


def experiment(name: str) -> Experiment:
    """Return the experiment of a name."""
    if name not in EXPERIMENTS:
        raise ExperimentError(f"No experiment {name!r}. {nearest(name, EXPERIMENTS)}")
    return EXPERIMENTS[name]


def all_runs(scope: Preset, names: Iterable[str] = tuple(EXPERIMENTS)) -> list[Run]:
    """Return the runs of some experiments, each once, one draw after the other.

    Examples
    --------
    >>> from frote_experiments.presets import preset
    >>> runs = all_runs(preset("quick"), ["overlay"])
    >>> len(runs), runs[0].data, runs[0].method
    (81, 'breast_cancer', 'published')
    """
    wanted = dict.fromkeys(run for name in names for run in experiment(name).runs(scope))
    return sorted(wanted, key=lambda run: run.draw)  # stable; a run that is cut short has all settings with few draws
