"""Tree ensembles, read out of the libraries that fit them: tests, trees, and what a leaf adds to each class.

Each library compares in its own way, and a proof must do so to the last bit: scikit-learn's trees compare 32-bit floats
with a 64-bit threshold, LightGBM's and the histogram ones 64-bit floats, XGBoost's 32-bit ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier

from frote._sklearn import histogram_features, histogram_trees, initial_scores
from frote.evidence.boosters import lightgbm_ensemble, xgboost_ensemble
from frote.evidence.ensemble import LEAF, Ensemble, Split, Splits, Tree
from frote.evidence.front import cannot_open, dense

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.evidence.front import Feature

__all__ = ["as_ensemble"]


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
        return lightgbm_ensemble(model, features)
    if type(model).__name__ == "XGBClassifier" and hasattr(model, "get_booster"):
        return xgboost_ensemble(model, features, sample)
    return None


def _single(features: Any) -> NDArray[np.float32]:
    """Return features as scikit-learn's trees get them."""
    with np.errstate(over="ignore"):
        return dense(features).astype(np.float32)


def _grown(tree: Any, values: NDArray[np.float64], splits: Splits) -> Tree:
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
    splits = Splits()
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
    splits = Splits()
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
    splits = Splits()
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
