"""The cells of decision tables: what each means, by hand, and what is said of those that mean nothing."""

import re

import pytest

from frote import Condition, RuleError
from frote.exchange.cell_sums import sum_cells
from frote.exchange.dialects import Dialect
from frote.exchange.unary import read_tests
from frote.exchange.unary_text import condition_cell
from frote.rules.lexer import Fault
from frote.rules.text import condition_text


def text_of(cell, dialect=Dialect.SHEET):
    return condition_text("x", read_tests(cell, "x", dialect).condition.settled())[0]


@pytest.mark.parametrize(
    ("cell", "meaning"),
    [
        (">= 24K", "x >= 24000"),
        (">=24_000", "x >= 24000"),
        ("[18..29)", "x >= 18 AND x < 29"),
        ("]18 .. 29[", "x > 18 AND x < 29"),
        ("(1.5...5]", None),
        ("car, education", "x IN {'car', 'education'}"),
        ("own house, rent", "x IN {'own house', 'rent'}"),
        ("\"it's\", 'a, b'", "x IN {'a, b', 'it''s'}"),
        ("not(broker)", "x != 'broker' OR x IS MISSING"),
        ("NOT( broker , missing )", "x != 'broker'"),
        ("not(>= 24)", "x < 24"),
        ("not([18..29))", "x < 18 OR x >= 29"),
        ("missing", "x IS MISSING"),
        ("not(missing)", "x IS NOT MISSING"),
        ("< 0, > 9, 5, missing", "x = 5 OR x < 0 OR x > 9 OR x IS MISSING"),
        ("2024-03-01", "x = 2024-03-01"),
        ("< 2024-03-01", "x < 2024-03-01"),
        ('[date("2024-01-01")..2024-06-30]', "x BETWEEN 2024-01-01 AND 2024-06-30"),
        ('> @"2024-01-01T12:30:00"', "x > '2024-01-01 12:30:00'"),
        ("-3", "x = -3"),
        ("= 007", "x = '007'"),
        ("TRUE", "x = true"),
    ],
)
def test_cells_by_hand(cell, meaning):
    if meaning is None:
        with pytest.raises(Fault):
            text_of(cell)
    else:
        assert text_of(cell) == meaning


@pytest.mark.parametrize("cell", ["", "-", " ", " - ", "\u2013"])
def test_a_cell_that_tests_nothing(cell):
    assert read_tests(cell, "x", Dialect.SHEET).condition == Condition.anything()


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("18-29", "has several readings; write [18..29] for a range"),
        ("18 to 29", "write [18..29] for a range"),
        ("between 18 and 29", "write [18..29] for a range"),
        (">= 1,000", "can be one number or several values; write 1000"),
        ("1,5", "write 1.5"),
        ("n/a", "write missing for a missing value"),
        ("not car", "write not(car) for any other"),
        ("31.12.2024", "write dates as 2024-12-31"),
        ("> 31.12.2024", "write dates as 2024-12-31"),
        ("!= car", "may let missing values in or not; write not(car), or not(car, missing)"),
        ("=> 5", "write >="),
        ("> 5 and < 9", "write (5..9) for what lies between two bounds"),
        ("car or bike", "commas divide values"),
        ("20%", "write 0.2 for 20%"),
        ("< 7.5 %", "write 0.075 for 7.5 %"),
        ("< 1000 €", "'€' means nothing here; amounts are numbers alone"),
        ("12.500,50", "write 12500.50"),
        ("under 25", "write < 25, or"),
        ("At  least 2.5", "write >= 2.5"),
        ("not more than 5", "write <= 5"),
        ("before 2025-01-01", "write < 2025-01-01"),
        ("Any", "write - for anything"),
        ("[5..3]", "no value lies between these bounds"),
        ("[5..2024-01-01]", "two numbers or two dates"),
        ("[5", "expected '..'"),
        ("not(car", "expected ',' or ')'"),
        ("car)", "expected ',' or the end of the cell"),
        ("car,", "expected a test such as >= 24"),
        ("'car", "this quote is never closed"),
        (
            ">= abc",
            "expected a number or a date after '>=', found 'abc' (another column has a heading in the table too",
        ),
        ("< 1e999", "too large"),
        ('date("soon")', "expected a date such as 2024-01-31"),
    ],
)
def test_mistakes_say_what_was_expected(cell, said):
    with pytest.raises(Fault) as fault:
        read_tests(cell, "x", Dialect.SHEET)
    assert said in fault.value.message
    assert 0 <= fault.value.start <= len(cell)


@pytest.mark.parametrize(
    ("cell", "meaning"),
    [
        ('"car", "own house"', "x IN {'car', 'own house'}"),
        (r'"a \"b\" \\ \n \u00e9 \uD83D\uDE00"', "x = 'a \"b\" \\ \n é 😀'"),
        ("1,000", "x IN {0, 1}"),
        ("007", "x = 7"),
        ("null", "x IS MISSING"),
        ('not("car", null)', "x != 'car'"),
        ("1.5e3", "x = 1500"),
    ],
)
def test_cells_of_feel_by_hand(cell, meaning):
    assert text_of(cell, Dialect.FEEL) == meaning


@pytest.mark.parametrize(
    "cell", ["car", "missing", "24K", "'car'", "< limit", "2024-01-01", r'"\q"', r'"\uD800"', "x + 1", 'f("a")']
)
def test_what_feel_has_not(cell):
    with pytest.raises(Fault):
        read_tests(cell, "x", Dialect.FEEL)


def test_numbers_with_a_dot_and_three_digits_are_kept_in_mind():
    assert read_tests("> 50.000", "limit", Dialect.SHEET).dotted == (("limit", "50.000"),)


@pytest.mark.parametrize("dialect", Dialect)
def test_cells_are_written_plainly(dialect):
    young = Condition.compare(">=", 18) & Condition.compare("<", 29)
    assert condition_cell(young, dialect) == "[18..29)"
    assert condition_cell(Condition.compare("<", 150_000) | Condition.is_missing(), dialect) in (
        "< 150000, missing",
        "< 150000, null",
    )


def said_of(cell, dialect):
    """Return what is said of a cell; nothing if it can be read."""
    try:
        read_tests(cell, "x", dialect)
    except Fault as fault:
        return fault.message
    return ""


LONG = ["1.." * 200_000, "(" * 300_000, "not(" * 100_000, "a " * 100_000 + "<", " " * 900_000 + "x<", "'" * 500_001]


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("cell", LONG, ids=lambda cell: cell.strip()[:5])
def test_long_cells_are_gone_through_once(cell, dialect):
    said = said_of(cell, dialect)
    assert len(said) < 400
    assert said or "." in cell


@pytest.mark.parametrize(
    ("cell", "dialect", "meaning"),
    [
        ("> 0.9 * limit", Dialect.SHEET, "x > 0.9 * limit"),
        ("<= limit", Dialect.SHEET, "limit >= x"),
        ("< `odd (name)`", Dialect.SHEET, "`odd (name)` > x"),
        (">= 2K - credit line", Dialect.SHEET, "`credit line` + x >= 2000"),
        (">= start + 30 days", Dialect.SHEET, "x - start >= 30 days"),
        (">= credit line * 0.5", Dialect.FEEL, "x >= 0.5 * `credit line`"),
        ('< limit - duration("P3D")', Dialect.FEEL, "limit - x > 3 days"),
    ],
)
def test_other_columns_in_a_cell(cell, dialect, meaning):
    read = read_tests(cell, "x", dialect, ["x", "limit", "credit line", "credit", "5"])
    assert condition_text(read.key, read.condition)[0] == meaning
    host, cells = sum_cells(read.key, read.condition, dialect, ())
    written = read_tests(cells[0], host, dialect, ["x", "limit", "credit line", "odd (name)", "start"])
    assert (written.key, written.condition) == (read.key, read.condition)


@pytest.mark.parametrize(
    ("cell", "dialect", "said"),
    [
        ("> limit, missing", Dialect.SHEET, "found ', missing' (a comparison with another column stands alone"),
        ("5, > limit", Dialect.SHEET, "head a second column for it"),
        ("not(> limit)", Dialect.SHEET, "stands alone in its cell"),
        ("> limit limit", Dialect.SHEET, "stands alone in its cell"),
        ("> 2 * x", Dialect.SHEET, "no column is left|only one column is left"),
        ("> limit + 1 month", Dialect.SHEET, "months are not all equally long"),
        ("> limit / 2", Dialect.SHEET, "stands alone in its cell"),
        ("> other", Dialect.FEEL, "expected a number or a date after '>'"),
        ('> limit + duration("PT3H")', Dialect.FEEL, "a duration of days, found 'duration(\"PT3H\")'"),
        ("> limit", Dialect.ZEN, "expected a number or a date"),
    ],
)
def test_what_is_no_comparison_with_another_column(cell, dialect, said):
    with pytest.raises(Fault) as fault:
        read_tests(cell, "x", dialect, ["x", "limit"])
    assert re.search(said if "|" in said else re.escape(said), fault.value.message)


@pytest.mark.parametrize(
    ("cell", "meaning", "written"),
    [
        ('>= "M"', "x >= 'M'", '>= "M"'),
        ("Starts With 'pre'", "x STARTS WITH 'pre'", 'starts with "pre"'),
        ('ends with "x", missing', "x ENDS WITH 'x' OR x IS MISSING", 'ends with "x", missing'),
        ('not(contains "a ""b""")', "x NOT CONTAINS 'a \"b\"'", 'not(contains "a ""b""")'),
        ('like "a%b_c"', "x LIKE 'a%b_c'", 'like "a%b_c"'),
        ("like 'ab'", "x = 'ab'", "ab"),
        ("like new", "x = 'like new'", "like new"),
    ],
)
def test_levels_in_a_cell(cell, meaning, written):
    condition = read_tests(cell, "x", Dialect.SHEET).condition
    assert condition_text("x", condition)[0] == meaning
    assert condition_cell(condition, Dialect.SHEET) == written


def test_what_is_asked_of_levels_is_one_test_in_a_cell():
    assert not read_tests('["S".."L"], car', "x", Dialect.SHEET).condition.is_decided
    for cell in ('["S".."L"]', 'contains "a", car', 'starts with "a", ends with "b"'):
        with pytest.raises(RuleError, match="several tests of its levels"):
            condition_cell(read_tests(cell, "x", Dialect.SHEET).condition, Dialect.SHEET)
    with pytest.raises(RuleError, match="several tests of its levels"):
        condition_cell(read_tests('>= "M"', "x", Dialect.SHEET).condition, Dialect.FEEL)
    for cell in ('> ""', '[1.."L"]', 'starts with "', 'like "a\\'):
        with pytest.raises((Fault, RuleError)):
            read_tests(cell, "x", Dialect.SHEET)
