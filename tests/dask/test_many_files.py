"""The command that checks a table in many files says what it says of the same table in one."""

from __future__ import annotations

import json
import shutil

import pytest
from tests.dask.made import RULES, table
from tests.in_process import invoke

from frote.command.main import main

X, Y = table(200)
DATA = X.assign(decision=Y).drop(columns="grade")  # Parquet's categories differ from file to file


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "many").mkdir()
    for number in range(4):
        DATA[number * 50 : number * 50 + 50].to_parquet(tmp_path / "many" / f"{number}.parquet", index=False)
    DATA.to_parquet(tmp_path / "one.parquet", index=False)
    (tmp_path / "policy.rules").write_text(RULES, "utf-8")
    return tmp_path


def checked(folder, data, *more, code=0):
    return invoke(main, "check", "--rules", folder / "policy.rules", "--data", data, *more, code=code)


@pytest.mark.parametrize("more", [(), ("--target", "decision"), ("--target", "decision", "--ignore", "one")])
@pytest.mark.parametrize("name", ["many", "many/*.parquet"])
def test_a_folder_or_pattern_is_checked_as_one_file_is(folder, name, more):
    wanted = json.loads(checked(folder, folder / "one.parquet", *more, "--json").stdout)
    found = json.loads(checked(folder, folder / name, *more, "--json").stdout)
    assert found == wanted
    assert found["rows"] == 200


def test_what_is_wrong_is_one_sentence(folder):
    (folder / "empty").mkdir()
    (folder / "many" / "notes.csv").write_text("a\n1\n", "utf-8")
    for data, more, said in [
        ("empty", (), "there is no table in this folder"),
        ("none/*.parquet", (), "there is no table named by this pattern"),
        ("many/*", (), "notes.csv are of several formats. Name one of them by a pattern, such as '"),
        ("policy.*", (), "policy.rules is no table that is read with others. Name files that end in .parquet or .csv."),
        ("many/*.parquet", ("--target", "decison"), "has no column 'decison'. Did you mean 'decision'?"),
        ("many/*.parquet", ("--ignore", "agee"), "has no column 'agee'. Did you mean 'age'?"),
        ("many/*.parquet", ("--cases", folder / "one.parquet"), "--cases is for a table in memory, and this one is"),
    ]:
        done = checked(folder, folder / data, *more, code=2)
        assert said in done.output
        assert "Traceback" not in done.output


def test_nothing_in_a_folder_is_passed_over(folder):
    many = folder / "many"
    (many / "_SUCCESS").touch()
    assert checked(folder, many).exit_code == 0
    shutil.copytree(many, many / "year=2024")
    done = checked(folder, many, code=2)
    assert "year=2024 is a folder, and files within it are not read." in done.output
    shutil.rmtree(many / "year=2024")
    (many / "late.feather").touch()
    done = checked(folder, many, code=2)
    assert (
        "late.feather is no table that is read with others. Name files that end in .parquet or .csv, by" in done.output
    )


def test_a_target_that_one_file_lacks_is_told(folder):
    DATA[:10].drop(columns="decision").to_parquet(folder / "many" / "9.parquet", index=False)
    done = checked(folder, folder / "many", "--target", "decision", code=2)
    assert len(done.stderr.strip().splitlines()) == 1
    assert "9.parquet has no column 'decision', and other files have it." in done.stderr
    assert done.stderr.strip().endswith("Give each file all columns.")
