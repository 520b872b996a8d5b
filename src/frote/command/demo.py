"""``frote demo``: the whole story on generated loan applications."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from frote.command import options
from frote.edits.order import Order
from frote.edits.run_options import RunOptions
from frote.shell import Command, say

if TYPE_CHECKING:
    from frote.edits.folder import Place

__all__ = ["demo"]

TRAINED = 1500  # applications of the 2,000; the others are judged on


@click.command(cls=Command, short_help="Show the whole story on made-up loan applications.")
@click.option("--out", type=options.FILE, default=Path("frote-demo"), show_default=True, help="The folder to write.")
@click.option("--force", is_flag=True, help="Replace the folder if it is there.")
@options.quiet
def demo(out: Path, force: bool, quiet: bool) -> None:
    """Show the whole story on generated loan applications: explain, check, preview, edit, compare, report."""
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
    tell("5. The edit", "")
    made = place.made / "edit"
    made.mkdir()
    repeat = replay_command(out / "edit" / "edit.json", out / data.name, out / test.name, order.model)
    table, test_table = (read_labelled(path, order) for path in (data, test))
    record = run(order, table, test_table, made, RunOptions(progress=not quiet), repeat)
    before_edit, after_edit = record["scores"]["before"], record["scores"]["after"]
    lines = [
        f"agreement with the rules: {before_edit['agreement']:.3f} before, {after_edit['agreement']:.3f} after",
        f"F1 elsewhere: {before_edit['f1']:.3f} before, {after_edit['f1']:.3f} after",
    ]
    tell("6. On 500 later applications, which it has not seen", "\n".join(lines))
    after = load_model(made / "model.skops")
    tell("7. What else moved", compare_models(before, after, X, editor.rules))
    place.finish()
    tell("Everything is in", f"{out}: open {out / 'edit' / 'report.html'}\nTo repeat it byte by byte: {repeat}")
