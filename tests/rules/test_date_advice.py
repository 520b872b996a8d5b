"""What is said of dates that are not written as rules write them, in rules and in the data."""

from __future__ import annotations

import pandas as pd
import pytest

from frote import BindingError, parse_rules
from frote.rules.date_advice import date_advice


def test_advice():
    assert date_advice("01/01/2023") == "write dates as 2023-01-01"  # the same either way
    assert date_advice("31/01/2023 9:30") == "write dates as '2023-01-31 09:30:00'"
    for text in ("99/99/2023", "2023-13-01", "01/06/23", "car"):
        assert date_advice(text) == "write dates as 2024-01-31"


def test_dates_as_texts_can_be_named_as_they_are():
    frame = pd.DataFrame({"seen": ["02/08/2022", "31/12/2022"], "iso": ["2022-08-02", "2022-12-31"]})
    rules = parse_rules("IF seen = '31/12/2022' OR seen = '01/01/2023' THEN a\nIF iso = 2023-01-01 THEN a").bind(frame)
    assert rules[0].mask(frame).tolist() == [False, True]
    with pytest.raises(
        BindingError, match=r"look like dates written dd/mm/yyyy\. Write them as 2022-08-02 in the data"
    ):
        parse_rules("IF seen IN {'31/12/2022', 2022-08-02} THEN a").bind(frame)
    with pytest.raises(BindingError, match="holds categories, which have no order"):
        parse_rules("IF iso > 2022-08-02 THEN a").bind(frame)
