"""Edits of tables in many files from the command line: the same for any files, verified, refused when changed."""

from __future__ import annotations

import errno
import json
import os
import shutil

import pandas as pd
import pyarrow.parquet
import pytest
from tests.dask.made import RULES, table
from tests.edits.tampering import independent
from tests.in_process import invoke
from tests.schema_check import faults

from frote.command.main import main
from frote.edits import engine as engines
from frote.edits.record import differences, digest_of, root_of
from frote.files.part_files import written_part
from frote.table.row_digest import digest_of_rows

X, Y = table(500)
DATA = X.assign(decision=Y)
FAST = ("--target", "decision", "--max-fits", "2", "--quiet")
NAMED = {"edit.json", "report.json", "report.html"}  # which say what the data were called


def write_many(folder, files, kind="parquet", data=DATA):
    """Write a table as so many files of a folder."""
    folder.mkdir()
    for place in range(files):
        part = data[place * len(data) // files : (place + 1) * len(data) // files]
        getattr(part, f"to_{kind}")(folder / f"{place}.{kind}", index=False)
    return folder


def edit(where, data, out, *more, code=0):
    return invoke(
        main, "edit", "--rules", where / "policy.rules", "--data", data, "--out", where / out, *FAST, *more, code=code
    )


def record_of(folder):
    return json.loads((folder / "edit.json").read_text("utf-8"))


def told(done):
    """Return what a refusal says: one sentence, or two, on one line."""
    assert "Traceback" not in done.output
    lines = [line for line in done.stderr.strip().splitlines() if not line.startswith(("Usage", "Try", "What was"))]
    assert len([line for line in lines if line]) == 1, lines
    return lines[-1]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Data in one, two and seven files, and edits of them on which a sample decides."""
    where = tmp_path_factory.mktemp("made")
    (where / "policy.rules").write_text(RULES, "utf-8")
    for files in (1, 2, 7):
        write_many(where / f"data{files}", files)
        edit(where, where / f"data{files}", f"edit{files}", "--sample", "60")
    write_many(where / "texts", 3, "csv")
    return where


@pytest.fixture
def folder(made, tmp_path):
    """A copy of an edit, to be changed."""
    return shutil.copytree(made / "edit2", tmp_path / "edit")


def files_in(folder):
    return {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}


def test_an_edit_has_the_same_bytes_however_its_data_are_cut(made):
    first = files_in(made / "edit1")
    assert {"augmented/00000.parquet", "ledger/00000.parquet", "model.skops"} <= first.keys()
    for files in (2, 7):
        other = files_in(made / f"edit{files}")
        assert first.keys() == other.keys()
        assert {name for name in first if first[name].read_bytes() != other[name].read_bytes()} == NAMED
        assert differences(record_of(made / "edit1"), record_of(made / f"edit{files}")) == []
    assert record_of(made / "edit1")["sampled"]["rows"] == 500
    assert record_of(made / "edit1")["verdict"].startswith("A sample decided: batches were made on ")


def test_files_of_text_are_the_same_table_and_processes_make_the_same_edit(made):
    edit(
        made, made / "texts" / "*.csv", "edit_of_texts", "--sample", "60", "--scheduler", "processes", "--memory", "2GB"
    )
    assert differences(record_of(made / "edit1"), record_of(made / "edit_of_texts")) == []


def test_where_the_sample_holds_all_rows_it_is_the_edit_in_memory(made):
    DATA.to_csv(made / "one.csv", index=False)
    edit(made, made / "texts", "by_parts")
    edit(made, made / "one.csv", "in_memory")
    here, there = (record_of(made / name) for name in ("by_parts", "in_memory"))
    for name in ("rules", "before", "model", "predictions"):
        assert here["outputs"][name] == there["outputs"][name]
    assert (here["steps"], here["rows"]) == (there["steps"], there["rows"])
    one, other = (json.loads((made / name / "report.json").read_text("utf-8")) for name in ("by_parts", "in_memory"))
    assert len(other["done"].pop("examples")) > len(one["done"].pop("examples")) == 0
    for name in ("asked", "composition", "done", "result", "moved", "numbers", "limits", "scores", "verdict"):
        assert close(one[name], other[name]), name


def close(one, other):
    """Tell whether plain data are the same, but for the last digits of numbers."""
    if isinstance(one, float) and isinstance(other, float):
        return one == pytest.approx(other, abs=1e-9)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(close(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(close, one, other))
    return one == other


def test_scores_are_of_all_rows(made):
    rules = ("--target", "decision", "--rules", made / "policy.rules", "--json")
    done = invoke(main, "score", "--data", made / "data7", "--load", made / "edit1" / "model.skops", *rules)
    scores = record_of(made / "edit1")["scores"]["after"]
    assert {name: json.loads(done.stdout)[name] for name in scores} == scores
    models = [f"--{which}={made / 'edit1' / name}.skops" for which, name in (("before", "before"), ("after", "model"))]
    compared = json.loads(invoke(main, "compare", "--data", made / "data7", *models, *rules).stdout)
    moved = json.loads((made / "edit1" / "report.json").read_text("utf-8"))["moved"]
    assert (compared["rows"], compared["changes"]) == (500, moved["changes"])


def test_check_takes_a_model_and_a_preview_goes_by_the_sample(made):
    asked = ("--data", made / "data7", "--rules", made / "policy.rules", "--target", "decision")
    done = invoke(main, "check", *asked, "--load", made / "edit1" / "model.skops", "--json")
    wanted = pd.DataFrame(json.loads(done.stdout)["rules"])["model_agreement"]
    report = json.loads((made / "edit1" / "report.json").read_text("utf-8"))["result"]["rules"]
    assert wanted.tolist() == pytest.approx([line["after"] for line in report], nan_ok=False)
    assert json.loads(invoke(main, "preview", *asked, "--json").stdout)["rows"] == 500
    foretold = json.loads(invoke(main, "preview", *asked, "--sample", 60, "--json").stdout)
    assert foretold["rows"] == 500
    assert [line["covered"] for line in foretold["rules"]] == [
        line["rows"] for line in json.loads(done.stdout)["rules"]
    ]
    assert sum(line["relabelled"] for line in foretold["rules"]) == record_of(made / "edit7")["rows"]["relabelled"]


def test_what_is_written_is_as_the_schemas_say(made):
    for name, schema in (("edit.json", "edit.schema.json"), ("report.json", "report.schema.json")):
        assert faults(json.loads((made / "edit2" / name).read_text("utf-8")), schema) == []


def test_a_folder_is_verified_by_two_programs(made):
    done = invoke(main, "verify", made / "edit7", "--json")
    checks = json.loads(done.stdout)["checks"]
    assert {one["state"] for one in checks if one["part"] != "data7"} == {"holds"}
    assert {"augmented", "ledger"} <= {one["part"] for one in checks}
    assert independent()(made / "edit7") == ([], [])


def changed(folder, stem, change):
    """Change the rows of a table, and all digests with them, as one who forges a folder would."""
    path = folder / stem / "00000.parquet"
    frame = change(pd.read_parquet(path, dtype_backend="numpy_nullable"))
    written_part(frame, path)
    record = record_of(folder)
    record["files"] = {name: digest_of(folder / name) for name in record["files"]}
    record["outputs"][stem] = digest_of_rows([pd.read_parquet(path, dtype_backend="numpy_nullable")])
    record["root"] = root_of(record)
    (folder / "edit.json").write_text(json.dumps(record), "utf-8")


def at(line, name, value):
    """Set a cell."""

    def change(frame):
        frame.loc[line if line >= 0 else len(frame) + line, name] = value
        return frame

    return change


def swapped(frame):
    return pd.concat([frame[1:2], frame[:1], frame[2:]], ignore_index=True)


FORGED = {
    "two rows of the data are exchanged": ("augmented", swapped, "Rows that came in are those of data2."),
    "a value of a row that came in": ("augmented", at(3, "income", 1.0), "Rows that came in are those of data2."),
    "a label": (
        "augmented",
        lambda frame: at(3, "decision", "yes" if frame["decision"][3] == "no" else "no")(frame),
        "Labels are those of augmented.",
    ),
    "a made row leaves its rule": (
        "augmented",
        lambda frame: frame.assign(age=frame["age"].where(frame.index < 500, 20), defaults=1),
        "Every synthetic row satisfies its rule, unrelaxed.",
    ),
    "a row is taken away": ("augmented", lambda frame: frame[:-1], "Every row of augmented stands in it, in order."),
    "two lines are exchanged": ("ledger", swapped, "Every row of augmented stands in it, in order."),
    "a row stands there twice": ("ledger", at(3, "source", 2), "Every row of data2 stands in it once."),
    "a row is made of a later one": (
        "ledger",
        at(-1, "base", 10**6),
        "Rows were made of rows before them, at steps of the record.",
    ),
    "a row is told kept": (
        "ledger",
        lambda frame: at(int((frame["status"] == "relabelled").argmax()), "status", "kept")(frame),
        "What is told of a row goes with its status.",
    ),
    "a line is taken away": (
        "ledger",
        lambda frame: frame[:-1],
        "Rows kept, relabelled, dropped and made are as many as recorded.",
    ),
}


UNSEEN = {"a row is made of a later one", "a value of a row that came in"}  # by the independent program


@pytest.mark.parametrize("what", FORGED)
def test_what_was_changed_is_seen_though_all_digests_were_adapted(folder, what):
    stem, change, said = FORGED[what]
    changed(folder, stem, change)
    checks = json.loads(invoke(main, "verify", folder, "--json", code=1).stdout)["checks"]
    assert said in {one["what"] for one in checks if one["state"] == "fails"}
    if what not in UNSEEN:
        assert independent()(folder)[0]


@pytest.mark.parametrize("rows", [-1, 10**15])
def test_a_record_of_more_rows_than_there_are_takes_no_memory(folder, rows):
    record = record_of(folder)
    record["data"]["rows"] = rows
    (folder / "edit.json").write_text(json.dumps({**record, "root": root_of(record)}), "utf-8")
    assert f" rows, and there were {rows:,}" in invoke(main, "verify", folder, code=1).stdout


def test_a_table_of_other_columns_is_told(folder):
    changed(folder, "augmented", lambda frame: frame.drop(columns="decision"))
    assert "it has no column 'decision'" in invoke(main, "verify", folder, code=1).stdout
    changed(folder, "ledger", lambda frame: frame.assign(source="x"))
    assert invoke(main, "verify", folder, code=1).stdout


def one_byte(folder):
    path = folder / "augmented" / "00000.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (one_byte, "augmented/00000.parquet: it was changed"),
        (lambda folder: (folder / "ledger" / "00000.parquet").unlink(), "it is not there"),
        (lambda folder: shutil.copy(folder / "edit.json", folder / "ledger" / "00001.parquet"), "ledger/00001.parquet"),
    ],
)
def test_a_part_that_was_changed_is_gone_or_was_added_is_told(folder, change, said):
    change(folder)
    shown = invoke(main, "verify", folder, code=0 if "00001" in said else 1).stdout
    assert said in shown
    assert independent()(folder)[0 if "00001" not in said else 1] or "00001" in said


def test_a_part_that_leads_elsewhere_is_not_read(folder, tmp_path):
    shutil.move(folder / "augmented", tmp_path / "elsewhere")
    (folder / "augmented").symlink_to(tmp_path / "elsewhere")
    assert "augmented is a link, which is not followed" in invoke(main, "verify", folder, code=1).stdout


def test_an_edit_is_made_again_from_other_files(made, folder):
    again = ("--data", made / "data7", "--quiet")
    assert invoke(main, "replay", made / "edit2", *again).stdout == ""
    changed(folder, "augmented", at(3, "income", 1.0))
    shown = invoke(main, "replay", folder, *again, code=1).stdout
    assert "outputs.augmented" in shown
    assert "augmented/00000.parquet: it differs from the one made again" in shown
    other = DATA.assign(age=DATA["age"].where(DATA.index != 7, 18))
    data = write_many(folder.parent / "other", 2, data=other)
    refusal = told(invoke(main, "replay", made / "edit2", "--data", data, code=2))
    assert "other does not hold the rows of data2: their digest is" in refusal


def test_a_full_disk_is_one_sentence_and_the_run_goes_on_later(made, monkeypatch, tmp_path):
    shutil.copy(made / "policy.rules", tmp_path)
    write = pyarrow.parquet.write_table

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pyarrow.parquet, "write_table", full)
    done = edit(tmp_path, made / "data2", "edit", "--sample", "60", code=2)
    assert "cannot be written (No space left on device). Make room, or name another folder." in done.stderr
    assert not (tmp_path / "edit").exists()
    assert "--resume goes on from there" in done.stderr
    monkeypatch.setattr(pyarrow.parquet, "write_table", write)
    edit(tmp_path, made / "data7", "edit", "--sample", "60", "--resume")
    assert differences(record_of(made / "edit1"), record_of(tmp_path / "edit")) == []
    edit(tmp_path, made / "data1", "edit", "--sample", "60", "--force")
    refusal = told(edit(tmp_path, tmp_path / "edit" / "augmented", "edit", "--sample", "60", "--force", code=2))
    assert "is read by the same command and lies in" in refusal


IMPOSSIBLE = {
    ("--how", "switches"): "--how is for a table in memory",
    ("--as-published",): "--as-published is for a table in memory",
    ("--recalibrate", "sigmoid"): "--recalibrate is for a table in memory",
    ("--counterexamples",): "--counterexamples is for a table in memory",
    ("--repeat", "2"): "--repeat is for a table in memory",
    ("--spreadsheet-safe",): "--spreadsheet-safe is for a table in memory",
    ("--evaluate", "printed"): "--evaluate is for a table in memory",
    (
        "--test",
        "policy.rules",
    ): "--test is for a table in memory, and this one is read by parts. Leave it out, and judge",
    ("--memory", "2GB"): "threads share the memory of this process. Add --scheduler processes.",
    ("--memory", "2MB", "--scheduler", "processes"): "--memory is 1GB at least, and not 2MB.",
    ("--scheduler", "somewhere"): "--scheduler is threads, processes, or the address of a scheduler",
    ("--scheduler", "tcp://127.0.0.1:9"): "--scheduler tcp://127.0.0.1:9: no scheduler answers there",
    ("--model", "xgboost.dask:DaskXGBClassifier"): "trains on a cluster, and there is no client of one",
}


@pytest.mark.parametrize("asked", IMPOSSIBLE, ids=" ".join)
def test_what_cannot_be_done_is_refused_before_anything_is_trained(made, monkeypatch, asked):
    monkeypatch.setattr(engines, "SECONDS", 0.3)
    assert IMPOSSIBLE[asked] in told(edit(made, made / "data2", "none", *asked, code=2))
    assert not (made / "none").exists()


def test_what_is_of_parts_alone_is_refused_for_a_table_in_memory(made):
    refusal = told(edit(made, made / "one.csv", "none", "--memory", "2GB", code=2))
    assert refusal.endswith("--memory is for tables that are read by parts, and this one is read as a whole.")


def test_no_room_for_what_memory_does_not_hold_is_told(made, monkeypatch):
    full = shutil.disk_usage(made)._replace(free=2 * 10**6)
    monkeypatch.setattr(engines.shutil, "disk_usage", lambda _: full)
    refusal = told(edit(made, made / "data2", "none", "--scheduler", "processes", code=2))
    assert "has 2 MB left. Make room there, name another folder by the environment variable TMPDIR" in refusal


class Cluster:
    """Stands for the client of a cluster."""

    def __init__(self, answer=None, workers=True):
        self.answer, self.workers = answer, workers

    def __call__(self, address, timeout):  # noqa: ARG002
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def wait_for_workers(self, count, timeout):  # noqa: ARG002
        if not self.workers:
            raise TimeoutError

    def run(self, call):
        if isinstance(self.answer, Exception):
            raise self.answer
        return {"tcp://w:1": {**call(), **self.answer}}


@pytest.mark.parametrize(
    ("cluster", "said"),
    [
        (Cluster(workers=False), "it has no worker. Start some with: dask worker tcp://w:8786."),
        (
            Cluster(ModuleNotFoundError("No module named 'frote'")),
            "has not what is needed (ModuleNotFoundError: No module named 'frote'). Install frote[dask] where",
        ),
        (Cluster({"pandas": "1.0"}), "the worker at tcp://w:1 has pandas 1.0, and here it is"),
    ],
)
def test_a_cluster_on_which_nothing_can_be_done_is_told(made, monkeypatch, cluster, said):
    import distributed

    monkeypatch.setattr(distributed, "Client", cluster)
    assert said in told(edit(made, made / "data2", "none", "--scheduler", "tcp://w:8786", code=2))


def of_two(folder, one, other, kind="parquet"):
    """Write two files of a table, the second one with something else in it."""
    folder.mkdir()
    for name, part in (("a", one), ("b", other)):
        getattr(part, f"to_{kind}")(folder / f"{name}.{kind}", index=False)
    return folder


HALF, REST = DATA[:250], DATA[250:]
ORDERED = pd.CategoricalDtype(["a", "b", "c"], ordered=True)
UNLIKE = {
    "another type": (HALF, REST.assign(age=REST["age"].astype(str)), "b.parquet: column 'age' holds texts, and in "),
    "no target": (HALF, REST.drop(columns="decision"), "b.parquet has no column 'decision', and other files have it."),
    "no column": (HALF, REST.drop(columns="age"), "b.parquet has no column 'age', and "),
    "one column more": (HALF, REST.assign(more=1), "a.parquet has no column 'more', and "),
    "an order of levels": (
        HALF.astype({"grade": ORDERED}),
        REST.astype({"grade": ORDERED}),
        "column 'grade' holds categories in an order of their own",
    ),
    "no label": (HALF, REST.assign(decision=None), "has no label at all."),
    "lists": (HALF.assign(age=[[1]] * 250), REST, "column 'age' holds list<"),
}


@pytest.mark.parametrize("what", UNLIKE)
def test_files_that_do_not_go_together_are_refused(made, tmp_path, what):
    one, other, said = UNLIKE[what]
    shutil.copy(made / "policy.rules", tmp_path)
    assert said in told(edit(tmp_path, of_two(tmp_path / "data", one, other), "edit", code=2))


def test_files_of_text_are_typed_as_one_file_is(made, tmp_path):
    shutil.copy(made / "policy.rules", tmp_path)
    days = HALF.assign(since="2020-01-02"), REST.assign(since="some day")
    refusal = told(edit(tmp_path, of_two(tmp_path / "days", *days, "csv"), "edit", code=2))
    assert "column 'since' holds texts, and in " in refusal
    assert refusal.endswith("or take it for texts: --categorical since.")
    asked = ("--categorical", "since", "--sample", "60")
    edit(tmp_path, tmp_path / "days", "edit", *asked)
    coded = HALF.assign(grade=1), REST.assign(grade="x")  # texts, as in one file
    edit(tmp_path, of_two(tmp_path / "codes", *coded, "csv"), "coded", "--sample", "60")
    kinds = json.loads((tmp_path / "coded" / "report.json").read_text("utf-8"))["composition"]["columns"]
    assert next(one for one in kinds if one["name"] == "grade")["levels"] == ["1", "x"]


def test_what_takes_one_file_says_so(made):
    for asked in (("--pick", "0", "--from", made / "edit1", "--data", made / "data1", "--out", made / "none"),):
        assert "was read by parts, which keeps no steps" in told(invoke(main, "edit", *asked, code=2))
    assert "was read by parts, and a dossier describes" in told(invoke(main, "dossier", made / "edit1", code=2))
    whole = made / "in_memory"
    if whole.is_dir():
        refusal = told(invoke(main, "replay", whole, "--data", made / "texts", code=2))
        assert "was made of one file, and " in refusal
