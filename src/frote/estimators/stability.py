"""How far an edit depends on chance: the same edit with other seeds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from frote.coverage.answers import Answers
from frote.coverage.labels import Labels
from frote.coverage.ruling import Ruling
from frote.estimators.preparing import seed_of
from frote.estimators.scoring import score_answers
from frote.estimators.to_judge import ToJudge
from frote.exceptions import TableError
from frote.layout import Column, as_sentence, as_shown, as_table, counted, decimals

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from frote.coverage.ruling import Attribution
    from frote.estimators.editing import Editing

__all__ = ["StabilityReport", "repeated", "stability"]

SEEDS = 2**32
MEASURES = ("f1", "f1_macro", "objective")
STATUSES = ("relabelled", "dropped", "synthetic", "guard")


@dataclass(frozen=True, slots=True, eq=False)
class StabilityReport:
    """How far an edit depends on chance.

    Parameters
    ----------
    runs : DataFrame
        A line for each seed: agreement, that with each rule, both kinds of F1 outside the rules and objective by
        coverage on the rows judged; the loss outside, if it was measured; rows relabelled, dropped, synthetic and
        guards.

    spread : DataFrame
        For each of these numbers its mean over the seeds, standard deviation, least and greatest.

    disagreement : DataFrame
        Outside the rules, inside, and on all rows judged: their number; the mean share on which the models before of
        two seeds predict otherwise, and those after; and the share on which not all models after predict the same.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(300)
    >>> editor = frote.FROTE(rules="young: IF age < 29 AND defaults = 0 THEN approved", max_fits=3, random_state=7)
    >>> frote.stability(editor, loans.X, loans.y, repeat=2).runs.index.tolist()
    [7, 8]
    """

    runs: pd.DataFrame
    spread: pd.DataFrame
    disagreement: pd.DataFrame

    def __str__(self) -> str:
        lines = [f"{counted(len(self.runs), 'seed')}:"]
        for name in ("agreement", "f1", "synthetic"):
            if name in self.spread.index:
                mean, low, high = self.spread.loc[name, ["mean", "low", "high"]].map(_number)
                lines.append(f"  {name}: {mean}, {low} to {high}")
        for where, line in self.disagreement.iterrows():
            lines.append(
                f"  two models disagree on {line['after']:.1%} of {counted(int(line['rows']), 'row')} {_where(where)} "
                f"(before the edit: {line['before']:.1%})"
            )
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        columns = [Column("", list(map(str, self.spread.index)))]
        columns += [Column(str(name), decimals(self.spread[name]), right=True) for name in self.spread]
        shares = [Column("two models disagree", list(map(_where, self.disagreement.index)))]
        shares += [
            Column(name, [f"{share:.1%}" for share in self.disagreement[name]], right=True)
            for name in ("before", "after", "ever")
        ]
        return as_shown(as_sentence(f"{counted(len(self.runs), 'seed')}."), as_table(columns), as_table(shares))


def stability(
    editor: Editing, X: Any, y: Any, *, test: tuple[Any, Any] | None = None, repeat: int = 5, seen: str | None = None
) -> StabilityReport:
    """Make an edit with several seeds, and say how far what comes of it varies.

    Parameters
    ----------
    editor : FROTE or FROTEClassifier
        The editor, which need not be fitted and stays as it is. The seeds are its own and those that follow.

    X : pandas or polars DataFrame, or array
        The rows.

    y : array-like
        Their labels.

    test : (X_test, y_test), default=None
        Rows to judge on, as for `FROTE.report`; None judges on the data.

    repeat : int, default=5
        How many seeds, two at least. Each costs an edit, and one fit more.

    seen : {"drop", "keep"} or None, default=None
        What to do with rows to judge on that also stand in the data, as for `FROTE.report`.

    Returns
    -------
    StabilityReport

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(300)
    >>> editor = frote.FROTE(rules="young: IF age < 29 AND defaults = 0 THEN approved", max_fits=3, random_state=0)
    >>> print(frote.stability(editor, loans.X, loans.y, repeat=3))
    3 seeds:
      agreement: ...
      two models disagree on ...
    """
    first = _clone(editor, seed_of(editor.random_state), editor.callbacks).fit(X, y)
    last = first._require_last("")
    judged = None
    if test is not None:
        judged = ToJudge.of(test, last.rows.table, Labels.of(last.y), seen=seen)
    return repeated(first, judged, repeat)


def repeated(
    editor: Editing, judged: ToJudge | None, repeat: int, *, before: Any = None, callbacks: Iterable[Any] = ()
) -> StabilityReport:
    """Make an edit that was made again, with the seeds after its own; see `stability`.

    Parameters
    ----------
    editor : FROTE or FROTEClassifier
        The editor, fitted.

    judged : ToJudge or None
        The rows to judge on, if they are not the data.

    repeat : int
        How many seeds there are to be, that of the editor included.

    before : classifier, default=None
        The model without an edit of the editor's own seed, if there is one.

    callbacks : iterable of callable, default=()
        Called with every step of the others.

    Returns
    -------
    StabilityReport

    Raises
    ------
    TableError
        If the seeds are fewer than two.
    """
    if repeat < 2:
        raise TableError(f"repeat={repeat} is no repetition. Take 2 seeds at least.")
    last = editor._require_last("An editor from a file has no data to repeat the edit on. Fit it again.")
    rows, labels = (last.rows, Labels.of(last.y)) if judged is None else (judged.rows, judged.labels)
    attribution = Ruling.of(editor.rules_).on(rows.table)
    lines, said = [], []
    for number in range(repeat):
        seed = (last.seed + number) % SEEDS
        one = editor
        if number:
            one = _clone(editor, seed, callbacks).fit(last.rows, last.y, sample_weight=last.weights)
        models = one._last.initial() if number or before is None else before, one.estimator_
        answers = [Answers.of(model, rows) for model in models]
        said.append([answer.predicted for answer in answers])
        lines.append({"seed": seed, **_scores(answers[1], attribution, labels), "loss": _loss(one), **_counts(one)})
    runs = pd.DataFrame(lines).set_index("seed")
    return StabilityReport(runs, _spread(runs), _disagreement(said, attribution))


def _clone(editor: Editing, seed: int, callbacks: Iterable[Any]) -> Any:
    return clone(editor).set_params(random_state=seed, checkpoint=None, callbacks=list(callbacks))


def _counts(editor: Any) -> dict[str, int]:
    statuses = editor.ledger_["status"].value_counts()
    return {status: int(statuses.get(status, 0)) for status in STATUSES}


def _scores(answers: Answers, rows: Attribution, labels: Labels) -> dict[str, float]:
    report = score_answers(answers, rows, labels)
    per_rule = {f"agreement: {name}": float(agreed) for name, agreed in report.rules["agreement"].items()}
    besides = {measure: float(getattr(report, measure)) for measure in MEASURES}
    return {"agreement": report.agreement, **per_rule, **besides}


def _loss(editor: Any) -> float:
    """Return the loss outside of what an edit ended in, where it was measured."""
    history = editor.history_
    if editor.unedited_:
        return 0.0
    steps = history[history["step"] == editor.picked_] if editor.picked_ is not None else history[history["accepted"]]
    return float(steps["loss"].iloc[-1]) if len(steps) else math.nan


def _spread(runs: pd.DataFrame) -> pd.DataFrame:
    """Return what each number comes to over all seeds; one that is not known for some is known for none."""
    whole = runs[[name for name in runs if runs[name].notna().all()]]
    return pd.DataFrame(
        {"mean": whole.mean(), "deviation": whole.std(ddof=1), "low": whole.min(), "high": whole.max()}
    ).astype(float)


def _disagreement(said: list[list[NDArray[Any]]], rows: Attribution) -> pd.DataFrame:
    covered = rows.owner >= 0
    parts = {"outside": ~covered, "inside": covered, "all": np.ones(len(covered), dtype=np.bool_)}
    lines = {}
    for where, part in parts.items():
        if part.any():
            before, after = ([one[when][part] for one in said] for when in (0, 1))
            ever = np.mean(np.any([one != after[0] for one in after[1:]], axis=0))
            lines[where] = {"rows": int(part.sum()), "before": _apart(before), "after": _apart(after), "ever": ever}
    return pd.DataFrame.from_dict(lines, orient="index")


def _apart(answers: list[NDArray[Any]]) -> float:
    """Return the mean share of rows on which two of several models predict otherwise."""
    return float(np.mean([np.mean(one != other) for one, other in combinations(answers, 2)]))


def _where(part: Any) -> str:
    return {"outside": "outside the rules", "inside": "inside the rules", "all": "in all"}[part]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value.is_integer() and value > 1 else f"{value:.3f}"
