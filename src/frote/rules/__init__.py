"""Feedback rules: exact, immutable values, their text, and their algebra."""

from frote.rules.clause import Clause
from frote.rules.condition import Condition
from frote.rules.conflicts import Conflict
from frote.rules.expression import col
from frote.rules.files import read_rules
from frote.rules.outcome import Outcome
from frote.rules.parser import parse_rules
from frote.rules.rule import Rule
from frote.rules.ruleset import RuleSet

__all__ = ["Clause", "Condition", "Conflict", "Outcome", "Rule", "RuleSet", "col", "parse_rules", "read_rules"]
