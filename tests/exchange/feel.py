"""DMN decision tables evaluated as the standard says, by nothing of ours: ElementTree, FEEL's three-valued logic.

Only what tables of our making and of the examples need: literals, comparisons, intervals, lists, not(...), and sums of
inputs with factors and durations of days.
"""

import datetime as dt
import re
import xml.etree.ElementTree as ET
from fractions import Fraction

TOKEN = re.compile(
    r'\s*(?:(?P<date>date and time|date|duration)\("(?P<when>[^"]*)"\)|(?P<text>"(?:[^"\\]|\\.)*")'
    r"|(?P<number>-?[0-9]+(?:\.[0-9]+)?)|(?P<word>null|true|false|not)\b|(?P<mark><=|>=|\.\.|[<>\[\](),*+-]))"
)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def tokens(text, row):
    """Cut a cell into tokens; the longest name of an input that stands somewhere is meant."""
    names = sorted(row, key=len, reverse=True)
    found, place = [], 0
    while text[place:].strip():
        place += len(text[place:]) - len(text[place:].lstrip())
        name = next((name for name in names if re.match(rf"{re.escape(name)}(?!\w)", text[place:])), None)
        if name is not None:
            found.append(("value", row[name]))
            place += len(name)
            continue
        match = TOKEN.match(text, place)
        assert match, text[place:]
        place = match.end()
        if match["when"] is not None:
            days = re.fullmatch(r"P([0-9]+)D", match["when"])
            found.append(("value", dt.timedelta(int(days[1])) if days else dt.datetime.fromisoformat(match["when"])))
        elif match["text"] is not None:
            inner = re.sub(r"\\(.)", lambda one: ESCAPES.get(one[1], one[1]), match["text"][1:-1])
            found.append(("value", inner))
        elif match["number"] is not None:
            found.append(("value", float(match["number"])))
        elif match["word"] in ("null", "true", "false"):
            found.append(("value", {"null": None, "true": True, "false": False}[match["word"]]))
        else:
            found.append(("mark", match["word"] or match["mark"]))
    return found


def worked_out(found):
    """Evaluate what stands at the front of the tokens: values with factors that are added up; null if one is null."""
    total, sign = None, 1
    if found[0] == ("mark", "-"):
        sign = -1
        found.pop(0)
    while True:
        product = exact(found.pop(0)[1])
        if found[:1] == [("mark", "*")]:
            found.pop(0)
            other = exact(found.pop(0)[1])
            product = None if product is None or other is None else product * other
        term = None if product is None else product if sign > 0 else -product
        if total is None:
            total = ("sum", term)
        else:
            total = ("sum", None if total[1] is None or term is None else total[1] + term)
        if found[:1] not in ([("mark", "+")], [("mark", "-")]):
            return total[1]
        sign = 1 if found.pop(0)[1] == "+" else -1


def exact(value):
    """Return a number as it is written; FEEL's are decimals."""
    return Fraction(repr(value)) if isinstance(value, float) else value


def compared(sign, left, right):
    """Compare by order: None where either is null or they are of unlike types."""
    left, right = exact(left), exact(right)
    if left is None or right is None or type(left) is not type(right):
        return None
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[sign]


def both(one, other):
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def any_of(results):
    if any(result is True for result in results):
        return True
    return None if any(result is None for result in results) else False


def test_of(found, value):
    """Evaluate one test at the front of the tokens, and take them away."""
    kind, what = found.pop(0)
    if kind == "value":
        return value == what and (value is None) == (what is None) and type(value) is type(what)
    if what in ("<", "<=", ">", ">="):
        return compared(what, value, worked_out(found))
    assert what in ("[", "(", "]"), what
    low = found.pop(0)[1]
    assert found.pop(0)[1] == ".."
    high = found.pop(0)[1]
    end = found.pop(0)[1]
    return both(compared(">=" if what == "[" else ">", value, low), compared("<=" if end == "]" else "<", value, high))


def meets(cell, value, row=()):
    """Tell whether a value meets a cell of unary tests, which may name the other inputs of its row."""
    found = tokens(cell, row)
    if found == [("mark", "-")] or not found:
        return True
    negated = found[0] == ("mark", "not")
    if negated:
        assert found.pop(1) == ("mark", "(")
        assert found.pop() == ("mark", ")")
        found.pop(0)
    results = [test_of(found, value)]
    while found:
        assert found.pop(0) == ("mark", ",")
        results.append(test_of(found, value))
    result = any_of(results)
    return (not result if result is not None else None) is True if negated else result is True


def hits(model, rows):
    """Tell for each rule of the model's table and each row, a mapping of names to values, whether it applies."""
    space = model.split(b'xmlns="')[1].split(b'"')[0].decode()
    table = ET.fromstring(model).find(f".//{{{space}}}decisionTable")

    def texts(element, name):
        return [found.text or "" for found in element.findall(f"{{{space}}}{name}/{{{space}}}text")]

    columns = [
        clause.find(f"{{{space}}}inputExpression/{{{space}}}text").text for clause in table.findall(f"{{{space}}}input")
    ]
    return [
        [
            all(meets(cell, row[name], row) for cell, name in zip(texts(rule, "inputEntry"), columns, strict=True))
            for row in rows
        ]
        for rule in table.findall(f"{{{space}}}rule")
    ]
