"""Results are whole or not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from frote.command.place import Place
from frote.exceptions import FileError


def test_results_are_put_in_place_at_the_end(tmp_path):
    place = Place(tmp_path / "deep" / "out")
    assert not place.begin(force=False, resume=False)
    (place.made / "a.txt").write_text("a")
    assert not place.folder.exists()
    place.finish()
    assert [path.name for path in place.folder.parent.iterdir()] == ["out"]
    assert (place.folder / "a.txt").read_text() == "a"


def test_a_folder_that_is_there_is_kept_unless_forced(tmp_path):
    place = Place(tmp_path / "out")
    place.folder.mkdir()
    (place.folder / "edit.json").write_text("old")
    with pytest.raises(FileError, match="is there already"):
        place.begin(force=False, resume=False)
    place.begin(force=True, resume=False)
    assert (place.folder / "edit.json").exists()  # until the new one is whole
    (place.made / "new.txt").write_text("new")
    place.finish()
    assert [path.name for path in place.folder.iterdir()] == ["new.txt"]
    assert not place.work.exists()


def test_what_a_killed_run_left_is_used_only_to_go_on(tmp_path):
    place = Place(tmp_path / "out")
    place.begin(force=False, resume=False)
    place.checkpoint.mkdir()
    assert not place.begin(force=False, resume=True)  # it came to no step
    (place.checkpoint / "run.json").write_text("steps")
    (place.made / "half.txt").write_text("half")
    assert place.begin(force=False, resume=True)
    assert not list(place.made.iterdir())
    with pytest.raises(FileError, match=r"out was cut off\. Add --resume to go on, or --force to begin anew\.$"):
        place.begin(force=False, resume=False)
    assert place.begun
    assert place.keep()
    assert [path.name for path in place.work.iterdir()] == ["checkpoint"]
    assert not place.begin(force=True, resume=False)
    assert not place.begun
    assert not place.keep()
    assert not place.work.exists()


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="out cannot be written: Not a directory"):
        Place(tmp_path / "file" / "out").begin(force=False, resume=False)


def test_other_folders_are_never_replaced(tmp_path):
    place = Place(tmp_path / "out")
    place.folder.mkdir()
    place.begin(force=True, resume=False)  # empty: nothing is lost
    (place.folder / "letters.txt").write_text("mine")
    with pytest.raises(FileError, match="holds more than an edit"):
        place.begin(force=True, resume=False)
    with pytest.raises(FileError, match="holds more than an edit"):
        Place(place.folder / "letters.txt").begin(force=True, resume=False)
    assert (place.folder / "letters.txt").read_text() == "mine"


@pytest.mark.parametrize("mine", ["letters.txt", "edit/letters.txt", "data.csv", "deep/edit.json"])
@pytest.mark.parametrize("ours", ["edit.json", "edit/edit.json"])
def test_nor_those_in_which_an_edit_stands_beside_other_files(tmp_path, mine, ours):
    place = Place(tmp_path / "out")
    for name in (ours, mine):
        (place.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (place.folder / name).write_text("")
    with pytest.raises(FileError, match="holds more than an edit"):
        place.begin(force=True, resume=False)


def test_each_command_replaces_what_it_writes(tmp_path):
    folder, names = tmp_path / "out", ("policy.rules", "applications.csv", "edit/augmented.csv.gz", "edit/edit.json")
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")
    with pytest.raises(FileError, match="holds more than an edit"):
        Place(folder).begin(force=True, resume=False)
    Place(folder, frozenset({"applications", "edit", "policy"})).begin(force=True, resume=False)


def test_the_current_folder_is_no_folder_to_make(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError, match=r"^\. cannot be made anew\. Name a folder in it\.$"):
        Place(Path()).begin(force=True, resume=False)
