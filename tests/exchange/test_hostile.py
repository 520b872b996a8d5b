"""Files from someone who means harm: one sentence, nothing evaluated, nothing fetched, no time and memory taken."""

import io
import tracemalloc
import warnings
import zipfile
import zlib

import pytest
from tests.exchange.test_decision_tables import workbook

import frote
from frote import FroteError, RuleSyntaxError
from frote.exceptions import RuleWarning
from frote.exchange import dmn, excel
from frote.exchange.workbook import MOST_BYTES

SHEET = "xl/worksheets/sheet1.xml"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LAUGHS = b"".join(b'<!ENTITY a%d "%s">' % (one, b"&a%d;" % (one - 1) * 10) for one in range(1, 10))
BOMB = b'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a0 "lol">' + LAUGHS + b"]><l>&a9;</l>"
FETCH = b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'


def repacked(change=None, part=SHEET, **more):
    """Return a workbook with a part changed, and others added."""
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook())) as before,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as after,
    ):
        for one in before.infolist():
            data = before.read(one)
            after.writestr(one.filename, change(data) if change and one.filename == part else data)
        for name, data in more.items():
            after.writestr(name.replace("__", "/").replace("_dot_", "."), data)
    return packed.getvalue()


def rows_down_to(count):
    rows = b"".join(b'<row r="%d"><c r="A%d"><v>1</v></c></row>' % (one, one) for one in range(1, count))
    return b'<worksheet xmlns="%s"><sheetData>%s</sheetData></worksheet>' % (MAIN.encode(), rows)


def in_place_of(old, new):
    def change(data):
        assert old in data
        return data.replace(old, new)

    return change


def instead(data):
    return lambda _: data


def packed_with_a_lie(size):
    """Return a workbook whose first sheet unpacks to so many bytes more, of which the archive says nothing."""
    sheet = zipfile.ZipFile(io.BytesIO(workbook())).read(SHEET)
    content = bytearray(repacked(instead(sheet + b" " * size)))
    where = content.rindex(b"PK\x01\x02", 0, content.rindex(SHEET.encode()))
    assert int.from_bytes(content[where + 24 : where + 28], "little") == len(sheet) + size
    content[where + 24 : where + 28] = len(sheet).to_bytes(4, "little")
    content[where + 16 : where + 20] = zlib.crc32(sheet).to_bytes(4, "little")
    return bytes(content)


def packed_by(packing):
    """Return a workbook that is packed in another way."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(workbook())) as before, zipfile.ZipFile(packed, "w", packing) as after:
        for one in before.infolist():
            after.writestr(one.filename, before.read(one))
    return packed.getvalue()


def part_twice():
    content = repacked(xl__worksheets__sheet9_dot_xml=b"<a/>")
    return content.replace(b"sheet9.xml", b"sheet1.xml")


def placed_before(content):
    """Return an archive that says its first part stands before its beginning."""
    directory = content.index(b"PK\x01\x02")
    end = content.rindex(b"PK\x05\x06")
    told = (directory + 1).to_bytes(4, "little")  # one byte beyond where the directory is
    return content[: end + 16] + told + content[end + 20 :]


def an_error(book, sheet):
    sheet["B2"] = "#REF!"


def merged(book, sheet):
    sheet.merge_cells("B2:B3")


def formula(book, sheet):
    sheet["B2"] = "=1+1"


def array_formula(book, sheet):
    from openpyxl.worksheet.formula import ArrayFormula

    sheet["B2"] = ArrayFormula("B2:B3", "=SUM(A1:A3)")


HOSTILE = {
    "a formula": (workbook(formula), "sheet 'Loans', cell B2: holds a formula (=1+1), which is not calculated"),
    "an array of formulas": (workbook(array_formula), "cell B2: holds a formula"),
    "an error": (workbook(an_error), "cell B2: holds the error #REF!"),
    "merged cells": (workbook(merged), "the cells B2:B3 are merged"),
    "a billion merged cells": (
        repacked(
            in_place_of(b"</sheetData>", b'</sheetData><mergeCells><mergeCell ref="A2:XFD1048576"/></mergeCells>')
        ),
        "the cells A2:XFD1048576 are merged",
    ),
    "macros": (repacked(xl__vbaProject_dot_bin=b"x"), "holds macros (xl/vbaProject.bin), which are never run"),
    "a sheet beyond measure": (repacked(instead(b" " * (MOST_BYTES + 2**20))), "more than a policy has"),
    "rows without end": (repacked(instead(rows_down_to(100_100))), "cells down to row 100,001"),
    "a row far below": (
        repacked(in_place_of(b'<row r="4"', b'<row r="999999999"')),
        "is out of order at row 999999999",
    ),
    "a cell far to the right": (repacked(in_place_of(b'r="G4"', b'r="ZZZ4"')), "column 18,278"),
    "rows out of order": (repacked(in_place_of(b'<row r="4"', b'<row r="2"')), "out of order at row 2"),
    "a cell twice": (repacked(in_place_of(b'r="B2"', b'r="A2"')), "out of order at row 2"),
    "styles without end": (
        repacked(in_place_of(b"</cellXfs>", b"<xf/>" * 300_000 + b"</cellXfs>"), "xl/styles.xml"),
        "more styles, names or texts than a policy has",
    ),
    "links without end": (
        repacked(in_place_of(b"</sheetData>", b"</sheetData>" + b"<x/>" * 300_000)),
        "more formats and links than a policy has",
    ),
    "a bomb of entities": (repacked(xl__sharedStrings_dot_xml=BOMB), "declares a document type"),
    "a file to be fetched": (repacked(instead(FETCH)), "declares a document type"),
    "XML by another name": (repacked(xl__media__a_dot_png=FETCH), "declares a document type"),
    "no archive": (b"PK\x03\x04junk", "is no Excel file, or is damaged"),
    "an old file": (b"\xd0\xcf\x11\xe0junk", "is an old Excel file (.xls), or has a password"),
    "a lie about a size": (
        workbook().replace(b"PK\x01\x02", b"PK\x01\x03", 1),
        "is no Excel file, or is damaged",
    ),
    "packed by what unpacks all at once": (packed_by(zipfile.ZIP_BZIP2), "is packed in a way that is not read"),
    "a part twice": (part_twice(), "holds a part twice"),
    "a part before the beginning": (placed_before(workbook()), "is no Excel file, or is damaged"),
    "a sheet that is none": (repacked(instead(b"<a/>")), "no sheet has a column headed THEN"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_workbooks(name):
    content, said = HOSTILE[name]
    with pytest.raises(RuleSyntaxError) as error:
        excel.read(content, "p.xlsx")
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_no_more_is_unpacked_than_an_archive_says():
    content = packed_with_a_lie(64 * 2**20)
    tracemalloc.start()
    rules = excel.read(content, "p.xlsx")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert rules == excel.read(workbook(), "p.xlsx")
    assert most < 32 * 2**20


def test_hidden_rows_are_told_and_not_dropped():
    def hide(book, sheet):
        sheet.row_dimensions[3].hidden = True
        sheet.column_dimensions["C"].hidden = True
        book.create_sheet("Lists")["A1"] = "car"

    with pytest.warns(RuleWarning, match="sheet 'Loans': row 3 and column C are hidden, and read as what is seen"):
        hidden = excel.read(workbook(hide), "p.xlsx")
    assert hidden == excel.read(workbook(), "p.xlsx")


def test_a_hidden_sheet_is_told():
    def hide(book, sheet):
        book.create_sheet("Cover")
        sheet.sheet_state = "hidden"

    with pytest.warns(RuleWarning, match="the sheet itself is hidden"):
        excel.read(workbook(hide), "p.xlsx")


def test_two_policies_in_a_file():
    def second(book, sheet):
        book.create_sheet("More").append(["age", "THEN"])

    with pytest.raises(RuleSyntaxError, match="the sheets 'Loans' and 'More' have a column headed THEN each"):
        excel.read(workbook(second), "p.xlsx")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (BOMB, "declares a document type"),
        (FETCH, "declares a document type"),
        (b'<!DOCTYPE a SYSTEM "http://127.0.0.1:9/x.dtd"><a/>', "declares a document type"),
        (b"<a>" * 100_000, "elements over 100 deep"),
        (b"<a>" + b"<b/>" * 250_000 + b"</a>", "more than 200,000 elements"),
        (b"<a", "is no XML"),
        (b'<?xml version="1.0" encoding="no-such"?><a/>', "is no XML"),
        (b"\xff\xfe\x00", "is no XML"),
    ],
)
def test_hostile_models(content, said):
    with pytest.raises(RuleSyntaxError) as error:
        dmn.read(content, "p.dmn")
    assert said in str(error.value)


@pytest.mark.parametrize("start", range(0, 6_000, 97))
def test_damage_is_nothing_but_an_error_of_ours(start):
    content = bytearray(workbook())
    content[start % len(content)] ^= 0xFF
    said = "p.xlsx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleWarning)
        try:
            excel.read(bytes(content), "p.xlsx")
        except FroteError as error:
            said = str(error)
    assert said.startswith("p.xlsx")


@pytest.mark.parametrize(
    "inside",
    [
        "date(" * 60 + "a" + ")" * 60,
        "timestamp(" * 30 + "a" + ")" * 30 + " = 1",
        "/* ' */ " + "(" * 5_000 + "a = 1" + ")" * 5_000 + " /* ' */",
    ],
)
def test_sql_within_sql_is_refused_before_it_is_read(inside):
    with pytest.raises(RuleSyntaxError, match=r"within one another\.$"):
        frote.sql_rules(f"SELECT 'y' FROM t WHERE {inside}")


@pytest.mark.parametrize(
    "origin",
    ["l TABLESAMPLE (10 PERCENT)", "l AS t(b, a)", "read_csv('x.csv')", "l PIVOT (sum(x) FOR y IN (1))"],
)
def test_nothing_of_where_rows_come_from_is_left_out(origin):
    with pytest.raises(RuleSyntaxError):
        frote.sql_rules(f"SELECT 'y' FROM {origin} WHERE a < 1")


@pytest.mark.parametrize("query", ["~a in (1, 2)", "~a == (1)", "~a == a"])
def test_what_a_tilde_takes_is_never_guessed(query):
    with pytest.raises(RuleSyntaxError, match="put the comparison in brackets"):
        frote.query_rules(query, "x")


def test_a_hit_policy_that_stands_twice_is_refused(tmp_path):
    path = tmp_path / "policy.csv"
    path.write_text("hit policy,FIRST\nhit policy,UNIQUE\nage,then\n< 29,yes\n")
    with pytest.raises(RuleSyntaxError, match="the hit policy stands twice"):
        frote.read_rules(path)
