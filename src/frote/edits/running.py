"""The edit itself: a table in a file, rules and a model's name in; a folder with all that came of it out."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from frote.compare.models import require_judgeable
from frote.edits.cases import cases_in
from frote.edits.editors import make_editor, used_rules
from frote.edits.laps import Laps
from frote.edits.model_errors import as_training_error
from frote.edits.models import train
from frote.edits.ours import STEPS
from frote.edits.record import write_json
from frote.edits.results import Trained, judge, make_record, require_writable, write_files
from frote.estimators.given_rules import bound_rules, possible_rules
from frote.estimators.sampler import FROTE
from frote.estimators.stability import repeated
from frote.estimators.to_judge import ToJudge
from frote.exceptions import ModelError
from frote.layout import counted
from frote.loop.progress import EditInterrupted
from frote.loop.training import ALL_FAILED
from frote.report.cases import broken_cases

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd

    from frote.edits.folder import Place
    from frote.edits.order import Order
    from frote.edits.record import Record
    from frote.edits.run_options import RunOptions
    from frote.edits.tables import LabelledTable
    from frote.estimators.classifier import FROTEClassifier
    from frote.estimators.preview import Preview
    from frote.estimators.stability import StabilityReport
    from frote.report.contents import Report
    from frote.rules import RuleSet

__all__ = ["in_place", "preview", "run", "run_in_place"]


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
        previewed: Preview = editor.preview(table.rows, table.y)
    return previewed


def run_in_place(
    place: Place,
    order: Order,
    table: LabelledTable,
    test_table: LabelledTable | None,
    options: RunOptions,
    repeat: str,
    run_record: Path | None = None,
    estimator: Any = None,
) -> Record:
    """Edit a model and put the folder where it belongs, once it is whole; see `run`."""
    return in_place(place, lambda folder: run(order, table, test_table, folder, options, repeat, run_record, estimator))


def in_place(place: Place, make: Callable[[Path], Record]) -> Record:
    """Make the folder of an edit, and put it where it belongs once it is whole.

    Whatever ends the edit, what was trained is kept in the place's checkpoint, unless every training failed.
    """
    try:
        record = make(place.made)
        place.finish()
    except Exception as error:
        if ALL_FAILED in getattr(error.__cause__, "__notes__", ()):
            place.discard()  # there is nothing
        else:
            place.keep()
        raise
    return record


def run(
    order: Order,
    table: LabelledTable,
    test_table: LabelledTable | None,
    folder: Path,
    options: RunOptions,
    repeat: str,
    run_record: Path | None = None,
    estimator: Any = None,
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

    run_record : Path or None, default=None
        The record of a finished run of the same order, beside which its steps are kept: the step that the order picks
        is taken from there, and no other is run.

    estimator : classifier, default=None
        The untrained estimator, where the order is of an edit in Python and names none.

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
    laps = Laps()
    rules = used_rules(order, table.rows.table, table.labels.classes)
    editor = make_editor(order, rules, options, estimator)
    judged_on = _checked(order, table, test_table, editor, rules)
    cases = None if order.cases is None else cases_in(folder, order.cases, table)
    options.go_on()
    before = train(
        editor.estimator, table.rows, table.y, name=order.model, seed=order.seed % 2**31, threads=editor.threads
    )
    laps.end("first_fit")
    options.go_on()
    if order.pick is None:
        result = _resampled(editor, table)
    else:
        editor = _picked(editor, table, order.pick, before, run_record)
        result = editor.resampled()
    laps.end("editing")
    # An edit that is made again has no limit, but ends where it ended; the report says what was asked for.
    editor.time_limit = order.settings.get("time_limit")
    options.go_on()
    seeds = None
    if order.repeat > 1:
        seeds = _with_other_seeds(order, editor, judged_on, before, options)
        laps.end("other_seeds")
    trained = Trained(order, table, test_table, judged_on, before, editor, result, run_record, cases, seeds)
    report = judge(trained, repeat)
    if order.cases_must_hold:
        _require_held(report)
    laps.end("gathering")
    write_files(trained, report, folder)
    laps.end("writing")
    record = make_record(trained, report, folder, laps.seconds)
    write_json(record, folder / "edit.json")
    return record


def _require_held(report: Report) -> None:
    """Refuse a model that answers a case otherwise than expected.

    Raises
    ------
    ModelError
        With the first of them.
    """
    broken = broken_cases(report)
    if broken:
        one = broken[0]
        raise ModelError(
            f"The edited model answers {counted(len(broken), 'case')} otherwise than expected, first {one['name']!r}: "
            f"{one['after']}, and not {one['expected']}. Nothing was written. Leave --cases-must-hold out to see the "
            "report, or mend the rules or the case."
        )


def _checked(
    order: Order,
    table: LabelledTable,
    test_table: LabelledTable | None,
    editor: FROTE | FROTEClassifier,
    rules: RuleSet,
) -> ToJudge | None:
    """Tell what is wrong before anything is trained; return the rows to judge on, if there is a table of such."""
    data = table.rows.table
    possible_rules(bound_rules(rules, data, table.labels, table.y), data, editor.on_impossible)
    judged_on = None
    if test_table is not None:
        name = str(test_table.path)
        judged_on = ToJudge.of((test_table.given, test_table.y), data, table.labels, seen=order.seen, what=(name, name))
    labels = table.labels if judged_on is None else table.labels.joined(judged_on.labels)
    require_judgeable(data, labels, hasattr(editor.estimator, "predict_proba"), **order.judge_by)
    require_writable(order, table, rules)
    return judged_on


def _picked(
    editor: FROTE | FROTEClassifier, table: LabelledTable, step: int, before: Any, run_record: Path | None
) -> FROTE | FROTEClassifier:
    """Return the edit as of a step: of a finished run, whose steps are kept, or of one that is made now."""
    if run_record is None:
        _resampled(editor, table)
        kept = None
    else:
        kept = run_record.parent / STEPS
    with as_training_error("The model of the step cannot be trained"):
        return editor.at(step) if kept is None else editor._picked(table.rows, table.y, kept, step, before)


def _with_other_seeds(
    order: Order, editor: FROTE | FROTEClassifier, judged_on: ToJudge | None, before: Any, options: RunOptions
) -> StabilityReport:
    """Make the same edit with other seeds."""
    others = replace(options, last_step=None)
    with as_training_error("The model cannot be trained with another seed"):
        return repeated(editor, judged_on, order.repeat, before=before, callbacks=[others.after_step])


def _resampled(editor: FROTE | FROTEClassifier, table: LabelledTable) -> tuple[pd.DataFrame, Any]:
    """Run the edit to its end; one that is interrupted keeps what it has in Python, and here counts for nothing."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=EditInterrupted)
        try:
            with as_training_error("The model cannot be trained on the data with synthetic rows"):
                resampled: tuple[pd.DataFrame, Any]
                if isinstance(editor, FROTE):
                    resampled = editor.fit_resample(table.rows, table.y)
                else:
                    resampled = editor.fit(table.rows, table.y).resampled()
        except EditInterrupted:
            raise KeyboardInterrupt from None
    return resampled
