from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from frote.datasets import PAPER_DATASETS
from frote.datasets.cleaning import clean, csv_text, tidy_name
from frote.datasets.registry import paper_record
from frote.exceptions import DatasetError


@pytest.mark.parametrize("name", PAPER_DATASETS)
def test_the_recorded_raw_rows_become_the_files_rows(name, raw_sample, clean_sample):
    record = paper_record(name)
    assert csv_text(clean(raw_sample(record), record)) == clean_sample(record)


@pytest.mark.parametrize("name", PAPER_DATASETS)
def test_cleaning_leaves_the_raw_frame_alone(name, raw_sample):
    raw = raw_sample(paper_record(name))
    before = raw.copy(deep=True)
    clean(raw, paper_record(name))
    pd.testing.assert_frame_equal(raw, before)


@pytest.mark.parametrize("name", PAPER_DATASETS)
def test_the_whole_data_set_in_raw_form_gets_its_checksum(name, data_folder, raw_whole):
    record = paper_record(name)
    cleaned = pd.read_csv(Path(data_folder) / record.file, dtype=str, keep_default_na=False)
    text = csv_text(clean(raw_whole(cleaned, record), record))
    assert hashlib.sha256(text.encode()).hexdigest() == record.csv_sha256


@pytest.mark.parametrize("name", ["car", "nursery"])
def test_any_order_of_rows_will_do_where_rows_are_a_product(name, raw_sample, clean_sample):
    record = paper_record(name)
    shuffled = raw_sample(record).sample(frac=1, random_state=1)
    assert csv_text(clean(shuffled, record)) == clean_sample(record)


def test_adult_may_also_come_in_our_order(raw_sample, clean_sample):
    record = paper_record("adult")
    raw = raw_sample(record)
    turned = pd.concat([raw.iloc[5:], raw.iloc[:5]])
    assert csv_text(clean(turned, record)) == clean_sample(record)


def test_a_full_stop_and_spaces_around_values_go(raw_sample, clean_sample):
    record = paper_record("adult")
    raw = raw_sample(record)
    raw["class"] = [f" {label}." for label in raw["class"]]
    assert csv_text(clean(raw, record)) == clean_sample(record)


def test_columns_with_our_names_may_come_in_any_order(raw_sample, clean_sample):
    record = paper_record("car")
    raw = raw_sample(record)
    turned = raw[["safety", "buying", "doors", "maint", "lug_boot", "persons", "class"]]
    assert csv_text(clean(turned, record)) == clean_sample(record)


@pytest.mark.parametrize("name", ["wine_quality_white", "breast_cancer"])
def test_labels_that_are_ours_already_stay(name, raw_sample, clean_sample):
    record = paper_record(name)
    raw = raw_sample(record)
    raw["Class"] = [record.openml.rename_labels[label] for label in raw["Class"]]
    assert csv_text(clean(raw, record)) == clean_sample(record)


def test_codes_may_come_as_numbers(raw_sample, clean_sample):
    record = paper_record("contraceptive")
    raw = raw_sample(record).astype("float64")
    assert csv_text(clean(raw, record)) == clean_sample(record)


def test_the_last_bit_of_a_number_does_not_show(raw_sample, clean_sample):
    record = paper_record("wine_quality_white")
    raw = raw_sample(record)
    raw["V8"] = np.nextafter(raw["V8"], 2)
    assert csv_text(clean(raw, record)) == clean_sample(record)


def test_a_number_is_written_as_the_source_writes_it_in_its_place_only(raw_sample):
    record = paper_record("wine_quality_white")
    source = replace(record.openml, as_written=((5, "alcohol", "8.0"), (0, "alcohol", "8.0")))
    cleaned = clean(raw_sample(record), replace(record, openml=source))
    assert cleaned["alcohol"].tolist()[::5] == ["8.8", "8.0"]


def test_another_number_of_columns_is_refused(raw_sample):
    record = paper_record("breast_cancer")
    with pytest.raises(DatasetError, match="it has 29 columns instead of 30: v2, v3"):
        clean(raw_sample(record).drop(columns="V1"), record)


def test_unexpected_gaps_are_refused(raw_sample):
    record = paper_record("contraceptive")
    raw = raw_sample(record)
    raw.loc[2, "Wifes_education"] = None
    with pytest.raises(DatasetError, match="it has missing values in 'wife_edu'"):
        clean(raw, record)


def test_unexpected_levels_are_refused(raw_sample):
    record = paper_record("car")
    raw = raw_sample(record)
    raw["doors"] = "many"
    with pytest.raises(DatasetError, match="its column 'doors' has the unknown values 'many'"):
        clean(raw, record)


def test_names_that_cannot_be_told_apart_are_refused():
    raw = pd.DataFrame({"A": ["1"], "a": ["2"], "class": ["acc"]})
    with pytest.raises(DatasetError, match="two raw columns have the same name"):
        clean(raw, paper_record("car"))


@pytest.mark.parametrize(
    ("raw", "ours"),
    [("pH", "ph"), ("fixed acidity", "fixed_acidity"), ("'cap-shape'", "cap_shape"), ("bruises?", "bruises")],
)
def test_a_name_is_tidied(raw, ours):
    assert tidy_name(raw) == ours
