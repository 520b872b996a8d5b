"""Rules that no row can satisfy, and rules that need all classes, on the command line."""

from __future__ import annotations

import json

import pytest

TOLD = "column 'channel' has no level 'brokr'. Did you mean 'broker'?"
DATA = ("--data", "loans.csv", "--target", "decision")
BRIEF = ("--max-fits", "1", "--quiet")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("impossible")
    rows = [
        f"{20 + place % 50},{1000 * (place % 7)},{('web', 'broker', 'branch')[place % 3]},{('yes', 'no')[place % 2]}"
        for place in range(120)
    ]
    (made / "loans.csv").write_text("\n".join(["age,amount,channel,decision", *rows]) + "\n")
    (made / "typo.rules").write_text("brokers: IF channel = brokr AND age >= 30 THEN no\nyoung: IF age < 23 THEN yes\n")
    (made / "part.rules").write_text("brokers: IF channel IN {broker, brokr} AND age >= 60 THEN no\n")
    (made / "unsure.rules").write_text(
        "a: IF age < 30 THEN yes WITH CONFIDENCE 0.8\nb: IF amount > 4000 THEN no WITH CONFIDENCE 0.9\n"
    )
    return made


def test_a_misspelt_value_is_refused_in_the_words_of_the_command_line(folder, call):
    for command in (("edit", "--out", "refused"), ("preview",)):
        done = call(*command, *DATA, "--rules", "typo.rules", cwd=folder, code=2)
        assert f"line 1, rule 'brokers': no row can satisfy it: {TOLD}\n  channel = 'brokr'\n" in done.stderr
        assert "--levels channel=brokr; with --on-impossible skip such rules are left out." in done.stderr
    assert not (folder / "refused").exists()


@pytest.mark.parametrize("word", ["NULL", "''", "None"])
def test_words_for_missing_are_told_how_rules_say_it(folder, call, word):
    (folder / "null.rules").write_text(f"unknown: IF channel = {word} THEN no\nall: IF channel != {word} THEN no\n")
    told = call("check", "--rules", "null.rules", "--data", "loans.csv", cwd=folder, code=1).stdout
    words = " ".join(told.split())
    named = word if word == "''" else f"'{word}'"
    assert f"column 'channel' has no level {named}. Did you mean channel IS MISSING, or IS NOT MISSING?" in words
    assert f"all: channel never holds {named}. Did you mean channel IS MISSING, or IS NOT MISSING?" in words


def test_what_is_left_out_stands_first_in_message_record_and_report(folder, call):
    skip = (*DATA, "--rules", "typo.rules", "--on-impossible", "skip", "--max-fits", "1")
    done = call("edit", *skip, "--out", "skipped", cwd=folder)
    assert done.stderr.startswith(f"Left out: rule 'brokers', which no row can satisfy: {TOLD}\n")
    assert done.stdout.startswith(f"Not done: rule 'brokers' was left out, since no row can satisfy it: {TOLD}\n")
    assert "did what was asked" not in done.stdout
    assert "100 %" not in done.stdout.replace("\xa0", " ")
    record = json.loads((folder / "skipped" / "edit.json").read_text("utf-8"))
    assert record["skipped"] == [{"rule": "brokers", "why": TOLD}]
    assert record["asked"]["settings"]["on_impossible"] == "skip"
    report = json.loads((folder / "skipped" / "report.json").read_text("utf-8"))
    assert list(report).index("skipped") < list(report).index("verdict")
    assert report["verdict"].startswith("Not done: “brokers”")
    preview = call("preview", *skip, "--json", cwd=folder)
    assert json.loads(preview.stdout)["skipped"] == record["skipped"]


def test_rules_of_which_resolving_leaves_nothing_are_told_of_first(folder, call):
    (folder / "shadowed.rules").write_text("young: IF age < 30 THEN yes\nteens: IF age < 25 THEN no\n")
    done = call(
        *("edit", *DATA, "--rules", "shadowed.rules", "--resolve", "priority", "--max-fits", "1", "--out", "shadowed"),
        cwd=folder,
    )
    assert done.stderr.startswith("Nothing is left of 'teens', since conflicts were resolved by priority.\n")
    report = json.loads((folder / "shadowed" / "report.json").read_text("utf-8"))
    assert report["verdict"].startswith("Nothing is left of “teens”, since conflicts were resolved by priority.")
    laid = ("--data", "loans.csv", "--target", "decision", "--load", "shadowed/model.skops", "--out", "patched.csv")
    done = call("overlay", *laid, "--rules", "shadowed.rules", "--resolve", "priority", cwd=folder)
    assert done.stderr.startswith("Nothing is left of 'teens', since conflicts were resolved by priority.\n")
    mixed = call("resolve", "--rules", "shadowed.rules", "--how", "mix", cwd=folder)
    assert "Nothing" not in mixed.stderr  # teens are half of a mixed rule


def test_resolving_all_rules_away_is_refused(folder, call):
    (folder / "twins.rules").write_text("a: IF age < 30 THEN yes\nb: IF age < 30 THEN no\n")
    for command in (("resolve", "--how"), ("edit", *DATA, "--out", "nothing", "--resolve")):
        done = call(*command, "exclude", "--rules", "twins.rules", cwd=folder, code=2)
        assert "Resolving conflicts by exclude leaves nothing of any rule." in done.stderr
    assert not (folder / "nothing").exists()


def test_a_level_can_be_declared(folder, call):
    levels = ("--levels", "channel=brokr, post", "--levels", 'channel="a, b"')
    call("edit", *DATA, "--rules", "typo.rules", *levels, "--out", "declared", *BRIEF, cwd=folder)
    record = json.loads((folder / "declared" / "edit.json").read_text("utf-8"))
    assert record["asked"]["levels"] == {"channel": ["brokr", "post", "a, b"]}
    assert record["skipped"] == []
    assert "The same" in call("replay", "declared", "--data", "loans.csv", cwd=folder).stdout
    assert call("check", *DATA, "--rules", "typo.rules", "--levels", "channel=brokr", cwd=folder).stdout
    for wrong, told in (
        ("channel", "--levels is given as COLUMN=LEVEL,LEVEL"),
        ("chanel=x", "has no column 'chanel'. Did you mean 'channel'?"),
        ("age=x", "column 'age' holds numbers, which have no levels. If they are categories, add --categorical age."),
    ):
        done = call("preview", *DATA, "--rules", "typo.rules", "--levels", wrong, cwd=folder, code=2)
        assert told in done.stderr


def test_a_part_that_cannot_apply_is_told_once(folder, call):
    done = call("edit", *DATA, "--rules", "part.rules", "--out", "part", *BRIEF, "--resolve", "exclude", cwd=folder)
    assert done.stderr.count(f"Part of rule 'brokers' cannot apply: {TOLD}") == 1
    record = json.loads((folder / "part" / "edit.json").read_text("utf-8"))
    assert record["in_part"] == [{"rule": "brokers", "why": TOLD}]
    assert record["verdict"].startswith("Not all of it can apply: “brokers”")


def test_every_command_that_takes_rules_says_it(folder, call):
    call("edit", *DATA, "--rules", "part.rules", "--out", "model", *BRIEF, cwd=folder)
    model, rules = ("--load", "model/model.skops"), ("--rules", "typo.rules")
    nothing = f"Rule 'brokers' covers nothing, since no row can satisfy it: {TOLD}"
    assert nothing in call("score", *DATA, *rules, *model, cwd=folder).stdout
    assert nothing in json.loads(call("score", *DATA, *rules, *model, "--json", cwd=folder).stdout)["notes"]
    both = ("--before", "model/before.skops", "--after", "model/model.skops")
    assert nothing in call("compare", *DATA, *rules, *both, cwd=folder).stdout
    assert nothing in call("overlay", *DATA, *rules, *model, "--out", "over.csv", cwd=folder).stderr
    assert nothing in call("resolve", "--data", "loans.csv", *rules, "--how", "exclude", cwd=folder).stderr
    done = call("check", *DATA, *rules, cwd=folder, code=1)
    assert f"brokers: no row can satisfy it: {TOLD}" in " ".join(done.stdout.split())


def test_confidences_are_mixed_where_the_target_is_known(folder, call):
    rules = ("--rules", "unsure.rules")
    call("edit", *DATA, *rules, "--resolve", "mix", "--out", "mixed", *BRIEF, cwd=folder)
    mixed = "a + b: IF age < 30 AND amount > 4000 THEN {no: 0.55, yes: 0.45}"
    assert mixed in (folder / "mixed" / "rules.rules").read_text("utf-8")
    assert mixed in call("resolve", *rules, *DATA, "--how", "mix", cwd=folder).stdout
    assert call("preview", *DATA, *rules, "--resolve", "mix", "--max-fits", "1", cwd=folder).stdout
    over = ("--load", "mixed/model.skops", "--resolve", "mix", "--out", "mixed.csv")
    assert "are by rules" in call("overlay", *DATA, *rules, *over, cwd=folder).stdout
    for given in ((), ("--data", "loans.csv")):
        done = call("resolve", *rules, *given, "--how", "mix", cwd=folder, code=2)
        assert "all the classes must be known. Add --data and --target, the column of labels." in done.stderr
    done = call("resolve", *rules, "--target", "decision", "--how", "mix", cwd=folder, code=2)
    assert "--target is a column of a table. Add --data with the table." in done.stderr


def test_conflicts_are_told_in_the_words_of_the_command_line(folder, call):
    done = call("preview", *DATA, "--rules", "unsure.rules", cwd=folder, code=2)
    assert "Rules conflict; resolve them with --resolve exclude, mix or priority:" in done.stderr
    done = call("check", *DATA, "--rules", "unsure.rules", cwd=folder, code=1)
    assert "Resolve conflicts with --resolve exclude, mix or priority." in done.stdout
