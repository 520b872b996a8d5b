"""Labels that a meta-estimator has encoded as whole numbers, and rules that speak of them as they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from frote.exceptions import BindingError, TableError, nearest
from frote.rules import Outcome, RuleSet

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["in_codes", "require_not_encoded"]


def in_codes(rules: RuleSet, labels: Any, classes: Sequence[Any]) -> RuleSet:
    """Return rules that speak of the classes as they are, given what these stand for.

    Parameters
    ----------
    rules : RuleSet
        The rules, which speak of labels.

    labels : list, dict or None
        The labels, which stand for 0, 1 and so on in the order that `LabelEncoder` gives them; or each by its code.

    classes : sequence
        The classes that came in: labels, and then the rules stay as they are, or codes.

    Returns
    -------
    RuleSet

    Raises
    ------
    TableError
        If the classes are neither, or it cannot be told which label a code stands for.

    BindingError
        If a rule names a label that is not listed.

    Examples
    --------
    >>> import frote
    >>> rules = frote.parse_rules("young: IF age < 29 THEN approved")
    >>> print(in_codes(rules, ["denied", "approved"], [0, 1]))
    young: IF age < 29 THEN 0
    >>> print(in_codes(rules, {7: "approved", 8: "denied"}, [7, 8]))
    young: IF age < 29 THEN 7
    """
    if labels is None:
        return rules
    given = labels if isinstance(labels, Mapping) else dict(enumerate(_in_order(labels)))
    code_by_label: dict[str, str] = {}
    for code, label in given.items():
        other = code_by_label.setdefault(str(label), str(code))
        if other != str(code):
            raise TableError(f"labels: {str(label)!r} is said of {other} and of {code}. Give each code its own label.")
    texts = set(map(str, classes))
    if texts <= code_by_label.keys():
        return rules
    if not texts <= set(code_by_label.values()):
        odd = sorted(texts - set(code_by_label.values()))[0]
        raise TableError(f"y has the label {odd!r}, which is none of labels={labels!r} and no code of one.")
    for rule in rules:
        for label in rule.outcome.labels:
            if label not in code_by_label:
                raise BindingError(
                    f"rule {rule.origin!r}: {label!r} is none of the labels given. {nearest(label, code_by_label)}"
                )
    return RuleSet(replace(rule, outcome=_renamed(rule.outcome, code_by_label)) for rule in rules)


def _in_order(labels: Any) -> list[Any]:
    """Return labels in the order that `LabelEncoder` has them, each once."""
    kinds = {type(label).__name__ for label in labels}
    try:
        return list(np.unique(np.array(labels, dtype=None if len(kinds) == 1 else object)).tolist())
    except TypeError:
        mixed = " and ".join(sorted(kinds))
        raise TableError(
            f"labels has {mixed}, which have no order among them. Give a dict: the label of each code."
        ) from None


def _renamed(outcome: Outcome, names: Mapping[str, str]) -> Outcome:
    return replace(outcome, probabilities=tuple(sorted((names[label], p) for label, p in outcome.probabilities)))


def require_not_encoded(rules: RuleSet, classes: Sequence[Any]) -> None:
    """Say so if the classes are codes from 0 on and rules speak of something else: a meta-estimator has encoded them.

    Raises
    ------
    BindingError
        With the way out.
    """
    named = sorted({label for rule in rules for label in rule.outcome.labels})
    encoded = list(classes) == list(range(len(classes))) and all(type(label) is int for label in classes)
    if not (named and encoded) or any(label.replace(".", "").isdigit() for label in named):
        return
    listed = ", ".join(map(repr, named))
    raise BindingError(
        f"Rules speak of {listed}, and the labels of y are whole numbers, from 0 to {len(classes) - 1}. "
        f"If a meta-estimator such as VotingClassifier has encoded them, list all of them: labels=[{listed}, ...]."
    )
