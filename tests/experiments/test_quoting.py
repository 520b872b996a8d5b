"""Numbers on pages are those of the tables that they name: on the pages here, and on made-up ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from frote_experiments.presets import PRESETS
from frote_experiments.quoting import FOLDERS, PAGES, Tables, quoted

ROOT = Path(__file__).parents[2]
TABLE = "method,objective,runs,told\ndefault,0.91234,1623,first\nweights,-0.0042,7,cannot be told\n"
SHEET = "# Head\n\n## One\n\n| a |\n|---|\n| 1 |\n\n## Two\n\n| b |\n|---|\n| 0.5 |\n\nDone.\n"
PAGE = """\
It reaches 0.912 of 1 in 1,623 runs, *F1* `0.5` apart; see [5](a/7.md).
<!-- numbers: quick/gains[method=default].objective; 1; .runs;
.told = first; 5 -->

- Weights lose -0.0042.
  <!-- numbers: quick/gains[method=weights].objective -->
- Nothing to count.

| b |
|---|
| 0.5 |
<!-- table: quick/gains#Two -->

```text
42
```
"""


@pytest.fixture
def tables(tmp_path):
    folder = tmp_path / "quick" / "tables"
    folder.mkdir(parents=True)
    (folder / "gains.csv").write_text(TABLE)
    (folder / "gains.md").write_text(SHEET)
    return Tables(tmp_path)


@pytest.fixture(scope="module")
def here():
    return Tables(*(ROOT / folder for folder in FOLDERS))


@pytest.mark.parametrize("page", PAGES)
def test_every_number_of_the_pages_here_is_that_of_its_table(page, here):
    text = (ROOT / page).read_text("utf-8")
    made = quoted(text, here)
    assert made.complaints == ()
    assert made.changed == 0
    assert made.text == text
    assert text.count("<!-- numbers: ") > 3


@pytest.mark.parametrize(
    ("wrong", "right"), [("better in 20 of 24", "better in 21 of 24"), ("+0.0176 ± 0.0031", "+0.0177 ± 0.0031")]
)
def test_a_digit_or_a_count_planted_here_is_found(wrong, right, here):
    text = (ROOT / "docs" / "paper.md").read_text("utf-8")
    assert wrong in text
    made = quoted(text.replace(wrong, right, 1), here)
    assert made.changed == 1
    assert made.text == text


@pytest.mark.parametrize("page", PAGES)
def test_a_digit_planted_anywhere_is_found(page, here):
    """In paragraphs, lists, captions and tables of results; F1 is a name, and code is checked by being run."""
    text = (ROOT / page).read_text("utf-8")
    code = r"^\s*```.*?^\s*```$|<!--.*?-->|`[^`]*`|\]\([^)]*\)|<[^>]*>|^\| `.*?$|\bF1\b"
    hidden = re.sub(code, lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.MULTILINE | re.DOTALL)
    places = [found.end() - 1 for found in re.finditer(r"\d(?:[\d,.]*\d)?", hidden)]
    assert len(places) > 40
    for place in places[:: 1 + len(places) // 25]:
        planted = f"{text[:place]}{(int(text[place]) + 1) % 10}{text[place + 1 :]}"
        made = quoted(planted, here)
        assert made.complaints or made.text == text, planted[place - 40 : place + 10]


def test_the_table_of_presets_has_the_draws_and_retrainings_of_the_code():
    lines = re.findall(
        r"^\| `(\w+)` \| ([^|]*) \| ([^|]*) \|", (ROOT / "experiments" / "README.md").read_text("utf-8"), re.M
    )
    assert {name for name, _, _ in lines} == set(PRESETS)
    for name, draws, retrainings in lines:
        if PRESETS[name].draws and name != "paper":
            assert int(draws) == PRESETS[name].draws
        if name != "local":
            assert int(re.sub(r"\D", "", retrainings)) == PRESETS[name].max_fits


def test_a_page_that_is_right_stays_as_it_is(tables):
    assert quoted(PAGE, tables) == quoted(quoted(PAGE, tables).text, tables)
    assert quoted(PAGE, tables).text == PAGE
    assert (quoted(PAGE, tables).changed, quoted(PAGE, tables).complaints) == (0, ())


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("0.912", "0.913"), ("1,623", "1,622"), ("-0.0042", "+0.0042"), ("| 0.5 |", "| 0.6 |"), ("| b |", "| c |")],
)
def test_what_is_wrong_is_written_anew(right, wrong, tables):
    made = quoted(PAGE.replace(right, wrong), tables)
    assert (made.text, made.changed, made.complaints) == (PAGE, 1, ())


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (" of 1 in", " of 1 and 2 in", r"5 numbers \(0\.912, 1, 2, 1,623, 5\) have 4 entries"),
        ("It reaches 0.912 of", "It reaches", "3 numbers .* have 4 entries"),
        (" of 1 in", " of 2 in", "the number 2 has the entry 1"),
        ("Nothing to count", "3 to count", r"1 numbers \(3\) have 0 entries"),
        (".told = first", ".told = second", "is 'first', and not 'second': the words want another look"),
        ("method=default", "method=none", "0 rows of quick/gains"),
        (".runs", ".walks", "has no column walks"),
        ("quick/gains[method=w", "quick/other[method=w", "There is no table quick/other"),
        ("#Two", "#Three", "There is no table quick/gains#Three"),
        ("<!-- table: quick/gains#Two -->\n", "", "a table needs a comment"),
        ("; 1; ", "; one; ", "'one' is neither a number nor"),
        ("Nothing to count", "Some 40x as many", "the number in '40x' is part of a word"),
        ("Nothing to count", "Better in seven of the ten", "the count 'seven of the ten' is in words"),
        ("Nothing to count", "![Over 3 draws](3.png)", r"1 numbers \(3\) have 0 entries"),
        ("- Nothing to count.", "## All 5 of them", "the number in '5' stands in a head"),
    ],
)
def test_what_cannot_be_mended_is_told_and_left_alone(old, new, complaint, tables):
    assert old in PAGE
    text = PAGE.replace(old, new, 1)
    made = quoted(text, tables)
    assert made.text == text
    assert len(made.complaints) == 1
    assert re.search(complaint, made.complaints[0])
