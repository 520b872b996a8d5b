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

LIGHTGBM = ("collections.OrderedDict", "lightgbm.basic.Booster", "lightgbm.sklearn.LGBMClassifier")
FROTE = str(Path(sys.executable).with_name("frote"))


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
        print(f"frote edit: {seconds:.1f} s, {len(record['steps'])} fits in the loop: {training:.1f} s")
        for part, took in parts.items():
            print(f"  {part:<32}{took:6.2f} s {took / seconds:7.1%}")
        outside = seconds - training - parts["first_fit"]
        print(f"  outside training                {outside:6.2f} s {outside / seconds:7.1%}")

        model = load_model(folder / "edit" / "model.skops", trusted=LIGHTGBM)
        later = read_table(folder / "later.csv").frame
        found = frote.score(model, later.drop(columns="income"), later["income"], chosen.rules)
        noted = record["scores"]["after"]
        print(f"frote.score on the written model: {found.objective:.6f}; the record: {noted['objective']:.6f}")

        if not published:  # it takes as long again
            replay = ("replay", "edit", "--data", "adult.csv", "--test", "later.csv", "--quiet")
            again = subprocess.run([FROTE, *replay], cwd=folder, check=False)
            print(f"frote replay: exit code {again.returncode}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", type=int, default=5)
    parser.add_argument("--as-published", action="store_true")
    options = parser.parse_args()
    main(options.rules, published=options.as_published)
