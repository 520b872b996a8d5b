"""Result files of benchmarks: what was measured, on what machine, when and with which versions.

They lie in ``results``, one for each table; ``python benchmarks/report.py`` makes tables of them. Nothing of frote is
imported here, since one benchmark runs in an environment without it.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["FOLDER", "Heads", "keep"]

Heads: TypeAlias = "Sequence[tuple[str, str, str, str]]"  # of each column: head, value, spread, and how it is written

FOLDER = Path(__file__).parent / "results"
LIBRARIES = ("frote", "numpy", "pandas", "scipy", "scikit-learn", "lightgbm", "imbalanced-learn", "aix360")
GIGABYTE = 2**30


def keep(
    name: str,
    title: str,
    heads: Heads,
    lines: Sequence[dict[str, Any]],
    *,
    repeats: int,
    folder: Path = FOLDER,
    **settings: Any,
) -> None:
    """Write the result file of a benchmark, and print what is in it.

    Parameters
    ----------
    name : str
        What its files are called.

    title : str
        What was measured.

    heads : sequence of tuple
        The columns of its table.

    lines : sequence of dict
        What came out, line by line.

    repeats : int
        How often each thing was done; the best counts, if nothing else is said.

    folder : Path
        Where to write it.

    **settings
        What was asked for.
    """
    content = {
        "title": title,
        "measured": {
            "date": dt.date.today().isoformat(),  # the day where the machine stands
            "commit": _commit(),
            "cores": os.cpu_count(),
            "memory": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIGABYTE),
            "processor": _processor(),
            "load": round(os.getloadavg()[2], 1),
            "python": platform.python_version(),
            "repeats": repeats,
        },
        "versions": {one: found for one in LIBRARIES if (found := _version(one))},
        "settings": settings,
        "columns": [list(head) for head in heads],
        "lines": list(lines),
    }
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(f"{title} ({', '.join(f'{key} {value}' for key, value in settings.items())})")
    for line in lines:
        print("  " + ", ".join(f"{head} {_text(line[value], form)}" for head, value, _, form in heads))


def _text(value: Any, form: str) -> str:
    return "-" if value is None else value if isinstance(value, str) else format(value, form)


def _commit() -> str:
    """Return the commit that changed frote's source last."""
    command = ["git", "log", "-1", "--format=%h", "--abbrev=7", "--", "src"]
    done = subprocess.run(command, cwd=FOLDER.parents[1], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def _processor() -> str:
    """Return the model of the processor, if the system tells it."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""
