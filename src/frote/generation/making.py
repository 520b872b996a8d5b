"""What rows are made with: the scales of distances and the synthesizer, taken from the data of a run once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from frote.generation.sampler import Synthesizer
from frote.generation.space import MixedSpace
from frote.keys import EVERY_ROW

if TYPE_CHECKING:
    from frote.coverage.ruling import Ruling
    from frote.keys import Sample
    from frote.table import Table

__all__ = ["Making"]


@dataclass(frozen=True, slots=True, eq=False)
class Making:
    """What rows are made with, the same for a whole run.

    Parameters
    ----------
    ruling : Ruling
        The rules that they are made for, bound to the data and without conflicts.

    space : MixedSpace
        The scales of distances.

    synthesizer : Synthesizer
        Makes rows inside the rules, by what the training data hold.

    neighbours : int
        How many neighbours a base row has, the paper's k.

    weight : float or None, default=None
        What a row that is made weighs; None where rows have no weights.

    sample : Sample, default=Sample()
        Which rows they are made from, of those that each rule covers or just misses.

    Examples
    --------
    >>> import frote, pandas as pd
    >>> from frote.coverage.ruling import Ruling
    >>> from frote.table import Table
    >>> table = Table.from_frame(pd.DataFrame({"age": [20, 30, 70]}))
    >>> rules = frote.parse_rules("young: IF age < 25 THEN yes").bind(table.schema)
    >>> Making.of(Ruling.of(rules, ("no", "yes")), table, 1).synthesizer.possible
    (True,)
    """

    ruling: Ruling
    space: MixedSpace
    synthesizer: Synthesizer
    neighbours: int
    weight: float | None = None
    sample: Sample = EVERY_ROW

    @classmethod
    def of(
        cls,
        ruling: Ruling,
        table: Table,
        neighbours: int,
        weight: float | None = None,
        sample: Sample = EVERY_ROW,
    ) -> Making:
        """Take scales, ranges and frequencies from a table."""
        space = MixedSpace.of(table, gappy=ruling.may_be_missing)
        return cls(ruling, space, Synthesizer(table, ruling.rules), neighbours, weight, sample)
