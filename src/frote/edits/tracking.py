"""An edit as a run of MLflow: what its record says, and its files. Needs the extra ``frote[mlflow]``."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import logging
import os
import re
import time
from typing import TYPE_CHECKING, Any

from frote.exceptions import TrackingError, told
from frote.report.contents import MODEL_NAMES, require_report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from frote.edits.record import Record, RecordedStep, TableFacts
    from frote.report.contents import JudgedRule, ScoreName

__all__ = ["log_edit", "require_mlflow"]

SCORES: tuple[ScoreName, ...] = ("agreement", "f1", "objective", "f1_macro")
LONGEST = 200  # of what users named, in a name of MLflow's, which may have 250 characters
AT_ONCE = 100  # parameters, tags or metrics in one request; MLflow takes no more of the first two
MOST = 4_000  # characters of a tag of ours
DIGEST = 36  # MLflow takes no longer one; the whole digest is a parameter


def require_mlflow() -> None:
    """Refuse to begin without MLflow. It is not imported, which takes seconds.

    Raises
    ------
    TrackingError
        If it is not installed.
    """
    if importlib.util.find_spec("mlflow") is None:
        raise TrackingError("--mlflow needs MLflow, which is not installed: pip install 'frote[mlflow]'.")


def log_edit(folder: Path, record: Record, data: Path, test: Path | None) -> str:
    """Log an edit as one run, to where MLflow's own settings say.

    Parameters
    ----------
    folder : Path
        What the edit wrote, in its place.

    record : Record
        Its record.

    data, test : Path
        The files that were trained and judged on.

    Returns
    -------
    str
        Where it is: the run and the experiment.

    Raises
    ------
    TrackingError
        If MLflow fails; the folder stays.
    """
    report = require_report(json.loads((folder / "report.json").read_text("utf-8")))
    params, tags = _params(record), _tags(record)
    metrics = [*_scores(record, report["result"]["rules"]), *_steps(record["steps"], _names(report["result"]["rules"]))]
    sources = {"training": (data, record["data"]), "testing": (test, record["test"])}
    # MLflow counts its users unless it is told not to; an edit goes nowhere but to the place that the user named.
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    try:
        # It says in its own words where the run is.
        with contextlib.redirect_stdout(io.StringIO()):
            return _logged(record["asked"]["about"].get("title") or folder.name, params, tags, metrics, sources, folder)
    except Exception as error:  # of MLflow, of its database, of the network
        raise TrackingError(
            f"The edit is in {folder}, but not in MLflow (mend that; the same command with --force edits anew and logs "
            f"it): {told(error)}"
        ) from error


def _logged(
    name: str,
    params: Mapping[str, str],
    tags: Mapping[str, str],
    metrics: Sequence[tuple[str, float, int]],
    sources: Mapping[str, tuple[Path | None, TableFacts | None]],
    folder: Path,
) -> str:
    """Make the run."""
    import mlflow
    from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, Param, RunTag

    for logger in ("mlflow", "alembic"):  # they tell of every table that they make in a new database
        logging.getLogger(logger).setLevel(logging.WARNING)
    now = int(time.time() * 1000)
    inputs = [
        DatasetInput(
            Dataset(
                path.name,
                facts["sha256"][:DIGEST],
                "local",
                json.dumps({"uri": str(path)}),
                profile=json.dumps({"num_rows": facts["rows"]}),
            ),
            [InputTag("mlflow.data.context", context)],
        )
        for context, (path, facts) in sources.items()
        if path is not None and facts is not None
    ]
    with mlflow.start_run(run_name=name) as run:
        client, run_id = mlflow.MlflowClient(), run.info.run_id
        for part in _parts([Param(key, value) for key, value in params.items()]):
            client.log_batch(run_id, params=part)
        for part in _parts([RunTag(key, value) for key, value in tags.items()]):
            client.log_batch(run_id, tags=part)
        for part in _parts([Metric(key, value, now, step) for key, value, step in metrics]):
            client.log_batch(run_id, metrics=part)
        client.log_inputs(run_id, inputs)
        client.log_artifacts(run_id, str(folder))
        experiment = client.get_experiment(run.info.experiment_id).name
    return f"run {run_id} of experiment {experiment!r}"


def _parts(values: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (values[start : start + AT_ONCE] for start in range(0, len(values), AT_ONCE))


def _params(record: Record) -> dict[str, str]:
    """Return what the edit was made from."""
    asked = record["asked"]
    params = {
        **{name: asked[name] for name in ("target", "model", "published", "resolve", "seed")},
        **{f"kind.{kind}": ", ".join(asked[kind]) or None for kind in ("categorical", "numeric")},
        **asked["settings"],
        **{f"model.{_safe(name)}": value for name, value in asked["params"].items()},
        "rules.sha256": record["outputs"]["rules"],
        **{f"data.{name}": fact for name, fact in record["data"].items()},
        **{f"test.{name}": fact for name, fact in (record["test"] or {}).items()},
        **{f"version.{_safe(name)}": version for name, version in record["versions"].items()},
    }
    return {name: str(value) for name, value in params.items() if value is not None}


def _tags(record: Record) -> dict[str, str]:
    """Return who answers for the edit, which rules were left out of it, and the digests of what came of it."""
    about = {f"frote.{name}": fact for name, fact in record["asked"]["about"].items()}
    if record["skipped"]:
        about["frote.skipped"] = "; ".join(f"{one['rule']}: {one['why']}" for one in record["skipped"])[:MOST]
    return {**about, **{f"frote.sha256.{name}": str(digest) for name, digest in record["outputs"].items()}}


def _scores(record: Record, rules: Sequence[JudgedRule]) -> Iterator[tuple[str, float, int]]:
    """Return what came of the edit: rows, seconds, and scores of the models, also per rule."""
    names = _names(rules)
    for status, count in record["rows"].items():
        yield f"rows/{status}", float(count), 0
    for what, seconds in record["timings"].items():
        yield f"seconds/{what}", seconds, 0
    for model in MODEL_NAMES:
        scores = {
            **{str(measure): record["scores"][model][measure] for measure in SCORES},
            **{f"agreement of {names[rule['name']]}": rule[model] for rule in rules},
        }
        if record["population"] is not None:
            scores["objective_by_population"] = record["population"][model]
        yield from ((f"{model}/{name}", score, 0) for name, score in scores.items() if score is not None)


def _steps(steps: Sequence[RecordedStep], names: Mapping[str, str]) -> Iterator[tuple[str, float, int]]:
    """Return what was measured at each step; one that failed has no scores."""
    for number, step in enumerate(steps):
        measured = {
            **{name: step[name] for name in ("accepted", "objective", "agreement", "outside", "added")},
            **{f"agreement of {safe}": step[f"agreement: {name}"] for name, safe in names.items()},
        }
        yield from ((f"steps/{name}", float(one), number) for name, one in measured.items() if one is not None)


def _names(rules: Sequence[JudgedRule]) -> dict[str, str]:
    """Return for each rule a name that MLflow takes, and no two alike."""
    safe_names: dict[str, str] = {}
    for rule in rules:
        safe, number = _safe(rule["name"]), 1
        while safe in safe_names.values():
            number += 1
            safe = f"{_safe(rule['name'])} {number}"
        safe_names[rule["name"]] = safe
    return safe_names


def _safe(name: str) -> str:
    """Return a name with nothing in it that MLflow, or a file of its, cannot have."""
    return re.sub(r"[^\w .-]", "_", name)[:LONGEST].strip()
