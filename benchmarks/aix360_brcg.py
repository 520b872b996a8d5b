"""AIX360's BRCG on the same folds of breast cancer as `boolean_rules.py accuracy`: seconds, accuracy and length.

It needs an environment of its own, since AIX360 asks for old versions of pandas and scikit-learn:

    python -m venv .aix360 && .aix360/bin/pip install 'aix360[rbm]'
    .aix360/bin/python benchmarks/aix360_brcg.py

Its default solver, ECOS, does not come with it; CLARABEL does.
"""

from __future__ import annotations

import time
import warnings

import numpy as np
from aix360.algorithms.rbm import BooleanRuleCG, FeatureBinarizer  # type: ignore[import-not-found]
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

from results import keep

HEADS = (
    ("seconds a fold", "seconds", "", ".1f"),
    ("accuracy", "accuracy", "spread", ".4f"),
    ("rules", "rules", "", ".1f"),
    ("conditions", "conditions", "", ".1f"),
)


def main() -> None:
    warnings.simplefilter("ignore")  # of what it calls in cvxpy and pandas, some hundred times
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.to_numpy()
    folds = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        # The rules are for malignant tumours, the rarer class, as in ours.
        start = time.perf_counter()
        binarizer = FeatureBinarizer(negations=True, numThresh=9)
        seen = binarizer.fit_transform(X.iloc[train])
        model = BooleanRuleCG(solver="CLARABEL", silent=True)
        model.fit(seen, (y[train] == 0).astype(int))
        seconds = time.perf_counter() - start
        right = np.mean(model.predict(binarizer.transform(X.iloc[test])) == (y[test] == 0))
        rules = model.explain()["rules"]
        conditions = sum(rule.count(" AND ") + 1 for rule in rules)
        folds.append((seconds, right, len(rules), conditions))
    seconds, right, count, conditions = np.mean(folds, axis=0)
    spread = np.std(folds, axis=0)[1]
    line = {"seconds": seconds, "accuracy": right, "spread": spread, "rules": count, "conditions": conditions}
    keep("aix360", "AIX360's BRCG on breast cancer: means of five folds", HEADS, [line], repeats=5)


if __name__ == "__main__":
    main()
