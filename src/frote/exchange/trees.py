"""The paths of a decision tree of scikit-learn as rules: whatever the row, the one that covers it says what it says."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.exceptions import ModelError
from frote.rules.clause import Clause
from frote.rules.condition import Condition
from frote.rules.outcome import Outcome
from frote.rules.rule import Rule
from frote.rules.ruleset import RuleSet

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["tree_rules"]

OUTCOMES = ("label", "shares")


def tree_rules(tree: Any, columns: Iterable[str] | None = None, *, outcome: str = "label") -> RuleSet:
    """Return the paths of a fitted decision tree as rules, one for each leaf; no two of them overlap.

    Parameters
    ----------
    tree : DecisionTreeClassifier
        A tree of scikit-learn that was fitted to columns of numbers, such as one of a forest's ``estimators_``.

    columns : iterable of str, default=None
        What the columns are called; by default as in the frame that the tree was fitted to, else ``x0``, ``x1`` and
        so on.

    outcome : {"label", "shares"}, default="label"
        Whether a rule sends rows to its leaf's most frequent label, or to the shares of all labels there.

    Returns
    -------
    RuleSet
        A rule ``leaf 3`` is of the tree's node 3.

    Raises
    ------
    ModelError
        If it is no fitted decision tree, or one whose paths rules cannot say.

    Notes
    -----
    A tree compares a value rounded to 32 bits with its threshold. So that every row goes where the tree sends it, a
    rule compares with the last number that is rounded to the left.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = pd.DataFrame({"age": [20, 25, 40, 60], "income": [10.0, 30.0, 30.0, 10.0]})
    >>> tree = DecisionTreeClassifier(random_state=0).fit(X, ["yes", "yes", "no", "no"])
    >>> print(frote.tree_rules(tree))
    leaf 1: IF age <= 32.50000190734863 THEN yes
    leaf 2: IF age > 32.50000190734863 OR age IS MISSING THEN no
    """
    if outcome not in OUTCOMES:
        raise ModelError(f"The outcome of a leaf is its label or its shares, not {outcome!r}.")
    nodes = getattr(tree, "tree_", None)
    if nodes is None or not hasattr(tree, "classes_"):
        raise ModelError(
            f"A fitted DecisionTreeClassifier has paths, and {type(tree).__name__} has none. Give a tree of a forest, "
            "or have the model explained by frote.explain_model."
        )
    if nodes.n_outputs != 1:
        raise ModelError("A tree of several outputs has no one label. Fit one to a single output.")
    names = _names(tree, columns)
    labels = [str(label) for label in tree.classes_]
    rules = []
    # From the root down, each node with the conditions that lead to it; the left side first.
    waiting: list[tuple[int, dict[str, Condition]]] = [(0, {})]
    while waiting:
        node, path = waiting.pop()
        left, right = int(nodes.children_left[node]), int(nodes.children_right[node])
        if left < 0:
            clause = Clause.of(path)
            # A cut that no number lies beyond leaves nothing on one side.
            if all(condition != Condition.nothing() for condition in path.values()):
                rules.append(Rule(f"leaf {node}", clause, _outcome(nodes.value[node][0], labels, outcome)))
            continue
        column = names[int(nodes.feature[node])]
        goes_left = _goes_left(nodes, node)
        for child, condition in ((right, ~goes_left), (left, goes_left)):
            kept = path[column] & condition if column in path else condition
            waiting.append((child, {**path, column: kept.settled()}))
    return RuleSet(rules)


def _names(tree: Any, columns: Iterable[str] | None) -> list[str]:
    count = int(tree.n_features_in_)
    if columns is None:
        return [str(name) for name in getattr(tree, "feature_names_in_", [f"x{place}" for place in range(count)])]
    names = [str(name) for name in columns]
    if len(names) != count or len(set(names)) != count:
        raise ModelError(
            f"The tree was fitted to {count} columns; give a name of its own to each, not {len(names)} names."
        )
    return names


def _goes_left(nodes: Any, node: int) -> Condition:
    """Return what a node sends to the left; where it has seen no missing values, these go the way of most rows."""
    threshold = float(nodes.threshold[node])
    missing = getattr(nodes, "missing_go_to_left", None)
    if threshold == math.inf:  # missing values are told from all others
        return ~Condition.is_missing() if missing is None or not missing[node] else Condition.anything()
    single = np.float32(threshold)
    below = single if float(single) <= threshold else np.nextafter(single, np.float32(-math.inf))
    above = np.nextafter(below, np.float32(math.inf))
    if not math.isfinite(float(above)):
        raise ModelError(f"Node {node} of the tree compares with {threshold:g}, beyond what 32 bits can hold.")
    middle = (float(below) + float(above)) / 2
    condition = Condition.compare("<=" if np.float32(middle) <= below else "<", middle)
    return condition | Condition.is_missing() if missing is not None and missing[node] else condition


def _outcome(value: Any, labels: list[str], outcome: str) -> Outcome:
    counts = np.asarray(value, dtype=float)
    if outcome == "label":
        return Outcome.of(labels[int(np.argmax(counts))])
    total = counts.sum()
    return Outcome.of({label: float(count / total) for label, count in zip(labels, counts, strict=True)})
