"""A checkpoint that someone forged, digests and all, is refused in one sentence, or is what it was."""

from __future__ import annotations

import io
import itertools
import json
import zipfile

import numpy as np
import pytest
from tests.loop.test_checkpoint import X, Y, cut_off, editor, held

from frote import CheckpointError
from frote.estimators.preparing import prepared
from frote.loop.checkpoint import Checkpoint
from frote.loop.checkpoint_contents import require_parts, sha256

WRONG = [None, True, -1, 3, 10**30, 1.5, float("nan"), 1e308, "x", "\ud800", "9", [], [1], {}, {"a": 1}, [[[]]]]


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A run that was cut off, prepared to go on; and what it has in its folder."""
    folder = tmp_path_factory.mktemp("run")
    cut_off(editor(folder))
    start = prepared(editor(folder), X, Y, folder)
    return folder, start, {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def read(begun):
    """Write changed files in the folder, and return what is read of them; None if they are refused."""
    folder, start, files = begun

    def again(changed):
        for name, content in {**files, **changed}.items():
            (folder / name).write_bytes(content)
        try:
            Checkpoint.open(folder, start.checkpoint.identity, 1)
            return start.checkpoint.past(start.loop)
        except CheckpointError:
            return None

    yield again
    again({})


def run_json(known):
    text = json.dumps(known)
    return {"run.json": json.dumps({"sha256": sha256(text.encode("utf-8", "replace")), "run": text}).encode()}


def places(value, path=()):
    """Return the way to every part of plain data."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in items:
        yield from places(part, (*path, name))


def changed(value, path, new):
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = changed(value[path[0]], path[1:], new)
    return copy


def test_anything_anywhere_in_a_run(begun, read):
    known, expected = held(begun[0]), read({})
    refused, wrong = 0, itertools.cycle(WRONG)  # of as many as there are places, to each another five
    for path in places(known):
        for new in itertools.islice(wrong, 5):
            found = read(run_json(changed(known, path, new)))
            refused += found is None
            # What is taken can be nothing that decides how the run goes on, or how much it takes.
            if found is not None:
                assert found.plan == expected.plan, (path, new)
                assert [step for step, _ in found.batches] == [step for step, _ in expected.batches], (path, new)
                assert [step.added for step in found.steps] == [step.added for step in expected.steps], (path, new)
    assert refused > 200


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 100_000,
        b'{"run": ' + b"[" * 100_000,
        b"9" * 5000,
        json.dumps({"run": "[" * 100_000, "sha256": sha256(b"[" * 100_000)}).encode(),
        json.dumps({"run": "\ud800", "sha256": ""}).encode(),
    ],
)
def test_what_is_no_run_at_all(read, content):
    assert read({"run.json": content}) is None


def savez(arrays, compressed=False):
    file = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, **arrays)
    return file.getvalue()


def claiming(shape, kind="<f8"):
    """Return an archive of one array, as large as it says and empty."""
    header, file = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": kind, "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("piece.npy", header.getvalue())
    return file.getvalue()


def test_any_array_of_a_batch(begun, read):
    folder, _, files = begun
    step = next(iter(held(folder)["batches"]))
    name = f"batch-{int(step):06d}.npz"

    known = held(folder)

    def forged(content):
        return read({name: content, **run_json(changed(known, ("batches", step), sha256(content)))})

    with np.load(io.BytesIO(files[name])) as arrays:
        good = dict(arrays)
    assert forged(savez(good)) is not None
    bad = [savez({one: array for one, array in good.items() if one != left}) for left in good]
    for one, array in good.items():
        others = [array[:-1], array[:0], array[None], array.astype("c16"), array.astype("S9"), np.array(7)]
        if array.dtype.kind == "i" and " " not in one:
            others += [np.full_like(array, value) for value in (-2, np.iinfo(array.dtype).max)]
        bad += [savez({**good, one: other}) for other in others]
    away = {**good, "values 0": np.full_like(good["values 0"], 99), "values 2": np.full_like(good["values 2"], 1)}
    bad += [savez(away)]  # rows outside of their rules
    bad += [
        savez(good, compressed=True),
        claiming((10**15,)),
        claiming((-1,)),
        claiming((2,) * 40),
        claiming((9,), "O"),
    ]
    bad += [b"", b"PK", files[name][:-9]]
    assert [number for number, content in enumerate(bad) if forged(content) is not None] == []


@pytest.mark.parametrize("name", ["step", "twins", "added", "guards", "previous", "fit_seconds", "other_seconds"])
@pytest.mark.parametrize("wrong", [None, "1", [1], True])
def test_a_number_of_a_step_that_is_none(begun, read, name, wrong):
    known = held(begun[0])
    assert read(run_json(changed(known, ("steps", 1, name), wrong))) is None


@pytest.mark.parametrize("name", ["objective", "agreement", "outside", "uncovered"])
@pytest.mark.parametrize("wrong", [None, "1", [1], True])
def test_a_number_of_scores_that_is_none(begun, read, name, wrong):
    known = held(begun[0])
    assert read(run_json(changed(known, ("steps", 0, "scores", name), wrong))) is None


def test_batches_of_steps_that_were_not_scored(begun, read):
    known = held(begun[0])
    (first, digest), *others = known["batches"].items()
    for batches in (
        {"99": digest, **dict(others)},
        dict(others),
        {first: digest, **dict(others[:-1])},
        {**known["batches"], "99": digest},
        {"x": digest, **dict(others)},
        {first: 7, **dict(others)},
    ):
        assert read(run_json({**known, "batches": batches})) is None


@pytest.mark.parametrize("parts", [{"seed": 2**128}, {"seed": -1}, {"batches": {"x": ""}}, {"batches": {"1": 7}}])
def test_parts_that_are_beyond_their_bounds(parts):
    good = {"format": 1, "identity": {}, "seed": 2**128 - 1, "steps": [], "plan": {}, "batches": {"1": ""}}
    require_parts(good)
    with pytest.raises(ValueError, match=r"^$"):
        require_parts({**good, **parts})


def test_an_array_that_is_longer_than_it_says(begun, read):
    folder, _, files = begun
    known = held(folder)
    step = next(iter(known["batches"]))
    name = f"batch-{int(step):06d}.npz"
    file, archive = io.BytesIO(), zipfile.ZipFile(io.BytesIO(files[name]))
    with zipfile.ZipFile(file, "w") as longer:
        for one in archive.namelist():
            content = archive.read(one)
            longer.writestr(one, content.replace(b"'shape': (6,)", b"'shape': (5,)"))
    content = file.getvalue()
    assert b"'shape': (5,)" in content
    assert read({name: content, **run_json(changed(known, ("batches", step), sha256(content)))}) is None
