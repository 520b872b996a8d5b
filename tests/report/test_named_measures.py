"""What a report calls a measure is one that the page knows: another is refused, and does not break the page."""

from __future__ import annotations

from typing import get_args

from frote.judging.trade import MEASURES
from frote.report.contents import SeedName, TradeName
from frote.report.page import SEED_MEASURES


def test_the_page_knows_every_measure_of_a_report_and_no_other():
    assert set(get_args(TradeName)) == set(MEASURES)
    assert set(get_args(SeedName)) == set(SEED_MEASURES)
