"""Whether a model from a file is sound: compiled code follows what trees and encoders say without a look.

scikit-learn's own code makes those numbers, so it does not check them when it predicts. A file may say anything, and a
tree that points beyond its end would end the whole program.
"""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.exceptions import ModelError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

__all__ = ["require_sound"]


def require_sound(model: Any, trusted: Collection[str]) -> None:
    """Refuse a model that could crash when it is asked, and let none start more workers than there are cores.

    Parameters
    ----------
    model : estimator
        What was read, and was not asked yet.

    trusted : collection of str
        Types that the caller answers for, which are not looked at.

    Raises
    ------
    ModelError
        With the type of the part that is not sound.
    """
    cores = os.cpu_count() or 1
    for part in _parts(model):
        kind = type(part)
        name = f"{kind.__module__}.{kind.__name__}"
        if name in trusted:
            continue
        own = getattr(part, "__dict__", {})
        check = CHECKS.get(name, _anything)
        # Nothing that stands in a file is called in place of a method.
        if not (own.keys().isdisjoint(dir(kind)) and _is_small(own) and check(part)):
            raise ModelError(f"its {kind.__name__} is not sound")
        if isinstance(own.get("n_jobs"), int):
            own["n_jobs"] = min(own["n_jobs"], cores)
        if own.get("_preprocessor") is not None:
            own["_preprocessor"] = _AsWide(own["_preprocessor"], own["n_features_in_"])


def _parts(model: Any) -> Iterator[Any]:
    """Go through all objects of a model, each once."""
    seen: set[int] = set()
    waiting = [model]
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, str | bytes | int | float | type | None):
            continue
        seen.add(id(part))
        if isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, list | tuple | set | frozenset):
            waiting += part
        elif isinstance(part, np.ndarray):
            waiting += part.ravel().tolist() if part.dtype == object else ()
        else:
            waiting += getattr(part, "__dict__", {}).values()
            yield part


def _anything(part: Any) -> bool:  # noqa: ARG001
    return True


def _is_small(own: dict[str, Any]) -> bool:
    """Tell whether answers will be as wide as there are classes, for one output, and of numbers."""
    classes = own.get("classes_", ())
    return (
        ("n_classes_" not in own or "classes_" not in own or own["n_classes_"] == len(classes))
        and own.get("n_outputs_", 1) == 1
        and own.get("n_trees_per_iteration_", 1) <= max(len(classes), 1)
        and _is_number(own.get("dtype"))
    )


def _is_number(dtype: Any) -> bool:
    """Tell whether a type of values is one of numbers; a text of any length would be as large in every row."""
    return dtype is None or np.dtype(dtype).kind in "biufO"


def _within(indices: Any, length: int) -> bool:
    """Tell whether whole numbers are positions in something of that length."""
    positions = np.asarray(indices)
    return positions.dtype.kind in "iu" and bool(np.all((positions >= 0) & (positions < length)))


def _leads_down(inner: NDArray[Any], *children: NDArray[Any]) -> bool:
    """Tell whether every inner node leads to later ones: within the tree, and to an end."""
    positions = np.flatnonzero(inner)
    return all(_within(child[inner], len(inner)) and bool(np.all(child[inner] > positions)) for child in children)


def _tree(tree: Any) -> bool:
    if not 0 < tree.node_count == tree.capacity:  # its arrays are views of memory, as long as it says
        return False
    inner = tree.children_left != -1
    return _leads_down(inner, tree.children_left, tree.children_right) and _within(tree.feature[inner], tree.n_features)


def _decision_tree(model: Any) -> bool:
    if not hasattr(model, "tree_"):
        return True  # one to be fitted
    return type(model.n_features_in_) is int and bool(model.tree_.n_features == model.n_features_in_)


def _forest(model: Any) -> bool:
    """Its trees are asked without a look at how wide the table is."""
    trees = getattr(model, "estimators_", ())
    return all(_decision_tree(tree) and tree.n_features_in_ == model.n_features_in_ for tree in trees)


def _boosting(model: Any) -> bool:
    if not hasattr(model, "_predictors"):
        return True
    categorical = np.asarray(model._bin_mapper.is_categorical_, dtype=bool)
    sound = type(model.n_features_in_) is int and categorical.shape == (model.n_features_in_,)
    sound = sound and not getattr(model, "_in_fit", False)
    return sound and all(_predictor(tree, categorical) for stage in model._predictors for tree in stage)


def _predictor(tree: Any, categorical: NDArray[np.bool_]) -> bool:
    nodes, sets = tree.nodes, tree.raw_left_cat_bitsets
    inner = nodes["is_leaf"] == 0
    by_set = inner & (nodes["is_categorical"] != 0)
    sound = len(nodes) > 0 and _leads_down(inner, nodes["left"], nodes["right"])
    sound = sound and _within(nodes["feature_idx"][inner], len(categorical))
    sound = sound and bool(categorical[nodes["feature_idx"][by_set]].all())
    return sound and sets.ndim == 2 and sets.shape[1] == 8 and _within(nodes["bitset_idx"][by_set], len(sets))


class _AsWide:
    """A transformer whose tables are as wide as they should be, or there is none."""

    def __init__(self, inner: Any, width: int) -> None:
        self.inner = inner
        self.width = width

    def transform(self, X: Any) -> Any:
        matrix = self.inner.transform(X)
        if np.ndim(matrix) != 2 or matrix.shape[1] != self.width:
            raise ModelError("its HistGradientBoostingClassifier is not sound")
        return matrix


def _one_hot(encoder: Any) -> bool:
    """Tell whether every code that it can find is a column of the matrix that it makes."""
    if not hasattr(encoder, "categories_"):
        return True
    levels, dropped = encoder.categories_, encoder._drop_idx_after_grouping
    rare = encoder._infrequent_indices if encoder._infrequent_enabled else [None] * len(levels)
    mapped = encoder._default_to_infrequent_mappings if encoder._infrequent_enabled else [None] * len(levels)
    gone = [None] * len(levels) if dropped is None else list(dropped)
    if type(encoder.n_features_in_) is not int or encoder.n_features_in_ != len(levels):
        return False
    widths = []
    for own_levels, few, codes, drop in zip(levels, rare, mapped, gone, strict=True):
        width = len(own_levels) - (0 if few is None else len(few) - 1)
        sound = width > 0 and _in_order(own_levels) and (drop is None or _within(drop, width))
        sound = sound and (few is None) == (codes is None)
        if not sound or (few is not None and not (_within(few, len(own_levels)) and len(codes) == len(own_levels))):
            return False
        if codes is not None and not _within(codes, width):
            return False
        widths.append(width - (drop is not None))
    return list(encoder._n_features_outs) == widths


def _in_order(levels: Any) -> bool:
    """Tell whether levels are texts, or numbers that grow, as a search by halves needs; missing ones are last."""
    present = levels.tolist()
    while present and (present[-1] is None or present[-1] != present[-1]):
        present.pop()
    if all(isinstance(level, str) for level in present):
        return True
    return all(isinstance(level, int | float) for level in present) and all(a < b for a, b in pairwise(present))


def _names_plainly(transformer: Any) -> bool:
    """Tell whether names of columns are no pattern, which could ask for names of any length."""
    return isinstance(transformer.verbose_feature_names_out, bool)


def _as_it_is(transformer: Any) -> bool:
    return transformer.kw_args in (None, {})


def _prepared(function: Any) -> bool:
    dtype = function.keywords.get("dtype")
    return not function.args and all(map(_is_number, dtype if isinstance(dtype, list | tuple) else [dtype]))


def _isotonic(model: Any) -> bool:
    """Tell whether its function was made from its thresholds, which grow: it would be called, whatever it is."""
    own = vars(model)
    ends = [own.get(name) for name in ("X_thresholds_", "y_thresholds_")]
    if "f_" not in own:
        return True  # one to be fitted
    if not all(isinstance(one, np.ndarray) and one.ndim == 1 and one.dtype.kind == "f" and len(one) for one in ends):
        return False
    return len(ends[0]) == len(ends[1]) and bool(np.all(np.diff(ends[0]) > 0))


def _chance(source: Any) -> bool:
    state = source.get_state(legacy=False)
    return state["bit_generator"] == "MT19937" and _within(state["state"]["pos"], 625)


CHECKS = {
    "functools.partial": _prepared,
    "numpy.random.mtrand.RandomState": _chance,
    "sklearn.compose._column_transformer.ColumnTransformer": _names_plainly,
    "sklearn.ensemble._forest.ExtraTreesClassifier": _forest,
    "sklearn.ensemble._forest.RandomForestClassifier": _forest,
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingClassifier": _boosting,
    "sklearn.isotonic.IsotonicRegression": _isotonic,
    "sklearn.preprocessing._encoders.OneHotEncoder": _one_hot,
    "sklearn.preprocessing._function_transformer.FunctionTransformer": _as_it_is,
    "sklearn.tree._classes.DecisionTreeClassifier": _decision_tree,
    "sklearn.tree._classes.ExtraTreeClassifier": _decision_tree,
    "sklearn.tree._tree.Tree": _tree,
}
