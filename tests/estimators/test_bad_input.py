"""Bad input gets one sentence that names the place and, where there is one, the way out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tests.estimators.stubs import Counting

import frote
from frote import FROTE, BindingError, ConflictError, FROTEClassifier, TableError

X = pd.DataFrame({"a": np.arange(12), "b": ["x", "y", "z"] * 4})
Y = ["no", "yes"] * 6
RULE = "IF a < 4 THEN yes"


def fails(error, text, X=X, y=Y, rules=RULE, **parameters):
    """Fit both faces and hold the whole message against the text."""
    for kind in (FROTE, FROTEClassifier):
        model = kind(Counting(), rules, **parameters)
        with pytest.raises(error) as caught:
            model.fit(X, y)
        assert str(caught.value) == text, str(caught.value)
        assert not hasattr(model, "estimator_")


def test_conflicting_rules():
    fails(
        ConflictError,
        "Rules conflict; resolve them with rules.resolve('exclude'), 'mix' or 'priority':\n"
        "- young (yes) and middle (no) conflict where a > 2 AND a < 4, for example a=3 (1 row)",
        rules="young: IF a < 4 THEN yes\nmiddle: IF a > 2 THEN no",
    )


def test_many_conflicts_are_not_all_listed():
    rules = "\n".join(f"IF a >= {number} THEN {'yes' if number % 2 else 'no'}" for number in range(6))
    with pytest.raises(ConflictError) as caught:
        FROTE(Counting(), rules).fit(X, Y)
    assert str(caught.value).count("\n- ") == 6
    assert str(caught.value).endswith("\n- and 4 more")


def test_labels_that_are_no_class():
    fails(
        BindingError,
        "line 1, rule 'rule 1': 'yess' is no class of the data. Did you mean 'yes'?\n  THEN yess\n       ^^^^",
        rules="IF a < 4 THEN yess",
    )


def test_columns_that_are_not_there():
    fails(
        BindingError,
        "line 1, rule 'rule 1': the data have no column 'aa'. Did you mean 'a'?\n  aa < 4\n  ^^",
        rules="IF aa < 4 THEN yes",
    )


def test_a_rule_on_the_target():
    fails(
        BindingError,
        "A rule has a condition on 'answer', which is the target. Rules speak of other columns.",
        y=pd.Series(Y, name="answer"),
        rules="IF answer = no THEN yes",
    )


def test_one_class():
    fails(TableError, "y has one class only, 'no'; a classifier needs two at least.", y=["no"] * 12)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_missing_labels(missing):
    text = "y has a missing label at position 1. Drop the rows without a label."
    fails(TableError, text, y=["no", missing, *Y[2:]])
    fails(TableError, text, y=pd.Series(["no", missing, *Y[2:]], dtype="category"))


def test_labels_of_another_length():
    fails(TableError, "y has 11 labels for 12 rows.", y=Y[:11])


def test_no_labels():
    fails(TableError, "requires y to be passed, but the target y is None", y=None)


@pytest.mark.parametrize("y", [np.linspace(0, 1, 12), pd.Series(np.linspace(0, 1, 12)), list(np.linspace(0, 1, 12))])
def test_numbers_that_are_no_classes(y):
    fails(TableError, "Unknown label type: y holds continuous numbers, not classes.", y=y, rules=())


def test_infinite_labels():
    fails(TableError, "Unknown label type: y holds continuous numbers, not classes.", y=[0.0, np.inf] * 6, rules=())


def test_several_columns_of_labels():
    with pytest.raises(ValueError, match=r"y should be a 1d array|one column of labels"):
        FROTE(Counting()).fit(X, np.zeros((12, 2)))


def test_no_columns():
    fails(TableError, "X has no columns. Give it one at least.", X=pd.DataFrame(index=range(12)), rules=())
    fails(
        TableError,
        "0 feature(s) (shape=(12, 0)) while a minimum of 1 is required. Give X a column.",
        X=np.empty((12, 0)),
        rules=(),
    )


def test_no_rows():
    text = "Found array with 0 sample(s) while a minimum of 1 is required. Give X a row."
    fails(TableError, text, X=X[:0], y=[], rules=())
    fails(TableError, text, X=pl.from_pandas(X[:0]), y=[], rules=())


def test_sparse():
    text = "Sparse input is not supported. Call X.toarray() for a dense array."
    for make in (sparse.csr_matrix, sparse.coo_array):
        fails(TableError, text, X=make(np.eye(12)), rules=())


def test_one_dimension():
    text = "Expected 2D array, got 1D array instead. Reshape your data: X.reshape(-1, 1) is one column."
    for values in (np.arange(12), X["a"], list(range(12))):
        fails(TableError, text, X=values, rules=())


@pytest.mark.parametrize("estimator", [StandardScaler(), object(), "logistic"])
def test_an_estimator_that_is_none(estimator):
    with pytest.raises(ValueError, match=r"^The 'estimator' parameter of FROTE must be an object implementing 'fit'"):
        FROTE(estimator, RULE).fit(X, Y)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("oversample", 0, r"must be a float in the range \(0.0, inf\) or None. Got 0 instead"),
        ("oversample", -0.5, r"must be a float in the range \(0.0, inf\)"),
        ("k", 0, r"must be an int in the range \[1, inf\)"),
        ("max_fits", -1, r"must be an int in the range \[0, inf\)"),
        ("batch_size", 0, r"must be an int in the range \[1, inf\) or None"),
        ("patience", 0, r"must be an int in the range \[1, inf\) or None"),
        ("time_limit", -1.0, r"must be a float in the range \[0.0, inf\) or None"),
        ("agreement_weight", 1.5, r"must be a float in the range \[0.0, 1.0\] or a str among \{'coverage'\}"),
        ("modify", "remove", "must be a str among"),
        ("select", "best", "must be a str among"),
        ("evaluate", "test", "must be a str among"),
        ("evaluate", 0.0, "must be a str among"),
        ("evaluate", 1.0, "must be a str among"),
        ("evaluate", 1, "must be a str among"),
        ("schedule", "slow", "must be a str among"),
        ("weak_share", 1.5, r"must be a float in the range \[0.0, 1.0\]"),
        ("n_jobs", 0, r"must be an int in the range \[1, inf\), an int in the range \(-inf, -1\] or None"),
        ("threads", 0, r"must be an int in the range \[1, inf\)"),
        ("checkpoint", 3, "must be an instance of 'str', an instance of 'os.PathLike' or None"),
        ("scoring", "f2", "must be a str among"),
        ("rules", 3, "must be an instance of"),
        ("random_state", -1, "must be"),
        ("callbacks", print, "must be an instance of"),
        ("kinds", ["a"], "must be an instance of 'dict' or None"),
    ],
)
def test_parameters(name, value, text):
    with pytest.raises(ValueError, match=rf"^The '{name}' parameter of FROTE {text}"):
        FROTE(Counting(), **{"rules": RULE, name: value}).fit(X, Y)


@pytest.mark.parametrize("select", ["random", "ip", "online"])
def test_more_neighbours_than_rows_work(select):
    # Twelve rows, of which the rule covers four, are fewer than the 51 wanted: each is a base row and a neighbour.
    editor = FROTE(
        DecisionTreeClassifier(random_state=0),
        RULE,
        k=50,
        max_fits=2,
        select=select,
        modify="none",
        weak_share=0.0,
        batch_size=8,
        random_state=0,
    )
    X_new, y_new = editor.fit_resample(X[["a"]], ["no"] * 8 + ["yes"] * 4)
    assert editor.history_["accepted"].tolist()[:2] == [True, True]
    assert len(X_new) == len(y_new) == 12 + editor.history_["added"].iloc[-1] > 12
    assert (X_new["a"][12:] < 4).all()
    assert set(y_new[12:]) == {"yes"}
    assert set(editor.history_["error"]) == {""}


@pytest.mark.parametrize("rows", [2, 3])
def test_a_row_for_each_class_works(rows):
    editor = FROTE(Counting(), "IF a < 1 THEN c1", max_fits=2, k=1, modify="none")
    X_new, _ = editor.fit_resample(X[:rows], [f"c{row}" for row in range(rows)])
    assert len(X_new) >= rows


def test_nothing_or_one_class_left():
    way_out = "Look at what the rules cover with rules.check(X, y), or use modify='none'."
    fails(
        TableError,
        f"After modify='drop', rows of one class only are left to train on. {way_out}",
        rules="IF a >= 0 THEN yes",
        modify="drop",
    )
    fails(
        TableError,
        f"After modify='drop', no row is left to train on. {way_out}",
        y=["no", "so"] * 5 + ["yes", "no"],
        X=X.assign(c=[1] * 10 + [2, 1]),
        rules="IF c = 1 THEN yes\nIF c = 2 THEN no",
        modify="drop",
    )
    fails(
        TableError,
        f"After modify='relabel', rows of one class only are left to train on. {way_out}",
        rules="IF a >= 0 THEN yes",
    )


def test_validation_data():
    fails(TableError, "X_val has no column 'b'. Known: 'a'.", evaluate=(X[["a"]], Y))
    text = "y_val has labels that y does not have ('so', on {} of 12 rows): the classes are 'no', 'yes'. "
    text += "Write them alike, or leave those rows out."
    fails(TableError, text.format(12), evaluate=(X, ["so"] * 12))
    fails(TableError, text.format(1), evaluate=(X, ["so", *Y[1:]]))
    fails(TableError, "y_val has 3 labels for 12 rows.", evaluate=(X, Y[:3]))
    fails(
        TableError,
        "evaluate is 'probes', 'active', 'published', 'printed', a share of the rows, or a pair (X_val, y_val).",
        evaluate=(X, Y, Y),
    )
    fails(
        TableError,
        "y_val has a missing label at position 0. Drop the rows without a label.",
        evaluate=(X, [None, *Y[1:]]),
    )
    fails(
        TableError,
        "Column 'a' of X_val holds categorical values such as 'a', and integer ones are expected. Convert it.",
        evaluate=(X.assign(a=list("abcdefghijkl")), Y),
    )
    fails(
        TableError,
        "Column 'b' of X_val holds integer values, and categorical ones are expected. Convert it.",
        evaluate=(X.assign(b=1), Y),
    )


def test_rule_text_that_cannot_be_read():
    with pytest.raises(frote.RuleSyntaxError, match="line 1, column"):
        FROTE(Counting(), "IF a << 4 THEN yes").fit(X, Y)


def test_a_rule_file_that_is_not_there():
    with pytest.raises((frote.FroteError, FileNotFoundError), match=r"nowhere\.rules"):
        FROTE(Counting(), "nowhere.rules").fit(X, Y)


def test_unknown_kinds():
    with pytest.raises(TableError, match=r"^No column 'zz' for kinds\. Known: 'a', 'b'\.$"):
        FROTE(Counting(), RULE, kinds={"zz": "categorical"}).fit(X, Y)
