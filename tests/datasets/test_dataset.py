from __future__ import annotations

import dataclasses

import pandas as pd
import pytest

from frote.datasets import Dataset


def dataset() -> Dataset:
    return Dataset("toy", pd.DataFrame({"a": [1, 2]}), pd.Series(["n", "m"], name="kind"), "A toy.")


def test_it_shows_its_shape_and_labels_and_not_its_rows():
    assert repr(dataset()) == "Dataset('toy', 2 rows, 1 columns, kind: m | n)"


def test_it_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        dataset().name = "other"


def test_it_brings_no_rules_unless_told():
    assert dataset().rules_text == ""
