"""What both models answer to cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frote.coverage.cases import Cases
    from frote.report.contents import CaseLine, CasesPart, Report
    from frote.rules import RuleSet

__all__ = ["broken_cases", "tried_cases"]


def tried_cases(cases: Cases | None, rules: RuleSet, before: Any, after: Any) -> CasesPart | None:
    """Ask both models about cases; None if there are none."""
    if cases is None:
        return None
    one, other = (cases.by_model(model, rules).frame for model in (before, after))
    lines: list[CaseLine] = [
        {
            "name": str(name),
            "why": line.why,
            "rule": line.rule,
            "expected": line.expected,
            "before": first,
            "after": line.answer,
            "held": held,
            "holds": line.holds,
        }
        for (name, line), first, held in zip(other.iterrows(), one["answer"], one["holds"], strict=True)
    ]
    return {"filled": list(cases.filled), "lines": lines}


def broken_cases(summary: Report) -> list[CaseLine]:
    """Return the cases that the edited model answers otherwise than expected."""
    return [] if summary["cases"] is None else [line for line in summary["cases"]["lines"] if not line["holds"]]
