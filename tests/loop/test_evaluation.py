"""Which rows models are compared on, and how a run goes on or ends by it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from tests.estimators.stubs import Breaking, Counting, more_rows_are_better

import frote
from frote.coverage.labels import Labels
from frote.coverage.measures import Scores
from frote.loop.attempts import _Asked
from frote.loop.evaluation import Verdict
from frote.loop.initial import Initial
from frote.loop.training import IN_TRAINING, Trainer

X = pd.DataFrame({"a": np.arange(24), "b": np.arange(24) * 7 % 11 / 2})
Y = ["no", "yes"] * 12
RULE = "IF a < 8 THEN yes"


class Sure:
    """A model without probabilities."""

    classes_ = np.array(["no", "yes"])

    def predict(self, X):
        return np.where(np.asarray(X["a"]) > 1, "yes", "no")


class Chances(Sure):
    """The same, less sure in the middle."""

    def predict_proba(self, X):
        return np.array([[0.8, 0.2], [0.5, 0.5], [0.2, 0.8]])[np.asarray(X["a"])]


class Mute(Sure):
    def predict(self, X):
        raise RuntimeError(f"nothing to say of {len(X)} rows")


def edit(estimator, rules=RULE, **parameters):
    given = {"modify": "none", "max_fits": 4, "random_state": 0, "k": 2, "batch_size": 4, "oversample": 9.0}
    given |= {"schedule": "fixed", "weak_share": 0.0, "evaluate": "active"}
    return frote.FROTE(estimator, rules, **{**given, **parameters}).fit(X, Y)


def invariants(editor):
    """Hold what is true of every history."""
    history, ledger = editor.history_, editor.ledger_
    assert history["step"].tolist() == list(range(len(history)))
    assert editor.n_fits_ == len(history)
    assert history["accepted"][0]
    assert np.isnan(history["previous"][0])
    later = history[1:]
    done = later[later["error"] == ""]
    assert (done["accepted"] == (done["objective"] > done["previous"])).all()
    assert not later.loc[later["error"] != "", "accepted"].any()
    assert (history[["fit_seconds", "predict_seconds", "other_seconds"]] >= 0).all(axis=None)
    assert history["added"].tolist() == (history["proposed"] * history["accepted"]).cumsum().tolist()
    each = [name for name in history.columns if name.startswith("proposed: ")]
    assert (history[each].sum(axis=1) == history["proposed"]).all()
    synthetic = ledger[ledger["status"] == "synthetic"]
    assert len(synthetic) == history["added"].iloc[-1]
    assert set(synthetic["step"]) == set(later.loc[later["accepted"], "step"])
    assert editor.objective_ == history.loc[history["accepted"], "objective"].iloc[-1]


@pytest.mark.filterwarnings("ignore:No validation row is covered by rule 'far'")
@pytest.mark.parametrize("evaluate", ["probes", "active", "published", "printed", (X, Y)])
@pytest.mark.parametrize("estimator", [LogisticRegression(), DecisionTreeClassifier(max_depth=2), Breaking()])
@pytest.mark.parametrize("modify", ["none", "relabel", "drop"])
def test_invariants_of_the_history(evaluate, estimator, modify):
    rules = "IF a < 8 THEN yes\nfar: IF a > 100 OR (a > 50 AND b > 90) THEN {no: 0.9, yes: 0.1}"
    invariants(edit(estimator, rules, evaluate=evaluate, modify=modify))
    invariants(edit(estimator, rules, evaluate=evaluate, modify=modify, schedule="adaptive", weak_share=0.5))


def test_columns_of_the_history():
    assert edit(Breaking()).history_.columns.tolist() == [
        *("step", "accepted", "objective", "previous", "agreement", "outside", "proposed", "added", "guards", "loss"),
        *("fit_seconds", "predict_seconds", "other_seconds", "error", "proposed: rule 1", "agreement: rule 1"),
    ]


class Wavering(Breaking):
    """Agrees on 4 of the 8 covered rows at first, then on 6, 5, 7 and 6; outside it is always the same."""

    def fit(self, X, y):
        super().fit(X, y)
        self.right_ = [4, 6, 5, 7, 6][len(self.fits) - 1]
        return self

    def predict(self, X):
        a = np.asarray(X["a"])
        return np.where((a < 8) & (a >= self.right_), "no", "yes")


def test_active_compares_both_models_on_the_data_before_the_batch():
    editor = edit(Wavering(fits=[]))
    history = editor.history_
    assert history["accepted"].tolist() == [True, True, False, True, False]
    # Later steps see synthetic rows too, which are covered: the current model is scored anew on them.
    expected = history["agreement"].where(history["accepted"]).ffill().shift()
    assert history["agreement"][:2].tolist() == [4 / 8, 6 / 8]
    assert history["previous"][1] == history["objective"][0]
    assert expected[1] == 4 / 8
    made = editor.ledger_["step"] == 1
    rows = pd.concat([X, _made(editor, 1)])
    model = editor.estimator_
    model.right_ = 6
    assert made.sum() == 4
    again = frote.score(model, rows, [*Y, *["yes"] * 4], RULE)
    assert history["previous"][2] == pytest.approx((again.agreement + again.f1) / 2)


def _made(editor, step):
    fits = []
    again = frote.FROTE(Wavering(fits=fits), **_parameters(editor, max_fits=step))
    made, _ = again.fit_resample(X, Y)
    return made[len(X) :]


def _parameters(editor, **changed):
    given = editor.get_params(deep=False)
    del given["estimator"]
    return {**given, **changed}


def test_published_remembers_the_score_of_acceptance():
    history = edit(Wavering(fits=[]), evaluate="published").history_
    kept = history["objective"].where(history["accepted"]).ffill()
    assert history["previous"][1:].tolist() == kept[:-1].tolist()


def test_validation_rows_are_the_same_at_every_step():
    X_val = pd.DataFrame({"id": list("wxyz"), "b": [0.5] * 4, "a": [3, 5, 6, 20]})  # in another order, beside another
    history = edit(Wavering(fits=[]), evaluate=(X_val, ["no", "no", "no", "yes"])).history_
    # Covered are 3, 5 and 6: a model says yes to those below its bound, 4, 6, 5, 7 and 6.
    assert history["agreement"].tolist() == pytest.approx([1 / 3, 2 / 3, 1 / 3, 1, 2 / 3])
    assert history["outside"].tolist() == [1] * 5
    assert history["accepted"].tolist() == [True, True, False, True, False]


class Outside(Breaking):
    """Says no where a > 100, and to some of the other rows: at first to 6 of 24, then to 8, then to 4."""

    def fit(self, X, y):
        super().fit(X, y)
        self.every_ = [4, 3, 6][len(self.fits) - 1]
        return self

    def predict(self, X):
        a = np.asarray(X["a"])
        return np.where((a > 100) | (a % self.every_ == 0), "no", "yes")


def test_as_printed_a_batch_is_judged_on_rows_that_its_rule_does_not_cover():
    # No row of the data has a > 100. Of the 23 rows that are yes the models get 17, 15 and 19 right, of the other none.
    # F1 of the class yes is then 2 * right / (23 + said yes), where yes is said to one row more than are right.
    history = edit_without_support(Outside(fits=[]), "printed")
    assert history["agreement"].isna().all()
    expected = [23 / 24 * 2 * right / (23 + right + 1) for right in (17, 15, 19)]
    assert history["outside"].tolist() == pytest.approx(expected)
    assert history["objective"].tolist() == history["outside"].tolist()
    assert history["accepted"].tolist() == [True, False, True]
    assert history["previous"][1:].tolist() == [history["objective"][0]] * 2
    # With the batch, its rows count, and both models agree with the rule on all of them.
    with_batch = edit_without_support(Outside(fits=[]), "published")
    assert with_batch["agreement"][1:].tolist() == [1.0, 1.0]
    assert with_batch["previous"][1] > history["previous"][1]


def edit_without_support(estimator, evaluate):
    labels = ["yes"] * 23 + ["no"]
    given = {"modify": "none", "max_fits": 2, "random_state": 0, "k": 2, "batch_size": 4, "evaluate": evaluate}
    return frote.FROTE.as_published(estimator, "IF a > 100 THEN no", **given).fit(X, labels).history_


def test_without_support_the_batch_counts():
    # No row is covered. On the data alone nothing could change; with the batch, saying yes to it is better.
    editor = edit(LogisticRegression(C=100.0), "IF a > 100 THEN no", max_fits=3)
    history = editor.history_
    assert np.isnan(history["agreement"][0])
    assert history["agreement"][1:].notna().all()
    assert history["accepted"][1:].any()


@pytest.mark.parametrize("gaps", [{"b": np.nan}, {"c": np.nan}, {"c": None}, {"b": None, "c": None}])
def test_a_column_of_the_validation_data_may_be_all_missing(gaps):
    frame = X.assign(c=["x", "y"] * 12)
    held = frame.assign(**{name: pd.Series([value] * 24, dtype=object) for name, value in gaps.items()})
    editor = frote.FROTE(Counting(), "IF a < 8 AND c = x THEN yes", evaluate=(held, Y), max_fits=1, modify="none")
    if "c" in gaps:
        with pytest.warns(UserWarning, match="No validation row is covered by rule 'rule 1'"):
            editor.fit(frame, Y)
    else:
        editor.fit(frame, Y)
        assert editor.history_["agreement"].notna().all()


@pytest.mark.parametrize("kind", [float, bool, str, object])
def test_labels_of_the_validation_data_match_by_value_or_text(kind):
    y = np.array([0, 1] * 12)
    editor = frote.FROTE(Counting(), "IF a < 8 THEN 1", evaluate=(X, y.astype(kind)), max_fits=1, modify="none")
    expected = frote.FROTE(Counting(), "IF a < 8 THEN 1", evaluate=(X, y), max_fits=1, modify="none")
    assert editor.fit(X, y).history_["outside"].equals(expected.fit(X, y).history_["outside"])


def test_validation_in_polars():
    import polars as pl

    frame = pl.DataFrame({"a": list(range(24)), "b": ["x", "y"] * 12})
    held = pl.DataFrame({"a": [1, 2, 30], "b": ["x", "z", None]})
    editor = frote.FROTE(
        Counting(), "IF b = x THEN yes", evaluate=(held, pl.Series(["no", "yes", "no"])), max_fits=1, modify="none"
    )
    X_new, _ = editor.fit_resample(frame, pl.Series(Y))
    assert isinstance(X_new, pl.DataFrame)


class Silent(Counting):
    """Answers for a while; clones count the questions in one list."""

    def __init__(self, asked=None, answers=0):
        self.asked = asked
        self.answers = answers

    def __sklearn_clone__(self):
        return Silent(self.asked, self.answers)

    def predict(self, X):
        self.asked.append(len(X))
        if len(self.asked) > self.answers:
            raise OSError("no answer")
        return super().predict(X)


def test_a_model_that_does_not_answer_costs_its_step():
    # Held-out rows are asked about first; then, at every step, the training data for the integer program, and they.
    given = {"select": "ip", "evaluate": (X, Y), "scoring": more_rows_are_better, "agreement_weight": 0.0}
    editor = edit(Silent([], 4), max_fits=3, **given)
    assert editor.history_["accepted"].tolist() == [True, True, False, False]
    assert editor.history_["error"].tolist() == ["", "", "OSError: no answer", "OSError: no answer"]
    invariants(editor)


# --- limits ---


def counted(fits=None, broken=(), **parameters):
    """Run with an estimator that gets better with every row."""
    return edit(Breaking(fits, broken), scoring=more_rows_are_better, agreement_weight=0.0, **parameters)


def test_no_fits_but_the_first():
    editor = edit(Breaking(), max_fits=0, modify="relabel")
    assert editor.n_fits_ == 1
    assert set(editor.ledger_["status"]) == {"kept", "relabelled"}


def test_no_rules():
    editor = edit(LogisticRegression(), ())
    assert editor.n_fits_ == 1
    assert set(editor.ledger_["status"]) == {"kept"}
    assert editor.objective_ == editor.history_["outside"][0]


def test_batches_of_a_given_size():
    assert edit(Breaking(), batch_size=7).history_["proposed"].tolist() == [0, 7, 7, 7, 7]
    assert edit(Breaking(), batch_size=1).history_["proposed"].tolist() == [0, 1, 1, 1, 1]
    two = "IF a < 8 THEN yes\nIF a > 15 THEN yes"
    assert edit(Breaking(), two, batch_size=1).history_["proposed: rule 2"].tolist() == [0] * 5


def test_batches_by_default():
    # q |D| / tau = 9 * 24 / 4; else no less than k + 1 per rule.
    assert edit(Breaking(), batch_size=None).history_["proposed"][1] == 54
    assert edit(Breaking(), batch_size=None, oversample=0.1).history_["proposed"][1] == 3


def test_the_last_batch_may_overshoot():
    editor = counted(oversample=0.01)
    # N <= q |D|: with no row added yet, one batch is tried until one is accepted.
    assert editor.history_["added"].tolist() == [0, 4]


# --- estimators that fail ---


def test_a_failing_step_costs_that_step():
    editor = counted([], (2,))
    history = editor.history_
    assert history["error"].tolist() == ["", "", "RuntimeError: fit 2 went wrong", "", ""]
    assert history["accepted"].tolist() == [True, True, False, True, True]
    assert np.isnan(history["objective"][2])
    assert history["previous"][2] == history["objective"][1]
    invariants(editor)


def test_if_every_step_fails_the_first_failure_is_raised():
    editor = frote.FROTE(Breaking(fits=[], broken=(1, 2, 3), error=LookupError), RULE, max_fits=3)
    with pytest.raises(LookupError, match="fit 1 went wrong") as caught:
        editor.fit(X, Y)
    assert caught.value.__notes__ == [IN_TRAINING, "Every retraining failed; this was the first failure."]
    assert not hasattr(editor, "estimator_")


def test_a_first_fit_that_fails_is_raised():
    with pytest.raises(LookupError, match="fit 0 went wrong"):
        edit(Breaking(fits=[], broken=(0,), error=LookupError))


def test_a_failing_step_is_logged(caplog):
    edit(Breaking(fits=[], broken=(2,)))
    assert "step 2 failed: RuntimeError: fit 2 went wrong" in caplog.text


def test_with_a_limit_a_model_within_it_is_better_even_where_nothing_is_covered():
    within, beyond = (Scores(0.5, agreed, (), 0.5, (), 9, loss) for agreed, loss in ((np.nan, 0.0), (np.nan, 0.1)))
    assert Verdict(beyond, within).better(0.05)
    assert not Verdict(within, beyond).better(0.05)


@pytest.mark.parametrize(
    ("model", "costs"),
    [
        # Of rows a = 0, 1, 2 the model is sure of no by 0.8, unsure, and sure of yes by 0.8; another answer is worse.
        (Chances(), [[0.0, 0.8 - 0.2, 0.8], [0.0, 0.0, 0.5], [0.8 - 0.2, 0.0, 0.8]]),
        (Sure(), [[0.0, 1.0, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]]),
    ],
)
def test_what_other_answers_cost_by_the_probabilities_of_the_model_as_it_was(model, costs):
    labels, frame = Labels.of(["no", "yes", "no"]), pd.DataFrame({"a": [0, 1, 2]})
    natives = np.array(["no", "yes"])
    trainer = Trainer(model, labels, lambda codes: natives[codes])
    rows = frote.table.TypedFrame(frote.Table.from_frame(frame), frame)
    initial = Initial(trainer, rows, labels.codes, model)
    answers = initial.answers(rows)
    assert answers.tolist() == [0, 0, 1]
    np.testing.assert_allclose(initial.costs(rows, answers), costs)


def test_no_twins_of_a_model_that_cannot_answer_for_them():
    labels, frame = Labels.of(["no", "yes", "no"]), pd.DataFrame({"a": [0, 1, 2]})
    trainer = Trainer(Mute(), labels, lambda codes: codes)
    rows = frote.table.TypedFrame(frote.Table.from_frame(frame), frame)
    assert _Asked(None, trainer, Initial(trainer, rows, labels.codes, Mute())).before(rows).tolist() == [-1, -1, -1]
