"""The paper's three models, and its batch sizes for the eight data sets."""

from __future__ import annotations

from typing import Any

from lightgbm import LGBMClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import frote

__all__ = ["BATCH_SIZES", "MODELS", "make_model"]

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
MODELS = ("LR", "RF", "LGBM")


def make_model(name: str) -> Any:
    """Return one of the paper's models, behind the encoder that suits it."""
    model = {
        "LR": LogisticRegression(max_iter=500, random_state=42),
        "RF": RandomForestClassifier(max_depth=3, random_state=42),
        "LGBM": LGBMClassifier(random_state=42, n_jobs=1, verbose=-1),
    }[name]
    return frote.default_pipeline(model)
