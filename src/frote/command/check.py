"""``frote check``: say what rules cover and whom they contradict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import click

from frote.command import options
from frote.shell import Command

if TYPE_CHECKING:
    from pathlib import Path

    from frote.coverage.cases import CaseReport
    from frote.coverage.check import RuleCheck

__all__ = ["check"]


@click.command(cls=Command, short_help="Say what rules cover and whom they contradict.")
@options.rules
@options.table
@options.engine
@options.levels
@options.ignore
@click.option("--target", help="The column of labels.")
@options.cases
@options.load("A model's file (skops), to see how far it agrees with the rules.", required=False)
@options.as_json
def check(
    rules: Path,
    data: Path,
    categorical: tuple[str, ...],
    numeric: tuple[str, ...],
    levels: dict[str, list[str]],
    ignore: tuple[str, ...],
    target: str | None,
    cases: Path | None,
    load: Path | None,
    trust: tuple[str, ...],
    machine: bool,
    **where: Any,
) -> None:
    """Say what rules cover, whom they contradict and what they would change; exit code 1 if something is wrong.

    The table may also be a folder of Parquet or CSV files, or a pattern such as 'data/*.parquet', of any size.
    """
    from frote.edits.cases import read_cases
    from frote.edits.saved_models import load_model, model_for
    from frote.edits.tables import read_columns, require_known_labels
    from frote.rules.files import read_rules, require_rules

    given = require_rules(read_rules(rules), rules)
    if options.by_parts(data, **where):
        from frote.edits.many_files import ManyFiles

        options.refuse_for_many(data, {"--cases": cases}, "Try them on one of its files.")
        many = ManyFiles.of(data, target, categorical=categorical, numeric=numeric, ignore=ignore)
        asked = None if load is None else load_model(load, trust)
        _show(given.check(many.X, many.y, asked, levels=levels or None), None, machine=machine)
    X, table = read_columns(data, target, categorical=categorical, numeric=numeric, ignore=ignore, levels=levels)
    loaded = None if load is None else model_for(X, load, trust, table_path=data)
    if table is not None and loaded is not None:
        require_known_labels(table, loaded)
    tried = None
    if cases is not None:
        read = read_cases(cases, *((X,) if table is None else (table.rows, table.y, table.source)))
        tried = read.by_rules(given) if loaded is None else read.by_model(loaded, given)
    checked = given.check(X, None if table is None else table.y, loaded)
    _show(checked, tried, machine=machine)


def _show(checked: RuleCheck, tried: CaseReport | None, *, machine: bool) -> NoReturn:
    """Print what was found, and end."""
    ok = checked.ok and (tried is None or tried.ok)
    answer = {
        "ok": ok,
        "rows": checked.rows,
        "covered": checked.covered,
        "rules": options.lines_of(checked.frame),
        "conflicts": [str(conflict) for conflict in checked.conflicts],
        "advice": list(checked.advice),
        **options.case_lines(tried),
    }
    options.show(answer, checked if tried is None else f"{checked}\n\n{tried}", machine=machine)
    click.get_current_context().exit(0 if ok else 1)
