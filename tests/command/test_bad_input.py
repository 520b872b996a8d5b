"""Bad input to commands: one sentence, exit code 2, nothing half-written."""

from __future__ import annotations

import gzip
import json
import os
import re
import resource
from pathlib import Path

import pytest

TABLE = "age,income,decision\n" + "".join(
    f"{20 + n},{1000 * n},{'approved' if n % 3 else 'denied'}\n" for n in range(40)
)
RULES = "young: IF age < 29 THEN approved\n"
FIVE = """
a: IF age << 29 THEN approved
b: IF THEN approved
c: IF age < 29 approved
d: IF age < THEN denied
e: IF (age < 29 THEN denied
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "data.csv").write_text(TABLE)
    (tmp_path / "policy.rules").write_text(RULES)
    return tmp_path


@pytest.fixture
def told(call, folder):
    """A function that has an edit fail, and returns what it says; `by` runs the command."""

    def said(*arguments, data="data.csv", target="decision", rules="policy.rules", out="out", by=call):
        before = sorted(path for path in folder.rglob("*"))
        done = by(
            *("edit", "--data", data, "--target", target, "--rules", rules, "--out", out, "--quiet", *arguments),
            cwd=folder,
            code=2,
        )
        assert sorted(path for path in folder.rglob("*")) == before
        assert done.stdout == ""
        assert "Traceback" not in done.stderr
        assert done.stderr.startswith("Error: ")
        return done.stderr[len("Error: ") :]

    return said


@pytest.mark.parametrize("content", ["", "# young: IF age < 29 THEN approved\n", "{json}"])
def test_a_file_without_a_rule(folder, call, content):
    """Whichever command reads it: a guard that holds of no rule would hold of anything."""
    name = "none.json" if content == "{json}" else "none.rules"
    (folder / name).write_text(content.replace("{json}", '{"format": "frote rules", "version": 1, "rules": []}'))
    table, rules = ("--data", "data.csv", "--target", "decision"), ("--rules", name)
    model = ("--load", "no.skops")
    for command in (
        ("check", *rules, "--data", "data.csv"),
        ("check", *rules, *table),
        ("resolve", *rules, "--how", "mix"),
        ("preview", *rules, *table),
        ("edit", *rules, *table, "--out", "out"),
        ("overlay", *rules, "--data", "data.csv", *model, "--out", "out.csv"),
    ):
        done = call(*command, cwd=folder, code=2)
        assert done.stderr == (
            f"Error: {name} has no rule. Write one on a line of its own, such as: IF age < 29 THEN approved\n"
        )
    assert not (folder / "out").exists()


DAMAGED = {
    "empty": (b"", "is empty"),
    "header only": (b"age,income,decision\n", "no rows"),
    "binary": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(200), "is no table"),
    "zip": (b"PK\x03\x04" + bytes(range(256)) * 4, "zip archive"),
    "ragged": (TABLE.encode() + b"30,1\n", "line 42"),
    "mixed": (TABLE.encode() + b"old,2000,denied\n", "'age'"),
    "twice": (TABLE.replace("income", "age").encode(), "'age'"),
    "long line": (b"age,income,decision\n1,2," + b"a" * (17 << 20) + b"\n", "line 2"),
    "no gzip": (b"\x1f\x8b\x08\x00 damaged", "gzip"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_table_that_cannot_be_read(told, folder, name):
    content, part = DAMAGED[name]
    (folder / "bad.csv").write_bytes(content)
    text = told(data="bad.csv")
    assert "bad.csv" in text
    assert part in text
    assert text.count("\n") == 1


def test_a_table_that_is_not_there(told, run):
    for by in ({}, {"by": run}):  # in this process, and by the installed command
        assert told(data="none.csv", **by) == "none.csv: there is no such file. Check the path.\n"


def test_a_target_that_is_not_there(told):
    assert told(target="decison") == "data.csv has no column 'decison'. Did you mean 'decision'?\n"


def test_rows_without_a_label(told, folder):
    (folder / "gaps.csv").write_text(TABLE + "30,1000,\n")
    assert told(data="gaps.csv") == "1 rows of gaps.csv have no 'decision', the first is line 42. Leave them out.\n"


def test_all_mistakes_of_a_rule_file_are_shown(told, folder):
    (folder / "five.rules").write_text(FIVE)
    text = told(rules="five.rules")
    for line in range(2, 7):
        assert f"line {line}, column " in text


def test_rules_that_are_not_there_or_do_not_fit(told, folder):
    assert "none.rules" in told(rules="none.rules")
    (folder / "other.rules").write_text("IF agee < 29 THEN approved\n")
    assert "'agee'" in told(rules="other.rules")
    (folder / "label.rules").write_text("IF age < 29 THEN aproved\n")
    assert "Did you mean 'approved'?" in told(rules="label.rules")
    (folder / "clash.rules").write_text("IF age < 29 THEN approved\nIF age < 25 THEN denied\n")
    assert "conflict" in told(rules="clash.rules")


def test_an_unknown_model_and_parameter(told):
    assert told("--model", "forrest").startswith("No model 'forrest'. Did you mean 'forest'?")
    assert told("--param", "c=1") == "logistic has no parameter 'c'. Did you mean 'C'?\n"


def test_a_model_that_cannot_be_trained_and_no_workers(told):
    text = told("--param", "C=-1")
    assert text.startswith("The model 'logistic' cannot be trained: InvalidParameterError: The 'C' parameter of")
    assert told("--n-jobs", "0") == "--n-jobs is a number of workers, or -1 for all cores, and not 0.\n"


def test_a_table_to_judge_on_with_other_columns(told, folder):
    (folder / "test.csv").write_text(TABLE.replace("income", "wage"))
    assert told("--test", "test.csv") == "test.csv has no column 'income'. Known: 'age', 'wage'.\n"
    (folder / "test.csv").write_text("age,income,decision\n31,high,yes\n25,low,no\n")
    text = "test.csv: column 'income' holds texts, and in data.csv it holds numbers. "
    assert told("--test", "test.csv") == f"{text}Write it alike, or take it for texts in both: --categorical income.\n"


def test_a_folder_that_cannot_be_written(told, folder):
    (folder / "file").write_text("")
    assert told(out="file/out") == "file/out cannot be written: Not a directory.\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(told, folder):
    closed = folder / "closed"
    closed.mkdir(mode=0o500)
    assert told(out="closed/out") == "closed/out cannot be written: Permission denied.\n"


def test_a_full_disk(run, call, folder):
    """No file may grow beyond 30 kB: the model does not fit, but what was trained is not lost."""

    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))

    given = ("edit", "--data", "data.csv", "--target", "decision", "--rules", "policy.rules", "--model", "forest")
    given += ("--max-fits", "2")
    done = run(*given, "--out", "out", "--quiet", cwd=folder, code=2, preexec_fn=full)
    kept, told = done.stderr.splitlines()
    assert kept == "What was trained is kept: the same command with --resume goes on from there."
    assert "too large" in told.lower()
    assert [path.name for path in (folder / ".out.frote").iterdir()] == ["checkpoint"]
    call(*given, "--out", "out", "--quiet", "--resume", cwd=folder)
    assert not (folder / ".out.frote").exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("bom.csv", TABLE.encode("utf-8-sig")),
        ("latin.csv", TABLE.replace("denied", "refus\u00e9").encode("latin-1")),
        ("wide.csv", TABLE.encode("utf-16")),
        ("semicolons.csv", TABLE.replace(",", ";").encode()),
        ("small.csv.gz", gzip.compress(TABLE.encode())),
    ],
)
def test_what_is_odd_but_can_be_read(call, folder, name, content):
    (folder / name).write_bytes(content)
    out = Path(name.partition(".")[0])
    call(
        *("edit", "--data", name, "--target", "decision", "--rules", "policy.rules", "--max-fits", "1", "--quiet"),
        *("--out", out),
        cwd=folder,
    )
    suffix = "".join(Path(name).suffixes)
    back = (folder / out / f"augmented{suffix}").read_bytes()
    rows = len(TABLE.splitlines())
    if suffix.endswith(".gz"):
        back = gzip.decompress(back)
    encoding = {"bom.csv": "utf-8-sig", "latin.csv": "latin-1", "wide.csv": "utf-16"}.get(name, "utf-8")
    expected = content if not suffix.endswith(".gz") else TABLE.encode()
    lines = back.decode(encoding).splitlines()
    assert len(lines) >= rows
    assert lines[0] == expected.decode(encoding).splitlines()[0]


def test_a_target_of_numbers_that_are_no_classes(told, folder):
    (folder / "numbers.csv").write_text("age,the rate\n" + "".join(f"{n},{n / 4}\n" for n in range(2, 30)))
    text = "numbers.csv: column 'the rate' holds numbers such as 0.5, which are no classes. "
    text += "Give another --target, or take each number for a class: --categorical 'the rate'.\n"
    assert told(data="numbers.csv", target="the rate") == text


def test_dates_with_slashes(call, told, folder):
    def write(days, name="dates.csv"):
        rows = "".join(f"{days[n % len(days)]};{20 + n};{'yes' if n % 3 else 'no'}\n" for n in range(40))
        (folder / name).write_text(f"seen;age;decision\n{rows}")

    (folder / "dates.rules").write_text("IF seen >= 2022-08-02 AND age < 40 THEN yes\n")
    asked = {"data": "dates.csv", "rules": "dates.rules"}
    write(["02/08/2022", "01/12/2022"])
    assert "texts that look like dates written dd/mm/yyyy or mm/dd/yyyy, which nothing tells apart." in told(**asked)
    write(["02/08/2022", "31/07/2022"])
    write(["01/08/2022", "03/08/2022"], "later.csv")  # only the other table tells days from months
    given = ("--data", "dates.csv", "--target", "decision", "--rules", "dates.rules", "--test", "later.csv")
    call("edit", *given, "--max-fits", "2", "--oversample", "0.5", "--quiet", "--out", "out", cwd=folder)
    assert json.loads((folder / "out" / "report.json").read_text("utf-8"))["result"]["covered"] == 10
    lines = (folder / "out" / "augmented.csv").read_text().splitlines()
    assert lines[1].startswith("02/08/2022;20;")
    assert len(lines) >= 41
    assert all(re.match(r"\d\d/\d\d/2022;", line) for line in lines[1:])
