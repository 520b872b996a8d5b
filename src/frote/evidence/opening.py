"""Models looked into: who answers in which part of a rule, with which features.

A model may hold rules of its own: an overlay answers by them, a model with switches gets a feature for each. Where such
a rule decides, the rows of a clause fall into parts, and in each of them one plain classifier answers, or the rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.preprocessing import LabelEncoder

from frote.estimators.classifier import FROTEClassifier
from frote.estimators.overlay import OverlayClassifier, likeliest
from frote.estimators.ways.models import Anchored, Switched
from frote.estimators.ways.switch_columns import rows_in, with_switches
from frote.evidence.front import Front, cannot_open
from frote.rules.partition import subtract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from frote.rules import Clause, RuleSet
    from frote.table import Schema, Table, TypedFrame

__all__ = ["Always", "Answering", "Part", "parts_of"]


@dataclass(frozen=True, slots=True)
class Always:
    """One answer, whatever the row is.

    Parameters
    ----------
    label : str
        Its text.
    """

    label: str


@dataclass(frozen=True, slots=True, eq=False)
class Answering:
    """A classifier and what stands before it.

    Parameters
    ----------
    front : Front
        What makes its features.

    classifier : classifier
        The classifier.

    classes : tuple of str
        The texts of its classes, in the order of its scores.
    """

    front: Front
    classifier: Any
    classes: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A part of a clause, and who answers there."""

    clause: Clause
    by: Always | Answering


def parts_of(model: Any, clause: Clause, table: Table) -> Iterator[Part]:
    """Go through the parts of a clause, and who answers in each.

    Parameters
    ----------
    model : fitted classifier
        The model.

    clause : Clause
        Which rows are asked about.

    table : Table
        Rows of the columns that they have.

    Returns
    -------
    iterator of Part

    Raises
    ------
    ModelError
        If the model cannot be looked into.
    """
    if isinstance(model, FROTEClassifier):
        yield from parts_of(model.estimator_, clause, table)
    elif isinstance(model, OverlayClassifier):
        if model.originals_ is not None:
            raise cannot_open("an overlay that moves rows (mode='soft')")
        texts = tuple(map(str, model.classes_.tolist()))
        for part, origin in _by_rule(clause, model.rules_, table.schema):
            if origin is None:
                yield from parts_of(model.model_, part, table)
            else:
                yield Part(part, Always(texts[likeliest(model.rules_.pieces(origin)[0].outcome, texts)]))
    elif isinstance(model, Anchored | Switched):
        switched = model.switched_ if isinstance(model, Anchored) else model
        for part, origin in _by_rule(clause, switched.rules_, table.schema):
            switch = switched.switches_.index(origin) if origin in switched.switches_ else -1
            if switch < 0 and isinstance(model, Anchored):
                yield from parts_of(model.initial_, part, table)
            elif origin in switched.tilts_:
                raise cannot_open(f"the answers to rule {origin!r}, whose outcome is no single class")
            else:
                yield Part(part, _with_switch(switched, switch, table))
    else:
        front, classifier = Front.before(model, table)
        yield Part(clause, _answering(front, classifier))


def _by_rule(clause: Clause, rules: RuleSet, schema: Schema) -> list[tuple[Clause, str | None]]:
    """Split a clause by the first of some rules that covers a row; None where none does."""
    rest, parts = [clause], []
    for piece in rules:
        left = []
        for one in rest:
            shared = one & piece.clause
            if shared.is_empty(schema):
                left.append(one)
                continue
            parts.append((shared, piece.origin))
            left += subtract(one, [piece.clause], schema)
        rest = left
    return [*parts, *((one, None) for one in rest)]


def _with_switch(model: Switched, switch: int, table: Table) -> Answering:
    """Return who answers in a model with switches, one of which is on, or none."""
    if model.front_ is None:
        front = Front.none(model, table)
    else:
        features, jumps = Front.through(model.front_, Front.none(model, table).features, table)
        front = Front(features, lambda rows: model.front_.transform(rows.lent_to(model.front_)), jumps)
    made = front.made

    def switched(rows: TypedFrame) -> Any:
        prepared = made(rows)
        on = np.full(rows_in(prepared), switch, dtype=np.intp)
        return with_switches(prepared, on, model.labels_, model.height_)

    beside = front.with_constants(len(model.labels_), switched)
    return _answering(*beside.then(model.model_, table))


def _answering(front: Front, classifier: Any) -> Answering:
    classes = getattr(classifier, "classes_", None)
    # Around a classifier that takes only 0, 1, 2, ... stands what knows their labels, in the same order.
    if isinstance(getattr(classifier, "labels_", None), LabelEncoder) and hasattr(classifier, "estimator_"):
        classifier = classifier.estimator_
    if classes is None or getattr(classes, "ndim", 1) != 1:
        raise cannot_open(f"{type(classifier).__name__}, which does not tell its classes")
    return Answering(front, classifier, tuple(map(str, np.asarray(classes).tolist())))
