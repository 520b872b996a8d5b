"""One rule's tokens read from left to right: the grammar of expressions and outcomes, by recursive descent."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from frote.exceptions import RuleError
from frote.rules.condition import Condition
from frote.rules.date_advice import date_advice
from frote.rules.expression import And, Expression, Leaf, Not, Or, Truth
from frote.rules.level_tests import compared, containing, ending, like, starting
from frote.rules.lexer import Fault, Token
from frote.rules.linear import Sum
from frote.rules.outcome import Outcome
from frote.rules.sum_reader import adds_on, as_message, begins_a_sum, is_sum, read_comparison, read_sum
from frote.rules.values import LARGEST, Instant, Number, Value, as_value, canonical, means_missing
from frote.table.spelling import LIKE_A_DATE

if TYPE_CHECKING:
    from frote.rules.linear import Key

__all__ = ["Asked", "Reader"]

DOTTED = re.compile(r"[-+−]?[1-9][0-9]{0,2}\.[0-9]{3}")  # noqa: RUF001
DEEPEST = 60  # brackets and NOTs within one another

PATTERNS = {"STARTS": starting, "ENDS": ending, "CONTAINS": containing, "LIKE": like}
_IN_QUOTES = "a text of several words goes in quotes"
_COMPARISONS = "a comparison (=, !=, <, <=, >, >=), IN, NOT IN, BETWEEN, STARTS WITH, LIKE or IS"


@dataclass(frozen=True, slots=True)
class Asked:
    """One comparison as it stands in a rule's text.

    Parameters
    ----------
    column : str or Linear
        The column that is asked for, or the sum of some.

    condition : Condition
        What is asked of it.

    first, stop : int
        Its tokens: from the column to before the first that is no part of it.
    """

    column: Key
    condition: Condition
    first: int
    stop: int


@dataclass(slots=True)
class Reader:
    """One rule's tokens, read from left to right."""

    source: str
    tokens: list[Token]
    position: int = 0
    depth: int = 0
    column: str = ""  # whose condition is being read
    dotted: list[tuple[str, str]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    outcome_at: int = -1  # the token that the outcome starts with
    wanted: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)  # what could stand where the text ends
    _whole: bool = False

    @property
    def here(self) -> Token:
        return self.tokens[self.position]

    def take(self) -> Token:
        token = self.here
        if token.kind != "end":
            self.position += 1
        return token

    def accept(self, kind: str, *values: str) -> Token | None:
        if self.here.kind == kind and (not values or self.here.value in values):
            return self.take()
        self.want(kind, *values)
        return None

    def want(self, kind: str, *values: str) -> None:
        """Keep in mind what could stand here, if nothing does."""
        if self.here.kind == "end":
            self.wanted.append((kind, values))

    def expect(self, kind: str, value: str, what: str = "", hint: str = "") -> Token:
        return self.accept(kind, value) or self.fail(what or value, hint)

    def fail(self, what: str, hint: str = "") -> NoReturn:
        token = self.here
        advice = f" ({hint})" if hint else ""
        raise Fault(f"expected {what}, found {token.described}{advice}", token.start, max(1, len(token.text)))

    @property
    def whole(self) -> bool:
        """Whether the tokens so far are a whole rule."""
        return self._whole and self.here.kind == "end"

    def rule(self) -> tuple[Expression, Outcome]:
        self.expect("keyword", "IF")
        expression = self.either()
        self.expect("keyword", "THEN", "AND, OR or THEN", self.hint())
        outcome = self.outcome()
        self._whole = True
        if self.here.kind == "keyword" and self.here.value == "IF":
            self.fail("the end of the rule", "a rule starts on a new line")
        if self.here.kind != "end":
            last = self.tokens[self.position - 1]
            new_line = re.search(r"[\r\n]", self.source[last.start + len(last.text) : self.here.start])
            start = "a rule starts with IF, or with its name, a colon and IF"
            self.fail("the end of the rule", start if new_line else self.more_hint() or self.hint())
        return expression, outcome

    def more_hint(self) -> str:
        """Say what may have been meant by what stands here behind a whole rule: ELSE, another rule, THEN target = 1."""
        if self.here.kind == "word" and self.here.value.casefold() == "else":
            return "a rule has no ELSE; write another rule for the others"
        another = any(token.kind == "keyword" and token.value == "IF" for token in self.tokens[self.position :])
        return "a rule starts on a new line" if another else self.label_hint()

    def label_hint(self) -> str:
        """Say what stands behind THEN if its label is compared with something: THEN target = 1."""
        wanted = self.tokens[self.position + 1] if self.here.value in ("=", ":", "IS") else self.here
        named = self.here.kind in ("operator", "mark", "keyword") and wanted.kind in ("word", "quoted", "number")
        return f"only the label stands after THEN: THEN {wanted.text}" if named else ""

    def hint(self) -> str:
        """Say what may have been meant by what stands here behind a whole condition or label."""
        last, token = self.tokens[self.position - 1], self.here
        if token.kind == "word" and last.kind == "word":
            return _IN_QUOTES
        if token.value == "," and last.kind == "number":
            return self.comma_hint()
        if token.kind == "operator":
            return "write 18 < age < 65 as age > 18 AND age < 65"
        return ""

    def chain_hint(self) -> str:
        """Say how two bounds are written, if they stand here around a column: 18 < age < 65."""
        low, first, column, second, high = (self.tokens[self.position :] + [self.tokens[-1]] * 4)[:5]
        turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(first.value)
        chain = (first.kind, second.kind) == ("operator", "operator") and column.kind in ("word", "column")
        if not (turned and chain) or high.kind not in ("number", "quoted", "word"):
            return ""
        return f"write {column.text} {turned} {low.text} AND {column.text} {second.text} {high.text}"

    def alone_hint(self, position: int) -> str:
        """Say how a value is written that stands alone behind OR or AND: ccs = 2 OR 3."""
        before, after = self.tokens[max(0, position - 1)], self.tokens[position + 1]
        if position < 4 or before.value not in ("OR", "AND") or not self.ends_a_condition(after):
            return ""
        column, operator, first = self.tokens[position - 4 : position - 1]
        among = {"=": "IN", "!=": "NOT IN"}.get(operator.value) if operator.kind == "operator" else None
        alone = self.tokens[position]
        unsure = "if it is a value, " if alone.kind == "word" else ""
        return f"{unsure}write {column.text} {among} {{{first.text}, {alone.text}}}" if among else ""

    def comma_hint(self) -> str:
        """Say how a number is written that is cut by the comma here: 1,000 or 9,5."""
        before, after = self.tokens[self.position - 1], self.tokens[self.position + 1]
        if re.fullmatch(r"[0-9]{3}", after.text) and before.text != "0":
            return "write 1_000 for 1,000"
        number = self.source[before.start : after.start + len(after.text)]
        decimal = re.fullmatch(r"[-+−]?[0-9_]+,[0-9]\S*", number)  # noqa: RUF001
        return f"write {number.replace(',', '.')}" if decimal and after.kind == "number" else ""

    def either(self) -> Expression:
        parts = [self.both()]
        while self.accept("keyword", "OR"):
            parts.append(self.both())
        return Or.of(parts)

    def both(self) -> Expression:
        parts = [self.negated()]
        while self.accept("keyword", "AND"):
            parts.append(self.negated())
        return And.of(parts)

    def negated(self) -> Expression:
        negations = 0
        while self.accept("keyword", "NOT"):
            negations += 1
        inner = self.primary()
        return Not(inner) if negations % 2 else inner

    def primary(self) -> Expression:
        opening = self.accept("mark", "(")
        if not opening:
            return self.comparison()
        self.depth += 1
        if self.depth > DEEPEST:
            raise Fault(f"more than {DEEPEST} brackets within one another", opening.start)
        inner = self.either()
        self.expect("mark", ")", "AND, OR or ')'", self.hint())
        self.depth -= 1
        return inner

    def comparison(self) -> Expression:
        token, first_token = self.here, self.position
        self.want("column")
        if begins_a_sum(self, token):
            return self.compared(read_sum(self), first_token)
        if token.kind not in ("word", "column"):
            if token.kind == "number":
                first = "the column comes first: age > 18, not 18 < age"
                self.fail("a column name", self.chain_hint() or self.alone_hint(self.position) or first)
            if token.kind == "quoted":
                blank = "names with blanks or odd characters go in backticks"
                self.fail("a column name", self.chain_hint() or self.alone_hint(self.position) or blank)
            as_column = token.kind == "keyword" and self.tokens[self.position + 1].kind == "operator"
            hint = "a column that is named like a keyword goes in backticks" if as_column else ""
            self.fail("a condition such as age < 29", hint)
        self.take()
        if token.value.upper() == "TRUE" and token.kind == "word" and self.ends_a_condition(self.here):
            return Truth()
        if adds_on(self.here):
            self.position = first_token
            return self.compared(read_sum(self), first_token)
        if self.here.kind == "operator" and is_sum(self, self.position + 1, self.here.value):
            return self.compared(Sum.of(token.value), first_token)
        self.column = token.value
        condition = self.condition(token)
        self.column = ""
        self.asked.append(Asked(token.value, condition, first_token, self.position))
        return Leaf(token.value, condition)

    def compared(self, left: Sum, first: int) -> Expression:
        asked = [Asked(key, condition, first, self.position) for key, condition in read_comparison(self, left, first)]
        self.asked += asked
        return And.of([Leaf(one.column, one.condition) for one in asked])

    def ends_a_condition(self, token: Token) -> bool:
        if token.kind == "keyword":
            return token.value in ("THEN", "AND", "OR")
        return token.kind == "end" or (token.kind == "mark" and token.value == ")")

    def condition(self, column: Token) -> Condition:
        operator = self.accept("operator")
        if operator:
            if operator.value in ("=", "!="):
                return Condition.compare(operator.value, self.value(f"a value after {operator.text!r}"))
            return compared(operator.value, self.bound(f"a number or a date after {operator.text!r}", columns=True))
        pattern = self.pattern()
        if pattern is not None:
            return pattern
        keyword = self.accept("keyword", "IS", "IN", "NOT", "BETWEEN")
        if keyword is None:
            blank = "a column name with blanks goes in backticks" if self.here.kind in ("word", "number") else ""
            self.fail(f"{_COMPARISONS} after {column.described}", blank or self.alone_hint(self.position - 1))
        if keyword.value == "IS":
            negated = self.accept("keyword", "NOT")
            what, instead = ("MISSING", "!=") if negated else ("MISSING or NOT MISSING", "=")
            null = means_missing(self.here.value)
            hint = "MISSING is the word for it" if null else f"write {instead} to compare with a value"
            self.expect("keyword", "MISSING", what, hint)
            return ~Condition.is_missing() if negated else Condition.is_missing()
        if keyword.value == "BETWEEN":
            return self.between()
        if keyword.value == "NOT":
            pattern = self.pattern()
            if pattern is not None:
                return ~(pattern | Condition.is_missing())
            what = f"IN, LIKE, STARTS WITH, ENDS WITH or CONTAINS after {column.described} NOT"
            self.expect("keyword", "IN", what, "write != to differ from a value")
        inside = Condition.among(self.values())
        return ~(inside | Condition.is_missing()) if keyword.value == "NOT" else inside

    def pattern(self) -> Condition | None:
        """Read what texts are to be like, if that stands here; columns may be named as the words for it are."""
        token = self.here
        words = token.value.upper() if token.kind == "word" and token.value.isascii() else ""
        if words not in PATTERNS:
            self.want("pattern", *PATTERNS)
            return None
        self.take()
        if words in ("STARTS", "ENDS"):
            self.expect("keyword", "WITH", f"WITH after {token.described}")
        text = self.here
        self.want("text")
        if text.kind not in ("word", "quoted", "number"):
            behind = self.tokens[self.position - 1].text
            self.fail(f"a text after {behind!r}", "a keyword goes in quotes" if text.kind == "keyword" else "")
        self.take()
        try:
            return PATTERNS[words](text.value)
        except RuleError as error:
            raise Fault(as_message(error), text.start, len(text.text)) from None

    def between(self) -> Condition:
        first = self.here
        low = self.bound("a number or a date after BETWEEN")
        # In BETWEEN 18,29 the comma stands for AND.
        cut = [token.value for token in self.tokens[self.position : self.position + 3 : 2]] == [",", "AND"]
        self.expect("keyword", "AND", "AND and the upper bound", self.comma_hint() if cut else "")
        high = self.bound("a number or a date after AND")
        length = self.tokens[self.position - 1].start + len(self.tokens[self.position - 1].text) - first.start
        sorts = [str if isinstance(end, str) else Instant if isinstance(end, Instant) else int for end in (low, high)]
        if sorts[0] is not sorts[1]:
            two = "two numbers or two dates" if str not in sorts else "two numbers, two dates or two levels"
            raise Fault(f"expected {two}, found one of each", first.start, length)
        between = compared(">=", low) & compared("<=", high)
        if between == Condition.nothing():
            raise Fault("the lower bound is above the upper one", first.start, length)
        return between

    def values(self) -> list[Value]:
        bracket = "lists go in braces, as in {a, b}" if self.here.value == "(" else ""
        self.expect("mark", "{", "'{' and a list of values", bracket)
        values: list[Value] = []
        if self.accept("mark", "}"):
            return values
        while True:
            values.append(self.value("a value"))
            if self.accept("mark", "}"):
                return values
            self.expect("mark", ",", "',' or '}'", _IN_QUOTES if self.here.kind in ("word", "number") else "")

    def value(self, what: str) -> Value:
        """Read a value to be equal to: a number, or any word or quoted text."""
        token = self.here
        self.want("value")
        if token.kind == "number":
            if re.fullmatch(r"0[0-9]+", token.text):
                return as_value(self.take().text)  # 01234 is a code, not the number 1234
            return self.number()
        if token.kind not in ("word", "quoted"):
            quotes = "a keyword that is meant as a value goes in quotes" if token.kind == "keyword" else ""
            missing = "write IS MISSING, or IS NOT MISSING; " if token.value == "MISSING" and quotes else ""
            self.fail(what, missing + quotes)
        return as_value(self.take().value)

    def bound(self, what: str, *, columns: bool = False) -> Value:
        """Read a value to be compared with by order: a number, a date, or in quotes a level; or a column, perhaps."""
        token = self.here
        self.want("bound")
        if columns:
            self.want("added")
        if token.kind == "number":
            return self.number()
        if token.kind in ("word", "quoted"):
            value = as_value(token.value)
            if not isinstance(value, str):
                self.take()
                return value
            if re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
                self.fail(
                    what, "dates are written 2024-01-31 or '2024-01-31 12:30', without a time zone, and must exist"
                )
            if LIKE_A_DATE.fullmatch(value):
                self.fail(what, date_advice(value))
            if re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]{3}){2,9}", value):
                self.fail(what, f"write {value.replace('.', '')}")
            if token.kind == "quoted" and value:
                return as_value(self.take().value)
        return self.fail(what)

    def number(self) -> Number:
        token = self.take()
        if self.column and DOTTED.fullmatch(token.text):
            self.dotted.append((self.column, token.text))
        text = token.text.replace("_", "").replace("−", "-")  # noqa: RUF001
        scale = {"k": 1_000, "m": 1_000_000}.get(text[-1].lower(), 1)
        text = text if scale == 1 else text[:-1]
        whole = re.fullmatch(r"([-+]?)0*([0-9]*)", text)
        if whole is None:
            number = _scaled(text, scale)
        elif len(whole[2]) < 310:  # Python itself refuses to read thousands of digits
            number = int(f"{whole[1]}0{whole[2]}") * scale
        else:
            number = LARGEST + 1
        if abs(number) > LARGEST:
            raise Fault("this number is too large; the largest is about 1.8e308", token.start, len(token.text))
        return number

    def outcome(self) -> Outcome:
        start = self.here
        self.outcome_at = self.position
        try:
            if self.accept("mark", "{"):
                return Outcome.of(self.distribution())
            label = self.label("a label or a distribution such as {yes: 0.7, no: 0.3}")
            if not self.accept("keyword", "WITH"):
                return Outcome.of(label)
            self.expect("keyword", "CONFIDENCE")
            start = self.here
            return Outcome.of(label, confidence=self.probability("a confidence between 0 and 1"))
        except RuleError as error:
            last = self.tokens[self.position - 1]
            length = last.start + len(last.text) - start.start
            raise Fault(as_message(error), start.start, length) from None

    def distribution(self) -> dict[str, float]:
        shares: dict[str, float] = {}
        while True:
            token = self.here
            label = self.label("a label")
            if label in shares:
                raise Fault(f"the label {label!r} stands here twice", token.start, len(token.text))
            self.expect("mark", ":", f"':' and a probability after {token.described}", self.hint())
            token = self.here
            shares[label] = self.probability("a probability")
            if not 0 <= shares[label] <= 1:
                message = f"a probability must be between 0 and 1, not {shares[label]:g}"
                raise Fault(message, token.start, len(token.text))
            if self.accept("mark", "}"):
                return shares
            self.expect("mark", ",", "',' or '}'")

    def label(self, what: str) -> str:
        token = self.here
        self.want("label")
        if token.kind not in ("word", "quoted", "number"):
            self.fail(what, "a keyword that is meant as a label goes in quotes" if token.kind == "keyword" else "")
        return self.take().value

    def probability(self, what: str) -> float:
        self.want("probability")
        if self.here.kind != "number":
            self.fail(what)
        number = float(self.number())
        decimal = self.comma_hint() if self.here.value == "," else ""
        # In {0: 0,1: 1} the comma stands before a label.
        if decimal and self.tokens[self.position + 2].value != ":":
            self.fail("a decimal point", decimal)
        return number


def _scaled(text: str, scale: int) -> Number:
    """Scale a decimal number exactly as written: 1.1K is 1100, not 1100.0000000000002."""
    if "e" in text.lower():
        return canonical(float(text) * scale)
    return canonical(float(text + {1: "e0", 1_000: "e3", 1_000_000: "e6"}[scale]))
