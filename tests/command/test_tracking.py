"""An edit in MLflow: read back from a real store and compared with the record; what fails is told in a sentence."""

from __future__ import annotations

import json
import sys

import pandas as pd
import pytest
from tests.in_process import invoke

from frote.command.main import main

ASKED = ("--data", "loans.csv", "--target", "decision", "--rules", "odd.rules", "--quiet")
FEW = ("--data", "few.csv", "--target", "decision", "--rules", "young.rules", "--quiet", "--max-fits", "1")
LONG = "x" * 300
RULES = f"""
'a & b': IF age < 29 AND defaults = 0 THEN approved
'a | b': IF defaults >= 3 THEN denied
'../..': IF age > 64 AND defaults = 1 THEN denied
{LONG}: IF age > 64 AND defaults = 2 THEN denied
none: IF age > 200 AND defaults = 2 THEN denied
"""
NAMES = {"a & b": "a _ b", "a | b": "a _ b 2", "../..": ".._..", LONG: "x" * 200, "none": "none"}
# A model whose fourth fit kills the process, unless that has happened before.
MORTAL = """
import os
from pathlib import Path
from sklearn.linear_model import LogisticRegression
import frote

fits = 0

class Mortal(LogisticRegression):
    def fit(self, X, y):
        global fits
        fits += 1
        if fits == 4 and not Path("died").exists():
            Path("died").touch()
            os._exit(9)
        return super().fit(X, y)

def make(C=1.0, **more):
    return frote.default_pipeline(Mortal(C=C, max_iter=500))
"""


@pytest.fixture(scope="module")
def folder(loans, tmp_path_factory):
    made = tmp_path_factory.mktemp("tracked")
    for name in ("loans.csv", "later.csv"):
        (made / name).write_bytes((loans / name).read_bytes())
    rows = [f"{20 + n},{'yes' if n % 3 else 'no'}\n" for n in range(40)]
    (made / "few.csv").write_text("".join(["age,decision\n", *rows]))
    (made / "young.rules").write_text("IF age < 29 THEN yes\n")
    (made / "odd.rules").write_text(RULES)
    (made / "mortal.py").write_text(MORTAL)
    return made


@pytest.fixture(scope="module")
def logged(folder, run):
    """A client of the store, and the runs in it after the edit was cut off and after it was resumed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        patch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
        store = (folder / "store").as_uri()
        patch.setenv("MLFLOW_TRACKING_URI", store)
        patch.setenv("MLFLOW_EXPERIMENT_NAME", "policies")
        given = ("edit", *ASKED, "--test", "later.csv", "--model", "mortal:make", "--param", "C=2", "--max-fits", "3")
        given += ("--title", "New policy", "--owner", "Credit & risk", "--out", "edit", "--mlflow")
        run(*given, cwd=folder, code=9)
        assert not (folder / "store").exists()
        patch.chdir(folder)
        done = invoke(main, *given, "--resume")
        assert done.stdout == done.stderr == ""

        from mlflow import MlflowClient

        yield MlflowClient(store)


@pytest.fixture
def written(logged, folder):
    """The one run, the record and the report."""
    (experiment,) = [one for one in logged.search_experiments() if one.name == "policies"]
    (found,) = logged.search_runs([experiment.experiment_id])  # one run, though the edit took two
    read = [json.loads((folder / "edit" / name).read_text()) for name in ("edit.json", "report.json")]
    return found, *read


def test_parameters_and_tags_are_those_of_the_record(written):
    found, record, _ = written
    assert found.info.status == "FINISHED"
    assert found.info.run_name == "New policy"
    params = found.data.params
    for part in ("data", "test"):
        for name, fact in record[part].items():
            assert params.pop(f"{part}.{name}") == str(fact)
    for name, version in record["versions"].items():
        assert params.pop(f"version.{name}") == version
    assert params.pop("rules.sha256") == record["outputs"]["rules"]
    assert params == {
        "target": "decision",
        "model": "mortal:make",
        "model.C": "2",
        "max_fits": "3",
        "published": "False",
        "seed": "0",
    }
    tags = {name: value for name, value in found.data.tags.items() if name.startswith("frote.")}
    assert tags == {
        "frote.title": "New policy",
        "frote.owner": "Credit & risk",
        **{f"frote.sha256.{name}": digest for name, digest in record["outputs"].items()},
    }


def test_scores_before_and_after_and_of_each_rule(written):
    found, record, report = written
    metrics = {name: value for name, value in found.data.metrics.items() if not name.startswith("steps/")}
    expected = {
        **{f"rows/{status}": count for status, count in record["rows"].items()},
        **{f"seconds/{what}": seconds for what, seconds in record["timings"].items()},
    }
    for model in ("before", "after", "override"):
        expected |= {f"{model}/{name}": score for name, score in record["scores"][model].items()}
        expected[f"{model}/objective_by_population"] = record["population"][model]
        expected |= {f"{model}/agreement of {NAMES[one['name']]}": one[model] for one in report["result"]["rules"]}
    assert metrics == {name: value for name, value in expected.items() if value is not None}
    assert metrics["after/agreement of a _ b"] > metrics["before/agreement of a _ b"]
    assert "after/agreement of none" not in metrics  # nothing is covered, so there is nothing to say


def test_every_step_is_there_once(written, logged):
    found, record, _ = written
    steps = record["steps"]
    assert len(steps) == 4
    assert {name for name in found.data.metrics if name.startswith("steps/")} == {
        *(f"steps/{name}" for name in ("accepted", "objective", "agreement", "outside", "added")),
        *(f"steps/agreement of {name}" for name in NAMES.values()),
    }

    def history(name):
        return [(one.step, one.value) for one in logged.get_metric_history(found.info.run_id, f"steps/{name}")]

    for name in ("accepted", "objective", "agreement", "outside", "added"):
        assert history(name) == [(step["step"], step[name]) for step in steps]
    for name, safe in NAMES.items():
        assert history(f"agreement of {safe}") == [(step["step"], step[f"agreement: {name}"]) for step in steps]


def test_the_data_are_inputs_with_their_digests(written):
    found, record, _ = written
    inputs = {one.tags[0].value: one.dataset for one in found.inputs.dataset_inputs}
    assert sorted(inputs) == ["testing", "training"]
    for context, part in (("training", "data"), ("testing", "test")):
        data = inputs[context]
        assert data.name == record[part]["name"]
        assert len(data.digest) == 36
        assert record[part]["sha256"].startswith(data.digest)
        assert json.loads(data.source) == {"uri": record[part]["name"]}
        assert json.loads(data.profile) == {"num_rows": record[part]["rows"]}


def test_the_files_are_those_of_the_folder(written, logged, folder, tmp_path):
    found, _, _ = written
    logged.download_artifacts(found.info.run_id, "", str(tmp_path))
    files = {path.name: path.read_bytes() for path in (folder / "edit").iterdir()}
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == files
    assert len(files) == 8


def test_a_server_that_cannot_be_reached_costs_no_edit(folder, call, monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    done = call("edit", *FEW, "--out", "alone", "--mlflow", cwd=folder, code=1)
    assert done.stdout == ""
    assert done.stderr.startswith("Error: The edit is in alone, but not in MLflow (mend that; the same command ")
    assert "127.0.0.1" in done.stderr
    assert done.stderr.count("\n") == 1
    assert len(pd.read_csv(folder / "alone" / "ledger.csv")) >= 40
    assert (folder / "alone" / "edit.json").exists()
    assert not (folder / ".alone.frote").exists()


def test_without_mlflow_nothing_is_begun(folder, call, monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)  # now to import it is an error
    before = sorted(folder.iterdir())
    told = call(
        *("edit", "--data", "none.csv", "--target", "decision", "--rules", "none.rules", "--out", "out", "--mlflow"),
        cwd=folder,
        code=2,
    ).stderr
    assert told == "Error: --mlflow needs MLflow, which is not installed: pip install 'frote[mlflow]'.\n"
    assert sorted(folder.iterdir()) == before


def test_mlflow_is_not_imported_unless_it_is_asked_for(folder, call, monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)  # now to import it is an error
    call("edit", *FEW, "--out", "plain", cwd=folder)
    assert (folder / "plain" / "edit.json").exists()
