"""The README's example does what the README says."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_example_prints_what_the_readme_shows(capsys):
    text = README.read_text("utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    shown = re.search(r"```text\n(.*?)```", text, re.DOTALL)
    assert code is not None
    assert shown is not None
    exec(compile(code[1], "README.md", "exec"), {})
    assert capsys.readouterr().out == shown[1]


def test_the_commands_are_those_of_the_makefile():
    makefile = (README.parent / "Makefile").read_text("utf-8")
    for command in re.findall(r"^make (\w+)", README.read_text("utf-8"), re.MULTILINE):
        assert f"\n{command}:" in makefile
    assert "make test" in (README.parent / ".ci" / "run").read_text("utf-8")
