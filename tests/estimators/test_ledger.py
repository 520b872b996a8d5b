"""The ledger of small runs, line by line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.estimators.stubs import Counting, more_rows_are_better

import frote

COLUMNS = ["row", "source", "index", "status", "rule", "old_label", "new_label", "base", "neighbour", "step", "covered"]
TEXT = "low: IF a < 3 THEN yes\nhigh: IF a > 7 OR (a > 5 AND b = z) THEN no"
X = pd.DataFrame({"a": [1.5, 2.5, 5.5, 8.5, 9.5, 5.0], "b": list("xyzxyx")}, index=list("pqrstu"))
Y = ["no", "yes", "yes", "no", "yes", "yes"]


def run(X=X, y=Y, text=TEXT, **parameters):
    given = {"k": 1, "max_fits": 2, "batch_size": 4, "oversample": 9.0, "random_state": 0, "agreement_weight": 0.0}
    given |= {"schedule": "fixed", "weak_share": 0.0, "evaluate": "active"}
    editor = frote.FROTE(Counting(), text, scoring=more_rows_are_better, **{**given, **parameters})
    return editor, *editor.fit_resample(X, y)


def lines(ledger, status):
    found = ledger[ledger["status"] == status].astype(object)
    return found.where(found.notna(), None).to_numpy().tolist()


def test_relabelled_and_kept():
    ledger = run()[0].ledger_
    assert ledger.columns.tolist() == COLUMNS
    tail = [None, None, None, ""]
    assert lines(ledger, "relabelled") == [
        [0, 0, "p", "relabelled", "low", "no", "yes", *tail],
        [2, 2, "r", "relabelled", "high", "yes", "no", *tail],
        [4, 4, "t", "relabelled", "high", "yes", "no", *tail],
    ]
    assert lines(ledger, "kept") == [
        [1, 1, "q", "kept", "", "yes", "yes", *tail],
        [3, 3, "s", "kept", "", "no", "no", *tail],
        [5, 5, "u", "kept", "", "yes", "yes", *tail],
    ]


def test_dropped():
    editor, X_new, y_new = run(modify="drop", max_fits=0)
    ledger = editor.ledger_
    tail = [None, None, None, ""]
    assert lines(ledger, "kept") == [
        [0, 1, "q", "kept", "", "yes", "yes", *tail],
        [1, 3, "s", "kept", "", "no", "no", *tail],
        [2, 5, "u", "kept", "", "yes", "yes", *tail],
    ]
    assert lines(ledger, "dropped") == [
        [None, 0, "p", "dropped", "low", "no", None, *tail],
        [None, 2, "r", "dropped", "high", "yes", None, *tail],
        [None, 4, "t", "dropped", "high", "yes", None, *tail],
    ]
    assert X_new["a"].tolist() == [2.5, 8.5, 5.0]
    assert y_new == ["yes", "no", "yes"]
    assert editor.sample_indices_.tolist() == [1, 3, 5]


@pytest.mark.parametrize("modify", ["relabel", "drop", "none"])
def test_synthetic_rows_and_the_result(modify):
    editor, X_new, y_new = run(modify=modify)
    ledger = editor.ledger_
    in_result = ledger[ledger["status"] != "dropped"]
    assert in_result["row"].tolist() == list(range(len(X_new)))
    assert len(ledger) == len(X_new) + (ledger["status"] == "dropped").sum()
    assert in_result["new_label"].tolist() == y_new
    made = ledger[ledger["status"] == "synthetic"]
    assert made["step"].tolist() == [1] * 4 + [2] * 4
    assert set(made["rule"]) <= {"low", "high/1", "high/2"}
    assert made[["source", "index", "old_label"]].isna().all(axis=None)
    # A base was there before its step; it is strongly covered if it satisfies the rule itself.
    rules = editor.rules_
    first = len(in_result) - 8
    for line in made.itertuples():
        assert max(line.base, line.neighbour) < first + 4 * (line.step - 1)
        strong = rules[line.rule].mask(X_new)[line.base]
        assert line.covered == ("strongly" if strong else "weakly")
        a = sorted(X_new["a"][[line.base, line.neighbour]])
        if line.covered == "strongly" and rules[line.rule].mask(X_new)[line.neighbour]:
            assert a[0] <= X_new["a"][line.row] <= a[1]


def test_weakly_covered_bases():
    # No row is above 20: the condition is relaxed, and every base lacks it.
    made = run(text="far: IF a > 20 AND b = x THEN no")[0].ledger_
    assert set(made.loc[made["status"] == "synthetic", "covered"][:4]) == {"weakly"}
    assert set(made.loc[made["step"] == 1, "base"]) <= {0, 3, 5}


def test_types_do_not_depend_on_what_happened():
    expected = run()[0].ledger_.dtypes
    for parameters in ({"modify": "drop"}, {"max_fits": 0}, {"text": ()}, {"modify": "none", "max_fits": 0}):
        assert run(**parameters)[0].ledger_.dtypes.equals(expected)


@pytest.mark.parametrize("y", [[0, 1, 1, 0, 1, 1], [False, True, True, False, True, True]])
def test_labels_are_the_callers_own(y):
    names = {0: "no", 1: "yes"} if y[0] is not False else {False: "no", True: "yes"}
    text = TEXT
    for label, name in names.items():
        text = text.replace(f"THEN {name}", f"THEN {label}")
    ledger = run(y=y, text=text, max_fits=0)[0].ledger_
    assert ledger["old_label"].tolist() == y
    assert ledger["new_label"].tolist() == [y[1], y[1], y[0], y[0], y[0], y[1]]


@pytest.mark.parametrize("modify", ["relabel", "drop"])
def test_labels_of_arrays_are_plain_values(modify):
    for y, text in ((np.array(Y), TEXT), (np.array([0, 1, 1, 0, 1, 1]), TEXT.replace("yes", "1").replace("no", "0"))):
        ledger = run(y=y, text=text, modify=modify)[0].ledger_
        found = {type(label) for name in ("old_label", "new_label") for label in ledger[name]}
        assert found == {type(y.tolist()[0]), type(None)}


def test_an_index_of_several_levels():
    frame = X.set_axis(pd.MultiIndex.from_product([[1, 2], list("abc")]))
    assert run(frame, max_fits=0)[0].ledger_["index"].tolist() == frame.index.tolist()


def test_frames_without_an_index():
    for frame in (pl.from_pandas(X), X[["a"]].to_numpy()):
        text = "low: IF x0 < 3 THEN yes" if isinstance(frame, np.ndarray) else TEXT
        ledger = run(frame, text=text, max_fits=0)[0].ledger_
        assert ledger["index"].tolist() == list(range(6))
