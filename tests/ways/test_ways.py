"""Rules put into a model by switches, or beside it."""

from __future__ import annotations

import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, TargetEncoder
from sklearn.svm import SVC

import frote
from frote import FROTEClassifier, default_pipeline
from frote.loop.training import seeded

LOANS = frote.datasets.load_loans(400)
LATER = frote.datasets.load_loans(600).X[400:]
YOUNG = "young: IF age < 29 AND defaults = 0 THEN approved"
RULES = frote.parse_rules(f"{YOUNG}\nbroker: IF channel = 'broker' AND age >= 29 THEN denied")
NUMBERS = LOANS.X[["age", "income", "defaults"]].fillna(0)
TEXTS = ["purpose", "channel"]
WAYS = ("switches", "anchored", "auto")


def classifier(how, estimator=None, rules=RULES, **parameters):
    return FROTEClassifier(estimator, rules, how=how, random_state=0, **parameters)


def as_it_was(estimator=None, X=LOANS.X, y=LOANS.y):
    """Return the initial model."""
    return seeded(default_pipeline() if estimator is None else estimator, 0, 1).fit(X, y)


def columns(*, sparse=False):
    return make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=sparse), TEXTS), (StandardScaler(), ["age", "defaults"])
    )


PIPELINES = {
    "encoder and logistic regression": None,
    "column transformer": make_pipeline(columns(sparse=True), LogisticRegression()),
    "dense": make_pipeline(columns(), LogisticRegression()),
    "frames": make_pipeline(columns().set_output(transform="pandas"), LogisticRegression()),
    "polars frames": make_pipeline(columns().set_output(transform="polars"), LogisticRegression()),
    "by labels": make_pipeline(
        make_column_transformer((TargetEncoder(cv=StratifiedKFold(3)), TEXTS), ("passthrough", ["age", "defaults"])),
        StandardScaler(),
        "passthrough",
        LogisticRegression(),
    ),
    "category columns": default_pipeline(HistGradientBoostingClassifier(max_iter=20)),
    "forest": default_pipeline(RandomForestClassifier(10, min_samples_leaf=3)),
    "no probabilities": default_pipeline(RidgeClassifier()),
    "kernel": default_pipeline(SVC()),
    "a search": GridSearchCV(default_pipeline(), {"model__C": [0.1, 1.0]}, cv=2),
}


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("name", PIPELINES)
def test_pipelines_of_any_kind_keep_to_the_rules(name, how):
    model = classifier(how, PIPELINES[name]).fit(LOANS.X, LOANS.y)
    scores = frote.score(model, LOANS.X, LOANS.y, RULES)
    assert scores.agreement >= 0.98
    before = frote.score(as_it_was(PIPELINES[name]), LOANS.X, LOANS.y, RULES)
    assert before.agreement < 0.8
    if how != "switches":
        assert scores.f1 >= before.f1 - 0.003
    assert model.how_ == how or (how == "auto" and model.how_ in ("switches", "anchored"))


def test_lightgbm():
    lightgbm = pytest.importorskip("lightgbm")
    model = default_pipeline(lightgbm.LGBMClassifier(n_estimators=20, verbose=-1))
    for how in WAYS:
        assert frote.score(classifier(how, model).fit(LOANS.X, LOANS.y), LOANS.X, LOANS.y, RULES).agreement >= 0.98
