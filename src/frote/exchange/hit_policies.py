"""What a decision table's hit policy means for its rules, and which one holds for given rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frote.exceptions import FroteError, RuleSyntaxError
from frote.exchange.decision_table import HitPolicy
from frote.rules.clause import infer_schema
from frote.rules.conflicts import as_example, find_conflicts, resolve, tell_nothing_left
from frote.rules.overlaps import Overlaps
from frote.rules.text import shortened

if TYPE_CHECKING:
    from frote.rules.ruleset import RuleSet

__all__ = ["policy_of", "ruled_by"]

MOST_PAIRS = 10_000
SHOWN = 5
_RESOLVED = {HitPolicy.FIRST: "priority", HitPolicy.COLLECT: "mix"}


def ruled_by(policy: HitPolicy, rules: RuleSet, place: str) -> RuleSet:
    r"""Return the rules as a table of that hit policy means them.

    Of RULE ORDER the rules stay as they are, conflicts and all; FIRST and COLLECT resolve conflicts by priority and by
    mixing; UNIQUE and ANY promise that there are none.

    Raises
    ------
    RuleSyntaxError
        If the table breaks its promise, with a witness.

    Examples
    --------
    >>> import frote
    >>> rules = frote.parse_rules("young: IF age < 29 THEN yes\npoor: IF income < 10K THEN no")
    >>> print(ruled_by(HitPolicy.FIRST, rules, "policy.csv"))
    young: IF age < 29 THEN yes
    poor: IF income < 10000 AND (age >= 29 OR age IS MISSING) THEN no
    >>> ruled_by(HitPolicy.UNIQUE, rules, "policy.csv")
    Traceback (most recent call last):
        ...
    frote.exceptions.RuleSyntaxError: policy.csv: the hit policy is UNIQUE, but 'young' and 'poor' both cover ...
    """
    try:
        if policy in _RESOLVED:
            resolved = resolve(rules, _RESOLVED[policy])
            tell_nothing_left(rules, resolved, _RESOLVED[policy])
            return resolved
        if policy is HitPolicy.RULE_ORDER:
            return rules
        met = _overlaps(rules) if policy is HitPolicy.UNIQUE else _conflicts(rules)
    except FroteError as error:
        raise RuleSyntaxError(f"{place}: the hit policy is {policy.value}. {error}") from None
    if met:
        promised = "one rule at most" if policy is HitPolicy.UNIQUE else "rules of one outcome"
        shown = "; ".join(met[:SHOWN]) + (f"; and {len(met) - SHOWN:,} more pairs" if len(met) > SHOWN else "")
        raise RuleSyntaxError(
            f"{place}: the hit policy is {policy.value}, but {shown}, where it promises {promised}. "
            "Change these rows, or the hit policy: FIRST takes the upper one, COLLECT the mean of both."
        )
    return rules


def policy_of(rules: RuleSet) -> HitPolicy:
    r"""Return the strictest hit policy that a table of these rules keeps; RULE ORDER if some conflict.

    Examples
    --------
    >>> import frote
    >>> policy_of(frote.parse_rules("IF age < 29 THEN yes\nIF income < 10K THEN yes"))
    <HitPolicy.ANY: 'ANY'>
    """
    try:
        if not _overlaps(rules, 1):
            return HitPolicy.UNIQUE
        return HitPolicy.RULE_ORDER if find_conflicts(rules) else HitPolicy.ANY
    except FroteError:  # too many to be listed
        return HitPolicy.RULE_ORDER


def _conflicts(rules: RuleSet) -> list[str]:
    return [_both(conflict.first.name, conflict.second.name, conflict.witness) for conflict in find_conflicts(rules)]


def _overlaps(rules: RuleSet, most: int = MOST_PAIRS) -> list[str]:
    schema = infer_schema(rule.clause for rule in rules)
    clauses = [rule.clause for rule in rules]
    pairs = Overlaps(clauses, schema).between(([place] for place in range(len(rules))), most)
    told = []
    for first, second in pairs:
        both = (clauses[first] & clauses[second]).without_gaps(schema)
        witness, names = both.witness(schema), (rules[first].name, rules[second].name)
        # Where columns are compared with one another, whether some row meets both may take too long to tell.
        doubt = f"{names[0]!r} and {names[1]!r} may both cover a row ({both.doubt(schema)})"
        told.append(doubt if witness is None else _both(*names, witness))
    return told


def _both(first: str, second: str, witness: dict[str, object]) -> str:
    return f"{first!r} and {second!r} both cover {shortened(as_example(witness)) or 'every row'}"
