"""Edits of frames in memory and of Dask frames, side by side."""

from __future__ import annotations

import warnings

import pandas as pd

import dask
import frote
from frote.exceptions import SampleWarning

SECONDS = ["fit_seconds", "predict_seconds", "other_seconds"]


def edited(X, y, how=frote.FROTE, **settings):
    """Return all that came of an edit: rows, labels, ledger, history, sources and weights."""
    editor = how(random_state=3, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SampleWarning)
        X_new, y_new = editor.fit_resample(X, y) if how is frote.FROTE else (editor.fit(X, y), editor.resampled())[1]
    return came_of(editor, X_new, y_new)


def came_of(editor, X_new, y_new):
    """Return all that came of an edit, computed."""
    frames = dask.compute(X_new, y_new, editor.ledger_)
    arrays = dask.compute(editor.sample_indices_, editor.sample_weight_)
    return *frames, *arrays, editor.history_.drop(columns=SECONDS)


def require_same(found, wanted):
    """Hold two edits against each other, to the last bit."""
    for one, other in zip(found, wanted, strict=True):
        if isinstance(other, pd.DataFrame):
            pd.testing.assert_frame_equal(one, other, check_exact=True)
        elif isinstance(other, pd.Series):
            pd.testing.assert_series_equal(one, other, check_exact=True)
        elif other is None:
            assert one is None
        else:
            assert one.tolist() == other.tolist()
