"""Rules on disk: rule text, or JSON with a version number."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frote.exceptions import FroteError, RuleError, RuleSyntaxError
from frote.exchange.forms import form_of
from frote.opened import read_small
from frote.rules.clause import Clause
from frote.rules.condition import Condition
from frote.rules.intervals import END, START, Intervals
from frote.rules.level_tests import MOST_TESTS, Undecided, compared, like
from frote.rules.linear import LARGEST_FACTOR, MOST_COLUMNS, Linear
from frote.rules.outcome import Outcome
from frote.rules.parser import parse_rules
from frote.rules.patterns import LIKE
from frote.rules.rule import Rule
from frote.rules.ruleset import RuleSet
from frote.rules.values import LARGEST, Number, as_value, canonical
from frote.table import Kind
from frote.whole import write_whole

if TYPE_CHECKING:
    from os import PathLike

    from frote.rules.linear import Key

__all__ = ["commented", "from_json", "read_rules", "read_text", "require_rules", "save_rules", "to_json"]

VERSION = 1  # of rules that ask nothing of levels; those of the next do, and older releases cannot read them
NEWEST = 2
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
    """Read rules from a file: what it holds is told by how its name ends.

    Parameters
    ----------
    path : str or path
        The file: JSON (.json), a decision table (.xlsx, .csv), DMN (.dmn) or another form that others keep policies
        in; rule text in UTF-8 otherwise.

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
    form = form_of(path)
    if form is not None:
        return form.read_file(path)
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
    form = form_of(path)
    if form is not None:
        write_whole(path, form.write(rules, str(path)))
        return
    text = to_json(rules) if path.suffix.lower() == ".json" else f"{commented(rules)}\n"
    try:
        # Written as bytes, so that line ends within quoted values stay as they are.
        data = text.encode()
    except UnicodeEncodeError as error:
        raise RuleError(f"The rules hold half a character ({text[error.start]!r}), which no file can.") from None
    write_whole(path, data)


def commented(rules: RuleSet) -> str:
    """Return rules as text, with what is said beside them in comments above them.

    Examples
    --------
    >>> import frote
    >>> from dataclasses import replace
    >>> (rule,) = frote.parse_rules("young: IF age < 29 THEN approved")
    >>> print(commented(RuleSet([replace(rule, remarks=(("owner", "Risk"),))])))
    # owner: Risk
    young: IF age < 29 THEN approved
    """
    lines: list[str] = []
    told: set[str] = set()
    for rule in rules:
        if rule.origin not in told:
            told.add(rule.origin)
            lines += [" ".join(f"# {title}: {text}".split()) for title, text in rule.remarks]
        lines.append(str(rule))
    return "\n".join(lines)


def to_json(rules: RuleSet) -> str:
    """Return rules as JSON text with a version number.

    Examples
    --------
    >>> import frote
    >>> rules = frote.parse_rules("young: IF age < 29 THEN approved")
    >>> from_json(to_json(rules)) == rules
    True
    """
    plain = all(condition.is_decided for rule in rules for _, condition in rule.clause)
    version = VERSION if plain else NEWEST
    document = {"format": "frote rules", "version": version, "rules": [_rule_out(rule) for rule in rules]}
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
    version = document.get("version")
    if version not in (VERSION, NEWEST) or isinstance(version, bool | float):
        raise RuleSyntaxError(
            f"{file_name}: is of version {_shown(version)}; this release reads versions {VERSION} and {NEWEST}."
        )
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
    entry["if"] = [
        {"column": key, **_condition_out(condition)} if isinstance(key, str) else _sum_out(key, condition)
        for key, condition in rule.clause
    ]
    entry["then"] = {"probabilities": dict(rule.outcome.probabilities), "rest": rule.outcome.rest}
    if rule.remarks:
        entry["remarks"] = [list(remark) for remark in rule.remarks]
    entry["text"] = str(rule)  # for people who read the file; not read back
    return entry


def _rule_in(entry: dict[str, Any]) -> Rule:
    conditions: dict[Key, Condition] = {}
    for part in _field(entry, "if", list):
        if "sum" in _typed(part, dict):
            key, condition = _sum_in(part)
            if key in conditions:
                raise RuleSyntaxError(f"the sum {str(key)!r} stands twice in the clause.")
            conditions[key] = condition
            continue
        column = _field(part, "column", str)
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
    remarks = tuple(_remark_in(remark) for remark in _typed(entry.get("remarks", []), list))
    return Rule(_field(entry, "name", str), Clause.of(conditions), outcome, origin, sources, remarks=remarks)


def _remark_in(remark: Any) -> tuple[str, str]:
    if len(_typed(remark, list)) != 2:
        raise RuleSyntaxError(f"expected a remark as [title, text], found {len(remark)} entries.")
    return _typed(remark[0], str), _typed(remark[1], str)


def _sum_out(key: Linear, condition: Condition) -> dict[str, Any]:
    return {
        "sum": [{"column": name, "factor": factor} for name, factor in key.terms],
        "scale": key.scale,
        "durations": key.timed,
        "numbers": _line_out(condition.numbers),
        "missing": condition.missing,
    }


def _sum_in(part: dict[str, Any]) -> tuple[Linear, Condition]:
    entries = [_typed(entry, dict) for entry in _field(part, "sum", list)]
    terms = tuple((_field(entry, "column", str), _field(entry, "factor", int)) for entry in entries)
    names = [name for name, _ in terms]
    if not 2 <= len(terms) <= MOST_COLUMNS or names != sorted(set(names)) or terms[0][1] < 0:
        raise RuleSyntaxError(
            f"a sum is of 2 to {MOST_COLUMNS} columns in order, each of them once, the first with a factor above 0."
        )
    scale = _field(part, "scale", int)
    if not all(1 <= abs(factor) <= LARGEST_FACTOR for _, factor in terms) or not 1 <= scale <= LARGEST_FACTOR:
        raise RuleSyntaxError("a factor is out of range.")
    if scale > 1 and not any(abs(factor) == scale for _, factor in terms):
        raise RuleSyntaxError("the scale of a sum is the factor of one of its columns, or 1.")
    line = _line_in(_field(part, "numbers", list), -LARGEST, LARGEST, int | float)
    condition = Condition(numbers=line, missing=_field(part, "missing", bool))
    return Linear(terms, scale, _field(part, "durations", bool)), condition.settled(Kind.CONTINUOUS)


def _condition_out(condition: Condition) -> dict[str, Any]:
    if isinstance(condition, Undecided):
        inside, outside = map(_condition_out, (condition.inside, condition.outside))
        return {"test": [condition.test.sign, condition.test.text], "inside": inside, "outside": outside}
    return {
        "numbers": _line_out(condition.numbers),
        "times": _line_out(condition.times),
        "texts": sorted(condition.texts),
        "all_but": condition.all_but,
        "missing": condition.missing,
    }


def _condition_in(part: dict[str, Any]) -> Condition:
    if "test" in part:
        return _tested_in(part)
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


def _tested_in(part: dict[str, Any], depth: int = 1) -> Condition:
    """Return a condition that asks for levels, put together anew: what stands in a file need not be in its one form."""
    test = [_typed(word, str) for word in _field(part, "test", list)]
    if len(test) != 2 or test[0] not in (LIKE, "<", "<=", ">", ">=") or depth > MOST_TESTS:
        raise RuleSyntaxError('expected "test": ["LIKE", pattern], or one of <, <=, >, >= and a level.')
    passed = like(test[1]) if test[0] == LIKE else compared(*test)
    branches = [_typed(_field(part, key, dict), dict) for key in ("inside", "outside")]
    inside, outside = (_tested_in(one, depth + 1) if "test" in one else _condition_in(one) for one in branches)
    return (passed & inside) | (~passed & outside)


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
