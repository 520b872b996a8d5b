"""Models that hold their rules: a model with switches, and one that is left alone where no rule applies."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from frote.caller import warn_caller
from frote.coverage.ruling import Ruling
from frote.coverage.said import chances_of, classes_of, labels_of
from frote.estimators.input import as_frame, columns_known
from frote.estimators.ways.switch_columns import rows_in, with_switches
from frote.estimators.ways.tilt import tilted
from frote.exceptions import RuleError, RuleWarning, nearest
from frote.rules import RuleSet
from frote.table import Schema, TypedFrame, lent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from frote.rules import Clause, Rule
    from frote.table import Column

__all__ = ["Anchored", "RuledModel", "Switched"]


class RuledModel(ClassifierMixin, BaseEstimator):
    """What both have in common: rows are read as those that they were fitted to, and rules are put on them.

    Parameters
    ----------
    estimator : classifier or pipeline
        What was fitted.

    Attributes
    ----------
    rules_ : RuleSet
        The rules that it keeps to: those that it was given, without any that was taken back.

    columns_ : tuple of Column
        The columns as they were read.

    classes_, feature_names_in_, n_features_in_
        As for any classifier of scikit-learn.
    """

    rules_: RuleSet
    columns_: tuple[Column, ...]
    classes_: NDArray[Any]

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    def _read(self, X: Any) -> TypedFrame:
        """Return rows, typed as those were that the model was fitted to."""
        X = as_frame(X)
        columns_known(self, X, reset=False)
        return TypedFrame.like(X, Schema(self.columns_))

    def without(self, rule: str) -> Self:
        """Take a rule back: return the model that no longer keeps to it. Nothing is trained.

        Rows of the rule belong to the next one that covers them, or to none.

        Parameters
        ----------
        rule : str
            The name of the rule as written.

        Returns
        -------
        Model of the same kind
        """
        if rule not in self.rules_.origins:
            raise RuleError(f"The model has no rule {rule!r}. {nearest(rule, self.rules_.origins)}")
        for name in self._silenced_without(rule):
            warn_caller(
                f"Rule {name!r} has no switch of its own, since other rules had all of its rows: without {rule!r}, the "
                "model answers for those that are left to it as if there were no rule. Fit again to put it in.",
                RuleWarning,
            )
        return self._left_with(RuleSet(piece for piece in self.rules_ if piece.origin != rule))

    def _silenced_without(self, rule: str) -> list[str]:
        """Return the rules that never learned their own switch, and may now need it."""
        raise NotImplementedError

    def _left_with(self, rules: RuleSet) -> Self:
        """Return the model with these rules alone."""
        raise NotImplementedError


class Switched(RuledModel):
    """One model that gets, beside what it gets otherwise, a column for each rule: whether the row belongs to it.

    Parameters
    ----------
    estimator : classifier or pipeline
        What was fitted.

    Attributes
    ----------
    front_ : Pipeline or None
        What comes before the columns of switches; None if they stand beside the caller's own columns.

    model_ : classifier
        What comes after them.

    switches_ : list of str
        The rules that have a column, in order.

    labels_ : list
        The labels of these columns.

    height_ : float
        The value of a switch that is on.

    tilts_ : dict of str to ndarray
        For rules whose outcome is no single class, what their probabilities are tilted by; see `tilt_towards`.
    """

    front_: Any
    model_: Any
    switches_: list[str]
    labels_: list[Any]
    height_: float
    tilts_: dict[str, NDArray[np.float64]]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict labels.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array
            The rows.

        Returns
        -------
        ndarray
        """
        rows = self._read(X)
        return self.labels_for(self.prepared(rows), self.switch_of(rows))

    @available_if(lambda self: hasattr(getattr(self, "model_", self.estimator), "predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probability of each class.

        Parameters
        ----------
        X : as in `predict`
            The rows.

        Returns
        -------
        ndarray, shape (rows, classes)
        """
        rows = self._read(X)
        return self.chances_for(self.prepared(rows), self.switch_of(rows))

    def switch_of(self, rows: TypedFrame) -> NDArray[np.intp]:
        """Return for each row the switch that is on: that of the rule which the row belongs to, -1 for none."""
        places = {name: place for place, name in enumerate(self.switches_)}
        switch = [places.get(name, -1) for name in self.rules_.origins]
        found: NDArray[np.intp] = np.array([*switch, -1], dtype=np.intp)[Ruling.of(self.rules_).on(rows.table).owner]
        return found

    def prepared(self, rows: TypedFrame) -> Any:
        """Return what the model gets of rows, but for the switches."""
        return lent(rows.frame) if self.front_ is None else self.front_.transform(rows.lent_to(self.front_))

    def labels_for(self, prepared: Any, switch: NDArray[np.intp]) -> NDArray[Any]:
        """Return the labels of rows, given what the model gets of them and which switch is on."""
        said = self.said("predict", prepared, switch)
        labels = labels_of(said, rows_in(prepared), type(self.model_).__name__)
        tilts = np.array([name in self.tilts_ for name in (*self.switches_, "")])
        if tilts[switch].any():  # most probable, now that their probabilities are others
            likely = self.classes_[self.chances_for(prepared, switch).argmax(axis=1)]
            labels = np.where(tilts[switch], likely, labels)
        return labels

    def chances_for(self, prepared: Any, switch: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return probabilities likewise."""
        said = self.said("predict_proba", prepared, switch)
        chances = _in_order_of(
            self.classes_, self.model_, chances_of(said, rows_in(prepared), type(self.model_).__name__)
        )
        for place, name in enumerate(self.switches_):
            if name in self.tilts_:
                mine = switch == place
                chances[mine] = tilted(chances[mine], self.tilts_[name])
        return chances

    def said(self, method: str, prepared: Any, switch: NDArray[np.intp]) -> Any:
        """Return what the model behind the switches itself says."""
        return getattr(self.model_, method)(with_switches(prepared, switch, self.labels_, self.height_))

    def _silenced_without(self, rule: str) -> list[str]:
        silent = [name for name in self.rules_.origins if name != rule and name not in self.switches_]
        heard = [piece.clause for piece in self.rules_ if piece.origin != rule and piece.origin in self.switches_]
        return [name for name in silent if not _all_inside(self.rules_.pieces(name), heard)]

    def _left_with(self, rules: RuleSet) -> Self:
        left = copy(self)
        left.rules_ = rules
        return left


class Anchored(RuledModel):
    """Two models: one with switches for the rows that belong to a rule, the initial one for all others.

    Parameters
    ----------
    estimator : classifier or pipeline
        What was fitted.

    Attributes
    ----------
    initial_ : classifier
        The model as it was.

    switched_ : Switched
        The model with switches.
    """

    initial_: Any
    switched_: Switched

    @classmethod
    def of(cls, switched: Switched, initial: Any) -> Self:
        """Let a model with switches answer for rows that belong to a rule, and the initial model for all others."""
        anchored = cls(switched.estimator)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(switched, name):
                setattr(anchored, name, getattr(switched, name))
        anchored.initial_, anchored.switched_ = initial, switched
        return anchored

    @property
    def rules_(self) -> RuleSet:  # type: ignore[override]
        """The rules that it keeps to."""
        return self.switched_.rules_

    @property
    def columns_(self) -> tuple[Column, ...]:  # type: ignore[override]
        """The columns as they were read."""
        return self.switched_.columns_

    @property
    def classes_(self) -> NDArray[Any]:  # type: ignore[override]
        """The classes."""
        return self.switched_.classes_

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict labels.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array
            The rows.

        Returns
        -------
        ndarray
        """
        rows = self._read(X)
        labels = labels_of(self.initial_.predict(rows.lent_to(self.initial_)), len(rows), type(self.initial_).__name__)
        places, inside, switch = self._inside(rows)
        if len(places):
            ruled = self.switched_.labels_for(self.switched_.prepared(inside), switch)
            labels = labels.astype(np.result_type(labels, ruled))  # a longer text would be cut
            labels[places] = ruled
        return labels

    @available_if(lambda self: hasattr(getattr(self, "initial_", self.estimator), "predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probability of each class.

        Parameters
        ----------
        X : as in `predict`
            The rows.

        Returns
        -------
        ndarray, shape (rows, classes)
        """
        rows = self._read(X)
        said = self.initial_.predict_proba(rows.lent_to(self.initial_))
        chances = _in_order_of(self.classes_, self.initial_, chances_of(said, len(rows), type(self.initial_).__name__))
        places, inside, switch = self._inside(rows)
        if len(places):
            chances[places] = self.switched_.chances_for(self.switched_.prepared(inside), switch)
        return chances

    def _inside(self, rows: TypedFrame) -> tuple[NDArray[np.intp], TypedFrame, NDArray[np.intp]]:
        """Return the positions of rows that belong to a rule, these rows, and their switches."""
        switch = self.switched_.switch_of(rows)
        places = np.flatnonzero(switch >= 0)
        return places, rows.take(places), switch[places]

    def _silenced_without(self, rule: str) -> list[str]:
        return self.switched_._silenced_without(rule)

    def _left_with(self, rules: RuleSet) -> Self:
        left = copy(self)
        left.switched_ = self.switched_._left_with(rules)
        return left


def _all_inside(pieces: Iterable[Rule], clauses: Sequence[Clause]) -> bool:
    """Tell whether each of some pieces of rules lies in one of some clauses."""
    return all(any(piece.clause.implies(clause) for clause in clauses) for piece in pieces)


def _in_order_of(classes: NDArray[Any], model: Any, chances: NDArray[Any]) -> NDArray[np.float64]:
    """Return probabilities with a column for each of some classes, in their order, as a new array."""
    known = classes_of(model)
    if known is None or known == classes.tolist():
        return chances.astype(np.float64)
    ordered = np.zeros((len(chances), len(classes)))
    for place, label in enumerate(classes.tolist()):
        if label in known:
            ordered[:, place] = chances[:, known.index(label)]
    return ordered
