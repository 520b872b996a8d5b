"""The model before the edit, in a process of its own: to train it may take minutes, and pages answer meanwhile.

The process reads the table by itself, trains, and stays to be asked. What it sends back is plain data. If it dies, the
studio lives, and says so.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
import traceback
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frote.exceptions import FroteError
from frote.studio.errors import StudioError
from frote.ways_out import for_pages

if TYPE_CHECKING:
    from collections.abc import Mapping
    from multiprocessing.connection import Connection
    from pathlib import Path

    from frote.edits.order import Columns
    from frote.edits.tables import LabelledTable

__all__ = ["Away", "Learned", "Wanted"]

ENDED = "The process of the model has ended. Train it again in the data room."


@dataclass(frozen=True, slots=True)
class Wanted:
    """The model that is wanted: its table, its name, its parameters, and where chance comes from."""

    path: Path
    columns: Columns
    model: str
    params: Mapping[str, Any]
    seed: int


@dataclass(frozen=True, slots=True)
class Learned:
    """What a model says of each row of its table, and its classes."""

    predicted: Any
    classes: list[Any]


class Away:
    """A process that has trained a model, and is asked about it.

    Parameters
    ----------
    wanted : Wanted
        The model.
    """

    def __init__(self, wanted: Wanted) -> None:
        context = multiprocessing.get_context("spawn")
        self._here, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there, wanted), daemon=True)
        self._process.start()
        there.close()
        self._guard = threading.Lock()
        self._ended = False

    def learned(self) -> Learned:
        """Wait for the model; return what it says of its table."""
        found: Learned = self._ask("learn", None)
        return found

    def predict(self, row: Mapping[str, Any]) -> tuple[Any, dict[str, float]]:
        """Return the label that the model gives a row, and its probabilities by label, if it has any."""
        found: tuple[Any, dict[str, float]] = self._ask("predict", dict(row))
        return found

    def explain(self) -> Any:
        """Return the rules that the model follows, as plain data."""
        return self._ask("explain", None)

    def cases(self, path: Path) -> dict[str, Any]:
        """Return what the model answers to the cases of a file, by their names."""
        found: dict[str, Any] = self._ask("cases", path)
        return found

    def forecast(self, rules: str, resolve: str | None, file: Path | None = None) -> dict[str, Any]:
        """Return what the rules would answer otherwise than the model; see `frote.studio.forecast`.

        Parameters
        ----------
        rules : str
            The rules.

        resolve : str or None
            How conflicts are resolved.

        file : Path, default=None
            Where to write the table with the predictions of the rules over the model.
        """
        found: dict[str, Any] = self._ask("forecast", (rules, resolve, file))
        return found

    def _ask(self, question: str, about: Any) -> Any:
        with self._guard:
            if self._ended:
                raise StudioError(ENDED)
            try:
                self._here.send((question, about))
                fine, answer = self._here.recv()
            except (EOFError, OSError):
                self._ended = True
                raise StudioError(ENDED) from None
        if not fine:
            raise StudioError(answer)
        return answer

    def close(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.join(5)


def _serve(pipe: Connection, wanted: Wanted) -> None:
    """Answer questions until nobody is there to ask."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the studio ends it
    warnings.simplefilter("ignore")
    served = _Served(wanted)
    while True:
        try:
            question, about = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            with for_pages():
                answer = True, getattr(served, question)(about)
        except FroteError as error:
            answer = False, str(error)
        except Exception:  # whatever a model raises
            traceback.print_exc()
            answer = False, "The model failed in a way that nobody foresaw; the server's log has the rest."
        pipe.send(answer)


class _Served:
    """The model and its table, in the process."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self._table: LabelledTable | None = None
        self._model: Any = None
        self._seconds = 0.0

    def _ready(self) -> tuple[LabelledTable, Any]:
        from frote.edits.models import make_estimator, train
        from frote.edits.tables import read_labelled

        if self._table is None:
            self._table = read_labelled(self.wanted.path, self.wanted.columns)
        if self._model is None:
            estimator = make_estimator(self.wanted.model, self.wanted.params)
            table, seed = self._table, self.wanted.seed % 2**31
            begun = time.perf_counter()
            self._model = train(estimator, table.rows, table.y, name=self.wanted.model, seed=seed)
            self._seconds = time.perf_counter() - begun
        return self._table, self._model

    def learn(self, _: None) -> Learned:
        from frote.coverage.answers import Answers

        table, model = self._ready()
        answers = Answers.of(model, table.rows)
        return Learned(answers.predicted, list(answers.classes or ()))

    def predict(self, row: dict[str, Any]) -> tuple[Any, dict[str, float]]:
        import pandas as pd

        from frote.coverage.asking import ask
        from frote.coverage.said import classes_of
        from frote.table import TypedFrame

        table, model = self._ready()
        frame = pd.DataFrame({name: pd.Series([value], dtype=object) for name, value in row.items()})
        rows = TypedFrame.like(frame, table.rows.table.schema, what="the case")
        label = ask(model, rows).tolist()[0]
        if not hasattr(model, "predict_proba"):
            return label, {}
        chances = ask(model, rows, "predict_proba")[0].tolist()
        return label, {str(one): chance for one, chance in zip(classes_of(model) or (), chances, strict=False)}

    def explain(self, _: None) -> list[dict[str, Any]]:
        from frote.estimators.explaining import explain_model

        table, model = self._ready()
        found = explain_model(model, table.X)
        said = {"default": str(found.default), "fidelity": found.fidelity, "covered": found.covered}
        counted: Any = found.summary[["rows", "precision", "recall"]].to_dict("records")
        rules = [{"text": str(rule), **line} for rule, line in zip(found.rules, counted, strict=True)]
        return [said, *rules]

    def forecast(self, asked: tuple[str, str | None, Path | None]) -> dict[str, Any]:
        from frote.studio.forecast import forecast

        table, model = self._ready()
        rules, resolve, file = asked
        return {**forecast(rules, resolve, table, model, file), "seconds": self._seconds}

    def cases(self, path: Path) -> dict[str, Any]:
        from frote.edits.cases import read_cases

        table, model = self._ready()
        cases = read_cases(path, table.rows, table.y, table.source)
        return dict(cases.by_model(model).frame["answer"])
