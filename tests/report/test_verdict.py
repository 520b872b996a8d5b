from __future__ import annotations

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier
from tests.report.html_check import checked

import frote
from frote.report import gather, render, verdict
from frote.report.verdict import judgement

MEASURES = ("agreement", "f1", "objective")


def told(
    changes,
    rules,
    *,
    before=None,
    after=None,
    override=1.0,
    outside=406,
    on="test",
    rows=1000,
    covered=855,
    of=None,
    missed=None,
    leading="f1",
):
    """Return what is said of some numbers: the change of each measure, and the rules' (name, before, after)."""
    before, after = before or dict.fromkeys(MEASURES, 0.8), after or dict.fromkeys(MEASURES, 0.8)
    changes = {"f1_macro": changes["f1"], **changes}
    summary = {
        "asked": {"gone": [], "resolved": None},
        "how": "data",
        "unedited": "",
        "skipped": [],
        "in_part": [],
        "cases": None,
        **(missed or {}),
        "run": {"test": None},
        "on": on,
        "scores": {"before": before, "after": after, "override": dict.fromkeys(MEASURES, override)},
        "result": {
            "leading": leading,
            "rows": of or rows,
            "covered": covered,
            "uncovered": (of or rows) - covered,
            "measures": [
                {"measure": name, "change": dict(zip(("value", "low", "high"), changes[name], strict=True))}
                for name in (*MEASURES, "f1_macro")
            ],
            "rules": [{"name": name, "before": was, "after": now, "rows": 9, "covered": 9} for name, was, now in rules],
        },
        "moved": {
            "rows": rows,
            "of": of or rows,
            "parts": [{"part": part, "rows": outside} for part in ("intended", "wrong", "unintended")],
        },
    }
    summary["judgement"] = judgement(summary["result"], summary["moved"])
    return verdict(summary).replace("\xa0", " "), summary["judgement"]


NOTHING = dict.fromkeys(MEASURES, (0.0, 0.0, 0.0))


def test_the_f1_that_was_asked_for_is_the_one_that_is_told():
    changes = {**NOTHING, "f1_macro": (-0.1, -0.2, -0.05)}
    before, after = ({**dict.fromkeys(MEASURES, 0.8), "f1_macro": macro} for macro in (0.7, 0.6))
    text, found = told(changes, [("one", 0.8, 0.8)], before=before, after=after, leading="f1_macro")
    assert "macro F1 fell from 0.700 to 0.600" in text
    assert "weighted" not in text
    assert (found["f1"], found["f1_macro"]) == ("same", "worse")
    assert "weighted F1 stayed at 0.800" in told(changes, [("one", 0.8, 0.8)], before=before, after=after)[0]


def test_a_worse_edit_is_called_so():
    text, found = told(
        {"agreement": (0.0, -0.03, 0.03), "f1": (-0.06, -0.1, -0.02), "objective": (-0.033, -0.064, -0.009)},
        [("one", 0.99, 0.81), ("two", 0.98, 0.90), ("three", 0.1, 0.7)],
        before={"agreement": 0.82, "f1": 0.65, "objective": 0.702},
        after={"agreement": 0.82, "f1": 0.59, "objective": 0.669},
        rows=5000,
    )
    assert text == (
        "The edit made the model worse on the rows judged: the objective by coverage fell from 0.702 to 0.669 "
        "(95 % interval of the change: -0.064 to -0.009). "
        "It follows the rules on 82 % of the covered rows (before: 82 %). "
        "Followed less than before: “one” (from 99 % to 81 %) and “two” (from 98 % to 90 %). "
        "Outside the rules weighted F1 fell from 0.650 to 0.590, and 406 of 4,145 predictions changed."
    )
    trends = {"agreement": "same", "f1": "worse", "f1_macro": "worse", "objective": "worse"}
    assert found == {**trends, "less": ["one", "two"], "outside": 406}


def test_an_objective_that_fell_perhaps_by_chance_comes_first_too():
    scores = {"agreement": 0.96, "f1": 0.8}
    changes = {**NOTHING, "agreement": (0.4, 0.3, 0.5), "objective": (-0.009, -0.02, 0.001)}
    before, after = {**scores, "objective": 0.863}, {**scores, "objective": 0.854}
    text, _ = told(changes, [("one", 0.5, 0.5)], before=before, after=after)
    assert text.startswith(
        "On the rows judged the objective by coverage fell from 0.863 to 0.854, which may be chance (95 % interval of "
        "the change: -0.020 to 0.001). The edit did what was asked: "
    )
    text, _ = told(changes, [("one", 0.5, 0.5)], before=before, after={**scores, "objective": 0.8629})
    assert text.startswith("The edit did what was asked: ")  # nobody sees a difference
    text, _ = told(changes, [("one", 0.5, 0.5)], before=after, after=before)
    assert "fell from 0.8" not in text


@pytest.mark.parametrize(
    ("change", "after", "start"),
    [
        ((0.4, 0.3, 0.5), 0.96, "The edit did what was asked: the model follows the rules on 96 %"),
        ((0.4, 0.3, 0.5), 0.7, "The edit did a part of what was asked: the model follows the rules on 70 %"),
        ((0.1, -0.1, 0.3), 0.7, "The edit did not clearly change how far the model follows the rules: it follows"),
        ((0.19, -0.1, 0.3), 0.99, "The model does what was asked, though it is not clear that the edit did it: it"),
        ((-0.1, -0.2, -0.05), 0.7, "The edit made the model follow the rules less: it follows the rules on 70 %"),
    ],
)
def test_what_was_asked_is_said_to_be_done_where_it_was(change, after, start):
    scores = {"agreement": after, "f1": 0.8, "objective": 0.8}
    text, _ = told({**NOTHING, "agreement": change}, [("one", 0.5, 0.5)], after=scores)
    assert text.startswith(start)


def test_what_held_before_is_not_the_edits_doing():
    before, after = ({"agreement": value, "f1": 0.8, "objective": 0.8} for value in (0.98, 0.99))
    text, _ = told({**NOTHING, "agreement": (0.01, -0.1, 0.3)}, [("one", 0.5, 0.5)], before=before, after=after)
    assert text.startswith("The model does what was asked, as it did before the edit: it follows the rules on 99 %")


def test_answers_left_to_chance_count_by_what_the_rules_themselves_reach():
    scores = {"agreement": 0.79, "f1": 0.8, "objective": 0.8}
    text, _ = told({**NOTHING, "agreement": (0.3, 0.2, 0.4)}, [("one", 0.5, 0.5)], after=scores, override=0.8)
    assert text.startswith("The edit did what was asked: the model agrees with the rules to 79 % on the covered rows")
    assert "would reach 80 %)" in text


def test_of_many_rules_followed_less_those_that_fell_most_are_named():
    text, found = told(NOTHING, [(f"r{place}", 0.9, 0.9 - place / 20) for place in range(8)])
    assert found["less"] == [f"r{place}" for place in range(7, 0, -1)]
    assert "“r7” (from 90 % to 55 %), “r6” (from 90 % to 60 %), “r5” (from 90 % to 65 %) and 4 other rules." in text


def test_rows_looked_at_in_part_and_no_change_outside():
    text, _ = told(NOTHING, [("one", 0.5, 0.5)], of=20_000, rows=10_000)
    assert text.endswith("and of 10,000 rows looked at 406 lie there and are predicted otherwise.")
    text, _ = told(NOTHING, [("one", 0.5, 0.5)], outside=0)
    assert text.endswith("Outside the rules weighted F1 stayed at 0.800, and no prediction changed.")
    text, _ = told(NOTHING, [("one", 0.5, 0.5)], covered=1000)
    assert "Outside" not in text


WHY = "column 'channel' has no level 'brokr'. Did you mean 'broker'?"
SCORES = st.sampled_from([0.0, 0.5, 0.96, 1.0])


@given(st.tuples(*[st.floats(-1, 1)] * 3), SCORES, SCORES)
def test_where_a_rule_was_left_out_that_comes_first_and_nothing_is_said_to_be_done(change, was, now):
    scores = [{"agreement": value, "f1": 0.8, "objective": 0.8} for value in (was, now)]
    text, _ = told(
        {**NOTHING, "agreement": change},
        [("one", 0.5, 0.5)],
        before=scores[0],
        after=scores[1],
        missed={"skipped": [{"rule": "brokers", "why": WHY}]},
    )
    start = f"Not done: “brokers” ({WHY}). It was left out of the edit, since no row can satisfy it. The edit "
    assert text.startswith(start)
    assert "100 %" not in text
    assert "what was asked" not in text.replace("a part of what was asked", "")
    assert f"the other rules on {round(855 * now):,} of 855 rows" in text


def test_what_can_apply_only_in_part_comes_first_too():
    text, _ = told(
        {**NOTHING, "agreement": (0.4, 0.3, 0.5)},
        [("one", 0.5, 0.5)],
        after={"agreement": 1.0, "f1": 0.8, "objective": 0.8},
        missed={"in_part": [{"rule": "brokers", "why": WHY}]},
    )
    start = f"Not all of it can apply: “brokers” ({WHY}). The edit did what could be done of what was asked: the model"
    assert text.startswith(start)


numbers = st.floats(-1, 1)
shares = st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0])


@given(
    st.fixed_dictionaries({name: st.tuples(numbers, numbers, numbers) for name in MEASURES}),
    st.lists(st.tuples(shares, shares), min_size=1, max_size=4),
    st.sampled_from(["test", "data"]),
)
def test_no_verdict_flatters(changes, agreements, on):
    changes = {name: (sorted(ends)[1], min(ends), max(ends)) for name, ends in changes.items()}
    rules = [(f"rule {place}", was, now) for place, (was, now) in enumerate(agreements)]
    text, found = told(changes, rules, on=on)
    value, low, high = changes["objective"]
    assert ("made the model worse" in text) == (high < 0) == (found["objective"] == "worse")
    assert (found["objective"] == "better") == (low > 0)
    if value == 0:
        assert found["objective"] == "same"
    if high < 0:
        assert "what was asked" not in text
    fallen = [name for name, was, now in rules if now < was]
    assert sorted(found["less"]) == sorted(fallen)
    assert sorted(re.findall(r"“(rule \d)” \(from", text)) == sorted(fallen)
    assert "406 of 145 predictions changed" in text


def test_a_worse_edit_is_shown_as_one():
    X = pd.DataFrame({"a": range(400)})
    y = pd.Series(["no", "yes"] * 200)
    X["b"] = [place % 2 for place in range(400)]
    before = DecisionTreeClassifier().fit(X, y)
    editor = frote.FROTE(DummyClassifier(strategy="constant", constant="no"), "odd: IF b = 1 AND a < 100 THEN yes")
    summary = gather(editor.set_params(max_fits=0, random_state=0).fit(X, y), before, X, y, about={"date": None})
    assert summary["judgement"] == {
        **dict.fromkeys((*MEASURES, "f1_macro"), "worse"),
        "less": ["odd"],
        "outside": 150,
    }
    assert verdict(summary) == summary["verdict"]
    assert "worse on the very rows that it was trained on" in summary["verdict"]
    assert "“odd” (from 100\xa0% to 0\xa0%)" in summary["verdict"]
    classes = [value for _, name, value in checked(render(summary)).attributes if name == "class"]
    assert classes.count("is worse") == classes.count("trend worse") == 3
    assert {"verdict fell", "dot-after fell"} <= set(classes)
    assert not {"is better", "better"} & set(classes)


def test_a_better_edit_is_shown_as_one(summary):
    classes = [value for _, name, value in checked(render(summary)).attributes if name == "class"]
    for measure in MEASURES:
        trend = summary["judgement"][measure]
        assert f"is {trend}" in classes
    assert summary["judgement"]["agreement"] == "better"
    assert "verdict" in classes
    assert "verdict fell" not in classes


def test_that_nothing_was_edited_comes_first():
    why = "Nothing was edited: the least loss outside the rules that was found is 0.034, and max_loss_outside is 0.01."
    text, _ = told(NOTHING, [("one", 0.5, 0.5)], missed={"unedited": why})
    assert text.startswith(why)
    assert "did what" not in text


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("switches", "they are inside the model, which has a column for each of them."),
        ("anchored", "they are inside the model, which asks the model before about all rows outside them."),
    ],
)
def test_that_a_model_needs_its_rules_is_told(how, said):
    text, _ = told(NOTHING, [("one", 0.5, 0.5)], missed={"how": how})
    assert text.endswith(f"The rules are needed at prediction time: {said}")
    assert "needed at prediction time" not in told(NOTHING, [("one", 0.5, 0.5)])[0]
