import copy
import pickle

import numpy as np
import pytest

import frote
from frote import BindingError, FroteError, Rule, RuleError, RuleSet, RuleSyntaxError, TableError, parse_rules

RULES = parse_rules(
    """
    young: IF age < 29 THEN approved
    IF income > 150K OR defaults = 0 THEN approved WITH CONFIDENCE 0.8
    poor: IF income < 10K THEN {approved: 0.1, denied: 0.9}
    """
)


def test_a_rule_set_is_a_sequence():
    assert len(RULES) == 4
    assert RULES.names == ("young", "rule 2/1", "rule 2/2", "poor")
    assert RULES.origins == ("young", "rule 2", "poor")
    assert RULES.columns == ("age", "income", "defaults")
    assert RULES.labels == ("approved", "denied")
    assert RULES[0] is RULES["young"] is RULES[np.int64(0)]
    assert RULES[-1].name == "poor"
    assert RULES[1:3] == RuleSet([RULES[1], RULES[2]])
    assert RULES["rule 2/1"] in RULES
    assert next(reversed(RULES)).name == "poor"
    assert RULES.index(RULES["poor"]) == 3
    assert RULES.pieces("rule 2") == (RULES[1], RULES[2])
    assert not RuleSet()
    assert (str(RuleSet()), repr(RuleSet())) == ("", "<RuleSet of 0>")
    assert parse_rules("") == RuleSet()
    with pytest.raises(KeyError, match="Did you mean 'young'"):
        RULES["yuong"]
    with pytest.raises(IndexError):
        RULES[4]


def test_equal_rules_in_the_same_order_are_equal():
    assert parse_rules(str(RULES)) == RULES
    assert hash(parse_rules(str(RULES))) == hash(RULES)
    assert RuleSet(reversed(RULES)) != RULES
    assert list(RULES) != RULES


def test_rule_sets_do_not_change():
    for name in ("_rules", "names", "anything"):
        with pytest.raises(AttributeError):
            setattr(RULES, name, ())
        with pytest.raises(AttributeError):
            delattr(RULES, name)
    with pytest.raises(TypeError):
        RULES[0] = RULES[1]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_rule_sets_survive_a_trip(protocol):
    travelled = pickle.loads(pickle.dumps(RULES, protocol))
    assert travelled == RULES
    assert [rule.line for rule in travelled] == [rule.line for rule in RULES]
    assert copy.deepcopy(RULES) == copy.copy(RULES) == RULES


def test_names_are_unique_and_pieces_share_their_outcome():
    with pytest.raises(RuleError, match="Two rules are named 'young'"):
        RuleSet([RULES[0], RULES[0]])
    other = Rule("rule 2/3", RULES[0].clause, RULES[0].outcome, "rule 2")
    with pytest.raises(RuleError, match="unlike outcomes"):
        RuleSet([*RULES, other])


def test_rules_without_names_are_numbered_on():
    one = parse_rules("IF a = 1 THEN x\nIF a = 2 THEN y")
    two = parse_rules("IF a = 3 OR b = 3 THEN z\nnamed: IF a = 4 THEN x\nIF a = 5 THEN y")
    both = one + two
    assert both.names == ("rule 1", "rule 2", "rule 3/1", "rule 3/2", "named", "rule 5")
    assert both.origins == ("rule 1", "rule 2", "rule 3", "named", "rule 5")
    assert [rule.clause for rule in both] == [rule.clause for rule in (*one, *two)]
    assert parse_rules(str(both)) == both
    assert one + RuleSet() == one == RuleSet() + one
    assert (one + one + one).names == ("rule 1", "rule 2", "rule 3", "rule 4", "rule 5", "rule 6")
    with pytest.raises(TypeError):
        one + 1


@pytest.mark.parametrize("name", ["young", "rule of thumb"])
def test_rules_with_names_are_not_renamed(name):
    rules = parse_rules(f"{name}: IF a = 1 THEN x")
    with pytest.raises(RuleError, match="Two rules are named"):
        rules + rules


@pytest.mark.parametrize("kind", [FroteError, RuleError, RuleSyntaxError, BindingError, TableError])
def test_errors_survive_a_trip(kind):
    error = pickle.loads(pickle.dumps(kind("line 1, column 2: no\n  x\n  ^")))
    assert type(error) is kind
    assert str(error) == "line 1, column 2: no\n  x\n  ^"
    assert issubclass(kind, ValueError)


def test_raised_errors_survive_a_trip():
    with pytest.raises(FroteError) as caught:
        frote.parse_rules("IF a THEN b\nIF c = 'd THEN e")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_repr_is_short_and_says_what_it_leaves_out():
    """The text is whole, since it is read back."""
    rules = parse_rules("\n".join(f"IF a = {place} AND b = {'x' * 1_000} THEN yes" for place in range(100)))
    assert parse_rules(str(rules)) == rules
    assert len(repr(rules)) < 20_000
    assert repr(rules).endswith("\n... and 70 more")
    assert "more characters" in repr(rules[0])
    assert len(repr(rules[0].clause)) < 500
    few = rules[:1].resolve("priority")
    assert repr(RuleSet()) == "<RuleSet of 0>"
    assert repr(few).startswith("<RuleSet of 1>\nrule 1: IF a = 0")


def test_one_rule_more_than_is_shown():
    rules = parse_rules("\n".join(f"IF x > {place} THEN yes" for place in range(31)))
    assert repr(rules).splitlines()[-1] == "... and 1 more"
    assert repr(rules[:30]).splitlines()[-1] == "rule 30: IF x > 29 THEN yes"
