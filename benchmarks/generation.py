"""Synthetic rows per second on adult, and peak memory, against imbalanced-learn's SMOTENC.

The targets are 20 x the rows per second and a tenth of the memory. Needs adult (FROTE_DATA).
"""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING, Any

import numpy as np
from imblearn.over_sampling import SMOTENC

import frote
from frote.coverage.labels import Labels
from frote.coverage.ruling import Ruling
from frote.generation.making import Making
from frote.loop.proposal import NoModel, Proposer
from frote.loop.rows import Rows
from frote.selection import Uniform
from frote.table import TypedFrame
from frote_experiments.draws import draw
from results import keep
from timing import timed

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS = 5000
TITLE = "Synthetic rows per second, and peak memory in MB"
HEADS = (
    ("how", "how", "", ""),
    ("rows / s", "rows", "", ",.0f"),
    ("ratio", "ratio", "", ".1f"),
    ("peak, MB", "peak", "", ".1f"),
    ("less memory", "less", "", ".1f"),
)


def peak(work: Callable[[], Any]) -> float:
    """Return the most memory that a piece of work has in use beyond what was in use before, in megabytes."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    work()
    found = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return found / 1e6


def main() -> None:
    chosen = draw("adult", 0, rules=3, tcf=0.2)
    X, y = chosen.data.X.iloc[chosen.train].reset_index(drop=True), chosen.data.y.iloc[chosen.train]
    labels, table = Labels.of(y), frote.Table.from_frame(X)
    nominal = [column.name for column in table.schema if column.kind.has_levels]
    counts = y.value_counts()

    def smote() -> None:
        few = counts.index[-1]
        SMOTENC(nominal, sampling_strategy={few: counts[few] + ROWS}, random_state=0).fit_resample(X, y)

    ruling = Ruling.of(chosen.rules.bind(table.schema, labels.classes), labels.texts)
    making = Making.of(ruling, table, 5)
    rows = Rows.of(making, TypedFrame(table, X), labels.codes, labels.codes)
    quotas = (ROWS // 3 + 1,) * 3
    makers = {}
    for weak_share in (0.0, 0.75):
        proposer = Proposer(making, rows, Uniform(), weak_share)
        found = proposer.populations(rows)

        def ours(proposer: Proposer = proposer, found: Any = found) -> None:
            rng = np.random.default_rng(0)
            proposer.propose(rows, found, quotas, rng, NoModel())

        makers[f"frote, weak share {weak_share:g}"] = ours

    slow, large = timed(smote)[0], peak(smote)
    lines: list[dict[str, Any]] = [{"how": "SMOTENC", "rows": ROWS / slow, "ratio": None, "peak": large, "less": None}]
    for name, work in makers.items():
        seconds, used = timed(work)[0], peak(work)
        speed = {"rows": ROWS / seconds, "ratio": slow / seconds}
        lines.append({"how": name, **speed, "peak": used, "less": large / used})
    keep("generation", TITLE, HEADS, lines, repeats=3, rows=ROWS, among=len(X))


if __name__ == "__main__":
    main()
