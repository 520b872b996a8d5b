from __future__ import annotations

import json
from pathlib import Path

import pytest

from frote.datasets import PAPER_DATASETS
from frote.datasets.registry import paper_record
from frote.exceptions import DatasetError


def test_there_are_the_papers_eight():
    assert len(PAPER_DATASETS) == len(set(PAPER_DATASETS)) == 8


@pytest.mark.parametrize("name", PAPER_DATASETS)
def test_a_record_is_consistent(name):
    record = paper_record(name)
    assert record.name == name
    assert sum(record.labels.values()) == record.rows
    assert set(record.columns.values()) <= {"numeric", "nominal"}
    assert record.target not in record.columns
    assert len(record.sha256) == len(record.csv_sha256) == 64
    assert set(record.openml.level_order) <= set(record.columns)
    assert set(record.openml.rename_labels.values()) in (set(), set(record.labels))
    assert record.licence in record.description


@pytest.mark.parametrize("name", PAPER_DATASETS)
def test_a_record_says_what_the_folder_says(name, data_folder):
    facts = json.loads((Path(data_folder) / "datasets.json").read_text("utf-8"))["datasets"][name]
    record = paper_record(name)
    assert (record.file, record.sha256, record.csv_sha256) == (
        facts["file"],
        facts["sha256"],
        facts["csv_sha256"],
    )
    assert (record.title, record.source, record.licence) == (
        facts["title"],
        facts["source"],
        facts["licence"],
    )
    assert (record.rows, record.target, dict(record.labels)) == (
        facts["n_rows"],
        facts["target"],
        facts["label_counts"],
    )
    for kind in ("numeric", "nominal"):
        assert [column for column, its in record.columns.items() if its == kind] == facts[kind]


def test_a_shared_record_cannot_be_changed():
    with pytest.raises(TypeError):
        paper_record("car").columns["doors"] = "numeric"


def test_an_unknown_name_gets_the_near_ones():
    with pytest.raises(DatasetError, match=r"^No data set 'Adults'. Did you mean 'adult'\?$"):
        paper_record("Adults")


def test_a_name_like_none_gets_the_known_ones():
    with pytest.raises(DatasetError, match=r"Known: 'adult', 'breast_cancer'"):
        paper_record("zzz")
