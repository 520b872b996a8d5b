"""Checkpoints: a run that was cut off at any moment ends in the same bytes; what is damaged or another's is refused."""

from __future__ import annotations

import io
import json
import os
import pickle
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from tests.estimators.results import cells, outcome
from tests.estimators.stubs import Counting, more_rows_are_better
from tests.examples import examples

import frote
from frote import CheckpointError
from frote.estimators.preparing import prepared
from frote.loop import checkpoint as module
from frote.ways_out import for_pages

ROOT = Path(__file__).parents[2]
LOANS = frote.datasets.load_loans(60)
X, Y = LOANS.X[["age", "income", "defaults"]], LOANS.y
RULES = "young: IF age < 29 AND defaults = 0 THEN approved\nrisky: IF defaults >= 2 THEN {denied: 0.9, approved: 0.1}"


def editor(checkpoint=None, estimator=None, rules=RULES, **parameters):
    """Return an editor of which some batches are accepted and some are not, whatever the defaults are."""
    given = {"schedule": "fixed", "weak_share": 0.0, "evaluate": "active", "select": "random"}
    given |= {"random_state": 1, "k": 3, "max_fits": 8, "batch_size": 6, "oversample": 2.0, "modify": "none"}
    estimator = DecisionTreeClassifier(max_depth=4) if estimator is None else estimator
    return frote.FROTE(estimator, rules, checkpoint=checkpoint, **{**given, **parameters})


def test_numbers_of_numpy_are_numbers(tmp_path):
    given = {"batch_size": np.int64(6), "agreement_weight": np.float32(0.5), "oversample": np.float32(2)}
    assert outcome(editor(tmp_path, **given), X, Y) == outcome(editor(), X, Y)


class Stopped(Exception):  # noqa: N818
    pass


def cut_off(editor, X=X, y=Y, after=3):
    """Start a run and break it off after a step."""

    def stop(step):
        if step.step == after:
            raise Stopped

    with pytest.raises(Stopped):
        editor.set_params(callbacks=[stop]).fit(X, y)
    return editor.set_params(callbacks=())


def held(folder):
    """Return what stands in a checkpoint."""
    return json.loads(json.loads((folder / "run.json").read_text("utf-8"))["run"])


def write(folder, **changed):
    """Change what stands in a checkpoint, with a digest that is right."""
    text = json.dumps({**held(folder), **changed})
    (folder / "run.json").write_text(json.dumps({"sha256": module.sha256(text.encode()), "run": text}), "utf-8")


@pytest.fixture(scope="module")
def expected():
    found = outcome(editor(), X, Y)
    accepted = next(line[2] for line in found["history"][1:] if line[0] == "accepted")
    assert {"True", "False"} <= set(accepted[1:])
    return found


@pytest.fixture
def begun(tmp_path):
    """Return the folder of a run that was cut off after three steps, of which some were accepted."""
    cut_off(editor(tmp_path))
    assert len(held(tmp_path)["steps"]) == 4
    assert held(tmp_path)["batches"]
    return tmp_path


# --- killed ---


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks a warm process")
def test_killed_at_random_moments(tmp_path):
    kills = examples(40)
    command = [sys.executable, "-m", "tests.loop.killed_runs", str(tmp_path), str(kills)]
    alone = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **alone}, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    kinds, runs = lines[:3], lines[3:]
    assert any({"True", "False"} <= set(kind["accepted"][1:]) for kind in kinds)
    assert all(not run["unlike"] for run in runs), runs
    killed = [run["killed_after"] for run in runs if run["killed_after"]]
    assert len(killed) == kills
    # They fell into different steps; of a few kills on a busy machine, most may fall into one.
    assert len({moment[0] for moment in killed}) >= (3 if kills >= 40 else 2)


class Killed(BaseException):
    pass


@pytest.mark.parametrize("moment", ["before", "half written", "written", "in place"])
def test_killed_at_every_write(moment, monkeypatch, tmp_path):
    # The end of a process leaves files as they are; whatever it was at, here it is at each write in turn.
    put, count = module._put, 0
    expected = outcome(editor(max_fits=3), X, Y)

    def dies(path, content):
        nonlocal count
        count -= 1
        if count:
            return put(path, content)
        beside = path.with_name(path.name + ".part")
        if moment == "half written":
            beside.write_bytes(content[: len(content) // 2])
        elif moment == "written":
            beside.write_bytes(content)
        elif moment == "in place":
            put(path, content)
        raise Killed

    for write in range(1, 100):
        folder = tmp_path / str(write)
        count = write
        monkeypatch.setattr(module, "_put", dies)
        try:
            editor(folder, max_fits=3).fit(X, Y)
        except Killed:
            pass
        else:
            break  # the run has fewer writes
        monkeypatch.setattr(module, "_put", put)
        assert outcome(editor(folder, max_fits=3), X, Y) == expected
    assert write > 1 + 4  # as many steps, and the batches that were accepted


def test_a_batch_that_was_written_but_not_told_of(begun, expected):
    # A kill between the two files leaves the batch of a step that run.json does not know.
    known = held(begun)
    last = max(map(int, known["batches"]))
    steps = [step for step in known["steps"] if step["step"] < last]
    before = {step: digest for step, digest in known["batches"].items() if int(step) < last}
    rejected = last - 1 - max([0, *map(int, before)])
    write(begun, steps=steps, batches=before, plan={"step": last, "size": 6, "rejected": rejected})
    assert (begun / f"batch-{last:06d}.npz").exists()
    assert outcome(editor(begun), X, Y) == expected


def test_a_file_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    path, beside = tmp_path / "run.json", tmp_path / "link"
    module._put(path, b"old")
    os.link(path, beside)

    def dies(number):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(module.os, "fsync", dies)
        with pytest.raises(Killed):
            module._put(path, b"new")
    assert path.read_bytes() == b"old"
    module._put(path, b"new")
    assert path.read_bytes() == b"new"
    assert beside.read_bytes() == b"old"  # a new file was put in place, the old one was not written to
    assert sorted(tmp_path.iterdir()) == [beside, path]


# --- goes on ---


@pytest.mark.parametrize("after", [0, 1, 4, 8])
def test_cut_off_after_any_step(after, tmp_path, expected):
    assert outcome(cut_off(editor(tmp_path), after=after), X, Y) == expected


def test_cut_off_again_and_again(tmp_path, expected):
    one = editor(tmp_path)
    for after in range(8):
        cut_off(one, after=after)
    assert outcome(one, X, Y) == expected


@pytest.mark.filterwarnings("ignore:No validation row")
@pytest.mark.parametrize(
    "parameters",
    [
        {"evaluate": "published"},
        {"evaluate": "published", "select": "ip"},
        {"select": "ip"},
        {"select": "online"},
        {"evaluate": (X[:40], Y[:40])},
        {"evaluate": 0.2},
        {"evaluate": 0.2, "modify": "drop", "select": "ip"},
        {"evaluate": "probes", "schedule": "adaptive", "weak_share": 0.5, "modify": "relabel", "patience": 6},
        {"scoring": "accuracy", "agreement_weight": "coverage", "modify": "drop"},
        {"random_state": np.int64(3)},
        {"rules": "IF age < 35 THEN approved WITH CONFIDENCE 0.6\nIF defaults >= 2 AND age >= 35 THEN denied"},
    ],
)
def test_any_settings(parameters, tmp_path):
    expected = outcome(editor(**parameters), X, Y)
    one = editor(tmp_path, **parameters)
    for after in (1, 3):
        cut_off(one, after=after)
    assert outcome(one, X, Y) == expected


def test_as_published(tmp_path):
    def make(folder):
        return frote.FROTE.as_published(
            frote.default_pipeline(LogisticRegression()), RULES, random_state=0, max_fits=5, k=2, checkpoint=folder
        )

    assert outcome(cut_off(make(tmp_path), LOANS.X), LOANS.X, Y) == outcome(make(None), LOANS.X, Y)


def all_accepted(folder, rules, **parameters):
    given = {"scoring": more_rows_are_better, "agreement_weight": 0.0, "max_fits": 5, "oversample": 9.0}
    return editor(folder, Counting(), rules, **{**given, **parameters})


MIXED = pd.DataFrame(
    {
        "number": [1.5, np.nan, 2.25, 1e-9] * 6,
        "whole": pd.array([3, None, 1, 2] * 6, dtype="Int16"),
        "level": pd.Categorical(["low", "high", None] * 8, categories=["low", "mid", "high"], ordered=True),
        "word": ["a", None, "c d", "é"] * 6,
        "object": pd.Series([None, "x", 1, 2.5] * 6, dtype=object),
        "truth": [True, False] * 12,
        "day": pd.date_range("2024-01-01", periods=24).where(np.arange(24) % 5 > 0),
        "zone": pd.date_range("2024-03-30", periods=24, freq="h", tz="Europe/Berlin"),
        "con stant": 7,
        "none": np.nan,
    },
    index=[f"row {number}" for number in range(24)],
)
MIXED_RULES = "IF whole > 1 AND level != mid THEN yes\nIF day < 2024-01-10 AND truth = false THEN {no: 0.5, yes: 0.5}"


@pytest.mark.parametrize("share", [0.0, 0.5])
@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "NumPy", "NumPy objects"])
def test_any_data(kind, share, tmp_path):
    rules = frote.parse_rules(MIXED_RULES).resolve("priority", MIXED)
    y = ["no", "yes", "maybe"] * 8
    if kind == "pandas":
        frame = MIXED
    elif kind == "arrow":
        pytest.importorskip("pyarrow")
        frame = MIXED.drop(columns=["object", "level"]).convert_dtypes(dtype_backend="pyarrow")
        rules = frote.parse_rules("IF whole > 1 AND truth = true THEN yes")
    elif kind == "polars":
        frame = pl.from_pandas(MIXED.drop(columns="object").assign(level=MIXED["level"].astype(object)))
        frame = frame.with_columns(pl.col("level").cast(pl.Enum(["low", "mid", "high"])), pl.col("day").cast(pl.Date))
        y = pl.Series("answer", y)
    elif kind == "NumPy":
        frame = MIXED[["number", "whole", "con stant"]].to_numpy(dtype=np.float32, na_value=np.nan)
        rules, y = "IF x1 > 1 THEN 2", np.array([1, 2, 3] * 8, dtype=np.int8)
    else:
        frame = MIXED[["number", "word", "truth"]].to_numpy(dtype=object)
        rules = "IF x1 = a THEN yes"
    given = {"modify": "relabel", "weak_share": share}
    expected = outcome(all_accepted(None, rules, **given), frame, y)
    one = cut_off(all_accepted(tmp_path, rules, **given), frame, y)
    assert len(held(tmp_path)["batches"]) == 3
    assert outcome(one, frame, y) == expected


def test_a_batch_is_written_once(tmp_path, monkeypatch):
    written, put = [], module._put
    monkeypatch.setattr(module, "_put", lambda path, content: (written.append(path.name), put(path, content)))
    cut_off(all_accepted(tmp_path, "IF age < 29 THEN approved"))
    all_accepted(tmp_path, "IF age < 29 THEN approved").fit(X, Y)
    assert written.count("run.json") == 6
    assert sorted(set(written) - {"run.json"}) == [f"batch-{step:06d}.npz" for step in range(1, 6)]
    assert len(written) == 6 + 5


class Tally(DecisionTreeClassifier):
    fits = 0

    def fit(self, X, y):
        Tally.fits += 1
        return super().fit(X, y)


def test_what_is_read_is_what_was_written(tmp_path):
    rules = frote.parse_rules(
        "IF whole > 1 THEN yes WITH CONFIDENCE 0.5\nIF day < 2024-01-10 AND truth = false THEN no"
    )
    one, y = all_accepted(tmp_path, rules.resolve("priority", MIXED), weak_share=0.5), ["no", "yes", "maybe"] * 8
    start = prepared(one, MIXED, y, tmp_path)
    steps, _ = one._run(start.loop, start.checkpoint)
    again = prepared(one, MIXED, y, tmp_path)
    past = again.checkpoint.past(again.loop)
    assert repr(past.steps) == repr(tuple(steps))  # NaN is unlike itself
    assert past.plan == start.loop.plan
    assert len(past.batches) == 5
    assert any((batch.rows.own != batch.rows.labels).any() for _, batch in past.batches)
    for (number, read), (step, made) in zip(past.batches, start.loop.state.batches, strict=True):
        assert number == step
        for name in ("piece", "base", "neighbour", "strong"):
            assert cells(getattr(read, name)) == cells(getattr(made, name))
        for name in ("labels", "own", "frame"):
            assert cells(getattr(read.rows, name)) == cells(getattr(made.rows, name))
        for name in ("owner", "met"):
            assert cells(getattr(read.rows.attribution, name)) == cells(getattr(made.rows.attribution, name))
        assert read.rows.table.digest() == made.rows.table.digest()


def test_a_run_that_came_to_its_end_is_not_run_again(tmp_path):
    expected = outcome(editor(tmp_path, Tally(max_depth=4)), X, Y)
    assert Tally.fits == expected["fits"] == 9
    steps = []
    assert outcome(editor(tmp_path, Tally(max_depth=4), callbacks=[steps.append]), X, Y) == expected
    assert steps == []
    assert Tally.fits == 9 + 1  # its last model, which is not counted


def test_a_time_limit_and_an_interrupt_are_gone_on_from(tmp_path, expected):
    assert editor(tmp_path, time_limit=0.0).fit(X, Y).n_fits_ == 1

    def interrupt(step):
        if step.step == 2:
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="Editing was interrupted"):
        assert editor(tmp_path, callbacks=[interrupt]).fit(X, Y).n_fits_ == 3
    assert outcome(editor(tmp_path), X, Y) == expected


def test_what_only_watches_or_speeds_up_may_differ(tmp_path, expected, capsys):
    cut_off(editor(tmp_path), after=1)
    seen = []
    with joblib.parallel_config(backend="threading"):
        cut_off(editor(tmp_path, n_jobs=3), after=4)
    other = editor(tmp_path, progress=True, time_limit=1e6, callbacks=[lambda step: seen.append(step.step)])
    other.set_params(checkpoint=str(tmp_path))
    assert outcome(other, X.set_index(X.index + 100), Y) == {**expected, "ledger": cells(other.ledger_)}
    assert seen == [5, 6, 7, 8]
    assert "editing" in capsys.readouterr().err


def test_several_workers(tmp_path, expected):
    one = editor(tmp_path, n_jobs=2)
    with joblib.parallel_config(backend="threading"):
        for after in (1, 2, 5):
            cut_off(one, after=after)
        assert outcome(one, X, Y) == expected


def test_the_classifier_has_checkpoints_too(tmp_path):
    parameters = editor(tmp_path).get_params(deep=False)
    cut_off(editor(tmp_path))
    model = frote.FROTEClassifier(**parameters).fit(X, Y)
    assert model.n_fits_ == 9
    np.testing.assert_array_equal(model.predict(X), editor().fit(X, Y).estimator_.predict(X))


@pytest.mark.parametrize("make", [lambda: None, lambda: np.random.RandomState(4), lambda: np.random.default_rng(4)])
def test_without_a_seed_the_one_that_was_drawn_is_kept(make, tmp_path):
    cut_off(editor(tmp_path, random_state=make()))
    found = outcome(editor(tmp_path, random_state=make()), X, Y)
    assert found == outcome(editor(random_state=held(tmp_path)["seed"]), X, Y)


def test_a_generator_that_has_gone_on_resumes_too(tmp_path):
    chance = np.random.RandomState(4)
    cut_off(editor(tmp_path, random_state=chance))
    found = outcome(editor(tmp_path, random_state=chance), X, Y)
    assert found == outcome(editor(random_state=held(tmp_path)["seed"]), X, Y)


def failing(folder, most):
    class Picky(DecisionTreeClassifier):
        def fit(self, X, y):
            if len(X) > most:
                raise LookupError(f"more than {most}")
            return super().fit(X, y)

    return editor(folder, Picky(max_depth=3), max_fits=4)


def test_failures_before_and_after(tmp_path):
    cut_off(failing(tmp_path, 60), after=2)
    told = "LookupError: more than 60\nThe estimator raised this while it was trained.\nEvery retraining failed;"
    with pytest.raises(RuntimeError, match=f"^{re.escape(told)}"):
        failing(tmp_path, 60).fit(X, Y)


# --- what is in it ---


def test_nothing_in_it_is_pickled(tmp_path):
    rules = frote.parse_rules(MIXED_RULES).resolve("priority", MIXED)
    all_accepted(tmp_path, rules, weak_share=0.5).fit(MIXED, ["no", "yes", "maybe"] * 8)
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == [*(f"batch-{step:06d}.npz" for step in range(1, 6)), "run.json"]
    for path in tmp_path.glob("*.npz"):
        with zipfile.ZipFile(path) as archive:
            assert all(name.endswith(".npy") for name in archive.namelist())
        with np.load(path, allow_pickle=False) as arrays:
            assert all(not arrays[name].dtype.hasobject for name in arrays)


class Evil:
    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (self.folder,)


def test_a_pickle_that_someone_put_there_is_not_opened(begun):
    step = next(iter(held(begun)["batches"]))
    path = begun / f"batch-{int(step):06d}.npz"
    with np.load(path) as arrays:
        good = dict(arrays)
    evil = Evil(str(begun / "opened"))
    for whole in (True, False):
        file = io.BytesIO()
        if whole:
            file.write(pickle.dumps(evil))
        else:
            np.savez(file, **{**good, "values 0": np.array([evil], dtype=object)})
        path.write_bytes(file.getvalue())
        write(begun, batches={**held(begun)["batches"], step: module.sha256(file.getvalue())})
        with pytest.raises(CheckpointError, match="is damaged or cut off"):
            editor(begun).fit(X, Y)
        assert not (begun / "opened").exists()


# --- damaged ---


def refused(folder, text, **parameters):
    """Run and hold the one sentence against a text; the folder stays as it was."""
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} if folder.is_dir() else {}
    with pytest.raises(CheckpointError) as caught:
        editor(folder, **parameters).fit(X, Y)
    assert str(caught.value) == text, str(caught.value)
    for name, content in before.items():
        assert (folder / name).read_bytes() == content


def damaged(path):
    return f"The checkpoint file {str(path)!r} is damaged or cut off. Delete its folder, or use another, to start anew."


def test_cut_anywhere(begun):
    path = begun / "run.json"
    content = path.read_bytes()
    for length in {0, 1, 2, 10, 75, 90, len(content) // 2, len(content) - 2, len(content) - 1}:
        path.write_bytes(content[:length])
        refused(begun, damaged(path))


def test_bytes_that_changed(begun):
    path = begun / "run.json"
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in [0, 3, 20, len(content) - 2, *rng.integers(len(content), size=25)]:
        spoiled = bytearray(content)
        spoiled[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(spoiled)
        refused(begun, damaged(path))


@pytest.mark.parametrize(
    "content",
    [
        b"hello",
        b"\xff\xfe",
        b"[]",
        b"3",
        b"null",
        b"{}",
        b'{"run": 3, "sha256": "x"}',
        b'{"run": "{}", "sha256": ["x"]}',
        json.dumps({"run": "[]", "sha256": module.sha256(b"[]")}).encode(),
        json.dumps({"run": "{}", "sha256": module.sha256(b"{}")}).encode(),
        json.dumps({"run": "oh", "sha256": module.sha256(b"oh")}).encode(),
    ],
)
def test_another_file_of_that_name(content, tmp_path):
    (tmp_path / "run.json").write_bytes(content)
    refused(tmp_path, damaged(tmp_path / "run.json"))


def test_a_folder_of_that_name(tmp_path):
    (tmp_path / "run.json").mkdir()
    refused(tmp_path, damaged(tmp_path / "run.json"))


@pytest.mark.parametrize("how", ["gone", "empty", "cut", "changed", "another", "folder"])
def test_a_batch_that_is_damaged(how, begun):
    path = begun / f"batch-{max(map(int, held(begun)['batches'])):06d}.npz"
    content = path.read_bytes()
    path.unlink()
    if how == "folder":
        path.mkdir()
    elif how != "gone":
        changed = content[:-1] + bytes([content[-1] ^ 1])
        path.write_bytes({"empty": b"", "cut": content[:-7], "changed": changed, "another": b"PK"}[how])
    refused(begun, damaged(path))


def test_another_format(begun):
    write(begun, format=1)
    refused(
        begun,
        f"The checkpoint in {str(begun)!r} has format 1, and this version of frote reads 2. "
        "Use another folder to start anew.",
    )


def test_a_folder_that_cannot_be(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("here")
    for folder, why in ((file, "File exists"), (file / "below", "Not a directory")):
        refused(folder, f"The checkpoint {str(folder)!r} cannot be written: {why}. Use another folder.")
    # Whoever runs tests as root may write everywhere.
    monkeypatch.setattr(module.os, "access", lambda *_: False)
    refused(tmp_path, f"The checkpoint {str(tmp_path)!r} cannot be written: Permission denied. Use another folder.")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
@pytest.mark.parametrize("name", ["run.json", "batch-000001.npz"])
def test_a_disk_that_is_full(name, tmp_path):
    (tmp_path / f"{name}.part").symlink_to("/dev/full")
    path = tmp_path / name
    with pytest.raises(CheckpointError) as caught:
        all_accepted(tmp_path, "IF age < 29 THEN approved").fit(X, Y)
    text = f"The checkpoint {str(path)!r} cannot be written: No space left on device. Use another folder."
    assert str(caught.value) == text
    with for_pages():
        assert "kept: full. Make room, and try again" in str(module._unwritten(path, "full"))


# --- of another run ---


def scored(model, X, y):
    return 0.5


OTHERS = {
    "data": {},
    "labels": {},
    "rules": {"rules": RULES.replace("29", "30")},
    "estimator": {"estimator": DecisionTreeClassifier(max_depth=5)},
    "modify": {"modify": "drop"},
    "select": {"select": "ip"},
    "schedule": {"schedule": "adaptive"},
    "weak_share": {"weak_share": 0.25},
    "evaluate": {"evaluate": "published"},
    "agreement_weight": {"agreement_weight": 0.25},
    "scoring": {"scoring": scored},
    "k": {"k": 4},
    "oversample": {"oversample": 3.0},
    "max_fits": {"max_fits": 9},
    "batch_size": {"batch_size": 7},
    "patience": {"patience": 3},
    "threads": {"threads": 2},
    "kinds": {"kinds": {"age": "continuous"}},
    "random_state": {"random_state": 2},
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_run_is_refused_with_the_difference(name, begun):
    frame, y = X, Y
    if name == "data":
        frame = X.assign(age=[X["age"].iloc[0] + 1, *X["age"].iloc[1:]])
    elif name == "labels":
        y = [*Y[:-1], "approved" if Y.iloc[-1] == "denied" else "denied"]
    with pytest.raises(CheckpointError) as caught:
        editor(begun, **OTHERS[name]).fit(frame, y)
    start, end = f"The checkpoint in {str(begun)!r} is of another run: ", ". Use another folder to start anew."
    text = str(caught.value)
    assert text.startswith(start)
    assert text.endswith(end)
    told = text.removeprefix(start).removesuffix(end)
    names = [part.split(" was ")[0] for part in told.split("; ")]
    assert names == (["data", "kinds"] if name == "kinds" else [name])
    old, new = told.split("; ")[0].removeprefix(f"{names[0]} was ").split(", now ")
    assert old != new


def test_the_part_that_differs_is_shown(begun):
    def text(**parameters):
        with pytest.raises(CheckpointError) as caught:
            editor(begun, **parameters).fit(X, Y)
        return str(caught.value)

    assert "max_depth=4" in text(estimator=DecisionTreeClassifier(max_depth=5))
    assert "max_depth=5" in text(estimator=DecisionTreeClassifier(max_depth=5))
    assert "k was 3, now 4" in text(k=4)
    assert "defaults >= 2" in text(rules=RULES.replace(">= 2", ">= 1"))
    assert "defaults >= 1" in text(rules=RULES.replace(">= 2", ">= 1"))
    assert "random_state was 1, now None" in text(random_state=None)
    two = text(k=4, modify="drop")
    assert "k was 3, now 4; modify was 'none', now 'drop'. Use" in two


def test_another_version(begun, monkeypatch):
    from frote.estimators import preparing

    known = preparing.versions
    monkeypatch.setattr(preparing, "versions", lambda model: {**known(model), "numpy": "9.9", "new": "1.0"})
    refused(
        begun,
        f"The checkpoint in {str(begun)!r} is of another run: numpy was {np.__version__}, now 9.9; "
        "new was not there, now 1.0. Use another folder to start anew.",
    )


def test_another_frame_of_equal_numbers(tmp_path):
    array = X.fillna(0).to_numpy(dtype=float)
    cut_off(all_accepted(tmp_path, "IF x0 < 29 THEN approved"), array)
    with pytest.raises(CheckpointError, match="is of another run: data was"):
        all_accepted(tmp_path, "IF x0 < 29 THEN approved").fit(pd.DataFrame(array, columns=["x0", "x1", "x2"]), Y)


def test_what_was_kept_of_a_run_is_read_for_that_run_alone(begun, tmp_path):
    start = prepared(editor(begun), X, Y, begun)
    same, seed = start.checkpoint.identity, start.loop.bench.seed
    assert [step for step, _ in module.Checkpoint(begun, same, seed).kept(start.loop).tried] == [1, 2, 3]
    gone = "not there, damaged, or of another version of frote"
    for folder, identity, number, told in (
        (begun, {**same, "rules": "other"}, seed, "of another run: "),
        (begun, same, seed + 1, gone),
        (tmp_path / "nothing", same, seed, gone),
    ):
        with pytest.raises(CheckpointError, match=f"^The steps kept in '.*' are {told}.*Edit again"):
            module.Checkpoint(folder, identity, number).kept(start.loop)
