"""The contracts of scikit-learn and imbalanced-learn, on every public estimator."""

from __future__ import annotations

from dataclasses import replace
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from imblearn.pipeline import make_pipeline
from imblearn.utils import estimator_checks as imblearn_checks
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import frote
from frote import FROTE, FROTEClassifier, OverlayClassifier, RuleSetClassifier, TabularEncoder
from frote.estimators.preparing import read
from frote.rules import Clause, Condition, Outcome, Rule, RuleSet

WAYS = ("switches", "anchored", "auto")


class WithARule(FROTEClassifier):
    """Has, whatever the data are, a rule on the first column: half of the rows belong to the first class."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # by labels that the rule does not go by
        return tags

    def fit(self, X, y, sample_weight=None):
        with mock.patch("frote.estimators.classifier.read", read_with_a_rule):
            return super().fit(X, y, sample_weight)


def read_with_a_rule(editor, X, y):
    given = read(editor, X, y)
    column, labels = given.rows.table.schema.columns[0].name, given.target.labels
    half = Condition.compare("<=", float(np.median(given.rows.table[column].values)))
    rules = RuleSet([Rule("half", Clause.of({column: half}), Outcome.of(labels.texts[0]))])
    return replace(given, written=rules, rules=rules.bind(given.rows.table.schema, labels.classes))


RULED = [WithARule(LogisticRegression(), how=how) for how in WAYS]
ESTIMATORS = [
    FROTE(),
    FROTE(LogisticRegression(), modify="drop", select="ip"),
    FROTEClassifier(),
    FROTEClassifier(LogisticRegression()),
    *(FROTEClassifier(how=how) for how in WAYS),
    OverlayClassifier(),
    OverlayClassifier(LogisticRegression(), mode="soft"),
    RuleSetClassifier(),
    TabularEncoder(),
    TabularEncoder("frame"),
]


# Where rules are put into the model there are rows of its own beside those of the data: weights are refused.
WEIGHED = [
    "check_sample_weights_pandas_series",
    "check_sample_weights_not_an_array",
    "check_sample_weights_list",
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
    "check_sample_weight_equivalence_on_dense_data",
    "check_all_zero_sample_weights_error",
    "check_classifiers_one_label_sample_weights",
]


def expected_failures(estimator):
    if isinstance(estimator, FROTEClassifier) and estimator.how != "data":
        return dict.fromkeys(WEIGHED, "with rules in the model, weights are refused")
    if isinstance(estimator, FROTEClassifier) and estimator.estimator is None:
        return {"check_sample_weight_equivalence_on_dense_data": "the encoder's scales count every row once"}
    if isinstance(estimator, TabularEncoder) and estimator.output == "frame":
        return {"check_transformer_preserve_dtypes": "a frame has a type for each column, not one for all"}
    return {}


@parametrize_with_checks([*ESTIMATORS, *RULED], expected_failed_checks=expected_failures)
def test_scikit_learn(estimator, check):
    check(estimator)


def test_no_public_estimator_is_left_out():
    public = {value for value in (getattr(frote, name) for name in frote.__all__) if isinstance(value, type)}
    assert {one for one in public if issubclass(one, BaseEstimator)} == {type(one) for one in ESTIMATORS}


# The checks of imbalanced-learn's that are not meant for a sampler that follows rules, and is no SamplerMixin of its.
NOT_MEANT = {
    "check_classifier_on_multilabel_or_multioutput_targets": "for classifiers; such targets are refused in other words",
    "check_classifiers_with_encoded_labels": "for classifiers",
    "check_param_validation": "for classifiers; scikit-learn's check of that name is done above",
    "check_dataframe_column_names_consistency": "for classifiers; scikit-learn's check of that name is done above",
    "check_samplers_fit": "wants sampling_strategy_: classes are not balanced here",
    "check_samplers_list": "wants lists for lists: rows come back as an array",
    "check_samplers_multiclass_ova": "wants one-hot labels: labels are one column",
    "check_samplers_pandas": "wants a frame for a frame of labels: labels are one column",
    "check_samplers_sample_indices": "reads tags that only SamplerMixin has",
    "check_samplers_sparse": "sparse data are refused",
}
SAMPLER_CHECKS = [name for name in dir(imblearn_checks) if name.startswith("check_")]


@pytest.mark.parametrize("name", [name for name in SAMPLER_CHECKS if name not in NOT_MEANT])
@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
def test_imbalanced_learn(name):
    getattr(imblearn_checks, name)("FROTE", FROTE())


def test_the_checks_not_meant_are_there():
    assert set(NOT_MEANT) <= set(SAMPLER_CHECKS)


@pytest.mark.parametrize("pandas", [False, True])
def test_a_pipeline_of_imbalanced_learn(pandas):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X, y = X.iloc[:160, :4], y[:160]
    rules = "IF `mean radius` > 18 AND `mean texture` < 20 THEN 1"
    if not pandas:
        X, y, rules = X.to_numpy(), y.to_numpy(), "IF x0 > 18 AND x1 < 20 THEN 1"
    model = make_pipeline(StandardScaler(), LogisticRegression())
    pipeline = make_pipeline(FROTE(model, rules, max_fits=2, random_state=0), LogisticRegression(max_iter=5000))
    scores = cross_val_score(pipeline, X, y, cv=3, error_score="raise")
    assert (scores > 0.7).all()
    pipeline.fit(X, y)
    assert pipeline[0].ledger_["status"].eq("relabelled").any()
    assert pipeline[-1].n_features_in_ == 4


def test_a_pipeline_may_be_searched_through():
    X = pd.DataFrame({"a": np.arange(40) % 9, "b": np.arange(40) % 7})
    y = np.where(X["a"] > 4, "yes", "no")
    pipeline = make_pipeline(FROTE(LogisticRegression(), "IF b < 2 THEN yes", max_fits=1), LogisticRegression())
    pipeline.set_params(frote__estimator__C=0.1, frote__k=2)
    assert pipeline[0].estimator.C == 0.1
    assert pipeline.fit(X, y).predict(X).shape == (40,)
