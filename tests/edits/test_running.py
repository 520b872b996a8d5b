"""An edit without a command line: values in and out, nothing printed; told of its steps, and stopped between them."""

from __future__ import annotations

import json

import pytest

from frote.edits.folder import Place
from frote.edits.record import differences
from frote.edits.run_options import EditCancelledError, RunOptions
from frote.edits.running import preview, run, run_in_place


@pytest.fixture(scope="module")
def record(edited):
    """The record of an edit that nobody stopped."""
    return edited[1]


def test_a_run_prints_nothing_and_tells_of_each_step(order, tables, tmp_path, record, capfd):
    told = []
    made = run(order, *tables, tmp_path, RunOptions(on_step=told.append), "")
    assert capfd.readouterr() == ("", "")
    assert [step.step for step in told] == [line["step"] for line in made["steps"]] == [0, 1, 2]
    assert json.loads((tmp_path / "edit.json").read_text()) == made
    assert differences(record, made) == []


def test_a_preview_prints_nothing(order, tables, capfd):
    assert preview(order, tables[0], RunOptions()).rows == 220
    assert capfd.readouterr() == ("", "")


class Asked:
    """Says that an edit is to stop, from some question on."""

    def __init__(self, number):
        self.left = number

    def __call__(self):
        self.left -= 1
        return self.left < 0


def test_an_edit_is_stopped_at_any_question_and_goes_on_to_the_same_end(order, tables, tmp_path, record):
    for number in range(100):
        place = Place(tmp_path / str(number))
        try:
            with place.taken():
                options = RunOptions(checkpoint=place.checkpoint, cancelled=Asked(number))
                run_in_place(place, order, *tables, options, "")
        except EditCancelledError:
            assert not place.folder.exists()
            assert not place.made.exists()
        else:
            break
        assert place.begun == (number > 1)  # not before training, and not between the first model and the loop
        with place.taken(resume=True) as going_on:
            assert going_on == place.begun
            made = run_in_place(place, order, *tables, RunOptions(checkpoint=place.checkpoint), "")
        assert differences(record, made) == []
        assert not place.work.exists()
    assert number == 2 + len(record["steps"]) + 1
