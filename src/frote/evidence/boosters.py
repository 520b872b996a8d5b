"""LightGBM and XGBoost, read as ensembles of trees."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from frote.evidence.ensemble import LEAF, Ensemble, Split, Splits, Tree
from frote.evidence.front import cannot_open, dense

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frote.evidence.front import Feature

__all__ = ["lightgbm_ensemble", "xgboost_ensemble"]

SINGLE = 2.0**-23  # what a sum of 32-bit floats may be off by, for each of its terms


def lightgbm_ensemble(model: Any, features: tuple[Feature, ...]) -> Ensemble:
    """Read an LGBMClassifier.

    Raises
    ------
    ModelError
        If it cannot be read.
    """
    dumped = model.booster_.dump_model()
    objective = dumped.get("objective", "").split(" ")[0]
    if objective not in ("binary", "multiclass"):
        raise cannot_open(f"an LGBMClassifier of objective {objective or 'of its own'!r}")
    count, per_round = len(model.classes_), dumped["num_tree_per_iteration"]
    splits, grown = Splits(), []
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


def _lightgbm_tree(root: dict[str, Any], count: int, code: int, splits: Splits) -> Tree:
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


def xgboost_ensemble(model: Any, features: tuple[Feature, ...], sample: Any) -> Ensemble:
    """Read an XGBClassifier, which compares and adds up 32-bit floats.

    In a sparse matrix, such as the sample may be, it takes what is not there for missing.

    Raises
    ------
    ModelError
        If it cannot be read.
    """
    learner = json.loads(model.get_booster().save_raw("json").decode())["learner"]
    grown, objective = learner["gradient_booster"], learner["objective"]["name"]
    if objective not in ("binary:logistic", "multi:softprob", "multi:softmax"):
        raise cannot_open(f"an XGBClassifier of objective {objective!r}")
    if grown["name"] != "gbtree":
        raise cannot_open(f"an XGBClassifier whose booster is {grown['name']!r}")
    if not math.isnan(model.missing):
        raise cannot_open(f"an XGBClassifier that takes {model.missing!r} for missing")
    count, splits, trees, sparse = len(model.classes_), Splits(), [], hasattr(sample, "tocoo")
    last = getattr(model, "best_iteration", None) if model.early_stopping_rounds else None
    rounds = grown["model"]["iteration_indptr"]
    used = len(grown["model"]["trees"]) if last is None else rounds[last + 1]
    for one, score in zip(grown["model"]["trees"][:used], grown["model"]["tree_info"][:used], strict=True):
        trees.append(_xgboost_tree(one, count, 1 if count == 2 else score, splits, sparse))
    base = _xgboost_base(learner["learner_model_param"]["base_score"], objective, count)
    return Ensemble(features, _xgboost_numbers, list(splits.places), trees, base, SINGLE * (len(trees) + 2))


def _xgboost_base(text: str, objective: str, count: int) -> NDArray[np.float64]:
    """Return what scores start from: one number for all classes, or a list of one or more of them."""
    said = np.atleast_1d(np.asarray(json.loads(text), dtype=np.float64))
    if objective == "binary:logistic":
        return np.array([0.0, math.log(said[0] / (1 - said[0]))])
    return np.broadcast_to(said, count).copy()


def _xgboost_tree(one: dict[str, Any], count: int, code: int, splits: Splits, sparse: bool) -> Tree:
    if any(one["split_type"]):
        raise cannot_open("an XGBClassifier that takes categories")
    left, right = one["left_children"], one["right_children"]
    places = [
        LEAF if below < 0 else splits.place(Split(feature, _last_below(condition), None, bool(missing), sparse))
        for below, feature, condition, missing in zip(
            left, one["split_indices"], one["split_conditions"], one["default_left"], strict=True
        )
    ]
    values = np.zeros((len(left), count))
    values[:, code] = np.where(np.asarray(left) < 0, np.asarray(one["split_conditions"], dtype=np.float32), 0)
    return Tree(places, left, right, values)


def _last_below(condition: float) -> float:
    """Return the largest 32-bit float that goes left: those below the condition do, and it itself does not."""
    return float(np.nextafter(np.float32(condition), np.float32(-np.inf)))


def _xgboost_numbers(rows: Any) -> NDArray[Any]:
    """Return features as XGBoost gets them."""
    if isinstance(rows, pd.DataFrame) and any(isinstance(kind, pd.CategoricalDtype) for kind in rows.dtypes):
        raise cannot_open("an XGBClassifier that takes categories")
    if hasattr(rows, "tocoo") and (rows.tocoo().data == 0).any():
        raise cannot_open("an XGBClassifier that gets sparse matrices in which some zeros are there and some are not")
    with np.errstate(over="ignore"):
        return dense(rows).astype(np.float32)
