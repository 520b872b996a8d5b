"""An edit that was made in Python, as a folder like that of ``frote edit``."""

from __future__ import annotations

import json
import warnings
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from frote.caller import warn_caller
from frote.compare.protected import split
from frote.coverage.labels import Labels
from frote.edits.editors import make_editor, used_rules
from frote.edits.folder import Place
from frote.edits.frame_forms import form_of, in_file, texts_in, unlike
from frote.edits.model_files import contents_of
from frote.edits.models import train
from frote.edits.order import Order
from frote.edits.ours import ESTIMATOR
from frote.edits.record import digest_of, write_json
from frote.edits.replaying import replay_command
from frote.edits.results import Trained, judge, make_record, require_writable, write_files
from frote.edits.run_options import RunOptions
from frote.edits.saved_models import load_model, save_model
from frote.edits.tables import as_given, read_labelled
from frote.estimators.identity import described
from frote.estimators.input import as_frame
from frote.estimators.preparing import base_of, identity_of, read
from frote.estimators.stability import repeated
from frote.estimators.to_judge import ToJudge
from frote.exceptions import FroteError, RecordError, RecordWarning, told
from frote.files import FileForm
from frote.plain import unwritable
from frote.report.about import About
from frote.report.asked import as_written
from frote.rules.written import WrittenRules
from frote.table import TypedFrame

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from frote.edits.tables import LabelledTable
    from frote.estimators.classifier import FROTEClassifier
    from frote.estimators.edit import Last
    from frote.estimators.sampler import FROTE

__all__ = ["save"]

TOLD = 80  # characters of what no record can say
MOST = 3  # columns that are named
# Parameters that change nothing, or that an order has elsewhere.
ASIDE = frozenset(
    {"estimator", "rules", "resolve", "labels", "random_state", "n_jobs", "checkpoint", "callbacks", "progress"}
)
WORDS = {"labels": "these labels", "rules": "these rules", "estimator": "this estimator"}


def save(
    editor: FROTE | FROTEClassifier,
    folder: str | os.PathLike[str],
    *,
    test: tuple[Any, Any] | None,
    about: Mapping[str, Any] | None,
    seen: str | None,
    judge_by: Mapping[str, Any],
    repeat: int,
    format: str,  # noqa: A002
    force: bool,
) -> None:
    """Write the folder of an edit; see `FROTE.save`."""
    place = Place(Path(folder), force)
    last = editor._require_last("An editor from a file has no data to save. Fit it again.")
    declared = editor.levels or {}
    ordered = [name for name, levels in declared.items() if getattr(levels, "categories", None) is not None]
    if ordered:
        raise RecordError(
            f"A record cannot say the order that levels= declares for column {ordered[0]!r}. Give the column itself a "
            "type with that order, and fit again."
        )
    with place.taken():
        try:
            asked = _Asked(test, about or {}, seen, judge_by, repeat)
            needed, unsaid = _Saving(editor, last, place, FileForm(format), asked).written()
            place.finish()
        finally:
            place.discard()
    for told_of in _told(place.folder, needed, unsaid):
        warn_caller(told_of, RecordWarning)


def _told(folder: Path, needed: list[str], unsaid: list[str]) -> Iterator[str]:
    """Say what must be known of a folder before somebody relies on it."""
    if unsaid:
        yield (
            f"{folder} cannot be replayed: no record can say {'; '.join(unsaid)}. Digests, ledger and rules in it can "
            "be verified all the same."
        )
    elif needed:
        more = " ".join(f"--trust {name}" for name in needed)
        yield f"{folder} holds models with {', '.join(needed)}: whoever replays it, or reads them, must add {more}."


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """What the folder is to have beside the edit."""

    test: tuple[Any, Any] | None
    about: Mapping[str, Any]
    seen: str | None
    judge_by: Mapping[str, Any]
    repeat: int


class _Saving:
    """The parts of a folder, one after the other."""

    def __init__(self, editor: Any, last: Last, place: Place, form: FileForm, asked: _Asked) -> None:
        self.asked = asked
        self.editor = editor
        self.last: Last = last
        self.made, self.folder = place.made, place.folder
        self.form = form
        self.target = _free(getattr(last.y, "name", None), last.rows.table.schema.names)

    def written(self) -> tuple[list[str], list[str]]:
        """Write all files; return the types that the estimator needs trust for, and what no record can say."""
        estimator, needed, unsaid = self._estimator()
        rows = self.last.rows.frame
        self._write("data", rows, self.last.y)
        test, tested = self.asked.test, None
        if test is not None:
            tested = TypedFrame.like(as_frame(test[0]), self.last.rows.table.schema, what="X_test")
            Labels.of(test[1], len(tested), what="y_test")
            self._write("test", tested.frame, test[1])
        order = self._order(estimator, tested)
        try:
            table, test_table = self._read(order)
        except RecordError:  # a form that promised too much; as it stands in the file it is another one
            order = replace(order, in_python=_without_forms(order.in_python))
            table, test_table = self._read(order)
        saved = self._as_ordered(order, table, estimator)
        unsaid += self._unlike(saved, table)
        if test is not None and tested is not None and test_table is not None:
            unsaid += _kept_otherwise(tested.frame, test_table.given, "to judge on")
            test_table = as_given(test_table, order, tested.frame, test[1])
        table = as_given(table, order, rows, self.last.y)  # as they were, whatever became of them in the file
        order = replace(order, in_python={**order.in_python, "unsaid": unsaid})
        self._finish(order, table, test_table, saved)
        return needed, unsaid

    def _estimator(self) -> tuple[Any, list[str], list[str]]:
        """Keep the estimator; return it as it is read again, types that it needs trust for, and why it cannot be."""
        estimator = base_of(self.editor)
        path = self.made / ESTIMATOR
        save_model(clone(estimator), path)
        try:
            needed = contents_of(path.read_bytes(), ()).unknown
            kept = load_model(path, needed)
            save_model(kept, path)  # as it is written whenever it was read
        except FroteError as error:
            return estimator, [], [f"the estimator, which cannot be read back ({told(error)[:TOLD]})"]
        here = [name for name in needed if name.startswith("__main__.")]
        return kept, needed, [f"{name}, a class that only this program has" for name in here]

    def _write(self, name: str, X: Any, y: Any) -> None:
        self.form.write(in_file(X, y, self.target), self.made / f"{name}{self.form.suffix}")

    def _order(self, estimator: Any, tested: TypedFrame | None) -> Order:
        """Return all that the edit was asked for, as a record has it."""
        editor, last, asked = self.editor, self.last, self.asked
        facts = {name: str(fact) for name, fact in asked.about.items() if fact is not None}
        text, rules = as_written(editor, About())
        in_python: dict[str, Any] = {
            "estimator": digest_of(self.made / ESTIMATOR),
            "data": [form_of(last.rows.frame), form_of(last.y)],
            "unsaid": [],
        }
        if tested is not None and asked.test is not None:
            in_python["test"] = [form_of(tested.frame), form_of(asked.test[1])]
        if last.stopped:
            in_python["last_step"] = last.steps[-1].step
        return Order(
            target=self.target,
            rules=WrittenRules(text or str(rules)),
            model=facts.pop("model", _name_of(estimator)),
            settings=dict(_settings(editor)),
            resolve=editor.resolve,
            categorical=texts_in(last.rows.frame, last.y, self.target),
            seed=last.seed,
            about=facts,
            seen=asked.seen,
            repeat=asked.repeat,
            pick=editor.picked_,
            judge_by=dict(_judged_by(asked.judge_by)),
            in_python=in_python,
        )

    def _read(self, order: Order) -> tuple[LabelledTable, LabelledTable | None]:
        """Read the tables as whoever repeats the edit will."""
        table = read_labelled(self.made / f"data{self.form.suffix}", order)
        judged = "test" in order.in_python
        return table, read_labelled(self.made / f"test{self.form.suffix}", order, like=table) if judged else None

    def _as_ordered(self, order: Order, table: LabelledTable, estimator: Any) -> FROTE | FROTEClassifier:
        """Return the editor that the order asks for, with all that came of this one."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it was told when the editor was fitted
            rules = used_rules(order, table.rows.table, table.labels.classes)
        saved = make_editor(order, rules, RunOptions(), estimator)
        saved.labels = self.editor.labels
        given = self.editor.get_params(deep=False)
        for name, value in vars(self.editor).items():
            if name not in given:
                setattr(saved, name, value)
        return saved

    def _unlike(self, saved: FROTE | FROTEClassifier, table: LabelledTable) -> list[str]:
        """Return what makes a run from the files another one than the run that was made: what no record can say."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            then, now = (
                identity_of(one, read(one, rows, y), base_of(one))
                for one, rows, y in (
                    (copy(self.editor), self.last.rows, self.last.y),
                    (copy(saved), table.rows, table.y),
                )
            )
        params = self.editor.get_params(deep=False)
        unsaid = _kept_otherwise(self.last.rows.frame, table.given, "of the data")
        for name in then:
            if name not in ("random_state", "data") and then[name] != now.get(name):
                unsaid.append(WORDS.get(name) or f"{name}, {_kind_of(params.get(name))}")
        unsaid += ["labels"] if self.editor.labels is not None else []
        return unsaid + (["sample_weight"] if self.last.weights is not None else [])

    def _finish(
        self, order: Order, table: LabelledTable, test_table: LabelledTable | None, saved: FROTE | FROTEClassifier
    ) -> None:
        """Judge what was trained, and write all but the tables."""
        rows, labels, last = table.rows.table, table.labels, self.last
        judged_on = None
        if test_table is not None:
            judged_on = ToJudge.of((test_table.given, test_table.y), rows, labels, seen=order.seen)
        require_writable(order, table, saved.rules_)
        before = train(
            saved.estimator,
            table.rows,
            table.y,
            name=order.model,
            seed=order.seed % 2**31,
            threads=saved.threads,
            **last.trainer.weighed(last.weights),
        )
        seeds = repeated(saved, judged_on, order.repeat, before=before) if order.repeat > 1 else None
        result = last.edit.frame, last.edit.labels
        trained = Trained(order, table, test_table, judged_on, before, saved, result, seeds=seeds)
        report = judge(trained, replay_command(self.folder / "edit.json", None, None, order.model))
        write_files(trained, report, self.made)
        history = saved.history_
        seconds = {"editing": float(history[["fit_seconds", "predict_seconds", "other_seconds"]].to_numpy().sum())}
        write_json(make_record(trained, report, self.made, seconds), self.made / "edit.json")


def _free(name: Any, taken: tuple[str, ...]) -> str:
    """Return a name for the column of labels: their own, or one that no column has."""
    if isinstance(name, str) and name.strip() and name not in taken:
        return name
    number, free = 1, "label"
    while free in taken:
        number += 1
        free = f"label {number}"
    return free


def _name_of(estimator: Any) -> str:
    """Return the name of what a pipeline ends in."""
    while hasattr(estimator, "steps"):
        estimator = estimator.steps[-1][1]
    return type(estimator).__name__


def _settings(editor: FROTE | FROTEClassifier) -> Iterator[tuple[str, Any]]:
    """Return the parameters that are not the usual ones, as far as plain data can say them."""
    usual = type(editor)().get_params(deep=False)
    for name, value in editor.get_params(deep=False).items():
        if name in ASIDE or described(value) == described(usual[name]):
            continue
        value = value.item() if isinstance(value, np.generic) else value
        if unwritable(value) is None:
            yield name, json.loads(json.dumps(value))


def _judged_by(judge_by: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Return what to judge by as a record has it: texts for labels, and one text for all that is protected."""
    protected = split(judge_by["protected"])
    if split(", ".join(protected)) != protected:
        raise RecordError(f"A record cannot say what is protected by {protected[0]!r}. Write it with backticks.")
    favourable, threshold, cost = (judge_by[name] for name in ("favourable", "threshold", "cost"))
    if protected:
        yield "protected", ", ".join(protected)
    if favourable is not None:
        yield "favourable", str(favourable)
    if threshold is not None:
        yield "threshold", float(threshold)
    if cost is not None:
        yield (
            "cost",
            {str(label): {str(given): float(price) for given, price in one.items()} for label, one in cost.items()},
        )


def _without_forms(in_python: Mapping[str, Any]) -> dict[str, Any]:
    return {name: [None, None] if name in ("data", "test") else value for name, value in in_python.items()}


def _kept_otherwise(X: Any, read: Any, which: str) -> list[str]:
    """Say which columns a file gives back as something else."""
    if TypedFrame.of(X).table.digest() == TypedFrame.of(read).table.digest():
        return []
    columns = ", ".join(map(repr, unlike(X, read)[:MOST])) or "all of it"
    return [f"the types {which} that the file does not keep ({columns})"]


def _kind_of(value: Any) -> str:
    return f"a {type(value).__name__} of the caller's own"
