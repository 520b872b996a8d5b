"""Ways to write dates, drawn at random."""

from __future__ import annotations

from hypothesis import strategies as st

from frote.table.spelling import DateSpelling

__all__ = ["date_spellings"]


def date_spellings(units):
    """Draw spellings whose smallest unit is one of these."""
    return st.builds(
        DateSpelling,
        day_first=st.booleans(),
        separator=st.sampled_from("/.-"),
        padded=st.booleans(),
        padded_hour=st.booleans(),
        unit=st.sampled_from(units),
    )
