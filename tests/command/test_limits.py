"""No command waits for ever, or reads without end; what a table may take can be granted."""

from __future__ import annotations

import gzip
import os

from frote.command.main import main


def test_every_command_takes_the_option(call, tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a,y\n" + b"1,x\n2,z\n" * 1000))
    (tmp_path / "a.rules").write_text("IF a > 1 THEN z\n")
    asked = ("check", "--rules", "a.rules", "--data", "a.csv.gz")
    call(*asked, "--max-size", "1GB", cwd=tmp_path)
    assert "--max-size 1GB" in call(*asked, "--max-size", "1KB", cwd=tmp_path, code=2).output
    assert "A size is" in call(*asked, "--max-size", "some", cwd=tmp_path, code=2).output
    call(*asked, cwd=tmp_path)  # what was granted before is not granted now
    for name, command in main.commands.items():
        options = {option for one in command.params for option in one.opts}
        assert ("--max-size" in options) == ("--data" in options or name == "verify"), name  # which reads what was made


def test_no_command_waits_for_a_pipe(call, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.csv").write_text("a,y\n1,x\n2,z\n")
    (tmp_path / "a.rules").write_text("IF a > 1 THEN z\n")
    table, rules = ("--data", "a.csv"), ("--rules", "a.rules")
    for arguments in (
        ("check", "--data", "pipe", *rules),
        ("check", *table, "--rules", "pipe"),
        ("preview", *table, "--target", "y", "--rules", "pipe"),
        ("--settings", "pipe", "check", *table, *rules),
        ("replay", "pipe", *table),
    ):
        assert "a pipe or a device" in call(*arguments, cwd=tmp_path, code=2).output


def test_no_command_reads_without_end(call, tmp_path):
    (tmp_path / "a.csv").write_text("a\n1\n")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(17 * 2**20)  # takes no room on disk
    (tmp_path / "deep").write_text("a = " + "[" * 100_000)
    (tmp_path / "deep.json").write_text('{"edit": ' * 100_000)
    for arguments, told in (
        (("--settings", "large", "check"), "larger than 16 MB"),
        (("replay", "large", "--data", "a.csv"), "larger than 16 MB"),
        (("--settings", "deep", "check"), "cannot be read"),
        (("replay", "deep.json", "--data", "a.csv"), "no record"),
    ):
        assert told in call(*arguments, cwd=tmp_path, code=2).output
