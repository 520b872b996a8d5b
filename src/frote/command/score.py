"""``frote score``: say how far a model agrees with rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import click

from frote.command import options
from frote.edits.order import Columns
from frote.plain import plain
from frote.shell import Command

if TYPE_CHECKING:
    from pathlib import Path

    from frote.coverage.cases import CaseReport
    from frote.estimators.scoring import ScoreReport

__all__ = ["score"]


@click.command(cls=Command, short_help="Say how far a model agrees with rules.")
@options.labelled_data
@options.engine
@options.rules
@options.cases
@options.load()
@options.decision
@options.as_json
def score(
    data: Path,
    categorical: tuple[str, ...],
    numeric: tuple[str, ...],
    target: str,
    rules: Path,
    cases: Path | None,
    load: Path,
    trust: tuple[str, ...],
    machine: bool,
    engine: str | None,
    scheduler: str | None,
    memory: str | None,
    **decision: Any,
) -> None:
    """Say how far a model agrees with rules where they apply, and how good it is elsewhere."""
    from frote.edits.cases import read_cases
    from frote.edits.resolving import tell_of_conflicts
    from frote.edits.saved_models import load_model, model_for
    from frote.edits.tables import read_labelled, require_known_labels
    from frote.rules.files import read_rules, require_rules

    if options.by_parts(data, engine, scheduler, memory):
        from frote.edits.many_files import ManyFiles
        from frote.estimators.scoring import score as scored_by_parts

        options.refuse_for_many(data, {"--cases": cases}, "Try them on one of its files.")
        many = ManyFiles.of(data, target, categorical=categorical, numeric=numeric)
        given = require_rules(read_rules(rules), rules)
        tell_of_conflicts(given, None)
        _show(scored_by_parts(load_model(load, trust), many.X, many.y, given, **decision), None, machine=machine)
    table = read_labelled(data, Columns(target, categorical, numeric))
    from frote.estimators.scoring import score as scored  # heavy: only when nothing is wrong so far

    loaded = model_for(table.X, load, trust, table_path=data)
    require_known_labels(table, loaded)
    given = require_rules(read_rules(rules), rules)
    tell_of_conflicts(given, table.rows.table)
    tried = None
    if cases is not None:
        tried = read_cases(cases, table.rows, table.y, table.source).by_model(loaded, given)
    _show(scored(loaded, table.rows, table.y, given, **decision), tried, machine=machine)


def _show(report: ScoreReport, tried: CaseReport | None, *, machine: bool) -> NoReturn:
    """Print what was found, and end."""
    answer = {
        "notes": list(report.notes),
        **{name: plain(getattr(report, name)) for name in ("objective", "agreement", "f1", "f1_macro")},
        "covered": report.covered,
        "uncovered": report.uncovered,
        "unknown": {"rows": report.unknown.rows, "labels": list(report.unknown.texts)},
        "rules": options.lines_of(report.rules),
        "numbers": None if report.numbers is None else report.numbers.to_dict(),
        **options.case_lines(tried),
    }
    parts = [report, report.numbers, *([] if tried is None else [tried])]
    options.show(answer, "\n\n".join(map(str, parts)), machine=machine)
    click.get_current_context().exit(0 if tried is None or tried.ok else 1)
