"""Load one of the paper's data sets: from a folder, or else from OpenML."""

from __future__ import annotations

import gzip
import hashlib
import io
import logging
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from sklearn.datasets import fetch_openml

from frote.datasets.cleaning import clean, csv_text
from frote.datasets.dataset import Dataset
from frote.datasets.registry import paper_record
from frote.exceptions import DatasetError

if TYPE_CHECKING:
    from frote.datasets.registry import PaperRecord

__all__ = ["load"]

FOLDER_VARIABLE = "FROTE_DATA"

logger = logging.getLogger(__name__)


def load(name: str) -> Dataset:
    """Load one of the eight data sets of the FROTE paper.

    The file is taken from the folder that the environment variable ``FROTE_DATA`` names; where that is not
    possible, from OpenML through scikit-learn, which keeps a copy in its own cache. Either way the data must
    have the recorded checksum, so both ways give the same table.

    Parameters
    ----------
    name : str
        One of :data:`~frote.datasets.PAPER_DATASETS`.

    Returns
    -------
    Dataset
        Nominal columns as categories with their levels sorted, numbers as ``int64`` where all are whole and
        as ``float64`` elsewhere, labels as text.

    Raises
    ------
    DatasetError
        If the name is unknown, or if neither way gives the data; the message says why for each.

    Examples
    --------
    >>> from frote.datasets import PAPER_DATASETS, load
    >>> PAPER_DATASETS[:3]
    ('adult', 'breast_cancer', 'nursery')
    >>> load("wine_quality")
    Traceback (most recent call last):
    ...
    frote.exceptions.DatasetError: No data set 'wine_quality'. Did you mean 'wine_quality_white'?
    """
    record = paper_record(name)
    try:
        text = _from_folder(record)
    except DatasetError as error:
        folder_reason = str(error)
    else:
        return _dataset(text, record)
    if os.environ.get(FOLDER_VARIABLE):
        logger.warning("%s; trying OpenML", folder_reason)
    try:
        text = _from_openml(record)
    except DatasetError as error:
        raise DatasetError(
            f"Cannot load {record.name!r}. "
            f"Either set {FOLDER_VARIABLE} to a folder that holds {record.file}; now {folder_reason}. "
            f"Or go online, where OpenML has it as data set {record.openml.id}; now {error}."
        ) from None  # the reasons are in the message
    return _dataset(text, record)


def _from_folder(record: PaperRecord) -> str:
    value = os.environ.get(FOLDER_VARIABLE, "")
    if not value:
        raise DatasetError(f"{FOLDER_VARIABLE} is not set")
    folder = Path(value).expanduser()
    path = folder / record.file
    if not folder.is_dir():
        raise DatasetError(f"{FOLDER_VARIABLE} is {value!r}, which is not a folder")
    if not path.exists():
        raise DatasetError(f"there is no {record.file} in {value!r}")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DatasetError(f"{record.file} in {value!r} cannot be read ({error.strerror or error})") from error
    _verify(content, record.sha256, f"{record.file} in {value!r}")
    try:
        unpacked = gzip.decompress(content) if path.suffix == ".gz" else content
        return unpacked.decode("utf-8")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise DatasetError(f"{record.file} in {value!r} cannot be unpacked ({error})") from error


def _from_openml(record: PaperRecord) -> str:
    try:
        # With a warning per retry scikit-learn says what our error says anyway
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fetched = fetch_openml(data_id=record.openml.id, as_frame=True, parser="auto", n_retries=1)
        raw = pd.concat([fetched.data, fetched.target], axis=1)
    except (OSError, ValueError, LookupError, TypeError) as error:
        # A network failure is an OSError, OpenML's refusal a ValueError, an answer of another form the rest
        raise DatasetError(f"it cannot be fetched ({type(error).__name__}: {error})") from error
    text = csv_text(clean(raw, record))
    _verify(text.encode("utf-8"), record.csv_sha256, "what OpenML has, cleaned,")
    return text


def _verify(content: bytes, expected: str, what: str) -> None:
    digest = hashlib.sha256(content).hexdigest()
    if digest != expected:
        raise DatasetError(f"{what} has the SHA-256 {digest[:12]}... instead of {expected[:12]}...")


def _dataset(text: str, record: PaperRecord) -> Dataset:
    # All as text first: "?" and "N" are values here, and pandas does not round every number correctly
    frame = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    columns = {name: _typed(frame[name], kind) for name, kind in record.columns.items()}
    return Dataset(record.name, pd.DataFrame(columns), frame[record.target], record.description)


def _typed(column: pd.Series[str], kind: str) -> pd.Series[Any]:
    if kind == "nominal":
        return column.astype(pd.CategoricalDtype(sorted(column.unique())))
    numbers = [float(cell) for cell in column]
    whole = all(number.is_integer() for number in numbers)
    return pd.Series(numbers, name=column.name, dtype="int64" if whole else "float64")
