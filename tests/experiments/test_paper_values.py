"""The paper's numbers: compared one by one with the paper's own source, where that is there."""

from __future__ import annotations

import json
import math
import re
from importlib import resources
from pathlib import Path

import pytest

from frote_experiments.models import BATCH_SIZES, PAPER_MODELS
from frote_experiments.paper_values import printed_data_sets, printed_in, printed_name, printed_wins

CONTENT = json.loads(resources.files("frote_experiments").joinpath("paper_values.json").read_text("utf-8"))
LABELS = [label for label in CONTENT["tables"] if label != "tab:datasets"]
DATA = {
    r"B\.~?\s?Cancer|Breast ?[Cc]ancer": "breast_cancer",
    r"Mushr\.|Mushroom": "mushroom",
    "Adult": "adult",
    "Wine": "wine_quality_white",
    r"Contracep\.|Contraceptive": "contraceptive",
    "Nursery": "nursery",
    "Splice": "splice",
    "Car": "car",
}
METHODS = {
    "BPrand": "random",
    "BPIP": "ip",
    "Overlay-Soft": "overlay-soft",
    "Overlay-Hard": "override",
    "FROTE": "published",
}
QUANTITIES = {
    r"overline{J}": "objective",
    "MRA": "agreement",
    "mra": "agreement",
    "F-Score": "f1",
    r"#Ins": "rows_added",
}
TOKEN = re.compile(
    rf"(?P<data>{'|'.join(DATA)})|\b(?P<model>LR|RF|LGBM)\b|p=(?P<p>[\d.]+)|\$(?P<mean>[^$]*?)\\pm(?P<std>[^$]*?)\$"
)


@pytest.fixture(scope="module")
def source():
    found = sorted((Path(__file__).parents[3] / "shared" / "paper").glob("*.txt"))
    if not found:
        pytest.skip("the paper's source is not here")
    return "".join(path.read_text("utf-8") for path in found)


def tabular(source, label):
    before = source[: source.index(rf"\label{{{label}}}")]
    return before[before.rindex(r"\begin{tabular}") :]


def our_name(text):
    return next(name for pattern, name in DATA.items() if re.fullmatch(pattern, text))


def number(text):
    return text.replace(r"\mathllap", "").replace(r"\shortminus", "-").replace(" ", "")


def printed(source, label):
    """Read a table: for each cell its row, its column, and mean and standard deviation as they are written."""
    text = tabular(source, label)
    rows, data, model, cells = [], "", "LR", []
    for token in TOKEN.finditer(text):
        if token["data"]:
            data = our_name(token["data"])
        elif token["mean"] is not None:
            cells.append((number(token["mean"]), number(token["std"])))
        else:
            model, cells = token["model"] or "LR", []
            rows.append((data, model, token["p"], cells))
    width = len(rows[0][3])
    methods = re.findall("|".join(METHODS), text)[:width]
    quantities = [QUANTITIES[found.lstrip("\\")] for found in re.findall(r"overline{J}|MRA|mra|F-Score|\\#Ins", text)]
    columns = [quantities[at * len(quantities) // width] for at in range(width)]
    return {
        (label, data, model, METHODS[methods[at]] if methods else f"p={p}", columns[at]): cell
        for data, model, p, cells in rows
        for at, cell in enumerate(cells)
    }


@pytest.mark.parametrize("label", LABELS)
def test_every_number_of_a_table_is_as_printed(source, label):
    expected = printed(source, label)
    ours = {
        tuple(line[name] for name in ("table", "data", "model", "method", "quantity")): line
        for line in CONTENT["values"]
        if line["table"] == label
    }
    assert ours.keys() == expected.keys()
    for key, (mean, std) in expected.items():
        line = ours[key]
        assert str(line["mean"]) == str(float(mean)), key  # the minus of -0.000 too
        if "printed" in line:
            assert line["printed"] == f"{mean} ± {std}"
            assert line["remark"]
        else:
            assert line["std"] == float(std), key


def test_the_tables_are_all_there_and_numbered_in_their_order(source):
    labels = re.findall(r"\\label{(tab(?:le)?:[^}]*)}", source)
    assert labels == sorted(CONTENT["tables"], key=labels.index)
    assert len(CONTENT["values"]) == sum(len(printed(source, label)) for label in LABELS)
    for position, label in enumerate(labels, start=1):
        assert re.match(rf"Table {position}\b", CONTENT["tables"][label]["name"])
        caption = source[: source.index(rf"\label{{{label}}}")].rpartition(r"\caption{")[2]
        assert (CONTENT["tables"][label]["runs"] == "50 runs") == bool(re.search(r"from \$?50\$? runs", caption))


def test_the_properties_of_the_data_sets_are_as_printed(source):
    text = tabular(source, "tab:datasets")
    rows = re.findall(r"([A-Z][\w ()]+?)\s*& (\d+) & (\d+)\(([\d-]+)/([\d-]+)\) & (\d+)", text)
    names = [our_name(name.replace(" Quality (white)", "")) for name, *_ in rows]
    assert names == list(printed_data_sets())
    for name, (_, *facts) in zip(names, rows, strict=True):
        assert list(printed_data_sets()[name].values()) == [0 if fact == "-" else int(fact) for fact in facts]


def test_the_record_of_wins_is_as_printed_and_follows_from_table_3(source):
    assert f"is {'-'.join(map(str, printed_wins()))})" in source
    means = printed_in("table:IPvsAll").set_index(["data", "model", "method"])["paper_mean"]
    gaps = [
        round(means[data, model, "random"] - means[data, model, "ip"], 3)
        for data in BATCH_SIZES
        for model in PAPER_MODELS
    ]
    assert (sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps), gaps.count(0)) == printed_wins()


def test_what_two_tables_print_is_the_same():
    keys = ["data", "model", "method", "quantity"]
    once, again = (printed_in(label).set_index(keys) for label in ("table:IPvsAll", "table:IPvsAllTMain"))
    assert (again.loc[once.index, ["paper_mean", "paper_std"]] == once[["paper_mean", "paper_std"]]).all(axis=None)
    both = printed_in("table:IPvsAll", "table:IPvsAllTMain")
    assert not both.duplicated(keys).any()
    assert len(both) == len(again)


def test_names_are_ours_and_odd_numbers_are_remarked():
    values = printed_in(*LABELS)
    assert set(values["data"]) == set(BATCH_SIZES)
    assert set(values["model"]) == set(PAPER_MODELS)
    odd = values[values["remark"] != ""]
    assert odd["remark"].str.startswith("printed ").all()
    assert odd["remark"].str.contains("0344").sum() == 1
    assert odd["remark"].str.contains("0.880 ± 0.238").sum() == 1
    assert all(math.isfinite(value) for value in values[["paper_mean", "paper_std"]].to_numpy().ravel())
    assert printed_name("tab:datasets") == "Table 1"
