"""Rules as callers give them: read, bound to the data, without conflicts, and possible."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frote.exceptions import BindingError, ConflictError
from frote.generation.sampler import Synthesizer
from frote.rules import Rule, RuleSet, parse_rules, read_rules

if TYPE_CHECKING:
    from frote.coverage.labels import Labels
    from frote.table import Table

__all__ = ["as_rules", "bound_rules", "listed", "without_impossible"]


def as_rules(rules: Any) -> RuleSet:
    """Return rules from a rule set, a rule, rule text, the path of a rule file, or a list of any of these."""
    if isinstance(rules, RuleSet):
        return rules
    if isinstance(rules, Rule):
        return RuleSet([rules])
    if isinstance(rules, os.PathLike):
        return read_rules(rules)
    if isinstance(rules, str):
        short = "\n" not in rules and len(rules) < 4096 and "\0" not in rules
        is_path = short and (Path(rules).suffix in (".rules", ".json") or os.path.isfile(rules))
        return read_rules(rules) if is_path else parse_rules(rules)
    return sum((as_rules(one) for one in rules), RuleSet())


def bound_rules(rules: Any, table: Table, labels: Labels, y: Any) -> RuleSet:
    """Return rules bound to columns and classes; what does not fit, or conflicts, is an error."""
    named = as_rules(rules)
    name = getattr(y, "name", None)
    if name in named.columns and name not in table.schema:
        raise BindingError(f"A rule has a condition on {name!r}, which is the target. Rules speak of columns of X.")
    bound = named.bind(table.schema, labels.classes)
    conflicts = bound.conflicts(table)
    if conflicts:
        shown = "\n".join(f"- {conflict}" for conflict in conflicts[:5])
        more = f"\n- and {len(conflicts) - 5} more" if len(conflicts) > 5 else ""
        raise ConflictError(
            "Rules conflict; resolve them with rules.resolve('exclude'), 'mix' or 'priority' (in commands, --resolve):"
            f"\n{shown}{more}"
        )
    return bound


def without_impossible(rules: RuleSet, table: Table) -> RuleSet:
    """Leave out rules that no row of these columns, types and levels can satisfy, and say so."""
    possible = Synthesizer(table, rules).possible
    able = {rule.origin for rule, fits in zip(rules, possible, strict=True) if fits}
    lost = [origin for origin in rules.origins if origin not in able]
    if lost:
        warnings.warn(
            f"No row can satisfy {listed(lost)} in columns of these types and levels: left out. "
            "Look at the conditions, or convert the columns to types that hold the values they ask for.",
            UserWarning,
            stacklevel=4,
        )
    return RuleSet(rule for rule in rules if rule.origin in able)


def listed(names: list[str]) -> str:
    """Name some rules in a sentence."""
    return f"rule{'s' if len(names) > 1 else ''} " + ", ".join(repr(name) for name in names)
