"""Lines that would be rules but for what stands around them are all told of, and take nothing from the language."""

from __future__ import annotations

import pytest

from frote import RuleSyntaxError, parse_rules

RULES = ["IF age < 29 THEN yes", "IF (age > 65) THEN no", "if `a b` = 'x' then no"]
FORMS = ["- {}", "* {}", "•\t{}", "– {}", "> {}", "1. {}", "(2) {}", "c) {}", '"{}"', "name\t{}"]  # noqa: RUF001


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("good", [[], ["ok: IF age = 40 THEN no"]])
def test_every_such_line_is_told_of(form, good):
    lines = [form.format(rule) for rule in RULES]
    for text in ("\n".join([*good, *lines]), "\r\n".join([*lines, *good])):
        with pytest.raises(RuleSyntaxError, match=r"^3 errors in the rules:\n") as caught:
            parse_rules(text)
        assert all(f"  {line}\n" in str(caught.value) for line in lines)


def test_such_lines_within_a_text_are_text():
    noted = "one: IF note = 'first\n- IF age < 29 THEN yes\n1. IF a THEN b' THEN no"
    rules = parse_rules(f"{noted}\ntwo: IF note =\n'IF x THEN y'\nTHEN no")
    assert rules.names == ("one", "two")
    with pytest.raises(RuleSyntaxError) as caught:
        parse_rules("one: IF note = 'first\n- IF age < 29 THEN yes' THEN no\nIF age THEN x")
    assert str(caught.value).startswith("line 3, column 8: expected a comparison")
