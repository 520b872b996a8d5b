"""What stands before a classifier: the features that it gets, and the column that each of them is made of.

A proof needs each feature to be made of one column alone and, along numbers, to rise with them or to jump at known
points. Which transformers do so is a list; what they compute is asked of themselves, so that a proof speaks of the very
floats that the classifier gets.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

from frote._sklearn import inputs_of_parts
from frote.coverage.asking import knows_all, own_columns
from frote.estimators.encoding import TabularEncoder
from frote.exceptions import ModelError
from frote.table import lent
from frote.table.columns import labels_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from frote.table import Table, TypedFrame

__all__ = ["CONSTANT", "Feature", "Front", "cannot_open", "dense"]

CONSTANT = -1  # the column of a feature that is the same for all rows asked about
SCALERS = (StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler)


def cannot_open(what: str) -> ModelError:
    """Say that a model cannot be looked into, and what is left to do."""
    return ModelError(f"Nothing can be proven of {what}. frote.stress tries its answers on many rows.")


def dense(numbers: Any) -> NDArray[Any]:
    """Return a matrix or frame as an array."""
    return np.asarray(numbers.toarray() if hasattr(numbers, "toarray") else numbers)


@dataclass(frozen=True, slots=True)
class Feature:
    """A number that a classifier gets.

    Parameters
    ----------
    column : int
        The place of the column that it is made of; `CONSTANT` if of none.

    plain : bool
        Whether it is the column's own value.
    """

    column: int
    plain: bool = False


@dataclass(frozen=True, eq=False)
class Front:
    """What stands before a classifier.

    Parameters
    ----------
    features : tuple of Feature
        What the classifier gets.

    made : callable
        Makes the features of rows, as the classifier gets them.

    jumps : dict of int to list
        For columns of numbers, the values at which features may jump.
    """

    features: tuple[Feature, ...]
    made: Callable[[TypedFrame], Any]
    jumps: dict[int, list[float]] = field(default_factory=dict)

    @classmethod
    def none(cls, model: Any, table: Table) -> Front:
        """Return what a model gets of rows before its first step: the columns that it knows, in its order."""
        names = table.schema.names
        if knows_all(model, table):
            places = list(range(len(names)))
        else:
            frame = table.take([]).to_frame()
            labels = labels_of(frame) or {}
            place_of = {label: names.index(text) for text, label in labels.items()}
            places = [place_of[label] for label in own_columns(model, frame)[0].columns]

        def made(rows: TypedFrame) -> Any:
            return lent(rows.frame if knows_all(model, table) else own_columns(model, rows.frame)[0])

        return cls(tuple(Feature(place, plain=True) for place in places), made)

    @classmethod
    def before(cls, model: Any, table: Table) -> tuple[Front, Any]:
        """Return what stands before the classifier of a model, and the classifier."""
        front = cls.none(model, table)
        if type(model) is not Pipeline:
            return front, model
        steps, last = model[:-1], model[-1]
        if not len(steps):
            return front, last
        own = knows_all(model, table)

        def made(rows: TypedFrame) -> Any:
            return steps.transform(rows.lent_to(steps) if own else front.made(rows))

        features, jumps = cls.through(steps, front.features, table)
        return cls(features, made, jumps), last

    @staticmethod
    def through(
        steps: Any, features: Sequence[Feature], table: Table
    ) -> tuple[tuple[Feature, ...], dict[int, list[float]]]:
        """Return the features that fitted transformers make of others, and where those of numbers may jump."""
        made, jumps = _through(steps, list(features), table)
        return tuple(made), jumps

    def with_constants(self, count: int, made: Callable[[TypedFrame], Any]) -> Front:
        """Return the same with further features behind, each of them constant on the rows asked about."""
        return replace(self, features=(*self.features, *[Feature(CONSTANT)] * count), made=made)

    def then(self, model: Any, table: Table) -> tuple[Front, Any]:
        """Return what stands before the classifier of a model that gets these features, and the classifier."""
        if type(model) is not Pipeline or len(model) < 2:
            return self, model[-1] if type(model) is Pipeline else model
        steps = model[:-1]
        features, jumps = self.through(steps, self.features, table)
        made = self.made
        return Front(features, lambda rows: steps.transform(made(rows)), {**self.jumps, **jumps}), model[-1]


def _through(step: Any, features: list[Feature], table: Table) -> tuple[list[Feature], dict[int, list[float]]]:
    """Return the features that a fitted transformer makes of others, and where those of numbers may jump."""
    jumps: dict[int, list[float]] = {}
    if step is None or step == "passthrough" or (type(step) is FunctionTransformer and step.func is None):
        return features, jumps
    if type(step) is Pipeline:
        for _, one in step.steps:
            features, more = _through(one, features, table)
            jumps = _joined(jumps, more)
        return features, jumps
    if isinstance(step, SCALERS) and not getattr(step, "clip", False):
        return [Feature(one.column) for one in features], jumps
    if isinstance(step, TabularEncoder):
        return _encoded(step, features), jumps
    if isinstance(step, ColumnTransformer):
        return _side_by_side(step, features, table)
    if isinstance(step, SimpleImputer):
        return _imputed(step, features), jumps
    if isinstance(step, MissingIndicator):
        return [Feature(features[place].column) for place in step.features_], jumps
    if isinstance(step, OneHotEncoder | OrdinalEncoder):
        return _categories(step, features, table)
    raise cannot_open(f"a model behind {type(step).__name__}, which may mix columns")


def _joined(one: dict[int, list[float]], other: dict[int, list[float]]) -> dict[int, list[float]]:
    return {place: [*one.get(place, []), *other.get(place, [])] for place in (*one, *other)}


def _encoded(step: TabularEncoder, features: list[Feature]) -> list[Feature]:
    """Return the features of our own encoder: numbers, what is missing of them, levels; or one for each column."""
    if step.output == "frame":
        return [Feature(one.column) for one in features]
    of = {column.name: one for column, one in zip(step.columns_, features, strict=True)}
    numbers = [column.name for column in step.columns_ if not column.kind.has_levels]
    coded = [column.name for column in step.columns_ if column.kind.has_levels]
    names = [*numbers, *step._gaps]
    if step._one_hot is not None:
        for name, categories in zip(coded, step._one_hot.categories_, strict=True):
            names += [name] * len(categories)
    return [Feature(of[name].column) for name in names]


def _side_by_side(
    step: ColumnTransformer, features: list[Feature], table: Table
) -> tuple[list[Feature], dict[int, list[float]]]:
    made: dict[int, Feature] = {}
    jumps: dict[int, list[float]] = {}
    inputs = inputs_of_parts(step)
    for name, part, _ in step.transformers_:
        places = step.output_indices_[name]
        if part == "drop" or places.start == places.stop:
            continue
        mine, more = _through(part, [features[place] for place in inputs[name]], table)
        made.update(zip(range(places.start, places.stop), mine, strict=True))
        jumps = _joined(jumps, more)
    return [made[place] for place in sorted(made)], jumps


def _imputed(step: SimpleImputer, features: list[Feature]) -> list[Feature]:
    kept = features
    if not step.keep_empty_features and step.strategy != "constant":
        gone = [isinstance(one, float) and np.isnan(one) for one in step.statistics_.tolist()]
        kept = [one for one, lost in zip(features, gone, strict=True) if not lost]
    said = [] if step.indicator_ is None else [Feature(features[place].column) for place in step.indicator_.features_]
    return [*kept, *said]


def _categories(
    step: OneHotEncoder | OrdinalEncoder, features: list[Feature], table: Table
) -> tuple[list[Feature], dict[int, list[float]]]:
    made: list[Feature] = []
    jumps: dict[int, list[float]] = {}
    if getattr(step, "infrequent_categories_", None) and any(one is not None for one in step.infrequent_categories_):
        raise cannot_open(f"a model behind {type(step).__name__} with infrequent categories")
    dropped: Sequence[Any] | None = getattr(step, "drop_idx_", None)
    for place, (one, categories) in enumerate(zip(features, step.categories_, strict=True)):
        if one.column != CONSTANT and not table.schema.columns[one.column].kind.has_levels:
            if not one.plain or not table.schema.columns[one.column].kind.is_number:
                raise cannot_open(f"a model behind {type(step).__name__} of numbers that were changed before")
            jumps[one.column] = [float(value) for value in categories if value == value and value is not None]
        lost = dropped is not None and dropped[place] is not None
        count = 1 if isinstance(step, OrdinalEncoder) else len(categories) - lost
        made += [Feature(one.column)] * count
    return made, jumps
