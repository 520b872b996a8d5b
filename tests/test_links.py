"""Every relative link of every page leads to a file that is there, and to a heading that it has."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parent.parent
MADE = {"build", "dist", "frote-demo"}  # folders that are not part of the project
PAGES = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not any(part.startswith(".") or part in MADE for part in path.relative_to(ROOT).parts)
)


def prose(page: str) -> str:
    """The page without its code, where neither links nor headings are."""
    return re.sub(r"(`+)[^`]+?\1", "", re.sub(r"^```.*?^```$", "", page, flags=re.DOTALL | re.MULTILINE))


def anchors(page: str) -> set[str]:
    """The anchors that a repository's page gives to headings."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ +(.+)$", re.sub(r"^```.*?^```$", "", page, flags=re.DOTALL | re.M), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        stem = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        found.add(next(name for name in (stem, *(f"{stem}-{i}" for i in range(1, 99))) if name not in found))
    return found


def broken(path: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    wrong = []
    for link in re.findall(r"\[[^\]]*\]\(([^()\s]+)\)", prose(path.read_text("utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = unquote(link).partition("#")
        target = path.parent / file if file else path
        if not target.exists() or (anchor and anchor not in anchors(target.read_text("utf-8"))):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    assert broken(path) == []


def test_some_pages_have_been_found():
    assert {ROOT / "README.md", ROOT / "docs" / "index.md"} <= set(PAGES)


def test_a_broken_link_is_found(tmp_path):
    (tmp_path / "other.md").write_text("# One `two`, three\n\n```sh\n# no heading\n```\n\n# Again\n\n# Again\n")
    page = tmp_path / "page.md"
    good = "[a](other.md) [b](other.md#one-two-three) [c](other.md#again-1) [d](https://x.org/no) [e](#here) `[f](no)`"
    bad = ["no.md", "other.md#no-heading", "other.md#again-2", "#there", "no.svg"]
    page.write_text(f"# Here\n\n{good}\n" + " ".join(f"[x]({link})" for link in bad[:-1]) + f" ![y]({bad[-1]})\n")
    assert broken(page) == bad
