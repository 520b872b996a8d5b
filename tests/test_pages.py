"""The pages do what they say: their code prints what stands below it, and the reference has every public name."""

from __future__ import annotations

import inspect
import re
import shlex
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

import frote
from frote.command.main import main

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCS = ROOT / "docs"


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    text: str
    line: int


def blocks(page: str) -> list[Block]:
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return [Block(hit[1], hit[2], page.count("\n", 0, hit.start(2))) for hit in found]


def to_run(page: str) -> list[tuple[Block, str]]:
    """Each block of Python, and each of commands that a text follows, with what it is to print."""
    found = []
    for block, after in pairwise([*blocks(page), Block("", "", 0)]):
        shown = after.text if after.language == "text" else ""
        if block.language == "python" or (block.language == "sh" and shown):
            found.append((block, shown))
    return found


def run(block: Block, names: dict[str, object], path: Path) -> None:
    if block.language == "python":
        exec(compile("\n" * block.line + block.text, str(path), "exec", dont_inherit=True), names)
        return
    for command in block.text.replace("\\\n", " ").splitlines():
        program, *arguments = shlex.split(command)
        assert program == "frote"
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code in (0, 1)


PAGES = [path for path in (README, *sorted(DOCS.rglob("*.md"))) if to_run(path.read_text("utf-8"))]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_prints_what_it_shows(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block, shown in to_run(path.read_text("utf-8")):
        run(block, names, path)
        assert capsys.readouterr().out == shown


def test_every_page_of_the_guide_has_an_example():
    guide = set((DOCS / "guide").glob("*.md"))
    assert guide
    assert guide <= set(PAGES)


def test_the_reference_has_every_public_name_once_and_no_other():
    public = []
    for name in frote.__all__:
        found = getattr(frote, name)
        public += [f"frote.{name}.{part}" for part in found.__all__] if inspect.ismodule(found) else [f"frote.{name}"]
    text = "\n".join(path.read_text("utf-8") for path in (DOCS / "api").glob("*.rst"))
    assert sorted(re.findall(r"^\.\. auto(?!module)\w+:: (\S+)$", text, re.MULTILINE)) == sorted(public)


def test_the_commands_are_those_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for command in re.findall(r"^make (\w+)", README.read_text("utf-8"), re.MULTILINE):
        assert f"\n{command}:" in makefile
    assert "make test" in (ROOT / ".ci" / "run").read_text("utf-8")
