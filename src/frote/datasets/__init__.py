"""Data to try frote on: generated loan applications, and the eight data sets of the paper."""

from __future__ import annotations

from frote.datasets.dataset import Dataset
from frote.datasets.loans import load_loans
from frote.datasets.paper import load
from frote.datasets.registry import PAPER_DATASETS

__all__ = ["PAPER_DATASETS", "Dataset", "load", "load_loans"]
