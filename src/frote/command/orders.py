"""What options say, as an order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frote.edits.order import Order

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["order_of"]


def order_of(
    *,
    rules: Path,
    param: tuple[str, ...],
    target: str,
    model: str,
    published: bool,
    resolve: str | None,
    categorical: tuple[str, ...],
    numeric: tuple[str, ...],
    ignore: tuple[str, ...],
    levels: dict[str, list[str]],
    seed: int,
    about: dict[str, str] | None = None,
    seen: str | None = None,
    repeat: int = 1,
    spreadsheet_safe: bool = False,
    cases: str | None = None,
    cases_must_hold: bool = False,
    judge_by: dict[str, Any] | None = None,
    engine: str | None = None,
    **settings: Any,
) -> Order:
    """Put what the options of `edit` and `preview` say into one value."""
    from frote.command.parameters import parameters
    from frote.rules.files import require_rules
    from frote.rules.written import WrittenRules

    written = WrittenRules.read(rules)
    require_rules(written.rules, rules)
    return Order(
        target=target,
        rules=written,
        model=model,
        params=parameters(param),
        settings={name: value for name, value in settings.items() if value is not None},
        published=published,
        resolve=resolve,
        categorical=categorical,
        numeric=numeric,
        ignore=ignore,
        levels=levels,
        seed=seed,
        about=about or {},
        seen=seen,
        repeat=repeat,
        spreadsheet_safe=spreadsheet_safe,
        cases=cases,
        cases_must_hold=cases_must_hold,
        judge_by=judge_by or {},
        engine=engine,
    )
