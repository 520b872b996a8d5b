"""Runs whose results are lines of JSON in a file: those that the file lacks are made, each is written as it ends."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

__all__ = ["all_lines"]


def all_lines(
    path: Path, wanted: Iterable[tuple[str, str, int]], run: Callable[[str, str, int], list[dict[str, Any]]]
) -> list[dict[str, Any]]:
    """Make the runs that a file lacks, by data set, model and draw, and return the lines of all.

    Parameters
    ----------
    path : Path
        The file, which need not be there.

    wanted : iterable of (str, str, int)
        The runs.

    run : callable
        Makes one, and returns its lines.

    Returns
    -------
    list of dict
    """
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    done = {(one["dataset"], one["model"], one["draw"]) for one in lines}
    for key in wanted:
        if key not in done:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = run(*key)
            lines += found
            with path.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(one) + "\n" for one in found)
    return lines
