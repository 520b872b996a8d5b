"""The paper's three models, and its batch sizes for the eight data sets."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from frote.estimators.encoding import default_pipeline
from frote.exceptions import nearest
from frote_experiments.exceptions import ExperimentError

__all__ = ["BATCH_SIZES", "FOREST", "PAPER_MODELS", "make_model"]

BATCH_SIZES = {
    "breast_cancer": 20,
    "car": 20,
    "contraceptive": 20,
    "mushroom": 50,
    "splice": 50,
    "nursery": 50,
    "wine_quality_white": 50,
    "adult": 200,
}
PAPER_MODELS = ("LR", "RF", "LGBM")
FOREST = "forest"  # of the demonstration


def make_model(name: str) -> Any:
    """Return one of the paper's models, or the forest of the demonstration, behind the encoder that suits it.

    Examples
    --------
    >>> make_model("RF")[-1]
    RandomForestClassifier(max_depth=3, random_state=42)
    """
    if name == "LR":
        return default_pipeline(LogisticRegression(max_iter=500, random_state=42))
    if name == "RF":
        return default_pipeline(RandomForestClassifier(max_depth=3, random_state=42))
    if name == "LGBM":
        from lightgbm import LGBMClassifier  # only who runs it must have it

        return default_pipeline(LGBMClassifier(random_state=42, n_jobs=1, verbose=-1))
    if name == FOREST:
        return default_pipeline(RandomForestClassifier(min_samples_leaf=5, random_state=42))
    raise ExperimentError(f"No model {name!r}. {nearest(name, PAPER_MODELS)}")
