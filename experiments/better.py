"""The default against FROTE as published and simpler ways, on rows that none of them has seen.

    python experiments/better.py run --n-jobs 2 --draws 0-4     # what is missing in results/better.jsonl
    python experiments/better.py table --draws 0-4              # as Markdown
    python experiments/better.py variants --draws 0-4           # the default against itself without one of its parts

Eight data sets, three models, three rules; none or a fifth of the covered rows in training. All methods get the same
draws. A line of the result file is one method on one draw.
"""

from __future__ import annotations

import argparse
import time
import warnings
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

import frote
from draws import draw
from models import BATCH_SIZES, MODELS, make_model
from results import read, run_missing

if TYPE_CHECKING:
    from collections.abc import Iterable

RESULTS = Path(__file__).parent / "results" / "better.jsonl"
SHARES = (0.0, 0.2)
METHODS = ("initial", "override", "relabel", "weights", "default", "published")
# The default without one of its parts, or with another evaluation.
VARIANTS: dict[str, dict[str, Any]] = {
    "one candidate": {"candidates": 1},
    "no weak bases": {"weak_share": 0.0},
    "half weak bases": {"weak_share": 0.5},
    "no probes": {"evaluate": "active"},
    "held out": {"evaluate": 0.2},
}
WEIGHTS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
SEED = 42


def run(key: dict[str, Any]) -> dict[str, Any]:
    """Make one model for one draw and score it on the rows held out."""
    chosen = draw(key["data"], key["draw"], rules=3, tcf=key["tcf"])
    X, y, rules = chosen.data.X, chosen.data.y, chosen.rules
    X_train, y_train = X.iloc[chosen.train], y.iloc[chosen.train]
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # logistic regression that stops at 500 iterations, as in the paper
        make = METHOD.get(key["method"], default)
        model, fits, added = make(key, make_model(key["model"]), rules, X_train, y_train)
        seconds = time.perf_counter() - start
        found = frote.score(model, X.iloc[chosen.test], y.iloc[chosen.test], rules)
    return {
        "objective": found.objective,
        "agreement": found.agreement,
        "f1": found.f1,
        "fits": fits,
        "rows_added": added,
        "rows": len(X_train),
        "seconds": seconds,
    }


def initial(key: dict[str, Any], model: Any, rules: Any, X: Any, y: Any) -> tuple[Any, int, int]:  # noqa: ARG001
    return model.fit(X, y), 0, 0


def override(key: dict[str, Any], model: Any, rules: Any, X: Any, y: Any) -> tuple[Any, int, int]:  # noqa: ARG001
    return frote.OverlayClassifier(model.fit(X, y), rules, mode="hard").fit(X), 0, 0


def relabel(key: dict[str, Any], model: Any, rules: Any, X: Any, y: Any) -> tuple[Any, int, int]:  # noqa: ARG001
    return frote.FROTE.as_published(model, rules, max_fits=0, random_state=SEED).fit(X, y).estimator_, 1, 0


def weights(key: dict[str, Any], model: Any, rules: Any, X: Any, y: Any) -> tuple[Any, int, int]:
    """Relabel, and weigh covered rows; the weight with the best objective in three folds of the training data."""
    X, y = frote.FROTE.as_published(model, rules, max_fits=0, random_state=SEED).fit_resample(X, y)
    covered = rules.coverage(X).any(axis=1)
    if not covered.any():
        return relabel(key, model, rules, X, y)
    folds = list(StratifiedKFold(3, shuffle=True, random_state=SEED).split(X, y))
    means = []
    for weight in WEIGHTS:
        scores = []
        for inside, outside in folds:
            fold = weighted(model, X.iloc[inside], y.iloc[inside], covered[inside], weight)
            report = frote.score(fold, X.iloc[outside], y.iloc[outside], rules)
            # As in the loop: agreement and F1 count alike; a fold may have no covered row.
            parts = [part for part in (report.agreement, report.f1) if not np.isnan(part)]
            scores.append(np.mean(parts))
        means.append(np.mean(scores))
    best = WEIGHTS[int(np.argmax(means))]
    return weighted(model, X, y, covered, best), 1 + len(WEIGHTS) * len(folds), 0


def weighted(model: Any, X: Any, y: Any, covered: Any, weight: float) -> Any:
    return clone(model).fit(X, y, model__sample_weight=np.where(covered, weight, 1.0))


def default(key: dict[str, Any], model: Any, rules: Any, X: Any, y: Any) -> tuple[Any, int, int]:
    variant = VARIANTS.get(key["method"], {})
    return edited(frote.FROTE(model, rules, random_state=SEED, **variant).fit(X, y))


def published(key: dict[str, Any], model: Any, rules: Any, X: Any, y: Any) -> tuple[Any, int, int]:
    size = BATCH_SIZES[key["data"]]
    return edited(frote.FROTE.as_published(model, rules, batch_size=size, random_state=SEED).fit(X, y))


def edited(editor: frote.FROTE) -> tuple[Any, int, int]:
    return editor.estimator_, int(editor.n_fits_) - 1, int(editor.history_["added"].iloc[-1])


METHOD = {
    "initial": initial,
    "override": override,
    "relabel": relabel,
    "weights": weights,
    "published": published,
}


def keys(draws: Iterable[int], methods: Iterable[str]) -> list[dict[str, Any]]:
    """List all runs, one method and draw after the other."""
    return [
        {"data": data, "model": model, "tcf": tcf, "draw": number, "method": method}
        for method, number, data, model, tcf in product(methods, draws, BATCH_SIZES, MODELS, SHARES)
    ]


def table(draws: Iterable[int], methods: Iterable[str], against: str) -> str:
    """Return the results as Markdown: a line per data set and model, each the mean over both shares.

    Only draws that every one of the methods has been run on are counted; the default is compared with one of them.
    """
    frame = pd.DataFrame(read(RESULTS))
    frame = frame[frame["draw"].isin(list(draws))]
    which = ["data", "model", "tcf", "draw"]
    wide = frame.pivot_table(index=which, columns="method", values="objective", sort=False)
    methods = [name for name in methods if name in wide]
    wide = wide.dropna(subset=methods)
    fits = frame.pivot_table(index=which, columns="method", values="fits").loc[wide.index]
    out = [
        "| data | model | runs | " + " | ".join(methods) + f" | default - {against} | to the override | fits |",
        "|---" * (len(methods) + 6) + "|",
    ]
    losses = []
    for (data, model), cell in wide.groupby(["data", "model"], sort=False):
        gain = cell["default"] - cell[against]
        error = gain.std(ddof=1) / np.sqrt(len(gain))
        means = " | ".join(f"{cell[name].mean():.3f} ± {cell[name].std(ddof=1):.3f}" for name in methods)
        spent = fits.loc[cell.index]
        distance = (cell["default"] - cell["override"]).mean()
        out.append(
            f"| {data} | {model} | {len(cell)} | {means} | {gain.mean():+.4f} ± {error:.4f} | {distance:+.3f} "
            f"| {spent['default'].mean():.1f} of {spent[against].mean():.1f} |"
        )
        if gain.mean() < 0:
            losses.append(f"{data} {model} ({gain.mean():+.4f} ± {error:.4f})")
    cells = len(wide.groupby(["data", "model"]))
    out += [
        "",
        f"{len(wide)} draws of all methods; objective on unseen rows, mean and standard deviation over draws and both "
        "shares; differences with the standard error of the mean of pairs.",
        f"The default is at least as good as {against} in {cells - len(losses)} of {cells} cells; "
        f"below: {'; '.join(losses) or 'none'}.",
        f"Retrainings: {fits['default'].median():.0f} against {fits[against].median():.0f} (medians).",
    ]
    more = (
        frame.set_index(which).loc[wide.index].groupby("method")[["agreement", "f1", "fits", "rows_added", "seconds"]]
    )
    out += ["", "| method | agreement | F1 outside | fits | rows added | seconds |", "|---|---|---|---|---|---|"]
    spread = more.std(ddof=1)
    for name in methods:
        mean, std = more.mean().loc[name], spread.loc[name]
        out.append(
            f"| {name} | {mean['agreement']:.3f} ± {std['agreement']:.3f} | {mean['f1']:.3f} ± {std['f1']:.3f} "
            f"| {mean['fits']:.1f} ± {std['fits']:.1f} | {mean['rows_added']:.0f} ± {std['rows_added']:.0f} "
            f"| {mean['seconds']:.1f} ± {std['seconds']:.1f} |"
        )
    return "\n".join(out)


def variants(draws: Iterable[int]) -> str:
    """Return as Markdown what each part of the default is worth: cells won and lost without it."""
    frame = pd.DataFrame(read(RESULTS))
    frame = frame[frame["draw"].isin(list(draws))]
    wide = frame.pivot_table(index=["data", "model", "tcf", "draw"], columns="method", values="objective", sort=False)
    fits = frame.pivot_table(index=["data", "model", "tcf", "draw"], columns="method", values="fits", sort=False)
    out = [
        "| variant | runs | default better in cells | equal | largest loss of the default | mean gain | fits |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in VARIANTS:
        if name not in wide:
            continue
        pairs = wide[["default", name]].dropna()
        gain = (pairs["default"] - pairs[name]).groupby(["data", "model"]).mean()
        error = (pairs["default"] - pairs[name]).std(ddof=1) / np.sqrt(len(pairs))
        out.append(
            f"| {name} | {len(pairs)} | {(gain > 0).sum()} of {len(gain)} | {(gain == 0).sum()} | {gain.min():+.4f} "
            f"({' '.join(list(gain.index)[int(gain.argmin())])}) | {gain.mean():+.4f} ± {error:.4f} "
            f"| {fits.loc[pairs.index, name].mean():.1f} against {fits.loc[pairs.index, 'default'].mean():.1f} |"
        )
    return "\n".join(out)


def span(text: str) -> range:
    """Read draws such as 0-4."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "table", "variants"))
    parser.add_argument("--draws", type=span, default=range(5))
    parser.add_argument("--methods", nargs="+", choices=(*METHODS, *VARIANTS), default=METHODS)
    parser.add_argument("--against", choices=METHODS, default="published")
    parser.add_argument("--n-jobs", type=int, default=1)
    options = parser.parse_args()
    if options.what == "run":
        show = lambda line: f"{line['objective']:.3f} in {line['fits']} fits, {line['seconds']:.0f} s"  # noqa: E731
        run_missing(RESULTS, keys(options.draws, options.methods), run, show, options.n_jobs)
    else:
        print(
            table(options.draws, options.methods, options.against)
            if options.what == "table"
            else variants(options.draws)
        )
