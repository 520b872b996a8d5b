"""frote: edit tabular classifiers with feedback rules."""

from frote import datasets
from frote.coverage.check import RuleCheck
from frote.exceptions import (
    BindingError,
    ConflictError,
    DatasetError,
    FroteError,
    RuleError,
    RuleSyntaxError,
    TableError,
)
from frote.rules import (
    Clause,
    Condition,
    Conflict,
    Outcome,
    Rule,
    RuleSet,
    col,
    parse_rules,
    read_rules,
)
from frote.table import Schema, Table

__all__ = [
    "BindingError",
    "Clause",
    "Condition",
    "Conflict",
    "ConflictError",
    "DatasetError",
    "FroteError",
    "Outcome",
    "Rule",
    "RuleCheck",
    "RuleError",
    "RuleSet",
    "RuleSyntaxError",
    "Schema",
    "Table",
    "TableError",
    "col",
    "datasets",
    "parse_rules",
    "read_rules",
]
