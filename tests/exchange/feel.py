"""DMN decision tables evaluated as the standard says, by nothing of ours: ElementTree, FEEL's three-valued logic.

Only what tables of our making and of the examples need: literals, comparisons, intervals, lists and not(...).
"""

import datetime as dt
import re
import xml.etree.ElementTree as ET

TOKEN = re.compile(
    r'\s*(?:(?P<date>date and time|date)\("(?P<when>[^"]*)"\)|(?P<text>"(?:[^"\\]|\\.)*")'
    r"|(?P<number>-?[0-9]+(?:\.[0-9]+)?)|(?P<word>null|true|false|not)|(?P<mark><=|>=|\.\.|[<>\[\](),-]))"
)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def tokens(text):
    found, place = [], 0
    while text[place:].strip():
        match = TOKEN.match(text, place)
        assert match, text[place:]
        place = match.end()
        if match["when"] is not None:
            found.append(("value", dt.datetime.fromisoformat(match["when"])))
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


def compared(sign, left, right):
    """Compare by order: None where either is null or they are of unlike types."""
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
        return compared(what, value, found.pop(0)[1])
    assert what in ("[", "(", "]"), what
    low = found.pop(0)[1]
    assert found.pop(0)[1] == ".."
    high = found.pop(0)[1]
    end = found.pop(0)[1]
    return both(compared(">=" if what == "[" else ">", value, low), compared("<=" if end == "]" else "<", value, high))


def meets(cell, value):
    """Tell whether a value meets a cell of unary tests."""
    found = tokens(cell)
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
            all(meets(cell, row[name]) for cell, name in zip(texts(rule, "inputEntry"), columns, strict=True))
            for row in rows
        ]
        for rule in table.findall(f"{{{space}}}rule")
    ]
