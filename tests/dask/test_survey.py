"""One pass tells what the whole in memory would, in whatever order partitions come; what is wrong is one sentence."""

from __future__ import annotations

import itertools
import re
from functools import partial

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from tests.dask.partitions import cut, ends_in, evenly
from tests.examples import examples
from tests.table.test_round_trips import PANDAS, columns

import dask
from frote.dask.survey import Survey, _Looking
from frote.exceptions import TableError
from frote.table import Kind, Table


def frame_of(chosen):
    series = {name: pd.Series(values, dtype=dtype) for name, (values, dtype) in chosen.items()}
    return pd.DataFrame(series)


@st.composite
def frames(draw):
    """Draw a frame of any types, more rows than `columns` draws, and where its partitions end."""
    frame = frame_of(draw(columns(PANDAS)))
    rows = draw(st.lists(st.integers(0, max(len(frame) - 1, 0)), max_size=12)) if len(frame) else []
    frame = frame.iloc[rows].reset_index(drop=True)
    return frame, draw(ends_in(len(frame)))


def looked_at(frame, ends, kinds=None):
    ends = [0, *ends, len(frame)]
    looking = _Looking(frame.iloc[:0], None, {name: Kind(kind) for name, kind in (kinds or {}).items()})
    return looking, [
        looking.at(place, frame.iloc[start:end]) for place, (start, end) in enumerate(itertools.pairwise(ends))
    ]


@settings(max_examples=examples(300))
@given(frames())
def test_it_is_what_the_whole_in_memory_is(drawn):
    frame, ends = drawn
    survey, whole = Survey.of(cut(frame, ends)), Table.from_frame(frame)
    assert survey.schema == whole.schema
    assert [column.levels for column in survey.schema] == [column.levels for column in whole.schema]
    assert sum(survey.lengths) == len(frame)
    start = 0
    for rows in survey.lengths:
        part = survey.typed(frame.iloc[start : start + rows])
        for column in whole.schema:
            theirs = whole.take(np.arange(start, start + rows))[column.name]
            assert part[column.name].values.dtype == theirs.values.dtype
            assert_array_equal(part[column.name].gaps(), theirs.gaps())
            assert_array_equal(part[column.name].present, theirs.present)
        start += rows


@settings(max_examples=examples(200))
@given(frames(), st.randoms(use_true_random=False))
def test_parts_are_joined_in_any_order(drawn, chance):
    frame, ends = drawn
    looking, parts = looked_at(frame, ends)
    at_once = looking.joined(parts)
    while len(parts) > 1:
        chance.shuffle(parts)
        count = chance.randint(2, len(parts))
        parts = [*parts[count:], looking.joined(parts[:count])]
    (one_by_one,) = parts
    assert one_by_one.lengths == at_once.lengths
    assert one_by_one.seen == at_once.seen
    for name, witnesses in at_once.witnesses.items():
        assert_array_equal(one_by_one.witnesses[name].places, witnesses.places)
        pd.testing.assert_series_equal(one_by_one.witnesses[name].values, witnesses.values)


def test_counts_and_extremes_are_exact():
    frame = pd.DataFrame(
        {
            "age": [31, 25, 40, 25, 8, 90],
            "income": [1.5, None, -2.0, np.inf, 7.0, None],
            "purpose": ["car", "boat", None, "car", "car", "home"],
            "nothing": [np.nan] * 6,
        }
    )
    survey = Survey.of(evenly(frame, 4))
    assert survey.lengths == (1, 2, 1, 2)
    assert survey.starts == (0, 1, 3, 4)
    age, income, purpose, nothing = survey.seen.values()
    assert (age.low, age.high, age.missing) == (8, 90, 0)
    assert (income.low, income.high, income.missing) == (-2.0, np.inf, 2)
    assert purpose.counts == {"car": 3, "boat": 1, "home": 1}
    assert purpose.missing == 1
    assert (nothing.low, nothing.high, nothing.missing) == (None, None, 6)


def test_kinds_and_levels_that_are_said_count_as_in_memory():
    frame = pd.DataFrame({"zip": [9, 7, 7, 3], "channel": ["web", "shop", "web", "shop"]})
    said = {"kinds": {"zip": "categorical"}, "levels": {"channel": ["broker"], "zip": [5]}}
    survey = Survey.of(evenly(frame, 3), **said)
    assert survey.schema == Table.from_frame(frame, **said).schema
    assert survey.schema["zip"].levels == (3, 5, 7, 9)


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_labels_come_in_the_order_in_which_they_first_stand(scheduler):
    frame = pd.DataFrame({"age": range(6), "target": [2.0, 1.0, 2.0, 0.0, 1.0, 2.0]})
    data = evenly(frame, 3)
    with dask.config.set(scheduler=scheduler, num_workers=2):
        survey = Survey.of(data[["age"]], data["target"])
    assert survey.labels.tolist() == [2.0, 1.0, 0.0]
    assert survey.labels.dtype == np.float64


def given_parts(*parts):
    """Return a Dask frame of parts that need not fit together; it is taken to be what the first is."""
    return dd.from_map(lambda place: parts[place], range(len(parts)), meta=parts[0].iloc[:0], enforce_metadata=False)


AGES = pd.DataFrame({"age": [31, 25], "y": ["no", "yes"]})


def beside(**columns):
    return lambda: Survey.of(given_parts(AGES, pd.DataFrame(columns)))


def labelled(second):
    data = given_parts(AGES, AGES)
    labels = given_parts(AGES["y"], second)
    return lambda: Survey.of(data[["age"]], labels)


def with_unknown_categories():
    frame = dd.from_pandas(AGES, npartitions=1).astype({"y": "category"})
    return Survey.of(frame)


COLOURS = pd.DataFrame({"colour": pd.Categorical(["red", "blue"])})
FAULTS = {
    "Partition 1 of X holds column 'age' as float64, and int64 is expected. Give it one type": beside(
        age=[1.5], y=["no"]
    ),
    "Partition 1 of X has no column 'y', as others have. Give each file all columns.": beside(age=[1]),
    "Partition 1 of X has other columns than X, or in another order. Give each": beside(y=["no"], age=[1]),
    "Column 'y' of X has categories that are not known. Look for them with": with_unknown_categories,
    "Partition 1 of X has other categories in column 'colour' than are expected": lambda: Survey.of(
        given_parts(COLOURS, COLOURS.iloc[::-1].assign(colour=pd.Categorical(["red", "blue"], ["red", "blue"])))
    ),
    "Partition 1 of y has no label at all. Look whether its file lacks the target": labelled(
        pd.Series([None, None], dtype=AGES["y"].dtype, name="y")
    ),
    "Partition 1 of y has a missing label at position 1 of the partition. Drop": labelled(
        pd.Series(["no", None], dtype=AGES["y"].dtype, name="y")
    ),
    "Partition 1 of y has 1 labels for 2 rows. Take X and y from one frame.": labelled(AGES["y"].iloc[:1]),
    "Partition 1 of y is int64, and": labelled(pd.Series([0, 1], name="y")),
    "X has 2 partitions and y 1. Take both from one frame": lambda: Survey.of(
        given_parts(AGES, AGES), given_parts(AGES["y"])
    ),
    "X is a Dask frame and y is no Dask series. Take both from one frame": lambda: Survey.of(
        given_parts(AGES), AGES["y"]
    ),
    "Column 'wait' holds timedelta64": lambda: Survey.of(
        given_parts(pd.DataFrame({"wait": pd.to_timedelta([1], "s")}))
    ),
    "Partition 0 of X holds Python objects (mixed-integer) in column 'any', and by partitions": lambda: Survey.of(
        cut(pd.DataFrame({"any": pd.Series([1, "a"], dtype=object)}), [])
    ),
}


@pytest.mark.parametrize("message", FAULTS)
def test_what_is_wrong_is_one_sentence(message):
    with pytest.raises(TableError, match=f"^{re.escape(message)}") as told:
        FAULTS[message]()
    assert "\n" not in str(told.value)


def test_the_first_fault_is_told_whichever_partition_comes_first():
    wrong = pd.DataFrame({"age": [1.5], "y": ["no"]})
    looking = _Looking(AGES.iloc[:0], None, {})
    parts = [looking.at(place, part) for place, part in enumerate([AGES, AGES, wrong, AGES[["age"]]])]
    faults = {str(looking.joined(order).fault[1]) for order in (parts, parts[::-1], [*parts[2:], *parts[:2]])}
    assert len(faults) == 1
    assert faults.pop().startswith("Partition 2 of X holds column 'age' as float64")


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_what_cannot_be_read_says_why(scheduler):
    data = dd.from_map(partial(broken, "no such file"), range(2), meta=AGES.iloc[:0])
    with dask.config.set(scheduler=scheduler, num_workers=2), pytest.raises(TableError) as told:
        Survey.of(data)
    assert str(told.value) == "The partitions of X cannot be had: FileNotFoundError: no such file."


def broken(why, place):
    raise FileNotFoundError(why)


def test_a_column_of_names_is_refused_before_it_fills_one_machine(monkeypatch):
    monkeypatch.setattr("frote.dask.survey.MOST_LEVELS", 3)
    frame = pd.DataFrame({"name": list("abcdef")})
    assert len(Survey.of(evenly(frame.iloc[:3], 3)).schema["name"].levels) == 3
    with pytest.raises(TableError, match=r"^Column 'name' has more than 3 distinct values\. Leave it out, or group"):
        Survey.of(evenly(frame, 6))
