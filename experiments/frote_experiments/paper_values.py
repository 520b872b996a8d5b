"""The numbers that the paper prints in its tables, read once from ``paper_values.json``.

No other value of the paper stands anywhere else.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

import pandas as pd

__all__ = ["printed_data_sets", "printed_in", "printed_name", "printed_wins"]

KEYS = ("data", "model", "method", "quantity")


def printed_in(*tables: str) -> pd.DataFrame:
    """Return what some of the paper's tables print.

    Parameters
    ----------
    *tables : str
        Labels of the tables in the paper's source; of a number that two of them print, the first counts.

    Returns
    -------
    DataFrame
        Columns `data`, `model`, `method`, `quantity`, `paper_mean`, `paper_std`, and `remark` where something about
        the printed number is odd.

    Examples
    --------
    >>> first = printed_in("table:probrules").to_dict("records")[0]
    >>> first["data"], first["method"], first["quantity"], first["paper_mean"], first["paper_std"]
    ('mushroom', 'p=0.4', 'agreement', 0.206, 0.344)
    """
    lines = [
        {name: line[name] for name in KEYS}
        | {"paper_mean": line["mean"], "paper_std": line["std"]}
        | {"remark": f"printed {line['printed']}; {line['remark']}" if "remark" in line else ""}
        for table in tables
        for line in _content()["values"]
        if line["table"] == table
    ]
    return pd.DataFrame(lines).drop_duplicates(list(KEYS), ignore_index=True)


def printed_name(table: str) -> str:
    """Return what a table is called in the paper, and what its means are over.

    Examples
    --------
    >>> printed_name("table:overlay")
    'Table 2 (50 runs)'
    """
    about = _content()["tables"][table]
    return f"{about['name']} ({about['runs']})" if about["runs"] else str(about["name"])


def printed_data_sets() -> dict[str, dict[str, int]]:
    """Return the properties of the data sets that Table 1 prints.

    Examples
    --------
    >>> printed_data_sets()["breast_cancer"]
    {'rows': 569, 'features': 32, 'numeric': 32, 'nominal': 0, 'labels': 2}
    """
    lines: list[dict[str, Any]] = _content()["datasets"]
    return {line["data"]: {name: value for name, value in line.items() if name != "data"} for line in lines}


def printed_wins() -> tuple[int, int, int]:
    """Return how often the paper has random selection ahead, the integer program ahead, and neither.

    Examples
    --------
    >>> printed_wins()
    (11, 8, 5)
    """
    record = _content()["win_loss_tie"]
    return record["random"], record["ip"], record["tie"]


@cache
def _content() -> dict[str, Any]:
    values: dict[str, Any] = json.loads(
        resources.files("frote_experiments").joinpath("paper_values.json").read_text("utf-8")
    )
    return values
