"""Result files: one line of JSON per run. What is there is not run again; a line that was cut off is left out."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from joblib import Parallel, delayed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

__all__ = ["read", "run_missing"]


def read(path: Path) -> list[dict[str, Any]]:
    """Read the results there are."""
    lines = []
    for text in path.read_text("utf-8").splitlines() if path.exists() else []:
        try:
            lines.append(json.loads(text))
        except json.JSONDecodeError:
            print(f"left out a line that was cut off: {text[:40]}...")
    return lines


def run_missing(
    path: Path,
    keys: Iterable[dict[str, Any]],
    run: Callable[[dict[str, Any]], dict[str, Any]],
    shown: Callable[[dict[str, Any]], Any],
    n_jobs: int,
) -> None:
    """Run what is missing and write each result as it comes.

    Parameters
    ----------
    path : Path
        The result file.

    keys : iterable of dict
        The settings of all runs; a line belongs to a run if it has all of its settings.

    run : callable
        Makes a run and returns what came of it, its settings left out.

    shown : callable
        What to print of a result.

    n_jobs : int
        How many runs at a time.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    wanted = list(keys)
    names = list(wanted[0])
    done = {tuple(line.get(name) for name in names) for line in read(path)}
    missing = [key for key in wanted if tuple(key.values()) not in done]
    print(f"{len(wanted) - len(missing)} runs done, {len(missing)} to go", flush=True)
    path.parent.mkdir(exist_ok=True)
    results = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(delayed(_line)(run, key) for key in missing)
    with path.open("a", encoding="utf-8") as file:
        for line in results:
            file.write(json.dumps(line) + "\n")
            file.flush()
            print(*(line[name] for name in names), shown(line), flush=True)


def _line(run: Callable[[dict[str, Any]], dict[str, Any]], key: dict[str, Any]) -> dict[str, Any]:
    return {**key, **run(key)}
