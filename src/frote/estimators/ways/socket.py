"""Where switches enter an estimator: in front of the last step of a pipeline, else beside the caller's own columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from frote.estimators.input import columns_known
from frote.estimators.ways.models import Switched
from frote.estimators.ways.switch_columns import below, free_labels, with_switches
from frote.loop.training import IN_TRAINING
from frote.table import lent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from frote.loop.rows import Rows
    from frote.loop.training import Trainer

__all__ = ["Socket"]


class Socket:
    """An estimator made ready to get switches.

    What comes before them is fitted once, to the data alone.

    Parameters
    ----------
    trainer : Trainer
        Trains the caller's estimator.

    rows : Rows
        The data, with their own labels.

    live : ndarray of bool
        Which rules as written have a switch.

    Attributes
    ----------
    blank : Switched
        A model with switches, but for what comes behind them.
    """

    def __init__(self, trainer: Trainer, rows: Rows, live: NDArray[np.bool_]) -> None:
        rules, estimator = rows.attribution.ruling.rules, clone(trainer.estimator)
        blank = Switched(trainer.estimator)
        columns_known(blank, rows.frame)
        blank.rules_, blank.columns_ = rules, rows.table.schema.with_gaps().columns
        blank.switches_ = [name for name, own in zip(rules.origins, live, strict=True) if own]
        blank.tilts_ = {}
        self._places = np.append(np.where(live, np.cumsum(live) - 1, -1), -1)
        self._rows = rows
        blank.front_, self._last, self._data = None, estimator, lent(rows.frame)
        if _is_open(estimator):
            blank.front_, self._last = estimator[:-1], estimator.steps[-1][1]
            # What a step makes of the rows that it is fitted to may differ from what it makes of them later.
            with trainer.clock.counting("fit"):
                labels = trainer.natives(rows.labels)
                self._data = blank.front_.fit_transform(rows.shown.lent_to(blank.front_), labels)
        blank.labels_ = free_labels(self._data, len(blank.switches_))
        self.blank = blank

    def switch_of(self, owner: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the switches of rules as written."""
        return self._places[owner]

    def fit(self, trainer: Trainer, lesson: Sequence[Rows], height: float) -> Any:
        """Train what comes behind the switches, on the data with all of them off, and on other rows with theirs on."""
        prepared = below([self._data, *(self.blank.prepared(rows.shown) for rows in lesson)])
        off = np.full(len(self._rows), -1)
        switch = np.concatenate([off, *(self.switch_of(rows.attribution.owner) for rows in lesson)])
        labels = trainer.natives(np.concatenate([self._rows.labels, *(rows.labels for rows in lesson)]))
        model = clone(self._last)
        with trainer.clock.counting("fit"):
            try:
                model.fit(with_switches(prepared, switch, self.blank.labels_, height), labels)
            except Exception as error:
                error.add_note(IN_TRAINING)
                raise
        return model


def _is_open(estimator: Any) -> bool:
    """Tell whether something can stand in front of the last step: of scikit-learn's own pipelines, and no others."""
    plain = type(estimator) is Pipeline and getattr(estimator, "transform_input", None) is None
    return plain and len(estimator.steps) > 1 and hasattr(estimator.steps[-1][1], "predict")
