"""The examples run from start to end."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


DOCS = EXAMPLES[0].parent.parent / "docs"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_prints_what_its_page_shows(path, capsys):
    runpy.run_path(str(path), run_name="__main__")
    out = capsys.readouterr().out
    assert "before and after" in out
    page = DOCS / f"{path.stem}.md"
    if page.exists():
        assert f"```text\n{out}```" in page.read_text("utf-8")


def test_some_example_has_a_page():
    assert any((DOCS / f"{path.stem}.md").exists() for path in EXAMPLES)
