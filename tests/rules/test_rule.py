import pickle

import pytest

from frote import Clause, Condition, Outcome, Rule, RuleError, parse_rules

CLAUSE = Clause.of({"age": Condition.compare("<", 29)})
OUTCOME = Outcome.of("approved")


@pytest.mark.parametrize("name", ["", " x", "x ", "two\nlines", "tab\there", "\u200b", "\ud800"])
def test_a_name_is_one_line_of_text(name):
    with pytest.raises(RuleError, match="one line of text"):
        Rule(name, CLAUSE, OUTCOME)


@pytest.mark.parametrize(("name", "origin"), [("x", "y"), ("x/1", "y"), ("x/a", "x"), ("x/", "x"), ("x/1/2", "x")])
def test_a_piece_is_named_after_its_origin(name, origin):
    with pytest.raises(RuleError, match="A piece of"):
        Rule(name, CLAUSE, OUTCOME, origin)


def test_a_rule_is_its_own_origin():
    assert Rule("x", CLAUSE, OUTCOME).origin == "x"
    assert Rule("x/1", CLAUSE, OUTCOME).origin == "x/1"
    assert Rule("x/12", CLAUSE, OUTCOME, "x").origin == "x"


def test_rules_are_values():
    rule = Rule("x", CLAUSE, OUTCOME, sources=("a", "b"), line=3)
    assert rule == Rule("x", CLAUSE, OUTCOME)
    assert hash(rule) == hash(Rule("x", CLAUSE, OUTCOME))
    assert rule != Rule("y", CLAUSE, OUTCOME)
    assert rule != Rule("x", Clause(), OUTCOME)
    assert rule != Rule("x", CLAUSE, Outcome.of("denied"))
    copy = pickle.loads(pickle.dumps(rule))
    assert (copy, copy.sources, copy.line) == (rule, ("a", "b"), 3)
    with pytest.raises(AttributeError):
        rule.name = "y"


def test_rules_print_as_text():
    (rule,) = parse_rules("'a: b'/3: IF age<29 THEN {no: .5, yes: .5}")
    assert str(rule) == "'a: b'/3: IF age < 29 THEN {no: 0.5, yes: 0.5}"
    assert repr(rule) == f"<Rule {rule}>"
    assert str(Rule("all", Clause(), OUTCOME)) == "all: IF TRUE THEN approved"
