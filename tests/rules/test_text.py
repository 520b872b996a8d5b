import pytest
from hypothesis import given
from hypothesis import strategies as st

from frote import Clause, Condition, Outcome, Rule, RuleSet, parse_rules
from frote.rules.text import as_name, column_text, condition_text, is_keyword, label_text, name_text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("age", "age"),
        ("marital-status", "marital-status"),
        ("größe", "größe"),
        ("_x.1", "_x.1"),
        ("capital gain", "`capital gain`"),
        ("a`b", "`a``b`"),
        ("", "``"),
        ("1st", "`1st`"),
        ("Not", "`Not`"),
        ("-x", "`-x`"),
        ("income", "income"),
    ],
)
def test_columns(name, text):
    assert column_text(name) == text
    (rule,) = parse_rules(f"IF {text} = 1 THEN x")
    assert rule.clause.columns == (name,)


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("approved", "approved"),
        ("0", "0"),
        ("1.0", "1.0"),
        ("-1", "'-1'"),
        (">50K", "'>50K'"),
        ("two words", "'two words'"),
        ("if", "'if'"),
        ("", "''"),
        ("it's", "'it''s'"),
    ],
)
def test_labels(label, text):
    assert label_text(label) == text
    assert parse_rules(f"IF a = 1 THEN {text}").labels == (label,)


ANY = st.text(
    st.one_of(st.characters(exclude_categories=()), st.sampled_from(list("\u200c\ufeff'\n \x1b"))), max_size=9
)


@given(ANY, ANY, ANY)
def test_whatever_a_table_holds_can_be_written(column, level, label):
    """Any text is a column, a level, a label and the stem of a rule's name; halves of characters too."""
    clause = Clause.of({column: Condition.compare("=", level)})
    rules = RuleSet([Rule(f"{as_name(label)} 1", clause, Outcome.of(label))])
    assert parse_rules(str(rules)) == rules


@pytest.mark.parametrize(
    ("name", "origin", "text"),
    [
        ("young savers", "young savers", "young savers"),
        ("young/2", "young", "young/2"),
        ("24/7", "24/7", "'24/7'"),
        ("a  b", "a  b", "'a  b'"),
        ("it's/3", "it's", "'it''s'/3"),
        ("IF x", "IF x", "'IF x'"),
        ("/1", "/1", "'/1'"),
        ("a/1/2", "a/1", "a/1/2"),
    ],
)
def test_names(name, origin, text):
    assert name_text(name, origin) == text
    (rule,) = parse_rules(f"{text}: IF a = 1 THEN x")
    assert (rule.name, rule.origin) == (name, origin)


def test_keywords_are_plain_letters():
    assert is_keyword("tHEN")
    assert not is_keyword("\u0131f")
    assert not is_keyword("mi\u017f\u017fing")
    assert parse_rules("IF \u0131n = \u0131f THEN \u0131f").columns == ("\u0131n",)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a < 3 OR a > 5 AND a <= 7 OR a = 4", "a = 4 OR a < 3 OR a > 5 AND a <= 7"),
        ("a >= 1 AND a <= 2", "a BETWEEN 1 AND 2"),
        ("a > 1 AND a != 2 AND a < 3", "a > 1 AND a < 3 AND a != 2"),
        ("a > 1 AND a NOT IN {2, 2.5} AND a < 3", "a > 1 AND a < 3 AND a NOT IN {2, 2.5}"),
        ("a < 3 OR a > 3", "(a < 3 OR a > 3)"),
        ("a < 0 OR a >= 0", "(a < 0 OR a >= 0)"),
        ("NOT (a < 3 OR a > 3)", "NOT (a < 3 OR a > 3)"),
        ("NOT (a = x)", "a != 'x' OR a IS MISSING"),
        ("a != x", "a != 'x'"),
        ("a NOT IN {x, 1}", "a NOT IN {1, 'x'}"),
        ("a IS NOT MISSING", "a IS NOT MISSING"),
        ("NOT a > 1", "a <= 1 OR a IS MISSING"),
        ("NOT (a > 1 OR a = x)", "NOT (a = 'x' OR a > 1)"),
        ("a = TRUE", "a = true"),
        ("a < '2024-03-01 10:30'", "a < '2024-03-01 10:30:00'"),
        ("a = 1 AND a = 2", "a IN {}"),
        ("a > 1e22", "a > 1e+22"),
    ],
)
def test_conditions(source, text):
    (rule,) = parse_rules(f"IF {source} THEN x")
    assert str(rule.clause) == text
    assert parse_rules(str(rule))[0] == rule


def test_any_value_at_all_is_written_too():
    assert condition_text("a", Condition.anything()) == ("a IS NOT MISSING OR a IS MISSING", True)
