"""Rules settled on the columns of a table: what each value means, or why it can mean nothing there."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from frote.caller import warn_caller
from frote.exceptions import BindingError, RuleError, RuleWarning, nearest
from frote.rules.date_advice import date_advice
from frote.rules.level_tests import Undecided
from frote.rules.lexer import with_carets
from frote.rules.patterns import LIKE
from frote.rules.ruleset import RuleSet
from frote.rules.text import column_text, condition_text, label_text
from frote.rules.values import Instant, as_value, means_missing, value_text
from frote.table import Column, Kind, Schema, Table
from frote.table.spelling import LIKE_A_DATE, spellings
from frote.ways_out import way_out

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from frote.rules.clause import Clause
    from frote.rules.condition import Condition
    from frote.rules.linear import Key, Linear
    from frote.rules.rule import Rule
    from frote.rules.values import Value

__all__ = [
    "as_schema",
    "bind",
    "class_texts",
    "joined_levels",
    "level_hint",
    "misfit",
    "place_of",
    "require_fit",
    "require_no_sums",
    "require_no_target",
    "unknown_column",
    "unknown_label",
    "unseen_levels",
    "with_value_marked",
]


MOST_JOINED = 5  # levels that joined later, told of at once


def as_schema(schema: Any) -> Schema:
    """Return the schema of a schema, a table or a frame."""
    return schema if isinstance(schema, Schema) else Table.from_frame(schema).schema


def class_texts(classes: Iterable[Any]) -> dict[str, Any]:
    """Return the classes by their texts, by which rules name them.

    Examples
    --------
    >>> class_texts([0, 1])
    {'0': 0, '1': 1}
    """
    by_text: dict[str, Any] = {}
    for label in classes:
        text = str(label)
        if text in by_text and by_text[text] != label:
            raise BindingError(
                f"Two classes read {text!r}: {by_text[text]!r} and {label!r}. A rule cannot tell them apart."
            )
        by_text[text] = label
    return by_text


def require_no_target(rules: RuleSet, schema: Schema, target: Any) -> None:
    """Refuse rules with a condition on the target, given by its name if it has one."""
    if target in rules.columns and target not in schema:
        raise BindingError(f"A rule has a condition on {target!r}, which is the target. Rules speak of other columns.")


def require_no_sums(clauses: Iterable[Clause], whose: str, what: str) -> None:
    """Refuse conditions over several columns where they cannot be honoured.

    Parameters
    ----------
    clauses : iterable of Clause
        The clauses.

    whose : str
        Which rule they are of, as the beginning of a sentence.

    what : str
        What cannot be done with such conditions, and the way out, as its end.

    Examples
    --------
    >>> from frote.rules.parser import parse_rules
    >>> (rule,) = parse_rules("over: IF bill > 0.9 * limit THEN review")
    >>> require_no_sums([rule.clause], "Rule 'over'", "which is not proven. Use stress")
    Traceback (most recent call last):
        ...
    frote.exceptions.RuleError: Rule 'over' compares columns with one another (bill > 0.9 * limit), which ...
    """
    for clause in clauses:
        for key, condition in clause.sums:
            text, _ = condition_text(key, condition)
            raise RuleError(f"{whose} compares columns with one another ({text}), {what}.")


def require_fit(rules: RuleSet, schema: Schema, classes: Iterable[Any] | None = None) -> None:
    """Raise one error with everything in the rules that does not fit the schema or the classes."""
    classes_by_text = None if classes is None else class_texts(classes)
    faults: dict[str, str] = {}
    for rule in rules:
        for message, shown in (*_column_faults(rule, schema), *_label_faults(rule, classes_by_text)):
            # The pieces of one rule share its faults: tell of each once.
            faults.setdefault(f"{place_of(rule)}: {message}", shown)
    if faults:
        head = f"{len(faults)} errors in the rules:\n" if len(faults) > 1 else ""
        raise BindingError(head + "\n".join(message + shown for message, shown in faults.items()))
    for text in joined_levels(rules, schema):
        warn_caller(text, RuleWarning)


def joined_levels(rules: RuleSet, schema: Schema) -> list[str]:
    """Say of rules that were bound before which levels of a schema they would treat otherwise, had they known them.

    Examples
    --------
    >>> import frote
    >>> known, later = (
    ...     Schema((Column("plan", Kind.CATEGORICAL, levels=levels),)) for levels in [("pre1",), ("pre1", "pre2")]
    ... )
    >>> rules = frote.parse_rules("early: IF plan STARTS WITH 'pre' THEN yes").bind(known)
    >>> print(joined_levels(rules, later)[0])
    Rule 'early' was bound to data without the level 'pre2', which plan STARTS WITH 'pre' would let in. It is left out
    until the rules are bound to data that have it.
    """
    told: dict[str, None] = {}
    for rule in rules:
        for name, asked, decided in rule.decided:
            column = schema.get(name)
            if column is None or misfit(name, asked, schema):
                continue
            sides = zip(column.levels, asked.levels_inside(column), decided.levels_inside(column), strict=True)
            for level, wanted, held in sides:
                if wanted != held:
                    ways = ("let in", "left out") if wanted else ("keep out", "let in")
                    told[
                        f"Rule {rule.origin!r} was bound to data without the level {level!r}, which "
                        f"{condition_text(name, asked)[0]} would {ways[0]}. It is {ways[1]} until the rules are bound "
                        "to data that have it."
                    ] = None
    return [*told][:MOST_JOINED]


def _decided(rule: Rule, clause: Clause, schema: Schema) -> tuple[tuple[str, Condition, Condition], ...]:
    """Return what a rule asks of levels, beside what its clause says of them now that they are known."""
    found = [(name, asked, clause[name]) for name, asked in rule.clause.alone if not asked.is_decided_on(schema[name])]
    return (*rule.decided, *found)


def bind(rules: RuleSet, schema: Any, classes: Iterable[Any] | None = None) -> RuleSet:
    """Settle rules on a schema; see `RuleSet.bind`."""
    schema = as_schema(schema)
    require_fit(rules, schema, classes)
    settled = [(rule, rule.clause.settled(schema)) for rule in rules]
    # What is asked of missing values stays, also where the type has none: it is right for tables of other types.
    gappy = schema.with_gaps()
    possible = [not clause.is_empty(gappy) for _, clause in settled]
    # An impossible rule stays, to be told of; an impossible piece of a possible rule goes.
    alive = {rule.origin for (rule, _), kept in zip(settled, possible, strict=True) if kept}
    return RuleSet(
        replace(rule, clause=clause, dotted=(), decided=_decided(rule, clause, schema))
        for (rule, clause), kept in zip(settled, possible, strict=True)
        if kept or rule.origin not in alive
    )


def unseen_levels(condition: Condition, column: Column) -> list[Value]:
    """Return the values that a condition names and a categorical column does not have."""
    if column.kind is not Kind.CATEGORICAL or not condition.is_discrete:
        return []
    levels = {as_value(level) for level in column.levels}
    return [value for value in condition.named_values() if value not in levels]


def level_hint(value: Value, column: Column) -> str:
    """Say what may have been meant by a value that is no level of a column, as the end of a message.

    Examples
    --------
    >>> channel = Column("channel", Kind.CATEGORICAL, levels=("broker", "web"))
    >>> level_hint("brokr", channel), level_hint("NULL", channel)
    ("Did you mean 'broker'?", 'Did you mean channel IS MISSING, or IS NOT MISSING?')
    """
    texts = list(map(str, column.levels))
    if str(value).casefold() in map(str.casefold, texts):
        return nearest(str(value), texts)
    return _missing_hint(str(value), column) or nearest(str(value), texts)


def _missing_hint(text: str, column: Column) -> str:
    return f"Did you mean {column_text(column.name)} IS MISSING, or IS NOT MISSING?" if means_missing(text) else ""


def _column_faults(rule: Rule, schema: Schema) -> Iterator[tuple[str, str]]:
    """Find conditions that do not fit their column: what is wrong, and the condition with carets below."""
    for name, condition in rule.clause:
        message = misfit(name, condition, schema)
        if message:
            yield message, _with_carets(name, condition)


def misfit(name: Key, condition: Condition, schema: Schema) -> str:
    """Say why a condition cannot be asked of a column of the data, or of a sum of some; nothing if it can.

    Examples
    --------
    >>> from frote.rules.condition import Condition
    >>> misfit("agee", Condition.is_missing(), Schema((Column("age", Kind.INTEGER),)))
    "the data have no column 'agee'. Did you mean 'age'?"
    """
    if not isinstance(name, str):
        return _misfit_sum(name, condition, schema)
    column = schema.get(name)
    return unknown_column(name, schema) if column is None else _misfit(condition, column)


def _misfit_sum(key: Linear, condition: Condition, schema: Schema) -> str:
    for name in key.columns:
        column = schema.get(name)
        if column is None:
            return unknown_column(name, schema)
        if column.kind.has_levels:
            what = "categories" if column.kind is Kind.CATEGORICAL else "true or false"
            return f"column {name!r} holds {what}, which cannot be compared with another column by {key}."
    dates = [name for name in key.columns if schema[name].kind is Kind.DATETIME]
    others = [name for name in key.columns if name not in dates]
    if dates and others:
        return f"column {dates[0]!r} holds dates and column {others[0]!r} numbers, which cannot be compared."
    if key.timed and others:
        return f"column {others[0]!r} holds numbers, which are not compared with a duration. Leave its unit out."
    if not dates:
        return ""
    if sum(factor for _, factor in key.terms):
        return f"dates can be taken from one another, but {key} is no difference of dates."
    if not key.timed and any(value not in (0, -math.inf, math.inf) for value, _ in condition.numbers.cuts):
        return f"{key} is a duration. Write its unit, as in 30 days."
    return ""


def unknown_column(name: str, schema: Schema) -> str:
    """Say that the data have no such column, and which one may have been meant."""
    parts = name.split("-")
    if len(parts) > 1 and all(part in schema for part in parts):
        return f"the data have no column {name!r}. To take columns from one another, write {' - '.join(parts)}."
    return f"the data have no column {name!r}. {nearest(name, schema.names)}"


def unknown_label(label: str, classes: Iterable[str]) -> str:
    """Say that the data have no such class, and which one may have been meant."""
    return f"{label!r} is no class of the data. {nearest(label, classes)}"


def _misfit(condition: Condition, column: Column) -> str:
    name, kind = column.name, column.kind
    if kind is Kind.CATEGORICAL and not column.levels:
        return ""  # a column without any value says nothing of what it could hold
    if isinstance(condition, Undecided) and (kind is not Kind.CATEGORICAL or not column.ordered):
        message = _misfit_of_levels(condition, column)
        if message or kind is not Kind.CATEGORICAL:
            return message
        condition = condition.on(column)
    if kind is Kind.CATEGORICAL and column.ordered:
        try:
            condition = condition.on(column)
        except RuleError as error:
            return f"column {name!r} holds categories in an order, {error}"
    if kind is Kind.CATEGORICAL and (not condition.is_discrete or _unseen_instants(condition, column)):
        dates = _dates_as_texts(column)
        if dates:
            return f"column {name!r} holds texts that look like dates {dates}"
    if kind.has_levels:
        if not condition.is_discrete:
            return _unordered(column)
        if kind is Kind.BOOLEAN:
            strange = [value for value in condition.named_values() if value not in ("true", "false", 0, 1)]
            if strange:
                return f"column {name!r} holds true or false, and {value_text(strange[0])} is neither."
        return ""
    if condition.texts:
        text = min(condition.texts)
        wanted = "numbers" if kind.is_number else "dates"
        example = "Compare it with a number." if kind.is_number else f"{_advice(text)}."
        hint = _missing_hint(text, column) or example
        return f"column {name!r} holds {wanted}, and {value_text(text)} is none. {hint}"
    if kind.is_number and condition.names_times:
        date = next(value for value in condition.named_values() if isinstance(value, Instant))
        return f"column {name!r} holds numbers, and {date} is a date. Compare it with a number."
    if kind is Kind.DATETIME and condition.names_numbers:
        number = next(value for value in condition.named_values() if not isinstance(value, Instant))
        return f"column {name!r} holds dates, and {number} is a number. Write dates as 2024-01-31."
    return ""


def _misfit_of_levels(condition: Undecided, column: Column) -> str:
    """Say why what is asked of levels cannot be asked of a column that has none, or none in an order."""
    name, kind = column.name, column.kind
    compared_with = next((test.text for test in condition.tests() if test.sign != LIKE), None)
    if kind.has_levels:
        if compared_with is not None:
            return _unordered(column)
        return "" if kind is Kind.CATEGORICAL else f"column {name!r} holds true or false, and no texts. Use = true."
    wanted, one = ("numbers", "a number") if kind.is_number else ("dates", "a date")
    if compared_with is None:
        return f"column {name!r} holds {wanted}, and patterns are asked of texts. Compare it with {one}."
    example = f"Compare it with {one}." if kind.is_number else f"{_advice(compared_with)}."
    return f"column {name!r} holds {wanted}, and {value_text(compared_with)} is none. {example}"


def _unordered(column: Column) -> str:
    if column.kind is Kind.BOOLEAN:
        return f"column {column.name!r} holds true or false, which have no order. Use =, != or IN."
    typed = "Use =, != or IN, or give the column a type with one (pandas' ordered categories, polars' Enum)."
    way = way_out(typed, typed, "Use =, != or IN.")
    return f"column {column.name!r} holds categories, which have no order. {way}"


def _advice(text: str) -> str:
    advice = date_advice(text)
    return advice[0].upper() + advice[1:]


def _unseen_instants(condition: Condition, column: Column) -> bool:
    levels = {as_value(level) for level in column.levels} if condition.names_times else set()
    return any(isinstance(value, Instant) and value not in levels for value in condition.named_values())


def _dates_as_texts(column: Column) -> str:
    """Say how most levels of a column are written that look like dates, and how to write them; nothing if few do."""
    texts = [text for text in map(as_value, column.levels) if isinstance(text, str)]
    dates = list(filter(LIKE_A_DATE.fullmatch, texts))
    if len(dates) * 2 <= len(column.levels):
        return ""
    ways = spellings(dates)
    if len(ways) == 1:
        return f"written {ways[0]}. Write them as {ways[0].iso(dates[0])} in the data."
    if ways:
        written = " or ".join(map(str, ways))
        return f"written {written}, which nothing tells apart. Write them as 2024-01-31 in the data."
    return f"such as {dates[0]!r}. Write them as 2024-01-31 in the data."


def _label_faults(rule: Rule, classes: dict[str, Any] | None) -> Iterator[tuple[str, str]]:
    if classes is None:
        return
    for label in rule.outcome.labels:
        if label not in classes:
            yield unknown_label(label, classes), _label_with_carets(rule, label)
    if rule.outcome.rest and len(classes) < 2:
        message = "a confidence below 1 needs a second class, and the data have one."
        yield message, _label_with_carets(rule, rule.outcome.labels[0])


def place_of(rule: Rule) -> str:
    """Name a rule as it was written, and its line."""
    line = f"line {rule.line}, " if rule.line else ""
    return f"{line}rule {rule.origin!r}"


def _with_carets(column: Key, condition: Condition) -> str:
    text, _ = condition_text(column, condition)
    if not isinstance(column, str):
        return "\n" + with_carets(text, 0, len(text))
    name = column_text(column)
    start = 5 if text.startswith("NOT (") else 4 if text.startswith("NOT ") else int(text.startswith("("))
    return "\n" + with_carets(text, start, len(name))


def with_value_marked(column: Key, condition: Condition, values: list[Value]) -> str:
    """Return a condition with carets below the first of some values, or below its column if there are none."""
    if not isinstance(column, str):
        return _with_carets(column, condition)
    text, _ = condition_text(column, condition)
    name = column_text(column)
    for value in map(value_text, values):
        match = re.compile(rf"(?<![\w.'-]){re.escape(value)}(?![\w.'-])").search(text, text.index(name) + len(name))
        if match:
            return "\n" + with_carets(text, match.start(), len(value))
    return _with_carets(column, condition)


def _label_with_carets(rule: Rule, label: str) -> str:
    text, name = f"THEN {rule.outcome}", label_text(label)
    # Labels stand in order, so the first that begins like this one is this one.
    start = next(text.index(lead + name) + len(lead) for lead in ("THEN ", "{", ", ") if lead + name in text)
    return "\n" + with_carets(text, start, len(name))
