"""From a data set's raw form on OpenML to the CSV text that its checksum was taken of.

Nothing here reads a file or the network: a raw frame goes in, a frame of texts comes out. The steps are
facts of the record (``paper.json``), so that one function serves all eight. The checksum is the judge of the
result: where OpenML should differ from what is assumed here, the outcome is an error and never other data.

What is known of the raw forms: for adult the columns, the values, the missing cells and the first ten rows
(OpenML 1590 begins with the rows of adult.test); for wdbc what its classes mean (1 benign, 2 malignant); for
cmc and mushroom the names of the columns. The order of the rows on OpenML has been verified for none of the
eight as a whole. It does not matter for car and nursery, which are sorted here, nor does it matter which
part of adult comes first.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas as pd

from frote.exceptions import DatasetError

if TYPE_CHECKING:
    from frote.datasets.registry import PaperRecord

__all__ = ["clean", "csv_text", "tidy_name"]

MISSING = "?"


def clean(raw: pd.DataFrame, record: PaperRecord) -> pd.DataFrame:
    """Bring a raw frame into the form of the data set's CSV file.

    Parameters
    ----------
    raw : pandas.DataFrame
        The features as OpenML has them and, as the last column, the label. It is not changed.

    record : PaperRecord
        The facts about the data set.

    Returns
    -------
    pandas.DataFrame
        The features in order and the label, every cell the text that stands in the CSV file.

    Raises
    ------
    DatasetError
        If the columns are not those of the data set, or values are missing that should not be.

    Examples
    --------
    >>> import pandas as pd
    >>> from frote.datasets.registry import paper_record
    >>> raw = pd.DataFrame({"buying": ["vhigh", "vhigh"], "maint": ["vhigh", "vhigh"], "doors": ["2", "2"],
    ...                     "persons": ["2", "2"], "lug_boot": ["small", "small"], "safety": ["med", "low"],
    ...                     "binaryClass": ["unacc", "unacc"]})
    >>> print(csv_text(clean(raw, paper_record("car"))), end="")
    buying,maint,doors,persons,lug_boot,safety,class
    vhigh,vhigh,2,2,small,low,unacc
    vhigh,vhigh,2,2,small,med,unacc
    """
    frame = _as_text(raw)
    frame = _rotated(frame, record)
    frame = _our_columns(frame, record)
    frame = _without_missing(frame, record)
    frame = _our_labels(frame, record)
    frame = _sorted(frame, record)
    return _as_written(frame.reset_index(drop=True), record)


def csv_text(frame: pd.DataFrame) -> str:
    r"""Write a cleaned frame as the CSV text that the checksums are taken of.

    Commas, one header line, ``\n`` at the end of every line, nothing quoted.

    Parameters
    ----------
    frame : pandas.DataFrame
        Cells of text.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> import pandas as pd
    >>> csv_text(pd.DataFrame({"doors": ["2", "5more"], "class": ["unacc", "acc"]}))
    'doors,class\n2,unacc\n5more,acc\n'
    """
    columns = [frame[name].tolist() for name in frame.columns]
    lines = [",".join(frame.columns), *(",".join(cells) for cells in zip(*columns, strict=True))]
    return "".join(f"{line}\n" for line in lines)


def tidy_name(name: str) -> str:
    """Give a raw column name our spelling: lower case, underscores, no question mark.

    Parameters
    ----------
    name : str
        A column's name on OpenML.

    Returns
    -------
    str
        The same name as the CSV files spell it.

    Examples
    --------
    >>> tidy_name("marital-status"), tidy_name("bruises%3F")
    ('marital_status', 'bruises')
    """
    bare = name.strip().strip("'\"").lower().replace("%3f", "").replace("?", "")
    return bare.replace("-", "_").replace(" ", "_").replace(".", "_")


def _cell_text(value: object) -> str:
    if value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        return MISSING
    if isinstance(value, int | float):
        # 15 digits undo the last-bit errors of fast number parsers; no source has that many
        number = float(format(value, ".15g"))
        return str(int(number)) if number.is_integer() else repr(number)
    return str(value).strip().strip("'\"")


def _as_text(raw: pd.DataFrame) -> pd.DataFrame:
    tidied = [tidy_name(str(name)) for name in raw.columns]
    if len(set(tidied)) < len(tidied):
        raise DatasetError(f"two raw columns have the same name among {tidied}")
    texts = (map(_cell_text, raw.iloc[:, place].tolist()) for place in range(len(tidied)))
    return pd.DataFrame({name: list(cells) for name, cells in zip(tidied, texts, strict=True)}, dtype=object)


def _rotated(frame: pd.DataFrame, record: PaperRecord) -> pd.DataFrame:
    first = record.openml.first_row
    if not first or not set(first) <= set(frame.columns):
        return frame
    is_first = pd.Series(True, index=frame.index)
    for name, text in first.items():
        is_first &= frame[name] == text
    if not is_first.any():
        return frame
    start = int(is_first.to_numpy().argmax())
    return pd.concat([frame.iloc[start:], frame.iloc[:start]])


def _our_columns(frame: pd.DataFrame, record: PaperRecord) -> pd.DataFrame:
    *features, label = frame.columns
    kept = [name for name in features if name not in record.openml.drop]
    ours = list(record.columns)
    if len(kept) != len(ours):
        raise DatasetError(f"it has {len(kept)} columns instead of {len(ours)}: {', '.join(kept)}")
    # By name where the names are ours, else by place: OpenML calls many columns V1, V2, ...
    order = ours if set(kept) == set(ours) else kept
    named = frame[[*order, label]]
    return named.set_axis([*ours, record.target], axis=1)


def _without_missing(frame: pd.DataFrame, record: PaperRecord) -> pd.DataFrame:
    if record.openml.missing == "keep":
        return frame
    gaps = (frame == MISSING).any(axis=1)
    if gaps.any() and record.openml.missing == "refuse":
        names = ", ".join(repr(name) for name in frame.columns if (frame[name] == MISSING).any())
        raise DatasetError(f"it has missing values in {names}, where there should be none")
    return frame.loc[~gaps]


def _our_labels(frame: pd.DataFrame, record: PaperRecord) -> pd.DataFrame:
    # adult.test ends its labels with a full stop
    labels = frame[record.target].str.removesuffix(".")
    frame = frame.assign(**{record.target: labels})
    frame = frame.loc[~labels.isin(record.openml.drop_labels)]
    renamed = record.openml.rename_labels
    raw = set(frame[record.target])
    # The codes of wine, 1 to 7, overlap its scores, 3 to 9: rename only what cannot be ours already
    if renamed and raw <= set(renamed) and not raw <= set(record.labels):
        frame = frame.assign(**{record.target: [renamed[label] for label in frame[record.target]]})
    return frame


def _sorted(frame: pd.DataFrame, record: PaperRecord) -> pd.DataFrame:
    order = record.openml.level_order
    if not order:
        return frame
    for name, levels in order.items():
        unknown = sorted(set(frame[name]) - set(levels))
        if unknown:
            raise DatasetError(f"its column {name!r} has the unknown values {', '.join(map(repr, unknown))}")
    keys = list(zip(*(frame[name].map(levels.index) for name, levels in order.items()), strict=True))
    return frame.iloc[sorted(range(len(keys)), key=keys.__getitem__)]


def _as_written(frame: pd.DataFrame, record: PaperRecord) -> pd.DataFrame:
    for row, name, text in record.openml.as_written:
        if row < len(frame) and float(str(frame.loc[row, name])) == float(text):
            frame.loc[row, name] = text
    return frame
