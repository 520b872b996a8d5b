"""Rule sets of AIX360 (its format trxf) as rules: read by their public attributes, so that it need not be there."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from frote.exceptions import RuleError
from frote.rules.clause import Clause
from frote.rules.condition import Condition
from frote.rules.outcome import Outcome
from frote.rules.rule import Rule
from frote.rules.ruleset import RuleSet

__all__ = ["trxf_rules"]

SIGNS = {"==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def trxf_rules(ruleset: Any, then: Any = None, *, name: str = "rule") -> RuleSet:
    """Return a rule set that AIX360 has learned as rules, one for each of its conjunctions, in their order.

    Parameters
    ----------
    ruleset : DnfRuleSet
        What ``explain`` of AIX360's Ripper and BRCG gives, say. AIX360 itself is not needed.

    then : label, mapping or Outcome, default=None
        Where the label goes; by default the rule set's ``then_part``.

    name : str, default="rule"
        What the rules are called; a number is put behind it. The rules of several rule sets are put together with
        ``+``.

    Returns
    -------
    RuleSet
        The rules; none for a rule set that has no conjunctions. They may overlap, and all say the same.

    Raises
    ------
    RuleError
        If it is no such rule set, or with the place of what rules cannot say: features that are calculated.

    Notes
    -----
    Rules cover the rows for which ``evaluate`` of the rule set is true, but for two things. It takes numbers that
    differ by up to 0.00001 as equal by ``==``, and rules take equal numbers alone, as the PMML does that AIX360 writes.
    And a text such as ``'3'`` is the number 3 in rules, where ``evaluate`` finds no number equal to a text, or fails.
    A missing value is what NaN is there: it meets ``!=`` and no other comparison. True and False are the numbers 1 and
    0 there; where a column holds booleans, rules take 1 and 0 as true and false.

    Examples
    --------
    >>> import frote
    >>> from types import SimpleNamespace as Made  # in place of what AIX360 gives
    >>> age = Made(feature=Made(reverse_polish_notation=["age"]), relation=Made(value="<"), value=29)
    >>> purpose = Made(feature=Made(reverse_polish_notation=["purpose"]), relation=Made(value="!="), value="car")
    >>> learned = Made(conjunctions=[Made(predicates=[age, purpose]), Made(predicates=[age])], then_part="denied")
    >>> print(frote.trxf_rules(learned))
    rule 1: IF age < 29 AND (purpose != 'car' OR purpose IS MISSING) THEN denied
    rule 2: IF age < 29 THEN denied
    """
    conjunctions = getattr(ruleset, "conjunctions", None)
    if conjunctions is None:
        raise RuleError(
            f"A DnfRuleSet of AIX360 has conjunctions, and {type(ruleset).__name__} has none. Of several rule sets, "
            "give one at a time."
        )
    target = getattr(ruleset, "then_part", None) if then is None else then
    if target is None:
        raise RuleError("The rule set has no then_part. Give its label as then.")
    outcome = Outcome.of(target)
    return RuleSet(
        Rule(f"{name} {number}", _clause(conjunction, number), outcome)
        for number, conjunction in enumerate(conjunctions, 1)
    )


def _clause(conjunction: Any, number: int) -> Clause:
    conditions: dict[str, Condition] = {}
    for place, predicate in enumerate(conjunction.predicates, 1):
        try:
            column, condition = _column(predicate.feature), _condition(predicate.relation, predicate.value)
        except RuleError as error:
            raise RuleError(f"conjunction {number}, predicate {place}: {error}") from None
        except AttributeError as error:
            raise RuleError(f"conjunction {number}, predicate {place}: is none of trxf ({error}).") from None
        conditions[column] = (conditions[column] & condition if column in conditions else condition).settled()
    return Clause.of(conditions)


def _column(feature: Any) -> str:
    """Return the column that a feature is; its notation leaves out blanks of the name, which its text still has."""
    notation = [str(token) for token in feature.reverse_polish_notation]
    if len(notation) != 1:
        raise RuleError(
            f"{str(feature)!r} is calculated, and a rule compares a column. Have rules learned on a column of it, with "
            "no + - * / and no brackets in its name."
        )
    written = str(feature)
    return written if "".join(written.split()) == notation[0] else notation[0]


def _condition(relation: Any, value: Any) -> Condition:
    sign = SIGNS.get(str(getattr(relation, "value", relation)))
    if sign is None:
        raise RuleError(f"{relation} is no relation of trxf. Compare by one of {', '.join(SIGNS)}.")
    if not isinstance(value, str | Real | np.bool_):
        raise RuleError(f"{value!r} is no value to compare with. Give a number, a text, True or False.")
    if isinstance(value, bool | np.bool_):
        value = int(value)
    condition = Condition.compare(sign, value)
    return condition | Condition.is_missing() if sign == "!=" else condition
