"""compare_models: planted regions in realistic models are found again, as rules, each in its part."""

from __future__ import annotations

import json

import lightgbm
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.metrics import f1_score, log_loss
from sklearn.pipeline import make_pipeline

import frote


class Overridden(ClassifierMixin, BaseEstimator):
    """A model whose predictions are others inside regions; each region comes with what it does to them."""

    def __init__(self, model, *regions):
        self.model = model
        self.regions = regions

    def predict(self, X):
        said = np.asarray(self.model.predict(X)).astype(object)
        for region, changed in self.regions:
            inside = np.asarray(region(X), dtype=bool)
            said[inside] = [changed(label) for label in said[inside]]
        return said


class Says:
    """A model that says what it is told; with probabilities and classes only if they are given."""

    def __init__(self, answers, classes=None, chances=None):
        self.answers = np.asarray(answers)
        if classes is not None:
            self.classes_ = np.asarray(classes)
        if chances is not None:
            self.predict_proba = lambda X: np.asarray(chances)[: len(X)]

    def predict(self, X):
        return self.answers[: len(X)]


def people(rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, rows),
            "income": np.exp(rng.normal(10.3, 0.6, rows)).round(2),
            "score": rng.normal(size=rows),
            "years": rng.poisson(5, rows).astype(float),
            "region": pd.Categorical(rng.choice(list("ABCDEFGH"), rows), categories=list("ABCDEFGHI")),
            "purpose": rng.choice(["business", "car", "education", "home", "other"], rows),
            "member": rng.random(rows) < 0.4,
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1500, rows), unit="D"),
            "constant": 1,
        }
    )
    frame.loc[rng.random(rows) < 0.08, "income"] = np.nan
    frame.loc[rng.random(rows) < 0.05, "years"] = np.nan
    frame.loc[rng.random(rows) < 0.05, "purpose"] = None
    return frame


def labels(X: pd.DataFrame, cuts, names) -> np.ndarray:
    worth = (X["age"] - 45) / 20 + np.log(X["income"].fillna(25_000) / 30_000) + 0.8 * X["score"] + 0.5 * X["member"]
    worth = worth - (X["purpose"] == "business") + np.random.default_rng(0).normal(0, 0.5, len(X))
    return np.array(names)[np.digitize(worth, cuts)]


@pytest.fixture(scope="module")
def data():
    return people(4000, 1), people(20_000, 2)


@pytest.fixture(scope="module")
def models(data):
    """A model of two classes and one of three."""
    X, _ = data
    found = []
    for cuts, names in (([0], ["no", "yes"]), ([-0.7, 0.7], ["low", "mid", "high"])):
        learner = lightgbm.LGBMClassifier(n_estimators=40, n_jobs=1, verbose=-1, random_state=0)
        found.append(make_pipeline(frote.TabularEncoder(), learner).fit(X, labels(X, cuts, names)))
    return found


pytestmark = pytest.mark.filterwarnings("ignore:X does not have valid feature names")


def flip(label):
    return {"no": "yes", "yes": "no"}[label]


def turn(label):
    return {"low": "mid", "mid": "high", "high": "low"}[label]


def numeric_box(X):
    return (X["income"] > 23_117) & (X["income"] <= 41_234) & (X["age"] <= 37) & X["region"].isin(["A", "C", "F"])


def set_and_range(X):
    return X["purpose"].isin(["car", "education"]) & X["years"].between(3, 6)


def manual(X):
    return (X["score"] < -0.613) & ~(X["income"] > 45_000) & X["member"]


def elsewhere(X):
    return (X["age"] >= 61) & X["purpose"].isin(["home", "other"]) & ~X["member"]


def rules_of(comparison, parts) -> frote.RuleSet:
    names = comparison.summary.index[comparison.summary["part"].isin(parts)]
    return frote.RuleSet(comparison.regions[name] for name in names)


def require_found(regions, X, wanted, least=0.95):
    """Both precision and recall of the regions together are above 0.95 with respect to the rows wanted."""
    told = regions.coverage(X).any(axis=1)
    wanted = np.asarray(wanted, dtype=bool)
    assert (told & wanted).sum() / told.sum() > least
    assert (told & wanted).sum() / wanted.sum() > least


def test_a_box_of_numbers_and_levels(data, models):
    X, fresh = data
    before, after = models[0], Overridden(models[0], (numeric_box, flip))
    found = frote.compare_models(before, after, X)
    assert set(found.summary["part"]) == {"unintended"}
    assert set(zip(found.changes["before"], found.changes["after"], strict=True)) == {("no", "yes"), ("yes", "no")}
    for rows in (X, fresh):
        require_found(found.regions, rows, before.predict(rows) != after.predict(rows))
    assert len(found.regions) <= 3
    assert found.parts.loc["unintended", "rows"] == numeric_box(X).sum()


def test_a_set_of_levels_and_a_range_in_three_classes(data, models):
    X, fresh = data
    before, after = models[1], Overridden(models[1], (set_and_range, turn))
    found = frote.compare_models(before, after, X)
    turns = {("low", "mid"), ("mid", "high"), ("high", "low")}
    assert set(zip(found.summary["before"], found.summary["after"], strict=True)) == turns
    assert (found.summary["rate"] > 0.95).all()
    assert (found.changes["explained"] > 0.95).all()
    for rows in (X, fresh):
        was, now = before.predict(rows), after.predict(rows)
        require_found(found.regions, rows, was != now)
        for old, new in turns:
            names = found.summary.index[(found.summary["before"] == old) & (found.summary["after"] == new)]
            told = frote.RuleSet(found.regions[name] for name in names).coverage(rows).any(axis=1)
            had, changed = was == old, (was == old) & (now == new)
            assert (told & changed).sum() / changed.sum() > 0.95
            assert (told & changed).sum() / (told & had).sum() > 0.95


def test_intended_and_unintended_regions_are_told_apart(data, models):
    X, fresh = data
    # A policy sends some people to a class that the first model never knew; others change that nobody asked for.
    rules = "manual: IF score < -0.613 AND NOT (income > 45000) AND member = true THEN review"
    before = models[0]
    after = Overridden(before, (manual, lambda _: "review"), (lambda rows: elsewhere(rows) & ~manual(rows), flip))
    found = frote.compare_models(before, after, X, rules)
    assert set(found.summary["part"]) == {"intended", "unintended"}
    assert found.parts["rows"].tolist() == [manual(X).sum(), 0, (elsewhere(X) & ~manual(X)).sum()]
    assert set(found.changed.loc[found.changed["part"] == "intended", "rule"]) == {"manual"}
    assert set(found.changed.loc[found.changed["part"] == "unintended", "rule"]) == {""}
    assert set(found.changed.loc[found.changed["part"] == "intended", "after"]) == {"review"}
    assert found.agreement.loc["manual"].tolist() == [manual(X).sum(), 0.0, 1.0]
    for rows in (X, fresh):
        require_found(rules_of(found, ["intended"]), rows, manual(rows))
        require_found(rules_of(found, ["unintended"]), rows, elsewhere(rows) & ~manual(rows))
    text = str(found)
    assert "As the rules want" in text
    assert "Outside the rules" in text
    assert "not as they want" not in text


def test_a_change_against_a_rule_is_wrong(data, models):
    X, _ = data
    after = Overridden(models[0], (elsewhere, flip))
    rules = "old: IF age >= 61 AND purpose IN {home, other} AND member = false THEN no"
    found = frote.compare_models(models[0], after, X, rules)
    changed = found.changed
    assert set(changed.loc[changed["after"] == "no", "part"]) == {"intended"}
    assert set(changed.loc[changed["after"] == "yes", "part"]) == {"wrong"}
    assert found.parts.loc["unintended", "rows"] == 0
    require_found(rules_of(found, ["intended"]), X, elsewhere(X))
    assert "Inside the rules, but not as they want" in str(found) or not (changed["after"] == "yes").any()


@pytest.mark.parametrize("seed", range(3))
def test_a_few_flips_by_chance_make_no_rules(data, models, seed):
    X, fresh = data
    chance = np.random.default_rng(seed).random(len(X)) < 0.005
    before = models[0].predict(X)
    after = np.where(numeric_box(X) ^ chance, [flip(label) for label in before], before)
    found = frote.compare_models(Says(before), Says(after), X)
    require_found(found.regions, X, numeric_box(X))
    require_found(found.regions, fresh, numeric_box(fresh), 0.93)
    assert (found.summary["changed"] > 10).all()
    alone = np.where(chance, [flip(label) for label in before], before)
    assert len(frote.compare_models(Says(before), Says(alone), X).regions) == 0


def test_a_model_and_itself(data, models):
    X, _ = data
    found = frote.compare_models(models[0], models[0], X, "IF age < 30 THEN yes", models[0].predict(X))
    assert found.parts["rows"].tolist() == [0, 0, 0]
    for table in (found.changed, found.changes, found.summary, found.regions):
        assert len(table) == 0
    assert str(found).startswith("No row of 4,000 is predicted otherwise.\n")
    assert (found.scores["before"] == found.scores["after"]).all()


@pytest.fixture(scope="module")
def edited():
    """A real edit, on rows that the models were not trained on."""
    loans = frote.datasets.load_loans(2000)
    rules = loans.rules.resolve("priority", loans.X)
    model = frote.default_pipeline()
    before = model.fit(loans.X[:1200], loans.y[:1200])
    covered = rules.coverage(loans.X[:1200])
    wanted = loans.y[:1200].copy()
    for place, rule in enumerate(rules):
        wanted[covered[:, place]] = rule.outcome.labels[0]
    after = frote.default_pipeline().fit(loans.X[:1200], wanted)
    return before, after, loans.X[1200:].reset_index(drop=True), loans.y[1200:].reset_index(drop=True), rules


def test_an_edit_end_to_end(edited):
    before, after, X, y, rules = edited
    found = frote.compare_models(before, after, X, rules, y, subgroups=["purpose", "age", "applied_on"])
    old, new = before.predict(X), after.predict(X)
    assert found.rows == len(X)
    assert found.changed.index.tolist() == np.flatnonzero(old != new).tolist()
    assert found.parts["rows"].sum() == (old != new).sum()
    covered = rules.coverage(X).any(axis=1)
    assert ((found.changed["part"] == "unintended") == ~covered[found.changed.index]).all()
    # Precision, rate and recall, counted again by the rules' own masks.
    for rule, line in zip(found.regions, found.summary.itertuples(), strict=True):
        mask = rule.mask(X)
        rows = found.changed[
            (found.changed["part"] == line.part)
            & (found.changed["before"] == line.before)
            & (found.changed["after"] == line.after)
        ].index
        assert rule.outcome == frote.Outcome.of(line.after)
        assert line.rows == mask.sum()
        assert line.changed == mask[rows].sum()
        assert line.precision == mask[rows].sum() / mask.sum()
        assert line.rate == mask[rows].sum() / (mask & (old == line.before)).sum()
        assert line.recall == mask[rows].sum() / len(rows)
    for name, model in (("before", before), ("after", after)):
        report = frote.score(model, X, y, rules)
        assert found.scores.loc["objective", name] == pytest.approx(report.objective)
        assert found.scores.loc["agreement", name] == pytest.approx(report.agreement)
        assert found.scores.loc["f1", name] == pytest.approx(report.f1)
        assert found.agreement[name].tolist() == pytest.approx(report.rules["agreement"].tolist(), nan_ok=True)
        assert found.agreement["rows"].tolist() == report.rules["rows"].tolist()
        assert found.scores.loc["log_loss", name] == pytest.approx(log_loss(y, model.predict_proba(X)))
        bins = found.reliability[found.reliability["model"] == name]
        assert bins["rows"].sum() == len(X)
        assert (bins["accuracy"] * bins["rows"]).sum() == pytest.approx((model.predict(X) == y).sum())
    groups = found.subgroups
    assert (groups.groupby("column")["rows"].sum() == 2 * len(X)).all()  # two classes
    car = groups[groups["group"] == "purpose = 'car'"].iloc[0]
    mine = (X["purpose"] == "car").to_numpy()
    assert car["f1_after"] == pytest.approx(f1_score(y[mine], new[mine], average="weighted"))
    assert car["changed"] == (old != new)[mine].mean()


def test_the_page_and_the_plain_data(edited):
    before, after, X, y, rules = edited
    found = frote.compare_models(before, after, X, rules, y, subgroups="purpose")
    text = str(found)
    assert repr(found) == text
    for rule in found.regions:
        assert " ".join(f"IF {rule.clause}".split()) in " ".join(text.split())
    for word in ("agreement with", "F1 outside the rules", "Brier score", "purpose = 'car'", "points"):
        assert word in text
    assert all(len(line) <= 120 for line in text.splitlines())
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["rows"] == len(X)
    assert [line["rows"] for line in plain["parts"]] == found.parts["rows"].tolist()
    assert [line["rule"] for line in plain["regions"]] == [str(rule) for rule in found.regions]
    assert frote.parse_rules("\n".join(line["rule"] for line in plain["regions"])) == found.regions
    assert len(plain["subgroups"]) == len(found.subgroups)


def test_it_gives_the_same_twice_and_for_any_kind_of_frame(edited):
    before, after, X, _, rules = edited
    first = frote.compare_models(before, after, X, rules)
    assert str(frote.compare_models(before, after, X, rules)) == str(first)
    said = Says(before.predict(X)), Says(after.predict(X))
    other = frote.compare_models(*said, pl.from_pandas(X), rules)
    assert other.regions == first.regions
    assert other.summary.equals(first.summary)


X40 = pd.DataFrame({"a": range(40), "b": ["u", "v"] * 20})
NO, YES = ["no"] * 40, ["yes"] * 40
HALF = ["yes"] * 20 + ["no"] * 20


def test_without_rules_all_is_unintended_and_nobody_speaks_of_rules():
    found = frote.compare_models(Says(NO), Says(HALF), X40, y=HALF)
    assert str(found).splitlines() == [
        "20 of 40 rows are predicted otherwise (50.0%).",
        "",
        "  no -> yes: 20 rows",
        "    IF a < 20",
        "      20 rows, 20 of them no before: 20 (100%) changed so, 100% of this change",
        "",
        "          before  after",
        "F1         0.333  1.000",
        "macro F1   0.333  1.000",
    ]
    assert found.parts["rows"].tolist() == [0, 0, 20]
    assert found.scores.index.tolist() == ["objective", "f1", "f1_macro"]
    assert len(found.agreement) == 0


def test_numpy_and_constant_predictions():
    found = frote.compare_models(Says(NO), Says(YES), X40[["a"]].to_numpy(), subgroups=["x0"])
    assert [str(rule) for rule in found.regions] == ["unintended 1: IF TRUE THEN yes"]
    assert found.subgroups["rows"].tolist() == [10] * 8
    assert found.subgroups["f1_before"].isna().all()
    assert found.scores.empty


def test_all_rows_covered_and_none():
    inside = frote.compare_models(Says(NO), Says(HALF), X40, "IF TRUE THEN yes", HALF)
    assert inside.parts["rows"].tolist() == [20, 0, 0]
    assert inside.scores.index.tolist() == ["objective", "agreement"]
    outside = frote.compare_models(Says(NO), Says(HALF), X40, "IF a > 90 THEN yes", HALF)
    assert outside.parts["rows"].tolist() == [0, 0, 20]
    assert "agreement" not in outside.scores.index
    assert outside.agreement["rows"].tolist() == [0]
    assert "0 as the rules want, 0 inside them but not so, 20 outside" in str(outside)


def test_agreement_without_labels():
    rules = "one: IF a < 10 OR b = u THEN yes\ntwo: IF a >= 30 THEN {yes: 0.25, no: 0.75}"
    found = frote.compare_models(Says(NO), Says(HALF), X40, rules)
    assert found.agreement["rows"].tolist() == [25, 5]
    assert found.agreement["before"].tolist() == [0.0, 0.75]
    assert found.agreement["after"].tolist() == [15 / 25, 0.75]
    assert found.scores.loc["agreement"].tolist() == pytest.approx([5 * 0.75 / 30, (15 + 5 * 0.75) / 30])
    assert set(found.changed["rule"]) == {"one", ""}


def test_labels_count_where_a_rule_is_not_sure():
    rules = "unsure: IF a < 10 THEN yes WITH CONFIDENCE 0.6"
    y = ["maybe"] * 10 + HALF[10:]
    old, new = Says(NO), Says(["maybe"] * 5 + HALF[5:])
    found = frote.compare_models(old, new, X40, rules, y)
    # Otherwise a row keeps its own label, so that to predict maybe is better than no, and yes is best.
    assert found.parts["rows"].tolist() == [10, 0, 10]
    assert found.agreement.loc["unsure"].tolist() == pytest.approx([10, 0.0, (5 * 0.4 + 5 * 0.6) / 10])
    assert frote.score(new, X40, y, rules).agreement == pytest.approx(found.agreement.loc["unsure", "after"])


@pytest.mark.parametrize(
    ("first", "second"), [([0, 1], ["0", "0"]), ([False, True], [0, 0]), (["0", "1"], [0, 0]), ([0.0, 1.0], [0, 0])]
)
def test_labels_of_different_types_are_matched(first, second):
    found = frote.compare_models(Says(first * 20), Says(second * 20), X40)
    assert found.changed.index.tolist() == list(range(1, 40, 2))
    assert len(found.changes) == 1
    assert found.changes["rows"].tolist() == [20]


def test_classes_that_one_model_alone_has():
    old = Says(NO, ["no", "yes"], np.tile([0.8, 0.2], (40, 1)))
    new = Says(HALF, ["maybe", "yes", "no"], np.tile([0.1, 0.6, 0.3], (40, 1)))
    found = frote.compare_models(old, new, X40, "IF a < 5 THEN maybe", HALF)
    # yes is the label of half of the rows: 0.2 and 0.6 are what it was given.
    assert found.scores.loc["brier", "before"] == pytest.approx((2 * 0.8**2 + 2 * 0.2**2) / 2)
    after = (0.01 + 0.4**2 + 0.3**2) + (0.01 + 0.6**2 + 0.7**2)
    assert found.scores.loc["brier", "after"] == pytest.approx(after / 2)
    assert found.scores.loc["log_loss", "after"] == pytest.approx(-np.log([0.6, 0.3]).mean())
    # Confidence is that of the predicted class: 0.8 throughout, then 0.6 for yes and 0.3 for no.
    assert found.reliability["confidence"].tolist() == pytest.approx([0.8, 0.3, 0.6])
    assert found.reliability["accuracy"].tolist() == [0.5, 1.0, 1.0]
    assert found.parts["rows"].tolist() == [0, 5, 15]


def test_probabilities_of_single_precision_sum_to_one_but_for_rounding():
    chances = np.random.default_rng(0).dirichlet(np.ones(7), 40).astype(np.float32)
    classes = [*"abcdefg"]
    model = Says([*"abcdefgh"[:5]] * 8, classes, chances)
    found = frote.compare_models(model, model, X40, y=[*"abcdefg", "a"] * 5)  # a warning would be an error
    exact = chances.astype(float) / chances.astype(float).sum(axis=1, keepdims=True)
    expected = log_loss([*"abcdefg", "a"] * 5, exact, labels=classes)
    assert found.scores.loc["log_loss", "after"] == pytest.approx(expected)


def test_probabilities_that_do_not_sum_to_one_are_not_made_to():
    model = Says(NO, ["no", "yes"], np.full((40, 2), 0.2, dtype=np.float32))
    with pytest.warns(UserWarning, match="do not sum to one"):
        frote.compare_models(model, model, X40, y=HALF)


def test_one_class_throughout():
    model = DummyClassifier().fit(X40, NO)
    found = frote.compare_models(model, model, X40, y=NO, subgroups=["b"])
    assert found.scores.loc[["brier", "log_loss", "calibration_error"]].to_numpy().tolist() == [[0, 0]] * 3
    assert found.subgroups["before"].tolist() == [1.0, 1.0]


def test_without_probabilities_there_is_no_calibration():
    able = Says(NO, ["no", "yes"], np.tile([0.8, 0.2], (40, 1)))
    for models in ((able, Says(HALF, ["no", "yes"])), (Says(NO), able)):
        found = frote.compare_models(*models, X40, y=HALF)
        assert "brier" not in found.scores.index
        assert len(found.reliability) == 0
        assert found.reliability.columns.tolist() == ["model", "low", "high", "rows", "confidence", "accuracy"]


def test_min_share_holds_small_regions_back():
    few = ["yes"] * 12 + ["no"] * 388
    X = pd.DataFrame({"a": range(400)})
    assert len(frote.compare_models(Says(["no"] * 400), Says(few), X).regions) == 1
    assert len(frote.compare_models(Says(["no"] * 400), Says(few), X, min_share=0.05).regions) == 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: frote.compare_models(Says([]), Says([]), X40[:0]), frote.TableError, "0 sample"),
        (
            lambda: frote.compare_models(Says(NO), Says(YES[1:]), X40),
            frote.ModelError,
            "^predict of Says, the second model, gave 39 labels for 40 rows",
        ),
        (lambda: frote.compare_models(Says(NO), Says([None, *YES[1:]]), X40), frote.ModelError, "no label for row 0"),
        (lambda: frote.compare_models(Says(NO), Says(YES), X40, y=NO[1:]), frote.TableError, "^y has 39 labels"),
        (lambda: frote.compare_models(Says(NO), frote.FROTE(), X40), frote.TableError, "FROTE, has no predict"),
        (
            lambda: frote.compare_models(Says(NO), Says(YES), X40, "IF aa < 3 THEN yes"),
            frote.BindingError,
            "the data have no column 'aa'. Did you mean 'a'?",
        ),
        (
            lambda: frote.compare_models(Says(NO, ["no", "yes"]), Says(YES, ["no", "yes"]), X40, "IF a < 3 THEN yess"),
            frote.BindingError,
            "'yess' is no class of the data",
        ),
        (
            lambda: frote.compare_models(Says(NO), Says(YES), X40, subgroups=["a", "bb"]),
            frote.TableError,
            "^subgroups: X has no column 'bb'. Did you mean 'b'?",
        ),
        (
            lambda: frote.compare_models(Says([0.0, 1.0] * 20), Says(["no", "yes"] * 20), X40),
            frote.TableError,
            "^The first model predicts 0.0 and the second 'no': no class of one is a class of the other",
        ),
        (
            lambda: frote.compare_models(Says(NO), Says(YES), X40, min_share=2),
            frote.TableError,
            "^min_share is a share",
        ),
        (
            lambda: frote.compare_models(*[Says(NO, ["no", "yes"], np.ones((40, 3)))] * 2, X40, y=NO),
            frote.ModelError,
            r"predict_proba of Says gives an array of shape \(40, 3\) for 40 rows and 2 classes",
        ),
    ],
)
def test_bad_input_gets_one_sentence(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_rule_may_name_a_class_that_models_without_classes_did_not_predict():
    found = frote.compare_models(Says(NO), Says(HALF), X40, "IF a < 3 THEN maybe")
    assert found.parts["rows"].tolist() == [0, 3, 17]
