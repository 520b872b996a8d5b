"""Rules as cards: what a draft and its pulse look like, as plain values for the page to draw.

Places in a card count from where its rule starts, in the units of browsers, so that a card stays the same while
something above it is written.
"""

from __future__ import annotations

import math
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.rules.condition import Condition
from frote.rules.masks import count
from frote.rules.text import condition_text
from frote.rules.values import Instant, as_value, value_text
from frote.studio.changes import cut_of
from frote.studio.units import to_browser
from frote.table import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from frote.rules import Outcome, Rule
    from frote.rules.drafts import Draft, DraftRule
    from frote.rules.lexer import Token
    from frote.rules.reader import Asked
    from frote.studio.desk import Desk
    from frote.studio.pulse import Clash, Pulse, RulePulse
    from frote.studio.summaries import Summary

__all__ = ["bars_of", "card", "column_view", "facts_of", "histogram_of", "level_bars", "mistakes", "outcome_label"]

HEIGHT = 64  # of a histogram, in its own units
WIDTH = 10  # of a bin
ORDERS = ("<", "<=", ">", ">=", "=", "!=")
MILLISECOND = 1_000_000  # nanoseconds
MOST_LEVELS = 40
SEEN = 48  # characters of a line with a mistake, up to the end of its carets


def card(desk: Desk, draft: Draft, pulse: Pulse, number: int, *, open_: bool) -> dict[str, Any]:
    """Return a rule as its card shows it, without what the rules around it make of it.

    Parameters
    ----------
    desk : Desk
        The table.

    draft, pulse : Draft and Pulse
        The rules, and what they cover.

    number : int
        The rule's number.

    open_ : bool
        Whether its columns are shown.
    """
    one, beat = draft.written[number], pulse.rules.get(number)
    found: dict[str, Any] = {
        "number": number,
        "name": one.name,
        "named": one.named is not None,
        "notes": _notes(draft, number),
        "faults": [fault.message for fault in one.faults],
        "text": draft.text[one.start : one.stop],
        "parts": list(_parts(draft, one)) if one.outcome_at >= 0 else [],
        "outcome": _outcome(draft, one),
        "open": open_,
        "beat": beat,
        "columns": [],
    }
    if beat is not None:
        found |= {
            "wants": outcome_label(beat.outcome),
            "share": beat.inside.rows / pulse.rows if pulse.rows else 0.0,
            "labels": bars_of(desk, beat.inside.labels),
            "said": None if beat.inside.said is None else bars_of(desk, beat.inside.said),
        }
        if open_:
            pieces = desk.pulses.known(draft, one).pieces
            found["columns"] = [
                column_view(desk, draft, one, pieces, name)
                for name in dict.fromkeys(a.column for a in one.asked)
                if isinstance(name, str)
            ]
    return found


def outcome_label(outcome: Outcome) -> str:
    """Return the label that an outcome makes most probable."""
    return max(outcome.probabilities, key=lambda named: named[1])[0]


def bars_of(desk: Desk, counts: Sequence[int]) -> list[dict[str, Any]]:
    """Return counts by label as the parts of a bar, from 0 to 100."""
    total, start, parts = sum(counts), 0.0, []
    for code, (text, number) in enumerate(zip(desk.labels.texts, counts, strict=True)):
        share = number / total if total else 0.0
        parts.append(
            {"label": text, "code": code, "rows": number, "share": share, "x": _short(start), "w": _short(100 * share)}
        )
        start += 100 * share
    return parts


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def mistakes(draft: Draft) -> list[dict[str, Any]]:
    """Return all that is wrong with a draft, in the words of the command line, and where it stands."""
    return [
        {
            "start": to_browser(draft.text, fault.start),
            "stop": to_browser(draft.text, fault.start + max(1, fault.length)),
            **_told(draft.told(fault)),
            "message": fault.message,
            "line": draft.text.count("\n", 0, fault.start) + 1,
        }
        for fault in draft.faults
    ]


def _told(text: str) -> dict[str, str]:
    """Return what is wrong in words, and the line with carets below it, cut where it would be too long to be seen."""
    words, line, carets = text.rsplit("\n", 2)
    cut = max(0, len(carets) - SEEN)
    begun = f"…{line[cut + 1 :]}" if cut else line
    return {"words": words, "excerpt": f"{begun}\n{carets[cut:]}"}


def _notes(draft: Draft, number: int) -> list[str]:
    """Return the comments above a rule and within it."""
    one = draft.written[number]
    above = draft.written[number - 1].stop if number else 0
    lines = draft.text[above : one.start].splitlines()
    block: list[str] = []
    for line in lines[1:] if number else lines:
        text = line.strip()
        if text.startswith("#"):
            block.append(text.lstrip("#").strip())
        else:
            block = []  # an empty line: what stood above it is about something else
    return [text for text in block if text]


def _relative(draft: Draft, one: DraftRule, place: int) -> int:
    return to_browser(draft.text[one.start : one.stop], place - one.start)


def _span(draft: Draft, one: DraftRule, token: Token) -> dict[str, int]:
    return {
        "start": _relative(draft, one, token.start),
        "stop": _relative(draft, one, token.start + len(token.text)),
    }


def _parts(draft: Draft, one: DraftRule) -> Iterator[dict[str, Any]]:
    """Go through what a rule asks: its comparisons, and the words and brackets between them."""
    starts = {asked.first: (place, asked) for place, asked in enumerate(one.asked)}
    place = 1
    while place < one.outcome_at - 1:
        if place in starts:
            number, asked = starts[place]
            if isinstance(asked.column, str):
                yield _comparison(draft, one, number, asked)
            else:
                yield {"kind": "word", "text": condition_text(asked.column, asked.condition)[0]}
            place = asked.stop
        else:
            token = one.tokens[place]
            yield {"kind": "word", "text": token.value if token.kind == "keyword" else token.text}
            place += 1


def _comparison(draft: Draft, one: DraftRule, number: int, asked: Asked) -> dict[str, Any]:
    tokens = one.tokens[asked.first : asked.stop]
    found: dict[str, Any] = {
        "kind": "asked",
        "number": number,
        "column": asked.column,
        "alone": len(one.asked) == 1 and cut_of(one, number)[2] == "TRUE",
        "words": " ".join(token.value if token.kind in ("keyword", "operator") else token.text for token in tokens[1:]),
        "operator": None,
        "values": [],
    }
    operator = tokens[1]
    if operator.kind == "operator":
        found["operator"] = {"text": operator.value, **_span(draft, one, operator)}
    found["values"] = [
        {"text": token.text, "number": token.kind == "number", **_span(draft, one, token)}
        for token in tokens[2:]
        if token.kind in ("number", "word", "quoted")
    ]
    return found


def _outcome(draft: Draft, one: DraftRule) -> dict[str, Any]:
    """Return what a rule wants, as a card changes it."""
    if one.outcome_at < 0:
        return {"kind": "none"}
    tokens = [token for token in one.tokens[one.outcome_at :] if token.kind != "end"]
    if not tokens:
        return {"kind": "none"}
    if tokens[0].value == "{" and tokens[0].kind == "mark":
        shares = [
            {"label": label.value, "share": {"text": share.text, **_span(draft, one, share)}}
            for label, colon, share in zip(tokens, tokens[1:], tokens[2:], strict=False)
            if colon.value == ":" and share.kind == "number"
        ]
        return {"kind": "shares", "shares": shares}
    confidence = tokens[3] if len(tokens) > 3 and tokens[3].kind == "number" else None
    return {
        "kind": "label",
        "label": tokens[0].value,
        "confidence": None if confidence is None else {"text": confidence.text, **_span(draft, one, confidence)},
    }


def facts_of(draft: Draft, beat: RulePulse, meets: Sequence[Clash], meeting: int) -> dict[str, Any]:
    """Return what the rules around it make of a rule: the meetings that are told, of how many there are."""
    return {
        "number": beat.number,
        "first": beat.first,
        "rows": beat.inside.rows,
        "near": beat.near.rows,
        "meeting": meeting,
        "meets": [
            {
                "name": draft.written[clash.first + clash.second - beat.number].name,
                "rows": clash.rows,
                "conflict": clash.witness is not None,
            }
            for clash in meets
        ],
    }


def witness_words(witness: dict[str, Any] | None) -> list[tuple[str, str]]:
    """Return a witness as names and values in words."""
    if not witness:
        return []
    return [
        (name, "missing" if value is None else value_text(as_value(value)).strip("'"))
        for name, value in witness.items()
    ]


def column_view(desk: Desk, draft: Draft, one: DraftRule, pieces: Sequence[Rule], name: str) -> dict[str, Any]:
    """Return a column of a rule as its card shows it: the rows that meet all else, and what can be moved."""
    summary = desk.summaries[name]
    counts = desk.pulses.histogram(pieces, name)
    condition = reduce(or_, (piece.clause[name] for piece in pieces))
    rows = desk.pulses.but_for(pieces, name) & ~desk.pulses.known(draft, one).bits
    found: dict[str, Any] = {
        "name": name,
        "kind": str(summary.column.kind),
        "without": count(rows),
        "missing": int(counts[-1].sum()),
        "missing_inside": None in condition,
        "gaps": summary.missing > 0
        or any(a.column == name and a.condition == Condition.is_missing() for a in one.asked),
        "levels": [],
        "plot": None,
    }
    if summary.column.kind.has_levels:
        found["levels"] = level_bars(summary, counts, condition)
        found["rest"] = summary.rest
    else:
        asked = [a for a in one.asked if a.column == name]
        found["plot"] = {
            **histogram_of(summary, counts),
            "inside": _inside(summary, condition),
            "handles": list(_handles(draft, one, asked, summary)),
        }
    return found


def histogram_of(summary: Summary, counts: NDArray[np.intp]) -> dict[str, Any]:
    """Return counts by bin and label as outlines to be filled, one for each label, on top of each other."""
    stacked = counts[:-1]
    most = max(1, int(stacked.sum(axis=1).max(initial=0)))
    floor = np.zeros(len(stacked))
    outlines = []
    for code in range(summary.labels):
        top = floor + stacked[:, code]
        outlines.append(_outline(floor / most, top / most))
        floor = top
    bins = summary.bins
    return {
        "width": WIDTH * bins.count,
        "height": HEIGHT,
        "outlines": outlines,
        "most": most,
        "low": summary.text(bins.low),
        "high": summary.text(bins.high),
        "ticks": _ticks(summary),
        "beyond": _beyond(summary),
        "scale": _scale(summary),
    }


def _beyond(summary: Summary) -> str:
    """Say that values lie beyond the scale, if some do."""
    bins = summary.bins
    if bins.most >= bins.high:
        return f"values go up to {summary.short(bins.most)}"
    return f"values go down to {summary.short(bins.least)}" if bins.least < bins.low else ""


def _outline(low: NDArray[np.float64], high: NDArray[np.float64]) -> str:
    parts = []
    for place in np.flatnonzero(high > low).tolist():
        left, right = WIDTH * place + 0.6, WIDTH * (place + 1) - 0.6
        top, bottom = HEIGHT * (1 - high[place]), HEIGHT * (1 - low[place])
        parts.append(f"M{_short(left)} {_short(bottom)}V{_short(top)}H{_short(right)}V{_short(bottom)}Z")
    return "".join(parts)


def _ticks(summary: Summary) -> list[dict[str, Any]]:
    """Return a few round places on a scale."""
    bins = summary.bins
    if summary.column.kind is Kind.DATETIME:
        places = [bins.low + part * (bins.high - bins.low) for part in (0.02, 0.5, 0.98)]
        snapped = [math.floor(place / bins.snap) * bins.snap for place in places]
        return [{"x": _short(100 * bins.place(at)), "text": summary.text(at).strip("'")[:10]} for at in snapped]
    rough = (bins.high - bins.low) / 4
    unit = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 1.0
    step = next((factor * unit for factor in (1, 2, 2.5, 5, 10) if factor * unit >= rough), unit)
    first = math.ceil(bins.low / step)
    return [
        {"x": _short(100 * bins.place(at * step)), "text": _tick(at * step)}
        for at in range(first, math.floor(bins.high / step) + 1)
    ][:8]


def _tick(number: float) -> str:
    for size, letter in ((1e6, "M"), (1e3, "K")):
        if abs(number) >= 10 * size or (abs(number) >= size and number % (size / 2) == 0):
            return f"{number / size:g}{letter}"
    return f"{number:g}"


def _scale(summary: Summary) -> dict[str, Any]:
    """Return a scale as the page's script reads it; of dates in milliseconds."""
    bins = summary.bins
    factor = summary.column.step / MILLISECOND if summary.column.kind is Kind.DATETIME else 1.0
    return {
        "kind": "date" if summary.column.kind is Kind.DATETIME else "number",
        "low": bins.low * factor,
        "high": bins.high * factor,
        "snap": bins.snap * factor,
    }


def _inside(summary: Summary, condition: Condition) -> list[dict[str, str]]:
    """Return the parts of a scale that lie inside a condition, from 0 to 100."""
    bins = summary.bins
    line = condition.times if summary.column.kind is Kind.DATETIME else condition.numbers
    step = summary.column.step if summary.column.kind is Kind.DATETIME else 1
    found = []
    whole = summary.column.kind is Kind.INTEGER
    for (low, low_side), (high, high_side) in line:
        # Whole numbers have a bin from each to the next: all up to and with 29 ends where 30 begins.
        start = bins.place(_on_scale(low, step) + (1 if whole and low_side and math.isfinite(low) else 0))
        stop = bins.place(_on_scale(high, step) + (1 if whole and high_side and math.isfinite(high) else 0))
        if stop > start:
            found.append({"x": _short(100 * start), "w": _short(100 * (stop - start))})
        elif start == stop and low == high:
            found.append({"x": _short(max(0.0, 100 * start - 0.4)), "w": "0.8"})
    return found


def _on_scale(value: float, step: int) -> float:
    return value / step if math.isfinite(value) else value


def _handles(draft: Draft, one: DraftRule, asked: Sequence[Asked], summary: Summary) -> Iterator[dict[str, Any]]:
    """Return the thresholds of a column that can be moved, and where they stand in the text."""
    for condition in asked:
        tokens = one.tokens[condition.first : condition.stop]
        if tokens[1].kind == "operator" and tokens[1].value in ORDERS and len(tokens) == 3:
            handles = [(tokens[2], tokens[1].value)]
        elif tokens[1].value == "BETWEEN" and len(tokens) == 5:
            handles = [(tokens[2], "at least"), (tokens[4], "at most")]
        else:
            handles = []
        for token, word in handles:
            handle = _handle(draft, one, token, word, summary)
            if handle is not None:
                yield handle


WORDS = {"<": "below", "<=": "at most", ">": "above", ">=": "at least", "=": "is", "!=": "is not"}


def _handle(draft: Draft, one: DraftRule, token: Token, word: str, summary: Summary) -> dict[str, Any] | None:
    value = _value_of(token, summary)
    if value is None:
        return None
    middle = 0.5 if summary.column.kind is Kind.INTEGER and word in ("=", "!=") else 0.0
    return {
        "x": _short(100 * summary.bins.place(value + middle)),
        "value": value * (_scale_factor(summary)),
        "text": token.text,
        "shown": token.text.strip("'\""),
        "word": WORDS.get(word, word),
        **_span(draft, one, token),
    }


def _scale_factor(summary: Summary) -> float:
    return summary.column.step / MILLISECOND if summary.column.kind is Kind.DATETIME else 1.0


def _value_of(token: Token, summary: Summary) -> float | None:
    """Return where on the scale a literal stands."""
    condition = _point(token)
    if summary.column.kind is Kind.DATETIME:
        return condition.nanoseconds / summary.column.step if isinstance(condition, Instant) else None
    return float(condition) if isinstance(condition, int | float) else None


def _point(token: Token) -> Any:
    """Return what a literal stands for, as the parser reads it."""
    if token.kind != "number":
        return as_value(token.value)
    text = token.text.replace("_", "").replace("\N{MINUS SIGN}", "-")
    scale = {"k": 1_000, "m": 1_000_000}.get(text[-1].lower(), 1)
    return float(text if scale == 1 else text[:-1]) * scale


def level_bars(summary: Summary, counts: NDArray[np.intp], condition: Condition | None = None) -> list[dict[str, Any]]:
    """Return the levels of a column as bars by label, and whether each lies inside a condition."""
    totals = counts[: len(summary.bins.levels)].sum(axis=1)
    most = max(1, int(totals.max(initial=0)))
    levels = summary.column.levels
    within = [True] * len(levels) if condition is None else condition.levels_inside(summary.column)
    inside = dict(zip(levels, within, strict=True))
    found = []
    for place, level in enumerate(summary.bins.levels[:MOST_LEVELS]):
        parts, start = [], 0.0
        for code in range(summary.labels):
            width = 100 * int(counts[place, code]) / most
            parts.append({"code": code, "x": _short(start), "w": _short(width)})
            start += width
        text = str(level).lower() if summary.column.kind is Kind.BOOLEAN else str(level)
        found.append({"text": text, "rows": int(totals[place]), "inside": inside[level], "parts": parts})
    return found
