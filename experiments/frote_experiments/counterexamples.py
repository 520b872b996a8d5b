"""What counterexamples give that join the training data, found by proof or by drawing, at as many trainings.

``python -m frote_experiments.counterexamples RESULTS`` writes a line of JSON for each way of each run, goes on where it
was stopped, and writes the table of what is there.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import clone

import frote
from frote.coverage.labels import Labels
from frote.estimators.input import typed
from frote.estimators.overlay import likeliest
from frote.evidence.asking import Asked
from frote.evidence.draws import Draws
from frote.evidence.space import Space
from frote_experiments.draws import draw
from frote_experiments.lines import all_lines
from frote_experiments.models import BATCH_SIZES, make_model
from frote_experiments.tables.sheets import Column, Grid, Sheet, count
from frote_experiments.unseen import Unseen

if TYPE_CHECKING:
    from frote.table import TypedFrame

__all__ = ["ARMS", "run_all", "sheet"]

ARMS = ("none", "proof", "draws")
TITLE = "Counterexamples that join the training data"
ABOUT = (
    "Three rules from the pools, a tenth of the covered rows in training, data sets cut down to 1,000 rows. After the "
    "edit, six trainings at most, each with rows inside the rules that the model answers otherwise: around the "
    "counterexamples of proofs (*proof*: `counterexamples=True`), drawn as `frote.stress` draws (*draws*), or none. "
    "Proofs are of rows within the data's ranges, 1,000 boxes for each rule; *strays* are fresh rows inside the rules "
    "that are answered otherwise; agreement and F1 outside are on rows not trained on. Runs: `counterexamples.jsonl`, "
    "made by "
    "`python -m frote_experiments.counterexamples experiments/evidence/counterexamples.jsonl`."
)
MODELS = ("RF", "LGBM")
DRAWS = 5
ROWS = 1_000  # of each data set at most
ROUNDS = 6  # trainings after the edit
BOXES = 1_000  # that a proof may look at, for each rule
TRIED, TAKEN = 500, 50  # rows tried for each rule in a round, and those of them that the model answers otherwise
PROBES = 2_000  # for each rule, by which rounds are accepted


class Edited:
    """An edited model, which may go on learning from fresh rows that it answers against the rules."""

    def __init__(self, name: str, model: str, number: int, *, counterexamples: bool) -> None:
        drawn = draw(name, number, rules=3, tcf=0.1, rows=ROWS)
        self.X, self.y = (part.iloc[drawn.train].reset_index(drop=True) for part in (drawn.data.X, drawn.data.y))
        self.unseen = Unseen(drawn, own_labels=False)
        self.rng = np.random.default_rng([number, 1])
        editor = frote.FROTE(make_model(model), drawn.rules, counterexamples=counterexamples, random_state=42)
        self.rows, self.labels = editor.fit_resample(self.X, self.y)
        self.estimator, self.fits = make_model(model), editor.n_fits_
        self.model, self.rules = editor.estimator_, editor.rules_
        self.space = Space(typed(self.X).table, observed=True)
        self.probes = [self._fresh(name, PROBES) for name in self.rules.origins]
        self.score = self._score(self.model)
        self.added = int((editor.ledger_["covered"] == "counterexample").sum())

    def learn_from_draws(self) -> None:
        """Train a few times more, each time with rows drawn inside the rules that the model answers otherwise."""
        for _ in range(ROUNDS):
            more = [(rows, label) for rows, label in map(self._strays, self.rules.origins) if len(rows)]
            if not more:
                return
            X = pd.concat([self.rows, *(rows for rows, _ in more)], ignore_index=True)
            y = pd.concat([self.labels, *(pd.Series([label] * len(rows)) for rows, label in more)], ignore_index=True)
            candidate = clone(self.estimator).fit(X, y)
            score, self.fits = self._score(candidate), self.fits + 1
            if score >= self.score:
                self.model, self.rows, self.labels, self.score = candidate, X, y, score
                self.added += sum(len(rows) for rows, _ in more)

    def measured(self) -> dict[str, Any]:
        """Return what came of it; strays are counted on rows that nothing was accepted by."""
        proofs = frote.prove(self.model, self.rules, self.X, values="observed", boxes=BOXES).proofs
        answers = [one.answer for one in proofs]
        return {
            **{answer: answers.count(answer) for answer in ("proven", "counterexample", "open", "no row")},
            "strays": self._straying(self.model, [self._fresh(name, PROBES) for name in self.rules.origins]),
            **self.unseen.scores(self.model),
            "added": self.added,
            "fits": self.fits,
        }

    def _asked(self, model: Any, name: str) -> tuple[Asked, Any]:
        """Return a model that is asked about a rule, and the label that the rule wants."""
        labels = Labels.known(list(model.classes_))
        pieces = self.rules.pieces(name)
        wanted = likeliest(pieces[0].outcome, labels.texts)
        return Asked.about(model, labels, pieces, wanted), labels.classes[wanted]

    def _fresh(self, name: str, count: int) -> TypedFrame:
        pieces = [one for one in (Draws(self.space, piece) for piece in self.rules.pieces(name)) if not one.is_empty]
        return pieces[0].fresh(count, self.rng)

    def _strays(self, name: str) -> tuple[Any, Any]:
        """Return fresh rows inside a rule that the model answers otherwise, and the label that the rule wants."""
        asked, label = self._asked(self.model, name)
        rows = self._fresh(name, TRIED)
        return rows.take(np.flatnonzero(asked.strays(rows)[0])[:TAKEN]).frame, label

    def _straying(self, model: Any, probes: list[TypedFrame]) -> float:
        """Return the share of rows inside the rules that a model answers otherwise, the mean over the rules."""
        pairs = zip(self.rules.origins, probes, strict=True)
        return float(np.mean([self._asked(model, name)[0].strays(rows)[0].mean() for name, rows in pairs]))

    def _score(self, model: Any) -> float:
        """Return half agreement on probes and half F1 outside, as an edit does."""
        f1 = frote.score(model, self.X, self.y, self.rules).f1
        return (1 - self._straying(model, self.probes)) / 2 + (0.0 if np.isnan(f1) else f1 / 2)


def run_all(name: str, model: str, number: int) -> list[dict[str, Any]]:
    """Edit a model on one draw of three rules, go on in each way, and measure what came of it.

    Parameters
    ----------
    name, model : str
        The data set and the model.

    number : int
        Which draw.

    Returns
    -------
    list of dict
        For each of `ARMS`.
    """
    runs = []
    for arm in ARMS:
        began = time.perf_counter()
        edited = Edited(name, model, number, counterexamples=arm == "proof")
        if arm == "draws":
            edited.learn_from_draws()
        key = {"dataset": name, "model": model, "draw": number, "arm": arm}
        runs.append({**key, **edited.measured(), "seconds": round(time.perf_counter() - began, 1)})
    return runs


def sheet(runs: list[dict[str, Any]]) -> Sheet:
    """Put runs together by model and way."""
    lines = pd.DataFrame(runs).rename(columns={"counterexample": "refuted"}).groupby(["model", "arm"])
    frame = lines[["proven", "refuted", "open"]].sum().join(lines[["strays", "agreement", "f1"]].mean())
    order = pd.MultiIndex.from_product([MODELS, ARMS], names=frame.index.names)
    frame = frame.join(lines.size().rename("runs")).reindex(order).dropna().reset_index()
    columns = (
        Column("model", "model"),
        Column("rows that joined", "arm"),
        *map(count, ("runs", "proven", "refuted", "open")),
        Column("strays", "strays", form=".2%"),
        Column("agreement", "agreement"),
        Column("F1 outside", "f1"),
    )
    return Sheet("counterexamples", TITLE, (ABOUT,), (Grid(frame, columns),))


def main(path: Path) -> None:
    """Make the runs that a file lacks, and write the table."""
    wanted = [(name, model, number) for number in range(DRAWS) for name in BATCH_SIZES for model in MODELS]
    sheet(all_lines(path, wanted, run_all)).write(path.parent / "tables")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
