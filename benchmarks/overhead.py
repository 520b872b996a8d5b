"""Time outside the estimator's own calls, per step, for the three models on the paper's eight data sets.

Medians in milliseconds and the share of the time in the estimator's own calls; the target is the larger of 5 %
and 5 ms per step. Our own encoder, which these models begin with, is counted as ours. Seconds are the processor's (all
have one thread), which others on the machine change less. Needs the paper's data sets (FROTE_DATA). Run it with
`make overhead`.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any
from unittest import mock

import frote
from frote_experiments.draws import draw
from frote_experiments.models import BATCH_SIZES, PAPER_MODELS, make_model
from results import keep

TITLE = "Time outside the estimator's own calls: medians per step, in milliseconds"
HEADS = (
    ("data", "data", "", ""),
    ("model", "model", "", ""),
    ("fit", "fit", "", ".1f"),
    ("predict", "predict", "", ".1f"),
    ("other", "other", "", ".1f"),
    ("share", "share", "", ".1%"),
    ("within", "within", "", ""),
)
COUNTED = "How many cells are within the larger of 5 % and 5 ms per step"
COUNTED_HEADS = (("cells", "cells", "", ".0f"), ("within", "within", "", ".0f"))


def main(method: str, fits: int, tcf: float, data_sets: list[str]) -> None:
    lines = []
    for data in data_sets:
        chosen = draw(data, 0, rules=3, tcf=tcf)
        X, y = chosen.data.X.iloc[chosen.train], chosen.data.y.iloc[chosen.train]
        for name in PAPER_MODELS:
            settings: dict[str, Any] = {"max_fits": fits, "random_state": 0, "n_jobs": 1}
            if method == "default":
                editor = frote.FROTE(make_model(name), chosen.rules, **settings)
            else:
                settings["batch_size"] = BATCH_SIZES[data]
                editor = frote.FROTE.as_published(make_model(name), chosen.rules, select=method, **settings)
            with warnings.catch_warnings(), mock.patch.object(time, "perf_counter", time.process_time):
                warnings.simplefilter("ignore")
                steps = editor.fit(X, y).history_.iloc[1:]
            fit, predict, other = (1000 * steps[f"{part}_seconds"] for part in ("fit", "predict", "other"))
            share = other.sum() / (fit.sum() + predict.sum())
            medians = {"fit": fit.median(), "predict": predict.median(), "other": other.median()}
            within = "yes" if medians["other"] <= 5 or share <= 0.05 else "NO"
            lines.append({"data": data, "model": name, **medians, "share": share, "within": within})
    counted = {"cells": len(lines), "within": sum(line["within"] == "yes" for line in lines)}
    keep(f"overhead-{method}", TITLE, HEADS, lines, repeats=1, method=method, fits=fits, tcf=tcf)
    keep(f"overhead-{method}-counted", COUNTED, COUNTED_HEADS, [counted], repeats=1, method=method, fits=fits, tcf=tcf)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("method", nargs="?", default="default", choices=("default", "random", "ip", "online"))
    parser.add_argument("--fits", type=int, default=20)
    parser.add_argument("--tcf", type=float, default=0.2)
    parser.add_argument("--data", nargs="+", default=list(BATCH_SIZES), choices=BATCH_SIZES)
    options = parser.parse_args()
    main(options.method, options.fits, options.tcf, options.data)
