"""The strategies of an edit by their names."""

from __future__ import annotations

from copy import deepcopy
from numbers import Real
from typing import TYPE_CHECKING, Any

from frote.exceptions import TableError
from frote.loop.evaluation import Probes, TrainingRows, Validation
from frote.loop.modify import Drop, Leave, Relabel
from frote.loop.schedule import AdaptiveSchedule, FixedSchedule
from frote.selection import IntegerProgram, OnlineLearning, Uniform

if TYPE_CHECKING:
    from collections.abc import Mapping

    from frote.loop.evaluation import Evaluation
    from frote.loop.modify import Modification
    from frote.loop.schedule import Schedule
    from frote.selection import Selection

__all__ = ["EVALUATIONS", "MODIFICATIONS", "SCHEDULES", "SELECTIONS", "chosen", "chosen_evaluation"]

MODIFICATIONS: dict[str, Modification] = {"relabel": Relabel(), "drop": Drop(), "none": Leave()}
SELECTIONS: dict[str, Selection] = {
    "random": Uniform(),
    "ip": IntegerProgram(),
    "online": OnlineLearning(),
    "online-exact": OnlineLearning(exact=True),
}
SCHEDULES: dict[str, Schedule] = {"adaptive": AdaptiveSchedule(), "fixed": FixedSchedule()}
EVALUATIONS: dict[str, Evaluation] = {
    "probes": Probes(),
    "active": TrainingRows(),
    "published": TrainingRows(remember=True),
    "printed": TrainingRows(remember=True, with_batch=False),
}


def chosen(given: Any, named: Mapping[str, Any]) -> Any:
    """Return a strategy, given or by its name. It is a copy, so that what it keeps is of one run alone.

    Examples
    --------
    >>> chosen("fixed", SCHEDULES)
    FixedSchedule()
    """
    return deepcopy(named[given] if isinstance(given, str) else given)


def chosen_evaluation(given: Any) -> Evaluation:
    """Return an evaluation, which may also be given as a share of the rows, or as validation data.

    Examples
    --------
    >>> chosen_evaluation(0.2)
    Probes(hold_out=0.2)
    """
    if isinstance(given, Real):
        return Probes(hold_out=float(given))
    if isinstance(given, tuple | list):
        if len(given) != 2:
            raise TableError(
                "evaluate is 'probes', 'active', 'published', 'printed', a share of the rows, or a pair (X_val, y_val)."
            )
        return Validation(*given)
    evaluation: Evaluation = EVALUATIONS[given] if isinstance(given, str) else given
    return evaluation
