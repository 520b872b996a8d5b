"""Which cells of delimited text mean that a value is missing."""

from __future__ import annotations

__all__ = ["MISSING"]

# Those that pandas takes for missing, fixed here so that they do not change with its version.
MISSING = frozenset(
    {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA"}
    | {"NULL", "NaN", "None", "n/a", "nan", "null"}
)
