"""Reading and writing large tables: seconds of the processor and memory, against pandas, polars and PyArrow.

Mixed tables are made in a temporary folder, always the same; each is read and written by a process of its own, of which
the seconds of the reading (the best of a few times) and the largest memory count, what it imports among it. Needs some
3 GB of disk for the largest.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.csv  # type: ignore[import-untyped]

from results import keep

if TYPE_CHECKING:
    from collections.abc import Callable

MEGABYTE = 10**6
ROWS = 100_000  # that are made at once
RIVALS = ("pandas", "polars")
READERS = ("frote", "pandas", "polars", "pyarrow")
WRITERS = ("frote", "pandas")

READING = "Reading tables, in seconds of the processor and MB of memory"
WRITING = "Writing tables, in seconds of the processor and MB of memory"
HEADS = (
    ("file", "file", "", ""),
    ("MB", "size", "", ",.0f"),
    ("by", "by", "", ""),
    ("seconds", "seconds", "", ".2f"),
    ("to the faster of pandas and polars", "times", "", ".2f"),
    ("peak", "peak", "", ",.0f"),
    ("to its peak", "peaks", "", ".2f"),
    ("frame", "frame", "", ",.0f"),
    ("peak above imports / frame", "above", "", ".2f"),
)


def make(path: Path, size: float, kind: str) -> None:
    """Write a table of so many bytes: 3 columns of whole numbers, 4 of others, 5 of texts, and one of dates."""
    rng = np.random.default_rng(0)
    with path.open("wb") as file:
        while file.tell() < size:
            table = pa.table(_columns(rng, ROWS))
            if file.tell() == 0 and kind != "JSON lines":
                file.write(",".join(table.column_names).encode() + b"\n")
            if kind == "JSON lines":
                table.to_pandas().to_json(file, orient="records", lines=True)
                continue
            options = pa.csv.WriteOptions(
                include_header=False, quoting_style="needed" if kind == "quoted CSV" else "none"
            )
            pa.csv.write_csv(table, file, options)


def _columns(rng: np.random.Generator, rows: int) -> dict[str, Any]:
    def texts(name: str, count: int) -> Any:
        return pa.array([f"{name} {number}" for number in range(count)]).take(pa.array(rng.integers(0, count, rows)))

    days = np.datetime64("2015-01-01") + rng.integers(0, 3650, rows)
    return {
        "account": rng.integers(0, 10**9, rows),
        "age": rng.integers(18, 90, rows),
        "months": pa.array(rng.integers(0, 500, rows), mask=rng.random(rows) < 0.05),
        "amount": rng.integers(100_000, 10_000_000, rows) / 100,
        "score": pa.array(rng.normal(size=rows).round(6), mask=rng.random(rows) < 0.03),
        "rate": rng.random(rows),
        "share": rng.random(rows).round(4),
        "purpose": texts("purpose", 8),
        "job": texts("job", 50),
        "city": texts("City", 5000),
        "owner": texts("owner", 3),
        "decision": texts("class", 2),
        "day": pa.array(days.astype("datetime64[D]").astype(str).tolist()),
    }


def _reading(by: str, kind: str) -> Callable[[str], Any]:
    """Return what reads a file; it imports before it is timed."""
    if by.startswith("frote"):
        from frote.files import read_table, regular
        from frote.files.by_pandas import PandasParts

        if by != "frote":
            regular._reader = PandasParts
        return lambda path: read_table(path).frame
    if by == "pandas":
        return pd.read_csv if kind != "JSON lines" else lambda path: pd.read_json(path, lines=True)
    if by == "polars":
        import polars as pl

        return pl.read_csv if kind != "JSON lines" else pl.read_ndjson
    from pyarrow import json as arrow_json

    read: Callable[[str], Any] = pa.csv.read_csv if kind != "JSON lines" else arrow_json.read_json
    return read


def _bytes_of(table: Any) -> int:
    if isinstance(table, pd.DataFrame):
        return int(table.memory_usage(deep=True).sum())
    return int(table.nbytes if isinstance(table, pa.Table) else table.estimated_size())


def _peak() -> float:
    """Return the largest memory of this process; what `resource` tells counts that of the one that started it."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024 / MEGABYTE


def one(what: str, by: str, kind: str, path: str) -> dict[str, float]:
    """Read a file, or read and write it, and return what that took."""
    if what == "read":
        read = _reading(by, kind)
        before, start = _peak(), time.process_time()
        table = read(path)
    else:
        table = _reading("frote", kind)(path)
        before, start = _peak(), time.process_time()
        out = f"{path}.out"
        if by == "frote":
            from frote.files import FileForm

            FileForm("csv").write(table, out)
        else:
            table.to_csv(out, index=False)
        Path(out).unlink()
    seconds = time.process_time() - start
    return {"seconds": seconds, "peak": _peak(), "before": before, "frame": _bytes_of(table) / MEGABYTE}


def _best(what: str, by: str, kind: str, path: Path, repeats: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", what, by, kind, str(path)]
    runs = [
        json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=3600).stdout)
        for _ in range(repeats)
    ]
    fastest: dict[str, float] = min(runs, key=lambda run: float(run["seconds"]))
    return fastest | {"peak": max(run["peak"] for run in runs)}


def measure(what: str, kind: str, size: int, names: tuple[str, ...], repeats: int) -> list[dict[str, Any]]:
    """Return a line for each of the readers or writers of a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.jsonl" if kind == "JSON lines" else "table.csv")
        make(path, size * MEGABYTE, kind)
        found = {name: _best(what, name, kind, path, repeats) for name in names}
    rival = min((found[name] for name in RIVALS if name in found), key=lambda run: run["seconds"])
    return [
        {
            "file": kind,
            "size": size,
            "by": name,
            "seconds": run["seconds"],
            "times": run["seconds"] / rival["seconds"],
            "peak": run["peak"],
            "peaks": run["peak"] / rival["peak"],
            "frame": run["frame"],
            "above": (run["peak"] - run["before"]) / run["frame"],
        }
        for name, run in found.items()
    ]


def main(sizes: list[int], small: list[int], repeats: int, what: str) -> None:
    if what != "writing":
        read_all(sizes, small, repeats)
    if what != "reading":
        lines = [line for size in small for line in measure("write", "CSV", size, WRITERS, repeats)]
        keep("files-writing", WRITING, HEADS, lines, repeats=repeats)


def read_all(sizes: list[int], small: list[int], repeats: int) -> None:
    lines = measure("read", "CSV", sizes[0], ("frote without PyArrow", *READERS), repeats)
    lines += [line for size in sizes[1:] for line in measure("read", "CSV", size, READERS, repeats)]
    lines += measure("read", "quoted CSV", sizes[0], READERS, repeats)
    lines += [line for size in small for line in measure("read", "JSON lines", size, READERS, repeats)]
    keep("files-reading", READING, HEADS, lines, repeats=repeats)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 300, 1000], help="in MB, of CSV files")
    parser.add_argument("--small", type=int, nargs="+", default=[20, 40], help="in MB, of those that take longer")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", choices=["reading", "writing"], default="", help="measure nothing else")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one(*options.one)))
    else:
        main(options.sizes, options.small, options.repeats, options.only)
