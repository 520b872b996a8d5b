"""The page on the paper quotes results: every table and every number of it stands in a result table."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "paper.md"
NUMBER = re.compile(r"[+-]?\d\.\d{3,}")


def tables():
    return "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "experiments").glob("*/tables/*.md")))


def lines(text):
    return {line for line in text.splitlines() if line.startswith("|")}


def test_every_line_of_its_tables_stands_in_a_result_table():
    quoted = lines(PAGE.read_text("utf-8"))
    assert len(quoted) > 20
    assert quoted - lines(tables()) == set()


def test_every_number_of_its_text_stands_in_a_result_table():
    quoted = set(NUMBER.findall(PAGE.read_text("utf-8")))
    assert len(quoted) > 20
    assert quoted - set(NUMBER.findall(tables())) == set()
