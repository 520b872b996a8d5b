"""Boolean rules by column generation: seconds, accuracy, length, and how far they explain a model.

`accuracy` compares with decision trees on the same folds; `ratio` divides the time of a fit by that of one linear
program, in the same run; `fidelity` explains LightGBM on the paper's eight data sets. Needs the data (FROTE_DATA).
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeClassifier

import frote
from frote.datasets import PAPER_DATASETS, load
from frote.explain.literals import Literals
from frote_experiments.models import make_model
from results import keep
from timing import timed

FOLDS = 5
ACCURACY_HEADS = (
    ("data", "data", "", ""),
    ("seconds a fold", "seconds", "", ".1f"),
    ("accuracy", "accuracy", "spread", ".4f"),
    ("rules", "rules", "", ".1f"),
    ("conditions", "conditions", "", ".1f"),
    ("accuracy of trees", "trees", "trees_spread", ".4f"),
    ("leaves", "leaves", "", ".1f"),
)
RATIO_HEADS = (
    ("literals", "literals", "", ".0f"),
    ("fit", "fit", "", ".2f"),
    ("first master program", "program", "", ".3f"),
    ("ratio", "ratio", "", ".1f"),
    ("from", "least", "", ".1f"),
    ("to", "most", "", ".1f"),
)
FIDELITY_HEADS = (
    ("data", "data", "", ""),
    ("seconds", "seconds", "", ".1f"),
    ("seen rows", "all", "", ".3f"),
    ("inside", "inside", "", ".3f"),
    ("covered", "covered", "", ".3f"),
    ("held-out rows", "out_all", "", ".3f"),
    ("inside, held out", "out_inside", "", ".3f"),
    ("covered, held out", "out_covered", "", ".3f"),
    ("rules", "rules", "", ".0f"),
    ("conditions", "conditions", "", ".0f"),
)
LEAVES = [2, 4, 8, 16, 32, 64, 128, 256]


def data_of(name: str) -> tuple[Any, Any]:
    """Return rows and labels; breast cancer is scikit-learn's, which AIX360's benchmark can load too."""
    if name == "breast_cancer":
        X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        return X, y.to_numpy()
    data = load(name)
    return data.X, data.y.to_numpy()


def accuracy() -> None:
    """Keep what five folds give, for rules and for trees whose number of leaves is tuned within each training fold."""
    lines = []
    for name in ("breast_cancer", "mushroom", "adult"):
        X, y = data_of(name)
        folds = []
        for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
            start = time.perf_counter()
            model = frote.RuleSetClassifier().fit(X.iloc[train], y[train])
            seconds = time.perf_counter() - start
            tree = GridSearchCV(
                frote.default_pipeline(DecisionTreeClassifier(random_state=0)), {"model__max_leaf_nodes": LEAVES}
            ).fit(X.iloc[train], y[train])
            found = [one.score(X.iloc[test], y[test]) for one in (model, tree)]
            leaves = tree.best_params_["model__max_leaf_nodes"]
            folds.append((seconds, *found, len(model.rules_), model.summary_["conditions"].sum(), leaves))
        seconds, ours, trees, rules, conditions, leaves = np.mean(folds, axis=0)
        _, spread, tree_spread, *_ = np.std(folds, axis=0)
        mine = {"seconds": seconds, "accuracy": ours, "spread": spread, "rules": rules, "conditions": conditions}
        lines.append({"data": name, **mine, "trees": trees, "trees_spread": tree_spread, "leaves": leaves})
    title = "Boolean rules: five folds, means and the standard deviation of accuracies"
    keep("rules-accuracy", title, ACCURACY_HEADS, lines, repeats=FOLDS)


def master(met: Any, positive: Any) -> float:
    """Solve the first master program as it is written: a positive row is covered by single literals, or costs."""
    rows = len(met)
    covers = np.column_stack([np.ones(rows, dtype=bool), met])
    lengths = np.append(0.0, np.full(met.shape[1], 0.002))  # the empty clause is free
    count = int(positive.sum())
    costs = np.concatenate([covers[~positive].sum(axis=0) / rows + lengths, np.full(count, 1 / rows)])
    matrix = sparse.hstack([sparse.csr_array(covers[positive].astype(float)), sparse.eye_array(count)], format="csr")
    solved: Any = linprog(costs, A_ub=-matrix, b_ub=-np.ones(count), bounds=(0, None), method="highs")
    return float(solved.fun)


def ratio(repeat: int = 7) -> None:
    """Keep how many times one linear program a whole fit takes: at most 55."""
    X, y = data_of("breast_cancer")
    table = frote.Table.from_frame(X)
    met = Literals.of(table).evaluate(table)
    fits, programs = [], []
    for _ in range(repeat):
        programs.append(timed(lambda: master(met, y == 0), 1)[0])
        fits.append(timed(lambda: frote.RuleSetClassifier().fit(X, y), 1)[0])
    ratios = np.array(fits) / programs
    line = {"literals": met.shape[1], "fit": np.median(fits), "program": np.median(programs)}
    line |= {"ratio": np.median(ratios), "least": ratios.min(), "most": ratios.max()}
    keep("rules-ratio", "A fit and its first master program, in seconds; medians", RATIO_HEADS, [line], repeats=repeat)


def fidelity() -> None:
    """Keep how far rules explain LightGBM: all rows and those that rules cover, seen and held out."""
    lines = []
    for name in PAPER_DATASETS:
        data = load(name)
        X, X_out, y, _ = train_test_split(data.X, data.y, test_size=0.2, random_state=0, stratify=data.y)
        model = make_model("LGBM").fit(X, y)
        start = time.perf_counter()
        found = frote.explain_model(model, X)
        seconds = time.perf_counter() - start
        inside = found.rules.coverage(X_out)
        labels = np.array([*(rule.outcome.labels[0] for rule in found.rules), str(found.default)], dtype=object)
        said = labels[np.where(inside.any(axis=1), inside.argmax(axis=1), -1)]
        alike, covered = said == model.predict(X_out).astype(str), inside.any(axis=1)
        seen = {"all": found.fidelity, "inside": found.fidelity_inside, "covered": found.covered}
        out = {"out_all": alike.mean(), "out_inside": alike[covered].mean(), "out_covered": covered.mean()}
        size = {"rules": len(found.rules), "conditions": int(found.summary["conditions"].sum())}
        lines.append({"data": name, "seconds": seconds, **seen, **out, **size})
    title = "LightGBM, explained on four fifths of the rows: how often the rules say what it does"
    keep("rules-fidelity", title, FIDELITY_HEADS, lines, repeats=1)


if __name__ == "__main__":
    parts = {"accuracy": accuracy, "ratio": ratio, "fidelity": fidelity}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=list(parts), metavar="part", help=f"{', '.join(parts)}")
    for part in parser.parse_args().parts:
        parts[part]()
