"""Rules as written: the text is kept, and parsed once."""

from __future__ import annotations

import pytest

import frote
from frote.exceptions import RuleSyntaxError
from frote.rules import files, parser, written
from frote.rules.written import WrittenRules

TEXT = "# policy\nyoung: IF age < 29\n  THEN approved\nold: IF age > 70 AND city = 'a\nb' THEN denied\n"


@pytest.fixture
def parsed(monkeypatch):
    """The texts that were parsed so far."""
    texts = []

    def parse(text, **more):
        texts.append(text)
        return parser.parse_rules(text, **more)

    for module in (files, written):
        monkeypatch.setattr(module, "parse_rules", parse)
    return texts


def test_a_file_is_read_and_parsed_once(tmp_path, parsed):
    (tmp_path / "policy.rules").write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    found = WrittenRules.read(tmp_path / "policy.rules")
    assert found.text == TEXT
    assert found.rules == found.rules == frote.parse_rules(TEXT)
    assert [rule.line for rule in found.rules] == [2, 4]
    assert parsed == [TEXT]


def test_a_text_is_parsed_when_it_is_asked_what_it_says(parsed):
    found = WrittenRules("IF age << 29 THEN approved")
    assert not parsed
    with pytest.raises(RuleSyntaxError, match="line 1, column 9"):
        print(found.rules)


def test_line_ends_are_those_of_the_text(tmp_path):
    (tmp_path / "policy.rules").write_bytes(TEXT.replace("\n", "\r\n").encode())
    found = WrittenRules.read(tmp_path / "policy.rules")
    assert found == WrittenRules(TEXT)
    assert found.rules == WrittenRules(TEXT).rules


def test_rules_of_json_are_written_as_text(tmp_path, parsed):
    rules = frote.parse_rules(TEXT)
    rules.save(tmp_path / "policy.json")
    found = WrittenRules.read(tmp_path / "policy.json")
    assert found.text == str(rules)
    assert found.rules == rules
    assert parsed == [str(rules)]


def test_mistakes_are_told_with_the_name_of_the_file(tmp_path):
    (tmp_path / "policy.rules").write_text("IF age << 29 THEN approved")
    with pytest.raises(RuleSyntaxError, match=r"policy\.rules, line 1, column 9"):
        WrittenRules.read(tmp_path / "policy.rules")
