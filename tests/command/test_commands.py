"""Each command through the installed entry point."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
from click import ClickException

import frote
from frote.command.main import main
from frote.edits.ours import others
from frote.edits.record import digest_of
from frote.edits.saved_models import load_model, save_model
from frote.files import read_table

ASKED = ("--data", "loans.csv", "--target", "decision")


def test_help_says_what_there_is_and_loads_nothing_heavy(run, tmp_path):
    text = run("--help", cwd=tmp_path).stdout
    names = (
        "demo",
        "explain",
        "check",
        "diff",
        "resolve",
        "preview",
        "edit",
        "overlay",
        "predict",
        "score",
        "compare",
        "replay",
    )
    for name in (*names, "prove", "stress"):
        assert f"\n  {name} " in text
    code = "import sys; from frote.command.main import main; print({'sklearn', 'pandas', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout == "set()\n"


def test_edit_writes_a_folder_that_is_whole(edited):
    folder, done = edited
    names = sorted(path.name for path in (folder / "edit").iterdir())
    assert names == [
        "augmented.csv",
        "before.skops",
        "edit.json",
        "ledger.csv",
        "model.skops",
        "report.html",
        "report.json",
        "rules.rules",
    ]
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]
    assert "Agreement with the rules:" in done.stdout
    record = json.loads((folder / "edit" / "edit.json").read_text())
    augmented, ledger = (pd.read_csv(folder / "edit" / name) for name in ("augmented.csv", "ledger.csv"))
    assert len(augmented) == 300 + (ledger["status"] == "synthetic").sum() == sum(record["rows"].values())
    assert list(augmented.columns) == list(pd.read_csv(folder / "loans.csv").columns)
    assert record["asked"]["about"] == {"owner": "Credit policy", "effective": "2026-01-01"}
    assert "Credit policy" in (folder / "edit" / "report.html").read_text()


def test_scores_of_report_record_and_library_are_one(edited):
    folder, _ = edited
    later = pd.read_csv(folder / "later.csv")
    model = load_model(folder / "edit" / "model.skops")
    X = read_table(folder / "later.csv").frame.drop(columns="decision")
    found = frote.score(model, X, later["decision"], frote.read_rules(folder / "edit" / "rules.rules"))
    for name in ("edit.json", "report.json"):
        scores = json.loads((folder / "edit" / name).read_text())["scores"]["after"]
        assert scores["objective"] == found.objective
        assert scores["agreement"] == found.agreement
        assert scores["f1"] == found.f1


def test_replay_finds_every_byte_again_and_tells_what_differs(edited, call, tmp_path):
    folder, _ = edited
    given = ("replay", "edit/edit.json", "--data", "loans.csv", "--test", "later.csv")
    assert call(*given, "--n-jobs", "2", cwd=folder).stdout.endswith(
        "The same: data, ledger, rules, models, predictions and record.\n"
    )
    record = json.loads((folder / "edit" / "edit.json").read_text())
    record["versions"]["numpy"] = "0.1"
    record["outputs"]["ledger"] = "0"
    (tmp_path / "other.json").write_text(json.dumps(record))
    lines = call(
        *("replay", tmp_path / "other.json", "--data", "loans.csv", "--test", "later.csv", "--quiet"),
        cwd=folder,
        code=1,
    ).stdout.splitlines()
    assert lines[0] == f'versions.numpy: "0.1" before, "{np.__version__}" now'
    assert lines[1].startswith('outputs.ledger: "0" before, ')


def test_replay_compares_models_and_reads_records_that_have_none(edited, call, tmp_path):
    folder, _ = edited
    given = ("replay", tmp_path / "other.json", "--data", "loans.csv", "--test", "later.csv", "--quiet")
    record = json.loads((folder / "edit" / "edit.json").read_text())
    for name in ("before", "model"):
        known, record["outputs"][name] = record["outputs"][name], "0"
        (tmp_path / "other.json").write_text(json.dumps(record))
        assert call(*given, cwd=folder, code=1).stdout.startswith(f'outputs.{name}: "0" before, "{known}" now')
        del record["outputs"][name]
    for name in ("files", "skipped", "root"):
        record.pop(name)
    del record["asked"]["levels"]
    (tmp_path / "other.json").write_text(json.dumps({**record, "edit": 1}))
    call(*given, cwd=folder)


def test_replay_refuses_other_data(edited, call):
    folder, _ = edited
    told = call("replay", "edit/edit.json", "--data", "later.csv", "--test", "later.csv", cwd=folder, code=2).stderr
    assert told.startswith("Error: later.csv is not the loans.csv of the edit: its SHA-256 is ")
    told = call("replay", "edit/edit.json", "--data", "loans.csv", cwd=folder, code=2).stderr
    assert told == "Error: The edit of edit/edit.json was judged on later.csv. Add --test with that file.\n"
    (folder / "bad.json").write_text("{}")
    told = call("replay", "bad.json", "--data", "loans.csv", cwd=folder, code=2).stderr
    assert told == "Error: bad.json is no record of an edit, or a damaged one ('edit').\n"


def test_a_folder_that_is_there_is_kept(edited, call):
    folder, _ = edited
    before = {path: path.read_bytes() for path in (folder / "edit").iterdir()}
    told = call("edit", *ASKED, "--rules", "clean.rules", "--out", "edit", cwd=folder, code=2).stderr
    assert told == "Error: edit is there already. Name another folder, or add --force to replace it.\n"
    assert before == {path: path.read_bytes() for path in (folder / "edit").iterdir()}


def test_check(loans, run, call):
    given = ("check", "--rules", "policy.rules", *ASKED)
    text = run(*given, cwd=loans, code=1).stdout
    assert "conflicts with broker freeze" in text
    found = json.loads(call(*given, "--json", cwd=loans, code=1).stdout)
    assert not found["ok"]
    assert len(found["rules"]) == 7
    assert call("check", "--rules", "clean.rules", "--data", "loans.csv", cwd=loans).stdout.startswith("2 rules cover")


def test_diff(loans, call, tmp_path):
    """Code 0 for policies that mean the same and 1 for others, like diff; a policy of JSON or none at all will do."""
    (tmp_path / "old.rules").write_text("young: IF age < 29 THEN approved\npoor: IF income < 10K THEN denied\n")
    new = frote.parse_rules(
        "poor: IF income < 10K THEN denied\njuniors: IF NOT (age >= 29 OR age IS MISSING) THEN approved"
    )
    new.save(tmp_path / "new.json")
    (tmp_path / "none.rules").write_text("")
    data = ("--data", loans / "loans.csv", "--target", "decision")
    done = call("diff", "old.rules", "new.json", cwd=tmp_path)
    assert done.stdout.startswith("No possible row is answered otherwise")
    assert "'young' is now called 'juniors'" in done.stdout
    done = call("diff", "old.rules", "new.json", "--resolve", "priority", cwd=tmp_path, code=1)
    assert "was: approved (young)\n  now: denied (poor)" in done.stdout
    done = call("diff", "none.rules", "old.rules", *data, "--json", cwd=tmp_path, code=1)
    answer = json.loads(done.stdout)
    frame = pd.read_csv(loans / "loans.csv")
    young, poor = frame[frame["age"] < 29], frame[frame["income"] < 10_000]
    assert sum(region["rows"] for region in answer["regions"]) == len(young.index.union(poor.index))
    assert sum(sum(region["labels"].values()) for region in answer["regions"]) == len(young.index.union(poor.index))
    for options, message in (
        (("--target", "decision"), "Add --data"),
        (("--data", loans / "loans.csv", "--ignore", "age"), "The old rules do not fit the data"),
        ((*data, "--resolve", "mix"), None),
    ):
        done = call("diff", "old.rules", "none.rules", *options, cwd=tmp_path, code=2 if message else 1)
        assert message is None or message in done.stderr


def test_resolve(loans, run, call, tmp_path):
    out = tmp_path / "resolved.rules"
    run("resolve", "--rules", "policy.rules", "--how", "priority", "--data", "loans.csv", "--out", out, cwd=loans)
    X = read_table(loans / "loans.csv").frame
    assert not frote.read_rules(out).conflicts(X)
    assert call("resolve", "--rules", "clean.rules", "--how", "mix", cwd=loans).stdout.startswith("young: IF age < 29")


def test_preview(loans, call):
    given = ("preview", *ASKED, "--rules", "clean.rules", "--seed", "3")
    assert call(*given, cwd=loans).stdout.startswith("300 rows. Before any synthetic row")
    found = json.loads(call(*given, "--json", cwd=loans).stdout)
    assert [line["rule"] for line in found["rules"]] == ["young", "risky"]
    assert found["rows"] == 300


def test_explain_gives_rules_that_can_be_read(edited, call, tmp_path):
    folder, _ = edited
    out = tmp_path / "now.rules"
    call("explain", *ASKED, "--load", "edit/model.skops", "--out", out, cwd=folder)
    assert len(frote.read_rules(out))


def test_prove_and_stress(edited, call):
    folder, _ = edited
    given = (*ASKED, "--rules", "clean.rules", "--load", "edit/model.skops")
    proven = json.loads(call("prove", *given, "--json", cwd=folder).stdout)["rules"]
    assert [one["rule"] for one in proven] == ["young", "risky"]
    assert all(one["answer"] in ("proven", "counterexample", "open") for one in proven)
    assert call("prove", *given, "--values", "observed", cwd=folder).stdout.startswith("young")
    tried = json.loads(call("stress", *given, "--rows", "500", "--json", cwd=folder).stdout)["rules"]
    assert [one["rows"] for one in tried] == [500, 500]


def test_score_and_overlay_and_compare(edited, tmp_path, call):
    folder, _ = edited
    given = (*ASKED, "--rules", "clean.rules", "--load", "edit/model.skops")
    found = json.loads(call("score", *given, "--json", cwd=folder).stdout)
    assert found["covered"] + found["uncovered"] == 300
    out = tmp_path / "patched.csv"
    call("overlay", *given, "--out", out, cwd=folder)
    patched = pd.read_csv(out, keep_default_na=False)
    mine = patched["rule"] == "young"
    assert mine.any()
    assert (patched.loc[mine, "prediction"] == "approved").all()
    model = "edit/model.skops"
    text = call("compare", *ASKED, "--rules", "clean.rules", "--before", model, "--after", model, cwd=folder).stdout
    assert "0 of 300" in text or "no row" in text.lower()


def test_a_model_of_other_columns_and_columns_that_are_taken(edited, tmp_path, call):
    folder, _ = edited
    table = pd.read_csv(folder / "loans.csv")
    table.drop(columns="age").to_csv(tmp_path / "short.csv", index=False)
    table.rename(columns={"purpose": "rule"}).to_csv(tmp_path / "taken.csv", index=False)
    (tmp_path / "any.rules").write_text("IF defaults >= 3 THEN denied")
    given = ("--target", "decision", "--rules", tmp_path / "any.rules", "--load", "edit/model.skops")
    told = call("score", "--data", tmp_path / "short.csv", *given, cwd=folder, code=2).stderr
    assert told.startswith(f"Error: {tmp_path / 'short.csv'} has no column 'age', which the model of edit/model.skops")
    out = tmp_path / "out.csv"
    told = call("overlay", "--data", tmp_path / "taken.csv", *given, "--out", out, cwd=folder, code=2).stderr
    assert "has a column 'rule' already, which is to be written. Rename it." in told
    given = ("--target", "decison", *given[2:])
    told = call("overlay", "--data", "loans.csv", *given, "--out", out, cwd=folder, code=2).stderr
    assert told == "Error: loans.csv has no column 'decison'. Did you mean 'decision'?\n"
    assert not out.exists()


@pytest.fixture
def here(loans, tmp_path, call):
    """A function that runs a command in a folder with the loans, and returns what it prints."""
    for name in ("loans.csv", "later.csv", "clean.rules"):
        shutil.copy(loans / name, tmp_path / name)

    def output(*arguments, code=0):
        return call(*arguments, cwd=tmp_path, code=code).output

    return output


def test_models_get_their_own_columns_and_rules_all(here, tmp_path):
    X = read_table(tmp_path / "loans.csv").frame
    for name, columns in (("wide", ["age", "income"]), ("narrow", ["age"])):
        save_model(frote.default_pipeline().fit(X[columns], X["decision"]), tmp_path / f"{name}.skops")
    (tmp_path / "other.rules").write_text("IF channel = 'broker' THEN denied\n")
    given = ("--data", "loans.csv", "--target", "decision", "--rules", "other.rules")
    for before, after in (("wide", "narrow"), ("narrow", "wide")):
        found = here("compare", *given, "--before", f"{before}.skops", "--after", f"{after}.skops", "--json")
        told = json.loads(found)
        assert told["rows"] == 300
        assert all(word not in found for word in ("purpose", "defaults"))  # columns that neither model knows
    found = json.loads(here("check", *given, "--load", "narrow.skops", "--json"))
    assert found["rules"][0]["model_agreement"] > 0
    assert json.loads(here("score", *given, "--load", "narrow.skops", "--json"))["covered"] == found["covered"]
    here("overlay", *given, "--load", "narrow.skops", "--out", "patched.csv")
    patched = pd.read_csv("patched.csv")
    assert (patched.loc[patched["channel"] == "broker", "prediction"] == "denied").all()
    assert here("explain", *given[:4], "--load", "narrow.skops").count("age") > 0


def test_files_are_what_they_are_named(here, tmp_path):
    data = pd.read_csv(tmp_path / "loans.csv")
    data.to_csv(tmp_path / "packed.csv.gz", index=False)
    X = data[["age", "income"]]
    save_model(frote.default_pipeline().fit(X, data["decision"]), tmp_path / "m.skops")
    given = ("--data", "packed.csv.gz", "--rules", "clean.rules", "--load", "m.skops")
    named = {"a.csv": pd.read_csv, "a.pq": pd.read_parquet, "a.tsv": pd.read_table, "a.arrow": pd.read_feather}
    named |= {"a.tab": pd.read_table, "a.psv": partial(pd.read_csv, sep="|"), "a.ipc": pd.read_feather}
    for name, read in named.items():
        here("overlay", *given, "--out", name)
        assert len(read(tmp_path / name)["prediction"]) == 300
    told = here("overlay", *given, "--out", "a.xlsx", code=2)
    assert "nothing is written to a file of that name. Name one of CSV (.csv" in told
    assert not (tmp_path / "a.xlsx").exists()
    here("resolve", "--rules", "clean.rules", "--how", "mix", "--out", "r.json")
    assert frote.read_rules("r.json").origins == ("young", "risky")
    (tmp_path / "zip.csv").write_text("zip,age\n" + "".join(f"{n},{n}\n" for n in range(20)) + "x,20\n")
    (tmp_path / "zip.rules").write_text("IF zip = x THEN a\nIF age > 1 THEN b\n")
    given = ("resolve", "--rules", "zip.rules", "--how", "exclude", "--data", "zip.csv")
    assert "--categorical zip" in here(*given, code=2)
    assert "rule 1: IF zip = 'x' AND" in here(*given, "--categorical", "zip")


def test_a_renamed_file_is_the_same_file(edited, here, tmp_path):
    folder, _ = edited
    for name, other in (("loans.csv", "a.csv"), ("later.csv", "b.csv")):
        shutil.copy(folder / name, tmp_path / other)
    told = here("replay", folder / "edit", "--data", "a.csv", "--test", "b.csv", "--quiet")
    assert told == ""


def test_names_of_rules_may_have_letters_that_the_data_have_not(here, tmp_path):
    rows = "".join(f"été,{number},{'no' if number % 3 else 'yes'}\n" for number in range(60))
    (tmp_path / "old.csv").write_text(f"note,age,decision\n{rows}", "cp1252")
    (tmp_path / "new.rules").write_text("Łódź: IF age < 20 THEN yes\n", "utf-8")
    here("edit", "--data", "old.csv", "--target", "decision", "--rules", "new.rules", "--max-fits", 1, "--out", "out")
    assert "Łódź" in (tmp_path / "out" / "ledger.csv").read_text("utf-8-sig")
    assert (tmp_path / "out" / "augmented.csv").read_bytes().startswith(b"note,age,decision\n\xe9t\xe9,0,")


def test_a_model_that_cannot_be_trained_leaves_nothing_behind(here, tmp_path):
    (tmp_path / "third.py").write_text(
        "from sklearn.linear_model import LogisticRegression\n"
        "import frote\n"
        "class Third(LogisticRegression):\n"
        "    def fit(self, X, y):\n"
        "        if X.shape[0] > 300:\n"
        "            raise ValueError('too many')\n"
        "        return super().fit(X, y)\n"
        "def make():\n"
        "    return frote.default_pipeline(Third())\n"
    )
    given = ("edit", "--data", "loans.csv", "--target", "decision", "--rules", "clean.rules", "--out", "out", "--quiet")
    told = here(*given, "--model", "third:make", "--max-fits", 2, code=2)
    last = told.splitlines()[-1]
    assert last == "Error: The model cannot be trained on the data with synthetic rows: ValueError: too many"
    assert not (tmp_path / ".out.frote").exists()


def test_what_is_wrong_with_rules_is_told_before_anything_is_trained(here, tmp_path):
    (tmp_path / "never.py").write_text(
        "from sklearn.linear_model import LogisticRegression\n"
        "class Never(LogisticRegression):\n"
        "    def fit(self, X, y):\n"
        "        raise RuntimeError('trained')\n"
    )
    (tmp_path / "odd.rules").write_text("IF age < 29 THEN yes\n")
    given = ("--data", "loans.csv", "--target", "decision", "--rules", "odd.rules", "--out", "out")
    told = here("edit", *given, "--model", "never:Never", code=2)
    assert "'yes' is no class of the data" in told


def test_settings_in_a_file_stand_in_for_options(loans, tmp_path, call):
    for name in ("loans.csv", "clean.rules"):
        shutil.copy(loans / name, tmp_path / name)
    (tmp_path / "frote.toml").write_text(
        'data = "loans.csv"\ntarget = "decision"\nrules = "clean.rules"\n[preview]\nseed = 3\nmax-fits = 2\n'
    )
    assert "2 at most" in call("preview", cwd=tmp_path).stdout
    (tmp_path / "frote.toml").write_text("data = [")
    assert call("preview", cwd=tmp_path, code=2).stderr.startswith("Error: frote.toml cannot be read: ")


def defaults(text, folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "frote.toml").write_text(text)
    context = main.make_context("frote", ["demo"])
    return context.default_map


def test_settings_are_named_as_on_the_command_line(tmp_path, monkeypatch):
    text = 'categorical = "zip,branch"\nquiet = true\nn_jobs = 2\nas-published = true\n'
    text += '[edit]\neffective = 2027-01-31\nparam = ["C=2"]\n[score]\njson = true\n'
    found = defaults(text, tmp_path, monkeypatch)
    common = {"categorical": ["zip,branch"], "n_jobs": 2, "published": True}
    assert found["edit"] == {**common, "quiet": True, "effective": "2027-01-31", "param": ["C=2"]}
    assert found["score"] == {"categorical": ["zip,branch"], "machine": True}
    assert found["demo"] == {"quiet": True}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('resolv = "mix"', "frote has no command with an option 'resolv'. Did you mean 'resolve'"),
        ("[edit]\nmax_fit = 3", "frote edit does not have an option 'max-fit'. Did you mean 'max-fits'"),
        ('edit = "x"', "frote edit is a command. Write its options below a line with its name in brackets."),
        ('target = ["y"]', "frote explain takes one value for 'target', not several."),
    ],
)
def test_settings_that_nothing_knows(tmp_path, monkeypatch, text, told):
    with pytest.raises(ClickException) as raised:
        defaults(text, tmp_path, monkeypatch)
    assert raised.value.message.startswith(f"frote.toml: {told}")


@pytest.mark.parametrize(("name", "kind"), [("forest", "RandomForestClassifier"), ("lightgbm", "LGBMClassifier")])
def test_models_and_their_parameters(loans, tmp_path, name, kind, call):
    out = tmp_path / "out"
    call(
        *("edit", *ASKED, "--rules", "clean.rules", "--model", name, "--param", "n_estimators=5", "--max-fits", "1"),
        *("--out", out, "--quiet"),
        cwd=loans,
    )
    record = json.loads((out / "edit.json").read_text())
    assert record["asked"]["model"] == name
    assert record["asked"]["params"] == {"n_estimators": 5}
    trusted = ("lightgbm.basic.Booster", "lightgbm.sklearn.LGBMClassifier") if name == "lightgbm" else ()
    for file in ("before.skops", "model.skops"):
        *_, classifier = load_model(out / file, trusted).named_steps.values()
        assert type(classifier).__name__ == kind
        trees = classifier.booster_.num_trees() if name == "lightgbm" else len(classifier.estimators_)
        assert trees == 5


def test_the_demonstration(call, tmp_path):
    done = call("demo", cwd=tmp_path)
    reports = [json.loads((tmp_path / "frote-demo" / way / "report.json").read_text()) for way in ("edit", "in-model")]
    for title in (
        "1. What the model does now",
        "4. What an edit would do",
        "8. What else moved",
        "To repeat it",
        "frote studio ",
    ):
        assert title in done.stdout
    lines = done.stdout.splitlines()
    # The frontier: as many points as the report draws, the most agreement last, and the rules themselves.
    title = next(place for place, line in enumerate(lines) if line.startswith("6. By its data"))
    points = reports[0]["result"]["frontier"]["points"]
    assert len(points) > 2
    table = lines[title + 3 : title + 4 + len(points)]
    assert [line.split()[-2:] for line in table] == [
        *([f"{one['agreement']:.3f}", f"{one['loss']:.3f}"] for one in points),
        [f"{reports[0]['result']['frontier']['most']:.3f}", "0.000"],
    ]
    assert "What each loss outside the rules buys" in (tmp_path / "frote-demo/edit/report.html").read_text("utf-8")
    # Both ways, between the model before and the hard override.
    for start, report, model in (
        ("model before ", reports[0], "before"),
        ("by its data, with twins ", reports[0], "after"),
        (f"in the model ({reports[1]['how']})", reports[1], "after"),
        ("hard override ", reports[1], "override"),
    ):
        scores = [f"{report['scores'][model][name]:.3f}" for name in ("agreement", "f1")]
        flips = report["judgement"]["outside"] if model == "after" else 0
        (line,) = (line for line in lines[title + 5 + len(points) :] if line.startswith(start))
        assert line.split()[-5:-2] == [*scores, f"{flips:,}"]
        fitted = model == "after"
        assert all((int(count.replace(",", "")) > 0) == fitted for count in line.split()[-2:])
    record = json.loads((tmp_path / "frote-demo" / "edit" / "edit.json").read_text())
    (by_data,) = (line.split() for line in lines if line.startswith("by its data, with twins "))
    assert by_data[-2:] == [f"{len(record['steps'])}", f"{record['rows']['synthetic'] + record['rows']['guard']:,}"]
    *_, again, studio = (line.partition("frote ")[2].split() for line in done.stdout.splitlines() if " frote " in line)
    assert "The same" in call(*again, cwd=tmp_path).stdout
    assert studio[0] == "studio"
    assert (tmp_path / studio[1]).is_file()
    # It can be shown again: all that is there was written by it, in both of its edits.
    demo = tmp_path / "frote-demo"
    written = {path.name: digest_of(path) for path in demo.iterdir() if path.is_file()}
    assert others(demo, written) == []
    (demo / "in-model" / "mine.txt").write_text("mine")
    assert others(demo, written) == ["in-model/mine.txt"]


def test_columns_that_name_rows_are_told_of_and_left_out(loans, call, tmp_path):
    table = pd.read_csv(loans / "loans.csv")
    table.insert(0, "id", [f"L{number:05}" for number in range(len(table))])
    table[:200].to_csv(tmp_path / "loans.csv", index=False)
    table[200:].to_csv(tmp_path / "later.csv", index=False)
    given = ("--data", "loans.csv", "--target", "decision", "--rules", loans / "clean.rules")
    done = call("preview", *given, cwd=tmp_path)
    assert done.stderr == "Column 'id' has another text in nearly every row. If it only names them: --ignore 'id'\n"
    done = call(
        *("edit", *given, "--ignore", "id", "--test", "later.csv", "--max-fits", "1", "--out", "edit", "--quiet"),
        cwd=tmp_path,
    )
    assert not done.stderr
    assert pd.read_csv(tmp_path / "edit" / "augmented.csv").columns.tolist() == table.columns[1:].tolist()
    # The models find their columns in a table that has more.
    rules = ("--data", "later.csv", "--target", "decision", "--rules", loans / "clean.rules")
    call("score", *rules, "--load", "edit/model.skops", cwd=tmp_path)
    call("replay", "edit", "--data", "loans.csv", "--test", "later.csv", "--quiet", cwd=tmp_path)
    done = call("edit", *given, "--ignore", "decision", "--out", "other", cwd=tmp_path, code=2)
    assert done.stderr == "Error: 'decision' is the target and cannot be ignored.\n"
    done = call("preview", *given, "--ignore", "idd", cwd=tmp_path, code=2)
    assert done.stderr.startswith("Error: loans.csv has no column 'idd'. Did you mean 'id'?")


def test_a_table_is_not_judged_on_by_itself_and_a_date_is_a_date(loans, tmp_path, call):
    given = ("--data", loans / "loans.csv", "--target", "decision", "--rules", loans / "clean.rules", "--out", "edit")
    done = call("edit", *given, "--test", loans / "loans.csv", cwd=tmp_path, code=2)
    assert "is what is trained on, so nothing new can be learned from it. Leave --test out." in done.stderr
    done = call("edit", *given, "--effective", "32/13/2027", cwd=tmp_path, code=2)
    assert done.stderr == "Error: --effective is a day, written 2027-01-31, not '32/13/2027'.\n"


def test_rules_that_conflict_are_told_of_where_they_only_measure(edited, call):
    folder, _ = edited
    given = ("--data", "later.csv", "--target", "decision", "--rules", "policy.rules")
    done = call("score", *given, "--load", "edit/model.skops", cwd=folder)
    assert done.stderr.startswith("Rules conflict: a row counts for the first that covers it.")
    done = call("preview", "--data", "loans.csv", *given[2:], cwd=folder, code=2)
    assert "resolve them with --resolve exclude, mix or priority" in done.stderr


@pytest.mark.parametrize("read", ["--rules", "--data"])
def test_files_are_overwritten_only_by_force_and_never_what_is_read(loans, tmp_path, here, read):
    given = ("resolve", "--rules", "clean.rules", "--data", "loans.csv", "--how", "priority", "--out")
    here(*given, "out.rules")
    written = (tmp_path / "out.rules").read_text()
    (tmp_path / "out.rules").write_text("mine")
    told = here(*given, "out.rules", code=2)
    assert told == "Error: out.rules is there already. Name another file, or add --force to overwrite it.\n"
    assert (tmp_path / "out.rules").read_text() == "mine"
    here(*given, "out.rules", "--force")
    assert (tmp_path / "out.rules").read_text() == written
    name = given[given.index(read) + 1]
    before = (tmp_path / name).read_bytes()
    assert "is read by the same command" in here(*given, f"./{name}", "--force", code=2)
    assert (tmp_path / name).read_bytes() == before


@pytest.mark.parametrize("command", ["explain", "overlay"])
def test_so_are_those_of_other_commands(edited, tmp_path, call, command):
    (tmp_path / "out.csv").write_text("mine")
    given = [command, "--data", edited[0] / "loans.csv", "--target", "decision", "--out", "out.csv"]
    if command == "overlay":
        given += ["--rules", edited[0] / "clean.rules", "--load", edited[0] / "edit/model.skops"]
    assert "out.csv is there already. Name another file, or add --force" in call(*given, cwd=tmp_path, code=2).output
    assert (tmp_path / "out.csv").read_text() == "mine"
    call(*given, "--force", cwd=tmp_path)
    assert (tmp_path / "out.csv").read_text() != "mine"


def test_an_edit_that_was_being_replaced_is_found(edited, tmp_path, call):
    # As a kill between two renames leaves it.
    shutil.copytree(edited[0] / "edit", tmp_path / ".edit.frote" / "old")
    given = ("score", "--data", edited[0] / "loans.csv", "--target", "decision", "--rules", "edit/rules.rules")
    call(*given, "--load", "edit/model.skops", cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["edit"]


def test_the_record_lists_every_file(edited):
    folder = edited[0] / "edit"
    record = json.loads((folder / "edit.json").read_text("utf-8"))
    assert set(record["files"]) == {path.name for path in folder.iterdir()} - {"edit.json"}
    assert record["files"]["ledger.csv"] == record["outputs"]["ledger"]


def test_model_is_a_name_and_load_is_a_file_everywhere(edited, call):
    folder, _ = edited
    model = "edit/model.skops"
    for command in ("explain", "preview", "edit"):
        rules = () if command == "explain" else ("--rules", "clean.rules")
        out = ("--out", "other") if command == "edit" else ()
        told = call(command, *ASKED, *rules, *out, "--model", model, cwd=folder, code=2).stderr
        assert told.startswith(f"Error: --model names a model to train, such as 'forest', and {model} is a file. ")
        assert told.endswith(f"--load {model}\n")
    for command in ("check", "score", "overlay"):
        told = call(command, "--model", model, cwd=folder, code=2).stderr
        assert told == f"Error: --model names a model to train, and {command} trains none. Its file: --load {model}\n"
        assert "--model" not in call(command, "--help", cwd=folder).stdout


def test_explain_leaves_out_what_only_names_rows(loans, call, tmp_path):
    table = pd.read_csv(loans / "loans.csv")
    table.insert(0, "id", [f"row {'ab'[label == 'denied']}{n}" for n, label in enumerate(table["decision"])])
    table["known"] = table["decision"]
    table.to_csv(tmp_path / "named.csv", index=False)
    given = ("explain", "--data", "named.csv", "--target", "decision")
    assert "known" in call(*given, cwd=tmp_path).stdout
    done = call(*given, "--ignore", "id,known", cwd=tmp_path)
    assert "known" not in done.stdout
    assert "id" not in done.stderr
    assert "has no column 'nothing'" in call(*given, "--ignore", "nothing", cwd=tmp_path, code=2).stderr


def test_check_and_resolve_leave_out_what_an_edit_leaves_out(loans, call, tmp_path):
    (tmp_path / "two.rules").write_text("a: IF age < 29 THEN approved\nb: IF defaults > 2 THEN denied\n")
    (tmp_path / "one.rules").write_text("b: IF defaults > 2 THEN denied\n")
    for command in (("check",), ("resolve", "--how", "priority")):
        for target in ((), ("--target", "decision")):
            given = (*command, "--data", loans / "loans.csv", *target, "--ignore", "age,income")
            told = call(*given, "--rules", "two.rules", cwd=tmp_path, code=2).stderr
            assert "rule 'a': the data have no column 'age'" in told
            call(*given, "--rules", "one.rules", cwd=tmp_path)
            told = call(*given, "--ignore", "nothing", "--rules", "one.rules", cwd=tmp_path, code=2).stderr
            assert "has no column 'nothing'" in told


def test_an_edit_in_place_of_a_model_names_its_models(edited, call):
    folder, _ = edited
    asked = ("score", "--data", "loans.csv", "--target", "decision", "--rules", "clean.rules")
    for given, what in (("edit", "folder"), ("edit/edit.json", "record")):
        assert call(*asked, "--load", given, cwd=folder, code=2).stderr == (
            f"Error: {given} is the {what} of an edit. Its model is edit/model.skops; edit/before.skops is the one "
            "before the edit.\n"
        )
    assert call(*asked, "--load", ".", cwd=folder, code=2).stderr == "Error: Is a directory: ..\n"


def test_settings_of_all_commands_do_not_reach_those_that_load(loans, call, tmp_path):
    (tmp_path / "frote.toml").write_text(f'model = "forest"\nrules = "{loans}/clean.rules"\n')
    call("check", "--data", loans / "loans.csv", cwd=tmp_path)
