"""F1 from codes is scikit-learn's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score
from tests.examples import examples

from frote.coverage.f1 import f1_from_codes

CODES = st.integers(0, 3)


@settings(max_examples=examples(375))
@given(st.lists(st.tuples(CODES, CODES | st.just(-1)), min_size=1, max_size=12), st.sampled_from(["weighted", "macro"]))
def test_f1_is_that_of_scikit_learn(pairs, average):
    labels, predicted = (np.array(part) for part in zip(*pairs, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = f1_score(labels, predicted, average=average, zero_division=0.0)
    assert f1_from_codes(labels, predicted, 4, average) == pytest.approx(expected)
