"""Rules on disk: what is saved is read back, and no damage gets through as anything but the package's own error."""

import json
import pathlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import examples

from frote import FroteError, RuleError, RuleSet, RuleSyntaxError, parse_rules, read_rules
from frote.rules.files import from_json, to_json

LENIENT = {"suppress_health_check": list(HealthCheck)}
RULES = parse_rules(
    "young/1: IF age < 29 AND NOT (x = 'a\r\nb' OR x IN {1, 2024-03-01}) AND d >= 2024-01-31 THEN approved\n"
    "IF `größe, m` BETWEEN 1.5 AND 1e300 OR y IS MISSING THEN {'yes': 0.9, no: 0.1}\n"
    "IF TRUE THEN approved WITH CONFIDENCE 0.8"
)


@pytest.mark.parametrize("name", ["policy.rules", "policy.json", "policy.JSON", "policy", "policy.txt"])
@pytest.mark.parametrize("rules", [RULES, RuleSet()], ids=["some", "none"])
def test_what_is_saved_is_read_back(tmp_path, name, rules):
    rules.save(tmp_path / name)
    assert read_rules(str(tmp_path / name)) == rules
    assert (tmp_path / name).read_bytes().startswith(b"{") == name.lower().endswith("json")


def test_sources_are_kept_in_json():
    mixed = parse_rules("a: IF x < 2 THEN p\nb: IF x > 1 THEN q").resolve("mix")
    assert [rule.sources for rule in from_json(to_json(mixed))] == [rule.sources for rule in mixed]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_byte_order_marks(tmp_path, end):
    path = tmp_path / "policy.rules"
    path.write_bytes(b"\xef\xbb\xbf" + end.join(["# remark", "IF a = 1 THEN x", "IF a = 2 THEN y", ""]).encode())
    assert [rule.line for rule in read_rules(path)] == [2, 3]


def test_half_a_character_is_not_saved(tmp_path):
    path = tmp_path / "policy.rules"
    RULES.save(path)
    with pytest.raises(RuleError, match="half a character"):
        parse_rules("IF a = '\ud800' THEN x").save(path)
    assert read_rules(path) == RULES


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(RuleSyntaxError, match=r"nowhere.rules: cannot be read \(No such file"):
        read_rules(tmp_path / "nowhere.rules")
    with pytest.raises(RuleSyntaxError, match="cannot be read"):
        read_rules(tmp_path)
    with pytest.raises(RuleSyntaxError, match="cannot be read"):
        read_rules("nul\x00.rules")
    for name, data in [("a.rules", b"IF a = '\xff' THEN b"), ("b.json", "{}".encode("utf-16"))]:
        (tmp_path / name).write_bytes(data)
        with pytest.raises(RuleSyntaxError, match="is not UTF-8 text"):
            read_rules(tmp_path / name)


@pytest.mark.parametrize(
    "start", [b"PK\x03\x04\x14", b"\xd0\xcf\x11\xe0", b"{\\rtf1\\ansi IF a = 1 THEN b}", b"%PDF-1.7"]
)
def test_documents_of_word_processors_are_called_so(tmp_path, start):
    (tmp_path / "policy.rules").write_bytes(start)
    with pytest.raises(RuleSyntaxError, match=r"policy.rules: is a document .* Save it as plain text.$"):
        read_rules(tmp_path / "policy.rules")


def test_errors_name_the_file(tmp_path):
    path = tmp_path / "policy.rules"
    path.write_text("IF a << 1 THEN b\n")
    with pytest.raises(RuleSyntaxError) as caught:
        read_rules(path)
    assert str(caught.value).startswith(f"{path}, line 1, column 7: expected a number or a date")


@settings(max_examples=examples(300), **LENIENT)
@given(st.binary(), st.sampled_from(["junk.rules", "junk.json"]))
def test_junk_raises_only_our_own_error(tmp_path_factory, data, name):
    path = pathlib.Path(tmp_path_factory.getbasetemp(), name)
    path.write_bytes(data)
    only_our_own_error(read_rules, path)


def only_our_own_error(read, argument):
    try:
        rules = read(argument)
    except FroteError:
        return
    assert parse_rules(str(rules)) == rules
    assert from_json(to_json(rules)) == rules


TEXT = to_json(RULES)
ANYTHING = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.sampled_from([10**400, -(10**25), 0.5, 1e308, float("nan"), float("inf"), -float("inf"), "2", "true", ""]),
        st.text(max_size=3),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=3), inner, max_size=2)),
    max_leaves=4,
)


def places(document, path=()):
    """List the ways to all places in a JSON document."""
    yield path
    if isinstance(document, dict | list):
        keys = document if isinstance(document, dict) else range(len(document))
        for key in keys:
            yield from places(document[key], (*path, key))


PLACES = [path for path in places(json.loads(TEXT)) if path and path[-1] != "text"]
WRONG = [None, True, 1, -1, 0.5, 1e999, float("nan"), 10**400, "", "2", "x", [], {}, [[]], [1], ["x"], {"a": 1}]


@pytest.mark.parametrize("path", PLACES, ids=lambda path: ".".join(map(str, path)))
def test_a_wrong_value_at_any_place(path):
    for wrong in WRONG:
        for delete in (False, True):
            document = json.loads(TEXT)
            place = document
            for key in path[:-1]:
                place = place[key]
            if delete:
                del place[path[-1]]
            else:
                place[path[-1]] = wrong
            only_our_own_error(from_json, json.dumps(document))


@settings(max_examples=examples(500), **LENIENT)
@given(st.sampled_from(PLACES), ANYTHING)
def test_anything_at_any_place(path, wrong):
    document = json.loads(TEXT)
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = wrong
    only_our_own_error(from_json, json.dumps(document))


@settings(max_examples=examples(500), **LENIENT)
@given(st.lists(st.tuples(st.integers(0, len(TEXT)), st.text(max_size=2), st.integers(0, 2)), min_size=1, max_size=3))
def test_damaged_json(edits):
    text = TEXT
    for place, inserted, deleted in edits:
        text = text[:place] + inserted + text[place + deleted :]
    only_our_own_error(from_json, text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no JSON at line 1, column 1"),
        ('{"format": "frote rules", "version": 1, "rules": [}', "is no JSON at line 1, column 51"),
        ("[" * 100_000, "is no JSON"),
        ("1" * 10_000, "is no JSON"),
        ("[]", "holds no rules"),
        ('{"format": "other"}', "holds no rules"),
        ('{"format": "frote rules", "version": 3, "rules": []}', "is of version 3; this release reads versions 1"),
        ('{"format": "frote rules", "version": 1}', "'rules' is not there"),
        ('{"format": "frote rules", "version": 1, "rules": 5}', "expected a list, found 5"),
        ('{"format": "frote rules", "version": 1, "rules": [5]}', "rule 1: expected an object, found 5"),
        ('{"format": "frote rules", "version": 1, "rules": [{}]}', "rule 1: 'if' is not there"),
        (
            '{"format": "frote rules", "version": 1, "rules": [{"name": "x", "if": [], '
            '"then": {"probabilities": {"a": 0.4}, "rest": 0}}]}',
            "rule 1: The probabilities sum to 0.4, not to 1",
        ),
        (
            '{"format": "frote rules", "version": 1, "rules": [{"name": "x", "if": [], '
            '"then": {"probabilities": {"a": 0.4}, "rest": -0.5}}]}',
            "rule 1: -0.5 is out of range",
        ),
        (
            '{"format": "frote rules", "version": 1, "rules": "Grün"}',
            'expected a list, found "Grün"',
        ),
    ],
)
def test_json_errors_say_what_is_wrong(text, message):
    with pytest.raises(RuleSyntaxError) as caught:
        from_json(text, file_name="policy.json")
    assert str(caught.value).startswith(f"policy.json: {message}")


@pytest.mark.parametrize(("length", "shown"), [(58, f'"{58 * "x"}"'), (59, f'"{59 * "x"}...')])
def test_a_long_value_is_cut_short(length, shown):
    with pytest.raises(RuleSyntaxError) as caught:
        from_json(json.dumps({"format": "frote rules", "version": 1, "rules": length * "x"}), file_name="policy.json")
    assert str(caught.value) == f"policy.json: expected a list, found {shown}."
