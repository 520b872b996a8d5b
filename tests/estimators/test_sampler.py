"""FROTE as a sampler: what it promises of every synthetic row, of what came in and of the same seed."""

from __future__ import annotations

import copy
import datetime as dt
import pickle

import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal, assert_series_equal
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from tests.estimators.stubs import Breaking, Counting, more_rows_are_better
from tests.examples import examples

import frote
from frote.exceptions import RuleWarning
from frote.rules import Clause, Condition, Outcome, Rule, RuleSet

LOANS = frote.datasets.load_loans(150)
RULES = frote.parse_rules("""
    young: IF age < 29 AND income >= 24K AND defaults = 0 THEN approved
    risky: IF defaults >= 2 THEN {denied: 0.9, approved: 0.1}
""")

# --- promise 1, by random tables and rules ---

WHOLES = st.integers(-4, 9)
REALS = st.sampled_from([-2.5, -1.0, 0.0, 0.1, 0.25, 0.5, 1.0, 3.0, 7.5])
LARGE = st.sampled_from([-(2**63), -(2**62), -1, 0, 2**53 + 1, 2**62, 2**63 - 1])
DATES = st.dates(dt.date(2024, 1, 1), dt.date(2024, 2, 15)).map(lambda day: dt.datetime(day.year, day.month, day.day))
TIMES = st.datetimes(dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 3))
WORDS = st.sampled_from(["a", "b", "c", "2"])
TRUTHS = st.booleans()

# Each type of column with its values, whether they may be missing, and the literals that rules compare it with.
PANDAS = {
    "int64": (WHOLES, False, WHOLES),
    "int64 at its ends": (LARGE, False, LARGE),
    "uint8": (st.sampled_from([0, 1, 3, 254, 255]), False, st.sampled_from([-1, 0, 2, 3, 200, 255, 300])),
    "Int8": (st.sampled_from([-128, -1, 0, 5, 127]), True, st.sampled_from([-128, -3, 0, 5, 126, 200])),
    "float64": (REALS, True, REALS),
    "float64 of whole numbers": (WHOLES.map(float), True, REALS),
    "float32": (REALS, True, REALS),
    "float32 of large numbers": (
        st.sampled_from([3e9, 16777216.0, 0.0]),
        False,
        st.sampled_from([16777216, 2_999_999_999, 3e9]),
    ),
    "bool": (TRUTHS, False, st.sampled_from(["true", "false"])),
    "boolean": (TRUTHS, True, st.sampled_from(["true", "false", 1])),
    "category": (WORDS, True, st.sampled_from(["a", "b", "unused", "zz"])),
    "str": (WORDS, True, WORDS),
    "object": (WORDS, True, WORDS),
    "datetime64[us]": (DATES, True, DATES),
    "datetime64[ns]": (TIMES, True, TIMES | DATES),
    "constant": (st.just(3), False, WHOLES),
    "missing": (st.none(), True, REALS),
}
POLARS = {
    pl.Int64: (WHOLES, True, WHOLES),
    pl.UInt8: (st.sampled_from([0, 1, 3, 254, 255]), True, st.sampled_from([-1, 0, 2, 3, 200, 255, 300])),
    pl.Float64: (REALS, True, REALS),
    pl.Float32: (REALS, True, REALS),
    pl.Boolean: (TRUTHS, True, st.sampled_from(["true", "false"])),
    pl.String: (WORDS, True, WORDS),
    pl.Categorical: (WORDS, True, WORDS),
    pl.Enum(["a", "b", "c", "2", "unused"]): (WORDS, True, st.sampled_from(["a", "unused"])),
    pl.Date: (DATES, True, DATES),
    pl.Datetime("us"): (TIMES, True, TIMES | DATES),
}
NUMPY = {
    "float64": (REALS, True, REALS),
    "float32": (REALS, True, REALS),
    "int64": (WHOLES, False, WHOLES),
    "uint8": (st.sampled_from([0, 1, 3, 254, 255]), False, st.sampled_from([-1, 0, 2, 200, 255, 300])),
    "bool": (TRUTHS, False, st.sampled_from(["true", "false"])),
}
NO_ORDER = ("bool", "boolean", "category", "str", "object", pl.Boolean, pl.String, pl.Categorical)


def pandas_column(name, values):
    if name == "category":
        return pd.Series(pd.Categorical(values, categories=["c", "unused", "b", "a", "2"]))
    if name in ("constant", "missing"):
        return pd.Series(values, dtype="int64" if name == "constant" else "float64")
    return pd.Series(values, dtype=name.split(" ")[0])


@st.composite
def tables(draw):
    """Draw a frame, and for each of its columns the literals for conditions and whether it has an order."""
    rows = draw(st.integers(5, 12))
    kind, types = draw(st.sampled_from([("pandas", PANDAS), ("polars", POLARS), ("NumPy", NUMPY)]))
    if kind == "NumPy":
        chosen = [draw(st.sampled_from(list(types)))] * draw(st.integers(1, 4))
    else:
        chosen = draw(st.lists(st.sampled_from(list(types)), min_size=1, max_size=5))
    columns, literals = {}, {}
    for place, one in enumerate(chosen):
        values, gaps, named = types[one]
        drawn = draw(st.lists(values | st.none() if gaps else values, min_size=rows, max_size=rows))
        name = f"x{place}"
        columns[name] = drawn
        literals[name] = named, one not in NO_ORDER and not isinstance(one, pl.Enum), f"{one}"
    if kind == "pandas":
        X = pd.DataFrame({name: pandas_column(one, columns[name]) for name, one in zip(columns, chosen, strict=True)})
        X.index = [f"row {number}" for number in range(rows)]
    elif kind == "polars":
        X = pl.DataFrame([pl.Series(name, columns[name], dtype=one) for name, one in zip(columns, chosen, strict=True)])
    else:
        X = np.array(list(columns.values()), dtype=chosen[0]).T
    # Rows that are there twice are as likely as in any data.
    if draw(st.booleans()):
        twice = [0, *range(rows - 1)]
        X = X.iloc[twice] if kind == "pandas" else X[twice]
    return X, literals


@st.composite
def conditions(draw, named, ordered):
    signs = ["=", "!=", "<", "<=", ">", ">="] if ordered else ["=", "!="]
    one = st.builds(Condition.compare, st.sampled_from(signs), named)
    several = st.lists(named, min_size=1, max_size=3).map(Condition.among)
    some = one | one | several | st.just(Condition.is_missing())
    shape = draw(st.integers(0, 4))
    if shape == 0:
        return draw(some) | draw(some)
    if shape == 1:
        return ~draw(some)
    if shape == 2:
        return draw(one) & draw(one)
    return draw(some)


OUTCOMES = [
    Outcome.of("yes"),
    Outcome.of("no"),
    Outcome.of({"yes": 0.3, "no": 0.7}),
    Outcome.of("no", confidence=0.6),
]


@st.composite
def rule_sets(draw, literals):
    rules = []
    for number in range(draw(st.integers(1, 3))):
        names = draw(st.lists(st.sampled_from(sorted(literals)), min_size=1, max_size=3, unique=True))
        clause = Clause.of({name: draw(conditions(*literals[name][:2])) for name in names})
        rules.append(Rule(f"rule {number}", clause, draw(st.sampled_from(OUTCOMES))))
    return RuleSet(rules)


def natives(X):
    """Return the cells of a frame as Python's own values, None where missing, row by row."""
    frame = pd.DataFrame(X, columns=[f"x{place}" for place in range(X.shape[1])]) if isinstance(X, np.ndarray) else X
    if isinstance(frame, pl.DataFrame):
        return frame.to_dicts()
    return [
        {name: None if pd.isna(value) else value for name, value in zip(frame.columns, row, strict=True)}
        for row in frame.astype(object).itertuples(index=False)
    ]


def same_frame(left, right):
    if isinstance(left, pd.DataFrame):
        assert_frame_equal(left, right, check_exact=True)
    elif isinstance(left, pl.DataFrame):
        polars.testing.assert_frame_equal(left, right, check_exact=True)
    else:
        assert left.dtype == right.dtype
        assert left.tobytes() == right.tobytes()


def top(X, count):
    return X.iloc[:count] if isinstance(X, pd.DataFrame) else X[:count]


# A rule that these types cannot hold is left out, and a part of one too.
@pytest.mark.filterwarnings("ignore::frote.exceptions.RuleWarning")
@settings(max_examples=examples(400))
@given(st.data(), tables(), st.integers(0, 5), st.sampled_from(["relabel", "drop", "none"]))
def test_every_synthetic_row_satisfies_its_rule_and_none_of_another_outcome(data, drawn, seed, how):
    X, literals = drawn
    rules = data.draw(rule_sets(literals))
    rules = rules.resolve(data.draw(st.sampled_from(["exclude", "priority"])), X)
    y = np.array([["no", "yes"][place % 2] for place in range(len(X))], dtype=object)
    y[-1] = "maybe"
    editor = frote.FROTE(
        Counting(),
        rules,
        modify=how,
        scoring=more_rows_are_better,
        agreement_weight=0.0,
        k=data.draw(st.sampled_from([1, 3])),
        max_fits=3,
        random_state=seed,
        oversample=5.0,
        on_impossible="skip",
    )
    before, y_before, text = copy.deepcopy(X), y.copy(), str(rules)
    try:
        X_new, y_new = editor.fit_resample(X, y)
    except frote.FroteError as error:
        # The rules may contradict all rows of a class, or all be impossible.
        if "left to train on" not in str(error) and "no rule is left" not in str(error):
            raise
        assume(False)
    same_frame(X, before)
    assert y.tolist() == y_before.tolist()
    assert str(rules) == text

    ledger = editor.ledger_
    kept = ledger["source"][ledger["row"].notna() & ledger["source"].notna()].astype(int).tolist()
    expected = X.iloc[kept].reset_index(drop=True) if isinstance(X, pd.DataFrame) else X[kept]
    same_frame(top(X_new, len(kept)), expected)
    if isinstance(X, pd.DataFrame):
        assert X_new.index.equals(pd.RangeIndex(len(X_new)))
        assert X_new.dtypes.equals(X.dtypes)
    elif isinstance(X, pl.DataFrame):
        assert X_new.schema == X.schema
    assert len(X_new) == len(y_new) == ledger["row"].notna().sum()

    synthetic = ledger[ledger["status"] == "synthetic"]
    event(f"{type(X).__name__}: {'some' if len(synthetic) else 'no'} synthetic rows")
    cells = natives(X_new)
    masks = {rule.name: rule.mask(X_new) for rule in rules}
    for row, name in zip(synthetic["row"], synthetic["rule"], strict=True):
        assert masks[name][row]
        for column, held in rules[name].clause:
            assert cells[row][column] in held
        for rule in rules:
            assert rule.outcome == rules[name].outcome or not masks[rule.name][row]
        assert y_new[row] in rules[name].outcome.labels or rules[name].outcome.rest


# --- promise 1, where it can be said exactly ---


def test_a_constrained_column_is_missing_only_where_its_condition_admits_it():
    X = pd.DataFrame({"a": [1.5, np.nan, 2.5, 2.5] * 5, "b": [np.nan, 1.0, 2.0, np.nan] * 5})
    y = ["yes", "no"] * 10
    rules = frote.parse_rules("""
        never: IF a > 2 THEN yes
        always: IF a IS MISSING AND b > 0 THEN no
        either: IF (a <= 0 OR a IS MISSING) AND (b < 0 OR b IS MISSING) THEN no
    """)
    editor = counting(rules, max_fits=10, oversample=20.0, schedule="fixed", weak_share=0.0)
    X_new, _ = editor.fit_resample(X, y)
    gone = X_new.isna().groupby(editor.ledger_["rule"]).mean()
    assert gone.loc["never", "a"] == 0
    assert 0.2 < gone.loc["never", "b"] < 0.8
    assert gone.loc["always"].tolist() == [1, 0]
    assert 0.1 < gone.loc["either", "b"] <= 1


def counting(rules, **parameters):
    """Return an editor that accepts every batch."""
    given = {"scoring": more_rows_are_better, "agreement_weight": 0.0, "max_fits": 3, "random_state": 0, "k": 3}
    return frote.FROTE(Counting(), rules, **{**given, "oversample": 5.0, **parameters})


def test_levels_types_and_names_are_kept():
    X = pd.DataFrame(
        {
            "level": pd.Categorical(["low", "high"] * 10, categories=["low", "mid", "high"], ordered=True),
            "a b": np.arange(20, dtype=np.uint8),
            "day": pd.date_range("2024-01-01", periods=20).as_unit("s"),
            "zone": pd.date_range("2024-01-01", periods=20, tz="UTC"),
        },
        index=pd.Index(range(100, 120), name="id"),
    )
    editor = counting("IF level = mid AND `a b` >= 200 AND day > 2025-01-01 THEN yes")
    X_new, y_new = editor.fit_resample(X, pd.Series(["yes", "no"] * 10, name="answer", index=X.index))
    assert X_new.dtypes.equals(X.dtypes)
    assert X_new.columns.tolist() == X.columns.tolist()
    made = X_new[20:]
    assert len(made)
    assert set(made["level"]) == {"mid"}
    assert made["a b"].min() >= 200
    assert (made["day"] > pd.Timestamp("2025-01-01")).all()
    assert (made["day"] == made["day"].dt.normalize()).all()
    assert y_new.name == "answer"
    assert y_new.index.equals(pd.RangeIndex(len(X_new)))


def test_a_rule_that_no_row_can_satisfy_in_these_types_is_an_error_or_left_out():
    X = pd.DataFrame({"a": np.arange(10, dtype=np.uint8)})
    editor = counting("high: IF a > 300 THEN yes\nlow: IF a < 2 THEN yes")
    with pytest.raises(frote.BindingError, match=r"rule 'high': no row can satisfy it: .* from 0 to 255"):
        editor.fit_resample(X, ["yes", "no"] * 5)
    with pytest.warns(RuleWarning, match=r"^Left out: rule 'high', which no row can satisfy: "):
        X_new, _ = editor.set_params(on_impossible="skip").fit_resample(X, ["yes", "no"] * 5)
    assert (X_new["a"][10:] < 2).all()
    assert list(editor.skipped_) == ["high"]


def test_a_piece_that_cannot_be_made_beside_one_that_can():
    X = pd.DataFrame({"a": np.arange(10, dtype=np.uint8), "b": [1.5] * 10})
    editor = counting("IF a > 300 OR b > 2 THEN yes")
    with pytest.warns(
        RuleWarning, match="Part of rule 'rule 1' cannot apply: column 'a' holds whole numbers from 0 to"
    ):
        X_new, _ = editor.fit_resample(X, ["yes", "no"] * 5)
    assert len(X_new) > 10
    assert (X_new["b"][10:] > 2).all()


# --- promise 2: the same seed gives the same bytes ---

SECONDS = ["fit_seconds", "predict_seconds", "other_seconds"]


def run(seed, estimator=None, X=LOANS.X, **parameters):
    editor = frote.FROTE(estimator, RULES, max_fits=4, random_state=seed, modify="none", k=2, **parameters)
    X_new, y_new = editor.fit_resample(X, LOANS.y)
    return editor, X_new, y_new


def bytes_of(editor, X_new, y_new):
    return pickle.dumps([X_new, y_new, editor.history_.drop(columns=SECONDS), editor.ledger_, editor.sample_indices_])


@pytest.mark.parametrize("select", ["random", "ip", "online"])
def test_the_same_seed_gives_the_same_bytes_and_another_does_not(select):
    first = run(3, select=select)
    assert first[0].ledger_["status"].eq("synthetic").any()
    assert bytes_of(*first) == bytes_of(*run(3, select=select))
    assert bytes_of(*first) != bytes_of(*run(4, select=select))


def test_unset_random_states_of_the_estimator_come_from_the_seed():
    forest = frote.default_pipeline(RandomForestClassifier(5, max_depth=3))
    first, *_ = outcome = run(1, forest)
    np.random.seed(0)  # noqa: NPY002
    again, *_ = other = run(1, forest)
    assert bytes_of(*outcome) == bytes_of(*other)
    assert first.estimator_["model"].random_state == again.estimator_["model"].random_state == 1
    assert forest["model"].random_state is None
    fixed, *_ = run(1, frote.default_pipeline(RandomForestClassifier(5, max_depth=3, random_state=9)))
    assert fixed.estimator_["model"].random_state == 9


def test_every_fit_gets_the_same_seed():
    fits = []
    X = pd.DataFrame({"a": range(20)})
    editor = frote.FROTE(Breaking(fits=fits), "IF a < 10 THEN yes", max_fits=2, random_state=5, modify="none")
    editor.fit(X, ["no", "yes"] * 10)
    assert fits == [5, 5, 5]


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_generators_as_random_states(make):
    first, second = (
        run(make(7), DecisionTreeClassifier(max_depth=2), LOANS.X[["age", "income", "defaults"]]) for _ in "ab"
    )
    assert bytes_of(*first) == bytes_of(*second)


def test_no_random_state_differs_from_run_to_run():
    X = LOANS.X
    seeds = []
    for _ in range(2):
        editor = counting(RULES, random_state=None, max_fits=1)
        X_new, _ = editor.fit_resample(X, LOANS.y)
        seeds.append(pickle.dumps(X_new))
    assert seeds[0] != seeds[1]


# --- promise 5: nothing of the caller's is changed ---


@pytest.mark.parametrize("select", ["random", "ip", "online", "online-exact"])
def test_nothing_of_the_callers_is_changed(select):
    X, y = LOANS.X.set_index(LOANS.X.index + 5), LOANS.y.copy()
    rules = frote.parse_rules(str(RULES))
    estimator = frote.default_pipeline(LogisticRegression(max_iter=300))
    X_before, y_before, parameters = X.copy(deep=True), y.copy(deep=True), str(estimator.get_params())
    frote.FROTE(estimator, rules, max_fits=2, select=select, random_state=0).fit(X, y)
    assert_frame_equal(X, X_before)
    assert_series_equal(y, y_before)
    assert rules == RULES
    assert str(estimator.get_params()) == parameters
    assert not hasattr(estimator["model"], "coef_")


# --- what comes back ---


def test_polars_in_polars_out_and_the_estimator_gets_polars():
    X = pl.DataFrame({"a": range(20), "b": ["x", "y"] * 10})
    y = pl.Series("answer", ["no", "yes"] * 10)
    editor = counting("IF a < 5 THEN yes", max_fits=1)
    X_new, y_new = editor.fit_resample(X, y)
    assert isinstance(X_new, pl.DataFrame)
    assert isinstance(y_new, pl.Series)
    assert y_new.dtype == pl.String
    assert y_new.name == "answer"
    assert editor.estimator_.frame_ is pl.DataFrame
    assert editor.feature_names_in_.tolist() == ["a", "b"]
    assert len(X_new) > 20


def test_numpy_in_numpy_out():
    X = np.arange(40.0).reshape(20, 2)
    editor = counting("IF x0 < 9 THEN 1", max_fits=1)
    X_new, y_new = editor.fit_resample(X, np.array([0, 1] * 10, dtype=np.int8))
    assert type(X_new) is np.ndarray
    assert X_new.dtype == np.float64
    assert y_new.dtype == np.int8
    assert editor.estimator_.frame_ is np.ndarray
    assert editor.n_features_in_ == 2
    assert not hasattr(editor, "feature_names_in_")


def test_the_origin_of_each_row():
    editor = counting("IF defaults >= 1 THEN approved", modify="drop", max_fits=4)
    X_new, _ = editor.fit_resample(LOANS.X, LOANS.y)
    sources, ledger = editor.sample_indices_, editor.ledger_
    assert len(sources) == len(X_new)
    result = ledger[ledger["row"].notna()]
    for row, source, base in zip(result["row"], result["source"], result["base"], strict=True):
        assert sources[row] == (sources[base] if pd.isna(source) else source)
    assert result["base"].max() >= len(LOANS.X) - ledger["status"].eq("dropped").sum()  # synthetic from synthetic


def test_fitted_attributes():
    editor, X_new, y_new = run(0)
    assert editor.n_fits_ == len(editor.history_) == 5
    assert editor.rules_.names == RULES.names
    assert editor.classes_.tolist() == ["approved", "denied"]
    assert editor.n_features_in_ == LOANS.X.shape[1]
    assert editor.objective_ == editor.history_.loc[editor.history_["accepted"], "objective"].iloc[-1]
    assert (editor.estimator_.predict(X_new) == y_new).mean() > 0.7


def test_fit_does_what_fit_resample_does():
    one = frote.FROTE(rules=RULES, max_fits=2, random_state=0).fit(LOANS.X, LOANS.y)
    two = frote.FROTE(rules=RULES, max_fits=2, random_state=0)
    two.fit_resample(LOANS.X, LOANS.y)
    assert_frame_equal(one.ledger_, two.ledger_)


# --- parameters ---


def test_published_parameters_survive_a_clone():
    editor = frote.FROTE.as_published(Counting(), RULES, k=3, batch_size=20)
    assert type(editor) is frote.FROTE
    copied = clone(editor)
    assert copied.evaluate == "published"
    assert copied.k == 3
    assert copied.batch_size == 20
    assert copied.rules == RULES
    assert frote.FROTE.as_published(evaluate="active").evaluate == "active"


def test_rules_may_be_text_a_path_a_rule_or_a_list(tmp_path):
    path = tmp_path / "my.rules"
    RULES.save(path)
    for rules in (str(RULES), path, str(path), RULES, list(RULES), tuple(RULES)):
        editor = frote.FROTE(Counting(), rules, max_fits=0, random_state=0).fit(LOANS.X, LOANS.y)
        assert editor.rules_.names == RULES.names
    editor = frote.FROTE(Counting(), RULES["young"], max_fits=0).fit(LOANS.X, LOANS.y)
    assert editor.rules_.names == ("young",)


def test_kinds_can_be_overridden():
    X = pd.DataFrame({"zip": [10, 20, 30, 40] * 5, "count": pd.array([1, 2, None, 4] * 5, dtype="Int64")})
    editor = counting("IF zip = 20 AND count > 2 THEN yes", kinds={"zip": "categorical", "count": "continuous"})
    X_new, _ = editor.fit_resample(X, ["yes", "no"] * 10)
    assert set(X_new["zip"]) == {10, 20, 30, 40}
    assert X_new.dtypes.equals(X.dtypes)
    assert (X_new["count"][20:] > 2).all()
