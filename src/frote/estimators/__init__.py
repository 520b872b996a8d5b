"""The faces of the package in scikit-learn's and imbalanced-learn's manner."""

from frote.estimators.boolean_rules import RuleSetClassifier
from frote.estimators.classifier import FROTEClassifier
from frote.estimators.encoding import TabularEncoder, default_pipeline
from frote.estimators.explaining import Explanation, explain_model
from frote.estimators.overlay import OverlayClassifier
from frote.estimators.preview import Preview
from frote.estimators.sampler import FROTE
from frote.estimators.scorer import make_scorer
from frote.estimators.scoring import ScoreReport, score
from frote.estimators.stability import StabilityReport, stability

__all__ = [
    "FROTE",
    "Explanation",
    "FROTEClassifier",
    "OverlayClassifier",
    "Preview",
    "RuleSetClassifier",
    "ScoreReport",
    "StabilityReport",
    "TabularEncoder",
    "default_pipeline",
    "explain_model",
    "make_scorer",
    "score",
    "stability",
]
