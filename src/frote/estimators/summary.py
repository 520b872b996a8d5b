"""An edit in short, for a notebook: what was done, rule by rule, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frote.estimators.given_rules import left_out
from frote.layout import Column, as_list, as_note, as_sentence, as_shown, as_table, decimals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pandas as pd

    from frote.rules import RuleSet

__all__ = ["edit_html"]

BEFORE_AFTER = ("before", "after")


def edit_html(
    rules: RuleSet,
    history: pd.DataFrame,
    ledger: pd.DataFrame,
    scoring: str | Callable[..., float],
    *,
    reportable: bool,
    skipped: Mapping[str, str] | None = None,
) -> str:
    """Return an edit as HTML.

    Parameters
    ----------
    rules : RuleSet
        The rules, as they were bound.

    history, ledger : DataFrame
        What an editor has in `history_` and `ledger_`.

    scoring : str or callable
        What the score outside the rules is.

    reportable : bool
        Whether the editor still has the data that a report needs.

    skipped : mapping of str to str, default=None
        The rules that were left out, with the reason.

    Returns
    -------
    str

    Examples
    --------
    >>> import frote
    >>> loans = frote.datasets.load_loans(300)
    >>> editor = frote.FROTE(rules="young: IF age < 29 THEN approved", max_fits=1, random_state=0).fit(loans.X, loans.y)
    >>> shown = edit_html(editor.rules_, editor.history_, editor.ledger_, "f1_weighted", reportable=True)
    >>> f"{editor.history_['objective'][0]:.3f}" in shown
    True
    """
    # The edited model is that of the last batch that was accepted, or the first one.
    models = history[history["accepted"]].iloc[[0, -1]]
    tried, kept = len(history) - 1, int(history["accepted"].sum()) - 1
    counts = ledger["status"].value_counts(sort=False)
    rows = ", ".join(f"{count:,} {status}" for status, count in counts.items())
    measures = {
        "objective": "training objective",
        "agreement": "agreement with the rules",
        "outside": f"{scoring if isinstance(scoring, str) else 'score'} outside the rules",
    }
    shown = [name for name in measures if models[name].notna().any()]
    scores = [Column("", [measures[name] for name in shown])]
    scores += [_numbers(title, models.iloc[place][shown]) for place, title in enumerate(BEFORE_AFTER)]
    more = "history_ has a line for every fit and ledger_ one for every row"
    if reportable:
        more += '; report("edit.html") writes a report for people'
    return as_shown(
        as_list(left_out(skipped or {})),
        as_sentence(f"Rows: {rows}. Batches: {tried:,} tried, {kept:,} accepted."),
        as_table(scores),
        as_table(_per_rule(rules, models, ledger)) if len(rules) else "",
        as_note(
            f"Before is the model without synthetic rows. Both are scored on the rows they were accepted on. {more}."
        ),
    )


def _per_rule(rules: RuleSet, models: pd.DataFrame, ledger: pd.DataFrame) -> list[Column]:
    """Return for each rule as written what was done to rows, and how far the models agree with it."""
    origins = rules.origins
    # Synthetic rows are made by pieces; what became of other rows is told of rules as written.
    whole = {rule.name: rule.origin for rule in rules}
    made = ledger["status"].isin(["synthetic", "guard"])
    owner = ledger["rule"].where(~made, ledger["rule"].map(whole))
    columns = [Column("rule", origins)]
    for status in ("relabelled", "dropped", "synthetic", "guard"):
        counts = owner[ledger["status"] == status].value_counts()
        if len(counts):
            columns.append(Column(status, [f"{counts.get(name, 0):,}" for name in origins], right=True))
    agreed = models[[f"agreement: {name}" for name in origins]]
    return [*columns, *(_numbers(f"agreement {title}", agreed.iloc[place]) for place, title in enumerate(BEFORE_AFTER))]


def _numbers(title: str, values: Iterable[Any]) -> Column:
    return Column(title, decimals(values), right=True)
