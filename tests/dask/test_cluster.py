"""A real cluster of two workers: what comes of it has the same bytes, also when workers are killed in every phase."""

from __future__ import annotations

import logging
import os
import signal
import warnings
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from tests.dask.edited import came_of, edited, require_same
from tests.dask.made import RULES, table
from tests.dask.partitions import evenly
from xgboost import collective
from xgboost.callback import TrainingCallback

import dask
import frote
from frote.dask.sampled import Sampled
from frote.dask.strata import Strata
from frote.dask.survey import Survey
from frote.exceptions import SampleWarning, TableError

X, Y = table(600)
SETTINGS = {"rules": RULES, "max_fits": 2, "sample": 60}
NUMBERS = "young: IF age < 29 AND defaults = 0 THEN 1\nrich: IF income > 60K AND age >= 29 THEN {1: 0.8, 0: 0.2}"


@pytest.fixture(scope="module")
def client():
    from distributed import Client, LocalCluster

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # workers that are killed are complained about
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with LocalCluster(silence_logs=logging.CRITICAL, **options) as cluster, Client(cluster) as client:
        yield client


def test_where_the_sample_is_whole_it_is_the_edit_in_memory(client):
    given_settings = {"rules": RULES, "max_fits": 2, "modify": "drop", "schedule": "fixed"}
    require_same(edited(evenly(X, 7), evenly(Y, 7), **given_settings), edited(X, Y, **given_settings))


class Deadly:
    """A partition the first reader of which in each phase dies."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def __call__(self, place):
        data = table(600)[0].assign(decision=table(600)[1])[place * 200 : (place + 1) * 200]
        died = self.folder / f"died in {(self.folder / 'phase').read_text()}"
        if place == 1 and not died.exists():
            died.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return data


def begun(path, phase, begin, *given, **named):
    path.write_text(phase)
    return begin(*given, **named)


PHASES = {"types": (Survey, "of"), "strata": (Strata, "of"), "sample": (Sampled, "of")}


def test_workers_that_die_cost_their_tasks_only(client, tmp_path, monkeypatch):
    with dask.config.set(scheduler="threads"):
        wanted = edited(evenly(X, 1), evenly(Y, 1), **SETTINGS)
    for phase, (kind, name) in PHASES.items():
        monkeypatch.setattr(kind, name, partial(begun, tmp_path / "phase", phase, getattr(kind, name)))
    with dask.config.set({"dataframe.convert-string": False}):
        data = dd.from_map(Deadly(tmp_path), range(3), meta=X.assign(decision=Y).iloc[:0])
    editor = frote.FROTE(random_state=3, **SETTINGS)
    with pytest.warns(SampleWarning):
        lazy = editor.fit_resample(data[list(X.columns)], data["decision"])
    (tmp_path / "phase").write_text("result")
    require_same(came_of(editor, *lazy), wanted)
    assert sorted(path.name for path in tmp_path.glob("died*")) == [
        f"died in {phase}" for phase in ("result", "sample", "strata", "types")
    ]


def given_numbers(parts):
    frame = X.drop(columns=["purpose", "since"])
    return evenly(frame, parts), evenly((Y == "yes").astype(int), parts)


def test_boosters_of_the_cluster_are_trained_on_all_rows(client):
    from xgboost.dask import DaskXGBClassifier

    booster = DaskXGBClassifier(n_estimators=5, max_depth=2, enable_categorical=True)
    editor = frote.FROTE(booster, NUMBERS, max_fits=2, sample=60, random_state=0)
    with pytest.warns(SampleWarning, match=r"Batches are made and compared on .* and models trained on all of them"):
        X_new, y_new = editor.fit_resample(*given_numbers(4))
    assert type(editor.estimator_) is DaskXGBClassifier
    rows, labels, ledger, *_ = came_of(editor, X_new, y_new)
    assert len(rows) == len(labels) == len(ledger)
    assert set(labels) == {0, 1}
    report = frote.score(editor.estimator_, *given_numbers(3), NUMBERS)
    assert report.objective > frote.score(DummyClassifier().fit(rows, labels), *given_numbers(2), NUMBERS).objective
    assert len(editor.estimator_.predict(given_numbers(2)[0]).compute()) == 600


class Dying(TrainingCallback):
    """Kills a worker in the middle of a fit, once."""

    def __init__(self, marker):
        self.marker = marker

    def after_iteration(self, model, epoch, evals_log):  # noqa: ARG002
        if epoch == 2 and collective.get_rank() == 0 and self.marker and not os.path.exists(self.marker):
            Path(self.marker).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return False


def test_a_worker_that_is_killed_in_a_fit_of_all_of_them_costs_that_fit_only(client, tmp_path):
    from xgboost.dask import DaskXGBClassifier

    came = []
    for marker in ("", str(tmp_path / "killed")):
        booster = DaskXGBClassifier(n_estimators=5, max_depth=2, enable_categorical=True, callbacks=[Dying(marker)])
        editor = frote.FROTE(booster, NUMBERS, max_fits=1, sample=60, random_state=0)
        with pytest.warns(SampleWarning):
            came.append(came_of(editor, *editor.fit_resample(*given_numbers(4))))
    assert os.path.exists(marker)
    require_same(*came)
    assert editor.history_["accepted"].sum() > 1


def begun_at(address, folder):
    """Edit on a cluster that is there, until the first step is killed."""
    from distributed import Client

    def kill(step):
        if step.step == 1:
            os.kill(os.getpid(), signal.SIGKILL)

    with Client(address):
        edited(evenly(X, 4), evenly(Y, 4), checkpoint=folder, callbacks=[kill], **{**SETTINGS, "max_fits": 3})


def test_a_driver_that_is_killed_is_followed_by_one_with_another_number_of_workers(client, tmp_path):
    from distributed import Client, LocalCluster

    settings = {**SETTINGS, "max_fits": 3}
    wanted, seen = edited(evenly(X, 2), evenly(Y, 2), **settings), []
    driver = get_context("spawn").Process(target=begun_at, args=(client.scheduler.address, tmp_path / "run"))
    driver.start()
    driver.join(timeout=300)
    assert driver.exitcode == -signal.SIGKILL
    one = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with LocalCluster(silence_logs=logging.CRITICAL, **one) as cluster, Client(cluster):
        found = edited(evenly(X, 7), evenly(Y, 7), checkpoint=tmp_path / "run", callbacks=[seen.append], **settings)
    assert [step.step for step in seen] in ([1, 2, 3], [2, 3])  # the step that it was killed in may be written or not
    require_same(found, wanted)


@pytest.mark.filterwarnings("ignore:Parameter n_jobs will be ignored")
def test_lightgbm_is_trained_on_the_cluster_where_each_partition_has_all_classes(client):
    from lightgbm import DaskLGBMClassifier

    frame, labels = given_numbers(3)
    frame = frame.astype({"defaults": "float64"})
    booster = DaskLGBMClassifier(n_estimators=5, num_leaves=4, verbose=-1)
    editor = frote.FROTE(booster, NUMBERS, max_fits=1, sample=60, modify="none", random_state=0)
    with pytest.warns(SampleWarning, match=r"and models trained on all of them"):
        *_, history = came_of(editor, *editor.fit_resample(frame, labels))
    assert type(editor.estimator_) is DaskLGBMClassifier
    assert not history["error"].any()
    assert history["proposed"].sum() > 0
    assert len(editor.estimator_.predict(frame).compute()) == 600
    assert frote.score(editor.estimator_, frame, labels, NUMBERS).objective > 0.7
    compared = frote.compare_models(editor.estimator_, editor.estimator_, frame, NUMBERS, labels)
    assert "No row of 600 is predicted otherwise." in str(compared)
    order = (Y == "yes").astype(int).sort_values(kind="stable")
    ordered = X.loc[order.index, frame.columns].astype({"defaults": "float64"}).reset_index(drop=True)
    sorted_by_label = evenly(ordered, 4), evenly(order.reset_index(drop=True), 4)
    said = r"^DaskLGBMClassifier needs all classes in each partition, and partition 0 of those with rows lacks '1'\."
    with pytest.warns(SampleWarning), pytest.raises(TableError, match=said):
        editor.fit(*sorted_by_label)


class Failing:
    """Stands for an estimator of the cluster, the first fit of which costs a worker."""

    def __init__(self, folder=None):
        self.folder = folder

    def get_params(self, deep=True):  # noqa: ARG002
        return {"folder": self.folder}

    def set_params(self, **params):
        vars(self).update(params)
        return self

    def fit(self, rows, y, sample_weight=None):
        from distributed import default_client

        if not os.listdir(self.folder):
            Path(self.folder, "died").touch()
            client = default_client()
            victim = min(client.nthreads())
            os.kill(client.run(os.getpid, workers=[victim])[victim], signal.SIGKILL)
            raise RuntimeError("a worker is gone")
        if sample_weight is not None:
            assert len(sample_weight) == len(rows)
            assert sample_weight.compute()[-1] > 1
        frame, labels = rows.compute(), y.compute()
        assert frame.index.equals(labels.index)
        self.seen, self.classes_ = len(frame), np.unique(labels)
        return self

    def predict(self, frame):  # noqa: ARG002
        raise AssertionError("it answers no frames in memory")

    def to_local(self):
        return DummyClassifier(strategy="constant", constant=1).fit([[0], [0]], [0, 1])


def test_a_fit_that_a_worker_dies_of_is_tried_again(client, tmp_path, monkeypatch):
    monkeypatch.setattr("frote.dask.local.PACKAGES", (__name__,))
    editor = frote.FROTE(Failing(str(tmp_path)), NUMBERS, max_fits=1, sample=60, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SampleWarning)
        editor.fit(*given_numbers(4))
    assert editor.estimator_.seen >= 600
    assert os.listdir(tmp_path) == ["died"]
    assert not editor.history_["error"].any()


def test_what_cannot_be_is_one_sentence(client, monkeypatch):
    from xgboost.dask import DaskXGBClassifier

    booster = DaskXGBClassifier(n_estimators=2, enable_categorical=True)
    with pytest.raises(TableError, match=r"^DaskXGBClassifier takes the labels 0 to 1, and y has 'no', 'yes'\. Write"):
        frote.FROTE(booster, RULES).fit(evenly(X, 2), evenly(Y, 2))
    for wrong, message in {
        "evaluate": "is trained on all rows, and none can be held out",
        "n_jobs": "takes the whole cluster for one fit",
    }.items():
        with pytest.raises(TableError, match=message):
            frote.FROTE(booster, NUMBERS, **{wrong: 0.2 if wrong == "evaluate" else 2}).fit(*given_numbers(2))
    monkeypatch.setattr("frote.dask.training._client", no_client)
    with pytest.raises(
        TableError, match=r"^DaskXGBClassifier trains on a cluster, and there is no client of one\. Make"
    ):
        frote.FROTE(booster, NUMBERS).fit(*given_numbers(2))


def no_client():
    raise ValueError("No clients found")
