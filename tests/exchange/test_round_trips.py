"""What a form can say comes back equal: rules, their names, origins and what is said beside them."""

import pytest
from hypothesis import HealthCheck, given, settings
from tests.examples import examples
from tests.exchange.policies import policies
from tests.rules.test_round_trips import rule_sets

from frote import RuleError, parse_rules, read_rules
from frote.exchange.forms import form_of
from frote.rules.files import from_json, to_json

LENIENT = {"suppress_health_check": list(HealthCheck)}
TABLES = [form_of(f"policy{suffix}") for suffix in (".xlsx", ".csv", ".dmn")]


def test_policies_come_back():
    rules_seen = 0

    @settings(max_examples=examples(2_000), **LENIENT)
    @given(policies())
    def round_trip(rules):
        nonlocal rules_seen
        for form in TABLES:
            place = f"policy{form.suffixes[0]}"
            read = form.read(form.write(rules, place), place)
            assert read == rules
            assert parse_rules(str(read)) == rules
            assert read.origins == rules.origins
            assert [rule.remarks for rule in read] == [rule.remarks for rule in rules]
        assert from_json(to_json(rules)) == rules
        rules_seen += len(rules)

    round_trip()
    assert rules_seen > examples(1_000)


@pytest.mark.parametrize("form", TABLES, ids=lambda form: form.suffixes[0])
def test_what_cannot_be_said_names_the_rule(form):
    outcomes = {"read": 0, "refused": 0}
    place = f"policy{form.suffixes[0]}"

    @settings(max_examples=examples(300), **LENIENT)
    @given(rule_sets())
    def round_trip(rules):
        content = said = None
        try:
            content = form.write(rules, place)
        except RuleError as error:
            said = str(error)
        outcomes["read" if said is None else "refused"] += 1
        if said is None:
            read = form.read(content, place)
            assert read == rules
            assert read.origins == rules.origins
        else:
            assert any(repr(name) in said for rule in rules for name in (rule.name, rule.origin))

    round_trip()
    assert min(outcomes.values()) > examples(15)


@pytest.mark.parametrize("form", TABLES, ids=lambda form: form.suffixes[0])
def test_the_same_rules_give_the_same_bytes(form):
    rules = parse_rules("young: IF age < 29 THEN yes\nIF income > 3 OR a = 'b' THEN {yes: 0.5, no: 0.5}")
    assert form.write(rules, "p") == form.write(rules, "p")


def test_files_go_by_their_names(tmp_path):
    rules = parse_rules("young: IF age < 29 THEN yes")
    for name in ("policy.xlsx", "POLICY.CSV", "policy.dmn"):
        rules.save(tmp_path / name)
        assert read_rules(tmp_path / name) == rules
        assert form_of(tmp_path / name).reads
    assert form_of("policy.rules") is None
