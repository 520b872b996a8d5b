"""Groups part the rows of any column; shifts are counted by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from frote.compare.subgroups import groups, shifts
from frote.explain.literals import Literals
from frote.rules.clause import Clause
from frote.table import Table

COLUMNS = st.one_of(
    st.lists(st.one_of(st.none(), st.integers(-9, 9)), min_size=1).map(lambda held: pd.array(held, dtype="Int64")),
    st.lists(st.one_of(st.none(), st.floats(allow_nan=False)), min_size=1).map(lambda held: np.array(held, float)),
    st.lists(st.one_of(st.none(), st.sampled_from("abc")), min_size=1).map(lambda held: pd.Series(held, dtype=object)),
    st.lists(st.one_of(st.none(), st.booleans()), min_size=1).map(lambda held: pd.array(held, dtype="boolean")),
    st.lists(st.datetimes(pd.Timestamp("1990-01-01"), pd.Timestamp("2040-01-01")), min_size=1),
)


@given(COLUMNS)
def test_groups_part_the_rows_and_none_is_empty(values):
    table = Table.from_frame(pd.DataFrame({"x": values}))
    found = groups(table.schema["x"], table)
    met = Literals(tuple(("x", condition) for condition in found)).evaluate(table)
    assert (met.sum(axis=1) == 1).all()
    assert met.any(axis=0).all()
    if not table.schema["x"].kind.has_levels:
        assert len(found) <= 5


def test_quarters_of_numbers_and_dates():
    table = Table.from_frame(pd.DataFrame({"n": range(8), "t": pd.date_range("2024-01-01", periods=8)}))
    texts = [[str(Clause.of({name: held})) for held in groups(table.schema[name], table)] for name in ("n", "t")]
    assert texts[0] == ["n <= 1", "n > 1 AND n <= 3", "n > 3 AND n <= 5", "n > 5"]
    assert texts[1][0] == "t < 2024-01-03"


def test_a_skewed_column_has_fewer_groups():
    table = Table.from_frame(pd.DataFrame({"n": [0] * 90 + [1] * 5 + [2] * 5}))
    assert [str(Clause.of({"n": held})) for held in groups(table.schema["n"], table)] == ["n <= 0", "n > 0"]


def test_shifts_by_hand():
    frame = pd.DataFrame({"sex": ["f", "f", "f", "f", "m", "m", None], "one": 1})
    before, after = np.array([0, 0, 0, 1, 1, 0, 0]), np.array([0, 1, 1, 1, 1, 0, 1])
    labels = np.array([0, 1, 0, 1, 0, 0, 1])
    found = shifts(["sex", "one"], Table.from_frame(frame), ("no", "yes"), before, after, labels)
    assert found["group"].unique().tolist() == ["sex = 'f'", "sex = 'm'", "sex IS MISSING", "one IS NOT MISSING"]
    women = found[(found["group"] == "sex = 'f'") & (found["label"] == "yes")].iloc[0]
    assert women["rows"] == 4
    assert women["changed"] == 0.5
    assert (women["before"], women["after"], women["shift"]) == (0.25, 0.75, 0.5)
    assert women["f1_before"] == pytest.approx(f1_score(labels[:4], before[:4], average="weighted"))
    assert women["f1_after"] == pytest.approx(f1_score(labels[:4], after[:4], average="weighted"))
    sums = found.groupby("group")[["before", "after", "shift"]].sum()
    assert np.allclose(sums, [1, 1, 0])
    assert shifts(["sex"], Table.from_frame(frame), ("no", "yes"), before, after, None)["f1_before"].isna().all()
