"""Results are whole or not there; nobody's files are deleted; one command at a time."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.edits.killed_folders import write_record

from frote.edits import folder, lock
from frote.edits.folder import Place, new_file, put_back
from frote.exceptions import FileError

ROOT = Path(__file__).parents[2]


def an_edit(folder, **files):
    """Make a folder as an edit would."""
    folder.mkdir(parents=True)
    for name, content in {"ledger.csv": "old", **files}.items():
        (folder / name).write_text(content)
    write_record(folder)
    return folder


def refused(text, place, **given):
    """Try to take a place and hold the sentence against a text; what is there stays as it was."""
    before = {path: path.read_bytes() for path in place.folder.rglob("*") if path.is_file()}
    with pytest.raises(FileError) as caught, place.taken(**given):
        pass
    assert str(caught.value) == text, str(caught.value)
    assert {path: path.read_bytes() for path in place.folder.rglob("*") if path.is_file()} == before
    assert not place.work.exists() or place.begun


# --- whole or not there ---


def test_results_are_put_in_place_at_the_end(tmp_path):
    place = Place(tmp_path / "deep" / "out")
    with place.taken() as begun:
        assert not begun
        (place.made / "a.txt").write_text("a")
        assert not place.folder.exists()
        place.finish()
    assert [path.name for path in place.folder.parent.iterdir()] == ["out"]
    assert (place.folder / "a.txt").read_text() == "a"


def test_a_folder_that_is_there_is_kept_unless_forced(tmp_path):
    out = an_edit(tmp_path / "out")
    refused(f"{out} is there already. Name another folder, or replace it with force=True.", Place(out))
    place = Place(out, force=True)
    with place.taken():
        assert (out / "ledger.csv").exists()  # until the new one is whole
        (place.made / "new.txt").write_text("new")
        place.finish()
    assert [path.name for path in out.iterdir()] == ["new.txt"]
    assert list(tmp_path.iterdir()) == [out]


def test_what_a_killed_run_left_is_used_only_to_go_on(tmp_path):
    place, forced = Place(tmp_path / "out"), Place(tmp_path / "out", force=True)
    with place.taken():
        place.checkpoint.mkdir()
    with place.taken(resume=True) as begun:
        assert not begun  # it came to no step
        (place.checkpoint / "run.json").write_text("steps")
        (place.made / "half.txt").write_text("half")
    with place.taken(resume=True) as begun:
        assert begun
        assert not list(place.made.iterdir())
    told = f"An edit of {place.folder} was cut off. Add --resume to go on, or --force to begin anew."
    refused(told, place)
    with place.taken(resume=True):
        assert place.keep()
    assert [path.name for path in place.work.iterdir()] == ["checkpoint"]
    with forced.taken() as begun:
        assert not begun
        assert not place.keep()
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="out cannot be written: Not a directory"), Place(tmp_path / "file/out").taken():
        pass


@pytest.mark.parametrize("name", [".", "..", "below/.."])
def test_the_current_folder_is_no_folder_to_make(tmp_path, monkeypatch, name):
    (tmp_path / "here/below").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here")
    refused(f"{Path(name)} cannot be made anew. Name a folder in it.", Place(Path(name), force=True))


def test_a_link_stays_a_link(tmp_path):
    real, link = an_edit(tmp_path / "real"), tmp_path / "link"
    link.symlink_to(real)
    place = Place(link, force=True)
    with place.taken():
        (place.made / "new.txt").write_text("new")
        place.finish()
    assert link.is_symlink()
    assert (real / "new.txt").read_text() == "new"
    assert sorted(tmp_path.iterdir()) == [link, real]


# --- killed ---


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.parametrize("how", ["exchange", "renames"])
def test_killed_at_every_call_of_the_system(tmp_path, how):
    command = [sys.executable, "-m", "tests.edits.killed_folders", str(tmp_path), how]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) > 20
    assert {tuple(line["found"]) for line in lines} == {("old",), ("new",)}
    assert all(line["then"] == ["newest"] and line["left"] == ["out"] for line in lines)


def test_what_two_renames_left_is_put_back_by_the_next_command(tmp_path, monkeypatch):
    out = an_edit(tmp_path / "out")
    interrupted = Place(out, force=True)
    with interrupted.taken():
        os.replace(out, interrupted.old)
        put_back(out / "ledger.csv")  # not while another is at it
        assert not out.exists()
    put_back(out / "ledger.csv")
    assert (out / "ledger.csv").read_text() == "old"
    assert list(tmp_path.iterdir()) == [out]
    with interrupted.taken():
        os.replace(out, interrupted.old)
    with pytest.raises(FileError, match="is there already"), Place(out).taken():
        pass
    assert (out / "ledger.csv").read_text() == "old"
    assert list(tmp_path.iterdir()) == [out]


def test_a_second_rename_that_fails_undoes_the_first(tmp_path, monkeypatch):
    out = an_edit(tmp_path / "out")
    monkeypatch.setattr(folder, "_exchanged", lambda *_: False)
    one = Place(out, force=True)
    with one.taken():
        one.made.rmdir()
        with pytest.raises(OSError, match="made"):
            one.finish()
    assert (out / "ledger.csv").read_text() == "old"


# --- one at a time ---


def test_one_command_at_a_time(tmp_path):
    one, other = Place(tmp_path / "out"), Place(tmp_path / "." / "out", force=True)
    with one.taken():
        (one.made / "mine.txt").write_text("mine")
        write_record(one.made)
        with pytest.raises(FileError) as caught, other.taken():
            pass
        assert str(caught.value) == f"Another command is writing {other.folder}. Wait for its end, or name another."
        one.finish()
        with pytest.raises(FileError, match="Another command is writing"), Place(tmp_path / "out", force=True).taken():
            pass
    assert (tmp_path / "out" / "mine.txt").read_text() == "mine"


def test_nor_a_file_that_another_writes(tmp_path):
    file = tmp_path / "policy.rules"
    with new_file(file, force=False, reads=()):
        with pytest.raises(FileError, match="Another command is writing"), new_file(file, force=True, reads=()):
            pass
        file.write_text("new")
    assert list(tmp_path.iterdir()) == [file]


def test_a_lock_whose_file_is_gone_is_not_held(tmp_path):
    path = tmp_path / "lock"
    one = lock.take(path)
    assert lock.take(path) is None
    path.unlink()  # by whoever held it before, between opening and locking
    other = lock.take(path)
    assert other is not None
    lock.let_go(path, one)
    os.close(other)


def test_a_lock_that_cannot_be_removed_does_no_harm(tmp_path, monkeypatch):
    def denied(*_, **__):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", denied)
        with Place(tmp_path / "out").taken():
            pass
    with Place(tmp_path / "out").taken():
        pass
    assert not (tmp_path / ".out.frote" / "lock").exists()


def test_a_file_system_without_locks_stops_nobody(tmp_path, monkeypatch):
    def unsupported(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("fcntl.flock", unsupported)
    with Place(tmp_path / "out").taken():
        pass


# --- nobody's files ---


@pytest.mark.parametrize(
    "mine", ["letters.txt", "report.docx", "model.pt", "edit.json.bak", "edit/letters.txt", "deep/"]
)
def test_a_folder_that_holds_more_than_an_edit_is_never_replaced(tmp_path, mine):
    out = an_edit(tmp_path / "out", **{"report.html": "", "model.skops": ""})
    (out / mine).parent.mkdir(exist_ok=True)
    (out / mine).mkdir() if mine.endswith("/") else (out / mine).write_text("mine")
    refused(
        f"{out} holds more than an edit, or what was changed since, so it is not replaced: {mine.split('/')[0]}. "
        "Move it away, or name another folder.",
        Place(out, force=True),
    )


def test_nor_one_whose_files_were_changed(tmp_path):
    out = an_edit(tmp_path / "out", **{"rules.rules": "as written"})
    (out / "rules.rules").write_text("as someone mended them")
    (out / "ledger.csv").write_text("")
    with pytest.raises(FileError, match=r"not replaced: ledger\.csv, rules\.rules\. Move"), Place(out, True).taken():
        pass


def test_nor_one_without_a_record(tmp_path):
    out = an_edit(tmp_path / "out")
    (out / "edit.json").write_text("{}")
    with pytest.raises(FileError, match=r"not replaced: edit\.json, ledger\.csv\. Move"), Place(out, True).taken():
        pass
    (tmp_path / "file").write_text("mine")
    refused(
        f"{tmp_path / 'file'} is no folder, so it is not replaced. Name another folder.", Place(tmp_path / "file", True)
    )


def test_an_empty_folder_is_replaced(tmp_path):
    (tmp_path / "out").mkdir()
    with Place(tmp_path / "out", force=True).taken():
        pass


def test_what_came_there_during_the_run_is_not_deleted(tmp_path):
    out = an_edit(tmp_path / "out")
    one = Place(out, force=True)
    with one.taken():
        (out / "notes.txt").write_text("mine")
        with pytest.raises(FileError, match=r"not replaced: notes\.txt\. Move"):
            one.finish()
    assert (out / "notes.txt").read_text() == "mine"
    other = Place(tmp_path / "other")
    with other.taken():
        an_edit(other.folder)
        with pytest.raises(FileError, match="is there already"):
            other.finish()


def test_records_of_earlier_versions_list_tables_only(tmp_path):
    out = an_edit(tmp_path / "out", **{"rules.rules": "r", "model.skops": "any", "report.html": "any"})
    record = json.loads((out / "edit.json").read_text())
    outputs = {name.partition(".")[0]: digest for name, digest in record.pop("files").items()}
    record["outputs"] = {name: outputs[name] for name in ("ledger", "rules")}
    (out / "edit.json").write_text(json.dumps(record))
    with Place(out, force=True).taken():
        pass
    (out / "ledger.csv.bak").write_text("mine")
    with pytest.raises(FileError, match=r"not replaced: ledger\.csv\.bak\. Move"), Place(out, force=True).taken():
        pass


def test_an_edit_may_stand_beside_what_it_was_made_from(tmp_path):
    out = tmp_path / "out"
    an_edit(out / "edit")
    (out / "loans.csv").write_text("data")
    known = {"loans.csv": hashlib.sha256(b"data").hexdigest()}
    with Place(out, force=True, beside=known).taken():
        pass
    for mine in ("edit/letters.txt", "letters.txt"):
        (out / mine).write_text("mine")
    with pytest.raises(FileError, match=r"not replaced: edit/letters\.txt, letters\.txt\. Move"):
        Place(out, force=True, beside=known).taken().__enter__()
    # To others it is a folder with someone's data, whatever a record in it says.
    with pytest.raises(FileError, match=r"not replaced: edit, letters\.txt, loans\.csv\. Move"):
        Place(out, force=True).taken().__enter__()


# --- what is read ---


@pytest.mark.parametrize("spelling", ["ledger.csv", "link/ledger.csv", "out/../out/ledger.csv", "apart.csv"])
def test_a_folder_that_holds_what_is_read_is_not_replaced(tmp_path, monkeypatch, spelling):
    out = an_edit(tmp_path / "out")
    (tmp_path / "link").symlink_to(out)
    (tmp_path / "apart.csv").symlink_to(out / "ledger.csv")
    monkeypatch.chdir(tmp_path)
    read = Path("out/ledger.csv") if spelling == "ledger.csv" else Path(spelling)
    refused(
        f"{read} is read by the same command and lies in out. Name another folder.", Place(Path("out"), True, (read,))
    )


@pytest.mark.parametrize("spelling", ["data.csv", "./below/../data.csv", "soft.csv", "hard.csv"])
def test_nor_a_file_that_is_read(tmp_path, monkeypatch, spelling):
    monkeypatch.chdir(tmp_path)
    data = Path("data.csv")
    data.write_text("mine")
    Path("below").mkdir()
    Path("soft.csv").symlink_to(data)
    os.link(data, "hard.csv")
    with pytest.raises(FileError, match="is read by the same command, so it is not overwritten"):
        new_file(Path(spelling), force=True, reads=(None, data)).__enter__()
    assert data.read_text() == "mine"


def test_files(tmp_path):
    file = tmp_path / "policy.rules"
    with new_file(None, force=False, reads=()), new_file(Path("/dev/null"), force=False, reads=()):
        pass
    file.write_text("old")
    for path, told in (
        (file, "is there already. Name another file, or add --force to overwrite it."),
        (tmp_path, "is a folder. Name a file."),
        (tmp_path / "no" / "x", f"cannot be written: {tmp_path / 'no'} is no folder. Make it first."),
    ):
        with pytest.raises(FileError) as caught, new_file(path, force=False, reads=()):
            pass
        assert str(caught.value) == f"{path} {told}"
    with new_file(file, force=True, reads=()):
        pass
    assert list(tmp_path.iterdir()) == [file]
