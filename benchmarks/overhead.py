"""Time outside the estimator's own calls, per step, for the three models on adult, car and splice.

Prints medians in milliseconds and the share of all time; the target is the larger of 10 % and 10 ms per step. Needs the
paper's data sets (FROTE_DATA). Run it with `make overhead`.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "experiments"))

import frote
from draws import draw
from published import make_model

BATCHES = {"adult": 200, "car": 20, "splice": 50}


def main(fits: int, select: str) -> None:
    print(f"{fits} steps, select={select!r}, tcf 0.2 and 0; medians per step in ms\n")
    print("data    model  tcf      fit  predict    other   share  within")
    for data, size in BATCHES.items():
        for tcf in (0.2, 0.0):
            chosen = draw(data, 0, rules=3, tcf=tcf)
            X, y = chosen.data.X.iloc[chosen.train], chosen.data.y.iloc[chosen.train]
            for name in ("LR", "RF", "LGBM"):
                editor = frote.FROTE.as_published(
                    make_model(name), chosen.rules, select=select, batch_size=size, max_fits=fits, random_state=0
                )
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    steps = editor.fit(X, y).history_.iloc[1:]
                fit, predict, other = (1000 * steps[f"{part}_seconds"] for part in ("fit", "predict", "other"))
                share = other.sum() / (fit.sum() + predict.sum())
                within = "yes" if other.median() <= 10 or share <= 0.1 else "NO"
                print(
                    f"{data:<8}{name:<6}{tcf:>4g}{fit.median():>9.1f}{predict.median():>9.1f}{other.median():>9.1f}"
                    f"{share:>8.1%}  {within}",
                    flush=True,
                )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fits", type=int, default=20)
    parser.add_argument("--select", default="random")
    options = parser.parse_args()
    main(options.fits, options.select)
