from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

SAMPLES = Path(__file__).parent / "samples"

# names, raw and ours, of the columns that OpenML declares numeric
NUMERIC = {
    *("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"),
    *("capital_gain", "capital_loss", "hours_per_week"),
    *(f"V{place}" for place in range(1, 31)),
    *("Wifes_age", "Number_of_children_ever_born"),
}


def as_fetched(texts, numeric):
    """Give texts the types of fetch_openml: numbers, categories, NaN where a question mark stands."""
    cells = texts.mask(texts == "?")
    typed = {name: pd.to_numeric(cells[name]) if name in numeric else cells[name] for name in texts}
    return pd.DataFrame(typed).astype({name: "category" for name in texts if name not in numeric})


@pytest.fixture
def raw_sample():
    """A function from a record to a few recorded rows of its raw form."""

    def read(record):
        texts = pd.read_csv(SAMPLES / f"{record.name}_raw.csv", dtype=str, keep_default_na=False)
        return as_fetched(texts, NUMERIC)

    return read


@pytest.fixture
def clean_sample():
    """A function from a record to the CSV text that its raw sample becomes."""
    return lambda record: (SAMPLES / f"{record.name}_clean.csv").read_text("utf-8")


@pytest.fixture
def raw_whole():
    """A function that turns a whole cleaned data set back into the raw form that OpenML is taken to have."""

    def spoil(cleaned, record):
        frame = cleaned.copy()
        if record.name == "adult":
            frame.insert(2, "fnlwgt", "1")
            frame.insert(4, "education-num", "1")
            frame.loc[0, "fnlwgt"] = "77516"
            gap = frame.iloc[[5]].assign(workclass="?")
            frame = pd.concat([frame.iloc[30_162:], gap, frame.iloc[:30_162]])
        if record.name == "mushroom":
            frame.insert(15, "veil-type", "p")
        if record.name == "splice":
            frame.insert(0, "Instance_name", "X")
        if record.openml.level_order:
            frame = frame.iloc[::-1]
        theirs = {ours: raw for raw, ours in record.openml.rename_labels.items()}
        frame[record.target] = [theirs.get(label, label) for label in frame[record.target]]
        ours = {name for name, kind in record.columns.items() if kind == "numeric"}
        return as_fetched(frame.reset_index(drop=True), NUMERIC | ours)

    return spoil
