"""What a run gave, as texts and bytes that can be compared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl

SECONDS = ["fit_seconds", "predict_seconds", "other_seconds"]


def cells(frame):
    """Return a frame's, series', array's or list's types and values, exactly."""
    if isinstance(frame, pl.DataFrame):
        return [(name, str(dtype), list(map(repr, frame[name].to_list()))) for name, dtype in frame.schema.items()]
    if isinstance(frame, pd.DataFrame):
        columns = [(name, str(frame[name].dtype), list(map(repr, frame[name].tolist()))) for name in frame.columns]
        return [repr(frame.index), *columns]
    if isinstance(frame, np.ndarray):
        return [str(frame.dtype), frame.shape, list(map(repr, frame.ravel().tolist()))]
    kind = str(getattr(frame, "dtype", ""))
    values = frame.to_list() if isinstance(frame, pl.Series) else list(frame)
    return [type(frame).__name__, getattr(frame, "name", None), kind, list(map(repr, values))]


def outcome(editor, X, y):
    """Run an editor and return all that must not depend on how it was run, by name."""
    X_new, y_new = editor.fit_resample(X, y)
    return {
        "X_new": cells(X_new),
        "y_new": cells(y_new),
        "history": cells(editor.history_.drop(columns=SECONDS)),
        "ledger": cells(editor.ledger_),
        "sources": cells(editor.sample_indices_),
        "objective": repr(editor.objective_),
        "fits": editor.n_fits_,
        "predicted": cells(np.asarray(editor.estimator_.predict(X_new))),
    }
