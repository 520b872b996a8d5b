"""All that a report tells, as plain data."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.answers import Answers
from frote.coverage.labels import Labels
from frote.coverage.ruling import Ruling
from frote.estimators.encoded import in_codes
from frote.estimators.input import as_frame, typed
from frote.estimators.to_judge import ToJudge
from frote.exceptions import TableError
from frote.generation.possible import in_part
from frote.report.about import About
from frote.report.asked import Coverage, as_written, asked
from frote.report.assembled import assembled, name_of, run_of
from frote.report.cases import tried_cases
from frote.report.composition import composition, seen_in
from frote.report.done import Support, done, examples_in
from frote.report.judged import Judged
from frote.report.lines import lines_in
from frote.report.moved import compared, moved
from frote.report.results import results
from frote.report.seeds import other_seeds
from frote.report.tallied import Tallied
from frote.report.trade import trade
from frote.table import TypedFrame

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from frote.coverage.cases import Cases
    from frote.estimators.stability import StabilityReport
    from frote.report.contents import Report, RunPart, TestRows
    from frote.table import Table

__all__ = ["gather"]


def gather(
    editor: Any,
    before: Any,
    X: Any,
    y: Any,
    *,
    test: tuple[Any, Any] | ToJudge | None = None,
    result: tuple[Any, Any] | None = None,
    about: Mapping[str, Any] | About | None = None,
    subgroups: Sequence[str] | None = None,
    seen: str | None = None,
    cases: Cases | None = None,
    protected: Iterable[str] | str = (),
    favourable: Any = None,
    threshold: float | None = None,
    cost: Mapping[Any, Mapping[Any, float]] | None = None,
    seeds: StabilityReport | None = None,
    bootstrap: int = 200,
    random_state: int = 0,
) -> Report:
    """Gather all that a report tells, as plain data that JSON can hold.

    Parameters
    ----------
    editor : FROTE or FROTEClassifier
        The editor, fitted.

    before : classifier
        The model fitted to X and y without any edit.

    X : pandas or polars DataFrame, or array
        The rows that the editor was fitted to.

    y : array-like
        Their labels.

    test : (X_test, y_test), default=None
        Rows to judge the models by, with the columns of X in any order, beside others if
        there are such; None takes X and y, and the report says so.

    result : (X_new, y_new), default=None
        What `fit_resample` returned; examples of synthetic rows are shown from it, and none without it.

    about : dict, default=None
        Facts that the editor does not know: `title`; `date`, of the run (today if it is not given; None leaves it
        out); `model`, its name; `rules`, the rules as written, as text or ``WrittenRules``; `resolved`, how conflicts
        were resolved; `conflicts`, those found before that, as text; `data` and `test`, what is known of the files, as
        a text or with a `name`; `repeat`, a command; `versions`. Any other, such as owner, approver and effective
        date, is listed.

    subgroups : sequence of str, default=None
        Columns to look into group by group; None takes those that the rules name, and those in whose groups most
        unlike shares of rows changed.

    seen : {"drop", "keep"} or None, default=None
        What to do with rows to judge by that also stand in X, whatever their label: leave them out, or judge by them
        too. None leaves them out, unless they are no more than chance gives in data whose own rows recur, and is an
        error where they are more than half of the rows. The verdict says first how many there are.

    cases : Cases, default=None
        Cases that both models are tried by.

    protected, favourable, threshold, cost : default=() and None
        What is protected, the label that people hope for, the threshold on its probability, and what predictions cost,
        as for `compare_models`.

    seeds : StabilityReport, default=None
        What came of the same edit with other seeds.

    bootstrap : int, default=200
        How many resamples the intervals are made from.

    random_state : int, default=0
        Where the chance of the resamples comes from.

    Returns
    -------
    Report
        A dict, whose parts are described in ``frote.report.contents``. Numbers that are not defined are None; shares
        are from 0 to 1; rows are counts.

    Raises
    ------
    TableError
        If the rows do not belong to the editor, or those to judge by lack a column, have labels that are written in
        another way than y, or stand in X for the most part; or if what to judge by does not fit them.

    Examples
    --------
    >>> import frote
    >>> from frote.report import gather
    >>> loans = frote.datasets.load_loans(500)
    >>> before = frote.default_pipeline().fit(loans.X, loans.y)
    >>> editor = frote.FROTE(rules="young: IF age < 29 AND defaults = 0 THEN approved", max_fits=2, random_state=0)
    >>> result = editor.fit_resample(loans.X, loans.y)
    >>> summary = gather(editor, before, loans.X, loans.y, result=result)
    >>> summary["asked"]["rules"][0]["words"]
    'If age is below 29 and defaults is 0, then approved.'
    >>> summary["done"]["rules"][0]["relabelled"]
    [{'old': 'denied', 'new': 'approved', 'rows': 57}]
    """
    facts = About.of(about)
    data = typed(X, kinds=editor.kinds, levels=editor.levels)
    table = data.table
    labels = Labels.of(y, len(table))
    expected = int(editor.ledger_["source"].notna().sum())
    if expected != len(table):
        raise TableError(
            f"X has {len(table):,} rows, and the editor was fitted to {expected:,}. Give it the rows of the fit."
        )
    tested = ToJudge.of(test, table, labels, seen=seen) if isinstance(test, tuple | list) else test
    rows, own = (data, labels) if tested is None else (tested.rows, tested.labels)
    judged = Judged(rows.table, own, editor.rules_)
    models = {"before": before, "after": editor.estimator_}
    answers = {name: Answers.of(model, rows, chances=True) for name, model in models.items()}
    text, given = as_written(editor, facts)
    written = in_codes(given, editor.labels, labels.classes).bind(table.schema, labels.classes)
    difference = compared(judged, answers, subgroups, written.columns, random_state)
    population = None if tested is None else Ruling.of(editor.rules_).on(table).share
    tallied = Tallied.of(judged, answers, population)
    scores, by_population, result_part = results(
        editor, tallied, difference.comparison, bootstrap, random_state, population
    )
    judge_by = {"protected": protected, "favourable": favourable, "threshold": threshold, "cost": cost}
    numbers, fairness = trade(judged, answers, written, judge_by, bootstrap, random_state)
    run, lines = _run(editor, table, tested, result, facts), lines_in(editor.ledger_)
    shown = [] if result is None else examples_in(editor.ledger_, editor.rules_, written, table.frame_format, *result)
    return assembled(
        editor,
        facts,
        in_part(given, table),
        {"rows (SHA-256)": table.digest(), "labels (SHA-256)": _digest(labels), "classes": list(labels.texts)},
        run=run,
        on="data" if test is None else "test",
        scores=scores,
        population=by_population,
        asked=asked(editor, table, Coverage.of(written, table), text, written, facts),
        composition=composition(seen_in(table), lines),
        done=done(editor.rules_, Support.of(editor, table), lines, editor.ledger_, shown),
        result=result_part,
        numbers=numbers,
        fairness=fairness,
        moved=moved(difference, len(judged)),
        cases=tried_cases(cases, editor.rules_, before, editor.estimator_),
        seeds=other_seeds(seeds),
    )


def _digest(labels: Labels) -> str:
    return hashlib.sha256("\n".join(labels.texts[code] for code in labels.codes).encode()).hexdigest()


def _run(editor: Any, table: Table, tested: ToJudge | None, result: tuple[Any, Any] | None, about: About) -> RunPart:
    """Tell what was run, and when."""
    name = name_of(about.test)
    test = None if tested is None else _tested(tested, _made(editor, table, result), name)
    return run_of(editor, about, len(table), test)


def _made(editor: Any, table: Table, result: tuple[Any, Any] | None) -> Table | None:
    """Return the rows that were made and trained on; None if they are not known."""
    if result is None:
        return None
    ledger = editor.ledger_
    rows = ledger["row"][ledger["source"].isna()].to_numpy(dtype=np.intp)
    made: Table = TypedFrame.like(as_frame(table.frame_format.take(result[0], rows)), table.schema).table
    return made


def _tested(tested: ToJudge, made: Table | None, name: str | None) -> TestRows:
    """Tell of the table to judge on."""
    told: TestRows = {
        "name": name,
        "rows": len(tested.rows),
        "given": tested.given,
        "seen": tested.seen,
        "recur": tested.recur,
        "kept": tested.kept,
        "unknown": {"rows": tested.unknown.rows, "labels": list(tested.unknown.texts)},
    }
    return told if made is None else {**told, "made": tested.among(made)}
