"""FROTE as published against relabelling alone, on held-out rows, with three rules.

    python experiments/published.py run --n-jobs 2     # what is missing in results/published.jsonl
    python experiments/published.py table              # as Markdown

A line of the result file is one run, identified by its settings; lines that exist are not run again.
"""

from __future__ import annotations

import argparse
import json
import os
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from lightgbm import LGBMClassifier
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import frote
from draws import draw

RESULTS = Path(__file__).parent / "results" / "published.jsonl"

# Batch sizes as in the paper. It has 200 retrainings everywhere; here they are fewer, to fit the time.
SETTINGS: dict[str, dict[str, int]] = {
    "breast_cancer": {"batch_size": 20, "max_fits": 50},
    "car": {"batch_size": 20, "max_fits": 50},
    "contraceptive": {"batch_size": 20, "max_fits": 50},
    "wine_quality_white": {"batch_size": 50, "max_fits": 25},
    "adult": {"batch_size": 200, "max_fits": 10},
}
MODELS = ("LR", "RF", "LGBM")
SHARES = (0.0, 0.2)
DRAWS = range(5)


def make_model(name: str) -> Any:
    """Return the paper's models, each behind the encoder that suits it."""
    model = {
        "LR": LogisticRegression(max_iter=500, random_state=42),
        "RF": RandomForestClassifier(max_depth=3, random_state=42),
        "LGBM": LGBMClassifier(random_state=42, n_jobs=1, verbose=-1),
    }[name]
    return frote.default_pipeline(model)


def run(key: dict[str, Any]) -> dict[str, Any]:
    """Edit one model for one draw and score it on the rows held out."""
    chosen = draw(key["data"], key["draw"], rules=3, tcf=key["tcf"])
    X, y = chosen.data.X, chosen.data.y
    X_train, y_train = X.iloc[chosen.train], y.iloc[chosen.train]
    X_test, y_test = X.iloc[chosen.test], y.iloc[chosen.test]
    model = make_model(key["model"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # logistic regression that stops at 500 iterations, as in the paper
        initial = clone(model).fit(X_train, y_train)
        relabelled = frote.FROTE.as_published(model, chosen.rules, max_fits=0, random_state=42).fit(X_train, y_train)
        settings = {name: key[name] for name in ("batch_size", "max_fits")}
        editor = frote.FROTE.as_published(model, chosen.rules, random_state=42, **settings).fit(X_train, y_train)
        found = {"initial": initial, "relabel": relabelled.estimator_, "final": editor.estimator_}
        scores = {name: frote.score(one, X_test, y_test, chosen.rules) for name, one in found.items()}
    history = editor.history_
    steps = history[history["accepted"]].iloc[1:]
    return {
        **key,
        "rules": [str(rule) for rule in chosen.rules],
        "scores": {
            name: {"objective": one.objective, "agreement": one.agreement, "f1": one.f1} for name, one in scores.items()
        },
        "accepted": len(steps),
        "fits": int(editor.n_fits_) - 1,
        "rows_added": int(history["added"].iloc[-1]),
        "never_decreases": bool((steps["objective"] > steps["previous"]).all()),
        "seconds": {name: float(history[f"{name}_seconds"].sum()) for name in ("fit", "predict", "other")},
    }


def keys() -> list[dict[str, Any]]:
    """List all runs, one draw after the other."""
    return [
        {"data": data, "model": model, "tcf": tcf, "draw": number, **settings}
        for number, (data, settings), model, tcf in product(DRAWS, SETTINGS.items(), MODELS, SHARES)
    ]


def identity(line: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(line[name] for name in ("data", "model", "tcf", "draw", "batch_size", "max_fits"))


def read() -> list[dict[str, Any]]:
    """Read the results there are; a line that was cut off is left out."""
    lines = []
    for text in RESULTS.read_text("utf-8").splitlines() if RESULTS.exists() else []:
        try:
            lines.append(json.loads(text))
        except json.JSONDecodeError:
            print(f"left out a line that was cut off: {text[:40]}...")
    return lines


def run_missing(n_jobs: int) -> None:
    """Run what is missing and write each result as it comes."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    done = {identity(line) for line in read()}
    missing = [key for key in keys() if identity(key) not in done]
    print(f"{len(done)} runs done, {len(missing)} to go")
    RESULTS.parent.mkdir(exist_ok=True)
    results = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(delayed(run)(key) for key in missing)
    with RESULTS.open("a", encoding="utf-8") as file:
        for line in results:
            file.write(json.dumps(line) + "\n")
            file.flush()
            print(
                *identity(line), {name: round(one["objective"], 3) for name, one in line["scores"].items()}, flush=True
            )


def table() -> str:
    """Return the results as Markdown, a line per cell."""
    wanted = {identity(key) for key in keys()}
    lines = [line for line in read() if identity(line) in wanted]
    plain = ("data", "model", "tcf", "accepted", "fits", "rows_added")
    methods = ("initial", "relabel", "final")
    frame = pd.DataFrame(
        {name: [line[name] for line in lines] for name in plain}
        | {name: [line["scores"][name]["objective"] for line in lines] for name in methods}
    )
    frame["gain"] = frame["final"] - frame["relabel"]
    out = [
        "| data | model | tcf | runs | initial | relabel | final | final - relabel | accepted of fits | rows added |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    below = []
    for (data, model, tcf), cell in frame.groupby(["data", "model", "tcf"], sort=False):
        gain, error = cell["gain"].mean(), cell["gain"].std(ddof=1) / np.sqrt(len(cell))
        means = " | ".join(f"{cell[name].mean():.3f} ± {cell[name].std(ddof=1):.3f}" for name in methods)
        out.append(
            f"| {data} | {model} | {tcf:g} | {len(cell)} | {means} | {gain:+.4f} ± {error:.4f} | "
            f"{cell['accepted'].mean():.1f} of {cell['fits'].mean():.0f} | {cell['rows_added'].mean():.0f} |"
        )
        if gain <= 0:
            below.append(f"{data} {model} tcf {tcf:g} ({gain:+.4f})")
    steady = all(line["never_decreases"] for line in lines)
    out += [
        "",
        f"{len(lines)} runs. Initial, relabel and final: mean and standard deviation of the test objective.",
        "Final - relabel: mean and standard error of the paired difference.",
        f"Cells not above zero: {'; '.join(below) or 'none'}.",
        f"Accepted steps had an objective above the one compared with in {'all' if steady else 'NOT all'} runs.",
    ]
    return "\n".join(out)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "table"))
    parser.add_argument("--n-jobs", type=int, default=1)
    options = parser.parse_args()
    if options.what == "run":
        run_missing(options.n_jobs)
    else:
        print(table())
