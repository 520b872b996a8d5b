"""The edit of a table that lies in many files: a sample decides, and what came of it is written file by file."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from frote.dask.editing import edit_lazily
from frote.dask.local import as_local, is_distributed
from frote.edits.editors import make_editor
from frote.edits.engine import require_seen_by_workers
from frote.edits.laps import Laps
from frote.edits.many_files import ManyFiles
from frote.edits.model_errors import as_training_error
from frote.edits.ours import digests_of
from frote.edits.parts import AUGMENTED, LEDGER, write_augmented, write_ledger
from frote.edits.record import FORMAT, digest_of, root_of, write_json
from frote.edits.results import digest_of_predictions
from frote.edits.running import in_place
from frote.edits.saved_models import save_model
from frote.estimators.identity import versions
from frote.exceptions import RecordError
from frote.files.parts import NULLABLE
from frote.loop.progress import EditInterrupted
from frote.plain import plain
from frote.report import write_report
from frote.report.about import About
from frote.report.of_many import gather_lazily

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from frote.dask.decided import LazyEdit
    from frote.edits.folder import Place
    from frote.edits.order import Order
    from frote.edits.parts import Written
    from frote.edits.record import Record
    from frote.edits.run_options import RunOptions
    from frote.estimators.preview import Preview
    from frote.report.contents import Report

__all__ = ["many_files", "preview_many", "run_many", "run_many_in_place"]

ORDER = ("kept", "relabelled", "dropped", "synthetic", "guard")
# What an order may ask of a table in memory alone: how it is said, and what serves instead.
IN_MEMORY = {
    "--how": "rules get into the model by its data alone; leave it out",
    "--as-published": "the paper's algorithm looks at all rows in one place; leave it out",
    "--recalibrate": "it asks models about all rows in one place; leave it out",
    "--counterexamples": "they are looked for in one place; leave it out, and prove the model that comes of it",
    "--repeat": "each seed is an edit of its own; edit again with another --seed",
    "--cases": "they need a row of the data to be filled from; try the model by frote score --cases on one file",
    "--spreadsheet-safe": "Parquet files hold no marks; leave it out",
    "--evaluate": "models are compared on the sample; leave it out, or use probes or active",
}


def require_possible(order: Order, path: Path) -> None:
    """Refuse what cannot be done with a table that is read by parts, before anything is read.

    Raises
    ------
    RecordError
        With the first such thing, and what serves instead.
    """
    settings = order.settings
    asked = {
        "--how": settings.get("how", "data") != "data",
        "--as-published": order.published,
        "--recalibrate": settings.get("recalibrate") is not None,
        "--counterexamples": bool(settings.get("counterexamples")),
        "--repeat": order.repeat > 1,
        "--cases": order.cases is not None,
        "--spreadsheet-safe": order.spreadsheet_safe,
        "--evaluate": settings.get("evaluate") in ("published", "printed"),
    }
    for option, value in asked.items():
        if value:
            raise RecordError(f"{path}: {option} is for a table in memory: {IN_MEMORY[option]}.")


def many_files(order: Order, data: Path) -> ManyFiles:
    """Return the table of an order, when nothing is asked that cannot be done with one that is read by parts."""
    require_possible(order, data)
    return ManyFiles.of(data, order.target, categorical=order.categorical, numeric=order.numeric, ignore=order.ignore)


def preview_many(order: Order, many: ManyFiles, options: RunOptions) -> Preview:
    """Say what an edit would do: with the model and the batch of a sample, where a sample decides."""
    editor = editor_of_many(order, options)
    with as_training_error(f"The model {order.model!r} cannot be trained"):
        previewed: Preview = editor.preview(many.X, many.y)
    return previewed


def run_many_in_place(place: Place, order: Order, many: ManyFiles, options: RunOptions, repeat: str) -> Record:
    """Edit a model and put the folder where it belongs, once it is whole; see `run_many`."""
    return in_place(place, lambda folder: run_many(order, many, folder, options, repeat))


def editor_of_many(order: Order, options: RunOptions) -> Any:
    """Return the editor that was asked for, with what a table in memory is given otherwise."""
    editor = make_editor(order, order.rules.rules, options)
    return editor.set_params(resolve=order.resolve, levels=order.levels or None)


def run_many(order: Order, many: ManyFiles, folder: Path, options: RunOptions, repeat: str) -> Record:
    """Edit a model and write what came of it; see `frote.edits.running.run`.

    Parameters
    ----------
    order : Order
        What to do.

    many : ManyFiles
        The table to train on.

    folder : Path
        An empty folder, which all workers see.

    options : RunOptions
        How to go about it.

    repeat : str
        The command that repeats it, for the report.

    Returns
    -------
    Record
    """
    laps = Laps()
    require_seen_by_workers(folder)
    editor = editor_of_many(order, options)
    facts = many.described
    laps.end("reading")
    options.go_on()
    edit = _edited(editor, many)
    editor.time_limit = order.settings.get("time_limit")
    laps.end("editing")
    options.go_on()
    with as_training_error(f"The model {order.model!r} cannot be trained"):
        before = edit.decided.before()
    laps.end("first_fit")
    trained = "all" if is_distributed(editor.estimator_) else "sample"
    editor.estimator_ = as_local(editor.estimator_)
    names = many.form.names
    kind = dict(many.form.types)[order.target]
    augmented = write_augmented(folder / AUGMENTED, edit.frame, edit.labels, order.target, names.index(order.target))
    ledger = write_ledger(folder / LEDGER, editor.ledger_, "str" if kind == "text" else NULLABLE.get(kind, kind))
    laps.end("writing")
    options.go_on()
    about = replace(
        About.of(order.about),
        model=order.model,
        rules=order.rules,
        resolved=order.resolve,
        data=facts,
        repeat=repeat,
        versions=versions(editor.estimator),
    )
    report, looked_at = gather_lazily(
        editor, edit.decided, before, ledger.lines, about, facts["sha256"], trained=trained, judge_by=order.judge_by
    )
    laps.end("gathering")
    (folder / "rules.rules").write_text(f"{editor.rules_}\n", "utf-8")
    save_model(before, folder / "before.skops")
    save_model(editor.estimator_, folder / "model.skops")
    write_json(report, folder / "report.json")
    write_report(report, folder / "report.html")
    predictions = digest_of_predictions(editor.estimator_, looked_at)
    outputs = {"augmented": augmented.sha256, "ledger": ledger.sha256, "predictions": predictions}
    record = _record(order, many, editor, report, folder, outputs, ledger, laps.seconds)
    write_json(record, folder / "edit.json")
    return record


def _edited(editor: Any, many: ManyFiles) -> LazyEdit:
    """Run the edit to its end; one that is interrupted counts for nothing."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=EditInterrupted)
        try:
            with as_training_error("The model cannot be trained on the data with synthetic rows"):
                return edit_lazily(editor, many.X, many.y)
        except EditInterrupted:
            raise KeyboardInterrupt from None


def _record(
    order: Order,
    many: ManyFiles,
    editor: Any,
    report: Report,
    folder: Path,
    outputs: Mapping[str, str],
    ledger: Written,
    seconds: Mapping[str, float],
) -> Record:
    """Return the record of an edit whose files are written."""
    history = editor.history_
    steps = history.drop(columns=[name for name in history if str(name).endswith("_seconds")])
    training = float(history["fit_seconds"].sum() + history["predict_seconds"].sum())
    rows: dict[str, int] = {}
    for line, count in sorted(ledger.lines.items(), key=lambda one: ORDER.index(one[0].status)):
        rows[line.status] = rows.get(line.status, 0) + count
    record: Record = {
        "edit": FORMAT,
        "asked": order.plain,
        "data": many.described,
        "test": None,
        "versions": versions(editor.estimator),
        "steps": plain(steps.to_dict("records")),
        "rows": rows,
        "skipped": report["skipped"],
        "in_part": report["in_part"],
        "scores": report["scores"],
        "population": report["population"],
        "verdict": report["verdict"],
        "outputs": {
            "augmented": outputs["augmented"],
            "ledger": outputs["ledger"],
            "rules": digest_of(folder / "rules.rules"),
            "before": digest_of(folder / "before.skops"),
            "model": digest_of(folder / "model.skops"),
            "predictions": outputs["predictions"],
        },
        "files": digests_of(folder),
        "sampled": report["sampled"],
        "root": "",
        "timings": {name: round(value, 3) for name, value in {"training": training, **seconds}.items()},
    }
    if report["fairness"] is not None:
        record["notices"] = report["fairness"]["notices"]
    record["root"] = root_of(record)
    return record
