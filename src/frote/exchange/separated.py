"""Decision tables as CSV files."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from frote.exceptions import FileError, RuleError, RuleSyntaxError
from frote.exchange.decision_table import Cell
from frote.exchange.dialects import Dialect
from frote.exchange.ruled import ruled
from frote.exchange.sheet import HIT_POLICY, Sheet, SheetRow, laid
from frote.exchange.tabled import tabled
from frote.files.delimited import find_delimiter
from frote.files.source import decoded

if TYPE_CHECKING:
    from frote.rules.ruleset import RuleSet

__all__ = ["read", "write"]

BINARY = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")


def read(content: bytes, place: str) -> RuleSet:
    r"""Read the rules of a CSV file.

    Raises
    ------
    RuleSyntaxError
        With the place of what is wrong.

    Examples
    --------
    >>> print(read(b"age,purpose,THEN\n[18..29),not(car),approved\n", "policy.csv"))
    rule 1: IF age >= 18 AND age < 29 AND (purpose != 'car' OR purpose IS MISSING) THEN approved
    """
    if content.startswith(BINARY):
        raise RuleSyntaxError(f"{place}: is no text but a spreadsheet. Name it .xlsx, or save its sheet as CSV.")
    try:
        text = decoded(content, place).content
    except FileError as error:
        raise RuleSyntaxError(str(error)) from None
    if b"\0" in text:
        raise RuleSyntaxError(f"{place}: holds binary data and is no CSV file.")
    found = find_delimiter(text)
    lines = csv.reader(io.StringIO(text.decode(), newline=""), delimiter=found.character, strict=True)
    rows = []
    try:
        for number, texts in enumerate(lines, 1):
            where = f"row {number}"
            cells = [Cell(text, f"{where}, column {column}") for column, text in enumerate(texts, 1)]
            rows.append(SheetRow(cells, where, number))
    except csv.Error as error:
        raise RuleSyntaxError(f"{place}, line {lines.line_num}: cannot be cut into cells ({error}).") from None
    return ruled(Sheet(rows, place).table(), place)


def write(rules: RuleSet, place: str) -> bytes:
    """Write rules as a CSV file.

    Raises
    ------
    RuleError
        If no cell can say what some rule says.

    Examples
    --------
    >>> import frote
    >>> rules = frote.parse_rules("young: IF age < 29 AND purpose IN {car, bike} THEN approved")
    >>> print(write(rules, "policy.csv").decode())
    hit policy,UNIQUE,,
    RULE,age,purpose,THEN
    young,< 29,"bike, car",approved
    <BLANKLINE>
    """
    table = tabled(rules, Dialect.SHEET, place)
    rows = laid(table)
    for rule, texts in zip(rules, rows[1:], strict=True):
        if "\0" in "".join([str(rule), *texts]):
            raise RuleError(
                f"{place}: rule {rule.name!r} holds the character \\0, which no CSV file can. Leave it out."
            )
        longest = max(map(len, texts))
        if longest > csv.field_size_limit():
            raise RuleError(f"{place}: rule {rule.name!r} takes a cell of {longest:,} characters. Split the rule.")
    width = max(2, len(rows[0]))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    for row in [[HIT_POLICY, table.hit_policy.value], *rows]:
        writer.writerow([*row, *[""] * (width - len(row))])
    return text.getvalue().encode()
