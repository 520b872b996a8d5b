from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
import pytest

from frote.datasets import load_loans
from frote.datasets.loans import PURPOSES, YEARS_TO_REPAY, _old_policy
from frote.exceptions import DatasetError


@pytest.fixture(scope="module")
def loans():
    return load_loans()


def test_the_default_table_is_the_same_bytes_everywhere(loans):
    text = loans.X.assign(decision=loans.y).to_csv(index=False, lineterminator="\n")
    assert hashlib.sha256(text.encode()).hexdigest() == (
        "29acb916686c3c6dbc2b946c47c1df05330f875f6182824d0b57a39197a1b98b"
    )


def test_a_seed_gives_the_same_table_and_another_seed_another():
    first, again, other = load_loans(300, random_state=5), load_loans(300, random_state=5), load_loans(300)
    pd.testing.assert_frame_equal(first.X, again.X)
    pd.testing.assert_series_equal(first.y, again.y)
    assert not first.X["income"].equals(other.X["income"])


def test_every_kind_of_column_is_there(loans):
    kinds = {name: str(dtype) for name, dtype in loans.X.dtypes.items()}
    assert kinds.pop("channel") in ("object", "str")  # pandas 2, pandas 3
    assert kinds == {
        "age": "int64",
        "income": "float64",
        "employment_years": "Int64",
        "marital-status": "category",
        "purpose": "category",
        "amount": "int64",
        "defaults": "int64",
        "has_guarantor": "bool",
        "applied_on": "datetime64[ns]",
    }
    assert list(loans.X.columns)[8:] == ["channel", "applied_on"]


def test_values_are_plausible(loans):
    X = loans.X
    assert X["age"].between(18, 75).all()
    assert X["defaults"].between(0, 5).all()
    assert (X["amount"] > 0).all()
    assert (X["employment_years"].dropna() >= 0).all()
    assert (X["employment_years"] <= X["age"] - 18).fillna(True).all()
    assert X["applied_on"].between("2023-01-01", "2024-12-31").all()
    assert (X["applied_on"] == X["applied_on"].dt.normalize()).all()
    assert set(X["channel"].dropna()) == {"branch", "online", "broker"}


def test_some_values_are_missing(loans):
    gaps = loans.X.isna().mean()
    assert set(gaps[gaps > 0].index) == {"income", "employment_years", "channel"}
    assert gaps[gaps > 0].between(0.01, 0.10).all()


def test_columns_hang_together(loans):
    X = loans.X
    numbers = X[["age", "income", "employment_years"]].astype("float64")
    assert (numbers.corr().to_numpy() > 0.25).all()
    assert X["income"].skew() > 1
    amounts = X.groupby("purpose", observed=True)["amount"].median()
    assert amounts["home"] > amounts["business"] > amounts["car"] > amounts["other"]


@pytest.mark.parametrize("seed", range(5))
def test_the_old_policy_approves_most_but_hardly_anyone_young(seed):
    loans = load_loans(random_state=seed)
    approved = loans.y == "approved"
    young = loans.X["age"] < 29
    assert 0.53 < approved.mean() < 0.70
    assert approved[young].mean() < 0.2
    assert approved[~young].mean() > 0.7


def decided(**changed):
    """Decide on one application that has 3 + 2 + 1 + 1 = 7 points but for what is changed."""
    usual = {"age": 40, "amount": 1_000, "purpose": "home", "defaults": 0, "has_guarantor": False}
    row = {**usual, **{name: value for name, value in changed.items() if name in usual}}
    X = pd.DataFrame([row]).astype({"purpose": pd.CategoricalDtype(PURPOSES)})
    income, employment = changed.get("income", 50_000.0), changed.get("employment", 5)
    return bool(_old_policy(X, np.array([income]), np.array([employment]))[0])


def yearly(share):
    """Return an amount whose yearly instalment is a share of an income of 50,000."""
    return round(share * 50_000 * YEARS_TO_REPAY[PURPOSES.index("home")])


# At each limit of the old policy: what has just the 3 points that are needed or more, and what has not.
LIMITS = {
    "a burden of 0.12": ({"defaults": 1, "amount": yearly(0.12) - 1}, {"defaults": 1, "amount": yearly(0.12)}),
    "a burden of 0.24": (
        {"defaults": 1, "amount": yearly(0.24) - 1, "has_guarantor": True},
        {"defaults": 1, "amount": yearly(0.24), "has_guarantor": True},
    ),
    "a burden of 0.40": ({"amount": yearly(0.40) - 1}, {"amount": yearly(0.40)}),
    "25 years": ({"age": 25, "has_guarantor": False}, {"age": 24}),
    "30 years": (
        {"age": 30, "defaults": 1, "has_guarantor": False},
        {"age": 29, "defaults": 1, "has_guarantor": False},
    ),
    "66 years": ({"age": 65, "defaults": 1}, {"age": 66, "defaults": 1}),
    "a default": ({"defaults": 0, "employment": 0, "amount": yearly(0.30)}, {"defaults": 1, "employment": 0}),
    "two defaults": ({"defaults": 1}, {"defaults": 2}),
    "5 years employed": ({"defaults": 1, "employment": 5}, {"defaults": 1, "employment": 4}),
    "2 years employed": (
        {"defaults": 1, "employment": 2, "has_guarantor": True},
        {"defaults": 1, "employment": 1, "has_guarantor": True},
    ),
    "a guarantor": (
        {"defaults": 1, "employment": 2, "has_guarantor": True},
        {"defaults": 1, "employment": 2, "has_guarantor": False},
    ),
}


@pytest.mark.parametrize("limit", LIMITS)
def test_the_old_policy_by_hand(limit):
    approved, denied = LIMITS[limit]
    assert decided(**approved)
    assert not decided(**denied)


@pytest.mark.parametrize("n", [1, 2, 17])
def test_small_tables_have_the_same_types(n, loans):
    small = load_loans(n)
    assert len(small.X) == len(small.y) == n
    pd.testing.assert_series_equal(small.X.dtypes.drop("channel"), loans.X.dtypes.drop("channel"))


def test_no_seed_draws_a_new_table():
    assert not np.array_equal(load_loans(50, random_state=None).X["age"], load_loans(50, random_state=None).X["age"])


def test_no_rows_is_an_error():
    with pytest.raises(DatasetError, match=r"^A data set of 0 loans cannot be made: n must be at least 1\.$"):
        load_loans(0)


def test_a_negative_seed_is_an_error():
    with pytest.raises(DatasetError, match=r"^The seed -1 is negative"):
        load_loans(random_state=-1)


def test_the_policy_is_plain_text_with_comments(loans):
    assert loans.rules_text.isascii()
    assert max(map(len, loans.rules_text.splitlines())) <= 110
    for part in ("WITH CONFIDENCE", "{approved: 0.7", "IN {", "NOT (", "IS MISSING", "applied_on >= '"):
        assert part in loans.rules_text


def test_the_policy_has_one_conflict_and_one_redundant_rule(loans):
    conflicts, redundant = [], []
    rules = list(loans.rules)
    for place, later in enumerate(rules):
        for earlier in rules[:place]:
            if earlier.outcome == later.outcome:
                redundant += [later.name] if later.clause.implies(earlier.clause) else []
            elif not (earlier.clause & later.clause).is_empty():
                conflicts.append((earlier.name, later.name))
    assert len(rules) == 7
    assert conflicts == [("young earners", "broker freeze")]
    assert redundant == ["desperate cases"]


def test_the_policy_covers_some_rows_by_each_rule_but_one(loans):
    shares = {rule.name: rule.mask(loans.X).mean() for rule in loans.rules}
    assert shares.pop("young savers") < 0.002
    assert 0.01 < shares.pop("desperate cases") < 0.02
    assert all(0.02 < share < 0.15 for share in shares.values())


def test_the_policy_contradicts_the_labels_of_the_young(loans):
    covered = next(rule for rule in loans.rules if rule.name == "young earners").mask(loans.X)
    assert (loans.y[covered] == "denied").mean() > 0.75
