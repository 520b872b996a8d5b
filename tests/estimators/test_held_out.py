"""A share of the rows held out to compare models on: it comes back into the result, in place, and into the last fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.estimators.results import cells, outcome
from tests.estimators.stubs import Counting, more_rows_are_better

import frote

N = 60
X = pd.DataFrame(
    {
        "a": np.arange(N) * 37 % N,
        "b": np.random.default_rng(0).permutation(N) + 0.25,
        "c": np.random.default_rng(1).permutation(N) * 1.5 + 0.25,
        "d": list("xyz") * (N // 3),
    },
    index=[f"row {number}" for number in range(N)],
)
Y = np.array((["no"] * 7 + ["yes"] * 3) * (N // 10), dtype=object)
RULES = "low: IF a < 20 THEN yes\nhigh: IF a >= 50 AND d = x THEN no"


class Recording(Counting):
    """Keeps the rows and labels of every fit, and the rows that it is asked about, in lists that clones share."""

    def __init__(self, fits=None, asked=None):
        self.fits = fits
        self.asked = asked

    def __sklearn_clone__(self):
        return Recording(self.fits, self.asked)

    def fit(self, X, y):
        self.fits.append((X, list(y)))
        return super().fit(X, y)

    def predict(self, X):
        self.asked.append(X)
        return super().predict(X)


def editor_of(estimator, **parameters):
    """Return an editor of which every batch is accepted."""
    given = {"evaluate": 0.2, "scoring": more_rows_are_better, "agreement_weight": 0.0, "k": 3, "random_state": 0}
    given |= {"schedule": "fixed", "batch_size": 8, "max_fits": 3, "oversample": 9.0, "weak_share": 0.5}
    return frote.FROTE(estimator, **{"rules": RULES, **given, **parameters})


def run(X=X, y=Y, **parameters):
    """Run with every batch accepted; return the editor, the result and the positions of the rows held out."""
    editor = editor_of(Recording([], []), **parameters)
    X_new, y_new = editor.fit_resample(X, y)
    kept = editor.ledger_.loc[editor.ledger_["source"].notna() & editor.ledger_["row"].notna(), "source"].astype(int)
    first = editor.estimator.fits[0][0]
    by_value = dict(zip(np.asarray(X["b"]), range(len(X)), strict=True))  # no two rows have the same
    trained = [by_value[value] for value in np.asarray(first["b"])]
    held = sorted(set(kept) - set(trained))
    return editor, X_new, y_new, held


@pytest.mark.parametrize("modify", ["relabel", "drop", "none"])
def test_the_originals_come_first_and_in_order(modify):
    editor, X_new, y_new, held = run(modify=modify)
    plain = frote.FROTE(Counting(), RULES, modify=modify, max_fits=0, random_state=0)
    X_kept, y_kept = plain.fit_resample(X, Y)
    assert held
    assert cells(X_new[: len(X_kept)]) == cells(X_kept)
    assert list(y_new[: len(X_kept)]) == list(y_kept)
    assert editor.ledger_["row"].dropna().tolist() == list(range(len(X_new)))
    assert X_new.index.equals(pd.RangeIndex(len(X_new)))
    statuses = editor.ledger_[editor.ledger_["status"] != "synthetic"].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        statuses[["source", "index", "status", "rule"]], plain.ledger_[["source", "index", "status", "rule"]]
    )


@pytest.mark.parametrize("modify", ["relabel", "drop", "none"])
def test_base_and_neighbour_are_rows_of_the_result(modify):
    editor, X_new, _, held = run(modify=modify)
    ledger = editor.ledger_
    made = ledger[ledger["status"] == "synthetic"]
    originals = (ledger["row"].notna() & ledger["source"].notna()).sum()
    sources = ledger["source"][:originals].astype(int).tolist()
    assert made["neighbour"].isna().any()
    assert made["neighbour"].notna().any()
    later = 0
    for line in made.itertuples():
        new, base = X_new.loc[line.row], X_new.loc[line.base]
        assert line.base < originals + 8 * (line.step - 1)
        assert line.base >= originals or sources[line.base] not in held
        later += line.base >= originals
        if pd.isna(line.neighbour):  # a copy, but for what its rule names
            assert (new["b"], new["c"]) == (base["b"], base["c"])
            assert line.rule == "high" or new["d"] == base["d"]
        else:
            other = X_new.loc[line.neighbour]
            for name in ("b", "c"):
                low, high = sorted([base[name], other[name]])
                assert low <= new[name] <= high
            assert line.neighbour >= originals or sources[line.neighbour] not in held
        expected = line.base if line.base < originals else None
        if expected is not None:
            assert editor.sample_indices_[line.row] == sources[expected]
    assert later  # some rows were made from synthetic ones


def test_they_are_never_trained_on_but_in_the_end():
    editor, X_new, y_new, held = run()
    fits = editor.estimator.fits
    apart = set(X["b"].iloc[held])
    for frame, _ in fits[:-1]:
        assert not apart & set(frame["b"])
    last, labels = fits[-1]
    assert cells(last) == cells(X_new)
    assert labels == list(y_new)
    assert editor.estimator_.rows_ == len(X_new) == N + 3 * 8
    # What the loop trains on is the rest, and below it what was accepted.
    assert [len(frame) for frame, _ in fits[:-1]] == [N - len(held) + 8 * step for step in range(4)]


def test_a_last_fit_that_fails_does_not_cost_the_run():
    class LastFails(Recording):
        def __sklearn_clone__(self):
            return LastFails(self.fits, self.asked)

        def fit(self, X, y):
            if len(self.fits) == 4:
                raise MemoryError("too large")
            return super().fit(X, y)

    editor = editor_of(LastFails([], []))
    with pytest.warns(UserWarning, match=r"The last fit, to all rows, failed \(MemoryError: too large\)"):
        X_new, _ = editor.fit_resample(X, Y)
    whole, expected, _, held = run()
    assert cells(X_new) == cells(expected)
    assert editor.ledger_.equals(whole.ledger_)
    assert editor.estimator_.rows_ == len(X_new) - len(held)


def test_the_last_fit_counts():
    editor, *_ = run()
    assert editor.n_fits_ == len(editor.history_) + 1 == len(editor.estimator.fits)
    assert run(max_fits=0)[0].n_fits_ == 2
    assert editor.objective_ == editor.history_["objective"].iloc[-1]


def test_models_are_compared_on_them():
    seen = []

    def scoring(model, X, y):
        seen.append((X, list(y)))
        return float(model.rows_)

    editor, _, y_new, held = run(scoring=scoring)
    rows = X.iloc[held].reset_index(drop=True)
    assert cells(editor.estimator.asked[0][: len(held)]["b"]) == cells(rows["b"])
    # The score outside coverage is of those of them that no rule covers, at every step.
    apart = ~(editor.rules_["low"].mask(rows) | editor.rules_["high"].mask(rows))
    assert len(seen) == 4
    for frame, labels in seen:
        assert cells(frame) == cells(rows[apart].reset_index(drop=True))
        assert labels == [y_new[place] for place, one in zip(held, apart, strict=True) if one]


@pytest.mark.parametrize("share", [0.2, 0.34, 0.5, 0.9, np.float32(0.5), np.float64(0.2)])
def test_a_share_of_every_rule_and_label(share):
    editor, _, y_new, held = run(evaluate=share)
    rules = editor.rules_
    owner = np.where(rules["low"].mask(X), 1, np.where(rules["high"].mask(X), 2, 0))
    for rule in range(3):
        for label in ("no", "yes"):
            group = np.flatnonzero((owner == rule) & (np.asarray(y_new[:N]) == label))
            assert len(set(group) & set(held)) == int(share * len(group))


def test_small_classes_stay_in_training():
    y = Y.copy()
    y[[3, 30, 31]] = ["rare", "twice", "twice"]
    editor, _, _, held = run(y=y, modify="none", evaluate=0.5)
    labels = editor.estimator.fits[0][1]
    assert set(labels) == {"no", "yes", "rare", "twice"}
    assert 3 not in held
    assert len({30, 31} & set(held)) <= 1
    assert run(y=y, modify="none", evaluate=0.99)[0].classes_.tolist() == ["no", "rare", "twice", "yes"]


def test_where_no_row_can_be_spared_it_is_as_without():
    few = {"max_fits": 3, "evaluate": 0.01}
    editor, X_new, _, held = run(**few)
    assert held == []
    assert editor.n_fits_ == len(editor.history_) == 4
    assert cells(X_new) == cells(run(**{**few, "evaluate": "probes"})[1])


def test_the_seed_chooses():
    assert run()[3] == run()[3]
    assert run()[3] != run(random_state=1)[3]


def test_without_rules():
    editor, X_new, _, held = run(rules=())
    assert len(held) == int(0.2 * (Y == "no").sum()) + int(0.2 * (Y == "yes").sum())
    assert len(X_new) == N
    assert editor.n_fits_ == 2


@pytest.mark.parametrize("modify", ["relabel", "drop"])
def test_polars(modify):
    frame, y = pl.from_pandas(X), pl.Series("answer", Y.tolist())
    editor, X_new, y_new, held = run(frame, y, modify=modify)
    expected = run(modify=modify)
    assert isinstance(X_new, pl.DataFrame)
    assert held == expected[3]
    assert X_new["b"].to_list() == expected[1]["b"].tolist()
    assert y_new.to_list() == list(expected[2])
    assert editor.ledger_["base"].tolist() == expected[0].ledger_["base"].tolist()


def test_arrays():
    array = X[["a", "b", "c"]].to_numpy()
    editor = frote.FROTE(Counting(), "IF x0 < 20 THEN yes", evaluate=0.25, max_fits=2, random_state=0)
    X_new, y_new = editor.fit_resample(array, Y)
    np.testing.assert_array_equal(X_new[:N], array)
    assert len(X_new) == len(y_new)
    assert editor.estimator_.rows_ == len(X_new)


def test_a_real_model_is_steered_by_rows_it_has_not_seen():
    loans = frote.datasets.load_loans(200)
    text = "young: IF age < 29 AND defaults = 0 THEN approved"
    made = [frote.FROTE(rules=text, evaluate=0.25, max_fits=4, random_state=2) for _ in range(2)]
    one, two = (outcome(editor, loans.X, loans.y) for editor in made)
    assert one == two
    history = made[0].history_
    later = history[1:]
    assert (later["accepted"] == (later["objective"] > later["previous"])).all()
