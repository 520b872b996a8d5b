"""A dossier tells what the record and the report know, asks the owner for the rest, and invents nothing."""

from __future__ import annotations

import copy
import json
import random
import re
from collections import Counter

import pandas as pd
import pytest
from tests.report.conftest import SHA
from tests.report.html_check import checked
from tests.report.test_page import ATTACKS

from frote.contracts import misfit
from frote.exceptions import RecordError
from frote.report.composition import composition, seen_in
from frote.report.contents import ColumnFacts, Report
from frote.report.dossier import Known, Owned, as_markdown, as_page, blank, gather_dossier, read_owned
from frote.report.dossier.markdown import escaped
from frote.report.dossier.outline import OUTLINE
from frote.report.lines import lines_in
from frote.report.reading import read_report
from frote.table import Table

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
# Numbers that stand on the page whatever the edit: percent of intervals, names of hashes, laws and vocabularies.
STATIC = {"95", "256", "2024", "1689", "26", "11", "2026", "13", "1.1", "1"}


def of(known, text=""):
    return gather_dossier(known, read_owned(text, "owner.toml"))


def tainted(value, chance):
    """Return plain data with every number another one, none of which occurs by accident."""
    if isinstance(value, dict):
        return {name: one if name == "report" else tainted(one, chance) for name, one in value.items()}
    if isinstance(value, list):
        return [tainted(one, chance) for one in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return chance.randrange(10**6, 10**7) if isinstance(value, int) else chance.uniform(0.01, 0.99)


def numbers_of(value):
    """List how pages may write the numbers of plain data, and those that its texts hold."""
    if isinstance(value, dict):
        return {text for one in (*value, *value.values()) for text in numbers_of(one)}
    if isinstance(value, list):
        return {text for one in value for text in numbers_of(one)}
    if isinstance(value, str):
        return set(NUMBER.findall(value))
    if isinstance(value, bool) or value is None:
        return set()
    size = abs(value)
    forms = (str(size), f"{size:,}", f"{size:g}", f"{size:.3f}", f"{100 * size:.0f}", f"{100 * size:.1f}")
    return set(forms) | {"0.1", "99.9"}  # what is not all or nothing is not rounded to it


def own_numbers(dossier):
    """List what a dossier counts of itself: its sections and parts, the points they answer, parts that are open."""
    own = {str(dossier.count), str(len(dossier.open_parts))}
    for section in dossier.sections:
        own |= {section.number, *NUMBER.findall(section.title)}
        own |= {text for part in section.parts for text in NUMBER.findall(f"{part.number} {part.point}")}
    return own


@pytest.mark.parametrize("seed", range(3))
def test_every_number_comes_from_the_record_or_the_report(known, summary, record, seed):
    chance = random.Random(seed)
    report, facts = tainted(summary, chance), tainted(record, chance)
    dossier = of(Known(report, facts, "edit", SHA))
    allowed = numbers_of(report) | numbers_of(facts) | numbers_of(SHA) | own_numbers(dossier) | STATIC
    page = checked(re.sub("<style>.*?</style>", "", as_page(dossier), flags=re.DOTALL)).text
    for text in (page, as_markdown(dossier).replace("\\", "")):
        found = NUMBER.findall(text)
        assert len(found) > 300
        assert not [number for number in found if number not in allowed]


def test_what_is_known_is_told(known, summary):
    text = checked(as_page(of(known))).text
    result, scores, made_of = summary["result"], summary["scores"], summary["composition"]
    for wanted in (
        summary["title"],
        summary["verdict"],
        *summary["limits"],
        *(rule["words"] for rule in summary["asked"]["rules"]),
        *(column["name"] for column in made_of["columns"]),
        *(f"{label['label']} {label['data']:,} {label['result']:,}" for label in made_of["labels"]),
        *(f"{scores[model]['objective']:.3f}" for model in scores),
        f"{result['steps'][0]['objective']:.3f}",
        "relabel only",
        "hard overlay",
        f"{summary['done']['rows']['added']:,}",
        summary["repeat"]["command"],
        "Credit policy",
        "zip",
        "1.25",
        SHA,
    ):
        assert " ".join(wanted.split()) in text, wanted


def test_labels_and_columns_are_counted_as_they_are(summary, loans):
    made_of = summary["composition"]
    before, after = loans["y"].value_counts(), loans["result"][1].value_counts()
    assert {one["label"]: (one["data"], one["result"]) for one in made_of["labels"]} == {
        label: (before[label], after[label]) for label in before.index
    }
    by_name = {one["name"]: one for one in made_of["columns"]}
    assert list(by_name) == list(loans["X"].columns)
    for name, column in loans["X"].items():
        assert by_name[name]["missing"] == column.isna().sum()
    assert by_name["age"] == {
        "name": "age",
        "kind": "integer",
        "missing": 0,
        "levels": [],
        "more": 0,
        "low": str(loans["X"]["age"].min()),
        "high": str(loans["X"]["age"].max()),
    }
    assert by_name["channel"]["levels"] == sorted(loans["X"]["channel"].dropna().unique())
    assert by_name["channel"]["low"] is None


def test_html_and_markdown_tell_the_same(known):
    dossier = of(known, "intended-use = 'Loans for cars.'")
    page, text = checked(as_page(dossier)).text, as_markdown(dossier).replace("\\", "")
    flat = " ".join(text.split())
    for part in dossier.parts:
        assert f"{part.number} {part.title}" in page
        assert f"### {part.number} {part.title}" in text
        for block in (*part.blocks, *part.written):
            cells = {
                "text": lambda one: [one.text],
                "points": lambda one: one.items,
                "facts": lambda one: [word for pair in one.pairs for word in pair],
                "code": lambda one: [one.text],
                "grid": lambda one: [one.title, *one.head, *(cell for line in one.lines for cell in line)],
            }[block.kind](block)
            assert all(" ".join(cell.split()) in page for cell in cells)
            assert all(" ".join(cell.split()) in flat for cell in cells)


def test_what_is_open_is_counted_first_and_what_was_written_is_not(known):
    empty, some = of(known), of(known, "intended-use = 'Loans for cars.'\nmonitoring = '''\nweekly\n'''")
    asked = [part.key for section in OUTLINE for part in section.parts if part.asks]
    assert [part.key for part in empty.open_parts] == asked
    assert {part.key for part in empty.open_parts} - {part.key for part in some.open_parts} == {
        "intended-use",
        "monitoring",
    }
    told = f"{len(asked) - 2} of {some.count} parts are still to be written by the owner"
    for text in (checked(as_page(some)).text, as_markdown(some)):
        assert told in text
        assert text.index(told) < text.index(some.verdict.split()[0])
    assert checked(as_page(some)).text.count("To be written by the owner") == len(asked) - 2
    assert checked(as_page(some)).text.count("Written by the owner") == 2
    assert "See 1.3 Intended use , 1.2 Provider and version (open), 1.1 Model details" in checked(as_page(some)).text
    assert "See 1.3 Intended use; 1.2 Provider and version (open); 1.1 Model details." in as_markdown(some)
    full = of(known, "\n".join(f"{key} = 'said'" for key in asked))
    assert not full.open_parts
    assert "To be written" not in as_page(full) + as_markdown(full)


def test_headings_and_links_lead_through_the_page(known):
    page = checked(as_page(of(known)))
    levels = [int(tag[1]) for tag in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(2) == len(OUTLINE)
    assert set(levels) == {1, 2, 3}


def test_the_points_of_both_documents_are_in_their_order():
    annex, guidance = ([part.point for part in section.parts] for section in OUTLINE if section.document)
    assert annex == sorted(annex)
    assert {point[0] for point in annex} == set("123456789")
    assert {point for point in annex if point[0] in "12"} == {
        f"{one}({letter})" for one in "12" for letter in "abcdefgh"
    }
    assert list(dict.fromkeys(guidance)) == ["III", "IV", "V", "VI", "VII"]


def test_no_part_claims_that_anything_is_met(known):
    text = checked(as_page(of(known))).text.lower()
    assert "no certificate" in text
    for word in ("compliant", "complies", "in compliance", "certified", "fulfils", "conforms to"):
        assert word not in text


# --- edits of other kinds ---


def number(value):
    return {"value": value, "low": value - 0.25, "high": value + 0.25}


RATE = {"protected": "sex", "group": "f", "words": "sex is f", "where": "all", "rows": 40, "measure": "selection_rate"}
CASE = {"name": "Anna", "why": "first job", "rule": None, "expected": 1, "before": 0, "after": True}
KINDS = {
    "rules in the model": ({"how": "switches"}, ["it has a column for each rule", "The model holds the rules"]),
    "nothing was edited": (
        {"how": "initial", "unedited": "Nothing was edited: too much was lost."},
        ["Nothing was edited: too much was lost.", "not at all"],
    ),
    "no rows to judge on": (
        {"on": "data", "population": None},
        ["no others were given", "measured on the rows trained on", "the same rows"],
    ),
    "rules left out": (
        {"skipped": [{"rule": "ghosts", "why": "No row has it."}], "in_part": [{"rule": "some", "why": "No 'x'."}]},
        ["ghosts: left out of the edit. No row has it.", "some, done in part: No 'x'."],
    ),
    "protected groups": (
        {
            "fairness": {
                "favourable": "approved",
                "decided": "",
                "notices": ["A rule names sex."],
                "rates": [{**RATE, "before": number(0.5), "after": number(0.625), "change": number(0.125)}],
            }
        },
        ["A rule names sex.", "sex is f all rows selection rate 40 0.500 0.625 +0.125 \u22120.125 to +0.375"],
    ),
    "cases": (
        {"cases": {"filled": [], "lines": [{**CASE, "held": False, "holds": True}]}},
        ["Anna first job 1 0 True yes"],
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_edits_of_other_kinds_are_told(summary, record, kind):
    change, wanted = KINDS[kind]
    report = {**copy.deepcopy(summary), **change}
    if report["on"] == "data":
        report["run"]["test"] = None
    assert misfit(report, Report) is None
    dossier = of(Known(report, record, "edit", SHA))
    for text in (checked(as_page(dossier)).text, re.sub(r"[\\|]", "", as_markdown(dossier))):
        for one in wanted:
            assert one in " ".join(text.split())


def test_points_of_the_frontier_are_told(summary, record):
    report = copy.deepcopy(summary)
    points = [{"step": -1, "agreement": 0.25, "loss": 0.0}, {"step": 0, "agreement": 0.5, "loss": 0.125}]
    report["result"]["frontier"] |= {"points": points, "picked": 0}
    report["result"]["steps"][0] |= {"objective": 0.75, "agreement": 0.5, "loss": 0.125}
    text = checked(as_page(of(Known(report, record, "edit", SHA)))).text
    assert "the model left as it was \u2013 0.250 0.000" in text
    assert "no row is made up (this edit) 0.750 0.500 0.125" in text
    assert "frote edit --pick" in text
    assert "frote edit --pick" not in as_page(of(Known(summary, record, "edit", SHA)))


def test_an_edit_without_rules_steps_or_columns_of_note_is_told(summary, record):
    report = copy.deepcopy(summary)
    report["asked"] |= {"rules": [], "facts": [], "conflicts": []}
    report["done"]["rules"], report["result"]["rules"], report["result"]["steps"] = [], [], []
    report["moved"] |= {"subgroups": [], "regions": []}
    report["repeat"] |= {"command": None, "files": []}
    text = checked(as_page(of(Known(report, record, "edit", SHA)))).text
    assert "No rule was given" in text
    assert "No row was made up inside a rule." in text


def test_columns_of_all_kinds_are_told():
    frame = pd.DataFrame(
        {
            "nothing": [None, None, None, None],
            "constant": [7, 7, 7, 7],
            "gaps": pd.array([3, None, 1, 2], dtype="Int64"),
            "endless": [float("inf"), 0.5, None, -2.0],
            "truth": [True, False, True, True],
            "gone": [True, True, True, True],
            "day": pd.to_datetime(["2024-02-01", None, "2023-12-31", "2024-01-01"]),
            "many": [f"level {place}" for place in range(4)],
            "codes": pd.Categorical(["b", None, "b", "b"], categories=["a", "b", "c"]),
        }
    )
    ledger = pd.DataFrame(
        {
            "row": [0, 1, None, 2],
            "source": [0, 1, 2, None],
            "status": ["kept", "relabelled", "dropped", "synthetic"],
            "rule": ["", "one", "one", "one"],
            "old_label": ["x", "y", "y", None],
            "new_label": ["x", "x", None, "z"],
        }
    )
    told = composition(seen_in(Table.from_frame(frame)), lines_in(ledger))
    assert [misfit(one, ColumnFacts) for one in told["columns"]] == [None] * 9
    values = {one["name"]: (one["missing"], one["low"], one["high"], one["levels"]) for one in told["columns"]}
    assert values["constant"] == (0, "7", "7", [])
    assert values["gaps"] == (1, "1", "3", [])
    assert values["endless"] == (1, "-2", "inf", [])
    assert values["day"] == (1, "2023-12-31", "2024-02-01", [])
    assert values["truth"] == (0, None, None, ["False", "True"])
    assert values["gone"] == (0, None, None, ["True"])
    assert values["codes"] == (1, None, None, ["b"])
    assert values["nothing"][0] == 4
    assert told["labels"] == [
        {"label": "y", "data": 2, "result": 0},
        {"label": "x", "data": 1, "result": 2},
        {"label": "z", "data": 0, "result": 1},
    ]


def test_of_many_levels_the_first_are_told():
    frame = pd.DataFrame({"many": [f"level {place:02}" for place in range(20)]})
    (column,) = composition(seen_in(Table.from_frame(frame)), Counter())["columns"]
    assert (column["levels"][-1], column["more"]) == ("level 11", 8)


# --- hostile texts ---


def replaced(value, names):
    """Return plain data with every text of these names another one."""
    if isinstance(value, dict):
        return {
            name: next(names) if isinstance(one, str) and name in HOSTILE else replaced(one, names)
            for name, one in value.items()
        }
    return [replaced(one, names) for one in value] if isinstance(value, list) else value


HOSTILE = {"title", "verdict", "name", "words", "written", "label", "old", "new", "column", "command", "value", "model"}
MARKS = [
    *ATTACKS,
    "[click](javascript:alert(1))",
    "![x](http://evil.example/x.png)",
    "# heading\n\n- item\n\n---",
    "| a | b |\n| --- | --- |",
    "```\ncode",
    "<!-- -->",
    "$x^2$ {{ x }} {% y %} www.evil.example me@evil.example",
    "1. one",
    "\u202e\x1b[2Jdenied",
    "`|`",
]


def test_whatever_texts_look_like_they_are_text(summary, record):
    def endless():
        while True:
            yield from MARKS

    report, names = replaced(copy.deepcopy(summary), endless()), endless()
    report["limits"] = [next(names) for _ in MARKS]
    written = "\n".join(f"{key} = {json.dumps(one)}" for key, one in zip(["ethics", "policy"], MARKS, strict=False))
    dossier = of(Known(report, record, MARKS[0], SHA), written)
    text = as_page(dossier)
    page = checked(text)
    assert "<script" not in text
    assert "\u202e" not in text
    assert "\x1b" not in text
    for attack in ATTACKS:
        assert " ".join(attack.split()) in page.text
    plain = as_markdown(dossier)
    assert "\u202e" not in plain
    outside = re.sub(r"^(`{3,})text\n.*?^\1$", "", plain, flags=re.DOTALL | re.MULTILINE)
    assert not re.search(r"(?<!\\)<|(?<!\\)\]\(|https?://|www\.|(?<!\\)@", outside)
    headings = re.findall(r"^#+ .*$", outside, re.MULTILINE)
    assert len(headings) == 1 + len(dossier.sections) + len(dossier.parts)
    lines = [line for line in outside.splitlines() if line.startswith("|")]
    tables = [block for part in dossier.parts for block in part.blocks if block.kind == "grid"]
    assert len(lines) == sum(2 + len(table.lines) for table in tables)
    wide = {len(re.findall(r"(?<!\\)\|", line)) - 1 for line in lines}
    assert wide == {len(table.head) for table in tables}


@pytest.mark.parametrize("text", MARKS)
def test_escaped_text_begins_nothing(text):
    markdown = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(escaped(text))
    assert [token.type for token in tokens] in (["paragraph_open", "inline", "paragraph_close"], [])
    assert {child.type for token in tokens for child in token.children or ()} <= {"text", "text_special"}
    shown = "".join(child.content for token in tokens for child in token.children or ())
    assert shown == " ".join(text.split())


# --- what the owner writes ---


def test_a_blank_file_asks_every_question_and_answers_none():
    text = blank()
    assert read_owned(text, "owner.toml") == Owned({}, {})
    for section in OUTLINE:
        for part in section.parts:
            assert (f"\n{part.key} = '''\n'''\n" in text) == bool(part.asks)
            assert part.asks in text


def test_paragraphs_and_lists_are_kept():
    owned = read_owned("ethics = '''\nOne\ntwo.\n\n- a\n- b\n\n\\d \"quoted\"\n'''", "owner.toml")
    assert [(block.kind, getattr(block, "items", None) or block.text) for block in owned.written("ethics")] == [
        ("text", "One two."),
        ("points", ("a", "b")),
        ("text", '\\d "quoted"'),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("intended_use = 'x'", "o.toml has no part 'intended_use'. Did you mean 'intended-use'?"),
        ("rules = 'x'", "o.toml has no part 'rules'. Did you mean 'roles'?"),
        ("ethics = 3", "o.toml: 'ethics' is a text in quotes, and not '3'."),
        ("ethics = ", "o.toml cannot be read: Invalid value (at end of document)."),
        ("ethics = " + "[" * 5000, "o.toml cannot be read: it nests too deeply."),
        ("croissant = 'x'", "o.toml: 'croissant' is a table. Write its names below a line with [croissant]."),
        ("[croissant]\nlicence = 'x'", "o.toml: [croissant] has no part 'licence'. Did you mean 'license'?"),
        ("[croissant]\ndatePublished = 'soon'", "o.toml: datePublished is a date such as 2026-11-18, and not 'soon'."),
    ],
)
def test_what_cannot_be_taken_in_is_told_in_one_sentence(text, told):
    with pytest.raises(RecordError) as caught:
        read_owned(text, "o.toml")
    assert str(caught.value).startswith(told)
    assert "\n" not in str(caught.value)


# --- forged reports ---


def places(value, path=()):
    inner = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for name, held in inner:
        yield (*path, name)
        yield from places(held, (*path, name))


def test_a_forged_report_is_refused_in_one_sentence(summary, tmp_path):
    path = tmp_path / "report.json"
    path.write_text(json.dumps(summary))
    assert read_report(path) == summary
    for place in places(summary):
        forged = copy.deepcopy(summary)
        part = forged
        for step in place[:-1]:
            part = part[step]
        part[place[-1]] = {"<b>": []}
        path.write_text(json.dumps(forged))
        if (place[-1] == "value" and place[:1] != ("result",)) or "value" in place[:-1]:
            continue  # facts are of any kind
        with pytest.raises(RecordError, match=r"report.json") as caught:
            read_report(path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "[]", "null", '{"report": 2}', '{"report": 1}', "[" * 10**5, '{"report": NaN}', "1" * 5000, "\x00"]
)
def test_what_is_no_report_is_refused_in_one_sentence(text, tmp_path):
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(RecordError) as caught:
        read_report(tmp_path / "report.json")
    assert "\n" not in str(caught.value)
