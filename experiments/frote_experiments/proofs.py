"""What can be proven of edited models: for each data set, model and way of editing, the answer to each rule.

``python -m frote_experiments.proofs RESULTS`` writes a line of JSON for each run, goes on where it was stopped, and
prints the table of what is there.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import frote
from frote.plain import plain
from frote_experiments.draws import draw
from frote_experiments.models import BATCH_SIZES, PAPER_MODELS, make_model

__all__ = ["prove_run", "table"]

HOWS = ("data", "auto")
VALUES = ("possible", "observed")
ANSWERS = ("proven", "counterexample", "open")
ROWS = 5_000  # of adult
SECONDS = 10.0  # for each rule


def prove_run(name: str, model: str, how: str, number: int) -> dict[str, Any]:
    """Edit a model on one draw of three rules, and prove what can be.

    Parameters
    ----------
    name, model : str
        The data set and the model.

    how : str
        How to edit it, as for `FROTEClassifier`.

    number : int
        Which draw.

    Returns
    -------
    dict
        The run, how long the edit took, and for each kind of rows the answer to each rule.
    """
    drawn = draw(name, number, rules=3, tcf=0.1, rows=ROWS if name == "adult" else None)
    X, y = drawn.data.X.iloc[drawn.train].reset_index(drop=True), drawn.data.y.iloc[drawn.train].reset_index(drop=True)
    began = time.perf_counter()
    edited = frote.FROTEClassifier(make_model(model), drawn.rules, how=how, random_state=42).fit(X, y)
    run: dict[str, Any] = {"dataset": name, "model": model, "how": how, "draw": number}
    run["edit_seconds"] = round(time.perf_counter() - began, 1)
    for values in VALUES:
        began = time.perf_counter()
        report = frote.prove(edited, drawn.rules, X, values=values, boxes=1_000_000, seconds=SECONDS)
        run[values] = [
            {"rule": one.rule, "answer": one.answer, "bound": plain(round(one.bound, 6)), "boxes": one.boxes}
            for one in report.proofs
        ]
        run[f"{values}_seconds"] = round(time.perf_counter() - began, 1)
    return run


def table(runs: list[dict[str, Any]]) -> str:
    """Count the answers of runs by model, way of editing and kind of rows, as Markdown."""
    lines = ["| model | edited by | rows | rules | proven | refuted | open |", "|---|---|---|---:|---:|---:|---:|"]
    for model in PAPER_MODELS:
        for how in HOWS:
            for values in VALUES:
                mine = [one for one in runs if (one["model"], one["how"]) == (model, how)]
                counts = Counter(answer["answer"] for one in mine for answer in one[values])
                numbers = " | ".join(str(counts[answer]) for answer in ANSWERS)
                lines.append(f"| {model} | {how} | {values} | {sum(counts.values())} | {numbers} |")
    return "\n".join(lines)


def main(path: Path, draws: int = 1) -> None:
    """Make the runs that a file lacks, and print the table."""
    runs = [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []
    done = {(one["dataset"], one["model"], one["how"], one["draw"]) for one in runs}
    wanted = [
        (name, model, how, number)
        for number in range(draws)
        for name in BATCH_SIZES
        for model in PAPER_MODELS
        for how in HOWS
    ]
    for key in wanted:
        if key not in done:
            runs.append(prove_run(*key))
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(runs[-1]) + "\n")
    print(table(runs))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
