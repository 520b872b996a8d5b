"""Evidence that a model keeps to rules: on every possible row, or on very many fresh ones."""

from frote.evidence.proof import ProofReport, RuleProof
from frote.evidence.prove import prove
from frote.evidence.stress import RuleStress, StressReport, stress

__all__ = ["ProofReport", "RuleProof", "RuleStress", "StressReport", "prove", "stress"]
