"""The tests in the cells of a decision table, read as conditions: >= 24K, [18..29), car, education, not(broker), -.

They are the unary tests of DMN's language FEEL. Values are read by the rule language's own reader, so that ``24K`` and
``2024-01-31`` mean in a cell what they mean in rule text. A missing value meets ``missing`` (FEEL: ``null``) and a cell
that tests nothing. It meets ``not(broker)`` too, as it is no broker, but neither ``>= 24`` nor ``not(>= 24)``, as it
cannot be compared: FEEL says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NoReturn

from frote.exchange.cell_sums import read_sum_test
from frote.exchange.dialects import Dialect, unquoted
from frote.rules.condition import Condition
from frote.rules.date_advice import date_advice
from frote.rules.level_tests import compared
from frote.rules.lexer import OPERATORS, Fault, Token, tokenize
from frote.rules.reader import PATTERNS, Reader
from frote.rules.text import is_keyword, shortened
from frote.rules.values import Instant, Value, as_value, means_missing, parse_instant
from frote.table.spelling import LIKE_A_DATE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frote.rules.linear import Key, Linear

__all__ = ["ANY_VALUE", "ReadTests", "read_tests"]

ANY_VALUE = ("", "-", "\u2013", "\u2014")  # and the dashes that spreadsheets put in for a hyphen
MOST_TESTS = 100_000  # in one cell
LONGEST_ASKED = 100  # characters of a text that may have several readings

_BLANK = re.compile(r"\s*+")
_NOT = re.compile(r"not\s*+\(", re.IGNORECASE)
_PATTERN = re.compile(r"(?:(?P<end>starts|ends)\s++with|(?P<any>contains|like))\s++(?=['\"])", re.IGNORECASE)
_OPERATOR = re.compile(r"<=|>=|=<|=>|==|!=|<>|[<>=≤≥≠]")
_DATE = re.compile(r"(?:date\s++and\s++time|date)\s*+\(\s*+(?P<text>\"[^\"]*+\")\s*+\)|@(?P<at>\"[^\"]*+\")")
_LOW = re.compile(r"(?:(?!\.\.)[^\[\](),'\"])*+")
_BARE = re.compile(r"[^\[\](),'\"]*+")
_TWO_READINGS = re.compile(r"[0-9],[0-9]")
_RANGE = re.compile(
    r"(?:between\s++)?([0-9][\w.]*?)\s*+(?:[-\u2013\u2014]|\bto\b|\band\b|\.{2,3})\s*+([0-9][\w.]*)", re.IGNORECASE
)
_ANYTHING = ("any", "all", "every", "anything")
_BY_ORDER = {
    "<": ("under", "below", "before", "less than", "fewer than", "younger than"),
    "<=": ("up to", "at most", "until", "max", "max.", "not more than"),
    ">": ("over", "above", "after", "more than", "greater than", "older than"),
    ">=": ("from", "since", "at least", "min", "min.", "not less than"),
}
_WORDED = re.compile(
    rf"({'|'.join(re.escape(words).replace(chr(92) + ' ', ' +') for many in _BY_ORDER.values() for words in many)}) +"
    r"([0-9].*)",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?%")
_CURRENCIES = "€$£¥"
_CODE = re.compile(r"[0-9]+-[0-9]+-[0-9]+.*", re.DOTALL)  # of which a date is one


def _sort(value: Value) -> type:
    return str if isinstance(value, str) else Instant if isinstance(value, Instant) else int


@dataclass(frozen=True, slots=True)
class ReadTests:
    """What a cell says.

    Parameters
    ----------
    key : str or Linear
        What it asks of: its column, or that one and others that it is compared with.

    condition : Condition
        Which values meet it.

    dotted : tuple of (str, str)
        The column with numbers that are written with a dot and three digits; see `Rule.dotted`.
    """

    key: Key
    condition: Condition
    dotted: tuple[tuple[str, str], ...] = ()


def read_tests(source: str, column: str, dialect: Dialect, others: Sequence[str] = ()) -> ReadTests:
    """Read a cell.

    Parameters
    ----------
    source : str
        What stands in it.

    column : str
        The column that is tested.

    dialect : Dialect
        Who wrote it.

    others : sequence of str, default=()
        The columns of the table, which it may be compared with.

    Returns
    -------
    ReadTests

    Raises
    ------
    Fault
        With what was expected, what stands there, and where.

    Examples
    --------
    >>> from frote.rules.text import condition_text
    >>> for cell in (">= 24K", "[18..29)", "car, own house", "not(broker, missing)", "< 0, missing"):
    ...     print(condition_text("x", read_tests(cell, "x", Dialect.SHEET).condition)[0])
    x >= 24000
    x >= 18 AND x < 29
    x IN {'car', 'own house'}
    x != 'broker'
    x < 0 OR x IS MISSING
    >>> print(condition_text("x", read_tests('starts with "pre"', "x", Dialect.SHEET).condition)[0])
    x STARTS WITH 'pre'
    """
    if source.strip() in ANY_VALUE:
        return ReadTests(column, Condition.anything())
    reading = _Reading(source, column, dialect, others)
    whole = reading.whole()
    key, condition = reading.added or (column, whole)
    return ReadTests(key, condition, tuple(reading.dotted))


@dataclass(slots=True)
class _Tests:
    """Alternatives that were read so far: values to be equal to, sets of others, and what a missing value meets."""

    values: list[Value] = field(default_factory=list)
    sets: list[Condition] = field(default_factory=list)
    missing: bool = False
    count: int = 0

    def condition(self) -> Condition:
        """Return what any of them lets in, missing values aside."""
        parts = [Condition.among(self.values), *self.sets]
        while len(parts) > 1:  # two by two, which is faster for long lists than one after the other
            parts = [reduce(or_, parts[place : place + 2]) for place in range(0, len(parts), 2)]
        return parts[0]


@dataclass(slots=True)
class _Reading:
    """One cell, read from left to right."""

    source: str
    column: str
    dialect: Dialect
    others: Sequence[str] = ()
    position: int = 0
    added: tuple[Linear, Condition] | None = None  # a comparison with other columns, which is all that is said
    dotted: list[tuple[str, str]] = field(default_factory=list)

    def whole(self) -> Condition:
        self.skip()
        negation = None if self.dialect is Dialect.ZEN else _NOT.match(self.source, self.position)
        if negation is None:
            tests = self.tests(")")
            self.require_end()
            return tests.condition() | Condition(missing=tests.missing)
        self.position = negation.end()
        tests = self.tests("")
        self.expect(")", "',' or ')'")
        self.require_end()
        # Neither a comparison nor its opposite holds for a missing value.
        missing = not tests.missing and not tests.sets
        outside = ~tests.condition()
        return outside if missing else ~(~outside | Condition.is_missing())

    def tests(self, stray: str) -> _Tests:
        """Read tests up to what divides them no more."""
        tests = _Tests()
        while True:
            self.skip()
            start = self.position
            self.test(tests)
            tests.count += 1
            if tests.count > MOST_TESTS:
                raise Fault(f"more than {MOST_TESTS:,} tests in one cell", start)
            self.skip()
            if stray and self.source.startswith(stray, self.position):
                self.fail("',' or the end of the cell")
            if not self.source.startswith(",", self.position):
                return tests
            if self.dialect is Dialect.SHEET and _TWO_READINGS.match(self.source, max(0, self.position - 1)):
                raise self.two_readings(start)
            self.position += 1

    def two_readings(self, start: int) -> Fault:
        """Return the fault of 1,000 or 1,5: a number of some countries, or two values."""
        match = re.compile(r"[0-9][0-9,]*").match(self.source, self.position - 1)
        assert match is not None, "asked where it matches"
        text = self.source[start : match.end()].lstrip("<>=≤≥ ")
        first, _, rest = text.partition(",")
        one = (
            text.replace(",", "")
            if re.fullmatch(r"[0-9]{3}(?:,[0-9]{3})*", rest)
            else f"{first.replace('.', '')}.{rest}"
        )
        number = one if len(one) <= LONGEST_ASKED else "it without commas"
        message = (
            f"{shortened(text, 40)!r} can be one number or several values; write {number}, or a blank behind each comma"
        )
        return Fault(message, start, match.end() - start)

    def test(self, tests: _Tests) -> None:
        """Read one test."""
        here = self.source[self.position : self.position + 1]
        if here in ("[", "(", "]") and here:
            tests.sets.append(self.interval())
            return
        pattern = _PATTERN.match(self.source, self.position) if self.dialect is Dialect.SHEET else None
        if pattern is not None:
            self.position = pattern.end()
            text = self.quoted()
            assert text is not None, "a quote stands here"
            tests.sets.append(PATTERNS[(pattern["end"] or pattern["any"]).upper()](text))
            return
        operator = _OPERATOR.match(self.source, self.position)
        car = "car" if self.dialect is Dialect.SHEET else '"car"'
        if operator is None:
            value = self.value(f"a test such as >= 24, [18..29), {car}, not({car}) or -", _BARE)
            if value is None:
                tests.missing = True
            else:
                tests.values.append(value)
            return
        sign = OPERATORS.get(operator.group(), operator.group())
        if sign == "!=":
            written = operator.group()
            message = (
                f"{written!r} may let missing values in or not; write not({car}), or not({car}, {self.dialect.missing})"
            )
            raise Fault(message, operator.start(), len(written))
        if sign in ("=<", "=>"):
            raise Fault(f"{sign!r} means nothing here; write {sign[::-1]}", operator.start(), 2)
        self.position = operator.end()
        self.skip()
        if sign == "=":
            value = self.value(f"a value after {operator.group()!r}", _BARE)
            if value is None:
                tests.missing = True
            else:
                tests.values.append(value)
            return
        if self.dialect is not Dialect.ZEN and self.compared_with_others(sign, alone=not tests.count):
            return
        tests.sets.append(compared(sign, self.bound(f"a number or a date after {operator.group()!r}", _BARE)))

    def compared_with_others(self, sign: str, *, alone: bool) -> bool:
        """Read a comparison with other columns, if one stands here."""
        start = self.position
        found = read_sum_test(self.source, start, self.column, sign, self.dialect, self.others)
        if found is not None and not alone:
            message = "a comparison with another column stands alone in its cell; head a second column for it"
            raise Fault(message, start, len(self.source) - start)
        self.added = found
        self.position = start if found is None else len(self.source)
        return found is not None

    def interval(self) -> Condition:
        """Read [low..high], with a round or a turned bracket at an end that does not belong to it."""
        start = self.position
        closed = self.source[start] == "["
        self.position += 1
        self.skip()
        low = self.bound("a number or a date, as in [18..29)", _LOW)
        self.skip()
        self.expect("..", "'..' and the upper bound, as in [18..29)")
        self.skip()
        high = self.bound("a number or a date after '..'", _BARE)
        self.skip()
        end = self.source[self.position : self.position + 1]
        if not end or end not in "])[":
            self.fail("']' or ')'")
        self.position += 1
        length = self.position - start
        if _sort(low) is not _sort(high):
            two = (
                "two numbers, two dates or two levels"
                if str in (_sort(low), _sort(high))
                else "two numbers or two dates"
            )
            raise Fault(f"expected {two}, found one of each", start, length)
        inside = compared(">=" if closed else ">", low) & compared("<=" if end == "]" else "<", high)
        if inside == Condition.nothing():
            raise Fault("no value lies between these bounds", start, length)
        return inside

    def value(self, what: str, bare: re.Pattern[str]) -> Value | None:
        """Read a value to be equal to; None for missing."""
        quoted = self.quoted()
        if quoted is not None:
            return as_value(quoted)
        tokens = self.tokens(bare, what, alone=self.dialect is Dialect.SHEET)
        words = [token.value for token in tokens[:-1]]
        if len(words) == 1 and self.dialect.means_missing(tokens[0].text):
            return None
        if self.dialect is not Dialect.SHEET:
            return self.feel_value(tokens, what)
        if tokens[0].kind == "word" and len(words) > 1:
            return self.several_words(tokens)
        return self.by_reader(tokens, what, bound=False)

    def bound(self, what: str, bare: re.Pattern[str]) -> Value:
        """Read a value to be compared with by order: a number, a date, or in the quotes of a sheet a level."""
        start = self.position
        date = _DATE.match(self.source, start)
        if date is not None or (self.dialect is Dialect.SHEET and self.source[start : start + 1] in ("'", '"')):
            value = self.quoted()
            if value is not None:
                token = Token("quoted", self.source[start : self.position], value, start)
                return self.by_reader([token, Token("end", "", "", self.position)], what, bound=True)
        tokens = self.tokens(bare, what)
        if self.dialect is not Dialect.SHEET:
            self.require_feel_number(tokens[0], what)
        return self.by_reader(tokens, what, bound=True)

    def by_reader(self, tokens: list[Token], what: str, *, bound: bool) -> Value:
        """Read the value of some tokens as rule text would."""
        reader = Reader(self.source, tokens, column=self.column)
        value = reader.bound(what) if bound else reader.value(what)
        if reader.here.kind != "end":
            both = "write (5..9) for what lies between two bounds" if reader.here.value == "AND" else ""
            reader.fail("',' or the end of the cell", both or "a text of several words goes in quotes")
        self.dotted += reader.dotted
        return value

    def several_words(self, tokens: list[Token]) -> str:
        """Read words with blanks between them as one text."""
        words = tokens[:-1]
        for token in words:
            if token.kind not in ("word", "number"):
                shown = self.source[words[0].start : words[-1].start + len(words[-1].text)]
                either = "commas divide values; " if is_keyword(token.text) else ""
                quoted = f': "{shown}"' if len(shown) <= LONGEST_ASKED else ""
                hint = f"{either}a text goes in quotes{quoted}"
                message = f"expected ',' or the end of the cell, found {token.described} ({hint})"
                raise Fault(message, token.start, len(token.text))
        text = self.source[words[0].start : words[-1].start + len(words[-1].text)]
        return " ".join(text.split())

    def feel_value(self, tokens: list[Token], what: str) -> Value:
        """Read what stands in FEEL without quotes: a number, true or false."""
        token = tokens[0]
        if token.kind == "word" and token.value in ("true", "false") and tokens[1].kind == "end":
            return token.value
        self.require_feel_number(token, what)
        return self.by_reader(tokens, what, bound=True)

    def require_feel_number(self, token: Token, what: str) -> None:
        if token.kind == "number" and re.fullmatch(r"-?[0-9.]+(?:[eE][-+]?[0-9]+)?", token.text):
            return
        hint = ' (texts go in double quotes, dates in date("2024-01-31"))' if token.kind == "word" else ""
        raise Fault(f"expected {what}, found {token.described}{hint}", token.start, max(1, len(token.text)))

    def quoted(self) -> str | None:
        """Read a quoted text, or a date as FEEL writes it; None if none stands here."""
        date = _DATE.match(self.source, self.position)
        if date is not None:
            self.position = date.end()
            text = (date["text"] or date["at"])[1:-1]
            if isinstance(as_value(text), Instant):
                return text
            message = f"expected a date such as 2024-01-31 or 2024-01-31T12:30:00, without a time zone, found {text!r}"
            raise Fault(message, date.start(), date.end() - date.start())
        match = self.dialect.text.match(self.source, self.position)
        if match is None:
            if self.source[self.position : self.position + 1] in ("'", '"'):
                quotes = "FEEL has double quotes alone" if self.source[self.position] == "'" else ""
                never = quotes if quotes and self.dialect is Dialect.FEEL else "this quote is never closed"
                raise Fault(never, self.position)
            return None
        self.position = match.end()
        return unquoted(match, self.dialect)

    def tokens(self, bare: re.Pattern[str], what: str, *, alone: bool = False) -> list[Token]:
        """Cut what stands here without quotes into tokens."""
        match = bare.match(self.source, self.position)
        assert match is not None, "it matches nothing too"
        if not match.group().strip():
            self.fail(what)
        text = match.group().strip()
        if self.dialect is Dialect.SHEET and " " in text and parse_instant(text) is not None:
            # A date with a time of day, as a cell of dates is read.
            self.position = match.end()
            return [Token("quoted", text, text, match.start()), Token("end", "", "", match.end())]
        if alone:
            self.require_one_reading(text)
        try:
            tokens = tokenize(self.source, match.start(), match.end())
        except Fault as fault:
            percent = _PERCENT.search(text)
            if self.source[fault.start] == "%" and percent is not None:
                fault.message = f"'%' means nothing here; write {float(percent[1]) / 100:g} for {percent.group()}"
            elif self.source[fault.start] in _CURRENCIES:
                fault.message = f"{self.source[fault.start]!r} means nothing here; amounts are numbers alone"
            fault.message = fault.message.replace(
                "names with odd characters go in backticks, values in quotes", "texts go in quotes"
            )
            raise
        self.position = match.end()
        return tokens

    def require_one_reading(self, text: str) -> None:
        """Refuse what people write for a range, a date, a negation or nothing, and what could be a text as well."""
        if len(text) > LONGEST_ASKED:
            return
        between, advice = _RANGE.fullmatch(text), ""
        if between is not None and not _CODE.fullmatch(text):
            advice = f"write [{between[1]}..{between[2]}] for a range"
        elif LIKE_A_DATE.fullmatch(text) and parse_instant(text) is None:
            advice = date_advice(text)
        elif means_missing(text) and not self.dialect.means_missing(text):
            advice = "write missing for a missing value"
        elif re.match(r"not\s(?!more than|less than)", text, re.IGNORECASE):
            advice = f"write not({text[3:].strip()}) for any other"
        elif text.casefold() in _ANYTHING:
            advice = "write - for anything"
        elif worded := _WORDED.fullmatch(text):
            sign = next(sign for sign, words in _BY_ORDER.items() if " ".join(worded[1].casefold().split()) in words)
            advice = f"write {sign} {worded[2]}"
        if advice:
            raise Fault(f'{text!r} has several readings; {advice}, or "{text}" for a text', self.position, len(text))

    def skip(self) -> None:
        blank = _BLANK.match(self.source, self.position)
        self.position = blank.end() if blank else self.position

    def expect(self, text: str, what: str) -> None:
        if not self.source.startswith(text, self.position):
            self.fail(what)
        self.position += len(text)

    def require_end(self) -> None:
        self.skip()
        if self.position < len(self.source):
            self.fail("the end of the cell")

    def fail(self, what: str) -> NoReturn:
        rest = self.source[self.position :].strip()
        found = repr(rest if len(rest) <= 40 else f"{rest[:37]}...") if rest else "the end of the cell"
        raise Fault(f"expected {what}, found {found}", min(self.position, len(self.source)), max(1, len(rest)))
