"""Texts made visible: nothing is left that a terminal obeys or hides, and what people write stays."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from frote.visible import visible, visible_json

# Controls, halves of characters, marks of order and what is not shown; letters with joiners are looked at one by one.
HIDDEN = {*"\x1b\x07\x00\r\x7f\x9b\x85\u2028\u2029\u202a\u202e\u2066\u2069\u200e\u200f\u061c\u200b\u2060\ufeff\xad"}
HIDDEN |= {*"\u115f\u3164\uffa0\u034f\u180e\U000e0041\U000e01f0\ud800\udfff"}
ORDINARY = [
    *("Zürich", "Łódź", "naïve", "e\u0301", "שלום", "東京", "a\xa0b", "two\nlines\tthree", "葛\U000e0100"),
    *("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u062e\u0627\u0646\u0647\u200c\u0627\u06cc"),  # Persian
    *("क्\u200dष", "ක්\u200dර", "👩\u200d🔬", "👨\u200d👩\u200d👧", "❤\ufe0f", "1\ufe0f\u20e3", "🏳\ufe0f\u200d🌈", "🇨🇭"),
]
anything = st.text(
    st.characters() | st.sampled_from(sorted(HIDDEN)) | st.sampled_from("\u200c\u200d\ufe0f\U000e0100a م\n")
)


@pytest.mark.parametrize("text", ORDINARY)
def test_what_people_write_stays(text):
    assert visible(text) == text


@pytest.mark.parametrize("character", sorted(HIDDEN), ids=lambda character: f"U+{ord(character):04X}")
def test_what_a_terminal_obeys_or_hides_is_shown(character):
    shown = visible(f"a{character}b")
    assert shown == f"a{character.encode('unicode_escape').decode()}b"


@pytest.mark.parametrize("text", ["pay\u200cpal", "pay\u200d", "\u200cx", "م\u200c ", "a\ufe0f"])
def test_a_joiner_that_joins_nothing_is_shown(text):
    assert "\\u" in visible(text)


def test_no_control_nor_mark_of_order_is_forgotten():
    for character in map(chr, range(0x110000)):
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") and character not in "\n\t":
            assert visible(character) != character
        if unicodedata.bidirectional(character) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"):
            assert visible(character) != character


@given(anything)
@example("a\ufe0f\U000e0100")
@example("\u180e\u200dم")
def test_a_visible_text_stays_as_it_is(text):
    for lines in (True, False):
        shown = visible(text, lines=lines)
        assert visible(shown, lines=lines) == shown
        shown.encode()
    assert len(visible(text, lines=False).splitlines()) <= 1


@given(st.dictionaries(anything, anything))
@example({"\ufe0f\U000e0100": ""})
def test_json_says_the_same(plain):
    shown = visible_json(json.dumps(plain, ensure_ascii=False))
    assert json.loads(shown) == plain
    assert visible(shown) == shown
    shown.encode()
