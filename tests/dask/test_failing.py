"""Clusters that fail: each time one sentence says why, and nothing waits for ever."""

from __future__ import annotations

import errno
import logging
import os
import re
import signal
import subprocess
import sys
import time

import dask.dataframe as dd
import pandas as pd
import pytest
from tests.dask.partitions import evenly

import dask
import frote
from frote.dask.failing import in_a_sentence
from frote.dask.survey import Survey
from frote.exceptions import TableError

AGES = pd.DataFrame({"age": [31, 25, 60, 44], "y": ["no", "yes", "no", "yes"]})
LACKING = "import sys\nsys.path[:] = [path for path in sys.path if not path.endswith('src')]\n"


@pytest.fixture(scope="module")
def cluster():
    from distributed import LocalCluster

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=logging.CRITICAL) as cluster,
    ):
        yield cluster


def worker_of(cluster, **environment):
    """Start a worker that nothing of this process is handed to."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
    more = ["--no-nanny", "--no-dashboard", "--nthreads", "1"]
    return subprocess.Popen([*command, *more], env={**os.environ, **environment}, stderr=subprocess.DEVNULL)


def test_a_worker_without_the_package_is_told_and_not_waited_for(cluster, tmp_path):
    from distributed import Client

    (tmp_path / "sitecustomize.py").write_text(LACKING, "utf-8")
    worker = worker_of(cluster, PYTHONPATH=str(tmp_path))
    try:
        with Client(cluster) as client:
            client.wait_for_workers(1)
            with pytest.raises(
                TableError, match=r"^Worker tcp://\S+ has no package frote \(1 of 1 workers\)\. Install"
            ):
                frote.parse_rules("IF age < 29 THEN yes").check(evenly(AGES[["age"]], 2))
    finally:
        worker.kill()
        worker.wait(60)


def dies(place):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_partition_that_kills_its_workers_is_told(cluster):
    from distributed import Client

    worker = worker_of(cluster)
    with dask.config.set({"dataframe.convert-string": False}):
        data = dd.from_map(dies, range(1), meta=AGES.iloc[:0])
    with Client(cluster) as client:
        client.wait_for_workers(1)
        with pytest.raises(
            TableError, match=r"^The partitions of X cannot be had: workers died of .* to spill to\. Give"
        ):
            Survey.of(data)
    worker.wait(60)


def test_a_scheduler_that_is_gone_is_told(tmp_path):
    from distributed import Client

    known = tmp_path / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    scheduler = subprocess.Popen([*command, "--scheduler-file", known], stderr=subprocess.DEVNULL)
    while not known.exists():
        time.sleep(0.1)
        assert scheduler.poll() is None
    with dask.config.set({"distributed.comm.timeouts.connect": "5s"}), Client(scheduler_file=known, timeout=5):
        scheduler.kill()
        scheduler.wait(60)
        with pytest.raises(
            TableError, match=r"^The partitions of X cannot be had: the scheduler of the cluster cannot be"
        ):
            Survey.of(evenly(AGES, 2))


def full(place):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("scheduler", ["threads", "processes"])
def test_a_disk_without_space_is_told(scheduler):
    data = dd.from_map(full, range(2), meta=AGES.iloc[:0])
    said = (
        "The partitions of X cannot be had: no space is left on a disk (OSError: [Errno 28] No space left on device). F"
    )
    with dask.config.set(scheduler=scheduler, num_workers=2), pytest.raises(TableError, match=f"^{re.escape(said)}"):
        Survey.of(data)


@pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame")  # Dask, of pandas
def test_a_file_that_lacks_the_target_is_told(tmp_path):
    AGES.to_parquet(tmp_path / "0.parquet", index=False)
    AGES[["age"]].to_parquet(tmp_path / "1.parquet", index=False)
    data = dd.read_parquet(tmp_path)
    with pytest.raises(
        TableError, match=r"^The partitions of X cannot be had: .*\['y'\].*\. Give each file all columns\.$"
    ):
        frote.FROTE(rules="IF age < 29 THEN yes").fit(data[["age"]], data["y"])


def test_what_is_no_failure_of_the_cluster_is_left_as_it_is():
    assert in_a_sentence(ZeroDivisionError("ours")) is None
    ours = TableError("of a partition")
    assert in_a_sentence(ours) is ours
