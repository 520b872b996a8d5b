"""What rules would answer otherwise than the model before: what a hard override does, and other ways aim at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frote.coverage.answers import Answers
from frote.edits.patching import PREDICTED, patched_table
from frote.edits.tables import require_columns
from frote.rules.written import WrittenRules

if TYPE_CHECKING:
    from pathlib import Path

    from frote.edits.tables import LabelledTable

__all__ = ["forecast"]


def forecast(
    policy: str, resolve: str | None, table: LabelledTable, model: Any, file: Path | None = None
) -> dict[str, Any]:
    """Count the rows that rules cover, and those of them that the model answers otherwise.

    Parameters
    ----------
    policy : str
        The rules.

    resolve : str or None
        How conflicts are resolved.

    table : LabelledTable
        The rows.

    model : classifier
        The model before.

    file : Path, default=None
        Where to write the table with the predictions of the rules over the model, as ``frote overlay`` does.

    Returns
    -------
    dict
        `rules`, each with its `rule`, `rows` (those that belong to it), `agreement` (the share of them that the model
        answers as the rule does) and `changes` (`old`, `new`, `rows`); `outside`, the rows of no rule; `changed`, the
        rows that are answered otherwise.

    Raises
    ------
    FroteError
        If the rules conflict and nothing was said of how to resolve that, or cannot be used.
    """
    written, source = WrittenRules(policy).rules, table.source
    if file is not None:
        require_columns(source.frame, table.path, (), absent=PREDICTED)
    patched = patched_table(source.frame, table.X, written, model, how=resolve)
    before = np.array([str(label) for label in Answers.of(model, table.rows).predicted.tolist()], dtype=object)
    after, by = (patched[name].astype("string").fillna("").to_numpy(dtype=object) for name in PREDICTED)
    if file is not None:
        source.form.named(file).write(patched, file, inert=[PREDICTED[1]])
    names = dict.fromkeys([*written.origins, *(name for name in by.tolist() if name)])
    lines = [_line(name, before[by == name], after[by == name]) for name in names]
    return {
        "rules": [line for line in lines if line["rows"] or line["rule"] in written.origins],
        "outside": int((by == "").sum()),
        "changed": int((before != after).sum()),
    }


def _line(name: str, before: Any, after: Any) -> dict[str, Any]:
    unlike = before != after
    pairs: dict[tuple[str, str], int] = {}
    for pair in zip(before[unlike].tolist(), after[unlike].tolist(), strict=True):
        pairs[pair] = pairs.get(pair, 0) + 1
    return {
        "rule": name,
        "rows": len(before),
        "agreement": float((~unlike).mean()) if len(before) else None,
        "changes": [
            {"old": old, "new": new, "rows": rows}
            for (old, new), rows in sorted(pairs.items(), key=lambda found: -found[1])
        ],
    }
