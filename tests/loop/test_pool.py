"""Workers: not more than a machine can use, and none that outlives who started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import joblib
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import frote
from frote.loop.pool import end_with_parent, require_possible

X = pd.DataFrame({"a": range(24)})
Y = ["no", "yes"] * 12
MOST = max(4 * joblib.cpu_count(), 16)


class Unfitted(DecisionTreeClassifier):
    def fit(self, X, y):
        raise AssertionError(len(X), len(y))


@pytest.mark.parametrize("method", ["fit", "fit_resample", "preview"])
def test_more_workers_than_a_machine_can_use_are_refused_before_anything_is_trained(method):
    editor = frote.FROTE(Unfitted(), "IF a < 8 THEN yes", n_jobs=MOST + 1)
    told = rf"^{MOST + 1} workers are more than this machine .* Take at most {MOST}, or -1 for all cores\.$"
    with pytest.raises(frote.FroteError, match=told):
        getattr(editor, method)(X, Y)


@pytest.mark.parametrize("n_jobs", [None, 1, MOST, -1, -(10**9)])
def test_others_are_not(n_jobs):
    require_possible(n_jobs)


def test_a_cluster_knows_its_own_bounds(monkeypatch):
    class Cluster(joblib.parallel.ParallelBackendBase):
        def effective_n_jobs(self, n_jobs):
            return n_jobs

    monkeypatch.setattr("frote.loop.pool.get_active_backend", lambda: (Cluster(), 1))
    require_possible(100_000)


def test_only_workers_of_joblib_watch_who_started_them():
    end_with_parent()
    assert end_with_parent.__name__ not in {thread.name for thread in threading.enumerate()}


ENDLESS = """
import os, time
import pandas as pd
from sklearn.tree import DecisionTreeClassifier
import frote

class Endless(DecisionTreeClassifier):
    def fit(self, X, y):
        if len(X) > 24:
            print(os.getpid(), flush=True)
            time.sleep(600)
        return super().fit(X, y)

editor = frote.FROTE(Endless(), "IF a < 8 THEN yes", max_fits=4, batch_size=4, oversample=2.0, n_jobs=2)
editor.fit(pd.DataFrame({"a": range(24)}), ["no", "yes"] * 12)
"""


def is_there(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{process}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="looks at processes as Linux shows them")
def test_workers_end_with_a_parent_that_is_killed():
    parent = subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, text=True)
    workers = [int(parent.stdout.readline()) for _ in range(2)]  # both are in the middle of a fit
    parent.send_signal(signal.SIGKILL)
    parent.wait(60)
    for _ in range(600):
        if not any(map(is_there, workers)):
            break
        time.sleep(0.1)
    left = [worker for worker in workers if is_there(worker)]
    for worker in left:
        os.kill(worker, signal.SIGKILL)
    parent.stdout.close()
    assert not left
