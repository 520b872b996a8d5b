"""The digest of a table's rows does not depend on how they are cut, and depends on everything else."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.dask.made import table
from tests.examples import examples

from frote.exceptions import TableError
from frote.table import row_digest
from frote.table.row_digest import digest_of_rows

X, Y = table(300)
DATA = X.assign(decision=Y)
WHOLE = digest_of_rows([DATA])


@settings(max_examples=examples(20))
@given(st.lists(st.integers(0, 300), max_size=5).map(sorted), st.sampled_from([1, 7, 64, 301]))
def test_it_is_the_same_for_any_parts(ends, chunk):
    cuts = [DATA[start:end] for start, end in zip([0, *ends], [*ends, 300], strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_digest, "CHUNK", chunk)
        assert digest_of_rows(cuts) == digest_of_rows([DATA])


def test_it_goes_by_what_values_are_and_not_by_how_they_are_kept():
    others = {
        "purpose": DATA["purpose"].astype("category"),
        "grade": DATA["grade"].astype(object),
        "defaults": DATA["defaults"].astype("Int8"),
        "age": DATA["age"].astype("int16"),
        "since": DATA["since"].astype("datetime64[s]"),
        "owner": DATA["owner"].astype("boolean"),
    }
    assert digest_of_rows([DATA.assign(**others)]) == WHOLE


def changed(name, row, value):
    other = DATA.copy()
    other.loc[row, name] = value
    return other


OTHERS = {
    "a number": changed("age", 4, 17),
    "a gap": changed("income", 4, np.nan),
    "a text": changed("purpose", 4, "carboat"),
    "an instant": changed("since", 4, pd.Timestamp("2020-01-01 00:00:01")),
    "two rows": pd.concat([DATA[1:2], DATA[:1], DATA[2:]]),
    "a row less": DATA[:-1],
    "the names": DATA.rename(columns={"age": "ages"}),
    "the order of columns": DATA[DATA.columns[::-1]],
    "the kind": DATA.assign(age=DATA["age"].astype(float)),
}


@pytest.mark.parametrize("what", OTHERS)
def test_any_other_table_has_another(what):
    assert digest_of_rows([OTHERS[what]]) != WHOLE


def test_texts_do_not_run_into_each_other():
    one, other = (pd.DataFrame({"a": pair}) for pair in (["ab", "c"], ["a", "bc"]))
    assert digest_of_rows([one]) != digest_of_rows([other])


def test_objects_have_none():
    with pytest.raises(TableError, match="holds 3 among texts, and of such a column no digest is made"):
        digest_of_rows([pd.DataFrame({"a": pd.Series(["x", 3], dtype=object)})])
