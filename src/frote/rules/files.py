"""Rules on disk: rule text, or JSON with a version number."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frote.exceptions import FroteError, RuleError, RuleSyntaxError
from frote.opened import read_small
from frote.rules.clause import Clause
from frote.rules.condition import Condition
from frote.rules.intervals import END, START, Intervals
from frote.rules.outcome import Outcome
from frote.rules.parser import parse_rules
from frote.rules.rule import Rule
from frote.rules.ruleset import RuleSet
from frote.rules.values import LARGEST, Number, as_value, canonical
from frote.whole import write_whole

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["from_json", "read_rules", "read_text", "require_rules", "save_rules", "to_json"]

VERSION = 1
DOCUMENTS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"{\\rtf", b"%PDF-")  # of word processors, by their first bytes

# The instants that can be written: those of the years 1 to 9999.
_FIRST = -62_135_596_800 * 10**9
_LAST = 253_402_300_800 * 10**9 - 1
_WORDS: dict[Any, str] = {
    str: "a text",
    list: "a list",
    dict: "an object",
    bool: "true or false",
    int: "a whole number",
    int | float: "a number",
}


def read_rules(path: str | PathLike[str]) -> RuleSet:
    """Read rules from a file: JSON if its name ends in .json, else rule text.

    Parameters
    ----------
    path : str or path
        The file, in UTF-8.

    Returns
    -------
    RuleSet

    Examples
    --------
    >>> import frote, tempfile, pathlib
    >>> rules = frote.parse_rules("young: IF age < 29 THEN approved")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("policy.rules", "policy.json"):
    ...         rules.save(pathlib.Path(folder, name))
    ...         print(frote.read_rules(pathlib.Path(folder, name)) == rules)
    True
    True
    """
    path = Path(path)
    text = read_text(path)
    if path.suffix.lower() == ".json":
        return from_json(text, file_name=str(path))
    return parse_rules(text, place=str(path))


def read_text(path: Path) -> str:
    """Read the text of a file of rules.

    Raises
    ------
    RuleSyntaxError
        If it is none.
    """
    try:
        # Read as bytes, so that line ends within quoted values stay as they are.
        data = read_small(path)
        text = "" if data.startswith(DOCUMENTS) else data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RuleSyntaxError(f"{path}: is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from None
    except (OSError, ValueError) as error:
        raise RuleSyntaxError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error}).") from None
    if data.startswith(DOCUMENTS):
        raise RuleSyntaxError(f"{path}: is a document of a word processor or an archive. Save it as plain text.")
    return text


def require_rules(rules: RuleSet, path: str | PathLike[str]) -> RuleSet:
    """Return the rules of a file, of which whoever named it wants one at least."""
    if not rules:
        raise RuleError(f"{path} has no rule. Write one on a line of its own, such as: IF age < 29 THEN approved")
    return rules


def save_rules(rules: RuleSet, path: str | PathLike[str]) -> None:
    """Write rules to a file; see `RuleSet.save`."""
    path = Path(path)
    text = to_json(rules) if path.suffix.lower() == ".json" else f"{rules}\n"
    try:
        # Written as bytes, so that line ends within quoted values stay as they are.
        data = text.encode()
    except UnicodeEncodeError as error:
        raise RuleError(f"The rules hold half a character ({text[error.start]!r}), which no file can.") from None
    write_whole(path, data)


def to_json(rules: RuleSet) -> str:
    """Return rules as JSON text with a version number.

    Examples
    --------
    >>> import frote
    >>> rules = frote.parse_rules("young: IF age < 29 THEN approved")
    >>> from_json(to_json(rules)) == rules
    True
    """
    document = {"format": "frote rules", "version": VERSION, "rules": [_rule_out(rule) for rule in rules]}
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def from_json(text: str, *, file_name: str = "JSON") -> RuleSet:
    """Return the rules of a JSON text that `to_json` wrote."""
    try:
        document = json.loads(text)
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise RuleSyntaxError(f"{file_name}: holds half a character (an unpaired surrogate). Mend it.") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is a ValueError
        where = f" at line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise RuleSyntaxError(f"{file_name}: is no JSON{where}.") from None
    if not isinstance(document, dict) or document.get("format") != "frote rules":
        raise RuleSyntaxError(f'{file_name}: holds no rules; expected an object with "format": "frote rules".')
    if document.get("version") != VERSION:
        version = _shown(document.get("version"))
        raise RuleSyntaxError(f"{file_name}: is of version {version}; this release reads version {VERSION}.")
    rules = []
    where = ""
    try:
        for number, entry in enumerate(_field(document, "rules", list), 1):
            where = f"rule {number}: "
            rules.append(_rule_in(_typed(entry, dict)))
        where = ""
        return RuleSet(rules)
    except FroteError as error:
        raise RuleSyntaxError(f"{file_name}: {where}{error}") from None


def _rule_out(rule: Rule) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": rule.name}
    if rule.origin != rule.name:
        entry["origin"] = rule.origin
    if rule.sources:
        entry["sources"] = list(rule.sources)
    entry["if"] = [{"column": name, **_condition_out(condition)} for name, condition in rule.clause]
    entry["then"] = {"probabilities": dict(rule.outcome.probabilities), "rest": rule.outcome.rest}
    entry["text"] = str(rule)  # for people who read the file; not read back
    return entry


def _rule_in(entry: dict[str, Any]) -> Rule:
    conditions: dict[str, Condition] = {}
    for part in _field(entry, "if", list):
        column = _field(_typed(part, dict), "column", str)
        if column in conditions:
            raise RuleSyntaxError(f"the column {column!r} stands twice in the clause.")
        conditions[column] = _condition_in(part)
    then = _field(entry, "then", dict)
    shares = {label: float(_number(share, 0, 1)) for label, share in _field(then, "probabilities", dict).items()}
    if _number(_field(then, "rest", int | float), 0, 1):
        if len(shares) != 1:
            raise RuleSyntaxError("a confidence goes with one label.")
        ((label, confidence),) = shares.items()
        outcome = Outcome.of(label, confidence=confidence)
    else:
        outcome = Outcome.of(shares)
    origin = _typed(entry.get("origin", ""), str)
    sources = tuple(_typed(name, str) for name in _typed(entry.get("sources", []), list))
    return Rule(_field(entry, "name", str), Clause.of(conditions), outcome, origin, sources)


def _condition_out(condition: Condition) -> dict[str, Any]:
    return {
        "numbers": _line_out(condition.numbers),
        "times": _line_out(condition.times),
        "texts": sorted(condition.texts),
        "all_but": condition.all_but,
        "missing": condition.missing,
    }


def _condition_in(part: dict[str, Any]) -> Condition:
    texts = [_typed(text, str) for text in _field(part, "texts", list)]
    strange = next((text for text in texts if as_value(text) != text), None)
    if strange is not None:
        raise RuleSyntaxError(f"{strange!r} stands among the texts and is no mere text.")
    return Condition(
        _line_in(_field(part, "numbers", list), -LARGEST, LARGEST, int | float),
        _line_in(_field(part, "times", list), _FIRST, _LAST, int),
        frozenset(texts),
        _field(part, "all_but", bool),
        _field(part, "missing", bool),
    )


def _line_out(line: Intervals) -> list[list[Any]]:
    """Return a line's intervals as [low, low included, high, high included], null for an open end."""
    return [
        [None if low == -math.inf else low, not after, None if high == math.inf else high, bool(end)]
        for (low, after), (high, end) in line
    ]


def _line_in(intervals: list[Any], least: int, most: int, kind: Any) -> Intervals:
    pairs = []
    for interval in intervals:
        if len(_typed(interval, list)) != 4:
            raise RuleSyntaxError(f"expected [low, low included, high, high included], found {len(interval)} entries.")
        low, low_closed, high, high_closed = interval
        bounds: list[Number | None] = [
            None if bound is None else _number(_typed(bound, kind), least, most) for bound in (low, high)
        ]
        enter = START if bounds[0] is None else (bounds[0], 0 if _typed(low_closed, bool) else 1)
        leave = END if bounds[1] is None else (bounds[1], 1 if _typed(high_closed, bool) else 0)
        pairs.append((enter, leave))
    return Intervals.union(pairs)


def _field(entry: dict[str, Any], key: str, kind: Any) -> Any:
    """Return what an entry holds under a key, which must be there and of that type."""
    if key not in entry:
        raise RuleSyntaxError(f"{key!r} is not there.")
    return _typed(entry[key], kind)


def _typed(value: Any, kind: Any) -> Any:
    # True and False are numbers to Python, but not to us.
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise RuleSyntaxError(f"expected {_WORDS[kind]}, found {_shown(value)}.")
    return value


def _number(value: Any, least: int, most: int) -> Number:
    number: Number = _typed(value, int | float)
    if not least <= number <= most:
        raise RuleSyntaxError(f"{_shown(value)} is out of range.")
    return canonical(number)


def _shown(value: Any) -> str:
    if isinstance(value, list | dict):
        return _WORDS[type(value)]
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}..."
