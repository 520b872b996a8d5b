"""Tree ensembles, read out of the libraries that fit them: tests, trees, and what a leaf adds to each class.

Each library compares in its own way, and a proof must do so to the last bit: scikit-learn's trees compare 32-bit floats
with a 64-bit threshold, LightGBM's and the histogram ones 64-bit floats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

from frote._sklearn import histogram_features, histogram_trees, initial_scores
from frote.evidence.front import Feature, cannot_open, dense

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["Ensemble", "Split", "Tree", "as_ensemble"]

LEAF = -1


@dataclass(frozen=True, slots=True)
class Split:
    """A test of one feature, by which rows go left.

    Parameters
    ----------
    feature : int
        The feature.

    threshold : float
        Rows go left up to here; 0 where `members` are listed.

    members : frozenset of int or None
        The categories that go left.

    missing_left : bool
        Whether a missing value goes left.
    """

    feature: int
    threshold: float
    members: frozenset[int] | None
    missing_left: bool

    def left(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Tell which values go left."""
        gone = np.isnan(values)
        if self.members is None:
            inside = values.astype(np.float64) <= self.threshold  # a threshold is never rounded to 32 bits
        else:
            inside = np.isin(np.where(gone, -1, values).astype(np.int64), list(self.members))
        return np.where(gone, self.missing_left, inside)


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """One tree.

    Parameters
    ----------
    splits : list of int
        For each node the place of its test among those of the ensemble; -1 for a leaf.

    left, right : list of int
        Where its children are.

    values : ndarray, shape (nodes, classes)
        What a leaf adds to the score of each class.
    """

    splits: list[int]
    left: list[int]
    right: list[int]
    values: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Ensemble:
    """Trees whose leaves are added up; the class with the largest sum is the answer.

    Parameters
    ----------
    features : tuple of Feature
        What the tests are about.

    read : callable
        Turns what the classifier gets into the numbers that its tests compare.

    splits : list of Split
        All tests, each once.

    trees : list of Tree
        The trees.

    base : ndarray of float
        What the score of each class starts from.
    """

    features: tuple[Feature, ...]
    read: Callable[[Any], NDArray[Any]]
    splits: list[Split]
    trees: list[Tree]
    base: NDArray[np.float64]


class _Splits:
    """Tests, each once."""

    def __init__(self) -> None:
        self.places: dict[Split, int] = {}

    def place(self, split: Split) -> int:
        return self.places.setdefault(split, len(self.places))


def as_ensemble(model: Any, features: Sequence[Feature], sample: Any) -> Ensemble | None:
    """Read a fitted classifier as an ensemble of trees; None if it is none.

    Parameters
    ----------
    model : classifier
        The classifier.

    features : sequence of Feature
        What it gets.

    sample : matrix or frame
        Some rows of that.

    Returns
    -------
    Ensemble or None

    Raises
    ------
    ModelError
        If it is one that cannot be read.
    """
    features = tuple(features)
    if type(model) is DecisionTreeClassifier:
        return _averaged([model], model, features)
    if type(model) in (RandomForestClassifier, ExtraTreesClassifier):
        return _averaged(model.estimators_, model, features)
    if type(model) is GradientBoostingClassifier:
        return _boosted(model, features, sample)
    if type(model) is HistGradientBoostingClassifier:
        return _histograms(model, features)
    if type(model).__name__ == "LGBMClassifier" and hasattr(model, "booster_"):
        return _lightgbm(model, features)
    return None


def _single(features: Any) -> NDArray[np.float32]:
    """Return features as scikit-learn's trees get them."""
    with np.errstate(over="ignore"):
        return dense(features).astype(np.float32)


def _grown(tree: Any, values: NDArray[np.float64], splits: _Splits) -> Tree:
    """Read one of scikit-learn's trees, given what its nodes add."""
    goes_left = getattr(tree, "missing_go_to_left", np.zeros(tree.node_count))
    places = [
        LEAF if left < 0 else splits.place(Split(int(feature), float(threshold), None, bool(missing)))
        for left, feature, threshold, missing in zip(
            tree.children_left, tree.feature, tree.threshold, goes_left, strict=True
        )
    ]
    return Tree(places, tree.children_left.tolist(), tree.children_right.tolist(), values)


def _averaged(trees: Sequence[Any], model: Any, features: tuple[Feature, ...]) -> Ensemble:
    if model.n_outputs_ != 1:
        raise cannot_open(f"a {type(model).__name__} of several outputs")
    splits = _Splits()
    grown = []
    for one in trees:
        shares = one.tree_.value[:, 0, :]
        totals = shares.sum(axis=1, keepdims=True)
        grown.append(_grown(one.tree_, shares / np.where(totals == 0, 1.0, totals) / len(trees), splits))
    return Ensemble(features, _single, list(splits.places), grown, np.zeros(len(model.classes_)))


def _boosted(model: Any, features: tuple[Feature, ...], sample: Any) -> Ensemble:
    if not (model.init_ == "zero" or isinstance(model.init_, DummyClassifier)):
        raise cannot_open("a GradientBoostingClassifier that starts from another model")
    count = len(model.classes_)
    splits = _Splits()
    base, grown = np.zeros(count), []
    start = initial_scores(model, sample[:1])[0]
    for score, column in enumerate(model.estimators_.T):
        code = 1 if count == 2 else score
        base[code] = start[score]
        for one in column:
            values = np.zeros((one.tree_.node_count, count))
            values[:, code] = model.learning_rate * one.tree_.value[:, 0, 0]
            grown.append(_grown(one.tree_, values, splits))
    return Ensemble(features, _single, list(splits.places), grown, base)


def _histograms(model: Any, features: tuple[Feature, ...]) -> Ensemble:
    if model.is_categorical_ is not None:  # these come first
        order = [*np.flatnonzero(model.is_categorical_), *np.flatnonzero(~model.is_categorical_)]
        features = tuple(features[place] for place in order)
    count = len(model.classes_)
    splits = _Splits()
    base, grown = np.zeros(count), []
    start, rounds = histogram_trees(model)
    for score, value in enumerate(start.ravel()):
        base[1 if count == 2 else score] = value
    for trees in rounds:
        for score, one in enumerate(trees):
            values = np.zeros((len(one.nodes), count))
            values[:, 1 if count == 2 else score] = one.nodes["value"]
            places = []
            for node in one.nodes:
                members = _bits(one.raw_left_cat_bitsets[node["bitset_idx"]]) if node["is_categorical"] else None
                threshold = 0.0 if members is not None else float(node["num_threshold"])
                split = Split(int(node["feature_idx"]), threshold, members, bool(node["missing_go_to_left"]))
                places.append(LEAF if node["is_leaf"] else splits.place(split))
            left, right = (one.nodes[side].astype(int).tolist() for side in ("left", "right"))
            grown.append(Tree(places, left, right, values))
    return Ensemble(features, lambda rows: histogram_features(model, rows), list(splits.places), grown, base)


def _bits(words: NDArray[np.uint32]) -> frozenset[int]:
    return frozenset(
        32 * place + bit for place, word in enumerate(words.tolist()) for bit in range(32) if word >> bit & 1
    )


def _lightgbm(model: Any, features: tuple[Feature, ...]) -> Ensemble:
    dumped = model.booster_.dump_model()
    objective = dumped.get("objective", "").split(" ")[0]
    if objective not in ("binary", "multiclass"):
        raise cannot_open(f"an LGBMClassifier of objective {objective or 'of its own'!r}")
    count, per_round = len(model.classes_), dumped["num_tree_per_iteration"]
    splits, grown = _Splits(), []
    for place, one in enumerate(dumped["tree_info"]):
        score = place % per_round
        grown.append(_lightgbm_tree(one["tree_structure"], count, 1 if per_round == 1 else score, splits))
    known = model.booster_.pandas_categorical

    def read(rows: Any) -> NDArray[Any]:
        if not isinstance(rows, pd.DataFrame):
            numbers = dense(rows)
            return numbers if numbers.dtype in (np.float32, np.float64) else numbers.astype(np.float32)
        columns = rows.copy(deep=False)
        coded = [name for name, kind in columns.dtypes.items() if isinstance(kind, pd.CategoricalDtype)]
        for name, categories in zip(coded, known or [], strict=True):
            codes = columns[name].cat.set_categories(categories).cat.codes
            columns[name] = codes.where(codes >= 0, np.nan)
        target = np.result_type(*(kind.type for kind in columns.dtypes), np.float32)
        return columns.to_numpy(dtype=target, na_value=np.nan)

    return Ensemble(features, read, list(splits.places), grown, np.zeros(count))


def _lightgbm_tree(root: dict[str, Any], count: int, code: int, splits: _Splits) -> Tree:
    places: list[int] = []
    left: list[int] = []
    right: list[int] = []
    values: list[float] = []
    waiting = [(root, -1, left)]
    while waiting:
        node, parent, side = waiting.pop()
        here = len(places)
        if parent >= 0:
            side[parent] = here
        left.append(-1)
        right.append(-1)
        if "leaf_value" in node:
            places.append(LEAF)
            values.append(float(node["leaf_value"]))
            continue
        places.append(splits.place(_lightgbm_split(node)))
        values.append(0.0)
        waiting += [(node["left_child"], here, left), (node["right_child"], here, right)]
    added = np.zeros((len(values), count))
    added[:, code] = values
    return Tree(places, left, right, added)


def _lightgbm_split(node: dict[str, Any]) -> Split:
    feature = int(node["split_feature"])
    if node["decision_type"] == "==":
        members = frozenset(map(int, str(node["threshold"]).split("||")))
        return Split(feature, 0.0, members, missing_left=False)
    if node["missing_type"] == "Zero":
        raise cannot_open("an LGBMClassifier that takes zeros for missing values")
    threshold = float(node["threshold"])
    # Where nothing was missing in training, a missing value is taken for 0.
    missing_left = bool(node["default_left"]) if node["missing_type"] == "NaN" else threshold >= 0
    return Split(feature, threshold, None, missing_left)
