"""Edits of Parquet files on a cluster of two worker processes: how our own time and the memory grow with the rows.

The rows are made by the benchmark, in a temporary folder. Seconds are the processor's, of the driver and the workers
together. *train* is one fit of `xgboost.dask` on the files, with the reading of them; *edit* an edit, which fits as
often as *fits* says. *own* is what of the edit is spent neither in fits nor in answers of the models: three passes over
the files, the loop, and, of each fit, what labels that agree with the rules take beyond reading the files. *write* is
what it takes to write the result into a folder. The exponent is that of *own* from one line to the next; *taken* is the
sum of what strata have, which overlap. Targets: an exponent of 1.1, 4 GB at the peak, and own time of a quarter of
training on the files as often as the edit did. Run it with `python benchmarks/scale_dask.py`.
"""

from __future__ import annotations

import argparse
import logging
import math
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import psutil  # type: ignore[import-untyped]
from xgboost import XGBClassifier
from xgboost.dask import DaskXGBClassifier

import dask
import frote
from frote.exceptions import SampleWarning
from results import keep

if TYPE_CHECKING:
    from collections.abc import Callable

TITLE = "Edits of Parquet files with 2 worker processes: seconds of the processor, and the memory of all of it"
HEADS = (
    ("rows", "rows", "", ",.0f"),
    ("files, GB", "size", "", ".2f"),
    ("train", "train", "", ".1f"),
    ("edit", "edit", "", ".1f"),
    ("fits", "fits", "", ".0f"),
    ("in fits", "fitting", "", ".1f"),
    ("in answers", "answering", "", ".1f"),
    ("own", "own", "", ".1f"),
    ("own / (fits x train)", "share", "", ".1%"),
    ("own / train", "once", "", ".1%"),
    ("exponent", "exponent", "", ""),
    ("write", "write", "", ".1f"),
    ("check", "check", "", ".1f"),
    ("peak, GB", "peak", "", ".2f"),
    ("taken", "taken", "", ",.0f"),
)
RULES = """
    young: IF age < 29 AND defaults = 0 THEN 1
    rich: IF income > 90K AND age >= 29 THEN 1
    careless: IF late > 4 AND age >= 29 AND income <= 90K THEN 0
"""
AT_ONCE = 500_000  # rows of a file
OF_A_WORKER = "2GiB"  # of which it does not need all: Dask keeps new tasks from a worker that has 80 % of its own
GIGABYTE = 2**30


def write_files(folder: Path, rows: int) -> None:
    """Write files of applications, the last one shorter."""
    for number, start in enumerate(range(0, rows, AT_ONCE)):
        rng, count = np.random.default_rng([7, number]), min(AT_ONCE, rows - start)
        frame = pd.DataFrame({f"x{place}": rng.normal(size=count).astype(np.float32) for place in range(3)})
        frame["age"] = rng.integers(18, 90, count).astype(np.int8)
        frame["income"] = rng.lognormal(10.6, 0.6, count).astype(np.float32)
        frame["defaults"], frame["late"] = (rng.poisson(mean, count).astype(np.int8) for mean in (0.5, 1.5))
        frame["owner"] = rng.random(count) < 0.4
        score = frame["x0"] + frame["x1"] * frame["x2"] - frame["defaults"] + frame["income"] / 60_000
        frame["approved"] = (score + rng.normal(0, 0.5, count) > 0.5).astype(np.int8)
        frame.to_parquet(folder / f"{number:05d}.parquet", index=False)


def processes() -> list[psutil.Process]:
    """Return this process and all that it started."""
    own = psutil.Process()
    return [own, *own.children(recursive=True)]


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of the processor that some work takes in all processes, and what it gives."""

    def spent() -> float:
        return sum(sum(one.cpu_times()[:2]) for one in processes())

    start = spent()
    given = work()
    return spent() - start, given


class Peak:
    """Watches how much memory all processes have together."""

    def __init__(self) -> None:
        self.bytes, self._ended = 0, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Peak:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        known, looks = processes(), 0
        while not self._ended.wait(0.1):
            looks += 1
            try:
                if looks % 20 == 0:  # to look for processes costs what is measured here
                    known = processes()
                self.bytes = max(self.bytes, sum(one.memory_info().rss for one in known))
            except psutil.NoSuchProcess:
                known = processes()


class Counted(DaskXGBClassifier):
    """Counts the seconds of its fits."""

    spent = 0.0

    def fit(self, *given: Any, **named: Any) -> Any:
        taken, model = seconds(lambda: DaskXGBClassifier.fit(self, *given, **named))
        Counted.spent += taken
        return model


class Answers:
    """Counts the seconds that models of one machine take to answer."""

    def __init__(self) -> None:
        self.seconds, predict = 0.0, XGBClassifier.predict

        def counted(model: Any, *given: Any, **named: Any) -> Any:
            start = time.thread_time()
            said = predict(model, *given, **named)
            self.seconds += time.thread_time() - start
            return said

        self._counting = mock.patch.object(XGBClassifier, "predict", counted)

    def __enter__(self) -> Answers:
        self._counting.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._counting.stop()


def lengths(X: Any, y: Any) -> Any:
    """Return how long the partitions of rows and labels are, which are made for it."""
    compute: Any = dask.compute  # type: ignore[attr-defined]
    return compute(X.map_partitions(len), y.map_partitions(len))


def measured(rows: int, fits: int, trees: int, sample: int) -> dict[str, Any]:
    """Edit so many rows on a cluster of its own."""
    settings: dict[str, Any] = {"n_estimators": trees, "max_depth": 6, "random_state": 0, "n_jobs": 1}
    make_cluster: Any = distributed.LocalCluster
    make_client: Any = distributed.Client
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with (
        tempfile.TemporaryDirectory() as folder,
        Peak() as peak,
        make_cluster(memory_limit=OF_A_WORKER, silence_logs=logging.ERROR, **options) as cluster,
        make_client(cluster),
    ):
        files, result = Path(folder, "data"), Path(folder, "result")
        files.mkdir()
        write_files(files, rows)
        size = sum(path.stat().st_size for path in files.iterdir()) / GIGABYTE
        data = dd.read_parquet(files)
        X, y = data.drop(columns="approved"), data["approved"]
        rules = frote.parse_rules(RULES)
        check, _ = seconds(lambda: rules.check(X, y))
        with dask.config.set({"optimization.tune.active": False}):  # rows and labels by the same partitions
            train, _ = seconds(lambda: DaskXGBClassifier(**settings).fit(X, y))
            scan, _ = seconds(lambda: lengths(X, y))
        Counted.spent = 0.0
        editor = frote.FROTE(Counted(**settings), rules, max_fits=fits, sample=sample, random_state=0)
        with Answers() as answers:
            edit, (X_new, y_new) = seconds(lambda: editor.fit_resample(X, y))
        agreeing, _ = seconds(lambda: lengths(X_new, y_new))
        write, _ = seconds(lambda: X_new.assign(approved=y_new).to_parquet(result))
        outside = edit - Counted.spent - answers.seconds
        own = outside + editor.n_fits_ * max(agreeing - scan, 0)
        return {
            "rows": rows,
            "size": size,
            "scan": scan,
            "train": train,
            "edit": edit,
            "fits": editor.n_fits_,
            "fitting": Counted.spent,
            "answering": answers.seconds,
            "agreeing": agreeing,
            "own": own,
            "share": own / (editor.n_fits_ * train),
            "once": own / train,
            "write": write,
            "check": check,
            "peak": peak.bytes / GIGABYTE,
            "taken": int(editor.strata_["taken"].sum()),
        }


def main(sizes: list[int], fits: int, trees: int, sample: int) -> None:
    warnings.simplefilter("ignore", SampleWarning)
    lines: list[dict[str, Any]] = []
    for rows in sizes:
        line = measured(rows, fits, trees, sample)
        before = lines[-1] if lines else None
        grown = f"{math.log(line['own'] / before['own'], rows / before['rows']):.2f}" if before else ""
        lines.append({**line, "exponent": grown})
        print(lines[-1], flush=True)
    keep("scale-dask", TITLE, HEADS, lines, repeats=1, fits=fits, trees=trees, sample=sample)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000, 30_000_000])
    parser.add_argument("--fits", type=int, default=1)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--sample", type=int, default=50_000)
    options = parser.parse_args()
    main(options.rows, options.fits, options.trees, options.sample)
