"""Nothing that comes from a file reaches a terminal as it is, whatever the command and whoever says it."""

from __future__ import annotations

import ast
import json
import logging
import os
import pty
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import frote
from frote.shell import BadInput, Command, Group, say
from frote.visible import visible

NASTY = "\x1b]0;pwned\x07\x9b2J\u202e\u2066\u200b\u2028x\x7f"
AGE, PURPOSE, TARGET = f"age{NASTY}", f"purpose{NASTY}", f"decision{NASTY}"
YES, NO = f"yes{NASTY}", f"no{NASTY}"
CAR, BOAT = f"car{NASTY}", f"boat{NASTY}"
RULES = f"""
young: IF `{AGE}` < 29 AND `{PURPOSE}` = '{CAR}' THEN '{YES}'
old: IF `{AGE}` > 55 THEN '{NO}'
"""
CONFLICT = f"{RULES}all: IF `{PURPOSE}` = '{CAR}' THEN '{NO}'\n"
DATA = f"data{NASTY}.csv"


@pytest.fixture(scope="module")
def nasty(tmp_path_factory):
    """A folder whose files, columns, levels, labels and rules have names that a terminal would obey."""
    folder = tmp_path_factory.mktemp("nasty")
    rows = [f"{20 + n % 45},{CAR if n % 2 else BOAT},{YES if n % 45 < 25 else NO}" for n in range(90)]
    for name, part in ((DATA, rows[:70]), (f"later{NASTY}.csv", [row.replace(",", "1,", 1) for row in rows[70:]])):
        (folder / name).write_text("\n".join([f"{AGE},{PURPOSE},{TARGET}", *part, ""]), "utf-8")
    labelled = (folder / DATA).read_text("utf-8").replace(YES, "yes").replace(NO, "no")
    (folder / "plain.csv").write_text(labelled, "utf-8")
    (folder / f"policy{NASTY}.rules").write_text(RULES, "utf-8")
    (folder / "conflict.rules").write_text(CONFLICT, "utf-8")
    return folder


TABLE = ("--data", DATA, "--target", TARGET)
GIVEN = ("--rules", f"policy{NASTY}.rules")
FEW = ("--max-fits", "2")
EDIT = ("edit", *TABLE, *GIVEN, *FEW, "--out", f"out{NASTY}", "--title", NASTY)
MODELS = ("--before", f"out{NASTY}/before.skops", "--after", f"out{NASTY}/model.skops")
MODEL = ("--load", f"out{NASTY}/model.skops")
# In this order: the first makes what others read. Those that end otherwise than well have their exit code beside them.
CALLS = [
    (EDIT, 0),
    (("check", *GIVEN, "--data", DATA), 0),
    (("check", "--rules", "conflict.rules", *TABLE), 1),
    (("check", "--rules", "conflict.rules", *TABLE, "--json"), 1),
    (("preview", *TABLE, *GIVEN, *FEW), 0),
    (("preview", *TABLE, *GIVEN, *FEW, "--json"), 0),
    (("score", *TABLE, *GIVEN, *MODEL), 0),
    (("score", *TABLE, *GIVEN, *MODEL, "--json"), 0),
    (("compare", *TABLE, *GIVEN, *MODELS, "--subgroups", PURPOSE), 0),
    (("compare", *TABLE, *GIVEN, *MODELS, "--json"), 0),
    (("overlay", *TABLE, *GIVEN, *MODEL, "--out", f"over{NASTY}.csv"), 0),
    (("predict", f"out{NASTY}/model.skops", *TABLE), 0),
    (("predict", f"out{NASTY}/model.skops", *TABLE, "--out", f"new{NASTY}.csv"), 0),
    (("replay", f"out{NASTY}", "--data", DATA), 0),
    (("resolve", "--rules", "conflict.rules", "--how", "priority", "--out", f"new{NASTY}.rules"), 0),
    (("explain", "--data", "plain.csv", "--target", TARGET, "--out", f"now{NASTY}.rules"), 0),
    # What is wrong is told of names that nobody here has chosen.
    (EDIT, 2),
    (("preview", *TABLE, "--rules", "conflict.rules"), 2),
    (("preview", "--data", DATA, "--target", f"desicion{NASTY}", *GIVEN), 2),
    (("preview", *TABLE, *GIVEN, "--model", NASTY), 2),
    (("preview", *TABLE, *GIVEN, "--select", NASTY), 2),
    (("check", *GIVEN, "--data", f"none{NASTY}.csv"), 2),
    (("check", "--rules", DATA, "--data", DATA), 2),
    ((f"--{NASTY}",), 2),
    ((NASTY,), 2),
    (("replay", DATA, "--data", DATA), 2),
    (("replay", f"out{NASTY}", "--data", f"later{NASTY}.csv"), 2),
]


def test_no_command_prints_what_a_terminal_would_obey(nasty, monkeypatch):
    monkeypatch.chdir(nasty)
    for arguments, code in CALLS:
        done = CliRunner().invoke(frote.command.main.main, arguments)
        assert done.exit_code == code, (arguments, done.output, done.exception)
        assert done.exception is None or isinstance(done.exception, SystemExit), arguments
        printed = done.output.replace("\redit", "\nedit")  # the bar goes back to the start of its line
        assert visible(printed) == printed, arguments
        assert done.output.strip(), arguments
        if "--json" in arguments:
            json.loads(done.stdout)


def test_settings_of_others_are_shown_too(nasty, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for text in (f"model = {json.dumps(NASTY)}", f"{json.dumps(NASTY)} = 1", f"seed = {json.dumps(NASTY)}"):
        (tmp_path / "frote.toml").write_text(text.replace("\x7f", "\\u007F"), "utf-8")
        for arguments in (("edit", "--help"), ("preview", *TABLE, *GIVEN)):
            done = CliRunner().invoke(frote.command.main.main, arguments)
            assert visible(done.output) == done.output


def test_rules_in_a_pipe_are_the_same_rules(nasty, monkeypatch):
    monkeypatch.chdir(nasty)
    main = frote.command.main.main
    done = CliRunner().invoke(main, ["resolve", "--rules", "conflict.rules", "--how", "priority"])
    assert frote.parse_rules(done.stdout_bytes.decode()) == frote.read_rules("conflict.rules").resolve("priority")
    asked = ["explain", "--data", "plain.csv", "--target", TARGET]
    done = CliRunner().invoke(main, asked)
    CliRunner().invoke(main, [*asked, "--out", "explained.rules"])
    assert frote.parse_rules(done.stdout_bytes.decode()) == frote.read_rules("explained.rules")
    assert AGE in done.stdout_bytes.decode()


def test_rules_on_a_terminal_are_made_visible(nasty):
    code = "from frote.shell import say_rules; import frote; say_rules(frote.read_rules('conflict.rules'))"
    ours, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", code], cwd=nasty, stdout=theirs, check=True, timeout=600)
    os.close(theirs)
    printed = b""
    try:
        while block := os.read(ours, 4096):
            printed += block
    except OSError:  # Linux says so at the end
        pass
    os.close(ours)
    text = printed.decode().replace("\r\n", "\n")
    assert visible(text) == text
    assert "\\x1b]0;pwned" in text


def fails():
    raise BadInput(f"bad {NASTY}")


def logs():
    logging.getLogger("frote").warning("cut %s", NASTY)


@pytest.mark.parametrize("function", [fails, logs, lambda: say(NASTY, title=NASTY)])
def test_errors_and_logs_go_through_the_same_door(function, monkeypatch):
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    done = CliRunner().invoke(Group("frote", commands=[Command("one", callback=function)]), ["one"])
    plain = click.unstyle(done.output)  # our own headings are bold
    assert "\\x1b]0;pwned" in plain
    assert visible(plain) == plain


@pytest.mark.parametrize(
    ("does", "code", "said"), [("raise ValueError(NASTY)", 1, "Traceback"), ("warnings.warn(NASTY)", 0, "UserWarning")]
)
def test_warnings_and_tracebacks_do_too(does, code, said):
    lines = [
        "import warnings",
        "from frote.shell import Command, Group",
        f"NASTY = {NASTY!a}",
        f"def one(): {does}",
        "Group('frote', commands=[Command('one', callback=one)])(['one'])",
    ]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == code
    assert said in done.stderr
    assert "\\x1b]0;pwned" in done.stderr
    assert visible(done.stderr) == done.stderr


def test_a_terminal_that_lacks_letters_gets_their_numbers(run, tmp_path):
    (tmp_path / "a.csv").write_text("город,y\nŁódź,1\nOslo,0\n", "utf-8")
    (tmp_path / "a.rules").write_text("'خواهم': IF город = Łódź THEN 1\n", "utf-8")
    asked = ("check", "--rules", "a.rules", "--data", "a.csv", "--target", "y")
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    assert "\\u062e\\u0648" in run(*asked, cwd=tmp_path, env=env).stdout
    answer = json.loads(run(*asked, "--json", cwd=tmp_path, env=env).stdout)
    assert answer["rules"][0]["rule"] == "خواهم"


PRINTING = {"print", "click.echo", "click.secho", "click.style", "sys.stdout", "sys.stderr", "stdout.write", "input"}


def test_there_is_one_door():
    source = Path(frote.__file__).parent
    found = {
        f"{path.relative_to(source)}: {name}"
        for path in source.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Name | ast.Attribute)
        for name in [ast.unparse(node)]
        if name in PRINTING
    }
    # A worker of the studio answers the studio's process, and no person, by its output.
    assert {entry.partition(":")[0] for entry in found} == {"shell.py", "studio/worker.py"}
