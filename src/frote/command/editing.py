"""The edit itself: a table in a file, rules and a model's name in; a folder with all that came of it out."""

from __future__ import annotations

import hashlib
import time
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from frote.command.models import make_estimator
from frote.command.ours import digests_of
from frote.command.record import FORMAT, Asked, digest_of, write_json
from frote.command.saved_models import save_model
from frote.command.telling import telling, telling_of_training
from frote.coverage.labels import Labels
from frote.estimators.given_rules import bound_rules, possible_rules
from frote.estimators.identity import versions
from frote.estimators.sampler import FROTE
from frote.estimators.to_judge import ToJudge
from frote.exceptions import RecordError, told
from frote.generation.possible import tell_in_part
from frote.loop.progress import EditInterrupted
from frote.loop.training import seeded
from frote.plain import plain
from frote.report import gather, write_report
from frote.rules import RuleSet, parse_rules
from frote.rules.conflicts import resolve, tell_nothing_left
from frote.table import Table

if TYPE_CHECKING:
    from pathlib import Path

    from frote.command.tables import Labelled
    from frote.files import FileForm

__all__ = ["Watching", "conflict_free", "edit", "make_editor"]


@dataclass(frozen=True, slots=True)
class Watching:
    """What does not change the result of an edit: workers, a progress bar, where to go on from."""

    n_jobs: int | None = None
    progress: bool = False
    checkpoint: Path | None = None


def conflict_free(asked: Asked, X: pd.DataFrame, y: Any) -> RuleSet:
    """Return the rules, with conflicts resolved if that was asked for; of which nothing is left is told."""
    rules = parse_rules(asked.rules)
    if asked.resolve is None:
        return rules
    table = Table.from_frame(X)
    found = resolve(rules, asked.resolve, table, classes=Labels.of(y).classes)
    tell_in_part(rules, table, stacklevel=2)  # what is resolved has lost what cannot apply
    tell_nothing_left(rules, found, asked.resolve)
    return found


def make_editor(asked: Asked, rules: RuleSet, watching: Watching) -> FROTE:
    """Return the editor that was asked for.

    Raises
    ------
    ModelError, RecordError
        If there is no such model, or no editor with such settings.
    """
    make = FROTE.as_published if asked.published else FROTE
    estimator = make_estimator(asked.model, asked.params)
    try:
        editor = make(
            estimator,
            rules,
            random_state=asked.seed,
            n_jobs=watching.n_jobs,
            progress=watching.progress,
            checkpoint=watching.checkpoint,
            **asked.settings,
        )
        editor._validate_params()
    except (TypeError, ValueError) as error:  # of settings in a record; those of options are what they should be
        raise RecordError(f"The settings cannot be used: {told(error)}") from None
    return editor


def edit(
    asked: Asked, table: Labelled, held: Labelled | None, folder: Path, watching: Watching, repeat: str
) -> dict[str, Any]:
    """Edit a model and write what came of it.

    Parameters
    ----------
    asked : Asked
        What to do.

    table, held : Labelled
        The table to train on, and one to judge on, if there is one.

    folder : Path
        An empty folder.

    watching : Watching
        How to go about it.

    repeat : str
        The command that repeats it, for the report.

    Returns
    -------
    dict
        The record, as it is written to ``edit.json``.
    """
    start = time.perf_counter()
    rules = conflict_free(asked, table.X, table.y)
    editor = make_editor(asked, rules, watching)
    # What is wrong with the rules, or with the table to judge on, is told before anything is trained.
    data, labels = Table.from_frame(table.X), Labels.of(table.y)
    possible_rules(bound_rules(rules, data, labels, table.y), data, editor.on_impossible)
    tested = None
    if held is not None:
        name = str(held.path)
        tested = ToJudge.of((held.X, held.y), data, labels, seen=asked.seen, what=(name, name))
    _require_writable(asked, table, rules)
    with telling(f"The model {asked.model!r} cannot be trained"):
        before = seeded(clone(editor.estimator), asked.seed % 2**31, editor.threads).fit(table.X, table.y)
    fitted = time.perf_counter()
    result = _resampled(editor, table)
    seconds = {"first_fit": fitted - start, "editing": time.perf_counter() - fitted}
    return _written(asked, table, held, folder, repeat, _Trained(editor, before, result, tested, seconds))


@dataclass(frozen=True, slots=True, eq=False)
class _Trained:
    """What there is when all training is done: editor, model before it, data it made, rows to judge on, seconds."""

    editor: FROTE
    before: Any
    result: tuple[pd.DataFrame, Any]
    tested: ToJudge | None
    seconds: dict[str, float]


def _written(
    asked: Asked, table: Labelled, held: Labelled | None, folder: Path, repeat: str, trained: _Trained
) -> dict[str, Any]:
    """Judge what was trained, write everything, and return the record."""
    start, editor, before = time.perf_counter(), trained.editor, trained.before
    X_new, y_new = trained.result
    about = {
        **asked.about,
        "model": asked.model,
        "rules": asked.rules,
        "resolved": asked.resolve,
        "conflicts": [str(conflict) for conflict in parse_rules(asked.rules).conflicts(table.X)],
        "data": table.described,
        "test": None if held is None else held.described,
        "repeat": repeat,
        "versions": versions(editor.estimator),
    }
    summary = gather(editor, before, table.X, table.y, test=trained.tested, result=trained.result, about=about)
    gathered = time.perf_counter()

    form = table.source.form
    position = [name for name in table.source.frame.columns if name not in asked.ignore].index(asked.target)
    augmented = X_new.copy(deep=False)
    augmented.insert(position, asked.target, y_new)
    safe = asked.spreadsheet_safe
    form.write(augmented, folder / f"augmented{form.suffix}", inert=augmented.columns if safe else ())
    # Names of rules are ours, and not data.
    inert = editor.ledger_.columns if safe else ["rule"]
    _ledger_form(form, editor.rules_).write(editor.ledger_, folder / f"ledger{form.suffix}", inert=inert)
    (folder / "rules.rules").write_text(f"{editor.rules_}\n", "utf-8")
    save_model(before, folder / "before.skops")
    save_model(editor.estimator_, folder / "model.skops")
    write_json(summary, folder / "report.json")
    write_report(summary, folder / "report.html")
    written = time.perf_counter()

    history = editor.history_
    steps = history.drop(columns=[name for name in history if str(name).endswith("_seconds")])
    training = float(history["fit_seconds"].sum() + history["predict_seconds"].sum())
    record = {
        "edit": FORMAT,
        "asked": asked.plain,
        "data": table.described,
        "test": None if held is None else {**held.described, **_seen(trained.tested)},
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
            "predictions": _digest_of_predictions(editor.estimator_, table.X),
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


def _seen(tested: ToJudge | None) -> dict[str, int]:
    """Return what the record says of rows to judge on that were trained on; nothing if there is none."""
    return {"seen": tested.seen} if tested is not None and tested.seen else {}


def _ledger_form(form: FileForm, rules: RuleSet) -> FileForm:
    """Return the form of the ledger: the names of rules may have letters that the data's encoding has not."""
    return form if form.can_write(str(rules)) else replace(form, encoding="utf-8", bom=True)


def _require_writable(asked: Asked, table: Labelled, rules: RuleSet) -> None:
    """Refuse what could not be written when all training is done."""
    form = table.source.form
    frame = table.X.copy(deep=False)
    frame[asked.target] = table.y  # assign() takes no column that is named self
    form.check(frame, f"augmented{form.suffix}")
    names = [*rules.names, *rules.origins]
    _ledger_form(form, rules).check(pd.DataFrame({"rule": names}, dtype=object), f"ledger{form.suffix}")


def _resampled(editor: FROTE, table: Labelled) -> tuple[pd.DataFrame, Any]:
    """Run the edit to its end; one that is interrupted keeps what it has in Python, and here counts for nothing."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=EditInterrupted)
        try:
            with telling_of_training("The model cannot be trained on the data with synthetic rows"):
                found: tuple[pd.DataFrame, Any] = editor.fit_resample(table.X, table.y)
        except EditInterrupted:
            raise KeyboardInterrupt from None
    return found


def _digest_of_predictions(model: Any, X: Any) -> str:
    return hashlib.sha256("\n".join(map(str, np.asarray(model.predict(X)).tolist())).encode()).hexdigest()
