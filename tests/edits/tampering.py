"""Folders of an edit, changed in every way that we could think of, and who sees it."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
from functools import cache
from pathlib import Path

from frote.edits.ours import RECORD
from frote.edits.record import root_of

ROOT = Path(__file__).parents[2]
INDEPENDENT = ROOT / "tools" / "verify_edit.py"
NOBODY = "-"


def read(folder):
    """Return the record of a folder."""
    return json.loads((folder / RECORD).read_text("utf-8"))


def write(folder, record):
    """Write the record of a folder."""
    (folder / RECORD).write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", "utf-8")


def adapt(folder, *, root=True):
    """Adapt the digests of a record to what lies in its folder, and its root to them."""
    record = read(folder)
    for name in record["files"]:
        record["files"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    for stem in record["outputs"].keys() - {"predictions"}:
        (record["outputs"][stem],) = (one for name, one in record["files"].items() if name.split(".")[0] == stem)
    if root:
        record["root"] = root_of(record)
    write(folder, record)


def one_byte(name):
    """Change one byte in the middle of a file."""

    def change(folder):
        content = bytearray((folder / name).read_bytes())
        content[len(content) // 2] ^= 1
        (folder / name).write_bytes(content)

    return change


def replaced(name, old, new):
    """Change a text in a file, where it stands first."""

    def change(folder):
        content = (folder / name).read_text("utf-8")
        assert old in content
        (folder / name).write_text(content.replace(old, new, 1), "utf-8")

    return change


def cell(name, wanted, column, value):
    """Change a cell of the first row whose line in the ledger is wanted."""

    def change(folder):
        ledger = [line.split(",") for line in (folder / "ledger.csv").read_text("utf-8").splitlines()]
        place = next(place for place, line in enumerate(ledger) if line[3] == wanted)
        lines = (folder / name).read_text("utf-8").splitlines()
        cells = lines[place].split(",")
        cells[lines[0].split(",").index(column)] = value
        lines[place] = ",".join(cells)
        (folder / name).write_text("\n".join([*lines, ""]), "utf-8")

    return change


def without_row(*names):
    """Take the same row out of some tables."""

    def change(folder):
        for name in names:
            lines = (folder / name).read_text("utf-8").splitlines()
            (folder / name).write_text("\n".join([*lines[:5], *lines[6:], ""]), "utf-8")

    return change


def swapped(folder):
    """Exchange the models."""
    names = [folder / name for name in ("before.skops", "model.skops")]
    contents = [path.read_bytes() for path in names]
    for path, content in zip(names, contents[::-1], strict=True):
        path.write_bytes(content)


def gone(name):
    """Delete a file."""
    return lambda folder: (folder / name).unlink()


def recorded(*path, value):
    """Change what a record says."""

    def change(folder):
        record = read(folder)
        part = record
        for name in path[:-1]:
            part = part[name]
        assert part[path[-1]] != value
        part[path[-1]] = value
        write(folder, record)

    return change


def rooted(folder):
    """Adapt the root of a record to what it says, and nothing else."""
    record = read(folder)
    write(folder, {**record, "root": root_of(record)})


def then(*changes):
    """Make several changes."""

    def change(folder):
        for one in changes:
            one(folder)

    return change


def consistently(change):
    """Make a change, and adapt digests and root to it."""
    return then(change, adapt)


def of_another(*names):
    """Take files from another edit of the same data."""

    def change(folder):
        for name in names:
            shutil.copy(folder.parent / "another" / name, folder / name)

    return change


FILES = (
    *("augmented.csv", "ledger.csv", "rules.rules", "before.skops", "model.skops", "report.json", "report.html"),
    *("cases.csv", "steps/run.json", "steps/batch-000001.npz"),
)
A_RULE = replaced("rules.rules", "age < 29", "age < 28")
A_CELL = cell("augmented.csv", "kept", "age", "63")
A_LABEL = cell("augmented.csv", "kept", "decision", "perhaps")
A_MADE = cell("augmented.csv", "synthetic", "age", "63")
A_GUARD = cell("augmented.csv", "guard", "age", "20")
A_SCORE = replaced("report.json", '"outside": ', '"outside": 1')

CHANGES = {
    "nothing": then(),
    **{f"one byte of {name}": one_byte(name) for name in FILES},
    **{f"{name} deleted": gone(name) for name in ("ledger.csv", "model.skops")},
    "one cell of a row that was kept": A_CELL,
    "one label": A_LABEL,
    "one cell of a row that was made": A_MADE,
    "one row of the data": without_row("augmented.csv"),
    "one row of the ledger": without_row("ledger.csv"),
    "one rule": A_RULE,
    "the two models exchanged": swapped,
    "the report of another edit": of_another("report.json", "report.html"),
    "the model of another edit": of_another("model.skops"),
    "a score in the record": recorded("scores", "after", "f1", value=0.99),
    "the times in the record": recorded("timings", "editing", value=9.0),
    "one cell, and its file's digest in the record": then(A_CELL, lambda folder: adapt(folder, root=False)),
    **{
        f"{name}; digests and root adapted": consistently(change)
        for name, change in {
            "one cell of a row that was kept": A_CELL,
            "one label": A_LABEL,
            "one cell of a row that was made": A_MADE,
            "one cell of a row just outside": A_GUARD,
            "one row of the data": without_row("augmented.csv"),
            "one row of the data and the ledger": without_row("augmented.csv", "ledger.csv"),
            "one rule": A_RULE,
            "the two models exchanged": swapped,
            "the report of another edit": of_another("report.json", "report.html"),
            "the model of another edit": of_another("model.skops"),
            "a number of the report": A_SCORE,
            "the page alone": replaced("report.html", "</h1>", " (approved)</h1>"),
            "a case": replaced("cases.csv", "approved", "denied"),
            "one byte of the steps kept": one_byte("steps/batch-000001.npz"),
        }.items()
    },
    "a score in the record; root adapted": then(recorded("scores", "after", "f1", value=0.99), rooted),
    "how many rows to judge on stand in the data; root adapted": then(recorded("test", "seen", value=7), rooted),
    "the name of the data; root adapted": then(recorded("data", "name", value="other.csv"), rooted),
    "all of another edit": lambda folder: [shutil.rmtree(folder), shutil.copytree(folder.parent / "another", folder)],
}


@cache
def independent():
    """Return the function of the independent verifier that verifies a folder."""
    spec = importlib.util.spec_from_file_location("verify_edit", INDEPENDENT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.verify


def as_table(seen):
    """Lay out who sees what: for each change, what each of them names."""
    head = ["what was changed", "`frote verify`", "a signature", "`frote replay`", "`verify_edit.py`"]
    lines = [head, ["---"] * len(head), *([change, *named] for change, named in seen.items())]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
