"""Decision tables worked by hand: what rows of data each row covers, hit policies, mistakes and their cells."""

import csv
import io
import re

import numpy as np
import openpyxl
import pandas as pd
import pytest
from openpyxl.styles import Font

from frote import RuleError, RuleSyntaxError, parse_rules, read_rules
from frote.exceptions import RuleWarning
from frote.exchange import excel, separated
from frote.rules.written import WrittenRules

HEADINGS = ["Rule", "age", "capital gain", "purpose", "applied on", "`note`", "THEN", "Confidence", "Owner", "Note"]
ROWS = [
    ["young savers", "[18..29)", ">= 24K", "car, own house", None, None, "approved", None, "Ann, retail", "agreed"],
    ["no brokers", "-", None, "not(broker)", ">= 2024-03-01", None, "denied", 0.8, "Risk", None],
    [None, None, "missing", None, None, "urgent", "denied", None, None, None],
]
DATA = pd.DataFrame(
    {
        "age": [18, 28.5, 29, np.nan, 20, 50],
        "capital gain": [24_000, 30_000, 30_000, 30_000, np.nan, 0],
        "purpose": ["car", "own house", "car", "car", None, "broker"],
        "applied on": pd.to_datetime(["2024-03-01", "2024-02-29", "2024-05-01", None, "2024-03-02", "2024-04-01"]),
        "note": ["urgent", "urgent", None, "later", "urgent", "urgent"],
    }
)
COVERED = [
    [True, True, False, False, False, False],
    [True, False, True, False, True, False],  # a purpose that is missing is no broker, a date that is missing no date
    [False, False, False, False, True, False],
]


def workbook(edit=None, rows=ROWS, headings=HEADINGS, above=()):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Loans"
    for row in [*above, headings, *rows]:
        sheet.append(row)
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    if edit is not None:
        edit(book, sheet)
    packed = io.BytesIO()
    book.save(packed)
    return packed.getvalue()


def table(rows=ROWS, headings=HEADINGS, above=()):
    text = io.StringIO(newline="")
    csv.writer(text).writerows([*row, *[""] * (len(headings) - len(row))] for row in [*above, headings, *rows])
    return text.getvalue().encode()


READERS = pytest.mark.parametrize(
    "read",
    [lambda **more: excel.read(workbook(**more), "p.xlsx"), lambda **more: separated.read(table(**more), "p.csv")],
    ids=["xlsx", "csv"],
)


@READERS
def test_a_table_worked_by_hand(read):
    rules = read()
    assert rules.names == ("young savers", "no brokers", "rule 3")
    assert [rule.mask(DATA).tolist() for rule in rules] == COVERED
    assert [str(rule.outcome) for rule in rules] == ["approved", "denied WITH CONFIDENCE 0.8", "denied"]
    assert rules["young savers"].remarks == (("owner", "Ann, retail"), ("note", "agreed"))
    assert [rule.line for rule in rules] == [2, 3, 4]


@READERS
def test_dates_and_numbers_as_excel_keeps_them(read):
    rows = [["a", 30, 0.1, "car", pd.Timestamp("2024-03-01").to_pydatetime(), None, 1, None, None, None]]
    (rule,) = read(rows=rows)
    assert str(rule) == (
        "a: IF age = 30 AND `capital gain` = 0.1 AND purpose = 'car' AND `applied on` = 2024-03-01 THEN 1"
    )


@READERS
def test_shares_of_classes(read):
    headings = ["age", "THEN", "THEN approved", "THEN 'in a year'"]
    rules = read(headings=headings, rows=[["< 29", None, 0.7, 0.3], [">= 29", "denied", None, None]])
    assert str(rules) == (
        "rule 1: IF age < 29 THEN {approved: 0.7, 'in a year': 0.3}\nrule 2: IF age >= 29 THEN denied"
    )


TWO = [["young", "< 29", "-", "approved"], ["poor", "-", "< 10K", "denied"], ["rich", "[20..30]", "> 1M", "approved"]]
TWO_HEADINGS = ["rule", "age", "income", "then"]
AS_WRITTEN = parse_rules(
    "young: IF age < 29 THEN approved\npoor: IF income < 10K THEN denied\n"
    "rich: IF age BETWEEN 20 AND 30 AND income > 1M THEN approved"
)


def by_policy(name, rows=TWO):
    return separated.read(table(headings=TWO_HEADINGS, rows=rows, above=[["Hit policy", name]]), "p.csv")


def test_hit_policies():
    assert by_policy("RULE ORDER") == AS_WRITTEN
    assert separated.read(table(headings=TWO_HEADINGS, rows=TWO), "p.csv") == AS_WRITTEN
    for name in ("FIRST", "first", "F"):
        assert by_policy(name) == AS_WRITTEN.resolve("priority")
    for name in ("COLLECT", "mix", "C"):
        assert by_policy(name) == AS_WRITTEN.resolve("mix")
    assert by_policy("ANY", [TWO[0], TWO[2]]) == AS_WRITTEN[::2]
    assert by_policy("U", [TWO[0], ["old", ">= 29", "-", "approved"]]).names == ("young", "old")


@pytest.mark.parametrize(
    ("name", "rows", "said"),
    [
        (
            "UNIQUE",
            [TWO[0], TWO[2]],
            "'young' and 'rich' both cover age=20, income=1000001, where it promises one rule",
        ),
        ("ANY", TWO, "'young' and 'poor' both cover age=0, income=0, where it promises rules of one outcome"),
        ("PRIORITY", TWO, "row 1, column 2: expected a hit policy"),
    ],
)
def test_broken_promises_come_with_a_witness(name, rows, said):
    with pytest.raises(RuleSyntaxError) as error:
        by_policy(name, rows)
    assert said in str(error.value)


def test_what_first_leaves_nothing_of_is_told():
    with pytest.warns(RuleWarning, match="lost"):
        by_policy("FIRST", [["all", "-", "-", "denied"], ["lost", "< 29", "-", "approved"]])


def test_all_mistakes_are_told_with_their_cells():
    rows = [["a", "18-29", "1,000", None, None, None, "x"], ["a", "< 3", None, None, None, None, None]]
    rows += [["b", "< 3", None, None, None, None, "x", "80%"], ["c", "< 3", None, None, None, None, "x", 1.5]]
    with pytest.raises(RuleSyntaxError) as error:
        excel.read(workbook(rows=[(row + [None] * 10)[:10] for row in rows]), "p.xlsx")
    text = str(error.value)
    for said in (
        "6 errors in the rules:",
        "p.xlsx, sheet 'Loans', cell B2: '18-29' has several readings; write [18..29] for a range",
        "p.xlsx, sheet 'Loans', cell C2: '1,000' can be one number or several values; write 1000",
        "p.xlsx, sheet 'Loans', row 3: says no outcome",
        "p.xlsx, sheet 'Loans', cell A3: another row is named 'a' too",
        "p.xlsx, sheet 'Loans', cell H4: '%' means nothing here",
        "p.xlsx, sheet 'Loans', cell H5: expected a confidence between 0 and 1, found 1.5",
    ):
        assert said in text


@pytest.mark.parametrize(
    ("headings", "rows", "said"),
    [
        (["age", "label"], [["< 3", "x"]], "has no column headed THEN|no sheet has a column headed THEN"),
        (["age", "THEN", "THEN"], [["< 3", "x", "y"]], "another column is headed THEN too"),
        (["age", "THEN a", "THEN 'a'"], [["< 3", 1, 1]], "another column has the shares of 'a' too"),
        (["age", None, "THEN"], [["< 3", "x", "y"]], "stands in a column without a heading"),
        (["age", "THEN", "THEN a"], [["< 3", "x", 1]], "has a label and shares of classes"),
        (["age", "confidence", "THEN a"], [["< 3", 0.5, 1]], "a confidence goes with a label"),
        (["age", "THEN a", "THEN b"], [["< 3", 0.5, 0.6]], "The probabilities sum to 1.1"),
    ],
)
@READERS
def test_layouts_that_are_none(read, headings, rows, said):
    with pytest.raises(RuleSyntaxError, match=said):
        read(headings=headings, rows=rows)


@READERS
def test_a_title_above_is_no_rule(read):
    rules = read(headings=TWO_HEADINGS, rows=TWO, above=[["Loan policy, then and now"], ["hit policy: first"], []])
    assert rules == AS_WRITTEN.resolve("priority")


def test_semicolons_and_windows_letters():
    text = "größe;zweck;THEN\n>= 1.5;Auto, Möbel;ja\n".encode("cp1252")
    assert str(separated.read(text, "p.csv")) == "rule 1: IF größe >= 1.5 AND zweck IN {'Auto', 'Möbel'} THEN ja"


def test_what_is_said_beside_rules_stays_beside_them(tmp_path):
    (tmp_path / "p.xlsx").write_bytes(workbook())
    rules = read_rules(tmp_path / "p.xlsx")
    written = WrittenRules.read(tmp_path / "p.xlsx")
    assert written.text.startswith("# owner: Ann, retail\n# note: agreed\nyoung savers: IF")
    assert written.rules == rules
    assert rules.bind(DATA)["no brokers"].remarks == (("owner", "Risk"),)
    for name in ("q.json", "q.xlsx"):
        rules.save(tmp_path / name)
        assert [rule.remarks for rule in read_rules(tmp_path / name)] == [rule.remarks for rule in rules]
    rules.save(tmp_path / "q.rules")
    assert (tmp_path / "q.rules").read_text("utf-8") == f"{written.text}\n"


def test_the_sheet_as_a_person_would_lay_it_out(tmp_path):
    AS_WRITTEN.save(tmp_path / "p.xlsx")
    book = openpyxl.load_workbook(tmp_path / "p.xlsx")
    policy, check = book.worksheets
    assert (policy.title, check.title) == ("Policy", "Check")
    assert [cell.value for cell in policy[1]][:2] == ["hit policy", "RULE ORDER"]
    assert [cell.value for cell in policy[3]] == ["RULE", "age", "income", "THEN"]
    assert [cell.value for cell in policy[4]] == ["young", "< 29", "-", "approved"]
    assert policy["A3"].font.bold
    assert policy.freeze_panes == "B4"
    assert policy.column_dimensions["B"].width >= 10
    assert check["A1"].value == "3 rules. 1 pair of them conflicts: both apply somewhere and want different things."
    assert "conflicts with poor, for example where age=0, income=0" in check["C5"].value
    assert read_rules(tmp_path / "p.xlsx") == AS_WRITTEN


def test_names_like_formulas_are_texts(tmp_path):
    rules = parse_rules("'=1+1': IF `=A1` = '=x' AND `@b` < 3 THEN '=cmd'")
    for name in ("p.xlsx", "p.csv"):
        rules.save(tmp_path / name)
        assert read_rules(tmp_path / name) == rules
    cells = [cell for row in openpyxl.load_workbook(tmp_path / "p.xlsx")["Policy"] for cell in row]
    assert not [cell.value for cell in cells if cell.data_type == "f" or str(cell.value).startswith(("=", "+", "@"))]
    cells = (tmp_path / "p.csv").read_text("utf-8").replace("\n", ",").split(",")
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]


@READERS
def test_columns_and_levels_compared_by_hand(read):
    headings = ["size", "bill", "bill", "limit", "due", "THEN"]
    rows = [
        ['>= "M"', "> 0.9 * limit", "<= 100", "-", "-", "review"],
        ["-", ">= 2 * limit", "-", "> 0", "< 2024-03-01", "stop"],
    ]
    rules = read(headings=headings, rows=rows)
    data = pd.DataFrame(
        {
            "size": pd.Categorical(["S", "M", "L", "L", None, "L"], ["S", "M", "L"], ordered=True),
            "bill": [95, 95, 95, 101, 95, None],
            "limit": [100, 100, 110, 50, 100, 100],
            "due": pd.to_datetime(["2024-01-01", None, "2024-02-29", "2024-02-29", "2024-01-01", "2024-01-01"]),
        }
    )
    assert rules.coverage(data).T.tolist() == [
        [False, True, False, False, False, False],
        [False, False, False, True, False, False],
    ]


def test_two_comparisons_of_a_column_take_two_columns(tmp_path):
    rules = parse_rules(
        "a: IF bill > 0.9 * limit AND bill > 3 AND limit > 2 AND plan LIKE 'a%b' THEN x\n"
        "b: IF bill - paid BETWEEN 0 AND 5 THEN y"
    )
    for name in ("p.xlsx", "p.csv"):
        rules.save(tmp_path / name)
        assert read_rules(tmp_path / name) == rules
    assert (tmp_path / "p.csv").read_text("utf-8").splitlines()[1:] == [
        "RULE,bill,bill,limit,plan,paid,THEN",
        'a,> 0.9 * limit,> 3,> 2,"like ""a%b""",-,x',
        "b,>= paid,<= paid + 5,-,-,-,y",
    ]


@pytest.mark.parametrize("text", ["NOT a > b", "a - b != 3", "b > a OR a - b > 2", "3 * a - 3 * b > 1"])
def test_what_no_cell_says_of_two_columns_names_the_rule(text, tmp_path):
    with pytest.raises(RuleError, match=f"rule 'r' asks for {re.escape(text)}, which no cell of a decision table"):
        parse_rules(f"r: IF {text} THEN x").save(tmp_path / "p.csv")
