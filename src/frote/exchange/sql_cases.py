"""The branches of a CASE as rules: the first that holds for a row answers for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frote.exceptions import RuleError, RuleSyntaxError
from frote.exchange.decision_table import HitPolicy
from frote.exchange.hit_policies import ruled_by
from frote.rules.condition import Condition
from frote.rules.expression import And, Not, Or
from frote.rules.outcome import Outcome
from frote.rules.parser import parse_rules
from frote.rules.rule import Rule
from frote.rules.ruleset import FreeNames, RuleSet
from frote.rules.text import is_name, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frote.rules.clause import Clause
    from frote.rules.expression import Expression
    from frote.rules.work import Work

__all__ = ["Answer", "as_rules"]


@dataclass(frozen=True, slots=True)
class Answer:
    """One branch: when it is taken, its label (None takes rows out), what it is called, and its line."""

    when: Expression
    label: str | None
    name: str = ""
    line: int | None = None


def as_rules(answers: list[Answer], place: str, work: Work) -> RuleSet:
    """Return the rules of branches, the first of which that holds for a row answers for it."""
    try:
        drafts = [_Draft(answer, *_origin(answer.name), answer.when.clauses(work)) for answer in answers]
        work.keep(clause for draft in drafts for clause in draft.clauses)
        conditions = (condition for draft in drafts for clause in draft.clauses for _, condition in clause)
        plain = all(condition.is_decided for condition in conditions) and all(one.answer.label for one in drafts)
        if not plain:
            for place_of_it, draft in enumerate(drafts):
                draft.cut(drafts[:place_of_it], work)
        rules = _named_rules([draft for draft in drafts if draft.answer.label is not None])
    except RuleError as error:
        raise RuleSyntaxError(f"{place}: {error}") from None
    return ruled_by(HitPolicy.FIRST, rules, place) if plain else rules


@dataclass(slots=True)
class _Draft:
    """A branch, with the name of its rule and what it covers."""

    answer: Answer
    name: str
    origin: str
    clauses: list[Clause]

    def cut(self, earlier: Sequence[_Draft], work: Work) -> None:
        """Leave to branches before it what they take; to those that it never meets, whatever the levels, nothing."""
        others = [one.answer.when for one in earlier if one.answer.label != self.answer.label and self.may_meet(one)]
        if others:
            self.clauses = And.of([self.answer.when, Not(Or.of(others))]).clauses(work)

    def may_meet(self, other: _Draft) -> bool:
        return any(
            all(condition & dict(theirs).get(name, condition) != Condition.nothing() for name, condition in mine)
            for mine in self.clauses
            for theirs in other.clauses
        )


def _named_rules(drafts: list[_Draft]) -> RuleSet:
    """Return the rules of branches; of one that falls apart, each piece has a number."""
    unnamed = FreeNames({name for draft in drafts for name in (draft.name, draft.origin) if name})
    pieces: dict[str, int] = {}
    answers: dict[str, int] = {}
    for number, draft in enumerate(drafts, 1):
        draft.origin = draft.origin or unnamed.give(number)
        draft.name = draft.name or draft.origin
        pieces[draft.origin] = pieces.get(draft.origin, 0) + len(draft.clauses)
        answers[draft.origin] = answers.get(draft.origin, 0) + 1
    made: list[Rule] = []
    given: dict[str, int] = {}
    for draft in drafts:
        outcome = Outcome.of(draft.answer.label)
        for clause in draft.clauses:
            given[draft.origin] = given.get(draft.origin, 0) + 1
            whole = pieces[draft.origin] == answers[draft.origin]
            name = draft.name if whole else f"{draft.origin}/{given[draft.origin]}"
            made.append(Rule(name, clause, outcome, draft.origin, line=draft.answer.line))
    return RuleSet(made)


def _origin(text: str) -> tuple[str, str]:
    """Return the name and the origin of a rule from the name in a comment, written as rule text writes it."""
    if not text:
        return "", ""
    try:
        (rule,) = parse_rules(f"{text}: IF TRUE THEN x")
    except (RuleSyntaxError, ValueError):
        if not is_name(text):
            raise RuleError(f"{shortened(text)!r} cannot be the name of a rule. Mend the comment.") from None
        return text, text
    return rule.name, rule.origin
