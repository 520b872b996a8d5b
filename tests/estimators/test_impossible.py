"""Rules that no row can satisfy: an error, unless a level is declared or rules may be left out; never silence."""

from __future__ import annotations

import warnings

import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier
from tests.estimators.stubs import Counting, more_rows_are_better

import frote
from frote.exceptions import RuleWarning

RULES = "brokers: IF channel = brokr THEN no\nold: IF age >= 60 AND channel = web THEN yes"


def table(rare=0):
    """Return rows of two channels, the last few of a third one."""
    channel = ["web", "broker"] * 30
    channel[60 - rare :] = ["post"] * rare
    X = pd.DataFrame({"age": [20 + place % 50 for place in range(60)], "channel": channel})
    return X, pd.Series(["yes" if age % 2 else "no" for age in X["age"]])


def editor(rules=RULES, kind=frote.FROTE, **settings):
    model = frote.default_pipeline(DecisionTreeClassifier(max_depth=3, random_state=0))
    return kind(model, rules, **{"max_fits": 2, "random_state": 0, **settings})


@pytest.mark.parametrize("kind", [frote.FROTE, frote.FROTEClassifier])
@pytest.mark.parametrize("method", ["fit", "preview"])
def test_a_misspelt_value_is_an_error_with_the_way_out(kind, method):
    with pytest.raises(frote.BindingError) as caught:
        getattr(editor(kind=kind), method)(*table())
    assert str(caught.value) == (
        "line 1, rule 'brokers': no row can satisfy it: column 'channel' has no level 'brokr'. Did you mean 'broker'?\n"
        "  channel = 'brokr'\n"
        "            ^^^^^^^\n"
        "A level that is right though the data lack it is declared by levels={'channel': ['brokr']}; "
        "with on_impossible='skip' such rules are left out."
    )


def test_what_is_left_out_is_told_of():
    X, y = table()
    skipping = editor(on_impossible="skip")
    told = "^Left out: rule 'brokers', which no row can satisfy: column 'channel' has no level 'brokr'. Did you mean"
    with pytest.warns(RuleWarning, match=told):
        skipping.fit(X, y)
    assert list(skipping.skipped_) == ["brokers"]
    assert skipping.rules_.origins == ("old",)
    assert "Left out: rule &#x27;brokers&#x27;" in skipping._repr_html_()
    preview = skipping.preview(X, y)
    assert str(preview).startswith("Left out: rule 'brokers'")
    assert list(preview.skipped) == ["brokers"]


def test_if_nothing_is_left_that_is_an_error():
    with pytest.raises(frote.BindingError, match="without them no rule is left"):
        editor("IF channel = brokr THEN no", on_impossible="skip").fit(*table())
    assert editor(()).fit(*table()).skipped_ == {}


def test_a_declared_level_is_learned_and_made():
    X, y = table()
    making = {"scoring": more_rows_are_better, "agreement_weight": 0.0, "random_state": 0, "max_fits": 3}
    rules = "posted: IF channel = post THEN no"
    X_new, _ = frote.FROTE(Counting(), rules, levels={"channel": ["post"]}, **making).fit_resample(X, y)
    made = X_new[len(X) :]
    assert len(made)
    assert set(made["channel"]) == {"post"}
    assert X_new.dtypes.equals(X.dtypes)
    listed = X.assign(channel=pd.Categorical(X["channel"], categories=["broker", "post", "web"]))
    again, _ = frote.FROTE(Counting(), rules, **making).fit_resample(listed, y)
    assert again["channel"].astype(str).tolist() == X_new["channel"].tolist()
    with pytest.raises(frote.BindingError, match=r"X\['channel'\].cat.add_categories\(\['parcel'\]\)"):
        editor("IF channel = parcel THEN no").fit(listed, y)


@pytest.mark.parametrize("levels", [None, {"channel": ["post"]}])
def test_a_rare_level_is_not_lost_fold_by_fold(levels):
    X, y = table(rare=2)
    folds = [(range(58), range(58, 60)), (range(2, 60), range(2))]
    model = editor("posted: IF channel = post THEN no", frote.FROTEClassifier, levels=levels)
    if levels is None:
        with pytest.raises(frote.BindingError, match="has no level 'post'"):
            cross_val_score(model, X, y, cv=folds, error_score="raise")
    else:
        assert len(cross_val_score(model, X, y, cv=folds, error_score="raise")) == 2


@pytest.mark.parametrize(
    "body", ["age > 60 AND channel IN {broker, brokr}", "channel != brokr AND age > 60", "age > 65 OR channel = brokr"]
)
def test_a_part_that_cannot_apply_is_told_of(body):
    told = "^Part of rule 'one' cannot apply: column 'channel' has no level 'brokr'. Did you mean 'broker'[?]$"
    with pytest.warns(RuleWarning, match=told):
        editor(f"one: IF {body} THEN no", max_fits=1).fit(*table())


def test_a_run_goes_on_whatever_was_said_of_impossible_rules(tmp_path):
    X, y = table()
    first = editor(RULES.splitlines()[1], checkpoint=tmp_path / "run", max_fits=3).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleWarning)
        again = editor(RULES, on_impossible="skip", checkpoint=tmp_path / "run", max_fits=3).fit(X, y)
    pd.testing.assert_frame_equal(again.ledger_, first.ledger_)


def test_scores_and_comparisons_and_overlays_say_it_too():
    X, y = table()
    model = frote.default_pipeline().fit(X, y)
    told = "Rule 'brokers' covers nothing, since no row can satisfy it: column 'channel' has no level 'brokr'. Did you"
    assert str(frote.score(model, X, y, RULES)).startswith(told)
    comparison = frote.compare_models(model, model, X, RULES)
    assert str(comparison).startswith(told)
    assert comparison.to_dict()["notes"] == list(comparison.notes)
    with pytest.warns(RuleWarning, match=told):
        frote.OverlayClassifier(model, RULES).fit(X)


def test_an_overlap_that_cannot_be_is_nobodys_loss():
    X = pd.DataFrame({"a": pd.array([1, 2] * 20, dtype="uint8"), "w": ["x", "y"] * 20})
    rules = frote.parse_rules("one: IF a > 300 OR w = x THEN no\ntwo: IF a > 300 OR w = y THEN yes")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleWarning)
        fitted = editor(rules.resolve("mix", X), modify="none").fit(X, ["no", "yes"] * 20)
    assert fitted.skipped_ == {}
    assert fitted.rules_.origins == ("one", "two")
