"""All that a report tells, as plain data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.labels import Labels
from frote.estimators.identity import described, versions
from frote.estimators.input import as_frame
from frote.exceptions import TableError
from frote.report.asked import asked
from frote.report.done import done
from frote.report.judged import Answers, Judged
from frote.report.limits import limits, verdict
from frote.report.moved import compared, moved
from frote.report.results import results
from frote.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["VERSION", "gather"]

VERSION = 1
TITLE = "What the edit did to the model"

# Settings that say nothing of the result, or are told elsewhere.
ASIDE = {"estimator", "rules", "random_state", "n_jobs", "callbacks", "progress", "checkpoint"}


def gather(
    editor: Any,
    before: Any,
    X: Any,
    y: Any,
    *,
    test: tuple[Any, Any] | None = None,
    result: tuple[Any, Any] | None = None,
    about: Mapping[str, Any] | None = None,
    subgroups: Sequence[str] | None = None,
    bootstrap: int = 200,
    random_state: int = 0,
) -> dict[str, Any]:
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
        Rows that no model was trained on, to judge them by; None takes X and y, and the report says so.

    result : (X_new, y_new), default=None
        What `fit_resample` returned; examples of synthetic rows are shown from it, and none without it.

    about : dict, default=None
        Facts that the editor does not know: `title`; `rules`, the text of the rules as written; `resolved`, how
        conflicts were resolved; `conflicts`, those found before that, as text; `data` and `test`, what is known of
        the files; `repeat`, a command; `versions`. Any other, such as owner, approver and effective date, is listed.

    subgroups : sequence of str, default=None
        Columns to look into group by group; None takes those in whose groups most unlike shares of rows changed.

    bootstrap : int, default=200
        How many resamples the intervals are made from.

    random_state : int, default=0
        Where the chance of the resamples comes from.

    Returns
    -------
    dict
        The report. Numbers that are not defined are None; shares are from 0 to 1; rows are counts.

        report
            The version of this layout, 1.
        title, verdict
            The title, and what came of the edit in a sentence or two.
        on
            ``"test"`` or ``"data"``: the rows that models were judged on.
        scores
            For the model `before`, the model `after` and the hard `override` (the model before, but the rules answer
            where they cover): objective, agreement, f1, f1_macro, as `frote.score` has them.
        asked
            What was asked: `facts` (name, value); `rules` as written (name, words, written, rows, share: what
            they cover of X); `rows` and `covered` of X; `overlaps` (first, second, rows, conflict: pairs of rules that
            cover the same rows, the 60 largest); `conflicts` (sentences); `resolved`; `used` (name, words, texts, more:
            the rules that were not used as they were written, with the pieces they were cut into); `gone` (the rules of
            which resolution left nothing); `impossible` (the rules that no row can satisfy).
        done
            What was done: `rows` (data, kept, relabelled, dropped, added, result); `rules` (name, covered, attributed,
            relabelled: old, new, rows; dropped: old, rows; added, and of those strong and weak: made from covered
            rows or from others; relaxed: columns whose conditions were left aside to find rows to start from);
            `examples` (rule, covered, columns: name, ruled, changed, cells; more: columns left out; rows: role,
            row, label, made_up). The cells of a column are in the order of the rows: made, base, neighbour if any.
        result
            What came of it: `rows`, `covered`, `uncovered` of the rows judged; `draws`; `measures` (measure, and
            before, after, change: value, low, high); `override` (for each measure the signed distance of the model
            after from the hard override); `rules` (name, covered, rows: those attributed to it, agreement before, after
            and of the override); `steps`
            (step, accepted, objective, previous, proposed, added, error); `confusion` (covered, labels, before, after:
            a line for each label, a column for each prediction); `calibration` (rows, scores, bins) or None.
        moved
            What else moved: `rows` looked at, `of` how many; `changed`; `parts`, `changes`, `regions` (with words)
            as in `Comparison`; `subgroups` (column, group, words, rows, changed, f1_before, f1_after, classes: label,
            before, after, shift).
        limits
            What the numbers do not show, in sentences.
        repeat
            How to repeat it: `command`, `seed`, `model`, `settings`, `versions`, `digests`, `files` (name and value).

    Raises
    ------
    TableError
        If the rows do not belong to the editor.

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
    facts = dict(about or {})
    frame = as_frame(X)
    table = Table.from_frame(frame, kinds=editor.kinds)
    labels = Labels.of(y, len(table))
    expected = int(editor.ledger_["source"].notna().sum())
    if expected != len(table):
        raise TableError(
            f"X has {len(table):,} rows, and the editor was fitted to {expected:,}. Give it the rows of the fit."
        )
    judged = Judged.of(*((frame, y) if test is None else test), editor.rules_)
    answers = {
        "before": Answers.of(before, judged.frame),
        "after": Answers.of(editor.estimator_, judged.frame),
    }
    comparison = compared(judged, answers, subgroups, random_state)
    scores, result_part = results(
        editor, judged, {name: one.at() for name, one in answers.items()}, comparison, bootstrap, random_state
    )
    summary: dict[str, Any] = {
        "report": VERSION,
        "title": facts.get("title") or TITLE,
        "verdict": "",
        "on": "data" if test is None else "test",
        "scores": scores,
        "asked": asked(editor, table, labels, facts),
        "done": done(editor, table, result),
        "result": result_part,
        "moved": moved(comparison, len(judged)),
        "limits": [],
        "repeat": _repeat(editor, table, labels, facts),
    }
    summary["verdict"] = verdict(summary, all(outcome.is_deterministic for outcome in judged.outcomes()))
    summary["limits"] = limits(summary)
    plain: dict[str, Any] = _plain(summary)
    return plain


def _repeat(editor: Any, table: Table, labels: Labels, about: Mapping[str, Any]) -> dict[str, Any]:
    """Tell what makes the run what it is."""
    settings = {name: value for name, value in editor.get_params(deep=False).items() if name not in ASIDE}
    known = about.get("versions") or versions(editor.estimator_)
    return {
        "command": about.get("repeat"),
        "seed": described(editor.random_state),
        "model": described(editor.estimator_),
        "settings": _listed({name: described(value) for name, value in settings.items()}),
        "versions": _listed(known),
        "digests": _listed(
            {"rows (SHA-256)": table.digest(), "labels": described(labels.codes), "classes": list(labels.texts)}
        ),
        "files": [{"name": name, "value": value} for name in ("data", "test") for value in _files(about.get(name))],
    }


def _files(known: Any) -> list[Any]:
    """Return what is known of one file or of several."""
    if known is None:
        return []
    return list(known) if isinstance(known, list | tuple) else [known]


def _listed(facts: Any) -> list[dict[str, Any]]:
    return [{"name": name, "value": value} for name, value in dict(facts).items()]


def _plain(value: Any) -> Any:
    """Return a value as JSON can hold it: no NaN, no infinity, no tuple, and text for anything it does not know."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, dict):
        return {str(name): _plain(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(held) for held in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)
