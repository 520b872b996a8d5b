"""Rules without conflicts, and what was lost on the way: it must not go unsaid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frote.caller import warn_caller
from frote.exceptions import RuleWarning
from frote.rules.conflicts import tell_nothing_left
from frote.ways_out import way_out

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frote.rules import RuleSet

__all__ = ["resolve", "tell_of_conflicts"]


def resolve(rules: RuleSet, how: str, X: Any = None, classes: Iterable[Any] | None = None) -> RuleSet:
    """Return rules without conflicts, and warn of those of which nothing is left; see `RuleSet.resolve`."""
    resolved = rules.resolve(how, X, classes=classes)
    tell_nothing_left(rules, resolved, how)
    return resolved


def tell_of_conflicts(rules: RuleSet, X: Any) -> None:
    """Warn of rules that conflict where a model is only measured by them."""
    if rules.conflicts(X):
        parts = "frote resolve parts them."
        parts = way_out(parts, parts, "The map of the policy room has ways to part them.")
        message = f"Rules conflict: a row counts for the first that covers it. {parts}"
        warn_caller(message, RuleWarning)
