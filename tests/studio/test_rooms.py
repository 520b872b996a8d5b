"""The rooms edit, result and history, by their addresses: what they show, refuse, keep and hand out."""

from __future__ import annotations

import io
import json
import re
import shutil
import zipfile
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from tests.in_process import invoke
from tests.studio.browser_less import PORT, Asker
from tests.studio.conftest import furnished, waited
from tests.studio.killed_studio import ASKED

from frote.command.main import main
from frote.edits.tables import read_labelled
from frote.rules.parser import parse_rules
from frote.studio.app import create_app
from frote.studio.changed_rows import ChangedRows
from frote.studio.desk import Desk
from frote.studio.finished import Finished
from frote.studio.meaning import compared
from frote.studio.rooms.result import _with_rule
from frote.studio.runs import Runs
from frote.studio.security import Keys
from frote.studio.state import State
from frote.studio.workspace import Workspace

PLAYED = "young: IF age < 40 AND defaults = 0 THEN approved\nrisky: IF defaults >= 1 AND age < 60 THEN denied\n"


@pytest.fixture(scope="module")
def played(tmp_path_factory, loans_csv):
    """A workspace with a finished edit that changes a good deal; tests copy it."""
    folder = tmp_path_factory.mktemp("played")
    with furnished(folder, loans_csv, title="<b>New</b> policy", favourable="approved") as workspace:
        workspace.save_policy(PLAYED, workspace.policy().digest)
        workspace.save_cases("name,age,defaults,expected\ncalm,25,0,approved\n", workspace.cases().digest)
        runs = Runs(workspace)
        run = waited(
            runs, runs.ask(replace(ASKED, how="data"), who="policy team", why="<script>alert(1)</script>").name
        )
        assert (run.state, run.why) == ("done", "")
        runs.close()
    return folder, run.job.name


@pytest.fixture
def studio(played, tmp_path):
    """A studio on a copy of it: its address is asked by `get` and `post`."""
    folder, name = played
    shutil.copytree(folder, tmp_path / "w")
    state = State(Workspace.open(tmp_path / "w"))
    state.runs = Runs(state.workspace, state.events.publish)
    keys = Keys(PORT)
    client = Asker(create_app(state, keys), keys)

    def post(address, status=None, **given):
        answer = client.post(address, given)
        assert status is None or answer.status_code == status, answer.text
        return answer

    yield SimpleNamespace(state=state, get=client.get, post=post, name=name, edit=finished(state, name))
    state.close()


def finished(state, name):
    return Finished(state.workspace, state.runs.run(name).job)


def text(answer, status=200):
    assert answer.status_code == status, answer.text
    return re.sub(r"\s+", " ", answer.text)


def review_all(studio, who="Bo"):
    for item in studio.edit.open_items:
        studio.post("/result/review", 200, run=studio.name, item=item.key, who=who, why="wanted")


# --- edit ---


def test_the_room_shows_the_latest_edit_and_all_that_is_asked(studio):
    shown = text(studio.get("/edit"))
    assert studio.name in shown
    assert "Agreement with the rules" in shown
    assert "&lt;script&gt;alert(1)" in shown
    assert "<script>alert" not in shown
    assert 'style="' not in shown
    assert "2 rules ·" in shown
    assert "risky" in shown


def test_an_edit_is_asked_for_run_and_cancelled(studio):
    digest = studio.state.workspace.policy().digest
    answer = studio.post("/edit/run", 204, how="data", most_fits="3", base=digest, resolve="priority", why="again")
    name = re.fullmatch(r"/edit\?run=([0-9a-z-]+)#run", answer.headers["x-go-to"])[1]
    assert studio.state.workspace.settings.resolve == "priority"
    other = studio.post("/edit/run", 204, how="anchored", most_loss="0.1").headers["x-go-to"]
    waiting = re.search(r"run=([0-9a-z-]+)", other)[1]
    studio.post("/edit/cancel", 200, run=waiting)
    assert "cancelled" in text(studio.get(f"/edit/progress?run={waiting}"))
    waited(studio.state.runs, name)
    assert "See what came of it" in text(studio.get(f"/edit/progress?run={name}"))


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"most_loss": "little"}, "The most loss outside is a number such as 0.02"),
        ({"how": "magic"}, "how is one of"),
        ({"base": "0" * 64}, "changed since by another tab"),
    ],
)
def test_what_cannot_be_asked_for_is_told(studio, given, why):
    before = studio.state.runs.names()
    assert why in text(studio.post("/edit/run", **given), 409 if "base" in given else 422)
    assert studio.state.runs.names() == before


def test_a_policy_that_cannot_be_used_is_told_in_the_room(studio):
    studio.state.workspace.save_policy("IF age << 2", studio.state.workspace.policy().digest)
    shown = text(studio.get("/edit"))
    assert "The policy cannot be used yet" in shown
    assert "Mend it in the policy room" in shown
    studio.state.workspace.save_policy("", studio.state.workspace.policy().digest)
    assert "has no rule yet" in text(studio.get("/edit"))
    studio.state.workspace.change(data="")
    assert "There is no table" in text(studio.get("/edit"))


def test_strange_addresses_of_edits_are_told(studio):
    for address in ("/edit?run=../../x", "/edit?run=nobody&point=x"):
        assert studio.name in text(studio.get(address))
    for address in ("/result?run=../../x", "/result/report?run=%2e%2e", "/result/rows?run=x&item=y"):
        answer = studio.get(address, headers={"sec-fetch-dest": "document"})
        assert "not there" in answer.text or "There is no edit" in answer.text
    assert "There is no such thing" in text(studio.post("/edit/explode", run=studio.name), 422)


def test_an_empty_workspace_has_empty_rooms(tmp_path):
    state = State(Workspace.open(tmp_path))
    state.runs = Runs(state.workspace)
    keys = Keys(PORT)
    client = Asker(create_app(state, keys), keys)
    assert "No edit yet" in client.get("/edit").text
    assert "Nothing to review yet" in client.get("/result").text
    assert "The beginning." in client.get("/history").text
    state.close()


# --- result ---


def test_the_result_shows_every_change_once(studio):
    shown = text(studio.get("/result"))
    items = studio.edit.items
    assert shown.count("<article") == len(items)
    assert {item.part for item in items} >= {"intended", "unintended"}
    assert "<b>New</b>" not in shown
    changed = {(one["part"], one["before"], one["after"]) for one in studio.edit.report["moved"]["changes"]}
    told = {(item.part, item.before, item.after) for item in items}
    assert changed <= told  # also what the rules want, where no short rule tells where
    assert sum(item.changed for item in items) >= studio.edit.report["moved"]["changed"]


def test_what_no_region_tells_is_to_be_reviewed_too(studio):
    """Also where the report leaves regions out: whatever is not shown is looked at as the rest."""
    report = json.loads(json.dumps(studio.edit.report))
    for change in report["moved"]["changes"]:
        change["regions"], change["explained"] = 100, 1.0
    report["moved"]["regions"] = []
    vars(studio.edit)["report"] = report
    rest = [item for item in studio.edit.items if item.to_review]
    asked = [one for one in report["moved"]["changes"] if one["part"] != "intended"]
    assert asked
    assert len(rest) == len(asked)
    assert all(item.changed > 0 and not item.rule for item in rest)


def test_signing_is_refused_until_everything_is_reviewed(studio):
    items = [item for item in studio.edit.items if item.to_review]
    assert "of the changes that the rules do not ask for" in text(studio.get("/result"))
    for number, item in enumerate(items):
        answer = text(studio.post("/result/sign", run=studio.name, who="Bo"), 422)
        assert f"{len(items) - number:,} of the changes" in answer
        assert "Say in a word why" in text(studio.post("/result/review", run=studio.name, item=item.key, why=" "), 422)
        studio.post("/result/review", 200, run=studio.name, item=item.key, who="Bo", why="<i>wanted</i>")
    studio.post("/result/review", 200, run=studio.name, item=items[0].key, open="1")
    assert "1 of the changes" in text(studio.post("/result/sign", run=studio.name, who="Bo"), 422)
    studio.post("/result/review", 200, run=studio.name, item=items[0].key, who="Bo", why="wanted")
    studio.post("/result/sign", 204, run=studio.name, who="Bo", why="Approved")
    version = studio.state.workspace.current
    assert (version.state, version.who, len(version.reviews)) == ("signed", "Bo", len(items))
    assert version.edit == studio.edit.signature
    shown = text(studio.get("/result"))
    assert "Signed" in shown
    assert "<i>wanted" not in shown
    assert "signed already" in text(studio.post("/result/sign", run=studio.name, who="Bo"), 422)
    assert "Signed with" in text(studio.get("/history"))


def test_a_policy_that_was_changed_since_is_not_signed(studio):
    review_all(studio)
    workspace = studio.state.workspace
    workspace.save_policy("young: IF age < 30 THEN approved", workspace.policy().digest)
    assert "changed since version" in text(studio.post("/result/sign", run=studio.name, who="Bo"), 422)
    workspace.undo()
    studio.post("/result/propose", 204, run=studio.name, who="policy team", why="please")
    assert workspace.current.state == "proposed"
    studio.post("/result/sign", 204, run=studio.name, who="Bo")
    assert workspace.current.state == "signed"


@pytest.mark.parametrize("name", ["model.skops", "rules.rules", "ledger.csv"])
def test_a_folder_that_was_touched_is_not_signed(studio, name):
    review_all(studio)
    path = studio.edit.folder / name
    path.write_bytes(path.read_bytes() + b" ")
    assert f"{name} of the edit" in text(studio.post("/result/sign", run=studio.name, who="Bo"), 422)
    assert studio.state.workspace.current.state == "draft"


def test_what_was_touched_or_is_gone_is_told(studio):
    path = studio.edit.folder / "report.json"
    content = path.read_bytes()
    for change in (lambda: path.write_bytes(content.replace(b"intended", b"wanted  ")), path.unlink):
        change()
        assert "is gone or was changed since it was written" in text(studio.get("/result"))
        assert "is gone or was changed" in text(studio.get("/edit"))
    path.write_bytes(content)
    (studio.edit.folder / "edit.json").write_text("{}")
    assert "cannot be shown" in text(studio.get("/result"))
    shutil.rmtree(studio.edit.folder)
    assert "cannot be read" in text(studio.get("/result"))


def test_reviews_that_someone_made_up_are_told_or_left_out(studio):
    place = studio.state.workspace.folder / "reviews" / f"{studio.name}.json"
    item = next(item for item in studio.edit.items if item.to_review)
    told = {"region": "x", "words": "x", "who": "x", "when": "x", "why": "x"}
    place.parent.mkdir()
    for plain in ({"record": "0" * 64, "items": {item.key: told}}, {"record": "0" * 64, "items": {"strange": told}}):
        place.write_text(json.dumps(plain))
        assert item in studio.edit.open_items
    for content in ("{", "[]", '{"record": 1, "items": {"' + item.key + '": 3}}', "[" * 100_000):
        place.write_text(content)
        assert "is damaged. Move it away" in text(studio.get("/result"))


def test_a_region_becomes_a_rule_that_keeps_what_was_said(studio):
    item = next((item for item in studio.edit.items if item.rule), None)
    assert item is not None
    outside = replace(item, part="unintended")
    vars(studio.edit)["items"] = [outside]
    if item.part == "unintended":
        assert studio.post("/result/to-policy", 204, run=studio.name, item=item.key).headers["x-go-to"] == "/policy"
    else:
        assert "Only a region outside" in text(studio.post("/result/to-policy", run=studio.name, item=item.key), 422)
    for policy in (PLAYED, "", PLAYED.rstrip("\n")):
        once = _with_rule(policy, outside, "0001")
        again = parse_rules(_with_rule(once, outside, "0001"))
        assert [rule.name for rule in again][-2:] == ["keep 1", "keep 2"]
        kept, region = again[-1], parse_rules(item.rule)[0]
        assert kept.clause == region.clause
        assert str(kept.outcome) == str(item.before)
        assert once.startswith(policy)


def test_the_rows_of_a_change_are_those_that_changed(studio):
    shown = ChangedRows(most=3)
    edit = studio.edit
    counts = {item.key: shown.of(edit, item) for item in edit.items}
    for item in edit.items:
        found = counts[item.key]
        assert found["count"] == item.changed
        assert len(found["rows"]) == min(found["count"], 3)
        assert set(found["columns"][: found["named"]]) <= set(edit.report["moved"]["regions"][0]) | set(
            found["columns"]
        )
    answer = text(studio.get(f"/result/rows?run={studio.name}&item={edit.items[0].key}"))
    assert "All of them went from" in answer
    assert "There is no such region" in text(studio.get(f"/result/rows?run={studio.name}&item=x"), 422)
    studio.state.workspace.change(data="x")
    (studio.state.workspace.folder / edit.job.data).unlink()
    other = studio.edit.items[-1]
    studio.state.changed_rows = ChangedRows()
    answer = studio.get(f"/result/rows?run={studio.name}&item={other.key}", headers={"x-part": "1"})
    assert "not in the workspace any more" in answer.text


def test_the_folder_is_handed_out_whole_and_file_by_file(studio, tmp_path, monkeypatch, played):
    review_all(studio)
    studio.post("/result/sign", 204, run=studio.name, who="Bo")
    answer = studio.get(f"/result/folder?run={studio.name}")
    assert answer.headers["content-disposition"] == f'attachment; filename="{studio.name}.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        archive.extractall(tmp_path / "taken")
    folder = tmp_path / "taken" / studio.name
    there = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    ours = studio.edit.folder
    assert there == {p.relative_to(ours).as_posix(): p.read_bytes() for p in ours.rglob("*") if p.is_file()}
    signed = (tmp_path / "taken" / "signed.json").read_bytes()
    assert signed == studio.state.workspace.current.content
    invoke(main, "replay", folder / "edit.json", "--data", studio.state.workspace.folder / "data/loans.csv")
    for name in there:
        one = studio.get("/result/file", params={"run": studio.name, "name": name})
        assert one.content == there[name]
        assert one.headers["content-disposition"].startswith("attachment")
    for name in ("../../studio.json", "/etc/passwd", "nothing", "..%2fedit.json"):
        one = studio.get("/result/file", params={"run": studio.name, "name": name}, headers={"x-part": "1"})
        assert "There is no such file" in text(one, 422)


def test_the_rules_over_the_model_before_are_handed_out(studio, tmp_path):
    edit, data = studio.edit, studio.state.workspace.folder / "data/loans.csv"
    answer = studio.get(f"/result/override?run={studio.name}")
    assert answer.headers["content-disposition"].startswith(f'attachment; filename="{studio.name}-override.csv"')
    out = tmp_path / "override.csv"
    before, rules = edit.folder / "before.skops", edit.folder / "rules.rules"
    given = ("--data", data, "--rules", rules, "--load", before, "--target", "decision", "--out", out)
    invoke(main, "overlay", *given)
    assert answer.content == out.read_bytes()


@pytest.fixture
def asked(studio):
    """The same with the table open and its model trained."""
    state, settings = studio.state, studio.state.workspace.settings
    state.desk = Desk.of(state.workspace.tables.path(settings.data), settings.columns, "logistic")
    state.desk.train(state.workspace.tables.path(settings.data), settings.columns, {}, settings.seed)
    return studio


def test_each_way_is_foretold_by_itself_and_an_override_is_made(asked, tmp_path):
    policy, workspace = asked.state.workspace.policy(), asked.state.workspace
    table = asked.state.desk.table
    for how, words in (
        ("switches", "hardly any changes; the run measures it"),
        ("anchored", "none changes"),
        ("auto", "anchored is taken if"),
        ("override", "Nothing is trained"),
    ):
        shown = text(asked.post("/edit/preview", how=how, resolve="priority"))
        assert words in shown
        assert "relabelled" not in shown
        assert ("5 more follow at most" in shown) is (how != "override")
    made = text(asked.post("/edit/run", how="override", resolve="priority", base=policy.digest, why="by rules"))
    name = re.search(r"/edit/override\?name=([^\"]+)", made)[1]
    answer = asked.get(f"/edit/override?name={name}")
    predicted = pd.read_csv(io.BytesIO(answer.content))
    before = asked.edit.folder / "before.skops"
    out = tmp_path / "override.csv"
    given = (
        "--data",
        table.path,
        "--rules",
        workspace.folder / "policy.rules",
        "--load",
        before,
        "--resolve",
        "priority",
    )
    invoke(main, "overlay", *given, "--target", "decision", "--out", out)
    assert answer.content == out.read_bytes()
    by_rule = predicted["rule"].value_counts()
    for rule, rows in by_rule.items():
        assert f'<th scope="row">{rule}</th><td class="num">{rows}</td>' in made
    assert f"<b>{predicted['rule'].isna().sum()} rows</b> belong to no rule" in made
    assert asked.state.runs.names() == [asked.name]  # it is no edit
    assert "There is no such file" in text(
        asked.get("/edit/override?name=../studio.json", headers={"x-part": "1"}), 422
    )


def test_what_is_told_names_no_option_of_the_command_line(asked):
    workspace = asked.state.workspace
    workspace.save_policy("a: IF age < 40 THEN approved\nb: IF age < 30 THEN denied\n", workspace.policy().digest)
    workspace.change(resolve=None)
    told = text(asked.post("/edit/preview", how="override"), 422)
    assert "one of the ways out on the map of the policy room" in told
    names = pd.DataFrame({"name": [f"n{i} {i}" for i in range(200)], "size": [f"{i} m" for i in range(200)]})
    names.assign(y=["a", "b"] * 100).to_csv(workspace.folder / "data" / "names.csv", index=False)
    workspace.change(data="data/names.csv", target="y")
    asked.state._open(asked.state._number)
    notices = asked.state.desk.notices
    assert any("leave it out, in the data room" in notice for notice in notices)
    assert not [notice for notice in notices if " --" in notice]


def test_the_report_is_shown_in_a_frame_that_can_do_nothing(studio):
    answer = studio.get(f"/result/report?run={studio.name}")
    policy = answer.headers["content-security-policy"]
    assert "sandbox" in policy
    assert "script-src" not in policy
    assert "default-src 'none'" in policy
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
    assert answer.content == (studio.edit.folder / "report.html").read_bytes()
    assert "frame-src 'self'" in studio.get("/result").headers["content-security-policy"]


# --- history ---


def test_back_and_forth(studio):
    workspace = studio.state.workspace
    workspace.save_policy("young: IF age < 30 THEN approved", workspace.policy().digest)
    shown = text(
        studio.post(
            "/history/keep", 200, who="policy team", why="<b>Younger</b>", owner="Credit", effective="2027-01-31"
        )
    )
    assert "&lt;b&gt;Younger" in shown
    assert "31 January 2027" in shown
    number = workspace.current.number
    studio.post("/history/undo", 200)
    assert workspace.policy().text == PLAYED
    studio.post("/history/redo", 200)
    assert workspace.current.number == number
    first = workspace.history.versions()[-1]
    studio.post("/history/restore", 200, id=first.id, who="policy team")
    assert workspace.current.says == first.says
    studio.post("/history/propose", 200, who="policy team", why="please")
    assert workspace.current.state == "proposed"
    for address, given in (
        ("/history/restore", {"id": "../x"}),
        ("/history/restore", {"id": "0" * 64}),
        ("/history/keep", {"effective": "soon"}),
        ("/history/who", {"who": " "}),
    ):
        assert studio.post(address, **given).status_code == 422


def test_two_tabs_are_told(studio):
    workspace = studio.state.workspace
    base = workspace.policy().digest
    workspace.save_policy("young: IF age < 30 THEN approved", base)
    assert "another tab" in text(studio.post("/history/keep", base=base, who="Bo", why="mine"), 409)


def test_versions_are_compared_in_meaning(studio):
    workspace = studio.state.workspace
    one = workspace.current
    workspace.save_policy(PLAYED.replace("age < 40", "age < 30"), workspace.policy().digest)
    shown = text(studio.get(f"/history?one={one.id}&other=now"))
    assert "no longer covered" in shown
    assert "age is at least 30 and below 40" in shown
    assert "<del>" in shown
    two = workspace.keep_version("policy team", "x")
    assert "no longer covered" in text(studio.get(f"/history?one={two.id}&other={one.id}"))
    workspace.save_policy("IF", workspace.policy().digest)
    assert "What they mean cannot be compared" in text(studio.get(f"/history?one={one.id}&other=now"))
    answer = studio.get(f"/history?one={one.id}", headers={"x-part": "1"})
    assert "Choose two versions" in text(answer, 422)


def test_the_difference_counts_rows_where_a_table_lies_open(workspace):
    table = read_labelled(workspace.tables.path(workspace.settings.data), workspace.settings.columns)
    one = workspace.current
    workspace.save_policy(one.policy.replace("age < 29", "age < 35"), workspace.policy().digest)
    workspace.change(owner="Credit")
    told = compared(one, workspace.written("", ""), table)
    ages = table.X["age"].between(29, 34) & (table.X["defaults"] == 0)
    assert sum(region["rows"] for region in told["meaning"]["regions"]) == int(ages.sum()) > 0
    assert told["facts"] == [("Owner", "none", "Credit")]


def test_who_is_remembered(studio):
    studio.post("/history/who", 204, who="model risk")
    assert studio.state.workspace.settings.who == "model risk"
    assert "model risk" in text(studio.get("/history"))


def test_a_damaged_version_is_told(studio):
    workspace = studio.state.workspace
    first = workspace.history.versions()[-1]
    (workspace.folder / f"history/{first.id}.json").write_text("{}")
    workspace.history._known.clear()
    assert "1 file of the history was changed or damaged" in text(studio.get("/history"))


def test_a_second_studio_shows_and_changes_nothing(studio):
    other = State(Workspace.open(studio.state.workspace.folder))
    other.runs = Runs(other.workspace)
    keys = Keys(PORT)
    client = Asker(create_app(other, keys), keys)
    for room in ("edit", "result", "history"):
        assert "Another studio has this workspace open" in client.get(f"/{room}").text
    for address in ("/history/undo", "/history/keep", "/edit/run", "/edit/cancel", "/result/sign", "/result/to-policy"):
        given = {"run": studio.name, "who": "Bo", "why": "x", "item": studio.edit.items[0].key}
        assert client.post(address, given).status_code == 422
    other.close()


def test_an_edit_that_is_not_finished_is_not_signed(studio):
    job = replace(studio.edit.job, name="0009-x")
    studio.state.workspace.files.write(job.place, job.content)
    for address in ("/result/sign", "/result/review", "/result/to-policy"):
        assert "is not finished" in text(studio.post(address, run=job.name, who="Bo", why="x"), 422)
