"""The numbers that users of such models lead with, and the rates of protected groups, as parts of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frote.compare.models import judged_for_users
from frote.compare.protected import protected_by, split
from frote.report.words import clause_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from frote.compare.rates import Fairness
    from frote.coverage.answers import Answers
    from frote.report.contents import FairnessPart, GroupRate, Number, NumbersPart
    from frote.report.judged import Judged
    from frote.rules import RuleSet
    from frote.table import Table

__all__ = ["trade"]


def trade(
    judged: Judged,
    answers: Mapping[str, Answers],
    written: RuleSet,
    judge_by: Mapping[str, Any],
    draws: int,
    seed: int,
) -> tuple[NumbersPart, FairnessPart | None]:
    """Tell how good both models are for those who use them, and for whom; see `frote.report.gather`.

    Parameters
    ----------
    judged : Judged
        The rows: all of them.

    answers : mapping of str to Answers
        What the models before and after said of them.

    written : RuleSet
        The rules as written.

    judge_by : mapping
        What is protected, the favourable label, the threshold and the costs, as for `compare_models`.

    draws, seed : int
        How many resamples, and where their chance comes from.

    Returns
    -------
    numbers, fairness : NumbersPart, and FairnessPart or None
        The parts of the report of these names.
    """
    pair = [answers[name] for name in ("before", "after")]
    numbers, fairness = judged_for_users(
        pair, judged.table, judged.rules, judged.labels, written=written, draws=draws, seed=seed, **judge_by
    )
    assert numbers is not None  # there are labels
    part: Any = numbers.to_dict()  # its lines are those of the contract
    numbers_part: NumbersPart = part
    words = _words(judge_by.get("protected", ()), judged.table)
    return numbers_part, None if fairness is None else _fairness(fairness, words)


def _words(protected: Any, table: Table) -> dict[tuple[str, str], str]:
    """Return each group in words: a condition that is one clause, and else as it was given."""
    return {
        (one.text, group): group if clause is None else clause_words(clause)
        for one in protected_by(split(protected), table)
        for group, clause in zip(one.groups, one.clauses, strict=True)
    }


def _fairness(fairness: Fairness, words: Mapping[tuple[str, str], str]) -> FairnessPart:
    plain = fairness.to_dict()
    rates: list[GroupRate] = [
        {
            "protected": line["protected"],
            "group": line["group"],
            "words": words[line["protected"], line["group"]],
            "where": line["where"],
            "rows": line["rows"],
            "measure": line["measure"],
            "before": _number(line, "before"),
            "after": _number(line, "after"),
            "change": _number(line, "change"),
        }
        for line in plain["rates"]
    ]
    return {
        "favourable": plain["favourable"],
        "decided": plain["decided"],
        "notices": plain["notices"],
        "rates": rates,
    }


def _number(line: Mapping[str, Any], name: str) -> Number:
    return {"value": line[name], "low": line[f"{name}_low"], "high": line[f"{name}_high"]}
