from __future__ import annotations

import itertools
import json
import re

import pandas as pd
import pytest
from tests.estimators.stubs import Counting, more_rows_are_better
from tests.report.html_check import checked

import frote
from frote.exceptions import RecordError
from frote.report import gather, render, write_report
from frote.report.charts import steps_chart, ticks
from frote.report.page import _parted

ATTACKS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg onload=alert(1)>",
    "</style><script>alert(2)</script>",
    "</title><h1>another</h1>",
    "=cmd|' /C calc'!A0",
    "{{ 7 * 7 }}{% for x in y %}",
    "&lt;b&gt; &amp; <!-- ",
    "javascript:alert(1)",
]


def test_the_page_says_what_the_data_say(summary):
    page = checked(render(summary))
    for wanted in (
        summary["title"],
        summary["verdict"].replace("\xa0", " "),
        *(rule["words"].replace("\xa0", " ") for rule in summary["asked"]["rules"]),
        *(rule["name"] for rule in summary["asked"]["rules"]),
        *summary["limits"],
        summary["repeat"]["command"],
        "Credit policy",
        "loans.csv",
        f"{summary['scores']['after']['agreement']:.3f}",
        f"{summary['scores']['before']['f1']:.3f}",
        "left to the one that is written first",
    ):
        assert " ".join(wanted.split()) in page.text, wanted


def test_headings_lead_through_the_page(summary):
    page = checked(render(summary))
    levels = [int(tag[1]) for tag in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(2) == 7
    links = [value for tag, name, value in page.attributes if name == "href"]
    assert links == ["#asked", "#done", "#result", "#numbers", "#moved", "#limits", "#repeat"]


def test_charts_have_names(summary):
    text = render(summary)
    pictures = re.findall(r'<svg role="img"[^>]*>', text)
    assert len(pictures) == 2 + sum(rule["after"] is not None for rule in summary["result"]["rules"])
    assert all("aria-label" in picture for picture in pictures)
    marks = re.findall(r'<circle class="(accepted|rejected)" cx="[0-9.]+%"', text)
    steps = summary["result"]["steps"]
    assert marks.count("accepted") == sum(step["accepted"] for step in steps)
    assert marks.count("rejected") == sum(not step["accepted"] for step in steps)


def test_changed_cells_are_marked_and_no_others(summary):
    marked = re.findall(r"<td[^>]*><mark>", render(summary))
    examples = summary["done"]["examples"]
    cells = sum(column["changed"] for example in examples for column in example["columns"])
    labels = sum(example["rows"][0]["label"] != example["rows"][1]["label"] for example in examples)
    assert len(marked) == cells + labels > 0


def test_confusion_matrices_and_shifts_are_shown_as_they_are(summary):
    text = render(summary)
    cells = [int(count.replace(",", "")) for count in re.findall(r'style="--share: [0-9.]+">([0-9,]+)</td>', text)]
    parts = [part[when] for part in summary["result"]["confusion"] for when in ("before", "after")]
    assert cells == [count for part in parts for line in part for count in line]
    shifts = [one["shift"] for group in summary["moved"]["subgroups"] for one in group["classes"] if one["shift"] > 0]
    assert f"(+{100 * max(shifts):.1f} points)" in text


def test_the_same_page_from_json(summary):
    assert render(json.loads(json.dumps(summary))) == render(summary)


def test_writing(summary, tmp_path):
    write_report(summary, tmp_path / "edit.html")
    assert (tmp_path / "edit.html").read_bytes().decode("utf-8") == render(summary)


def test_other_versions_are_refused(summary):
    with pytest.raises(RecordError, match="version 3 cannot be shown"):
        render({**summary, "report": 3})
    with pytest.raises(RecordError, match="version None"):
        render({})


def test_whatever_names_and_values_look_like_they_are_text():
    rows = 60
    X = pd.DataFrame({attack: range(rows) for attack in ATTACKS[:4]})
    X["kind"] = [ATTACKS[place % len(ATTACKS)] for place in range(rows)]
    y = pd.Series([ATTACKS[3] if place % 2 else ATTACKS[0] for place in range(rows)])
    rules = frote.RuleSet(
        [
            frote.Rule(
                name,
                frote.Clause.of(
                    {ATTACKS[place]: frote.Condition.compare("<", 9), "kind": frote.Condition.among([name])}
                ),
                frote.Outcome.of(ATTACKS[3]),
            )
            for place, name in enumerate(ATTACKS[:4])
        ]
    )
    before = frote.default_pipeline().fit(X, y)
    settings = {"scoring": more_rows_are_better, "agreement_weight": 0.0}
    editor = frote.FROTE(Counting(), rules, max_fits=2, random_state=0, **settings)
    result = editor.fit_resample(X, y)
    about = {name: attack for attack in ATTACKS for name in (f"fact {attack}",)}
    about |= {"title": ATTACKS[4], "owner": ATTACKS[0], "repeat": ATTACKS[1], "conflicts": ATTACKS, "data": ATTACKS}
    about |= {"versions": {ATTACKS[2]: ATTACKS[3]}, "resolved": ATTACKS[0]}
    text = render(gather(editor, before, X, y, result=result, about=about, subgroups=["kind"], bootstrap=5))
    page = checked(text)
    assert "<script" not in text
    assert "49" not in re.findall(r"<h1>(.*?)</h1>", text)
    assert ATTACKS[4] in page.text
    assert page.text.count("From a row") > 4
    for attack in ATTACKS:
        assert " ".join(attack.split()) in page.text


def test_one_step_has_no_chart_and_failed_steps_lie_on_the_floor():
    assert steps_chart([])["marks"] == []
    step = {"step": 0, "accepted": True, "objective": 0.5, "error": ""}
    failed = {"step": 1, "accepted": False, "objective": None, "error": "broken"}
    chart = steps_chart([step, failed, {**step, "step": 2, "objective": 0.9}])
    assert [mark["kind"] for mark in chart["marks"]] == ["accepted", "failed", "accepted"]
    assert chart["marks"][1]["y"] == 100
    assert chart["lines"] == [{"x1": 4.0, "y1": 100.0, "x2": 96.0, "y2": 0.0}]


@pytest.mark.parametrize("values", [(0.966, 0.968), (0.5, 0.5), (0.999, 1.0), (1.0, 1.0), (0.0, 0.001)])
def test_chance_does_not_look_like_progress(values):
    steps = [{"step": n, "accepted": True, "objective": value, "error": ""} for n, value in enumerate(values)]
    chart = steps_chart(steps)
    scale = [float(tick["text"]) for tick in chart["ticks"]]
    assert scale[-1] - scale[0] >= 0.02 - 1e-9
    assert len(scale) >= 3
    assert scale[-1] <= 1
    heights = [mark["y"] for mark in chart["marks"]]
    assert all(0 <= height <= 100 for height in heights)
    assert abs(heights[0] - heights[1]) <= 100 * (values[1] - values[0]) / 0.02 + 0.01
    assert chart["flat"]
    assert not steps_chart([steps[0], {**steps[1], "objective": values[0] - 0.03}])["flat"]


def test_it_is_said_that_the_objective_hardly_changed(summary):
    for rise, flat in ((0.0001, True), (0.01, False)):
        steps = [{**step, "objective": 0.9 + rise * step["step"]} for step in summary["result"]["steps"]]
        page = checked(render({**summary, "result": {**summary["result"], "steps": steps}}))
        assert ("The training objective hardly changed" in page.text) == flat


def test_f1_is_said_to_be_weighted_and_what_it_is(summary):
    page = checked(render(summary))
    assert "Weighted F1 elsewhere" in page.text
    assert "this is the mean over the classes, weighted by their rows" in page.text
    assert page.text.count("this is the mean over the classes") == 1


def test_names_break_between_their_words_alone():
    assert str(_parted("rate_marriage-x.y/z")) == "rate_<wbr>marriage-<wbr>x.<wbr>y/<wbr>z"
    assert str(_parted("__a<b>__")) == "__<wbr>a&lt;b&gt;__"


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0.881, 0.929), (0.5, 0.5), (-0.2, 0.3), (0.99991, 0.99999)])
def test_ticks_span_the_range_in_equal_steps(low, high):
    found = ticks(low, high)
    assert found[0] <= low
    assert found[-1] >= high
    assert 2 <= len(found) <= 8
    steps = {round(b - a, 9) for a, b in itertools.pairwise(found)}
    assert len(steps) == 1


def test_the_f1_that_was_asked_for_leads(summary):
    weighted = render({**summary, "result": {**summary["result"], "leading": "f1", "uneven": False}})
    assert "Weighted F1 elsewhere" in weighted
    assert "Macro F1 outside" not in weighted
    assert "Macro F1 outside" in render({**summary, "result": {**summary["result"], "leading": "f1", "uneven": True}})
    macro = render({**summary, "result": {**summary["result"], "leading": "f1_macro", "uneven": False}})
    assert "Macro F1 elsewhere" in macro
    assert "Weighted F1 elsewhere" not in macro
    assert macro.index("Macro F1 outside") < macro.index("Weighted F1 outside")


def test_numbers_and_protected_groups_stand_in_sections_of_their_own(loans, about):
    asked = {"protected": "age < 25, purpose", "favourable": "approved", "threshold": 0.4}
    some = gather(loans["editor"], loans["before"], loans["X"], loans["y"], about=about, bootstrap=20, **asked)
    text = render(some)
    page = checked(text)
    links = [value for tag, name, value in page.attributes if name == "href"]
    assert links == ["#asked", "#done", "#result", "#numbers", "#protected", "#moved", "#limits", "#repeat"]
    for notice in some["fairness"]["notices"]:
        assert notice.replace("'", "&#39;").replace("<", "&lt;") in text
    rates = some["fairness"]["rates"]
    assert {rate["where"] for rate in rates} == {"outside", "inside", "all"}
    assert all(rate["change"]["low"] <= rate["change"]["high"] for rate in rates if rate["change"]["low"] is not None)
    assert "age is below 25" in text
    assert "at least 0.4, else denied" in text


def test_nothing_is_told_to_be_done_where_the_model_before_was_handed_back(summary):
    assert "The training data were made to agree with the rules" in checked(render(summary)).text
    text = checked(render({**summary, "unedited": "Nothing was edited."})).text
    assert "Nothing: the model is the one before." in text
    assert "The training data were made to agree with the rules" not in text
