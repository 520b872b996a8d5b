"""``frote edit --repeat``: how far an edit depends on chance."""

from __future__ import annotations

import json

ORDER = ("--data", "loans.csv", "--target", "decision", "--rules", "clean.rules", "--max-fits", "1")


def test_other_seeds_are_told_recorded_and_replayed(loans, call, tmp_path):
    for name in ("loans.csv", "clean.rules"):
        (tmp_path / name).write_bytes((loans / name).read_bytes())
    said = call("edit", *ORDER, "--repeat", "3", "--seed", "7", "--twins", "1", "--out", "edit", cwd=tmp_path).stdout
    assert "With 3 seeds: agreement 1.000 to 1.000, F1 elsewhere 0." in said
    record, report = (
        json.loads((tmp_path / "edit" / name).read_text("utf-8")) for name in ("edit.json", "report.json")
    )
    assert record["asked"]["repeat"] == 3
    assert record["seeds"] == report["seeds"]
    assert [run["seed"] for run in record["seeds"]["runs"]] == [7, 8, 9]
    assert record["scores"]["after"]["agreement"] == record["seeds"]["runs"][0]["agreement"]
    assert "The same: " in call("replay", "edit", "--data", "loans.csv", cwd=tmp_path).stdout
    # A step that is picked is of the edit's own seed.
    call("edit", "--pick", "0", "--from", "edit", "--data", "loans.csv", "--out", "one", "--quiet", cwd=tmp_path)
    assert "repeat" not in json.loads((tmp_path / "one" / "edit.json").read_text("utf-8"))["asked"]
    record["seeds"]["runs"][1]["agreement"] = 0.5
    (tmp_path / "edit" / "edit.json").write_text(json.dumps(record), "utf-8")
    assert "seeds.runs[1].agreement" in call("replay", "edit", "--data", "loans.csv", cwd=tmp_path, code=1).stdout


def test_what_cannot_be_repeated_is_told_first(loans, call):
    told = call("edit", *ORDER, "--repeat", "2", "--time-limit", "60", "--out", "never", cwd=loans, code=2).stderr
    assert "with a time limit nobody could repeat what other seeds came to" in told
    assert not (loans / "never").exists()
    assert "0 is not in the range" in call("edit", *ORDER, "--repeat", "0", "--out", "edit", cwd=loans, code=2).stderr
