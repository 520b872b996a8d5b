"""What is told of rules beside a table of them: each as text, whom it contradicts, and what it says again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frote.exceptions import FroteError
from frote.rules.clause import infer_schema
from frote.rules.conflicts import find_conflicts
from frote.rules.implication import implied_by
from frote.rules.text import shortened

if TYPE_CHECKING:
    from frote.rules.ruleset import RuleSet

__all__ = ["remarks_on"]

MOST_TOLD = 5  # conflicts of one rule


def remarks_on(rules: RuleSet) -> tuple[str, list[tuple[str, str, str]]]:
    """Return how rules stand to one another, in a sentence, and for each its name, its text and what is to be known.

    Examples
    --------
    >>> import frote
    >>> rules = frote.parse_rules('''
    ...     young: IF age < 29 THEN yes
    ...     teen: IF age < 20 THEN yes
    ...     poor: IF income < 10K THEN no
    ... ''')
    >>> summary, lines = remarks_on(rules)
    >>> print(summary)
    3 rules. 2 pairs of them conflict: both apply somewhere and want different things.
    >>> for name, _, remark in lines:
    ...     print(f"{name}: {remark}")
    young: conflicts with poor, for example where age=0, income=0
    teen: says nothing that young does not say; conflicts with poor, for example where age=0, income=0
    poor: conflicts with young, for example where age=0, income=0; conflicts with teen, for example ...
    """
    told: dict[str, list[str]] = {rule.name: [] for rule in rules}
    count = f"{len(rules)} rule{'' if len(rules) == 1 else 's'}."
    try:
        implied = implied_by(rules, infer_schema(rule.clause for rule in rules))
        for rule in rules:
            if rule.origin in implied:
                told[rule.name].append(f"says nothing that {implied[rule.origin]} does not say")
        conflicts = find_conflicts(rules)
    except FroteError as error:
        return f"{count} {error}", [(rule.name, str(rule), "") for rule in rules]
    for conflict in conflicts:
        _, _, example = str(conflict).partition(", for example ")
        where = f", for example where {shortened(example, 200)}" if example else " everywhere"
        for one, other in ((conflict.first, conflict.second), (conflict.second, conflict.first)):
            told[one.name].append(f"conflicts with {other.name}{where}")
    lines = []
    for rule in rules:
        more = len(told[rule.name]) - MOST_TOLD
        remark = "; ".join(told[rule.name][:MOST_TOLD]) + (f"; and {more:,} more" if more > 0 else "")
        lines.append((rule.name, str(rule), remark))
    if not conflicts:
        return f"{count} No two of them conflict.", lines
    pairs = "1 pair of them conflicts" if len(conflicts) == 1 else f"{len(conflicts):,} pairs of them conflict"
    return f"{count} {pairs}: both apply somewhere and want different things.", lines
