"""Edits in processes of their own: the folder of ``frote edit``, byte for byte, whoever is killed on the way."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings
from tests.in_process import invoke
from tests.studio.conftest import RULES, furnished, waited
from tests.studio.killed_studio import ASKED, POLICY

from frote.command.main import main
from frote.studio.asked import Asked
from frote.studio.errors import ReadOnlyError, StudioError
from frote.studio.runs import DISCARDED, ENDED, KILLED, Runs
from frote.studio.workspace import Workspace

ROOT = Path(__file__).parents[2]
MOMENTS = 50 if hypothesis_settings.get_current_profile_name() == "deep" else 2


TIMED = "steps/run.json"  # what the steps took stands in it


def bytes_of(folder):
    """Return the files of an edit, its record and its steps without what they took."""
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    record, kept = (json.loads(files.pop(name)) for name in ("edit.json", TIMED))
    steps = json.loads(kept["run"])["steps"]
    untimed = [{name: value for name, value in step.items() if not name.endswith("_seconds")} for step in steps]
    del record["timings"], record["files"][TIMED]
    record.pop("root", None)  # a digest of all files, those that say what steps took among them
    return {**files, "record": record, "steps": untimed}


@pytest.fixture(scope="module")
def finished(tmp_path_factory, loans_csv):
    """A workspace with a finished edit, which tests copy or leave as it is."""
    with furnished(tmp_path_factory.mktemp("finished"), loans_csv, resolve="priority") as workspace:
        runs = Runs(workspace)
        job = runs.ask(ASKED, who="policy team", why="try")
        waited(runs, job.name)
        yield workspace, runs, job
        runs.close()


def test_the_folder_is_that_of_the_command(finished, tmp_path, monkeypatch):
    workspace, runs, job = finished
    assert (runs.run(job.name).state, runs.run(job.name).why) == ("done", "")
    # Where the studio's own folder is: the report names it.
    copy = tmp_path / "w"
    shutil.copytree(workspace.folder, copy, ignore=shutil.ignore_patterns("edits", "runs", ".studio.lock"))
    monkeypatch.chdir(copy)
    invoke(
        main,
        *("edit", "--data", "data/loans.csv", "--target", "decision", "--rules", "policy.rules", "--resolve"),
        *("priority", "--modify", "relabel", "--twins", "1", "--max-fits", "4", "--out", f"edits/{job.name}"),
        "--quiet",
    )
    ours = bytes_of(workspace.folder / job.folder)
    theirs = bytes_of(copy / job.folder)
    assert ours.keys() == theirs.keys()
    assert {name: ours[name] == theirs[name] for name in ours} == dict.fromkeys(ours, True)


def test_it_is_replayed(finished, monkeypatch):
    workspace, _, job = finished
    monkeypatch.chdir(workspace.folder)
    invoke(main, "replay", f"{job.folder}/edit.json", "--data", "data/loans.csv")


def test_its_journal_tells_its_steps(finished):
    run = finished[1].run(finished[2].name)
    record = json.loads((finished[0].folder / run.job.folder / "edit.json").read_text())
    assert [step["step"] for step in run.steps] == [step["step"] for step in record["steps"]]
    assert [step["objective"] for step in run.steps] == [step["objective"] for step in record["steps"]]
    assert run.rules == ["young", "risky"]
    assert all(len(step["per_rule"]) == 2 and step["loss"] is not None for step in run.steps)


def test_a_step_is_picked(finished):
    workspace, runs, job = finished
    picked = waited(runs, runs.pick(job.name, 0, who="Bo").name)
    assert (picked.state, picked.why) == ("done", "")
    record = json.loads((workspace.folder / picked.job.folder / "edit.json").read_text())
    assert record["asked"]["pick"] == 0
    asked = replace(job, name=f"{job.name}-x")
    runs.files.write(asked.place, asked.content)
    with pytest.raises(StudioError, match="not finished"):
        runs.pick(asked.name, 0, who="Bo")


def test_a_preview_tells_rows_and_cost(finished):
    workspace, runs, _ = finished
    shown = runs.preview(Asked(modify="drop", most_fits=7), workspace.current)
    assert shown["most_batches"] == 7
    assert [line["rule"] for line in shown["rules"]] == ["young", "risky"]
    assert sum(line["dropped"] for line in shown["rules"]) > 0
    assert shown["seconds"] > 0


def test_what_cannot_be_run_is_told_at_once(runs, workspace):
    workspace.save_policy("IF age <", workspace.policy().digest)
    for change, why in (
        (lambda: None, "expected"),
        (lambda: workspace.save_policy("", workspace.policy().digest), "has no rule"),
        (
            lambda: workspace.save_policy(RULES, workspace.policy().digest) and workspace.change(target=""),
            "Which column",
        ),
        (lambda: workspace.change(data="data/gone.csv"), "not in the workspace any more"),
        (lambda: workspace.change(data=""), "no table to train on"),
    ):
        change()
        with pytest.raises(Exception, match=why):
            runs.ask(ASKED, who="policy team", why="")
    assert runs.names() == []


def test_a_function_that_only_a_file_names_is_not_run(runs, workspace):
    workspace.change(model="os:getcwd")
    with pytest.raises(Exception, match="names a function to be run"):
        runs.ask(ASKED, who="policy team", why="")


def test_what_fails_is_told_in_a_sentence_and_the_next_one_runs(runs, workspace):
    workspace.save_policy("young: IF age < 29 THEN perhaps", workspace.policy().digest)
    failed = runs.ask(ASKED, who="policy team", why="")
    workspace.save_policy("young: IF age < 29 THEN approved", workspace.policy().digest)
    following = runs.ask(Asked(most_fits=0), who="policy team", why="")
    run = waited(runs, failed.name)
    assert run.state == "failed"
    assert "'perhaps'" in run.why
    assert waited(runs, following.name).state == "done"


def stepped(run):
    return len(run.steps) >= 2 or not run.live


def test_cancelled_crashed_and_gone_on_with_it_ends_in_the_same_bytes(finished, tmp_path, loans_csv):
    with furnished(tmp_path / "w", loans_csv, resolve="priority") as workspace:
        told = []
        runs = Runs(workspace, lambda _, data: told.append(data))
        job, waiting = (runs.ask(ASKED, who="policy team", why="try") for _ in range(2))
        assert job.name == finished[2].name
        assert runs.run(waiting.name).state == "queued"
        waited(runs, job.name, stepped)
        runs.cancel(waiting.name)
        runs.cancel(job.name)
        assert runs.run(job.name).state == "cancelled"
        assert not (workspace.folder / job.folder).exists()
        runs.go_on(job.name)
        process = waited(runs, job.name, lambda run: "process" in run.events[-1] or len(run.events) > 12)
        number = next(event["process"] for event in reversed(process.events) if "process" in event)
        os.kill(number, signal.SIGKILL)
        run = waited(runs, job.name)
        assert (run.state, run.why) == ("interrupted", KILLED)
        runs.go_on(job.name)
        assert waited(runs, job.name).state == "done"
        assert bytes_of(workspace.folder / job.folder) == bytes_of(finished[0].folder / job.folder)
        assert runs.run(waiting.name).state == "cancelled"
        runs.discard(waiting.name)
        assert runs.run(waiting.name).why == DISCARDED
        waited(runs, job.name, lambda _: {"name": job.name, "state": "done"} in told)
        runs.close()


def test_a_closed_studio_interrupts_and_the_next_one_goes_on(finished, tmp_path, loans_csv):
    with furnished(tmp_path / "w", loans_csv, resolve="priority") as workspace:
        runs = Runs(workspace)
        job = runs.ask(ASKED, who="policy team", why="try")
        waited(runs, job.name, stepped)
        runs.close()
        run = waited(runs, job.name)
        assert (run.state, run.why) == ("interrupted", ENDED)
    with Workspace.open(tmp_path / "w") as workspace:
        runs = Runs(workspace)
        runs.go_on(job.name)
        assert waited(runs, job.name).state == "done"
        assert bytes_of(workspace.folder / job.folder) == bytes_of(finished[0].folder / job.folder)
        runs.close()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal here")
@pytest.mark.parametrize("moment", range(MOMENTS))
def test_killed_at_random_the_workspace_is_whole(uninterrupted, tmp_path, loans_csv, moment):
    folder = tmp_path / "w"
    furnished(folder, loans_csv).close()
    said = killed(folder, random.Random(moment).uniform(0.0, 4.0))
    with Workspace.open(folder) as workspace:
        kept = {line.split()[1] for line in said if line.startswith("kept")}
        assert kept <= {version.id for version in workspace.history.versions()}
        assert workspace.history.damaged == []
        assert workspace.policy().text.startswith(("young: ", "# policy"))
        runs = Runs(workspace)
        assert runs.names() or not any(line.startswith("asked") for line in said)
        for name in runs.names():
            runs.go_on(name)
            run = waited(runs, name)
            assert (run.state, run.why) == ("done", "")
            assert bytes_of(folder / run.job.folder) == uninterrupted
        runs.close()


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory, loans_csv):
    """The edit that the story asks for, when nobody is killed."""
    with furnished(tmp_path_factory.mktemp("uninterrupted"), loans_csv) as workspace:
        workspace.save_policy(POLICY.format(age=25), workspace.policy().digest)
        runs = Runs(workspace)
        job = runs.ask(ASKED, who="policy team", why="try")
        waited(runs, job.name)
        yield bytes_of(workspace.folder / job.folder)
        runs.close()


def killed(folder, seconds):
    """Start a studio, kill it so long after it is open, and return what it said that it had done."""
    command = [sys.executable, "-m", "tests.studio.killed_studio", str(folder)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        first = process.stdout.readline()
        assert first == "open\n"
        time.sleep(seconds)
        process.kill()
        return process.stdout.read().splitlines()


def test_a_studio_that_only_shows_runs_nothing(finished):
    workspace, _, job = finished
    other = Workspace.open(workspace.folder)
    shown = Runs(other)
    assert shown.run(job.name).state == "done"
    for action in (lambda: shown.ask(ASKED, who="Bo", why=""), lambda: shown.cancel(job.name)):
        with pytest.raises(ReadOnlyError):
            action()
    other.close()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"job": 1}', b'{"job": 1, "name": "../x"}', b"[" * 100_000, b'{"job": 2}']
)
def test_hostile_jobs_are_told_and_left_out(workspace, content):
    workspace.files.write("runs/0001-x/job.json", content)
    workspace.files.write("runs/0002-x/events.jsonl", b'{"kind": "started"}\n{"kind": 3}\n[1]\n\xff\n')
    runs = Runs(workspace)
    assert runs.all() == []
    with pytest.raises(StudioError, match="is damaged, so that this edit cannot be shown"):
        runs.run("0001-x")
    for name in ("../../etc", "0002-x", "", "A"):
        with pytest.raises(StudioError, match="There is no edit"):
            runs.run(name)
    runs.close()


def test_forms_are_read_or_refused():
    assert Asked.of(Asked(how="auto", most_loss=0.5, most_fits=3).plain) == Asked(
        how="auto", most_loss=0.5, most_fits=3
    )
    for form in ({"how": "magic"}, {"seconds": "-1"}, {"most_rows": "0"}, {"most_fits": "nan"}, {"modify": "x"}):
        with pytest.raises(StudioError):
            Asked.of_form(form)
