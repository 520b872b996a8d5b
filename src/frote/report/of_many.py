"""The report of an edit whose rows no memory holds: counts are of all of them, what needs rows of some drawn ones."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.coverage.answers import Answers
from frote.coverage.f1 import f1_from_counts
from frote.coverage.labels import Labels
from frote.coverage.measures import scored_by_counts
from frote.coverage.population import populations
from frote.coverage.ruling import Ruling
from frote.coverage.tally import agreed_on_mean
from frote.dask.checking import conflicts_lazily
from frote.dask.judging import judged_lazily
from frote.estimators.scoring import ScoreReport
from frote.generation.possible import in_part
from frote.report.asked import Coverage, as_written, asked
from frote.report.assembled import assembled, run_of
from frote.report.bootstrap import Cells
from frote.report.composition import composition
from frote.report.contents import MODEL_NAMES
from frote.report.done import Support, done
from frote.report.judged import Judged
from frote.report.moved import compared, moved
from frote.report.results import results
from frote.report.tallied import Tallied
from frote.report.trade import trade
from frote.table import TypedFrame

if TYPE_CHECKING:
    from collections.abc import Mapping

    from frote.dask.decided import Decided
    from frote.dask.judging import Judged as JudgedLazily
    from frote.report.about import About
    from frote.report.contents import Report, SampledPart
    from frote.report.lines import Lines

__all__ = ["gather_lazily"]

LOOKED_AT = 100_000  # rows that the numbers of users are of, at most
DRAWS = 200
DIGEST = "rows and labels, however cut into files (SHA-256)"


def gather_lazily(
    editor: Any,
    decided: Decided,
    before: Any,
    lines: Lines,
    about: About,
    digest: str,
    *,
    trained: str,
    judge_by: Mapping[str, Any],
) -> tuple[Report, TypedFrame]:
    """Gather all that a report tells of an edit of a Dask frame; see `frote.report.gather`.

    Parameters
    ----------
    editor : FROTE
        The editor after its run.

    decided : Decided
        What the edit was decided on.

    before : classifier
        The model without any edit, of one machine.

    lines : Lines
        The lines of the ledger, counted.

    about : About
        Facts that the editor does not know.

    digest : str
        The digest of the data.

    trained : {"sample", "all"}
        What models were trained on.

    judge_by : mapping
        What is protected, the favourable label, the threshold and the costs, as for `compare_models`.

    Returns
    -------
    report : Report
    looked_at : TypedFrame
        The rows, drawn from all, that the numbers of users are of.
    """
    rows, after = decided.rows, editor.estimator_
    witness, labels = rows.survey.witness, rows.known_labels
    text, given = as_written(editor, about)
    written = given.bind(witness.schema, labels.classes)
    told = judged_lazily(rows, before, after, editor.rules_, written, LOOKED_AT)
    shown = TypedFrame(rows.survey.typed(told.frame), told.frame)
    judged = Judged(shown.table, Labels(told.drawn, labels.classes), editor.rules_)
    answers = {name: Answers.of(model, shown, chances=True) for name, model in (("before", before), ("after", after))}
    difference = compared(judged, answers, None, written.columns, 0)
    tallied = _tallied(told, Ruling.of(editor.rules_, labels.texts))
    scores, population, result_part = results(editor, tallied, difference.comparison, DRAWS, 0, None)
    numbers, fairness = trade(judged, answers, written, judge_by, DRAWS, 0)
    coverage = Coverage(len(rows), told.covered, told.both, conflicts_lazily(written, rows.X, rows))
    report = assembled(
        editor,
        about,
        in_part(given, witness),
        {DIGEST: digest, "classes": list(labels.texts)},
        run=run_of(editor, about, len(rows), None),
        on="data",
        scores=scores,
        population=population,
        asked=asked(editor, witness, coverage, text, written, about),
        composition=composition(((column, rows.survey.seen[column.name]) for column in witness.schema), lines),
        done=done(editor.rules_, _support(editor, decided, told, tallied), lines, decided.made, []),
        result=result_part,
        numbers=numbers,
        fairness=fairness,
        moved=moved(difference, len(rows)),
        cases=None,
        seeds=None,
        sampled=_sampled(decided, trained, len(judged)),
    )
    return report, shown


def _sampled(decided: Decided, trained: Any, looked_at: int) -> SampledPart:
    start = decided.last.start
    assert start is not None  # only edits by data are decided so
    strata = decided.strata.frame
    return {
        "rows": len(decided.rows),
        "brought": decided.brought,
        "strata": [
            {"name": str(name), "rows": rows, "taken": taken}
            for name, rows, taken in zip(strata.index, strata["rows"].tolist(), strata["taken"].tolist(), strict=True)
        ],
        "trained": trained,
        "weight": start.modified.making.weight,
        "looked_at": looked_at,
    }


def _tallied(told: JudgedLazily, ruling: Ruling) -> Tallied:
    """Return the counts as those of rows in memory are."""
    counts = told.counts
    cells = Cells(counts.astype(np.intp), told.owner >= 0, told.own.astype(np.intp), told.codes, told.agreed)
    reports: dict[str, ScoreReport] = {name: _scored(told, ruling, name) for name in MODEL_NAMES}
    return Tallied(cells, reports, told.labels.texts, told.texts, told.support)


def _scored(told: JudgedLazily, ruling: Ruling, model: str) -> ScoreReport:
    """Score a model as `frote.score` does, by counts of labels and predictions."""
    texts, codes = told.texts[model], told.codes[model]
    classes = len(texts)
    confusion = np.zeros((len(ruling.outcomes) + 1, classes + 1, classes + 1), dtype=np.int64)
    np.add.at(confusion, (told.owner, told.own, codes), told.counts)  # the last place is for none
    inside, outside = confusion[:-1], confusion[-1]
    agreed = [agreed_on_mean(outcome, one, texts) for outcome, one in zip(ruling.outcomes, inside, strict=True)]
    covered, beyond = inside.sum(axis=(1, 2)).tolist(), int(outside.sum())
    f1, f1_macro = (f1_from_counts(outside, how) if beyond else math.nan for how in ("weighted", "macro"))
    scores = scored_by_counts(agreed, covered, beyond, f1)
    per_rule = pd.DataFrame({"agreement": agreed, "rows": covered}, index=pd.Index(ruling.names, name="rule"))
    return ScoreReport(
        scores.objective, scores.agreement, scores.outside, f1_macro, per_rule, sum(covered), scores.uncovered
    )


def _support(editor: Any, decided: Decided, told: JudgedLazily, tallied: Tallied) -> Support:
    """Say what rules cover of all rows, and what rows were made from of those that were brought to one place."""
    start = decided.last.start
    assert start is not None  # only edits by data are decided so
    modified, ruling = start.modified, start.modified.attribution.ruling
    stayed = start.given.rows.table.take(np.flatnonzero(modified.kept))
    attributed = tallied.reports["after"].rules["rows"].tolist()
    return Support(told.support, attributed, populations(ruling.on(stayed), editor.k + 1))
