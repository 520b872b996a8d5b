"""All that a report tells, as plain data."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.answers import Answers
from frote.coverage.labels import Labels
from frote.coverage.ruling import Ruling
from frote.estimators.encoded import in_codes
from frote.estimators.identity import described, versions
from frote.estimators.input import as_frame, typed
from frote.estimators.to_judge import ToJudge
from frote.exceptions import TableError
from frote.generation.possible import in_part
from frote.plain import plain
from frote.report.about import About
from frote.report.asked import as_written, asked
from frote.report.cases import tried_cases
from frote.report.composition import composition
from frote.report.contents import VERSION, Report
from frote.report.done import done
from frote.report.judged import Judged
from frote.report.limits import limits
from frote.report.moved import compared, moved
from frote.report.results import results
from frote.report.trade import trade
from frote.report.verdict import judgement, verdict
from frote.report.words import some_of
from frote.table import TypedFrame

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from frote.coverage.cases import Cases
    from frote.report.contents import Fact, MissedRule, RepeatPart, RunPart, TestRows
    from frote.table import Table

__all__ = ["gather"]

NAMES = 2  # of rules in the title, at most; the others are counted

# Settings that say nothing of the result, or are told elsewhere.
ASIDE = {"estimator", "rules", "random_state", "n_jobs", "callbacks", "progress", "checkpoint"}


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
    scores, by_population, result_part = results(
        editor, judged, answers, difference.comparison, bootstrap, random_state, population
    )
    judge_by = {"protected": protected, "favourable": favourable, "threshold": threshold, "cost": cost}
    numbers, fairness = trade(judged, answers, written, judge_by, bootstrap, random_state)
    result_part, moved_part = plain(result_part), plain(moved(difference, len(judged)))
    summary: Report = plain(
        Report(
            report=VERSION,
            title=facts.title or "",
            run=_run(editor, table, tested, result, facts),
            how=getattr(editor, "how_", "data"),
            unedited=editor.unedited_,
            skipped=_missed(editor.skipped_),
            in_part=_missed({rule: " ".join(said) for rule, said in in_part(given, table).items()}),
            verdict="",
            judgement=judgement(result_part, moved_part),
            on="data" if test is None else "test",
            scores=scores,
            population=by_population,
            asked=asked(editor, table, text, written, facts),
            composition=composition(table, editor.ledger_),
            done=done(editor, table, written, result),
            result=result_part,
            numbers=numbers,
            fairness=fairness,
            moved=moved_part,
            cases=tried_cases(cases, editor.rules_, before, editor.estimator_),
            limits=[],
            repeat=_repeat(editor, table, labels, facts),
        )
    )
    summary["title"] = summary["title"] or _title(summary)
    summary["verdict"] = verdict(summary)
    summary["limits"] = limits(summary)
    return summary


def _missed(rules: Mapping[str, str]) -> list[MissedRule]:
    return [{"rule": rule, "why": why} for rule, why in rules.items()]


def _run(editor: Any, table: Table, tested: ToJudge | None, result: tuple[Any, Any] | None, about: About) -> RunPart:
    """Tell what was run, and when."""
    model = editor.estimator_
    while hasattr(model, "steps"):  # what a pipeline ends in
        model = model.steps[-1][1]
    return {
        "date": about.date,
        "model": about.model or type(model).__name__,
        "data": {"name": _name_of(about.data), "rows": len(table)},
        "test": None if tested is None else _tested(tested, _made(editor, table, result), _name_of(about.test)),
    }


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


def _name_of(facts: Any) -> str | None:
    """Return the name of a file, or of several."""
    names = [one.get("name") if isinstance(one, dict) else one for one in _files(facts)]
    return ", ".join(str(name) for name in names if name) or None


def _title(summary: Report) -> str:
    """Return a title that tells this edit from others."""
    run, asked = summary["run"], summary["asked"]
    unused = {*asked["impossible"], *asked["gone"]}
    rules = [f"“{rule['name']}”" for rule in asked["rules"] if rule["name"] not in unused]
    on = f" on {run['data']['name']}" if run["data"]["name"] else ""
    return (
        f"{run['model']}{on}, edited by {some_of(rules, NAMES, 'rule')}"
        if rules
        else f"{run['model']}{on}, trained again"
    )


def _repeat(editor: Any, table: Table, labels: Labels, about: About) -> RepeatPart:
    """Tell what makes the run what it is."""
    settings = {name: value for name, value in editor.get_params(deep=False).items() if name not in ASIDE}
    used_versions = about.versions or versions(editor.estimator_)
    return {
        "command": about.repeat,
        "seed": described(editor.random_state),
        "model": described(editor.estimator_),
        "settings": _listed({name: described(value) for name, value in settings.items()}),
        "versions": _listed(used_versions),
        "digests": _listed(
            {
                "rows (SHA-256)": table.digest(),
                "labels (SHA-256)": hashlib.sha256(
                    "\n".join(labels.texts[code] for code in labels.codes).encode()
                ).hexdigest(),
                "classes": list(labels.texts),
            }
        ),
        "files": [
            {"name": name, "value": value}
            for name, facts in (("data", about.data), ("test", about.test))
            for value in _files(facts)
        ],
    }


def _files(facts: Any) -> list[Any]:
    """Return what is known of one file or of several."""
    if facts is None:
        return []
    return list(facts) if isinstance(facts, list | tuple) else [facts]


def _listed(facts: Any) -> list[Fact]:
    return [{"name": name, "value": value} for name, value in dict(facts).items()]
