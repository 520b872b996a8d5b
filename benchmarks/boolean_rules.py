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
from timing import timed

LEAVES = [2, 4, 8, 16, 32, 64, 128, 256]


def data_of(name: str) -> tuple[Any, Any]:
    """Return rows and labels; breast cancer is scikit-learn's, which AIX360's benchmark can load too."""
    if name == "breast_cancer":
        X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        return X, y.to_numpy()
    data = load(name)
    return data.X, data.y.to_numpy()


def accuracy() -> None:
    """Print what five folds give, for rules and for trees whose number of leaves is tuned within each training fold."""
    print("5-fold cross-validation; mean per fold, and the standard deviation of accuracies\n")
    print("data            seconds       accuracy  rules  conditions     accuracy of trees  leaves")
    for name in ("breast_cancer", "mushroom", "adult"):
        X, y = data_of(name)
        folds = []
        for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
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
        print(
            f"{name:<15}{seconds:>7.1f}s  {ours:>7.4f} ± {spread:.4f} {rules:>5.1f} {conditions:>11.1f}"
            f"      {trees:>7.4f} ± {tree_spread:.4f} {leaves:>7.1f}",
            flush=True,
        )


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
    """Print how many times one linear program a whole fit takes: at most 55."""
    X, y = data_of("breast_cancer")
    table = frote.Table.from_frame(X)
    met = Literals.of(table).evaluate(table)
    fits, programs = [], []
    for _ in range(repeat):
        programs.append(timed(lambda: master(met, y == 0), 1)[0])
        fits.append(timed(lambda: frote.RuleSetClassifier().fit(X, y), 1)[0])
    ratios = np.array(fits) / programs
    print(
        f"breast cancer, {met.shape[1]} literals: fit {np.median(fits):.2f}s, first master program "
        f"{np.median(programs):.3f}s; {np.median(ratios):.1f}x, from {ratios.min():.1f}x to {ratios.max():.1f}x "
        f"(medians of {repeat}, target 55x)",
        flush=True,
    )


def fidelity() -> None:
    """Print how far rules explain LightGBM: all rows and those that rules cover, seen and held out."""
    print("LightGBM, explained on four fifths of the rows: how often the rules say what it does\n")
    print("                             seen rows                   held-out rows")
    print("data                seconds     all  inside  covered     all  inside  covered  rules  conditions")
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
        print(
            f"{name:<19}{seconds:>7.1f}s  {found.fidelity:>6.3f}  {found.fidelity_inside:>6.3f}  {found.covered:>7.3f}"
            f"  {alike.mean():>6.3f}  {alike[covered].mean():>6.3f}  {covered.mean():>7.3f}"
            f"  {len(found.rules):>5}  {found.summary['conditions'].sum():>10}",
            flush=True,
        )


if __name__ == "__main__":
    parts = {"accuracy": accuracy, "ratio": ratio, "fidelity": fidelity}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=list(parts), metavar="part", help=f"{', '.join(parts)}")
    for part in parser.parse_args().parts:
        parts[part]()
        print()
