"""All that a report tells, as plain data."""

from __future__ import annotations

import datetime as dt
import hashlib
from typing import TYPE_CHECKING, Any

from frote.coverage.answers import Answers
from frote.coverage.labels import Labels
from frote.estimators.identity import described, versions
from frote.estimators.input import as_frame
from frote.estimators.to_judge import ToJudge
from frote.exceptions import TableError
from frote.generation.possible import in_part
from frote.plain import plain
from frote.report.asked import as_written, asked
from frote.report.done import done
from frote.report.judged import Judged
from frote.report.limits import limits
from frote.report.moved import compared, moved
from frote.report.results import results
from frote.report.verdict import judgement, verdict
from frote.report.words import some_of
from frote.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["VERSION", "gather"]

VERSION = 1
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
    about: Mapping[str, Any] | None = None,
    subgroups: Sequence[str] | None = None,
    seen: str | None = None,
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
        title
            The title; if none was given, the model, the data and the rules by name.
        run
            What was run: `date`, `model` (its name), `data` (name, or None, and rows) and `test` (None without one;
            name; rows judged; `given`, the rows it has; `seen`, those of them that also stand in X, `kept`, whether
            these are judged by, and `recur`, the share of the rows of X that come again in X; `unknown`, the number of
            rows whose label no row of X has, and these labels).
        skipped
            The rules that were left out of the edit, since no row can satisfy them (rule, why).
        in_part
            The rules that name, among others, what no row can have (rule, why).
        verdict
            What came of the edit in a few sentences; see `verdict`.
        judgement
            What the verdict says, as data: for agreement, f1 and objective ``"better"`` or ``"worse"`` if the whole
            interval of the change lies above or below zero, ``"unclear"`` if it does not, ``"same"`` if nothing
            changed, None if it is not defined; `less`, the rules that are followed less than before, the most first;
            `outside`, the rows that no rule covers and that are predicted otherwise, of those looked at.
        on
            ``"test"`` or ``"data"``: the rows that models were judged on.
        scores
            For the model `before`, the model `after` and the hard `override` (the model before, but the rules answer
            where they cover): objective, agreement, f1 (weighted by the rows of the classes), f1_macro, as
            `frote.score` has them.
        asked
            What was asked: `facts` (name, value); `rules` as written (name, words, written, rows, share: what they
            cover of X before conflicts are resolved); `rows` and `covered` of X; `overlaps` (first, second, rows,
            conflict: pairs of rules that cover the same rows, the 60 largest); `conflicts` (sentences); `resolved`;
            `used` (name, words, texts, more: the rules that were not used as they were written, with the pieces they
            were cut into); `gone` (the rules of which resolution left nothing); `impossible` (the names of those in
            `skipped`).
        done
            What was done: `rows` (data, kept, relabelled, dropped, added, result); `rules` (name; covered: rows of X
            that the rule covers as it was used, after conflicts were resolved; attributed: those of them that no rule
            before it covers; relabelled: old, new, rows; dropped: old, rows; added, and of those strong and weak: made
            from covered rows or from others; relaxed: columns whose conditions were left aside to find rows to start
            from); `examples` (rule, covered, columns: name; ruled: whether the rule as used names it; resolved: whether
            the rule as written does not; changed; cells; more: columns left out; rows: role, row, label,
            made_up). The cells of a column are in the order of the rows: made, base, neighbour if any.
        result
            What came of it: `rows`, `covered`, `uncovered` of the rows judged; `draws`; `measures` (measure, and
            before, after, change: value, low, high); `override` (for each measure the signed distance of the model
            after from the hard override); `rules` (name, covered, rows: those of them attributed to it, since no rule
            before it covers them; agreement before, after and of the override on these); `steps` (step, accepted,
            objective, previous, proposed, added, error); `confusion` (covered, labels, before, after: a line for each
            label, a column for each prediction); `calibration` (rows, scores, bins) or None.
        moved
            What else moved: `rows` looked at, `of` how many; `changed`; `parts`, `changes`, `regions` (with words) as
            in `Comparison`; `columns` (column; why its groups are told: asked, named by a rule, or unlike, since most
            unlike shares of its groups changed; or why not: alike, many groups, or one); `subgroups` (column, group,
            words, rows, changed, f1_before, f1_after, classes: label, before, after, shift).
        limits
            What the numbers do not show, in sentences.
        repeat
            How to repeat it: `command`, `seed`, `model`, `settings`, `versions`, `digests`, `files` (name and value).

    Raises
    ------
    TableError
        If the rows do not belong to the editor, or those to judge by lack a column, have labels that are written in
        another way than y, or stand in X for the most part.

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
    table = Table.from_frame(frame, kinds=editor.kinds, levels=editor.levels)
    labels = Labels.of(y, len(table))
    expected = int(editor.ledger_["source"].notna().sum())
    if expected != len(table):
        raise TableError(
            f"X has {len(table):,} rows, and the editor was fitted to {expected:,}. Give it the rows of the fit."
        )
    tested = ToJudge.of(test, table, labels, editor.kinds, seen=seen) if isinstance(test, tuple | list) else test
    rows, own = (frame, y) if tested is None else (tested.frame, tested.y)
    judged = Judged(Table.from_frame(rows), Labels.of(own), editor.rules_)
    models = {"before": before, "after": editor.estimator_}
    answers = {name: Answers.of(model, rows, chances=True) for name, model in models.items()}
    text, given = as_written(editor, facts)
    written = given.bind(table.schema, labels.classes)
    difference = compared(judged, answers, subgroups, written.columns, random_state)
    scores, result_part = results(editor, judged, answers, difference.comparison, bootstrap, random_state)
    summary: dict[str, Any] = {
        "report": VERSION,
        "title": facts.get("title"),
        "run": _run(editor, table, tested, facts),
        "skipped": _missed(editor.skipped_),
        "in_part": _missed({rule: " ".join(said) for rule, said in in_part(given, table).items()}),
        "verdict": "",
        "judgement": {},
        "on": "data" if test is None else "test",
        "scores": scores,
        "asked": asked(editor, table, text, written, facts),
        "done": done(editor, table, written, result),
        "result": result_part,
        "moved": moved(difference, len(judged)),
        "limits": [],
        "repeat": _repeat(editor, table, labels, facts),
    }
    gathered: dict[str, Any] = plain(summary)
    gathered["title"] = gathered["title"] or _title(gathered)
    gathered["judgement"] = judgement(gathered)
    gathered["verdict"] = verdict(gathered)
    gathered["limits"] = limits(gathered)
    return gathered


def _missed(rules: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"rule": rule, "why": why} for rule, why in rules.items()]


def _run(editor: Any, table: Table, tested: ToJudge | None, about: Mapping[str, Any]) -> dict[str, Any]:
    """Tell what was run, and when."""
    model = editor.estimator_
    while hasattr(model, "steps"):  # what a pipeline ends in
        model = model.steps[-1][1]
    return {
        "date": about["date"] if "date" in about else dt.datetime.now().astimezone().date().isoformat(),
        "model": about.get("model") or type(model).__name__,
        "data": {"name": _name_of(about.get("data")), "rows": len(table)},
        "test": None if tested is None else {"name": _name_of(about.get("test")), **tested.facts},
    }


def _name_of(known: Any) -> str | None:
    """Return the name of a file, or of several."""
    names = [one.get("name") if isinstance(one, dict) else one for one in _files(known)]
    return ", ".join(str(name) for name in names if name) or None


def _title(summary: dict[str, Any]) -> str:
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
            {
                "rows (SHA-256)": table.digest(),
                "labels (SHA-256)": hashlib.sha256(
                    "\n".join(labels.texts[code] for code in labels.codes).encode()
                ).hexdigest(),
                "classes": list(labels.texts),
            }
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
