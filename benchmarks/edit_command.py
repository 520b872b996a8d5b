"""`frote edit` as a whole on the paper's largest data set: where its time goes, and whether its numbers hold.

Writes Adult to a CSV file, edits LightGBM with five rules through the installed command, compares the record with
`frote.score` on the written model and data, and replays the edit. Needs the paper's data sets (FROTE_DATA).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import frote
from frote.edits.saved_models import load_model
from frote.files import read_table
from frote_experiments.draws import draw
from results import keep

LIGHTGBM = ("collections.OrderedDict", "lightgbm.basic.Booster", "lightgbm.sklearn.LGBMClassifier")
FROTE = str(Path(sys.executable).with_name("frote"))


TITLE = "`frote edit` as a whole, in seconds"
HEADS = (("part", "part", "", ""), ("seconds", "seconds", "", ".2f"), ("share", "share", "", ".1%"))


def main(rules: int, *, published: bool) -> None:
    chosen = draw("adult", 0, rules=rules, tcf=0.2)
    table = chosen.data.X.assign(income=chosen.data.y)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table.iloc[chosen.train].to_csv(folder / "adult.csv", index=False)
        table.iloc[chosen.test].to_csv(folder / "later.csv", index=False)
        (folder / "policy.rules").write_text(f"{chosen.rules}\n")
        given = ("--data", "adult.csv", "--target", "income", "--rules", "policy.rules", "--test", "later.csv")
        start = time.perf_counter()
        how = ["--as-published"] if published else []
        run = [FROTE, "edit", *given, "--model", "lightgbm", "--out", "edit", "--quiet", *how]
        subprocess.run(run, cwd=folder, check=True)
        seconds = time.perf_counter() - start
        record = json.loads((folder / "edit" / "edit.json").read_text())

        parts = dict(record["timings"])
        training = parts.pop("training")
        parts["loop outside training"] = parts.pop("editing") - training
        parts["start, reading, moving in place"] = seconds - training - sum(parts.values())
        parts["outside training"] = seconds - training - parts["first_fit"]
        parts["training in the loop"] = training
        parts["all"] = seconds

        model = load_model(folder / "edit" / "model.skops", trusted=LIGHTGBM)
        later = read_table(folder / "later.csv").frame
        found = frote.score(model, later.drop(columns="income"), later["income"], chosen.rules)
        assert abs(found.objective - record["scores"]["after"]["objective"]) < 1e-12
        if not published:  # it takes as long again
            replay = ("replay", "edit", "--data", "adult.csv", "--test", "later.csv", "--quiet")
            subprocess.run([FROTE, *replay], cwd=folder, check=True)
    steps = len(record["steps"])
    how_name = "published" if published else "default"
    lines = [{"part": part, "seconds": took, "share": took / seconds} for part, took in parts.items()]
    keep(f"edit-{how_name}", TITLE, HEADS, lines, repeats=1, rules=rules, fits=steps)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", type=int, default=5)
    parser.add_argument("--as-published", action="store_true")
    options = parser.parse_args()
    main(options.rules, published=options.as_published)
