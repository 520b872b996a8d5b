"""frote: edit tabular classifiers with feedback rules."""

from frote import datasets
from frote.coverage.check import RuleCheck
from frote.estimators import (
    FROTE,
    Explanation,
    FROTEClassifier,
    RuleSetClassifier,
    ScoreReport,
    TabularEncoder,
    default_pipeline,
    explain_model,
    score,
)
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
    "FROTE",
    "BindingError",
    "Clause",
    "Condition",
    "Conflict",
    "ConflictError",
    "DatasetError",
    "Explanation",
    "FROTEClassifier",
    "FroteError",
    "Outcome",
    "Rule",
    "RuleCheck",
    "RuleError",
    "RuleSet",
    "RuleSetClassifier",
    "RuleSyntaxError",
    "Schema",
    "ScoreReport",
    "Table",
    "TableError",
    "TabularEncoder",
    "col",
    "datasets",
    "default_pipeline",
    "explain_model",
    "parse_rules",
    "read_rules",
    "score",
]
