"""What a click changes in the text of a policy: the text is the truth, and a card shows it.

Each change is a part of the text and what is to stand in its place, so that all else stays as it was written:
comments, blanks, the way that numbers are spelt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frote.rules.condition import Condition
from frote.rules.text import column_text, condition_text, is_name, label_text, name_text
from frote.rules.values import as_value, value_text
from frote.studio.errors import StudioError
from frote.table import Kind

if TYPE_CHECKING:
    from frote.rules.drafts import Draft, DraftRule
    from frote.rules.reader import Asked
    from frote.studio.summaries import Summary

__all__ = [
    "Change",
    "add_condition",
    "add_rule",
    "block_of",
    "cut_of",
    "delete",
    "free_name",
    "move",
    "outcome",
    "remove",
    "rename",
    "toggle",
]

_COMMENTS = re.compile(r"(?:^[^\S\n]*#[^\n]*\n)+\Z", re.MULTILINE)  # the lines of comments right above a rule


@dataclass(frozen=True, slots=True)
class Change:
    """A part of a text, and what is to stand there.

    Examples
    --------
    >>> Change(3, 6, "income").on("IF age < 29")
    'IF income < 29'
    """

    start: int
    stop: int
    text: str

    def on(self, text: str) -> str:
        """Return the text with the change."""
        return text[: self.start] + self.text + text[self.stop :]


def toggle(draft: Draft, number: int, column: str, level: Any, summary: Summary) -> Change:
    """Let a level of a column, or missing values (None), join or leave a rule.

    Examples
    --------
    >>> from frote.rules.drafts import read_draft
    >>> text = "IF purpose = car THEN yes"
    >>> toggle(read_draft(text), 0, "purpose", "home", None).on(text)
    'IF purpose IN {car, home} THEN yes'
    """
    rule = _right(draft, number)
    asked = [one for one in rule.asked if one.column == column]
    own = Condition.is_missing() if level is None else Condition.among([level])
    if not asked:
        return add_condition(draft, number, column, summary, own)
    # What the condition that speaks of values says of this one is turned round; the others are left alone.
    one = next((one for one in asked if (one.condition == Condition.is_missing()) == (level is None)), None)
    if one is None:
        start, stop = rule.place_of(asked[-1])
        if level is None and all(None in piece.clause[column] for piece in rule.rules):
            return add_condition(draft, number, column, summary, ~own)  # a NOT lets them in: they are named to go
        if level is None:
            words = f"({draft.text[start:stop]} OR {column_text(column)} IS MISSING)"
            return Change(start, stop, words)
        return Change(start, stop, f"({draft.text[start:stop]} OR {condition_text(column, own)[0]})")
    if level is None:
        return remove(draft, number, rule.asked.index(one))
    # What is asked of levels becomes a list of them.
    decided = one.condition if one.condition.is_decided else one.condition.on(summary.column)
    inside = own & decided == own
    wanted = (decided & ~own) if inside else (decided | own)
    start, stop = rule.place_of(one)
    if wanted == Condition.nothing():
        return remove(draft, number, rule.asked.index(one))
    return Change(start, stop, _as_written(draft, rule, one, wanted))


def _as_written(draft: Draft, rule: DraftRule, asked: Asked, wanted: Condition) -> str:
    """Write a condition on values, in the spelling that its values have in the text."""
    spelt = {
        as_value(token.value): token.text
        for token in rule.tokens[asked.first + 1 : asked.stop]
        if token.kind in ("word", "quoted", "number")
    }
    outside = wanted.all_but
    listed = (~wanted if outside else wanted).named_values()
    written = [spelt.get(value) or _bare(value) for value in _in_order(listed, spelt)]
    name = draft.text[rule.tokens[asked.first].start :][: len(rule.tokens[asked.first].text)]
    if not listed:
        return condition_text(asked.column, wanted)[0]
    if len(written) == 1:
        return f"{name} {'!=' if outside else '='} {written[0]}"
    return f"{name} {'NOT IN' if outside else 'IN'} {{{', '.join(written)}}}"


def _in_order(values: list[Any], spelt: dict[Any, str]) -> list[Any]:
    """Return values in the order that they are written in; new ones behind."""
    return [*(value for value in spelt if value in values), *(value for value in values if value not in spelt)]


def _bare(value: Any) -> str:
    """Write a value as people do: a word without quotes."""
    if isinstance(value, str) and as_value(value) == value:
        return label_text(value) if not re.match(r"[\d_]", value) else value_text(value)
    return value_text(value)


def add_condition(
    draft: Draft, number: int, column: str, summary: Summary, condition: Condition | None = None
) -> Change:
    """Ask one thing more: without a condition, one that halves the rows, or takes the most frequent level."""
    rule = _right(draft, number)
    if condition is not None:
        text, compound = condition_text(column, condition)
    else:
        text, compound = f"{column_text(column)} {_usual(summary)}", False
    before = rule.tokens[rule.outcome_at - 2]  # the last word of what is asked
    start = before.start + len(before.text)
    mixed = any(token.kind == "keyword" and token.value == "OR" for token in _outermost(rule))
    if mixed:
        first = rule.tokens[1].start
        return Change(first, start, f"({draft.text[first:start]}) AND {f'({text})' if compound else text}")
    if [token.value for token in rule.tokens[1 : rule.outcome_at - 1]] == ["TRUE"]:
        return Change(rule.tokens[1].start, start, text)
    return Change(start, start, f" AND {f'({text})' if compound else text}")


def _usual(summary: Summary) -> str:
    if summary.column.kind.has_levels:
        level = summary.bins.levels[0] if summary.bins.levels else None
        if level is None:
            return "IS MISSING"
        return f"= {('true' if level else 'false') if summary.column.kind is Kind.BOOLEAN else _bare(as_value(level))}"
    if not summary.quartiles:
        return "IS MISSING"
    low, snap = summary.bins.low, summary.bins.snap
    return f">= {summary.text(round(low + round((summary.quartiles[1] - low) / snap) * snap, 9))}"


def _outermost(rule: DraftRule) -> list[Any]:
    """Return the words of what is asked that stand in no brackets."""
    depth, found = 0, []
    for token in rule.tokens[1 : rule.outcome_at - 1]:
        depth += {"(": 1, ")": -1}.get(token.value, 0) if token.kind == "mark" else 0
        if not depth:
            found.append(token)
    return found


def remove(draft: Draft, number: int, asked: int) -> Change:
    """Ask one thing less; of the last one TRUE is left.

    Examples
    --------
    >>> from frote.rules.drafts import read_draft
    >>> text = "IF age < 29 AND (income > 9 OR income IS MISSING) THEN yes"
    >>> remove(read_draft(text), 0, 2).on(text), remove(read_draft(text), 0, 0).on(text)
    ('IF age < 29 AND (income > 9) THEN yes', 'IF (income > 9 OR income IS MISSING) THEN yes')
    """
    return Change(*cut_of(_right(draft, number), asked))


def cut_of(rule: DraftRule, asked: int) -> tuple[int, int, str]:
    """Return what goes with one comparison: the word that joins it, the NOT and the brackets around it alone."""
    tokens = rule.tokens
    first, stop = rule.asked[asked].first, rule.asked[asked].stop
    while True:
        before, after = tokens[first - 1], tokens[stop]
        if before.kind == "keyword" and before.value == "NOT":
            first -= 1
        elif before.value == "(" and after.value == ")" and before.kind == after.kind == "mark":
            first, stop = first - 1, stop + 1
        else:
            break
    end = tokens[stop - 1].start + len(tokens[stop - 1].text)
    if before.kind == "keyword" and before.value in ("AND", "OR"):
        return tokens[first - 2].start + len(tokens[first - 2].text), end, ""
    if after.kind == "keyword" and after.value in ("AND", "OR"):
        return tokens[first].start, tokens[stop + 1].start, ""
    return tokens[first].start, end, "TRUE"


def rename(draft: Draft, number: int, name: str) -> Change:
    """Give a rule a name.

    Examples
    --------
    >>> from frote.rules.drafts import read_draft
    >>> text = "IF age < 29 THEN yes"
    >>> rename(read_draft(text), 0, "24/7").on(text)
    "'24/7': IF age < 29 THEN yes"
    """
    rule, name = draft.written[number], " ".join(name.split())
    if not is_name(name):
        raise StudioError("A rule's name is one line of text. Write one that can be read.")
    if any(one.name == name for place, one in enumerate(draft.written) if place != number):
        raise StudioError(f"Another rule is named {name!r}. Give each a name of its own.")
    written = name_text(name, name)
    if rule.named is None:
        return Change(rule.start, rule.start, f"{written}: ")
    return Change(*rule.named, written)


def outcome(draft: Draft, number: int, label: str, confidence: str = "") -> Change:
    """Send a rule's rows to a label, with a confidence if there is one."""
    rule = _right(draft, number)
    words = label_text(label) + (f" WITH CONFIDENCE {confidence}" if confidence.strip() not in ("", "1") else "")
    return Change(rule.tokens[rule.outcome_at].start, rule.stop, words)


def block_of(draft: Draft, number: int) -> tuple[int, int]:
    """Return where a rule stands with the comments right above it and the line end below it."""
    rule, text = draft.written[number], draft.text
    line = text.rfind("\n", 0, rule.start) + 1
    above = draft.written[number - 1].stop if number else 0
    comments = _COMMENTS.search(text, above, line)
    start = comments.start() if comments else line
    if text.count("\n", above, start) == 0 and number:
        start = line  # a comment behind the rule above is that rule's
    stop = draft.written[number].stop
    end = text.find("\n", stop)
    following = draft.written[number + 1].start if number + 1 < len(draft.written) else len(text)
    return start, min(len(text) if end < 0 else end + 1, max(following, stop))


def delete(draft: Draft, number: int) -> Change:
    r"""Take a rule out, with the comments right above it.

    Examples
    --------
    >>> from frote.rules.drafts import read_draft
    >>> text = "# Monday\n\n# Why\na: IF x = 1 THEN yes\n\nb: IF x = 2 THEN no\n"
    >>> delete(read_draft(text), 0).on(text)
    '# Monday\n\nb: IF x = 2 THEN no\n'
    """
    start, stop = block_of(draft, number)
    if draft.text[stop : stop + 1] == "\n" and (not start or draft.text[start - 1] == "\n"):
        stop += 1
    return Change(start, stop, "")


def move(draft: Draft, number: int, by: int) -> Change:
    """Put a rule before the one above it, or behind the one below it: of two that conflict, the first may count."""
    other = number + (1 if by > 0 else -1)
    if not 0 <= other < len(draft.written):
        raise StudioError("This rule stands at the end already.")
    upper, lower = block_of(draft, min(number, other)), block_of(draft, max(number, other))
    text = draft.text
    one, between, two = text[slice(*upper)], text[upper[1] : lower[0]], text[slice(*lower)]
    if not two.endswith("\n"):
        one, two = one.removesuffix("\n"), f"{two}\n"
    return Change(upper[0], lower[1], f"{two}{between}{one}")


def add_rule(draft: Draft, rule: str, number: int | None = None) -> Change:
    r"""Put a rule behind another one, or at the end.

    Examples
    --------
    >>> from frote.rules.drafts import read_draft
    >>> add_rule(read_draft("IF a = 1 THEN yes"), "IF a = 2 THEN no").on("IF a = 1 THEN yes")
    'IF a = 1 THEN yes\n\nIF a = 2 THEN no\n'
    """
    text = draft.text
    if number is not None and number < len(draft.written):
        place = block_of(draft, number)[1]
        if text[:place].endswith("\n"):
            return Change(place, place, f"\n{rule}\n")
    end = len(text.rstrip())
    gap = "\n\n" if end else ""
    return Change(end, len(text), f"{gap}{rule}\n")


def free_name(draft: Draft, wanted: str) -> str:
    """Return a name that no rule has."""
    taken = {one.name for one in draft.written}
    if wanted not in taken:
        return wanted
    number = 2
    while f"{wanted} {number}" in taken:
        number += 1
    return f"{wanted} {number}"


def _right(draft: Draft, number: int) -> DraftRule:
    """Return a rule that nothing is wrong with."""
    if not 0 <= number < len(draft.written):
        raise StudioError("This rule is not there any more.")
    rule = draft.written[number]
    if rule.outcome_at < 0 or (not rule.asked and rule.faults):
        raise StudioError("Something is wrong with this rule. Mend it in the text first.")
    return rule
