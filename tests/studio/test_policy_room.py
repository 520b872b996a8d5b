"""The policy room by its answers: what it shows, what it keeps, and that nothing in a table becomes part of a page."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from tests.studio.conftest import RULES, furnished
from tests.studio.doors import browser, opened

from frote.rules import parse_rules
from frote.studio.workspace import Workspace

EVIL = "<script>alert(1)</script>"
IMAGE = "\"><img src=x onerror='x'>"


@pytest.fixture
def room(tmp_path, loans_csv):
    state = opened(furnished(tmp_path / "w", loans_csv))
    yield browser(state)
    state.close()


def studio(client):
    return client.app.app.state.studio


def asked(client, path, **given):
    return client.post(path, json=given)


def part(answer, name):
    """Return what an answer puts into a place of the page."""
    return answer.text.split(f'<template data-into="{name}">')[1].split("</template>")[0]


def test_a_text_is_answered_with_what_it_covers(room):
    answer = asked(room, "/policy/pulse", text=RULES, cursor=0, page="p", number=1)
    rules = parse_rules(RULES)
    covered = rules.check(studio(room).desk.table.X).covered
    assert f"<b>2 rules</b> cover <b>{covered:,}</b> of 300 rows" in answer.text
    assert 'aria-label="Rule young"' in answer.text
    assert 'role="slider"' in part(answer, "cards")


def test_columns_compared_with_one_another_stand_on_cards_as_they_are_written(room):
    text = "over: IF amount > 0.9 * income AND age < 40 THEN denied\nunder: IF amount < income THEN approved"
    answer = asked(room, "/policy/pulse", text=text, cursor=5, page="p", number=1, open=[0])
    cards = part(answer, "cards")
    assert "amount &gt; 0.9 * income" in cards
    assert cards.count('class="chip-column"') == 1
    assert "conflict" in answer.text
    rows = asked(room, "/policy/rows", text=text, rule=0)
    assert rows.status_code == 200
    assert all(name in rows.text for name in ("amount", "income", "age"))
    wrong = asked(room, "/policy/pulse", text="IF amount > 0.9 * purpose THEN denied", cursor=0, page="p", number=2)
    assert "holds categories" in part(wrong, "mistakes")


def test_a_mistake_is_told_in_the_words_of_the_command_line(room):
    answer = asked(room, "/policy/pulse", text="young: IF agee < 29 THEN approved", cursor=0, page="p", number=1)
    told = part(answer, "mistakes")
    assert "line 1, column 11: the data have no column &#39;agee&#39;. Did you mean &#39;age&#39;?" in told
    assert "^^^^" in told


def test_what_the_page_has_is_not_sent_again(room):
    first = asked(room, "/policy/pulse", text=RULES, cursor=0, page="p", number=1)
    digests = re.findall(r'data-same="(\w+)"', first.text)
    again = asked(room, "/policy/pulse", text=RULES, cursor=0, page="p", number=2, known=digests)
    assert re.findall(r'data-same="(\w+)"', again.text) == digests
    assert again.text.count("data-stub") == 4  # of each card its own part, and the line that depends on others
    moved = asked(room, "/policy/pulse", text=RULES.replace("29", "30"), cursor=0, page="p", number=3, known=digests)
    assert moved.text.count("data-stub") == 2


def test_a_rule_that_others_take_rows_from_is_sent_the_line_that_says_so(room):
    rules = "a: IF age < 30 THEN approved\nb: IF age < 50 THEN approved\n"
    first = asked(room, "/policy/pulse", text=rules, cursor=0, page="p", number=1)
    digests = re.findall(r'data-same="(\w+)"', first.text)
    moved = asked(room, "/policy/pulse", text=rules.replace("30", "31"), cursor=0, page="p", number=2, known=digests)
    (stub,) = re.findall(r"<article [^>]*data-stub>.*?</article>", moved.text, re.DOTALL)
    assert 'id="rule-1"' in stub
    assert "that no earlier rule covers" in stub
    assert "rule-name" not in stub


def test_an_overtaken_question_gets_no_answer(room):
    asked(room, "/policy/pulse", text=RULES, cursor=0, page="p", number=5)
    late = asked(room, "/policy/pulse", text="IF age < 9 THEN denied", cursor=0, page="p", number=4)
    assert (late.status_code, late.text) == (204, "")
    assert asked(room, "/policy/pulse", text=RULES, cursor=0, page="other", number=1).status_code == 200


def test_a_policy_without_rules_is_a_page_too(room):
    assert asked(room, "/policy/pulse", text="", cursor=0, page="p", number=1).status_code == 200
    assert "Write the first rule" in asked(room, "/policy/pulse", text="# later", cursor=99, page="p", number=2).text


def test_the_second_of_two_tabs_is_told_and_nothing_is_lost(room):
    base = room.get("/policy/text").json()["digest"]
    assert asked(room, "/policy/save", text="IF age < 1 THEN denied", base=base).status_code == 200
    second = asked(room, "/policy/save", text="IF age < 2 THEN denied", base=base)
    assert second.status_code == 409
    assert room.get("/policy/text").json()["text"] == "IF age < 1 THEN denied"
    instead = asked(room, "/policy/save", text="IF age < 2 THEN denied", base=base, instead=True)
    assert instead.status_code == 200
    assert room.get("/policy/text").json()["text"] == "IF age < 2 THEN denied"
    assert "IF age < 1 THEN denied" in [version.policy for version in studio(room).workspace.history.versions()]


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"kind": "condition", "rule": 0, "column": "purpose"}, "defaults = 0 AND purpose = "),
        ({"kind": "toggle", "rule": 0, "column": "purpose", "value": "car"}, "defaults = 0 AND purpose = 'car'"),
        ({"kind": "remove", "rule": 0, "asked": 0}, "young: IF defaults = 0 THEN"),
        ({"kind": "rename", "rule": 1, "value": "24/7"}, "'24/7': IF"),
        ({"kind": "outcome", "rule": 1, "value": "approved"}, "defaults >= 3 THEN approved"),
        ({"kind": "new", "rule": -1}, "new rule: IF"),
        ({"kind": "take", "rule": -1, "value": "young: IF income > 3 THEN denied"}, "young 2: IF income > 3"),
    ],
)
def test_a_click_changes_the_text(room, change, wanted):
    answer = asked(room, "/policy/change", text=RULES, **change).json()
    after = RULES[: answer["start"]] + answer["text"] + RULES[answer["stop"] :]
    assert wanted in after
    assert after.startswith("# policy\n")
    parse_rules(after)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "toggle", "rule": 0, "column": "nothing", "value": "car"},
        {"kind": "toggle", "rule": 0, "column": "purpose", "value": "nothing"},
        {"kind": "toggle", "rule": 99, "column": "purpose", "value": "car"},
        {"kind": "rename", "rule": 1, "value": "young"},
        {"kind": "take", "rule": 0, "value": "no rule"},
        {"kind": "up", "rule": 0},
        {"kind": "nothing"},
    ],
)
def test_what_cannot_be_changed_is_a_sentence(room, change):
    answer = asked(room, "/policy/change", text=RULES, **change)
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


def test_places_count_as_browsers_count(room):
    text = f"\U0001f680 launch: IF age < 29 THEN approved\n{RULES}"
    answer = asked(room, "/policy/change", text=text, kind="rename", rule=1, value="young ones").json()
    units = text.encode("utf-16-le")
    assert units[2 * answer["start"] : 2 * answer["stop"]].decode("utf-16-le") == "young"


def test_a_row_is_tried_and_kept_as_a_case(room):
    row = asked(room, "/policy/trial", text=RULES, **{"from": "row", "place": 3}).text
    assert 'name="age"' in row
    values = {"age": "25", "defaults": "0", "income": "30000"}
    tried = asked(room, "/policy/tried", text=RULES, values=values).text
    assert "<b>young</b> fires: <b>approved</b>" in tried
    kept = asked(room, "/policy/cases/keep", text=RULES, values=values, name="a", expected="denied", why="so")
    assert "does not hold" in kept.text
    asked(room, "/policy/cases/keep", text=RULES, values=values, name="b", expected="approved", why="")
    assert "1 case broken" in asked(room, "/policy/pulse", text=RULES, cursor=0, page="p", number=1).text
    assert studio(room).workspace.cases().text.splitlines()[0].startswith("name,expected,why,age")
    assert "does not hold" not in asked(room, "/policy/cases/remove", text=RULES, name="a").text
    assert asked(room, "/policy/tried", text=RULES, values={"age": "old"}).text.count("holds a whole number") == 1
    assert asked(room, "/policy/cases/keep", text=RULES, values=values, name="c", expected="x").status_code == 422


def test_rows_that_miss_a_rule_are_marked(room):
    shown = asked(room, "/policy/rows", text=RULES, rule=0).text
    assert "Miss it by one condition" in shown
    assert "<mark>" in shown


def test_each_way_out_of_a_conflict_is_shown_by_what_it_does(room):
    text = f"{RULES}old: IF age >= 20 THEN denied\n"
    shown = asked(room, "/policy/ways", text=text).text
    assert shown.count('class="way') == 4  # the three, and what holds them
    chosen = asked(room, "/policy/resolve", text=text, way="priority").text
    assert studio(room).workspace.settings.resolve == "priority"
    assert 'aria-pressed="true"' in chosen
    asked(room, "/policy/resolve", text=text, way="priority")
    assert studio(room).workspace.settings.resolve is None
    assert asked(room, "/policy/resolve", text=text, way="by force").status_code == 422


@pytest.fixture
def evil_room(tmp_path):
    rows = 40
    frame = pd.DataFrame(
        {
            EVIL: range(rows),
            "level": pd.Categorical([IMAGE, EVIL] * (rows // 2)),
            'it\'s "odd" & `so`': [None, 1.5] * (rows // 2),
            f"label {EVIL}": [EVIL, IMAGE] * (rows // 2),
        }
    )
    path = tmp_path / "<b>evil.csv"
    frame.to_csv(path, index=False)
    name = EVIL.replace("/", "")
    doubled = IMAGE.replace("'", "''")
    policy = f"'{EVIL}': IF `{EVIL}` < 20 AND level = '{EVIL}' THEN '{EVIL}'\nb: IF `{EVIL}` > 9 THEN '{doubled}'\n"
    workspace = Workspace.open(tmp_path / "w", policy=policy, target=f"label {EVIL}", who=EVIL, title=name)
    workspace.change(data=workspace.tables.take(path))
    state = opened(workspace)
    yield browser(state), policy
    state.close()


def test_nothing_in_a_table_becomes_part_of_a_page(evil_room):
    room, policy = evil_room
    desk = studio(room).desk
    values = {name: str(desk.table.X[name].iloc[0]) for name in desk.table.X}
    asked(room, "/policy/cases/keep", text=policy, values=values, name=EVIL, expected=EVIL, why=IMAGE)
    answers = [room.get(path) for path in ("/data", "/policy", "/edit", "/result", "/history")]
    answers += [
        asked(room, "/policy/pulse", text=policy, cursor=0, page="p", number=1, view="map"),
        asked(
            room, "/policy/pulse", text=f"{policy}\n{EVIL}: IF {IMAGE} < 3", cursor=0, page="p", number=2, view="cases"
        ),
        asked(room, "/policy/trial", text=policy, **{"from": "row", "place": 0}),
        asked(room, "/policy/tried", text=policy, values=values),
        asked(room, "/policy/rows", text=policy, rule=0),
        asked(room, "/policy/cases", text=policy),
        asked(room, "/policy/ways", text=policy),
        asked(room, "/policy/rows", text=policy, rule=77),
    ]
    for answer in answers:
        assert answer.status_code in (200, 422), answer.text
        assert "<script>alert" not in answer.text
        assert "<img" not in answer.text
        assert "<b>evil" not in answer.text
    assert "&lt;script&gt;alert" in answers[1].text
