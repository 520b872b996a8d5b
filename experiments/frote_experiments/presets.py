"""How much of the experiments to run: from a minute to all that the paper prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frote.exceptions import nearest
from frote_experiments.exceptions import ExperimentError
from frote_experiments.models import BATCH_SIZES, PAPER_MODELS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PRESETS", "Preset", "preset"]

DATA = tuple(BATCH_SIZES)
# Draws of what has a preset of its own.
ELSEWHERE = dict.fromkeys(("locality", "loans", "printed", "online", "row-conflicts"), 0)


@dataclass(frozen=True, slots=True)
class Preset:
    """How much to run.

    Parameters
    ----------
    name : str
        What it is called.

    said : str
        What it is, as every page that shows its results says.

    draws : int
        Draws of rules and splits for each setting.

    max_fits : int
        Retrainings of the published algorithm at most, the paper's tau.

    tcfs : tuple of float
        Shares of covered rows in training.

    sizes : tuple of int
        How many rules there are in a set.

    counts : tuple of int
        The same where the number of rules is what is studied.

    rows : mapping of str to int
        For data sets that are cut down, how many rows are left.

    own_draws : mapping of str to int
        The number of draws of experiments that have another.

    data, models : tuple of str
        The data sets and models.

    Examples
    --------
    >>> preset("quick").draws
    3
    >>> preset("quik")
    Traceback (most recent call last):
        ...
    frote_experiments.exceptions.ExperimentError: No preset 'quik'. Did you mean 'quick'?
    """

    name: str
    said: str
    draws: int
    max_fits: int
    tcfs: tuple[float, ...]
    sizes: tuple[int, ...]
    counts: tuple[int, ...]
    rows: Mapping[str, int]
    own_draws: Mapping[str, int]
    data: tuple[str, ...] = DATA
    models: tuple[str, ...] = PAPER_MODELS

    def draws_of(self, experiment: str) -> range:
        """Return the numbers of the draws of an experiment."""
        return range(self.own_draws.get(experiment, self.draws))


PRESETS = {
    one.name: one
    for one in (
        Preset(
            "smoke",
            "A minute's run to see that everything works, no result: one draw, at most 2 retrainings, 150 rows of "
            "Breast Cancer, and of Adult for its progress, two models.",
            draws=1,
            max_fits=2,
            tcfs=(0.0, 0.2),
            sizes=(3,),
            counts=(8,),
            rows=dict.fromkeys(DATA, 150),
            own_draws=ELSEWHERE,
            data=("breast_cancer",),
            models=("LR", "LGBM"),
        ),
        Preset(
            "quick",
            "Three draws, tcf 0 and 0.2, three rules; at most 40 retrainings of the published algorithm, where the "
            "paper has 200; Adult cut down to 5,000 rows; one draw for the number of rules, the effects of k and q, "
            "and the parts of the default.",
            draws=3,
            max_fits=40,
            tcfs=(0.0, 0.2),
            sizes=(3,),
            counts=(8, 10, 15, 20),
            rows={"adult": 5000},
            own_draws={"rule-count": 1, "k-and-q": 1, "parts": 1, **ELSEWHERE},
        ),
        Preset(
            "standard",
            "Five draws, ten for the parts of the default, tcf 0 and 0.2, three rules; up to 200 retrainings of the "
            "published algorithm, as printed.",
            draws=5,
            max_fits=200,
            tcfs=(0.0, 0.2),
            sizes=(3,),
            counts=(8, 10, 15, 20),
            rows={},
            own_draws={"parts": 10, **ELSEWHERE},
        ),
        Preset(
            "local",
            "What an edit leaves alone: draws 0 to 2, on which was chosen, and 5 to 9, to confirm (of draw 5 some runs "
            "were seen before the last constant of twins was set), and for edits by data with and without twins also "
            "10 to 14, which nobody had seen then; after how many rejected batches a search with twins ends was chosen "
            "later, on draws 0 to 2 alone, and 15 to 19 were run last, when all was settled; tcf 0 and 0.2, three "
            "rules; Adult cut down to 5,000 rows.",
            draws=0,
            max_fits=200,
            tcfs=(0.0, 0.2),
            sizes=(3,),
            counts=(10,),
            rows={"adult": 5000},
            own_draws={"locality": 20, "loans": 10},
        ),
        Preset(
            "record",
            "What the paper leaves open: three small data sets, tcf 0 and 0.2, three rules, at most 40 retrainings of "
            "the published algorithm; five draws, three for online selection.",
            draws=0,
            max_fits=40,
            tcfs=(0.0, 0.2),
            sizes=(3,),
            counts=(),
            rows={},
            own_draws={"printed": 5, "online": 3, "row-conflicts": 5},
        ),
        Preset(
            "paper",
            "As printed: 30 draws for each of 1, 3 and 5 rules and seven values of tcf (50 for Overlay and for "
            "probabilistic rules, 90 for progress), up to 200 retrainings.",
            draws=30,
            max_fits=200,
            tcfs=(0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4),
            sizes=(1, 3, 5),
            counts=(8, 10, 15, 20),
            rows={},
            own_draws={"overlay": 50, "progress": 90, "probabilistic": 50, **ELSEWHERE},
        ),
    )
}


def preset(name: str) -> Preset:
    """Return the preset of a name."""
    if name not in PRESETS:
        raise ExperimentError(f"No preset {name!r}. {nearest(name, PRESETS)}")
    return PRESETS[name]
