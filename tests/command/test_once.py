"""One edit by the command: its rules are read and resolved once, and every table is typed once."""

from __future__ import annotations

import json

import frote
from frote.rules import conflicts
from frote.table import table as table_module


def counted(monkeypatch, place, name, inner):
    """Count the calls of a function; return their first arguments."""
    seen = []

    def call(*args, **given):
        seen.append(args[0])
        return inner(*args, **given)

    for module in [place] if isinstance(place, str) else place:
        monkeypatch.setattr(f"{module}.{name}", call)
    return seen


def test_an_edit_reads_each_thing_once(loans, call, monkeypatch, tmp_path):
    parsing = ("frote.rules.parser", "frote.rules", "frote.rules.written", "frote.rules.files")
    parsed = counted(monkeypatch, parsing, "parse_rules", frote.rules.parser.parse_rules)
    resolving = ("frote.rules.conflicts", "frote.estimators.given_rules")
    resolved = counted(monkeypatch, resolving, "resolve", conflicts.resolve)
    typed = counted(monkeypatch, "frote.table.table", "_read", table_module._read)
    wanted = ["--rules", "policy.rules", "--resolve", "priority", "--target", "decision", "--max-fits", 2, "--quiet"]
    call("edit", "--data", "loans.csv", "--test", "later.csv", *wanted, "--out", tmp_path / "edit", cwd=loans)
    assert len(parsed) == 1
    assert len(resolved) == 1
    assert len({id(frame) for frame in typed}) == len(typed)
    data, test, made, examples = typed
    assert (len(data), len(test)) == (300, 100)
    assert len(made) == json.loads((tmp_path / "edit" / "edit.json").read_text())["rows"].get("synthetic", 0)
    assert len(examples) < 100  # the rows that the report shows
