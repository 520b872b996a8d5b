"""The edit itself: a table in a file, rules and a model's name in; a folder with all that came of it out."""

from __future__ import annotations

import hashlib
import time
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.edits.model_errors import as_training_error
from frote.edits.models import make_estimator, train
from frote.edits.ours import digests_of
from frote.edits.record import FORMAT, digest_of, write_json
from frote.edits.saved_models import save_model
from frote.estimators.given_rules import bound_rules, possible_rules
from frote.estimators.identity import versions
from frote.estimators.sampler import FROTE
from frote.estimators.to_judge import ToJudge
from frote.exceptions import RecordError, told
from frote.generation.possible import tell_in_part
from frote.loop.progress import EditInterrupted
from frote.loop.training import ALL_FAILED
from frote.plain import plain
from frote.report import gather, write_report
from frote.report.about import About
from frote.rules.conflicts import resolve, tell_nothing_left

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from frote.edits.folder import Place
    from frote.edits.order import Order
    from frote.edits.record import Record, TestFacts
    from frote.edits.run_options import RunOptions
    from frote.edits.tables import LabelledTable
    from frote.estimators.preview import Preview
    from frote.files import FileForm
    from frote.report.contents import Report
    from frote.rules import RuleSet
    from frote.table import Table, TypedFrame

__all__ = ["make_editor", "preview", "run", "run_in_place", "used_rules"]


def used_rules(order: Order, table: Table, classes: Iterable[Any]) -> RuleSet:
    """Return the rules, with conflicts resolved if that was asked for; of which nothing is left is told."""
    written = order.rules.rules
    if order.resolve is None:
        return written
    resolved = resolve(written, order.resolve, table, classes=classes)
    tell_in_part(written, table)  # what is resolved has lost what cannot apply
    tell_nothing_left(written, resolved, order.resolve)
    return resolved


def make_editor(order: Order, rules: RuleSet, options: RunOptions) -> FROTE:
    """Return the editor that was asked for.

    Raises
    ------
    ModelError, RecordError
        If there is no such model, or no editor with such settings.
    """
    make = FROTE.as_published if order.published else FROTE
    estimator = make_estimator(order.model, order.params)
    try:
        editor = make(
            estimator,
            rules,
            random_state=order.seed,
            n_jobs=options.n_jobs,
            progress=options.progress,
            checkpoint=options.checkpoint,
            callbacks=[options.after_step],
            **order.settings,
        )
        editor._validate_params()
    except (TypeError, ValueError) as error:  # of settings in a record; those of options are what they should be
        raise RecordError(f"The settings cannot be used: {told(error)}") from None
    return editor


def preview(order: Order, table: LabelledTable, options: RunOptions) -> Preview:
    """Say what an edit would do and cost, at the price of one training.

    Raises
    ------
    FroteError
        If the rules, the model or the settings cannot be used.
    """
    rules = used_rules(order, table.rows.table, table.labels.classes)
    editor = make_editor(order, rules, options)
    with as_training_error(f"The model {order.model!r} cannot be trained"):
        found: Preview = editor.preview(table.rows, table.y)
    return found


def run_in_place(
    place: Place, order: Order, table: LabelledTable, test_table: LabelledTable | None, options: RunOptions, repeat: str
) -> Record:
    """Edit a model and put the folder where it belongs, once it is whole; see `run`.

    Whatever ends the edit, what was trained is kept in the place's checkpoint, unless every training failed.
    """
    try:
        record = run(order, table, test_table, place.made, options, repeat)
        place.finish()
    except Exception as error:
        if ALL_FAILED in getattr(error.__cause__, "__notes__", ()):
            place.discard()  # there is nothing
        else:
            place.keep()
        raise
    return record


def run(
    order: Order, table: LabelledTable, test_table: LabelledTable | None, folder: Path, options: RunOptions, repeat: str
) -> Record:
    """Edit a model and write what came of it.

    Parameters
    ----------
    order : Order
        What to do.

    table, test_table : LabelledTable
        The table to train on, and one to judge on, if there is one.

    folder : Path
        An empty folder.

    options : RunOptions
        How to go about it.

    repeat : str
        The command that repeats it, for the report.

    Returns
    -------
    Record
        What is written to ``edit.json``.

    Raises
    ------
    FroteError
        If something cannot be used, told before anything is trained where that can be known.

    EditCancelledError
        If `options` said so.
    """
    start = time.perf_counter()
    rules = used_rules(order, table.rows.table, table.labels.classes)
    editor = make_editor(order, rules, options)
    # What is wrong with the rules, or with the table to judge on, is told before anything is trained.
    data = table.rows.table
    possible_rules(bound_rules(rules, data, table.labels, table.y), data, editor.on_impossible)
    judged_on = _judged_on(order, table, test_table)
    _require_writable(order, table, rules)
    options.go_on()
    before = train(
        editor.estimator, table.rows, table.y, name=order.model, seed=order.seed % 2**31, threads=editor.threads
    )
    options.go_on()
    fitted = time.perf_counter()
    result = _resampled(editor, table)
    options.go_on()
    seconds = {"first_fit": fitted - start, "editing": time.perf_counter() - fitted}
    return _written(order, table, test_table, folder, repeat, _Trained(editor, before, result, judged_on, seconds))


def _judged_on(order: Order, table: LabelledTable, test_table: LabelledTable | None) -> ToJudge | None:
    """Return the rows to judge on, of a table of their own if there is one."""
    if test_table is None:
        return None
    name = str(test_table.path)
    return ToJudge.of((test_table.X, test_table.y), table.rows.table, table.labels, seen=order.seen, what=(name, name))


@dataclass(frozen=True, slots=True, eq=False)
class _Trained:
    """What there is when all training is done: editor, model before it, data it made, rows to judge on, seconds."""

    editor: FROTE
    before: Any
    result: tuple[pd.DataFrame, Any]
    judged_on: ToJudge | None
    seconds: dict[str, float]


def _written(
    order: Order,
    table: LabelledTable,
    test_table: LabelledTable | None,
    folder: Path,
    repeat: str,
    trained: _Trained,
) -> Record:
    """Judge what was trained, write everything, and return the record."""
    start, editor = time.perf_counter(), trained.editor
    summary = _summary(order, table, test_table, repeat, trained)
    gathered = time.perf_counter()
    _write_files(order, table, folder, trained)
    write_json(summary, folder / "report.json")
    write_report(summary, folder / "report.html")
    written = time.perf_counter()

    history, form = editor.history_, table.source.form
    steps = history.drop(columns=[name for name in history if str(name).endswith("_seconds")])
    training = float(history["fit_seconds"].sum() + history["predict_seconds"].sum())
    record: Record = {
        "edit": FORMAT,
        "asked": order.plain,
        "data": table.described,
        "test": None if test_table is None else _tested(test_table, trained.judged_on),
        "versions": versions(editor.estimator),
        "steps": plain(steps.to_dict("records")),
        "rows": {str(name): int(count) for name, count in editor.ledger_["status"].value_counts(sort=False).items()},
        "skipped": summary["skipped"],
        "in_part": summary["in_part"],
        "scores": summary["scores"],
        "verdict": summary["verdict"],
        "outputs": {
            "augmented": digest_of(folder / f"augmented{form.suffix}"),
            "ledger": digest_of(folder / f"ledger{form.suffix}"),
            "rules": digest_of(folder / "rules.rules"),
            "before": digest_of(folder / "before.skops"),
            "model": digest_of(folder / "model.skops"),
            "predictions": _digest_of_predictions(editor.estimator_, table.rows),
        },
        "files": digests_of(folder),
        "timings": {
            "training": round(training, 3),
            **{name: round(value, 3) for name, value in trained.seconds.items()},
            "gathering": round(gathered - start, 3),
            "writing": round(written - gathered, 3),
        },
    }
    write_json(record, folder / "edit.json")
    return record


def _summary(
    order: Order, table: LabelledTable, test_table: LabelledTable | None, repeat: str, trained: _Trained
) -> Report:
    """Judge what was trained."""
    editor = trained.editor
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
        editor, trained.before, table.rows, table.y, test=trained.judged_on, result=trained.result, about=about
    )


def _write_files(order: Order, table: LabelledTable, folder: Path, trained: _Trained) -> None:
    """Write data, ledger, rules and models."""
    editor, form, (X_new, y_new) = trained.editor, table.source.form, trained.result
    position = [name for name in table.source.frame.columns if name not in order.ignore].index(order.target)
    augmented = X_new.copy(deep=False)
    augmented.insert(position, order.target, y_new)
    safe = order.spreadsheet_safe
    form.write(augmented, folder / f"augmented{form.suffix}", inert=augmented.columns if safe else ())
    # Names of rules are ours, and not data.
    inert = editor.ledger_.columns if safe else ["rule"]
    _ledger_form(form, editor.rules_).write(editor.ledger_, folder / f"ledger{form.suffix}", inert=inert)
    (folder / "rules.rules").write_text(f"{editor.rules_}\n", "utf-8")
    save_model(trained.before, folder / "before.skops")
    save_model(editor.estimator_, folder / "model.skops")


def _tested(test_table: LabelledTable, judged_on: ToJudge | None) -> TestFacts:
    """Return what the record says of the table to judge on, and of its rows that were trained on if there are such."""
    facts = test_table.described
    found: TestFacts = {"name": facts["name"], "sha256": facts["sha256"], "rows": facts["rows"]}
    if judged_on is not None and judged_on.seen:
        found["seen"] = judged_on.seen
    return found


def _ledger_form(form: FileForm, rules: RuleSet) -> FileForm:
    """Return the form of the ledger: the names of rules may have letters that the data's encoding has not."""
    return form if form.can_write(str(rules)) else replace(form, encoding="utf-8", bom=True)


def _require_writable(order: Order, table: LabelledTable, rules: RuleSet) -> None:
    """Refuse what could not be written when all training is done."""
    form = table.source.form
    frame = table.X.copy(deep=False)
    frame[order.target] = table.y  # assign() takes no column that is named self
    form.check(frame, f"augmented{form.suffix}")
    names = [*rules.names, *rules.origins]
    _ledger_form(form, rules).check(pd.DataFrame({"rule": names}, dtype=object), f"ledger{form.suffix}")


def _resampled(editor: FROTE, table: LabelledTable) -> tuple[pd.DataFrame, Any]:
    """Run the edit to its end; one that is interrupted keeps what it has in Python, and here counts for nothing."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=EditInterrupted)
        try:
            with as_training_error("The model cannot be trained on the data with synthetic rows"):
                found: tuple[pd.DataFrame, Any] = editor.fit_resample(table.rows, table.y)
        except EditInterrupted:
            raise KeyboardInterrupt from None
    return found


def _digest_of_predictions(model: Any, rows: TypedFrame) -> str:
    predicted = np.asarray(model.predict(rows.lent_to(model)))
    return hashlib.sha256("\n".join(map(str, predicted.tolist())).encode()).hexdigest()
