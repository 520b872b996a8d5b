from __future__ import annotations

import hashlib
import json
import math
import os

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from tests.estimators.stubs import Breaking, Counting, more_rows_are_better
from tests.report.html_check import checked
from tests.schema_check import faults

import frote
from frote.exceptions import RuleWarning, TableError
from frote.report import gather, render
from frote.report.moved import choice_of_columns
from frote.rules.written import WrittenRules
from frote.table import Table

MEASURES = ("objective", "agreement", "f1", "f1_macro")


def edited(X, y, rules, model=None, *, test=None, about=None, **settings):
    """Edit a model, report, and look at what every report must be."""
    model = frote.default_pipeline(DecisionTreeClassifier(max_depth=3, random_state=0)) if model is None else model
    before = clone(model).fit(X, y)
    editor = frote.FROTE(model, rules, random_state=0, **{"max_fits": 2, **settings})
    result = editor.fit_resample(X, y)
    summary = gather(editor, before, X, y, test=test, result=result, about=about, bootstrap=20)
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert faults(summary, "report.schema.json") == []
    judged = (X, y) if test is None else test
    for name, one in (("before", before), ("after", editor.estimator_)):
        assert summary["scores"][name] == plain(frote.score(one, *judged, editor.rules_))
    return summary, checked(render(summary))


def plain(report):
    """Return a score report as the summary has it."""
    values = {measure: getattr(report, measure) for measure in MEASURES}
    return {measure: None if math.isnan(value) else value for measure, value in values.items()}


def table(rows=60, seed=0):
    """A table with all kinds of columns, and labels of two classes."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 70, rows)
    X = pd.DataFrame(
        {
            "age": age,
            "income": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(40_000, 9_000, rows).round(2)),
            "job": pd.Categorical(rng.choice(["clerk", "cook"], rows), categories=["clerk", "cook", "never"]),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, rows), unit="D"),
            "member": rng.random(rows) < 0.5,
        }
    )
    return X, pd.Series(np.where(age < 40, "no", "yes"))


# What was worked out by hand: a model that always says no becomes one that always says yes.

HAND_X = pd.DataFrame({"a": range(1, 9)})
HAND_Y = ["no", "no", "yes", "no", "no", "no", "yes", "yes"]


@pytest.fixture(scope="module")
def hand():
    before = DummyClassifier(strategy="constant", constant="no").fit(HAND_X, HAND_Y)
    model = DummyClassifier(strategy="constant", constant="yes")
    editor = frote.FROTE(model, "low: IF a <= 3 THEN yes", max_fits=0, random_state=0).fit(HAND_X, HAND_Y)
    return gather(editor, before, HAND_X, HAND_Y)


def test_the_objective_by_population_by_hand():
    """Of the data 3 of 8 are covered, of the rows judged 1 of 3: agreement 0 and then 1, F1 outside 2/3 and then 0."""
    before = DummyClassifier(strategy="constant", constant="no").fit(HAND_X, HAND_Y)
    model = DummyClassifier(strategy="constant", constant="yes")
    editor = frote.FROTE(model, "low: IF a <= 3 THEN yes", max_fits=0, random_state=0).fit(HAND_X, HAND_Y)
    test = pd.DataFrame({"a": [0, 20, 30]}), ["no", "no", "no"]
    found = gather(editor, before, HAND_X, HAND_Y, test=test)
    people = {"share": 3 / 8, "before": 5 / 8, "after": 3 / 8, "override": 1.0}
    assert found["population"] == pytest.approx(people)
    assert [found["scores"][name]["objective"] for name in ("before", "after")] == pytest.approx([2 / 3, 1 / 3])
    text = render(found)
    assert "cover 33\xa0% of the rows judged and 38\xa0% of the training data" in text
    assert "the objective by population is 0.625 before, 0.375 after and 1.000 for the hard override" in text


def test_scores_by_hand(hand):
    # Outside: labels no no no yes yes. All no: F1 of no is 6/8, of yes 0. All yes: F1 of yes is 4/7, of no 0.
    assert hand["scores"]["before"]["agreement"] == 0
    assert hand["scores"]["before"]["f1"] == pytest.approx(3 / 5 * 6 / 8)
    assert hand["scores"]["before"]["objective"] == pytest.approx(5 / 8 * 0.45)
    assert hand["scores"]["after"]["agreement"] == 1
    assert hand["scores"]["after"]["f1"] == pytest.approx(2 / 5 * 4 / 7)
    assert hand["scores"]["after"]["objective"] == pytest.approx(3 / 8 + 5 / 8 * 8 / 35)
    assert hand["scores"]["override"]["objective"] == pytest.approx(3 / 8 + 5 / 8 * 0.45)
    distance = hand["result"]["override"]["objective"]
    assert distance["value"] == pytest.approx(5 / 8 * (8 / 35 - 0.45))
    assert distance["low"] <= distance["value"] <= distance["high"]
    assert hand["on"] == "data"
    assert hand["population"] is None  # the rows judged are the population
    assert hand["verdict"].replace("\xa0", " ") == (
        "The edit did what was asked: the model follows the rules on 100 % of the covered rows (before: 0 %). "
        "Outside the rules weighted F1 went from 0.450 to 0.229, and 5 of 5 predictions changed."
    )
    trends = {"agreement": "better", "f1": "unclear", "f1_macro": "unclear", "objective": "unclear"}
    assert hand["judgement"] == {**trends, "less": [], "outside": 5}


def test_what_was_asked_by_hand(hand):
    asked = hand["asked"]
    words = "If a is at most 3, then yes."
    written = "low: IF a <= 3 THEN yes"
    assert asked["rules"] == [{"name": "low", "words": words, "written": written, "rows": 3, "share": 3 / 8}]
    assert (asked["rows"], asked["covered"], asked["overlaps"], asked["used"]) == (8, 3, [], [])


def test_what_was_done_by_hand(hand):
    rows = {"data": 8, "kept": 6, "relabelled": 2, "dropped": 0, "added": 0, "guards": 0, "result": 8}
    assert hand["done"]["rows"] == rows
    (rule,) = hand["done"]["rules"]
    assert rule["relabelled"] == [{"old": "no", "new": "yes", "rows": 2}]
    assert (rule["covered"], rule["attributed"], rule["dropped"], rule["added"]) == (3, 3, [], 0)
    assert rule["relaxed"] == ["a"]  # three rows are fewer than k + 1


def test_what_came_of_it_by_hand(hand):
    result = hand["result"]
    assert (result["rows"], result["covered"], result["uncovered"]) == (8, 3, 5)
    assert result["rules"] == [{"name": "low", "covered": 3, "rows": 3, "before": 0.0, "after": 1.0, "override": 1.0}]
    outside, inside = result["confusion"]
    assert outside == {"covered": False, "labels": ["no", "yes"], "before": [[3, 0], [2, 0]], "after": [[0, 3], [0, 2]]}
    assert inside == {"covered": True, "labels": ["no", "yes"], "before": [[2, 0], [1, 0]], "after": [[0, 2], [0, 1]]}
    agreement = result["measures"][0]
    assert agreement["before"] == {"value": 0.0, "low": 0.0, "high": 0.0}
    assert agreement["change"] == {"value": 1.0, "low": 1.0, "high": 1.0}


def test_what_moved_by_hand(hand):
    assert hand["moved"]["changed"] == 8
    assert [part["rows"] for part in hand["moved"]["parts"]] == [3, 0, 5]


def test_limits_by_hand(hand):
    text = " ".join(hand["limits"])
    assert "on the very rows that they were trained on" in text
    assert "Few of the rows judged are covered by “low” (3)" in text
    assert "its condition on a had to be left aside" in text
    assert "No row was added: no batch of such rows was tried." in text
    assert "failed" not in text


# The embedded story


def test_scores_are_those_of_score_on_the_same_rows(summary, loans):
    models = {"before": loans["before"], "after": loans["editor"].estimator_}
    models["override"] = frote.OverlayClassifier(loans["before"], loans["editor"].rules_).fit(loans["X"], loans["y"])
    for name, model in models.items():
        report = frote.score(model, *loans["test"], loans["editor"].rules_)
        assert summary["scores"][name] == plain(report)
        agreement = report.rules["agreement"].astype(object).where(report.rules["rows"] > 0, None)
        assert [rule[name] for rule in summary["result"]["rules"]] == agreement.tolist()
    assert [rule["rows"] for rule in summary["result"]["rules"]] == report.rules["rows"].tolist()
    for line in summary["result"]["measures"]:
        for when in ("before", "after"):
            assert line[when]["value"] == summary["scores"][when][line["measure"]]
            assert line[when]["low"] <= line[when]["value"] <= line[when]["high"]


def test_changes_and_calibration_are_those_of_compare_models(summary, loans):
    models = loans["before"], loans["editor"].estimator_
    X, y = loans["test"]
    columns = list(dict.fromkeys(group["column"] for group in summary["moved"]["subgroups"]))
    wanted = frote.compare_models(*models, X, loans["editor"].rules_, y, subgroups=columns).to_dict()
    moved = summary["moved"]
    assert moved["parts"] == wanted["parts"]
    assert moved["changes"] == wanted["changes"]
    assert [{name: one[name] for name in one if name != "words"} for one in moved["regions"]] == wanted["regions"]
    assert summary["result"]["calibration"]["bins"] == wanted["reliability"]
    shifts = {(line["group"], line["label"]): line["shift"] for line in wanted["subgroups"]}
    told = {(group["group"], one["label"]): one["shift"] for group in moved["subgroups"] for one in group["classes"]}
    assert told == shifts
    assert set(columns) >= set(loans["data"].rules.columns)
    assert [one["column"] for one in moved["columns"]] == list(X.columns)
    assert [one["column"] for one in moved["columns"] if one["why"] in ("named", "unlike")] == columns


def test_rules_are_told_as_they_were_written(summary):
    rules = {rule["name"]: rule for rule in summary["asked"]["rules"]}
    assert len(rules) == 7
    assert rules["young savers"]["written"].splitlines() == [
        "young savers: IF age < 29 AND marital-status = 'single' AND income > 150K",
        "AND defaults <= 2 AND channel = branch",
        "THEN approved",
    ]
    assert rules["desperate cases"]["written"] == "desperate cases: IF defaults >= 4 AND income < 30K THEN denied"
    assert rules["young savers"]["rows"] == 0


def test_rules_that_were_read_already_are_not_read_again(monkeypatch):
    text = "# why\nlow: IF a <= 3\n  THEN yes"
    before = DummyClassifier(strategy="constant", constant="no").fit(HAND_X, HAND_Y)
    editor = frote.FROTE(before, frote.parse_rules(text), max_fits=0, random_state=0).fit(HAND_X, HAND_Y)
    written = WrittenRules(text)
    told = gather(editor, before, HAND_X, HAND_Y, about={"rules": text})
    assert told["asked"]["rules"][0]["written"] == "low: IF a <= 3\nTHEN yes"
    assert written.rules  # from here on nothing may be parsed
    monkeypatch.setattr("frote.rules.written.parse_rules", None)
    assert gather(editor, before, HAND_X, HAND_Y, about={"rules": written}) == told


def test_conflicts_overlaps_and_their_resolution(summary, loans):
    asked = summary["asked"]
    (conflict,) = asked["conflicts"]
    assert conflict.startswith(
        "“young earners” (approved) and “broker freeze” (denied) both apply where age is below 29"
    )
    assert asked["resolved"] == "priority"
    (used,) = asked["used"]
    assert used["name"] == "broker freeze"
    assert len(used["texts"]) == 3
    covered = loans["data"].rules.coverage(loans["X"])
    names = loans["data"].rules.names
    for pair in asked["overlaps"]:
        one, other = names.index(pair["first"]), names.index(pair["second"])
        assert pair["rows"] == (covered[:, one] & covered[:, other]).sum()
        assert pair["conflict"] == ({pair["first"], pair["second"]} == {"young earners", "broker freeze"})


def test_rows_per_rule_are_those_of_the_ledger(summary, loans):
    ledger, rules = loans["editor"].ledger_, loans["editor"].rules_
    for rule in summary["done"]["rules"]:
        pieces = [piece.name for piece in rules.pieces(rule["name"])]
        mine = ledger[(ledger["status"] == "synthetic") & ledger["rule"].isin(pieces)]
        assert rule["added"] == len(mine) == rule["strong"] + rule["weak"]
        assert rule["weak"] == (mine["covered"] == "weakly").sum()
        touched = ledger[(ledger["status"] == "relabelled") & (ledger["rule"] == rule["name"])]
        assert sum(change["rows"] for change in rule["relabelled"]) == len(touched)
    assert sum(rule["added"] for rule in summary["done"]["rules"]) == summary["done"]["rows"]["added"] > 0


def test_examples_are_rows_of_the_result_beside_their_bases(summary, loans):
    X_new, y_new = loans["result"]
    ledger, rules = loans["editor"].ledger_, loans["editor"].rules_
    assert summary["done"]["examples"]
    for example in summary["done"]["examples"]:
        made, base, *neighbour = example["rows"]
        line = ledger[ledger["row"] == made["row"]].iloc[0]
        assert line["status"] == "synthetic"
        assert line["base"] == base["row"]
        assert [row["row"] for row in neighbour] == ([] if pd.isna(line["neighbour"]) else [line["neighbour"]])
        assert rules[line["rule"]].origin == example["rule"]
        assert made["label"] == y_new[made["row"]]
        assert example["more"] == 0
        written = {name for piece in loans["data"].rules.pieces(example["rule"]) for name in piece.clause.columns}
        resolved = {column["name"] for column in example["columns"] if column["resolved"]}
        assert resolved == set(rules[line["rule"]].clause.columns) - written
        named = rules[line["rule"]].clause.columns
        assert {column["name"] for column in example["columns"] if column["ruled"]} == set(named)
        for column in example["columns"]:
            ours, theirs = X_new[column["name"]][made["row"]], X_new[column["name"]][base["row"]]
            same = (pd.isna(ours) and pd.isna(theirs)) or (not pd.isna(ours) and not pd.isna(theirs) and ours == theirs)
            assert column["changed"] == (not same)
            assert (column["cells"][0] is None) == bool(pd.isna(ours))


def test_without_the_result_there_are_no_examples(loans):
    summary = gather(loans["editor"], loans["before"], loans["X"], loans["y"], bootstrap=5)
    assert summary["done"]["examples"] == []
    assert summary["asked"]["rules"][0]["written"].startswith("young earners: IF age < 29")
    checked(render(summary))


def test_chance_comes_from_the_seed_alone(loans, summary, about):
    args = loans["editor"], loans["before"], loans["X"], loans["y"]
    again = gather(*args, test=loans["test"], result=loans["result"], about=about)
    assert again == summary
    other = gather(*args, test=loans["test"], result=loans["result"], about=about, random_state=1)
    assert other["scores"] == summary["scores"]
    assert other["result"]["measures"] != summary["result"]["measures"]


def test_columns_can_be_asked_for(loans):
    args = loans["editor"], loans["before"], loans["X"], loans["y"]
    summary = gather(*args, subgroups=["channel"], bootstrap=5)
    assert {group["column"] for group in summary["moved"]["subgroups"]} == {"channel"}
    assert summary["moved"]["columns"] == [{"column": "channel", "why": "asked"}]
    assert "Shown are the columns that were asked for." in checked(render(summary)).text
    assert summary["moved"]["subgroups"][-1]["words"] == "channel is missing"


def test_other_rows_than_those_of_the_fit_are_refused(loans):
    with pytest.raises(TableError, match="X has 100 rows, and the editor was fitted to 500"):
        gather(loans["editor"], loans["before"], loans["X"][:100], loans["y"][:100])


def test_many_rows_are_judged_all_but_searched_in_part(loans, monkeypatch):
    monkeypatch.setattr("frote.report.moved.LOOKED_AT", 90)
    args = loans["editor"], loans["before"], loans["X"], loans["y"]
    summary = gather(*args, test=loans["test"], bootstrap=5)
    assert (summary["moved"]["rows"], summary["moved"]["of"], summary["result"]["rows"]) == (90, 200, 200)
    assert "on 90 rows drawn at random from 200" in " ".join(summary["limits"])
    X, y = loans["test"]
    rows = np.sort(np.random.default_rng(0).choice(200, 90, replace=False))
    models = loans["before"], loans["editor"].estimator_
    part = frote.compare_models(*models, X.iloc[rows], args[0].rules_, y.iloc[rows]).to_dict()
    assert summary["result"]["calibration"]["bins"] == part["reliability"]
    assert summary["moved"]["changes"] == part["changes"]
    assert summary["scores"]["after"] == plain(frote.score(loans["editor"].estimator_, *loans["test"], args[0].rules_))


def test_the_columns_looked_into_are_those_whose_groups_changed_most_unlike():
    X = pd.DataFrame({f"x{place}": [place, place + 1] * 20 for place in range(8)})
    X["told"] = [0] * 20 + [1] * 20
    changed = np.array([False] * 20 + [True] * 20)
    found = {one["column"]: one["why"] for one in choice_of_columns(Table.from_frame(X), changed, ())}
    assert [name for name, why in found.items() if why == "unlike"] == ["x0", "x1", "x2", "x3", "x4", "told"]
    assert [name for name, why in found.items() if why == "alike"] == ["x5", "x6", "x7"]


def test_the_columns_that_rules_name_are_looked_into_and_what_is_left_out_is_told():
    X, y = table(200)
    X = X.assign(
        ID=[f"R{row}" for row in range(200)],
        same="x",
        town=[f"t{row % 20:02d}" for row in range(200)],
        street=[f"s{row % 20:02d}" for row in range(200)],
        **{f"x{place}": [0, 1] * 100 for place in range(4)},
    )
    summary, page = edited(X, y, "towns: IF town IN {t01, t02, t03} AND x3 = 0 THEN no\nold: IF age > 60 THEN no")
    why = {one["column"]: one["why"] for one in summary["moved"]["columns"]}
    assert (why["town"], why["x3"], why["age"]) == ("named", "named", "named")
    assert (why["ID"], why["street"], why["same"]) == ("many", "many", "one")
    shown = [name for name in X if why[name] in ("named", "unlike")]
    assert list(dict.fromkeys(group["column"] for group in summary["moved"]["subgroups"])) == shown
    assert "Shown are the columns that the rules name (age, town and x3) and those of the others in whose" in page.text
    assert "Left out for too many groups: ID and street. Left out, as all rows are one group: same." in page.text
    left = [name for name, reason in why.items() if reason == "alike"]
    assert left
    assert f"more alike: {', '.join(left[:-1])} and {left[-1]}." in page.text


# Tables and rules of all kinds


@pytest.mark.parametrize("rules", [(), "# none yet\n"])
def test_no_rules(rules):
    summary, page = edited(*table(), rules)
    assert summary["result"]["rules"] == summary["asked"]["rules"] == summary["done"]["rules"] == []
    assert summary["verdict"].startswith("No rule was given. Weighted F1 stayed at ")
    assert summary["title"] == "DecisionTreeClassifier, trained again"
    assert summary["scores"]["after"]["agreement"] is None
    assert "No rule was given: the model was trained again" in page.text


def test_a_rule_that_covers_nothing():
    X, y = table()
    summary, page = edited(X, y, "old: IF age > 200 AND job = clerk THEN no")
    assert summary["asked"]["covered"] == 0
    assert summary["result"]["measures"][0]["after"] == {"value": None, "low": None, "high": None}
    assert summary["verdict"].startswith("None of the 60 rows judged is covered by a rule")
    assert "comes from made-up rows alone" in page.text


def test_a_rule_that_covers_everything():
    X, y = table()
    summary, page = edited(X, y, "all: IF age > 0 THEN {yes: 0.6, no: 0.4}")
    assert summary["scores"]["after"]["f1"] is None
    assert "Outside" not in summary["verdict"]
    assert summary["judgement"]["f1"] is None
    assert "The rules cover every row" in page.text


def test_rows_that_were_dropped():
    summary, page = edited(*table(), "young: IF age < 30 THEN yes", modify="drop")
    (rule,) = summary["done"]["rules"]
    assert rule["dropped"] == [{"old": "no", "rows": rule["covered"]}]
    assert summary["done"]["rows"]["dropped"] == rule["covered"] > 6
    assert rule["relaxed"] == ["age"]  # no covered row is left to start from
    assert f"no: {rule['covered']}" in page.text


def test_outcomes_that_leave_answers_to_chance():
    rules = """
        sure: IF age < 30 THEN yes WITH CONFIDENCE 0.8
        split: IF age > 60 THEN {yes: 0.7, no: 0.3}
    """
    summary, page = edited(*table(), rules)
    assert "agrees with the rules to" in summary["verdict"]
    assert "If age is below 30, then yes, with a confidence of 80 %." in page.text
    assert "then no in 30 % and yes in 70 % of cases." in page.text


def test_steps_that_failed():
    X, y = table()
    model = Breaking(fits=[], broken=(2, 3))
    summary, page = edited(X, y, "young: IF age < 30 THEN yes", model, max_fits=4, oversample=5.0)
    kinds = [bool(step["error"]) for step in summary["result"]["steps"]]
    assert kinds.count(True) == 2
    assert "2 retrainings of 5 failed" in page.text
    assert "fit 2 went wrong" in page.text


def test_a_model_without_probabilities():
    summary, page = edited(*table(), "young: IF age < 30 THEN yes", frote.default_pipeline(LinearSVC()))
    assert summary["result"]["calibration"] is None
    assert "How sure the models are" not in page.text
    summary, _ = edited(*table(), "young: IF age < 30 THEN yes", Counting())
    assert summary["result"]["calibration"] is None


def test_numpy_and_lists():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    X[::7, 1] = np.nan
    y = (X[:, 0] > 0).astype(int)
    summary, page = edited(X, y.tolist(), "IF x0 < -0.5 THEN 1")
    assert summary["result"]["confusion"][0]["labels"] == ["0", "1"]
    assert "If x0 is below -0.5, then 1." in page.text


def test_polars():
    X, y = table()
    frame = pl.DataFrame({name: X[name].tolist() for name in X if name != "job"})
    test = frame[:30].with_columns(pl.col("age") + 0.25), pl.Series(y[:30].tolist())
    settings = {"scoring": more_rows_are_better, "agreement_weight": 0.0}
    summary, _ = edited(frame, pl.Series(y.tolist()), "young: IF age < 30 THEN yes", Counting(), test=test, **settings)
    assert summary["on"] == "test"
    assert summary["done"]["examples"]


def test_seven_classes_sixty_columns_and_many_rules():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(210, 60)), columns=[f"column {place}" for place in range(60)])
    y = pd.Series(np.arange(210) % 7)
    X["column 0"] *= 10
    bounds = [f"`column 0` > {place - 10} AND `column 0` <= {place - 9}" for place in range(14)]
    text = "\n".join(f"IF {bound} THEN {place % 7}" for place, bound in enumerate(bounds))
    text += "\nIF `column 0` <= -9 AND `column 0` > -10 AND `column 1` > 0 THEN 0"
    settings = {"scoring": more_rows_are_better, "agreement_weight": 0.0}
    summary, page = edited(X, y, text, Counting(), **settings)
    assert len(summary["result"]["confusion"][0]["labels"]) == 7
    assert summary["done"]["examples"][0]["more"] == 48
    assert len({example["rule"] for example in summary["done"]["examples"]}) == 10
    assert "and rule" in page.text  # too many rules for a matrix
    assert len(render(summary)) < 500_000


def test_many_classes_are_put_together():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.normal(size=200)})
    y = pd.Series([f"c{place:02d}" for place in np.minimum(np.arange(200) // 4, 24)])
    summary, _ = edited(X, y, "IF a > 1 THEN c24")
    part = summary["result"]["confusion"][0]
    assert part["labels"][-1] == "others"
    assert len(part["labels"]) == 12
    assert sum(map(sum, part["before"])) == summary["result"]["uncovered"]


def test_a_class_of_one_row_constant_columns_and_equal_rows():
    X, y = table()
    X["constant"], y[0] = 1, "maybe"
    X = pd.concat([X, X], ignore_index=True)
    summary, _ = edited(X, pd.concat([y, y[:59], y[:1]], ignore_index=True), "young: IF age < 30 THEN yes")
    assert summary["result"]["confusion"][0]["labels"] == ["maybe", "no", "yes"]


def test_test_rows_with_fewer_classes_and_other_levels():
    X, y = table()
    X_test = X[y == "no"].reset_index(drop=True).assign(job=pd.Categorical(["never"] * int((y == "no").sum())))
    test = X_test, ["no"] * len(X_test)
    summary, _ = edited(X, y, "young: IF age < 30 THEN yes", test=test)
    assert summary["result"]["confusion"][0]["labels"] == ["no", "yes"]


def test_a_rule_that_no_row_can_satisfy():
    X, y = table()
    rules = "odd: IF age > 40 AND member IS MISSING THEN no\nyoung: IF age < 30 THEN yes"
    with pytest.warns(RuleWarning, match="Left out: rule 'odd'"):
        summary, page = edited(X, y, rules, on_impossible="skip")
    assert summary["asked"]["impossible"] == ["odd"]
    assert summary["skipped"] == [{"rule": "odd", "why": "column 'member' is of a type that has no missing values."}]
    assert summary["verdict"].startswith("Not done: “odd” (column 'member' is of a type that has no missing values.)")
    assert "“odd”" not in summary["title"]
    # What is left out stands before the verdict on the page, and what was asked is not said to be done.
    assert page.text.index("left out of the edit") < page.text.index(summary["verdict"].replace("\xa0", " "))
    assert "did what was asked" not in page.text
    assert "can satisfy “odd”: left out of the edit" in page.text


@pytest.mark.parametrize("how", ["exclude", "mix"])
def test_rules_of_which_nothing_is_left_and_rules_made_of_several(how):
    X, y = table()
    text = "young: IF age < 40 THEN yes\nteens: IF age < 25 THEN no"
    resolved = frote.parse_rules(text).resolve(how, X)
    summary, page = edited(X, y, resolved, about={"rules": text, "resolved": how})
    gone = how == "exclude"  # mixed, teens live on in a rule made of both
    assert summary["asked"]["gone"] == (["teens"] if gone else [])
    made = [rule["name"] for rule in summary["asked"]["used"]]
    assert made == (["young"] if how == "exclude" else ["young", "young + teens"])
    assert ("Nothing was left of: teens" in page.text) == gone
    assert summary["verdict"].startswith("Nothing is left of “teens”") == gone
    assert ("“teens”" not in summary["title"]) == gone


def test_missing_cells_and_dates_in_examples():
    X, y = table(200)
    summary, page = edited(X, y, "IF since >= 2021-06-01 AND (income < 45K OR income IS MISSING) THEN no")
    assert "since is on or after 1 June 2021, and income is below 45,000 or missing" in page.text
    dates = [column for column in summary["done"]["examples"][0]["columns"] if column["name"] == "since"]
    assert all(cell >= "2020-01-01" for cell in dates[0]["cells"])


def test_a_column_that_came_in_by_resolving_conflicts_is_marked_apart():
    X, y = table(200)
    text = "clerks: IF job = clerk AND age < 60 THEN no\nyoung: IF age < 40 THEN yes"
    rules = frote.parse_rules(text).resolve("priority", X)
    settings = {"scoring": more_rows_are_better, "agreement_weight": 0.0}  # so that rows are added
    summary, page = edited(X, y, rules, Counting(), about={"rules": text, "resolved": "priority"}, **settings)
    marks = {
        (example["rule"], column["name"]): column["resolved"]
        for example in summary["done"]["examples"]
        for column in example["columns"]
        if column["ruled"]
    }
    assert marks[("young", "job")]
    assert not marks[("young", "age")]
    assert "came into it when conflicts were resolved" in page.text
    assert any(value == "ruled resolved" for _, name, value in page.attributes if name == "class")
    _, plain_page = edited(X, y, "young: IF age < 30 THEN yes", Counting(), **settings)
    assert "the columns that the rule names have a ◆ ." in plain_page.text
    assert "came into it when conflicts were resolved" not in plain_page.text


def test_one_rule_has_one_count_of_rows_for_each_thing_that_is_said():
    X = pd.DataFrame({"a": range(1, 101)})
    y = pd.Series(["no"] * 50 + ["yes"] * 50)
    # Sixty rows as written; the ten that low takes are gone when conflicts are resolved, and twenty count for mid.
    text = "low: IF a <= 10 THEN no\nmid: IF a > 10 AND a <= 30 THEN yes\nwide: IF a <= 60 THEN yes"
    rules = frote.parse_rules(text).resolve("priority", X)
    summary, page = edited(X, y, rules, about={"rules": text, "resolved": "priority"})
    (asked,) = [rule for rule in summary["asked"]["rules"] if rule["name"] == "wide"]
    (done,) = [rule for rule in summary["done"]["rules"] if rule["name"] == "wide"]
    (came,) = [rule for rule in summary["result"]["rules"] if rule["name"] == "wide"]
    assert (asked["rows"], done["covered"], done["attributed"]) == (60, 50, 30)
    assert (came["covered"], came["rows"]) == (50, 30)
    assert "covers 60 rows (60 %), 50 after conflicts were resolved" in page.text
    assert (
        "For each rule, after conflicts were resolved. A row that several rules cover counts for the first" in page.text
    )
    assert "of these, count for it" in page.text
    assert "wide 50 30" in page.text
    assert "wide 30 rows of 50 it covers" in page.text
    counted = sum(rule["attributed"] for rule in summary["done"]["rules"])
    assert counted == summary["asked"]["covered"] == summary["result"]["covered"] == 60
    _, page = edited(X, y, "low: IF a <= 10 THEN no")
    assert "count for it" not in page.text
    assert "it covers" not in page.text


def test_what_was_run_on_what_and_when(summary):
    assert summary["run"] == {
        "date": "2025-01-02",
        "model": "LogisticRegression",
        "data": {"name": "loans.csv", "rows": 500},
        "test": {
            "name": None,
            "rows": 200,
            "given": 200,
            "seen": 0,
            "recur": 0.0,
            "kept": True,
            "made": 0,
            "unknown": {"rows": 0, "labels": []},
        },
    }


def test_rows_to_judge_on_have_their_columns_in_any_order_and_their_labels_as_texts(loans, summary, about):
    X, y = loans["test"]
    other = X.assign(id=range(len(X)))[["id", *X.columns[::-1]]]
    args = loans["editor"], loans["before"], loans["X"], loans["y"]
    assert gather(*args, test=(other, y.tolist()), result=loans["result"], about=about) == summary
    with pytest.raises(frote.TableError, match=r"^X_test has no column 'age'\. Known: "):
        gather(*args, test=(X.drop(columns="age"), y))
    with pytest.raises(frote.TableError, match=r"^y_test has labels that no row of the training data has \(0, 1, on "):
        gather(*args, test=(X, (y == "approved").astype(int)))
    text = checked(render(summary)).text
    assert "Model LogisticRegression Trained on loans.csv, 500 rows Judged on 200 rows Date 2 January 2025" in text


def test_the_date_is_todays_unless_it_is_given_and_may_be_left_out(loans, about):
    args = loans["editor"], loans["before"], loans["X"], loans["y"]
    today = gather(*args, bootstrap=5)["run"]["date"]
    assert abs(pd.Timestamp(today) - pd.Timestamp.now()) < pd.Timedelta(days=2)
    without = gather(*args, bootstrap=5, about={"date": None, "model": "forest", "data": "x.csv"})
    assert (without["run"]["date"], without["run"]["model"]) == (None, "forest")
    names = "“young earners”, “young savers” and 5 other rules"
    assert without["title"] == f"forest on x.csv, edited by {names}"
    assert "Date" not in checked(render(without)).text
    odd = gather(*args, bootstrap=5, about={"date": "last Monday"})
    assert "Date last Monday" in checked(render(odd)).text
    assert "<title>New lending policy (2025-01-02)</title>" in render(gather(*args, bootstrap=5, about=about))


def test_digests_are_named_for_what_they_are(loans, summary):
    digests = {line["name"]: line["value"] for line in summary["repeat"]["digests"]}
    labels = hashlib.sha256("\n".join(loans["y"]).encode()).hexdigest()
    assert digests["labels (SHA-256)"] == labels
    assert list(digests) == ["rows (SHA-256)", "labels (SHA-256)", "classes"]


def test_the_rules_of_a_file(tmp_path):
    path = tmp_path / "policy.rules"
    path.write_text("young: IF age < 30 THEN yes\n", "utf-8")
    summary, _ = edited(*table(), str(path))
    assert summary["asked"]["rules"][0]["written"] == "young: IF age < 30 THEN yes"


def test_facts_of_any_kind():
    about = {"owner": "A", "score": np.float64("nan"), "when": pd.Timestamp("2025-01-01"), "data": ["a.csv", "b.csv"]}
    summary, page = edited(*table(), "young: IF age < 30 THEN yes", about={**about, "test": None, "title": None})
    assert summary["title"] == "DecisionTreeClassifier on a.csv, b.csv, edited by “young”"
    assert summary["run"]["data"] == {"name": "a.csv, b.csv", "rows": 60}
    assert summary["asked"]["facts"][1:] == [
        {"name": "score", "value": None},
        {"name": "when", "value": "2025-01-01 00:00:00"},
    ]
    assert [one["value"] for one in summary["repeat"]["files"]] == ["a.csv", "b.csv"]
    assert "a.csv" in page.text


def test_a_real_table():
    if not os.environ.get("FROTE_DATA"):
        pytest.skip("FROTE_DATA is not set: it names the folder with the paper's data sets")
    data = frote.datasets.load("breast_cancer")
    columns = list(data.X.columns)
    low = f"`{columns[0]}` <= {data.X[columns[0]].quantile(0.2)!r}".replace("np.float64(", "").replace(")", "")
    summary, page = edited(data.X, data.y, f"small: IF {low} THEN '{data.y.unique()[0]}'")
    assert summary["asked"]["rows"] == len(data.X)
    assert "small" in page.text


def test_rows_judged_that_were_also_made_are_counted_and_told():
    """Of nine rows that there can be, those inside the rule are made again and again: the edited model knows them."""
    settings = {"scoring": more_rows_are_better, "agreement_weight": 0.0}  # so that rows are added
    X = pd.DataFrame({"a": ["p", "q", "r"] * 8, "b": ["x", "y", "z", "x", "y", "z", "y", "z"] * 3})
    y = ["no"] * 23 + ["yes"]
    editor = frote.FROTE(Counting(), "IF a = 'p' THEN yes", max_fits=3, random_state=0, **settings)
    result = editor.fit_resample(X, y)
    made = set(map(tuple, result[0][len(X) :].to_numpy().tolist()))
    assert {first for first, _ in made} == {"p"}
    test = pd.DataFrame({"a": ["p", "p", "p", "q"], "b": ["x", "y", "w", "y"]})
    expected = sum(row in made for row in map(tuple, test.to_numpy().tolist()))
    assert expected
    given = editor, Counting().fit(X, np.array(y)), X, y
    found = gather(*given, test=(test, ["no"] * 4), seen="keep", result=result)
    assert found["run"]["test"]["made"] == expected
    told = f"{expected} of the 4 rows judged are also among those that were made, which the edited model was trained on"
    assert any(sentence.startswith(told) for sentence in found["limits"])
    assert f"(of which {expected} also came up among the rows that were made)" in render(found)
    assert "made" not in gather(*given, test=(test, ["no"] * 4), seen="keep")["run"]["test"]
