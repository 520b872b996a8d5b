"""Models on disk, in the format of skops: no code runs when one is read, unlike with a pickle."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

from frote.command.telling import require_answers
from frote.exceptions import ModelError

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    import pandas as pd

__all__ = ["load_model", "model_for", "save_model"]

# What frote's own pipelines are made of; anything else is read only if the caller trusts it by name.
OURS = ("frote.", "sklearn.")
HARMLESS = frozenset({"collections.OrderedDict", "functools.partial"})


def save_model(model: Any, path: Path) -> None:
    """Write a model."""
    import skops.io  # takes a second, and most commands have no model to save

    try:
        skops.io.dump(model, path)
    except OSError:
        raise
    except Exception as error:
        raise ModelError(f"A {type(model).__name__} cannot be saved by skops: {error}.") from None


def load_model(path: Path, trusted: Collection[str] = ()) -> Any:
    """Read a model.

    Parameters
    ----------
    path : Path
        Its file.

    trusted : collection of str, default=()
        Types that the file may have besides those of frote and scikit-learn, such as those of LightGBM.

    Returns
    -------
    estimator

    Raises
    ------
    ModelError
        If the file holds other types, which are named, or is none.
    """
    import skops.io

    try:
        unknown = [
            name
            for name in skops.io.get_untrusted_types(file=path)
            if not name.startswith(OURS) and name not in HARMLESS and name not in trusted
        ]
        if unknown:
            more = " ".join(f"--trust {name}" for name in unknown)
            raise ModelError(f"{path} holds {', '.join(unknown)}. If you know where the file comes from, add: {more}")
        known = skops.io.get_untrusted_types(file=path)
        return skops.io.load(path, trusted=known)
    except (ModelError, FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, AttributeError, ImportError) as error:
        raise ModelError(f"{path} cannot be read as a model: {error}.") from None


def model_for(X: pd.DataFrame, path: Path, trusted: Collection[str] = ()) -> tuple[Any, pd.DataFrame]:
    """Read a model that is to be asked about a table; return it, and of the table the columns that it knows."""
    model = load_model(path, trusted)
    known = list(getattr(model, "feature_names_in_", X.columns))
    if set(known) <= set(X.columns):
        X = X[known]
    require_answers(model, X, path)
    return model, X
