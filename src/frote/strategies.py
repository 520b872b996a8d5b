"""The strategies of an edit, to be set up or replaced: ``FROTE(select=..., schedule=..., evaluate=..., modify=...)``.

Each is a value with one method, and takes part in a run as a copy. The names that ``FROTE`` takes stand for some.

========  =======================  ==================================================================================
argument  protocol                 there are
========  =======================  ==================================================================================
select    `Selection.select`       `Uniform` (random), `IntegerProgram` (ip), `OnlineLearning` (online, online-exact)
schedule  `Schedule.begin`         `AdaptiveSchedule` (adaptive), `FixedSchedule` (fixed)
evaluate  `Evaluation.begin`       `Probes` (probes, a share), `TrainingRows` (active, published, printed),
                                   `Validation` (a pair)
modify    `Modification.modify`    `Relabel` (relabel), `Drop` (drop), `Leave` (none)
========  =======================  ==================================================================================

The example of each protocol is one of your own, of a few lines.
"""

from frote.loop.evaluation import Evaluation, Incumbent, Judge, OnRows, Probes, Run, TrainingRows, Validation, Verdict
from frote.loop.modify import Contradictions, Drop, Leave, Modification, Relabel
from frote.loop.schedule import (
    AdaptivePlanner,
    AdaptiveSchedule,
    FixedPlanner,
    FixedSchedule,
    Limits,
    Plan,
    Planner,
    Schedule,
)
from frote.selection import Choice, IntegerProgram, Made, OnlineLearning, Request, Selection, Uniform, shares

__all__ = [
    "AdaptivePlanner",
    "AdaptiveSchedule",
    "Choice",
    "Contradictions",
    "Drop",
    "Evaluation",
    "FixedPlanner",
    "FixedSchedule",
    "Incumbent",
    "IntegerProgram",
    "Judge",
    "Leave",
    "Limits",
    "Made",
    "Modification",
    "OnRows",
    "OnlineLearning",
    "Plan",
    "Planner",
    "Probes",
    "Relabel",
    "Request",
    "Run",
    "Schedule",
    "Selection",
    "TrainingRows",
    "Uniform",
    "Validation",
    "Verdict",
    "shares",
]
