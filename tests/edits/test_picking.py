"""Another step of a finished run, taken without running it again."""

from __future__ import annotations

import io
import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from tests.schema_check import faults

from frote.edits import running
from frote.edits.editors import make_editor, used_rules
from frote.edits.folder import Place
from frote.edits.ours import STEPS, others
from frote.edits.picking import picked_order
from frote.edits.record import read_record
from frote.edits.replaying import replay
from frote.edits.results import Trained, write_files
from frote.edits.run_options import RunOptions
from frote.edits.running import run, run_in_place
from frote.exceptions import CheckpointError, FileError, FroteError, RecordError, TableError
from frote.loop.checkpoint_contents import sha256
from frote.loop.training import Trainer

SETTINGS = {"max_fits": 4, "twins": 1.0}


@pytest.fixture(scope="module")
def asked(order):
    """An edit whose loss outside is measured."""
    return replace(order, settings=SETTINGS)


@pytest.fixture(scope="module")
def whole(asked, tables, tmp_path_factory):
    """The folder of that edit."""
    folder = tmp_path_factory.mktemp("whole")
    run(asked, *tables, folder, RunOptions(), "")
    return folder


@pytest.fixture(scope="module")
def editor(asked, tables):
    """The same edit in Python."""
    table = tables[0]
    made = make_editor(asked, used_rules(asked, table.rows.table, table.labels.classes), RunOptions())
    return made.fit(table.rows, table.y)


@pytest.fixture
def taken(tables, tmp_path):
    """A function that takes a step."""

    def take(source, step, to="picked"):
        path, (table, test) = source / "edit.json", tables
        order = picked_order(path, step, table.path, test.path)
        folder = tmp_path / to
        folder.mkdir()
        return folder, run(order, *tables, folder, RunOptions(), "", path)

    return take


@pytest.fixture
def copied(whole, tmp_path):
    """The folder of the edit, to be changed."""
    return shutil.copytree(whole, tmp_path / "copied")


def test_every_step_is_what_at_gives_and_replays(asked, whole, editor, taken, tables, tmp_path):
    before = editor.at(-1).estimator_
    paths = [table.path for table in tables]
    steps = [-1, *editor.history_["step"]]
    assert not editor.history_["accepted"].all()  # also one that was rejected
    for step in steps:
        folder, record = taken(whole, step, f"at {step}")
        report = json.loads((folder / "report.json").read_text("utf-8"))
        expected, beside = editor.at(step), tmp_path / f"beside {step}"
        beside.mkdir()
        write_files(Trained(asked, *tables, None, before, expected, expected.resampled()), report, beside)
        for name in ("augmented.csv", "ledger.csv", "rules.rules", "model.skops"):
            assert (folder / name).read_bytes() == (beside / name).read_bytes(), (step, name)
        assert record["asked"]["pick"] == step
        assert record["picked_from"] == sha256((whole / "edit.json").read_bytes())
        assert report["result"]["frontier"]["picked"] == step
        assert faults(record, "edit.schema.json") == faults(report, "report.schema.json") == []
        page = (folder / "report.html").read_text("utf-8")
        assert page.count('<circle class="picked"') == 1
    # A replay runs the whole edit and takes the same step: the same bytes, also of both models.
    for step in (-1, steps[-1]):
        path = folder.parent / f"at {step}" / "edit.json"
        assert replay(read_record(path), path, *paths, RunOptions()) == []


def test_only_the_model_before_and_that_of_the_step_are_trained(whole, taken, monkeypatch):
    fits, fit = [], Trainer.fit
    monkeypatch.setattr(Trainer, "fit", lambda self, *given: fits.append(1) or fit(self, *given))
    trains = []
    train = running.train
    monkeypatch.setattr(running, "train", lambda *given, **more: trains.append(1) or train(*given, **more))
    taken(whole, 2, "two")
    assert (len(trains), len(fits)) == (1, 1)
    taken(whole, -1, "before")
    assert (len(trains), len(fits)) == (2, 1)


def test_a_step_can_be_taken_from_what_was_taken(whole, taken):
    first, _ = taken(whole, 1, "first")
    again, _ = taken(first, 2, "again")
    straight, _ = taken(whole, 2, "straight")
    for name in ("augmented.csv", "ledger.csv", "model.skops"):
        assert (again / name).read_bytes() == (straight / name).read_bytes()


def test_a_step_that_is_not_there_is_told_with_those_that_are(whole, taken):
    with pytest.raises(
        TableError,
        match=r"^Nothing can be had as of step 9: there is no such step\. The steps are 0 "
        r"to 4; those that no other one beats are -1, .* \(-1 is the model before\)\.$",
    ):
        taken(whole, 9)


def test_a_folder_without_steps_is_told_of(edited, taken):
    with pytest.raises(RecordError, match=r"keeps no steps to pick from: .* with --twins or --max-loss\. Edit again"):
        taken(edited[0], 1)


def test_other_data_are_refused(whole, tables):
    table, test = tables
    with pytest.raises(RecordError, match=r"is not the loans\.csv of the edit"):
        picked_order(whole / "edit.json", 1, test.path, test.path)
    with pytest.raises(RecordError, match=r"was judged on later\.csv\. Add --test"):
        picked_order(whole / "edit.json", 1, table.path, None)


def rewritten(folder, name, content):
    """Put a file in place, and its digest where the run has it."""
    path = folder / STEPS / name
    path.write_bytes(content)
    outer = json.loads((folder / STEPS / "run.json").read_text())
    held = json.loads(outer["run"])
    held["batches"][str(int(name[6:12]))] = sha256(content)
    text = json.dumps(held)
    (folder / STEPS / "run.json").write_text(json.dumps({"sha256": sha256(text.encode()), "run": text}))


def test_batches_that_were_changed_are_refused(copied, taken):
    path = copied / STEPS / "batch-000001.npz"
    content = path.read_bytes()
    sentence = r"^The steps kept in '.*steps' are not there, damaged, or of another version of frote\. Edit again\.$"
    path.write_bytes(content[:-1])
    with pytest.raises(CheckpointError, match=sentence):
        taken(copied, 1, "cut")
    # Whoever changes a file can change its digest too.
    rewritten(copied, path.name, content[:200])
    with pytest.raises(CheckpointError, match=sentence):
        taken(copied, 1, "cut again")
    with np.load(io.BytesIO(content)) as arrays:
        held = dict(arrays)
    held["labels"] = held["own"] = 1 - held["labels"]
    rewritten(copied, path.name, packed(held))
    with pytest.raises(CheckpointError, match=r"^The model of step 1, trained again, does not answer as it did in the"):
        taken(copied, 1, "other labels")
    path.unlink()
    with pytest.raises(CheckpointError, match=sentence):
        taken(copied, 1, "gone")


def packed(arrays):
    """Return arrays as a run writes them."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def test_steps_of_another_run_are_refused(copied, taken):
    path = copied / "edit.json"
    record = json.loads(path.read_text("utf-8"))
    record["asked"]["seed"] = 1
    path.write_text(json.dumps(record), "utf-8")
    with pytest.raises(CheckpointError, match=r"are of another run: random_state was 0, now 1\. Edit again\.$"):
        taken(copied, 1)


def test_steps_are_files_of_the_edit_and_nothing_else_is(copied):
    assert others(copied) == []
    assert any(name.startswith(f"{STEPS}/batch-") for name in read_record(copied / "edit.json")["files"])
    (copied / STEPS / "mine.txt").write_text("mine")
    assert others(copied) == [f"{STEPS}/mine.txt"]


def test_what_is_read_is_not_replaced(copied, tables):
    table, test = tables
    order = picked_order(copied / "edit.json", 1, table.path, test.path)
    place = Place(copied, force=True, reads=(copied / "edit.json",))
    with pytest.raises(FileError, match="is read by the same command"), place.taken():
        run_in_place(place, order, *tables, RunOptions(), "", copied / "edit.json")


@pytest.mark.parametrize("pick", ["1", 1.5, True, [1]])
def test_a_record_that_picks_no_step_is_refused(copied, pick):
    path = copied / "edit.json"
    record = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**record, "asked": {**record["asked"], "pick": pick}}), "utf-8")
    with pytest.raises(FroteError, match="'pick' must be a whole number or nothing"):
        read_record(path)
