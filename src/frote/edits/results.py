"""What came of an edit when all training is done: judged, written into a folder, and recorded."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.edits.ours import STEPS, digests_of
from frote.edits.record import FORMAT, digest_of, root_of, write_json
from frote.edits.saved_models import save_model
from frote.estimators.identity import versions
from frote.plain import plain
from frote.report import gather, write_report
from frote.report.about import About

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from frote.coverage.cases import Cases
    from frote.edits.order import Order
    from frote.edits.record import Outputs, Record, TestFacts
    from frote.edits.tables import LabelledTable
    from frote.estimators.classifier import FROTEClassifier
    from frote.estimators.sampler import FROTE
    from frote.estimators.to_judge import ToJudge
    from frote.files import FileForm
    from frote.report.contents import Report, TestRows
    from frote.rules import RuleSet
    from frote.table import TypedFrame

__all__ = ["Trained", "digest_of_predictions", "judge", "make_record", "require_writable", "write_files"]


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """What there is when all training is done.

    Parameters
    ----------
    order : Order
        What was asked for.

    table, test_table : LabelledTable
        The table that was trained on, and one to judge on, if there is one.

    judged_on : ToJudge or None
        The rows of the latter.

    before : classifier
        The model without any edit.

    editor : FROTE or FROTEClassifier
        The editor after its run, with the edited model, history and ledger.

    result : tuple
        The data that it made, and their labels.

    run_record : Path or None, default=None
        The record of the finished run that a step of it was taken from; None if the run was made here.

    cases : Cases or None, default=None
        What the model is tried by.
    """

    order: Order
    table: LabelledTable
    test_table: LabelledTable | None
    judged_on: ToJudge | None
    before: Any
    editor: FROTE | FROTEClassifier
    result: tuple[pd.DataFrame, Any]
    run_record: Path | None = None
    cases: Cases | None = None


def judge(trained: Trained, repeat: str) -> Report:
    """Judge what was trained, as data; `repeat` is the command that repeats the edit."""
    order, editor, table, test_table = trained.order, trained.editor, trained.table, trained.test_table
    about = replace(
        About.of(order.about),
        model=order.model,
        rules=order.rules,
        resolved=order.resolve,
        data=table.described,
        test=None if test_table is None else test_table.described,
        repeat=repeat,
        versions=versions(editor.estimator),
    )
    return gather(
        editor,
        trained.before,
        table.rows,
        table.y,
        test=trained.judged_on,
        result=trained.result,
        about=about,
        cases=trained.cases,
        **order.judge_by,
    )


def write_files(trained: Trained, report: Report, folder: Path) -> None:
    """Write data, ledger, rules, models, the report, and the steps if another of them can be taken."""
    order, editor, form = trained.order, trained.editor, trained.table.source.form
    augmented, safe = _augmented(trained), order.spreadsheet_safe
    form.write(augmented, folder / f"augmented{form.suffix}", inert=augmented.columns if safe else ())
    # Names of rules are ours, and not data.
    inert = editor.ledger_.columns if safe else ["rule"]
    _ledger_form(form, editor.rules_).write(editor.ledger_, folder / f"ledger{form.suffix}", inert=inert)
    (folder / "rules.rules").write_text(f"{editor.rules_}\n", "utf-8")
    save_model(trained.before, folder / "before.skops")
    save_model(editor.estimator_, folder / "model.skops")
    write_json(report, folder / "report.json")
    write_report(report, folder / "report.html")
    editor._keep_steps(folder / STEPS)


def _augmented(trained: Trained) -> pd.DataFrame:
    """Return the data that the edited model was trained on, with the labels where they were."""
    order, (X_new, y_new) = trained.order, trained.result
    columns = [name for name in trained.table.source.frame.columns if name not in order.ignore]
    augmented = X_new.copy(deep=False)
    augmented.insert(columns.index(order.target), order.target, y_new)
    return augmented


def make_record(trained: Trained, report: Report, folder: Path, seconds: Mapping[str, float]) -> Record:
    """Return the record of an edit whose files are written.

    Parameters
    ----------
    trained : Trained
        What was trained.

    report : Report
        How it was judged.

    folder : Path
        Where the files are.

    seconds : mapping of str to float
        What the parts of the edit took.

    Returns
    -------
    Record
    """
    editor, table, test_table = trained.editor, trained.table, trained.test_table
    history = editor.history_
    steps = history.drop(columns=[name for name in history if str(name).endswith("_seconds")])
    training = float(history["fit_seconds"].sum() + history["predict_seconds"].sum())
    record: Record = {
        "edit": FORMAT,
        "asked": trained.order.plain,
        "data": table.described,
        "test": None if test_table is None else _tested(test_table, report["run"]["test"]),
        "versions": versions(editor.estimator),
        "steps": plain(steps.to_dict("records")),
        "rows": {str(name): int(count) for name, count in editor.ledger_["status"].value_counts(sort=False).items()},
        "skipped": report["skipped"],
        "in_part": report["in_part"],
        "scores": report["scores"],
        "population": report["population"],
        "verdict": report["verdict"],
        "outputs": _outputs(trained, folder),
        "files": digests_of(folder),
        "root": "",
        "timings": {name: round(value, 3) for name, value in {"training": training, **seconds}.items()},
    }
    if report["cases"] is not None:
        lines = report["cases"]["lines"]
        held, hold = (sum(line[name] for line in lines) for name in ("held", "holds"))
        record["cases"] = {"of": len(lines), "held": held, "hold": hold}
    if report["fairness"] is not None:
        record["notices"] = report["fairness"]["notices"]
    if trained.run_record is not None:
        record["picked_from"] = digest_of(trained.run_record)
    record["root"] = root_of(record)
    return record


def _outputs(trained: Trained, folder: Path) -> Outputs:
    suffix = trained.table.source.form.suffix
    return {
        "augmented": digest_of(folder / f"augmented{suffix}"),
        "ledger": digest_of(folder / f"ledger{suffix}"),
        "rules": digest_of(folder / "rules.rules"),
        "before": digest_of(folder / "before.skops"),
        "model": digest_of(folder / "model.skops"),
        "predictions": digest_of_predictions(trained.editor.estimator_, trained.table.rows),
    }


def _tested(test_table: LabelledTable, judged: TestRows | None) -> TestFacts:
    """Return what the record says of the table to judge on, and of its rows that were trained on."""
    assert judged is not None  # there is a table, so the report is on it
    facts = test_table.described
    return {**facts, "seen": judged["seen"], "judged": judged["rows"], "made": judged.get("made", 0)}


def _ledger_form(form: FileForm, rules: RuleSet) -> FileForm:
    """Return the form of the ledger: the names of rules may have letters that the data's encoding has not."""
    return form if form.can_write(str(rules)) else replace(form, encoding="utf-8", bom=True)


def require_writable(order: Order, table: LabelledTable, rules: RuleSet) -> None:
    """Refuse what could not be written when all training is done."""
    form = table.source.form
    frame = table.X.copy(deep=False)
    frame[order.target] = table.y  # assign() takes no column that is named self
    form.check(frame, f"augmented{form.suffix}")
    names = [*rules.names, *rules.origins]
    _ledger_form(form, rules).check(pd.DataFrame({"rule": names}, dtype=object), f"ledger{form.suffix}")


def digest_of_predictions(model: Any, rows: TypedFrame) -> str:
    """Return the SHA-256 of what a model predicts for rows, a line for each."""
    predicted = np.asarray(model.predict(rows.lent_to(model)))
    return hashlib.sha256("\n".join(map(str, predicted.tolist())).encode()).hexdigest()
