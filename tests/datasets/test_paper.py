from __future__ import annotations

import gzip
import hashlib
import logging
import warnings
from dataclasses import replace
from urllib.error import URLError

import pandas as pd
import pytest
from sklearn.utils import Bunch

from frote.datasets import PAPER_DATASETS, load, paper
from frote.datasets.registry import OpenMLSource, PaperRecord, paper_record
from frote.exceptions import DatasetError

TEXT = "size,shape,weight,kind\n1,?,0.5,N\n2,round,8.0,N\n10,flat,2,Y\n"


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


TINY = PaperRecord(
    name="tiny",
    title="Tiny",
    source="Made up",
    licence="CC0",
    file="tiny.csv",
    sha256=digest(TEXT.encode()),
    csv_sha256=digest(TEXT.encode()),
    rows=3,
    columns={"size": "numeric", "shape": "nominal", "weight": "numeric"},
    target="kind",
    labels={"N": 2, "Y": 1},
    openml=OpenMLSource(7, "tiny", 1, missing="keep", as_written=((1, "weight", "8.0"),)),
)


def fetched() -> Bunch:
    data = pd.DataFrame({"V1": [1, 2, 10], "V2": ["?", "round", "flat"], "V3": [0.5, 8.0, 2.0]})
    return Bunch(data=data, target=pd.Series(["N", "N", "Y"], name="Class"))


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """A registry of one record; no folder is set and the network is away, unless the test says otherwise."""
    monkeypatch.delenv("FROTE_DATA", raising=False)
    monkeypatch.setattr(paper, "paper_record", lambda _: TINY)
    monkeypatch.setattr(paper, "fetch_openml", offline)
    return tmp_path


def offline(**options):
    raise URLError("no route to host")


def check_tiny(dataset):
    assert (dataset.X["size"].dtype, dataset.X["weight"].dtype) == ("int64", "float64")
    assert dataset.X["weight"].tolist() == [0.5, 8.0, 2.0]
    assert list(dataset.X["shape"].cat.categories) == ["?", "flat", "round"]
    assert dataset.y.tolist() == ["N", "N", "Y"]
    assert dataset.y.name == "kind"


def test_from_the_folder(tiny, monkeypatch):
    (tiny / "tiny.csv").write_bytes(TEXT.encode())
    monkeypatch.setenv("FROTE_DATA", str(tiny))
    check_tiny(load("tiny"))


def test_from_the_folder_packed(tiny, monkeypatch):
    packed = gzip.compress(TEXT.encode())
    record = replace(TINY, file="tiny.csv.gz", sha256=digest(packed))
    monkeypatch.setattr(paper, "paper_record", lambda _: record)
    (tiny / "tiny.csv.gz").write_bytes(packed)
    monkeypatch.setenv("FROTE_DATA", str(tiny))
    check_tiny(load("tiny"))


def test_from_openml(tiny, monkeypatch):
    asked = {}

    def fetch(**options):
        asked.update(options)
        return fetched()

    monkeypatch.setattr(paper, "fetch_openml", fetch)
    check_tiny(load("tiny"))
    assert asked["data_id"] == 7


def test_both_ways_give_the_same_table(tiny, monkeypatch):
    monkeypatch.setattr(paper, "fetch_openml", lambda **_: fetched())
    online = load("tiny")
    (tiny / "tiny.csv").write_bytes(TEXT.encode())
    monkeypatch.setenv("FROTE_DATA", str(tiny))
    monkeypatch.setattr(paper, "fetch_openml", offline)
    local = load("tiny")
    pd.testing.assert_frame_equal(online.X, local.X)
    pd.testing.assert_series_equal(online.y, local.y)


def test_without_folder_and_network_the_error_says_both_ways(tiny):
    with pytest.raises(DatasetError) as caught:
        load("tiny")
    assert str(caught.value) == (
        "Cannot load 'tiny'. "
        "Either set FROTE_DATA to a folder that holds tiny.csv; now FROTE_DATA is not set. "
        "Or go online, where OpenML has it as data set 7; "
        "now it cannot be fetched (URLError: <urlopen error no route to host>)."
    )


def test_a_folder_that_is_none(tiny, monkeypatch):
    monkeypatch.setenv("FROTE_DATA", str(tiny / "nowhere"))
    with pytest.raises(DatasetError, match=r"now FROTE_DATA is '.*nowhere', which is not a folder"):
        load("tiny")


def test_a_file_that_is_missing(tiny, monkeypatch):
    monkeypatch.setenv("FROTE_DATA", str(tiny))
    with pytest.raises(DatasetError, match=r"now there is no tiny\.csv in '"):
        load("tiny")


def test_a_file_that_cannot_be_read(tiny, monkeypatch):
    (tiny / "tiny.csv").mkdir()
    monkeypatch.setenv("FROTE_DATA", str(tiny))
    with pytest.raises(DatasetError, match=r"now tiny\.csv in '.*' cannot be read \("):
        load("tiny")


def test_a_file_that_is_damaged(tiny, monkeypatch):
    (tiny / "tiny.csv").write_bytes(b"size\n1\n")
    monkeypatch.setenv("FROTE_DATA", str(tiny))
    found, expected = digest(b"size\n1\n")[:12], TINY.sha256[:12]
    with pytest.raises(DatasetError, match=rf"has the SHA-256 {found}\.\.\. instead of {expected}\.\.\.\. Or"):
        load("tiny")


def test_a_file_that_cannot_be_unpacked(tiny, monkeypatch):
    record = replace(TINY, file="tiny.csv.gz", sha256=digest(b"no gzip"))
    monkeypatch.setattr(paper, "paper_record", lambda _: record)
    (tiny / "tiny.csv.gz").write_bytes(b"no gzip")
    monkeypatch.setenv("FROTE_DATA", str(tiny))
    with pytest.raises(DatasetError, match=r"now tiny\.csv\.gz in '.*' cannot be unpacked \("):
        load("tiny")


def test_a_useless_folder_is_logged_when_openml_has_the_data(tiny, monkeypatch, caplog):
    monkeypatch.setenv("FROTE_DATA", str(tiny))
    monkeypatch.setattr(paper, "fetch_openml", lambda **_: fetched())
    with caplog.at_level(logging.WARNING, logger="frote"):
        check_tiny(load("tiny"))
    assert "there is no tiny.csv" in caplog.text


def test_other_data_on_openml_are_refused(tiny, monkeypatch):
    other = fetched()
    other.data.loc[0, "V3"] = 0.25
    monkeypatch.setattr(paper, "fetch_openml", lambda **_: other)
    expected = TINY.csv_sha256[:12]
    with pytest.raises(DatasetError, match=rf"now what OpenML has, cleaned, .* instead of {expected}\.\.\.\.$"):
        load("tiny")


def test_another_form_on_openml_is_refused(tiny, monkeypatch):
    other = fetched()
    other.data = other.data.drop(columns="V2")
    monkeypatch.setattr(paper, "fetch_openml", lambda **_: other)
    with pytest.raises(DatasetError, match=r"now it has 2 columns instead of 3: v1, v3\.$"):
        load("tiny")


def test_warnings_of_the_fetcher_do_not_reach_the_user(tiny, monkeypatch, recwarn):
    def fetch(**options):
        warnings.warn("retrying", stacklevel=1)
        return fetched()

    monkeypatch.setattr(paper, "fetch_openml", fetch)
    check_tiny(load("tiny"))
    assert not recwarn.list


@pytest.mark.parametrize("name", PAPER_DATASETS)
def test_the_papers_data_sets_are_as_recorded(name, data_folder):
    record = paper_record(name)
    dataset = load(name)
    assert dataset.name == name
    assert dataset.X.shape == (record.rows, len(record.columns))
    assert list(dataset.X.columns) == list(record.columns)
    for column, kind in record.columns.items():
        if kind == "nominal":
            levels = list(dataset.X[column].cat.categories)
            assert levels == sorted(levels)
            assert all(isinstance(level, str) for level in levels)
        else:
            assert dataset.X[column].dtype in ("int64", "float64")
    assert not dataset.X.isna().any(axis=None)
    assert dataset.y.value_counts().to_dict() == dict(record.labels)
    assert dataset.y.name == record.target
    assert dataset.rules_text == ""


def test_whole_numbers_are_integers_and_others_are_not(data_folder):
    assert load("contraceptive").X["wife_age"].dtype == "int64"
    assert set(load("wine_quality_white").X.dtypes) == {pd.Series([0.5]).dtype}
