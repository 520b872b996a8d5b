"""Frames cut into partitions, uneven and empty ones among them."""

from __future__ import annotations

import itertools

import dask.dataframe as dd
import numpy as np
import pandas as pd
from hypothesis import strategies as st

import dask


def cut(frame, ends):
    """Return a Dask frame, or series, of the parts of a frame between some positions."""
    ends = [0, *ends, len(frame)]
    parts = [frame.iloc[start:end] for start, end in itertools.pairwise(ends)]
    with dask.config.set({"dataframe.convert-string": False}):  # columns are what they are, objects too
        return dd.from_map(lambda place: parts[place], range(len(parts)), meta=frame.iloc[:0])


def evenly(frame, count):
    """Return a Dask frame of so many partitions; with more than there are rows, some are empty."""
    return cut(frame, np.linspace(0, len(frame), count + 1).astype(int)[1:-1].tolist())


@st.composite
def ends_in(draw, rows):
    """Draw where partitions end."""
    return sorted(draw(st.lists(st.integers(0, rows), max_size=4)))


def whole(parts):
    """Return a Dask frame as one frame in memory, as pandas would put it together."""
    return pd.concat([part.compute() for part in parts.partitions])
