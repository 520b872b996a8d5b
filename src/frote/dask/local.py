"""Models that train on clusters: recognised without importing their packages, and made into ones for one machine."""

from __future__ import annotations

from typing import Any

from frote.exceptions import ModelError

__all__ = ["as_local", "is_distributed"]

PACKAGES = ("xgboost.dask", "lightgbm.dask")


def is_distributed(model: Any) -> bool:
    """Tell whether a model is trained on Dask frames.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> is_distributed(DummyClassifier())
    False
    """
    return any(base.__module__.startswith(PACKAGES) for base in type(model).__mro__)


def as_local(model: Any) -> Any:
    """Return a fitted model that answers frames in memory: another one if it was trained on a cluster, else itself.

    Raises
    ------
    ModelError
        If it was trained on a cluster by a package that hands no such model out.
    """
    if not is_distributed(model):
        return model
    if hasattr(model, "to_local"):
        return model.to_local()
    if not hasattr(model, "get_booster"):
        raise ModelError(f"{type(model).__name__} hands out no model for frames in memory. Use DaskXGBClassifier.")
    import xgboost

    local = xgboost.XGBClassifier(enable_categorical=bool(model.get_params().get("enable_categorical")), n_jobs=1)
    local.load_model(bytearray(model.get_booster().save_raw("ubj")))
    return local
