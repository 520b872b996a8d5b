"""A workspace loses nothing: not by any sequence of changes, not when killed, and what was signed never changes."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from frote.studio.errors import OvertakenError, ReadOnlyError, StudioError
from frote.studio.versions import Version
from frote.studio.workspace import BEFORE, Draft, Workspace

FIRST = "young: IF age < 29 THEN approved\n"
SIGNED = {"name": "edit-1", "record": "0" * 64}
REVIEW = {"region": "unintended 1", "words": "age is below 20", "who": "Bo", "when": "", "why": "wanted"}


def clock():
    return "2026-11-18T09:00:00Z"


@pytest.fixture
def workspace(tmp_path):
    with Workspace.open(tmp_path / "w", policy=FIRST, clock=clock) as opened:
        yield opened


def write(workspace, text):
    """Type a policy."""
    return workspace.save_policy(text, workspace.policy().digest)


def kept(workspace, text, why="because"):
    write(workspace, text)
    return workspace.keep_version("policy team", why)


# --- worked by hand ---


def test_it_begins_with_what_it_is_given(workspace):
    assert workspace.policy() == Draft.of(FIRST)
    assert (workspace.folder / "policy.rules").read_text() == FIRST
    assert (workspace.current.number, workspace.current.why, workspace.current.state) == (1, "The beginning.", "draft")
    assert (workspace.changed, workspace.can_undo, workspace.can_redo) == (False, False, False)


def test_it_begins_with_what_is_in_the_folder(tmp_path):
    (tmp_path / "policy.rules").write_text("IF age < 39 THEN no")
    (tmp_path / "cases.csv").write_text("age,expected\n30,no\n")
    with Workspace.open(tmp_path, policy=FIRST) as workspace:
        assert workspace.policy().text == "IF age < 39 THEN no"
        assert workspace.current.cases == "age,expected\n30,no\n"


def test_what_is_written_is_there_when_it_is_opened_again(tmp_path):
    with Workspace.open(tmp_path, policy=FIRST, target="decision") as workspace:
        write(workspace, "IF age < 30 THEN yes")
        workspace.save_cases("age,expected\n30,no\n", workspace.cases().digest)
        workspace.change(owner="Credit", resolve="priority", ignore=("id",))
    with Workspace.open(tmp_path) as workspace:
        assert workspace.policy().text == "IF age < 30 THEN yes"
        assert workspace.cases().text == "age,expected\n30,no\n"
        assert (workspace.settings.owner, workspace.settings.ignore) == ("Credit", ("id",))
        assert workspace.settings.target == "decision"
        assert workspace.changed


def test_two_tabs(workspace):
    base = workspace.policy().digest
    workspace.save_policy("IF age < 30 THEN yes", base)
    with pytest.raises(OvertakenError, match="changed since by another tab"):
        workspace.save_policy("IF age < 40 THEN yes", base)
    assert workspace.policy().text == "IF age < 30 THEN yes"
    workspace.replace_policy("IF age < 40 THEN yes", "Bo")
    assert workspace.policy().text == "IF age < 40 THEN yes"
    assert [version.policy for version in workspace.history.versions()] == ["IF age < 30 THEN yes", FIRST]
    with pytest.raises(OvertakenError, match="Look at it"):
        workspace.keep_version("policy team", "mine", base=base)


def test_the_same_text_saved_twice_is_no_quarrel(workspace):
    base = workspace.policy().digest
    workspace.save_policy("IF age < 30 THEN yes", base)
    assert workspace.save_policy("IF age < 30 THEN yes", base) == workspace.policy()


def test_undo_and_redo(workspace):
    one, two = kept(workspace, "IF age < 30 THEN yes"), kept(workspace, "IF age < 31 THEN yes")
    assert workspace.undo() == one
    assert workspace.policy().text == "IF age < 30 THEN yes"
    assert workspace.undo().number == 1
    with pytest.raises(StudioError, match="nothing to undo"):
        workspace.undo()
    assert (workspace.redo(), workspace.redo()) == (one, two)
    assert workspace.policy().text == "IF age < 31 THEN yes"
    with pytest.raises(StudioError, match="nothing to do again"):
        workspace.redo()


def test_undo_keeps_what_was_being_written(workspace):
    write(workspace, "IF age < 30 THEN yes")
    assert workspace.undo().policy == FIRST
    assert workspace.redo().policy == "IF age < 30 THEN yes"
    assert workspace.current.why == BEFORE


def test_a_new_version_ends_what_can_be_redone_and_loses_nothing(workspace):
    kept(workspace, "IF age < 30 THEN yes")
    workspace.undo()
    kept(workspace, "IF age < 40 THEN yes")
    assert not workspace.can_redo
    assert len(workspace.history.versions()) == 3


def test_restoring_brings_all_of_it_back(workspace):
    workspace.change(owner="Credit", effective="2027-01-31", resolve="mix")
    workspace.save_cases("age,expected\n30,no\n", workspace.cases().digest)
    one = kept(workspace, "IF age < 30 THEN yes")
    workspace.change(owner="", effective="", resolve=None)
    workspace.save_cases("", workspace.cases().digest)
    kept(workspace, "")
    assert not (workspace.folder / "cases.csv").exists()
    again = workspace.restore(one.id, who="Bo")
    assert again.says == one.says
    assert again.why == "Version 2 restored."
    assert (workspace.settings.owner, workspace.settings.resolve) == ("Credit", "mix")
    assert workspace.cases().text == "age,expected\n30,no\n"


def test_what_was_signed_stays(workspace):
    proposed = workspace.propose("policy team", "please look")
    with pytest.raises(StudioError, match="proposed already"):
        workspace.propose("policy team", "again")
    signed = workspace.sign(proposed.id, who="Bo", why="looked at", edit=SIGNED, reviews=[REVIEW])
    assert (signed.state, signed.policy, signed.parent) == ("signed", FIRST, proposed.id)
    for change in (workspace.undo, lambda: workspace.sign(signed.id, who="Bo", why="", edit=SIGNED, reviews=[])):
        with pytest.raises(StudioError, match="signed"):
            change()
    following = kept(workspace, "IF age < 30 THEN yes")
    assert (following.state, following.edit, following.reviews) == ("draft", None, [])
    assert workspace.undo() == signed
    assert workspace.history.version(signed.id) == signed


def test_what_is_being_written_is_not_signed_unseen(workspace):
    proposed = workspace.propose("policy team", "please look")
    write(workspace, "IF age < 30 THEN yes")
    with pytest.raises(OvertakenError, match="Run the edit again"):
        workspace.sign(proposed.id, who="Bo", why="", edit=SIGNED, reviews=[])


def test_nobody_changes_without_a_name(workspace):
    for change in (
        lambda: workspace.keep_version(" ", "why"),
        lambda: workspace.restore(workspace.current.id, who=""),
        lambda: workspace.propose("", ""),
    ):
        with pytest.raises(StudioError, match="Say who you are"):
            change()


def test_a_second_studio_shows_and_changes_nothing(tmp_path, workspace):
    other = Workspace.open(workspace.folder)
    assert other.read_only.startswith("Another studio has this workspace open")
    for change in (
        lambda: write(other, "x"),
        lambda: other.change(who="Bo"),
        other.undo,
        lambda: other.keep_version("Bo", ""),
    ):
        with pytest.raises(ReadOnlyError, match="Another studio"):
            change()
    version = kept(workspace, "IF age < 30 THEN yes")
    workspace.change(owner="Credit")
    assert (other.current, other.settings.owner) == (version, "Credit")
    workspace.close()
    other.close()
    with Workspace.open(workspace.folder) as third:
        assert not third.read_only


# --- laws ---

TEXTS = st.sampled_from(["", FIRST, "IF age < 30 THEN yes", "# ä\r\nIF age < 31 THEN no", "IF x"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), TEXTS),
        st.tuples(st.just("replace"), TEXTS),
        st.tuples(st.just("cases"), TEXTS),
        st.tuples(st.just("owner"), st.sampled_from(["", "Credit"])),
        st.tuples(st.sampled_from(["keep", "undo", "redo", "propose", "sign", "reopen"]), st.none()),
        st.tuples(st.just("restore"), st.integers(0, 5)),
    ),
    max_size=15,
)


def perform(workspace, what, given):
    """Do one thing; what cannot be done is told and changes nothing."""
    match what:
        case "write":
            write(workspace, given)
        case "replace":
            workspace.replace_policy(given, "Bo")
        case "cases":
            workspace.save_cases(given, workspace.cases().digest)
        case "owner":
            workspace.change(owner=given)
        case "keep":
            workspace.keep_version("policy team", "")
        case "restore":
            versions = workspace.history.versions()
            workspace.restore(versions[given % len(versions)].id, who="policy team")
        case "propose":
            workspace.propose("policy team", "")
        case "sign":
            workspace.sign(workspace.current.id, who="Bo", why="", edit=SIGNED, reviews=[REVIEW])
        case _:
            getattr(workspace, what)()


def written(workspace):
    return (workspace.policy().text, workspace.cases().text, workspace.settings.owner)


@settings(max_examples=examples(150))
@given(STEPS)
def test_no_sequence_of_changes_loses_anything(tmp_path_factory, steps):
    folder = tmp_path_factory.mktemp("w")
    workspace = Workspace.open(folder, policy=FIRST, clock=clock)
    files = {}
    for what, given_to_it in steps:
        before = written(workspace)
        if what == "reopen":
            workspace.close()
            workspace = Workspace.open(folder, clock=clock)
            assert written(workspace) == before
        else:
            try:
                perform(workspace, what, given_to_it)
            except StudioError:
                assert written(workspace) == before
        if what not in ("write", "cases", "owner"):  # whoever types takes the place of what was typed before
            said = {(one.policy, one.cases, one.owner) for one in workspace.history.versions()}
            assert before in {written(workspace), *said}
        now = {path.name: path.read_bytes() for path in (folder / "history").iterdir() if path.name != "head.json"}
        assert {name: now[name] for name in files} == files  # signed or not, no version ever changes or goes
        files = now
    assert all(Version.of(content).id == name.removesuffix(".json") for name, content in files.items())
    workspace.close()


@settings(max_examples=examples(100))
@given(STEPS)
def test_undoing_all_and_doing_it_again_is_nothing(tmp_path_factory, steps):
    folder = tmp_path_factory.mktemp("w")
    with Workspace.open(folder, policy=FIRST, clock=clock) as workspace:
        for what, given_to_it in steps:
            if what not in ("reopen", "undo", "redo"):
                with suppress(StudioError):
                    perform(workspace, what, given_to_it)
        before, count = written(workspace), 0
        while workspace.can_undo:
            workspace.undo()
            count += 1
        for _ in range(count):
            workspace.redo()
        assert written(workspace) == before
        assert not workspace.changed


# --- killed, full disks ---


class Killed(BaseException):
    """What a test raises in place of a signal."""


def counted_calls(monkeypatch, stop, error):
    """Let the writing of a file fail at some call, before or after it is put in place."""
    real, calls = os.replace, [0]

    def replace(source, target):
        calls[0] += 1
        if calls[0] == stop:
            raise error
        real(source, target)
        if calls[0] == -stop:
            raise error

    monkeypatch.setattr(Path, "replace", lambda self, target: replace(self, target))
    return calls


CHANGES = {
    "keep": lambda workspace: workspace.keep_version("policy team", ""),
    "undo": lambda workspace: workspace.undo(),
    "restore": lambda workspace: workspace.restore(workspace.history.versions()[-1].id, who="policy team"),
    "propose": lambda workspace: workspace.propose("policy team", ""),
}


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("stop", [number for n in range(1, 9) for number in (n, -n)])
def test_killed_at_every_file_it_is_whole_when_opened_again(tmp_path, monkeypatch, what, stop):
    workspace = Workspace.open(tmp_path, policy=FIRST, clock=clock)
    kept(workspace, "IF age < 30 THEN yes")
    write(workspace, "IF age < 31 THEN yes")
    workspace.save_cases("age,expected\n", workspace.cases().digest)
    before = written(workspace)
    with monkeypatch.context() as patch:
        counted_calls(patch, stop, Killed())
        with suppress(Killed):
            CHANGES[what](workspace)
        after = (workspace._head.current, before)
    workspace.close()  # as the system does for whoever is killed
    with Workspace.open(tmp_path, clock=clock) as again:
        said = {(one.policy, one.cases, one.owner) for one in again.history.versions()}
        assert before in {written(again), *said}
        assert not again.changed or written(again) == before
        assert after[0] in {version.id for version in again.history.versions()}


@pytest.mark.parametrize("stop", range(1, 6))
def test_on_a_full_disk_nothing_is_lost_and_it_is_told(tmp_path, monkeypatch, stop):
    workspace = Workspace.open(tmp_path, policy=FIRST, clock=clock)
    write(workspace, "IF age < 31 THEN yes")
    with monkeypatch.context() as patch:
        counted_calls(patch, stop, OSError(28, "No space left on device"))
        told = None
        try:
            workspace.keep_version("policy team", "")
        except StudioError as error:
            told = str(error)
    assert workspace.current.number == (1 if told else 2)
    assert not told or "No space left on device. What was there before is there still." in told
    assert workspace.policy().text == "IF age < 31 THEN yes"
    assert workspace.keep_version("policy team", "").policy == "IF age < 31 THEN yes"
    workspace.close()
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".") and path.is_file()]


# --- hostile and damaged ---


def refused(folder, text):
    with pytest.raises(StudioError) as caught:
        Workspace.open(folder)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_are_damaged_are_told_in_a_sentence(tmp_path, workspace):
    folder = workspace.folder
    workspace.close()
    head, version = folder / "history/head.json", folder / f"history/{workspace.current.id}.json"
    for path, content, text in (
        (folder / "studio.json", b"{", "studio.json of the workspace is damaged"),
        (folder / "studio.json", b"[" * 100_000, "studio.json of the workspace is damaged"),
        (folder / "studio.json", b'{"studio": 2}', "another release"),
        (folder / "studio.json", b'{"studio": 1, "who": 5}', "'who' must be a text"),
        (folder / "studio.json", b'{"studio": 1, "ignore": "id"}', "'ignore' must be a list of texts"),
        (folder / "studio.json", b'{"studio": 1, "seed": -1}', "'seed' must be a whole number"),
        (folder / "studio.json", b'{"studio": 1, "resolve": "coin"}', "'resolve' must be one of"),
        (
            head,
            b'{"current": "../../etc/passwd", "undone": [], "settled": true}',
            "head.json of the workspace is damaged",
        ),
        (head, b'{"current": "%s", "undone": [], "settled": true}' % (b"0" * 64), "There is no version '00000000'"),
        (version, version.read_bytes().replace(b"29", b"28"), "was changed since it was written"),
        (version, b"", "cannot be used. It is no version"),
    ):
        whole = path.read_bytes()
        path.write_bytes(content)
        refused(folder, text)
        path.write_bytes(whole)
    Workspace.open(folder).close()


def test_a_policy_that_is_no_text_is_told(workspace):
    (workspace.folder / "policy.rules").write_bytes(b"\xff\xfe")
    with pytest.raises(StudioError, match=r"policy\.rules of the workspace is not UTF-8 text"):
        workspace.policy()
    (workspace.folder / "policy.rules").unlink()
    assert workspace.policy().text == FIRST
    os.mkfifo(workspace.folder / "policy.rules")
    with pytest.raises(StudioError, match="is a pipe or a device"):
        workspace.policy()


def read_all(folder):
    workspace = Workspace.open(folder)
    return written(workspace)


@pytest.mark.parametrize("name", ["policy.rules", "cases.csv", "studio.json", "history", "history/head.json"])
def test_no_link_is_followed(tmp_path, name):
    folder, outside = tmp_path / "w", tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("theirs")
    Workspace.open(folder).close()
    path = folder / name
    if path.is_dir():
        path.rename(tmp_path / "moved")
        path.symlink_to(outside)
    else:
        path.unlink(missing_ok=True)
        path.symlink_to(outside / "file")
    with pytest.raises(StudioError, match="is a link, which is not followed"):
        read_all(folder)
    assert [(one.name, one.read_text()) for one in outside.iterdir()] == [("file", "theirs")]


@pytest.mark.parametrize(
    "name", ["../secret", "/etc/passwd", "a/../../b", "a//b", "", ".", "a\\..\\b", "a\0b", "a\nb", "x" * 2000]
)
def test_no_name_leads_out(workspace, name):
    with pytest.raises(StudioError, match="is no name of a file in the workspace"):
        workspace.files.path(name)


def test_a_damaged_version_in_the_middle_is_named_and_left(workspace):
    kept(workspace, "IF age < 30 THEN yes")
    first = workspace.history.versions()[-1]
    path = workspace.folder / f"history/{first.id}.json"
    path.write_bytes(path.read_bytes() + b" ")
    workspace.close()
    with Workspace.open(workspace.folder) as again:
        assert [version.number for version in again.history.versions()] == [2]
        assert again.history.damaged == [path.name]
        with pytest.raises(StudioError, match="was changed since it was written"):
            again.undo()


def test_texts_beyond_measure_are_refused(workspace):
    for text, why in (("x" * (2**20 + 1), "keeps at most 1,048,576"), ("\ud800", "half a character")):
        with pytest.raises(StudioError, match=why):
            write(workspace, text)
    assert workspace.policy().text == FIRST
    with pytest.raises(StudioError, match="written 2027"):
        workspace.change(effective="soon")


# --- tables ---


def test_tables_come_in_and_stay_apart(tmp_path, workspace):
    tables = workspace.tables
    assert tables.add("loans.csv", [b"a\n", b"1\n"]) == "data/loans.csv"
    assert tables.add("../../loans.csv", [b"a\n1\n"]) == "data/loans.csv"  # the same
    assert tables.add("C:\\loans.csv", [b"a\n2\n"]) == "data/loans-2.csv"
    assert tables.add("..<b>.csv", [b"a\n"]) == "data/_b_.csv"
    outside = tmp_path / "later.csv"
    outside.write_text("a\n3\n")
    assert tables.take(outside) == "data/later.csv"
    assert tables.take(workspace.folder / "data/loans.csv") == "data/loans.csv"
    (workspace.folder / "data/link.csv").symlink_to(outside)
    assert tables.names() == ["data/_b_.csv", "data/later.csv", "data/loans-2.csv", "data/loans.csv"]
    assert tables.path("data/later.csv").read_text() == "a\n3\n"
    for name, why in (
        ("data/link.csv", "is a link"),
        ("data/gone.csv", "not in the workspace any more"),
        ("../later.csv", "no name"),
    ):
        with pytest.raises(StudioError, match=why):
            tables.path(name)


def test_an_upload_is_bounded_and_leaves_nothing_behind(workspace):
    def endless():
        while True:
            yield b"x" * 2**20

    with pytest.raises(StudioError, match="larger than 3 MB"):
        workspace.tables.add("big.csv", endless(), most=3 * 2**20)
    with pytest.raises(StudioError, match=r"'model\.pkl' is no table"):
        workspace.tables.add("model.pkl", [b""])
    assert list((workspace.folder / "data").iterdir()) == []


def test_every_file_of_it_is_plain(workspace):
    kept(workspace, "IF age < 30 THEN ä")
    for path in workspace.folder.rglob("*.json"):
        assert json.loads(path.read_text("utf-8"))
