"""Folders verified without their data: honest ones hold, and of changed ones it is said what was changed."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from dataclasses import replace

import pytest
from tests.edits.tampering import CHANGES, NOBODY, ROOT, as_table, independent, read, write

from frote.edits import running
from frote.edits.record import read_record, root_of
from frote.edits.replaying import replay
from frote.edits.run_options import RunOptions
from frote.edits.running import run
from frote.edits.verifying import held, verify
from frote.exceptions import RecordError
from frote.rules.written import WrittenRules

PAGE = ROOT / "docs" / "guide" / "verify_an_edit.md"
CASES = "age,defaults,name,expected\n20,0,a student,approved\n50,4,a debtor,denied\n"


@pytest.fixture(scope="module")
def asked(order):
    """An edit with all that a folder can hold."""
    return replace(order, settings={"max_fits": 4, "twins": 1.0}, cases=CASES)


@pytest.fixture(scope="module")
def made(asked, tables, tmp_path_factory):
    """A folder with that edit, `whole`, and one of other rules on the same data, `another`."""
    folder = tmp_path_factory.mktemp("made")
    other = replace(asked, rules=WrittenRules("rich: IF income > 60K AND age < 40 THEN approved\n"))
    for name, one in (("whole", asked), ("another", other)):
        (folder / name).mkdir()
        run(one, *tables, folder / name, RunOptions(), "")
    return folder


@pytest.fixture
def folder(made, tmp_path):
    """A copy of `whole`, to be changed; `another` stands beside it."""
    shutil.copytree(made / "another", tmp_path / "another")
    return shutil.copytree(made / "whole", tmp_path / "whole")


@pytest.fixture
def made_again(made, monkeypatch):
    """Replays make the edit that their record asks for, which was made before."""

    def again(order, table, test_table, folder, options, repeat):
        name = "whole" if "young" in order.rules.text else "another"
        shutil.copytree(made / name, folder, dirs_exist_ok=True)
        return read(folder)

    monkeypatch.setattr(running, "run", again)


def named(lines, folder):
    """Return the files that lines begin with, each once; what is said of no file is said of the record."""
    names = [line.partition(": ")[0] for line in lines]
    own = {*read(folder)["files"], "edit.json"} if folder.exists() else ()
    return list(dict.fromkeys(name if name in own else "edit.json" for name in names))


def told_by_verify(folder):
    """Return what verify says of a folder, file by file; in brackets what it can no longer tell of one."""
    checks = verify(folder).checks
    failed = [check.part for check in checks if check.state == "fails"]
    doubted = [
        f"({check.part})" for check in checks if check.state == "open" and check.part not in ("loans.csv", "later.csv")
    ]
    return list(dict.fromkeys([*failed, *(one for one in doubted if one.strip("()") not in failed)]))


def told_by_replay(folder, tables):
    path = folder / "edit.json"
    return named(replay(read_record(path), path, *(table.path for table in tables), RunOptions()), folder)


def test_an_honest_folder_holds(made, tables):
    for name in ("whole", "another"):
        verification = verify(made / name)
        assert verification.holds, str(verification)
        assert independent()(made / name) == ([], [])
    assert {check.part for check in verification.checks if check.state == "open"} == {"loans.csv", "later.csv"}
    path = made / "whole" / "edit.json"
    assert verify(path) == verify(made / "whole")
    assert replay(read_record(path), path, *(table.path for table in tables), RunOptions()) == []


def told_independently(folder):
    failed, unchecked = independent()(folder)
    parts = {"data": "augmented.csv", "ledger": "ledger.csv", "data, ledger, rules or report cannot be read": None}
    names = [parts.get(line.partition(": ")[0].partition(" (")[0], line.partition(": ")[0]) for line in failed]
    assert not unchecked
    return list(dict.fromkeys(filter(None, names)))


def signed_otherwise(folder, made):
    """Return the record if a signature of it no longer holds."""
    same = (folder / "edit.json").read_bytes() == (made / "whole" / "edit.json").read_bytes()
    return [] if same else ["edit.json"]


# What nobody but a signature sees, and what only replay does: all else is seen by verify.
UNSEEN = {"nothing", "the times in the record", "all of another edit"}
ONLY_REPLAY = {
    f"{change}; digests and root adapted"
    for change in ("the two models exchanged", "the model of another edit", "one byte of the steps kept")
}
DOUBTED = {"one cell of a row that was kept; digests and root adapted"}


def test_every_change_is_seen_and_the_page_says_by_whom(made, tables, made_again, tmp_path):
    seen = {}
    for number, (change, make) in enumerate(CHANGES.items()):
        shutil.copytree(made, tmp_path / str(number))
        folder = tmp_path / str(number) / "whole"
        make(folder)
        by_verify, by_replay = told_by_verify(folder), told_by_replay(folder, tables)
        by_signature, alone = signed_otherwise(folder, made), told_independently(folder)
        if change in DOUBTED:
            assert by_verify == ["(augmented.csv)"]
        else:
            assert bool(by_verify) == (change not in UNSEEN | ONLY_REPLAY), change
        assert bool(by_replay) == (change not in UNSEEN | {"the name of the data; root adapted"}), change
        assert bool(by_signature) == ("record" in change or "root" in change or change == "all of another edit"), change
        if "adapted" not in change and change not in UNSEEN:
            assert alone, change
        named = [by_verify, by_signature, by_replay, alone]
        seen[change] = [", ".join(names) or NOBODY for names in named]
    table = as_table(seen)
    assert table in PAGE.read_text("utf-8"), f"The page has another table. Put this one in its place:\n\n{table}\n"


def test_what_differs_is_told_with_its_place(folder, made_again, tables):
    CHANGES["one cell of a row that was made; digests and root adapted"](folder)
    (check,) = verify(folder).failed
    assert check.what == "Every synthetic row satisfies its rule, unrelaxed."
    assert check.facts == ("line 222, synthetic for 'young', does not satisfy it",)
    path = folder / "edit.json"
    lines = replay(read_record(path), path, *(table.path for table in tables), RunOptions())
    assert lines[-1] == "augmented.csv: it differs from the one made again, first in line 222"


def test_an_exchanged_model_predicts_otherwise(folder, made_again, tables):
    CHANGES["the model of another edit"](folder)
    path = folder / "edit.json"
    assert replay(read_record(path), path, *(table.path for table in tables), RunOptions()) == [
        "model.skops: it is another model than the one made again, which predicts otherwise on the data"
    ]


def test_a_record_alone_is_replayed_as_such(made, tmp_path, made_again, tables):
    path = tmp_path / "edit.json"
    shutil.copy(made / "whole" / "edit.json", path)
    assert replay(read_record(path), path, *(table.path for table in tables), RunOptions()) == []
    assert held.HeldFolder.of(path).is_alone
    assert not verify(tmp_path).holds


@pytest.mark.parametrize("form", [1, 2, 3, 4])
def test_of_older_records_it_is_told_what_cannot_be_told(folder, form):
    record = read(folder)
    for name in ("root", *(("files",) if form == 1 else ())):
        del record[name]
    for name in ("seen", "judged", "made"):
        del record["test"][name]
    if form == 1:
        del record["asked"]["cases"]
        del record["outputs"]["before"], record["outputs"]["model"]
    write(folder, {**record, "edit": form})
    verification = verify(folder)
    assert verification.holds, str(verification)
    assert verification.form == form
    opened = {(check.part, check.what) for check in verification.checks if check.state == "open"}
    assert {("edit.json", "It is as its root says."), ("report.json", "It says what the record does.")} <= opened
    assert any(check.what == "Every synthetic row satisfies its rule, unrelaxed." for check in verification.checks)
    CHANGES["one cell of a row that was made"](folder)
    assert {check.part for check in verify(folder).failed} == {"augmented.csv"}


def hostile(folder, **changed):
    """Change a record, root and all."""
    record = {**read(folder), **changed}
    write(folder, {**record, "root": root_of(record)})


@pytest.mark.parametrize("name", ["../../outside.txt", "/etc/passwd", "steps/../../x", "a\\b", "..", "C:x", "a\0b", ""])
def test_names_that_lead_elsewhere_are_not_looked_at(folder, name, monkeypatch):
    looked = []
    monkeypatch.setattr(held, "digest_of", lambda path: looked.append(path) or "0")
    hostile(folder, files={**read(folder)["files"], name: "0"})
    facts = [fact for one in verify(folder).failed for fact in one.facts]
    assert any(fact.endswith("this is no name of a file of an edit, so it was not looked at") for fact in facts)
    assert {path.parent for path in looked} == {folder, folder / "steps"}


def test_links_are_not_followed(folder, tmp_path):
    for name in ("ledger.csv", "steps"):
        shutil.move(folder / name, tmp_path / name)
        (folder / name).symlink_to(tmp_path / name)
    facts = {check.part: check.facts for check in verify(folder).failed}
    assert facts["ledger.csv"] == ("it is a link, which is not followed",)
    assert facts["steps"][0] == "steps/batch-000001.npz: steps is a link, which is not followed"
    shutil.move(folder / "edit.json", tmp_path / "edit.json")
    (folder / "edit.json").symlink_to(tmp_path / "edit.json")
    with pytest.raises(RecordError, match=r"edit\.json is a link, which is not followed\. Give the folder"):
        verify(folder)


def test_what_is_no_file_is_told(folder):
    for name in ("model.skops", "report.html"):
        (folder / name).unlink()
    os.mkfifo(folder / "model.skops")
    (folder / "report.html").mkdir()
    facts = {
        check.part: check.facts for check in verify(folder).failed if check.what == "It is the file of the record."
    }
    assert facts == {"model.skops": ("it is no file",), "report.html": ("it is no file",)}


def test_huge_files_are_not_read(folder, monkeypatch):
    monkeypatch.setattr(held, "MOST", 200_000)
    with (folder / "model.skops").open("ab") as file:
        file.truncate(2**40)  # it takes no room
    (check,) = (one for one in verify(folder).failed if one.part == "model.skops")
    assert check.facts[0].endswith("so it was not read")


def test_thousands_of_files_are_told_in_few_lines(folder):
    more = {f"steps/{number}": "0" for number in range(20_000)}
    hostile(folder, files={**read(folder)["files"], **more})
    verification = verify(folder)
    assert not verification.holds
    assert len(str(verification)) < 8_000


def test_no_model_is_opened(folder, monkeypatch):
    class Evil:
        def __reduce__(self):
            return os.abort, ()

    monkeypatch.setattr("frote.edits.saved_models.load_model", None)
    (folder / "model.skops").write_bytes(pickle.dumps(Evil()))
    assert {check.part for check in verify(folder).failed} == {"model.skops"}


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"verdict":', '"verdict": 1, "verdict":', "'verdict' stands twice in one object"),
        ('"seed": 0', '"seed": 1e999', "'seed' must be a whole number"),
        ('"versions": {', '"versions": ' + "[" * 3000 + "{", "no record of an edit"),
    ],
)
def test_forged_records_are_refused_in_one_sentence(folder, old, new, told):
    CHANGES["nothing"](folder)
    text = (folder / "edit.json").read_text("utf-8")
    assert old in text
    (folder / "edit.json").write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(RecordError, match=told):
        verify(folder)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"rows": {"kept": "many"}}, "rows['kept'] is no whole number"),
        ({"steps": 3}, "steps is no list"),
        ({"files": {}}, "rules.rules is not listed"),
        ({"more": 1}, "it has 'more', which is unknown"),
    ],
)
def test_records_of_another_layout_do_not_hold(folder, changed, told):
    hostile(folder, **changed)
    assert any(told in check.facts for check in verify(folder).failed)


def test_a_report_of_numbers_that_cannot_be_is_told(folder):
    report = json.loads((folder / "report.json").read_text("utf-8"))
    report["result"]["measures"] = []
    (folder / "report.json").write_text(json.dumps(report), "utf-8")
    told = [check.facts[0] for check in verify(folder).failed if check.part == "report.json"]
    assert any(fact.startswith("nothing can be made of the numbers of report.json: ") for fact in told)


def test_what_is_no_edit_is_told(tmp_path, made):
    with pytest.raises(RecordError, match=r"is no folder of an edit: there is no edit\.json in it\.$"):
        verify(tmp_path)
    with pytest.raises(RecordError, match=r"There are edits in it: another, whole\.$"):
        verify(made)


def test_files_of_others_are_named(folder):
    (folder / "notes.txt").write_text("mine")
    (folder / "steps" / "mine.txt").write_text("mine")
    verification = verify(folder)
    assert verification.holds
    (check,) = (one for one in verification.checks if one.what == "It is no part of the edit.")
    assert (check.part, check.state) == ("notes.txt and 1 more", "open")
