"""What came of it: scores with intervals, steps, confusion matrices, calibration, and the hard override beside it."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from frote.coverage.ruling import Ruling
from frote.judging.interval import interval
from frote.report.contents import MODEL_NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from frote.compare.comparison import Comparison
    from frote.estimators.scoring import ScoreReport
    from frote.report.bootstrap import Cells
    from frote.report.contents import (
        Calibration,
        Confusion,
        Distances,
        Frontier,
        FrontierPoint,
        JudgedRule,
        Measure,
        MeasureName,
        ModelScores,
        Number,
        PopulationPart,
        ResultPart,
        StepLine,
    )
    from frote.report.tallied import Tallied

    Numbers: TypeAlias = Mapping[str, Mapping[str, float]]
    Draws: TypeAlias = Mapping[str, Mapping[str, NDArray[np.float64]]]

__all__ = ["MEASURES", "results"]

MEASURES: tuple[MeasureName, ...] = ("agreement", "f1", "f1_macro", "objective")
UNEVEN = 1.5  # how many times an even share of the rows the largest class has, for macro F1 to be shown unasked
CLASSES = 12  # of a confusion matrix, at most; the rarer ones are put together


def results(
    editor: Any, tallied: Tallied, comparison: Comparison, draws: int, seed: int, population: float | None
) -> tuple[ModelScores, PopulationPart | None, ResultPart]:
    """Tell what came of it; see `frote.report.gather`.

    Parameters
    ----------
    editor : FROTE
        The editor.

    tallied : Tallied
        What the models said of the rows judged.

    comparison : Comparison
        Of the models before and after.

    draws, seed : int
        How many resamples, and where their chance comes from.

    population : float or None
        The share of the data that the rules cover; None if these are the rows judged.

    Returns
    -------
    scores, population, result : ModelScores, PopulationPart or None, and ResultPart
        The parts of the report of these names.
    """
    cells, reports = tallied.cells, tallied.reports
    counts = cells.draw(draws, seed)
    drawn: Draws = {name: cells.scores(counts, name) for name in MODEL_NAMES}
    scores: dict[str, dict[str, float]] = {
        name: {measure: getattr(report, measure) for measure in MEASURES} for name, report in reports.items()
    }
    after = reports["after"]
    model_scores: Any = scores  # a key for each of MODEL_NAMES
    return (
        model_scores,
        _by_population(reports, population),
        {
            "leading": "f1_macro" if editor.scoring == "f1_macro" else "f1",
            "uneven": _uneven(cells),
            "rows": tallied.rows,
            "covered": after.covered,
            "uncovered": after.uncovered,
            "draws": draws,
            "measures": [_measure(measure, scores, drawn) for measure in MEASURES],
            "override": _distances(scores, drawn),
            "rules": _per_rule(editor, reports, tallied.support),
            "steps": _steps(editor),
            "frontier": _frontier(editor, tallied.labels),
            "confusion": _confusion(tallied),
            "calibration": _calibration(comparison),
        },
    )


def _by_population(reports: Mapping[str, ScoreReport], share: float | None) -> PopulationPart | None:
    if share is None:
        return None
    before, after, hard = (reports[name].objective_by_population for name in MODEL_NAMES)
    return {"share": share, "before": before, "after": after, "override": hard}


def _uneven(cells: Cells) -> bool:
    """Tell whether classes are of unlike size outside the rules."""
    counts = _by_class(cells, ~cells.covered)
    seen = counts[counts > 0]
    return bool(len(seen) > 1 and seen.max() * len(seen) >= UNEVEN * seen.sum())


def _distances(scores: Numbers, drawn: Draws) -> Distances:
    """Tell how far the model after is from the hard override."""
    agreement, f1, f1_macro, objective = (
        _number(
            scores["after"][measure] - scores["override"][measure],
            drawn["after"][measure] - drawn["override"][measure],
        )
        for measure in MEASURES
    )
    return {"agreement": agreement, "f1": f1, "f1_macro": f1_macro, "objective": objective}


def _number(value: float, drawn: NDArray[np.float64]) -> Number:
    span = interval(drawn) or (None, None)
    return {"value": value, "low": span[0], "high": span[1]}


def _measure(measure: MeasureName, scores: Numbers, drawn: Draws) -> Measure:
    change = scores["after"][measure] - scores["before"][measure]
    return {
        "measure": measure,
        "before": _number(scores["before"][measure], drawn["before"][measure]),
        "after": _number(scores["after"][measure], drawn["after"][measure]),
        # Both models are judged on the same resample, so what they have in common does not blur their difference.
        "change": _number(change, drawn["after"][measure] - drawn["before"][measure]),
    }


def _per_rule(editor: Any, reports: Mapping[str, ScoreReport], covered: tuple[int, ...]) -> list[JudgedRule]:
    agreements = [reports[model].rules["agreement"].tolist() for model in MODEL_NAMES]
    after = reports["after"].rules
    lines = zip(after.index.tolist(), covered, after["rows"].tolist(), *agreements, strict=True)
    judged_rules: list[JudgedRule] = []
    for name, some, rows, first, second, hard in lines:
        line: JudgedRule = {
            "name": name,
            "covered": some,
            "rows": rows,
            "before": first,
            "after": second,
            "override": hard,
        }
        probed = None if some else _on_probes(editor, name)
        judged_rules.append(line if probed is None else {**line, "probes": probed})
    return judged_rules


def _on_probes(editor: Any, rule: str) -> float | None:
    """Return how far the model after agreed with a rule on probes; None if it was not measured on such."""
    by_probes = editor.evaluate == "probes" if isinstance(editor.evaluate, str) else isinstance(editor.evaluate, Real)
    if not by_probes or getattr(editor, "how", "data") != "data" or editor.unedited_ or editor.picked_ == -1:
        return None
    history = editor.history_
    steps = history["step"] == editor.picked_ if editor.picked_ is not None else history["accepted"]
    agreement = float(history.loc[steps, f"agreement: {rule}"].iloc[-1])
    return None if math.isnan(agreement) else agreement


def _steps(editor: Any) -> list[StepLine]:
    wanted = ["step", "accepted", "objective", "agreement", "loss", "previous", "proposed", "added", "error"]
    lines: list[StepLine] = editor.history_[wanted].to_dict("records")
    return lines


def _frontier(editor: Any, classes: tuple[str, ...]) -> Frontier:
    points: list[FrontierPoint] = editor.frontier_[["step", "agreement", "loss"]].to_dict("records")
    best = Ruling.of(editor.rules_, classes).most_agreement
    return {"most": sum(best) / len(best) if best else 1.0, "picked": editor.picked_, "points": points}


def _by_class(cells: Cells, which: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Count the rows of some cells that have each label."""
    counts = np.zeros(int(cells.own.max(initial=-1)) + 1, dtype=np.intp)
    np.add.at(counts, cells.own[which], cells.counts[which])
    return counts


def _confusion(tallied: Tallied) -> list[Confusion]:
    """Count labels against predictions, outside the rules and inside them; the rarer classes are put together."""
    cells, texts = tallied.cells, {name: tallied.texts[name] for name in ("before", "after")}
    rows = _by_class(cells, np.ones(len(cells.counts), dtype=bool))
    ranked = sorted(range(len(rows)), key=lambda code: -rows[code])
    every = list(dict.fromkeys((*tallied.labels, *texts["before"], *texts["after"])))
    kept = every
    if len(every) > CLASSES:
        frequent = {every[code] for code in ranked[: CLASSES - 1]}
        kept = [text for text in every if text in frequent]
    position_of = {text: position for position, text in enumerate(kept)}
    shown = kept if len(kept) == len(every) else [*kept, "others"]
    tables_by_part: list[Confusion] = []
    for part in (False, True):
        mine = cells.covered == part
        if not mine.any():
            continue
        tables = {}
        for name, own_texts in texts.items():
            # The last place is for what is predicted and no class of anyone's.
            codes = np.array([*(position_of.get(text, len(kept)) for text in own_texts), len(kept)], dtype=np.intp)
            table = np.zeros((len(shown) + 1, len(shown) + 1), dtype=np.intp)
            np.add.at(table, (codes[cells.own[mine]], codes[cells.codes[name][mine]]), cells.counts[mine])
            tables[name] = table[: len(shown), : len(shown)].tolist()
        tables_by_part.append({"covered": part, "labels": shown, "before": tables["before"], "after": tables["after"]})
    return tables_by_part


def _calibration(comparison: Comparison) -> Calibration | None:
    plain = comparison.to_dict()
    if not plain["reliability"]:
        return None
    measures = ("brier", "log_loss", "calibration_error")
    return {
        "rows": comparison.rows,
        "scores": [line for line in plain["scores"] if line["measure"] in measures],
        "bins": plain["reliability"],
    }
