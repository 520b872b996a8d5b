"""Rules as callers give them: read, bound to the data, without conflicts, and possible."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frote.caller import warn_caller
from frote.exceptions import BindingError, ConflictError, RuleWarning
from frote.exchange.forms import form_of
from frote.generation.possible import impossible
from frote.rules import Rule, RuleSet, parse_rules, read_rules
from frote.rules.binding import require_no_target
from frote.rules.conflicts import resolve, tell_nothing_left
from frote.ways_out import way_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from frote.coverage.labels import Labels
    from frote.generation.possible import Impossible
    from frote.rules.conflicts import Conflict
    from frote.table import Table

__all__ = ["as_rules", "bound_rules", "left_out", "listed", "possible_rules", "resolved_rules", "tell_skipped"]


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
        is_path = short and (Path(rules).suffix in (".rules", ".json") or form_of(rules) or os.path.isfile(rules))
        return read_rules(rules) if is_path else parse_rules(rules)
    return sum((as_rules(one) for one in rules), RuleSet())


def resolved_rules(rules: RuleSet, how: str | None, table: Table, classes: Iterable[Any]) -> RuleSet:
    """Return rules with conflicts resolved, if that is asked for; of which nothing is left is told."""
    if how is None:
        return rules
    resolved = resolve(rules, how, table, classes=classes)
    tell_nothing_left(rules, resolved, how)
    return resolved


def bound_rules(
    rules: Any,
    table: Table,
    labels: Labels,
    y: Any,
    conflicts_of: Callable[[RuleSet], list[Conflict]] | None = None,
) -> RuleSet:
    """Return rules bound to columns and classes; what does not fit, or conflicts, is an error.

    `conflicts_of` finds conflicts where the table has only the types of the rows.
    """
    named = as_rules(rules)
    require_no_target(named, table.schema, getattr(y, "name", None))
    bound = named.bind(table.schema, labels.classes)
    conflicts = bound.conflicts(table) if conflicts_of is None else conflicts_of(bound)
    if conflicts:
        shown = "\n".join(f"- {conflict}" for conflict in conflicts[:5])
        more = f"\n- and {len(conflicts) - 5} more" if len(conflicts) > 5 else ""
        how = way_out(
            "rules.resolve('exclude'), 'mix' or 'priority'",
            "--resolve exclude, mix or priority",
            "one of the ways out on the map of the policy room",
        )
        raise ConflictError(f"Rules conflict; resolve them with {how}:\n{shown}{more}")
    return bound


def possible_rules(rules: RuleSet, table: Table, on_impossible: str) -> tuple[RuleSet, dict[str, str]]:
    """Return the rules that some row can satisfy and, by name, why the others were left out.

    Parameters
    ----------
    rules : RuleSet
        The rules, bound to the table.

    table : Table
        The data, with all levels that were declared.

    on_impossible : {"error", "skip"}
        What becomes of a rule that no row of these columns, types and levels can satisfy.

    Returns
    -------
    rules : RuleSet
        The others.

    skipped : dict of str to str
        The reason for each that was left out.

    Raises
    ------
    BindingError
        If there is such a rule, unless they are to be left out and others are left.
    """
    refused = impossible(rules, table)
    lost = {one.rule for one in refused}
    written = [one for one in refused if not one.made]  # an overlap that cannot be is nobody's loss
    kept = RuleSet(rule for rule in rules if rule.origin not in lost)
    if written and (on_impossible == "error" or not kept):
        raise BindingError(_refusal(written, table, may_skip=on_impossible == "error"))
    return kept, {one.rule: one.why for one in written}


def _refusal(refused: list[Impossible], table: Table, *, may_skip: bool) -> str:
    """Say which rules no row can satisfy, and what can be done."""
    head = f"{len(refused)} errors in the rules:\n" if len(refused) > 1 else ""
    ways = [*_declaring(refused, table)]
    if may_skip:
        out = "with {} such rules are left out"
        page = "change such rules, or take them out of the policy"
        ways.append(way_out(out.format("on_impossible='skip'"), out.format("--on-impossible skip"), page))
    else:
        ways.append("without them no rule is left")
    said = "; ".join(ways)
    return head + "\n".join(one.told for one in refused) + f"\n{said[0].upper()}{said[1:]}."


def _declaring(refused: list[Impossible], table: Table) -> Iterator[str]:
    """Say how a level is declared that the data do not have."""
    unknown = [level for one in refused for level in one.unknown]
    if not unknown:
        return
    column, level = unknown[0]
    python = f"levels={{{column!r}: [{level!r}]}}"
    if not table.storage(column).holds(level):
        python = f"X[{column!r}].cat.add_categories([{level!r}]), or an Enum that lists it"
    command = f"--levels {shlex.quote(f'{column}={level}')}"
    page = "a row that holds it"
    yield f"a level that is right though the data lack it is declared by {way_out(python, command, page)}"


def tell_skipped(skipped: Mapping[str, str]) -> None:
    """Warn of rules that were left out."""
    for text in left_out(skipped):
        warn_caller(text, RuleWarning)


def left_out(skipped: Mapping[str, str]) -> list[str]:
    """Say which rules were left out, and why.

    Examples
    --------
    >>> left_out({"brokers": "column 'channel' has no level 'brokr'. Did you mean 'broker'?"})[0][:52]
    "Left out: rule 'brokers', which no row can satisfy: "
    """
    return [f"Left out: rule {name!r}, which no row can satisfy: {why}" for name, why in skipped.items()]


def listed(names: list[str]) -> str:
    """Name some rules in a sentence."""
    return f"rule{'s' if len(names) > 1 else ''} " + ", ".join(repr(name) for name in names)
