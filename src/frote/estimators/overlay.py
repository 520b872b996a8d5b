"""The patch layer: a model that is left as it is, and rules that have their say when it predicts."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from frote._sklearn import HasMethods, StrOptions, fit_context
from frote.caller import warn_caller
from frote.coverage.answers import Answers
from frote.coverage.asking import ask
from frote.coverage.labels import Labels, require_classes
from frote.coverage.ruling import Attribution, Ruling
from frote.coverage.said import classes_of
from frote.estimators.encoding import default_pipeline
from frote.estimators.explaining import Explanation, explain_model
from frote.estimators.given_rules import as_rules, bound_rules
from frote.estimators.input import (
    Target,
    as_frame,
    as_labels,
    as_taught,
    columns_known,
    for_frames,
    part_has,
    require_rows,
)
from frote.exceptions import ModelError, RuleError, TableError, nearest
from frote.generation.moves import Goal, Mover
from frote.generation.possible import tell_uncovering
from frote.rules import Rule, RuleSet
from frote.rules.binding import require_fit
from frote.table import Table, lent

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from frote.rules import Outcome
    from frote.table import Schema

__all__ = ["OverlayClassifier", "likeliest", "override"]


class OverlayClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Put rules over a model that is not retrained: the rival of editing (after Daly et al., AAAI 2021).

    In hard mode the rules answer for the rows that they cover, and the model for all others. In soft mode the model
    answers for all rows, but covered ones are moved first, by the least change: each rule is the correction of an
    *original*, a rule that the model follows. Where the correction keeps the original's label, covered rows that the
    original does not cover are moved into it; where it changes the label, covered rows that the original covers too are
    moved out of it. Soft mode promises nothing about the answer.

    Parameters
    ----------
    model : classifier, default=None
        The model. One that is fitted is used as it is; one that is not, or None for the default pipeline, is cloned
        and fitted in `fit`.

    rules : RuleSet, rule text, path of a rule file, or list of rules, default=()
        The feedback rules; they must not conflict. A row that several cover belongs to the first.

    mode : {"hard", "soft"}, default="hard"
        Whether rules answer or move rows.

    originals : rules, dict, Explanation or None, default=None
        In soft mode, what the rules correct: as many rules as there are in `rules`, in the same order; or a dict from
        their names to rules, where those left out move no row; or an explanation of the model, in which each rule's
        original is looked for. None explains the model on ``X``.

    values : {"observed", "possible"}, default="observed"
        Which numbers and dates rows are moved to: the nearest that occur in ``X``, and others only where none will do;
        or the nearest that their column can hold.

    Attributes
    ----------
    model_ : classifier
        The model that answers.

    rules_ : RuleSet
        The rules as they are understood for the columns of ``X``.

    originals_ : dict of str to RuleSet, or None
        The original of each rule that has one, by the rule's name; None in hard mode.

    classes_ : ndarray
        The model's classes.

    n_features_in_ : int
        The number of columns.

    feature_names_in_ : ndarray of str
        Their names, if all were strings.

    Notes
    -----
    In an explanation, the original of a rule is the one whose covered rows of ``X`` overlap most with the rule's
    (largest share of intersection in union), of equals the one with most columns in common, then the first. If no row
    is covered by both, only originals are looked at that could share a row with the rule and have a column in common.
    A rule for which none is left moves no row, of which a warning tells.

    scikit-learn's clones are not fitted: in cross-validation and searches the model is fitted anew to each part of the
    data. Put it into a ``sklearn.frozen.FrozenEstimator`` to keep it as it is there too.

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(500)
    >>> model = frote.default_pipeline().fit(loans.X, loans.y)
    >>> rules = "young: IF age < 29 AND defaults = 0 THEN approved"
    >>> hard = frote.OverlayClassifier(model, rules).fit(loans.X)
    >>> frote.score(hard, loans.X, loans.y, rules).agreement
    1.0
    >>> corrected = "IF age <= 27 THEN denied"
    >>> soft = frote.OverlayClassifier(model, rules, mode="soft", originals=corrected).fit(loans.X)
    >>> covered = soft.apply(loans.X) == "young"
    >>> print(loans.X["age"][covered].min(), soft.transform_rows(loans.X)["age"][covered].min())
    18 28
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        "model": [HasMethods(["predict"]), None],
        "rules": [RuleSet, Rule, str, os.PathLike, list, tuple],
        "mode": [StrOptions({"hard", "soft"})],
        "originals": [RuleSet, Rule, str, os.PathLike, list, tuple, dict, Explanation, None],
        "values": [StrOptions({"observed", "possible"})],
    }

    def __init__(
        self,
        model: Any = None,
        rules: Any = (),
        *,
        mode: str = "hard",
        originals: Any = None,
        values: str = "observed",
    ) -> None:
        self.model = model
        self.rules = rules
        self.mode = mode
        self.originals = originals
        self.values = values

    def __sklearn_tags__(self) -> Any:
        return for_frames(super().__sklearn_tags__(), self.model)

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the model if it is not, bind the rules and, in soft mode, learn how to move rows.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array
            The rows.

        y : array-like, default=None
            Their labels. A fitted model does not need them, unless it has no ``classes_``.

        Returns
        -------
        OverlayClassifier
        """
        X = as_frame(X)
        table = Table.from_frame(X)
        columns_known(self, X)
        require_rows(len(table))
        if self.model is not None and _is_fitted(self.model):
            model = self.model
        else:
            y = as_labels(y)
            require_classes(Target.of(y, len(table)).labels, y)
            model = clone(default_pipeline() if self.model is None else self.model)
            model.fit(lent(X), lent(as_taught(y)))
        classes = np.asarray(_classes(model, X, y))
        labels = Labels.known(classes.tolist())
        given = as_rules(self.rules)
        rules = bound_rules(given, table, labels, y)
        tell_uncovering(given, table)
        likely = {rule.origin: likeliest(rule.outcome, labels.texts) for rule in rules}
        originals = None
        if self.mode == "soft":
            explained = _explained(model, X) if rules and self.originals is None else self.originals
            originals = _paired(rules, explained, table, labels)
            self._goals = {
                name: Goal.of(
                    (piece.clause for piece in original),
                    inside=likeliest(original[0].outcome, labels.texts) == likely[name],
                )
                for name, original in originals.items()
            }
            self._mover = Mover(table, self._goals.values(), observed=self.values == "observed")
        self._answers = np.array([likely[rule.origin] for rule in rules], dtype=np.intp)
        shares = [list(rule.outcome.spread(labels.texts).values()) for rule in rules]
        self._shares = np.array(shares, dtype=np.float64).reshape(len(rules), len(classes))
        self.model_, self.classes_, self.rules_, self.originals_ = model, classes, rules, originals
        return self

    def _read(self, X: Any) -> tuple[Any, Attribution]:
        """Return rows as they came, and what the rules say of them."""
        check_is_fitted(self)
        X = as_frame(X)
        columns_known(self, X, reset=False)
        return X, Ruling.of(self.rules_).on(Table.from_frame(X))

    def _moved(self, frame: Any, rows: Attribution) -> Any:
        """Return rows as the model is to see them."""
        if self.originals_ is None:
            return frame
        for original in self.originals_.values():
            require_fit(original, rows.table.schema)
        journeys = [
            (self._goals[name], rows.rows_of(rule))
            for rule, name in enumerate(rows.ruling.names)
            if name in self._goals
        ]
        return self._mover.move(frame, rows.table, journeys)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict labels.

        Parameters
        ----------
        X : as in `fit`
            The rows.

        Returns
        -------
        ndarray
            In hard mode, for a covered row, its rule's most probable class; of equally probable ones one that the
            rule names, then the first of `classes_`. What a confidence leaves over is spread over the other classes.
        """
        frame, rows = self._read(X)
        predicted = ask(self.model_, self._moved(frame, rows))
        if self.originals_ is not None:
            return predicted
        return _ruled(rows.piece, self.classes_, self._answers, predicted)

    @available_if(part_has("model", "predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probability of each class.

        Parameters
        ----------
        X : as in `fit`
            The rows.

        Returns
        -------
        ndarray, shape (rows, classes)
            In hard mode, for a covered row, its rule's outcome.
        """
        frame, rows = self._read(X)
        chances = ask(self.model_, self._moved(frame, rows), "predict_proba").astype(np.float64)
        if chances.shape != (len(rows), len(self.classes_)):
            raise ModelError(
                f"The model gives probabilities of shape {chances.shape} for {len(self.classes_)} classes. "
                "A model without classes_ needs all labels: give y in fit."
            )
        if self.originals_ is None:
            piece = rows.piece
            chances[piece >= 0] = self._shares[piece[piece >= 0]]
        return chances

    def transform_rows(self, X: Any) -> Any:
        """Return rows as the model sees them.

        Parameters
        ----------
        X : as in `fit`
            The rows.

        Returns
        -------
        DataFrame or array
            A frame of the same kind, types and index; `X` itself if no row is moved, as always in hard mode.
        """
        return self._moved(*self._read(X))

    def apply(self, X: Any) -> NDArray[np.object_]:
        """Return the rule that each row belongs to.

        Parameters
        ----------
        X : as in `fit`
            The rows.

        Returns
        -------
        ndarray of str
            The names of the rules as written, empty where none covers a row.
        """
        return self._read(X)[1].named


def override(answers: Answers, rows: Attribution, labels: Labels) -> Answers:
    """Return what a model would say under a hard overlay, given what it said: the rules answer where they cover.

    Parameters
    ----------
    answers : Answers
        What the model said.

    rows : Attribution
        The rows, and what the rules say of them.

    labels : Labels
        Their labels: the classes of a model that does not tell its own.

    Returns
    -------
    Answers
        Without probabilities.
    """
    all_labels = labels if answers.classes is None else Labels.known(answers.classes)
    likely = np.array([likeliest(outcome, all_labels.texts) for outcome in rows.ruling.outcomes], dtype=np.intp)
    predicted = _ruled(rows.owner, np.asarray(all_labels.classes), likely, answers.predicted)
    return Answers(predicted, list(all_labels.classes), who=answers.who)


def _ruled(
    owner: NDArray[np.intp], classes: NDArray[Any], likely: NDArray[np.intp], predicted: NDArray[Any]
) -> NDArray[Any]:
    """Return predictions in which the rule of each covered row answers, with its likeliest class."""
    inside = owner >= 0
    return np.where(inside, classes[likely[owner]], predicted) if inside.any() else predicted


def _is_fitted(model: Any) -> bool:
    """Tell whether a model can predict as it is; one that scikit-learn could not clone and fit must."""
    if not hasattr(model, "fit") or not hasattr(model, "__sklearn_tags__"):
        return True
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _classes(model: Any, X: Any, y: Any) -> Any:
    """Return the classes of a model; one that does not tell has those of the labels, else those that it predicts."""
    if classes_of(model) is not None:
        return model.classes_
    return Labels.of(ask(model, X) if y is None else y).classes


def likeliest(outcome: Outcome, texts: tuple[str, ...]) -> int:
    """Return the most probable class of an outcome: of equals one that it names, then the first."""
    shares = outcome.spread(texts)
    return max(range(len(texts)), key=lambda code: (shares[texts[code]], texts[code] in outcome.labels, -code))


def _explained(model: Any, X: Any) -> Explanation:
    """Explain a model, or say what to do where there is nothing to explain."""
    try:
        return explain_model(model, X)
    except TableError as error:
        raise TableError(f"{error} Give the rules to correct as originals, or use mode='hard'.") from None


def _paired(rules: RuleSet, originals: Any, table: Table, labels: Labels) -> dict[str, RuleSet]:
    """Return the original of each rule that has one, by the rule's name."""
    if isinstance(originals, Explanation):
        return _matched(rules, originals.rules.bind(table.schema, labels.classes), table)
    names = rules.origins
    if isinstance(originals, dict):
        unknown = next((name for name in originals if name not in names), None)
        if unknown is not None:
            raise RuleError(f"originals has a rule for {unknown!r}, which is none. {nearest(str(unknown), names)}")
        pairs = {name: as_rules(originals[name]) for name in names if name in originals}
    else:
        listed = as_rules(() if originals is None else originals)
        if len(listed.origins) != len(names):
            raise RuleError(
                f"originals has {len(listed.origins)} rules, and rules has {len(names)}. "
                "Give one for each, in the same order, or a dict from the names of rules."
            )
        pairs = {name: RuleSet(listed.pieces(origin)) for name, origin in zip(names, listed.origins, strict=True)}
    for name, original in pairs.items():
        if len(original.origins) != 1:
            raise RuleError(f"originals has {len(original.origins)} rules for {name!r}. Give one.")
    return {name: original.bind(table.schema, labels.classes) for name, original in pairs.items()}


def _matched(rules: RuleSet, explained: RuleSet, table: Table) -> dict[str, RuleSet]:
    """Look for the original of each rule among those that a model follows; see the notes of `OverlayClassifier`."""
    originals = [RuleSet(explained.pieces(origin)) for origin in explained.origins]
    theirs = Ruling.of(explained).on(table).by_rule
    original_of, lost = {}, []
    for name, mine in zip(rules.origins, Ruling.of(rules).on(table).by_rule, strict=True):
        rule = RuleSet(rules.pieces(name))
        overlap = (mine & theirs).sum(axis=1) / np.maximum((mine | theirs).sum(axis=1), 1)
        shared = [len(set(rule.columns) & set(original.columns)) for original in originals]
        candidates = np.flatnonzero(overlap).tolist() or [
            place
            for place, original in enumerate(originals)
            if shared[place] and _can_meet(rule, original, table.schema)
        ]
        if candidates:
            original_of[name] = originals[max(candidates, key=lambda place: (overlap[place], shared[place]))]
        else:
            lost.append(name)
    if lost:
        warn_caller(
            f"The model follows no rule that {', '.join(map(repr, lost))} could correct: no row is moved for it. "
            "Give its original in originals."
        )
    return original_of


def _can_meet(rule: RuleSet, other: RuleSet, schema: Schema) -> bool:
    """Tell whether pieces of both could cover the same row."""
    pairs = itertools.product(rule, other)
    return any(not (one.clause & two.clause).is_empty(schema) for one, two in pairs)
