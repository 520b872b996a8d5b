import pytest

from frote.rules.lexer import Fault, line_starts, report, tokenize


def test_tokens_know_kind_meaning_and_place():
    text = "IF `a``b` ≥ -1.5K # remark\n and x-1 <> 'it''s'"
    tokens = tokenize(text, 0, len(text))
    assert [(token.kind, token.value) for token in tokens] == [
        ("keyword", "IF"),
        ("column", "a`b"),
        ("operator", ">="),
        ("number", "-1.5K"),
        ("keyword", "AND"),
        ("word", "x-1"),
        ("operator", "!="),
        ("quoted", "it's"),
        ("end", ""),
    ]
    assert all(text.startswith(token.text, token.start) for token in tokens)
    assert tokens[-1].start == len(text)


@pytest.mark.parametrize("character", list("&|!;[%/^$€“’\\~?@\x00\u200b"))  # noqa: RUF001
def test_strange_characters_are_told_of(character):
    with pytest.raises(Fault) as caught:
        tokenize(f"a {character}", 0, 3)
    assert caught.value.start == 2


def test_lines_and_columns_count_from_one():
    source = "a\r\nb\rc\n\nd"
    assert [source[start : start + 1] for start in line_starts(source)] == ["a", "b", "c", "\n", "d"]
    message = str(report(source, [Fault("second", 8), Fault("first", 5)], "f.rules, "))
    assert message.splitlines() == [
        "2 errors in the rules:",
        "f.rules, line 3, column 1: first",
        "  c",
        "  ^",
        "f.rules, line 5, column 1: second",
        "  d",
        "  ^",
    ]
