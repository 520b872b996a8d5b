# The public names and where they are; each is imported when it is first asked for.
from . import datasets as datasets, strategies as strategies
from .compare.comparison import Comparison as Comparison
from .compare.models import compare_models as compare_models
from .compare.rates import Fairness as Fairness
from .coverage.cases import CaseReport as CaseReport, Cases as Cases
from .coverage.check import RuleCheck as RuleCheck
from .coverage.policies import PolicyDifference as PolicyDifference
from .estimators import (
    FROTE as FROTE,
    Explanation as Explanation,
    FROTEClassifier as FROTEClassifier,
    OverlayClassifier as OverlayClassifier,
    Preview as Preview,
    RuleSetClassifier as RuleSetClassifier,
    ScoreReport as ScoreReport,
    StabilityReport as StabilityReport,
    TabularEncoder as TabularEncoder,
    default_pipeline as default_pipeline,
    explain_model as explain_model,
    make_scorer as make_scorer,
    score as score,
    stability as stability,
)
from .evidence import (
    ProofReport as ProofReport,
    RuleProof as RuleProof,
    RuleStress as RuleStress,
    StressReport as StressReport,
    prove as prove,
    stress as stress,
)
from .exceptions import (
    BindingError as BindingError,
    CheckpointError as CheckpointError,
    ConflictError as ConflictError,
    DatasetError as DatasetError,
    FileError as FileError,
    FroteError as FroteError,
    ModelError as ModelError,
    RecordError as RecordError,
    RuleError as RuleError,
    RuleSyntaxError as RuleSyntaxError,
    TableError as TableError,
)
from .exchange.queries import query_rules as query_rules
from .exchange.trees import tree_rules as tree_rules
from .exchange.trxf import trxf_rules as trxf_rules
from .exchange.warehouse import sql_rules as sql_rules
from .explain.perturbation import RulePool as RulePool, draw_rules as draw_rules, perturb_rules as perturb_rules
from .judging.trade import Numbers as Numbers
from .rules import (
    Clause as Clause,
    Condition as Condition,
    Conflict as Conflict,
    Outcome as Outcome,
    Rule as Rule,
    RuleSet as RuleSet,
    col as col,
    parse_rules as parse_rules,
    read_rules as read_rules,
)
from .rules.difference import PolicyAnswer as PolicyAnswer, PolicyRegion as PolicyRegion
from .table import Schema as Schema, Table as Table
