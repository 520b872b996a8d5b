"""The paths of trees: each row is covered by the rule of its leaf, also where it meets a threshold or is missing."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from frote import FroteError, parse_rules, tree_rules


def rows_on_thresholds(tree, X):
    """Return rows with values at each threshold, and at the numbers around it that are rounded one way or the other."""
    thresholds = tree.tree_.threshold[np.isfinite(tree.tree_.threshold) & (tree.tree_.feature >= 0)]
    single = thresholds.astype(np.float32)
    after = np.nextafter(single, np.float32(np.inf)).astype(float)
    middle = (single.astype(float) + after) / 2
    near = [
        X.to_numpy().ravel()[:50],
        thresholds,
        np.nextafter(thresholds, np.inf),
        single.astype(float),
        after,
        middle,
    ]
    values = np.concatenate([*near, np.nextafter(middle, np.inf), np.nextafter(middle, -np.inf)])
    return pd.DataFrame({name: np.random.default_rng(0).permutation(values) for name in X})


@pytest.mark.parametrize("seed", range(12))
def test_rules_say_what_the_tree_says(seed):
    rng = np.random.default_rng(seed)
    columns = {"a b": rng.normal(size=150).round(seed % 4), "c": rng.integers(0, 9, 150) * 1.0, "d": rng.random(150)}
    X = pd.DataFrame(columns)
    if seed % 2:
        X = X.mask(rng.random(X.shape) < 0.1)
    tree = DecisionTreeClassifier(max_depth=6, random_state=seed).fit(X, rng.choice(["yes", "no", "0"], 150))
    rows = rows_on_thresholds(tree, X.fillna(0))
    rows = rows.mask(rng.random(rows.shape) < 0.1)
    rules, shares = tree_rules(tree), tree_rules(tree, outcome="shares")
    covered = np.array([rule.mask(rows) for rule in rules])
    assert (covered.sum(axis=0) == 1).all()
    which = covered.argmax(axis=0)
    assert [rules[place].outcome.labels[0] for place in which] == tree.predict(rows).tolist()
    said = np.array([[shares[place].outcome[label] for label in tree.classes_] for place in which])
    assert np.allclose(said, tree.predict_proba(rows))
    assert parse_rules(str(rules)) == rules
    assert rules.conflicts() == []


def test_names_of_columns():
    tree = DecisionTreeClassifier(max_depth=1).fit(np.array([[1.0], [2.0]]), [0, 1])
    assert tree_rules(tree).columns == ("x0",)
    assert tree_rules(tree, ["age"]).columns == ("age",)
    assert str(tree_rules(DecisionTreeClassifier().fit(np.ones((3, 1)), [1, 1, 1]))) == "leaf 0: IF TRUE THEN 1"


@pytest.mark.parametrize(
    ("model", "more", "said"),
    [
        (DecisionTreeClassifier(), {}, "A fitted DecisionTreeClassifier has paths"),
        (RandomForestClassifier(2).fit([[1], [2]], [0, 1]), {}, "and RandomForestClassifier has none. Give a tree"),
        (DecisionTreeClassifier().fit([[1], [2]], [[0, 1], [1, 1]]), {}, "several outputs"),
        (DecisionTreeClassifier().fit([[1], [2]], [0, 1]), {"columns": ["a", "b"]}, "fitted to 1 columns"),
        (DecisionTreeClassifier().fit([[1], [2]], [0, 1]), {"outcome": "votes"}, "its label or its shares"),
    ],
)
def test_what_has_no_paths(model, more, said):
    with pytest.raises(FroteError, match=said):
        tree_rules(model, **more)
