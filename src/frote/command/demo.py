"""``frote demo``: the whole story on generated loan applications."""

from __future__ import annotations

import hashlib
import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from frote.command import options
from frote.edits.order import Order
from frote.edits.run_options import RunOptions
from frote.layout import Column, as_lines, decimals
from frote.shell import Command, say

if TYPE_CHECKING:
    from frote.edits.folder import Place
    from frote.report.contents import MeasureName, Report

__all__ = ["demo"]

TRAINED = 1500  # applications of the 2,000; the others are judged on
# The ways that are shown side by side: what each is called, its folder, and the settings it is asked for by.
BY_DATA, IN_MODEL = ("by its data, with twins", "edit", {"twins": 1.0}), ("in the model", "in-model", {"how": "auto"})
MEASURES: dict[str, MeasureName] = {"agreement": "agreement", "F1 outside": "f1"}
PRICES = ("flips outside", "retrainings", "rows added")


@click.command(cls=Command, short_help="Show the whole story on made-up loan applications.")
@click.option("--out", type=options.FILE, default=Path("frote-demo"), show_default=True, help="The folder to write.")
@click.option("--force", is_flag=True, help="Replace the folder if it is there.")
@options.quiet
def demo(out: Path, force: bool, quiet: bool) -> None:
    """Show the whole story on generated loan applications: explain, check, preview, edit two ways, compare, report."""
    from frote.datasets import load_loans
    from frote.edits.folder import Place

    loans = load_loans()
    table = loans.X.assign(**{str(loans.y.name): loans.y})
    made = {
        "applications.csv": table[:TRAINED].to_csv(index=False, lineterminator="\n").encode(),
        "later.csv": table[TRAINED:].to_csv(index=False, lineterminator="\n").encode(),
        "policy.rules": loans.rules_text.encode(),
    }
    place = Place(out, force, beside={name: hashlib.sha256(content).hexdigest() for name, content in made.items()})
    with place.taken():
        try:
            _tell_story(place, loans, made, quiet=quiet)
        finally:
            place.discard()


def _tell_story(place: Place, loans: Any, given: dict[str, bytes], *, quiet: bool) -> None:
    """Tell the story, and put what came of it in place."""
    from frote.compare.models import compare_models
    from frote.coverage.labels import Labels
    from frote.edits.editors import make_editor, used_rules
    from frote.edits.models import train
    from frote.edits.replaying import replay_command
    from frote.edits.running import run
    from frote.edits.saved_models import load_model
    from frote.edits.tables import read_labelled
    from frote.estimators.explaining import explain_model
    from frote.report.contents import require_report
    from frote.rules.written import WrittenRules
    from frote.table import TypedFrame

    def tell(title: str, text: Any) -> None:
        if not quiet:
            say(text, title=title)

    out = place.folder
    for name, content in given.items():
        (place.made / name).write_bytes(content)
    data, test = (place.made / name for name in ("applications.csv", "later.csv"))
    order = Order(
        target=str(loans.y.name),
        rules=WrittenRules(loans.rules_text),
        model="forest",
        params={"min_samples_leaf": 5},
        settings=BY_DATA[2],
        resolve="priority",
        about={"title": "New lending policy", "owner": "Credit policy", "approver": "Model risk"},
    )
    X, y = loans.X[:TRAINED], loans.y[:TRAINED]
    rows = TypedFrame.of(X)
    editor = make_editor(order, used_rules(order, rows.table, Labels.of(y).classes), RunOptions())
    before = train(editor.estimator, rows, y, name=order.model, seed=order.seed)
    tell("1. What the model does now, as rules", explain_model(before, X))
    tell("2. The new policy", loans.rules)
    tell("3. What it covers, and whom it contradicts", loans.rules.check(X, y, before))
    tell("4. What an edit would do; conflicts go to the rule that is written first", editor.preview(X, y))
    tell("5. The edit, two ways: by the data that the model is trained on, and in the model itself", "")
    table, test_table = (read_labelled(path, order) for path in (data, test))
    repeats, reports = [], {}
    for way, name, settings in (BY_DATA, IN_MODEL):
        made = place.made / name
        made.mkdir()
        repeats.append(replay_command(out / name / "edit.json", out / data.name, out / test.name, order.model))
        asked = replace(order, settings=settings)
        run(asked, table, test_table, made, RunOptions(progress=not quiet), repeats[-1])
        reports[way] = require_report(json.loads((made / "report.json").read_text("utf-8")))
    by_data = reports[BY_DATA[0]]
    tell("6. By its data: what each loss outside the rules buys, step by step", _frontier(by_data))
    tell("7. On 500 later applications, which no model has seen", _side_by_side(reports))
    after = load_model(place.made / BY_DATA[1] / "model.skops")
    tell("8. What else moved, by its data", compare_models(before, after, X, editor.rules))
    place.finish()
    pages = " and ".join(str(out / name / "report.html") for _, name, _ in (BY_DATA, IN_MODEL))
    tell("Everything is in", f"{out}: open {pages}\nTo repeat it byte by byte: {repeats[0]}\n{_further(out, order)}")


def _further(out: Path, order: Order) -> str:
    """Say how the same table and policy are opened in the studio, whose folder stands beside this one."""
    given = [str(out / "applications.csv"), "--target", order.target, "--rules", str(out / "policy.rules")]
    params = [part for name, value in order.params.items() for part in ("--param", f"{name}={value}")]
    command = ["frote", "studio", *given, "--model", order.model, *params, "--workspace", f"{out}-studio"]
    return f"To go on in the browser: {shlex.join(command)}"


def _frontier(report: Report) -> str:
    """Lay out the steps that no other one beats, as the picture in the report has them."""
    points, most = report["result"]["frontier"]["points"], report["result"]["frontier"]["most"]
    steps = ["model before" if one["step"] < 0 else f"step {one['step']}" for one in points]
    columns = [
        Column("", [*steps, "the rules themselves"]),
        Column("agreement", decimals([*(one["agreement"] for one in points), most]), right=True),
        Column("loss outside", decimals([*(one["loss"] for one in points), 0.0]), right=True),
    ]
    measured = "Measured on the training rows and on rows made for measuring only; in the report it is a picture."
    return "\n".join([*as_lines(columns), "", measured])


def _side_by_side(reports: dict[str, Report]) -> str:
    """Lay out what came of each way, between the model before and the hard override."""
    edits = list(reports.values())
    before, override = edits[0]["scores"]["before"], edits[0]["scores"]["override"]
    scores = [before, *(report["scores"]["after"] for report in edits), override]
    names = [f"{way} ({report['how']})" if report["how"] != "data" else way for way, report in reports.items()]
    columns = [Column("", ["model before", *names, "hard override"])]
    for title, measure in MEASURES.items():
        columns.append(Column(title, [f"{one[measure]:.3f}" for one in scores], right=True))
    for title, counts in zip(PRICES, zip(*map(_price, edits), strict=True), strict=True):
        columns.append(Column(title, ["0", *(f"{count:,}" for count in counts), "0"], right=True))
    return "\n".join(as_lines(columns))


def _price(report: Report) -> tuple[int, int, int]:
    """Return how many predictions changed outside the rules, how often was trained, and how many rows were added."""
    steps, rows = report["result"]["steps"], report["done"]["rows"]
    fits = len(steps) if report["how"] == "data" else len(steps) - 1  # the first of the other ways is the model before
    return report["judgement"]["outside"], fits, rows["added"] + rows["guards"]
