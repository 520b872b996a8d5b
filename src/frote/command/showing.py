"""The demonstration: the whole story on generated loan applications."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from sklearn.base import clone

from frote.command.editing import Watching, conflict_free, edit, make_editor
from frote.command.place import Place
from frote.command.record import Asked
from frote.command.saved_models import load_model
from frote.command.tables import labelled
from frote.datasets import load_loans
from frote.estimators.comparing import compare_models
from frote.estimators.explaining import explain_model
from frote.shell import say

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["show"]

TRAINED = 1500  # applications of the 2,000; the others are judged on


def show(out: Path, *, force: bool, quiet: bool) -> None:
    """Explain, check, preview, edit, compare and report.

    Parameters
    ----------
    out : Path
        The folder to write: the tables and rules, and what `edit` gives.

    force : bool
        Whether it may be replaced.

    quiet : bool
        Whether to print nothing.
    """
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

    def tell(title: str, text: Any) -> None:
        if not quiet:
            say(text, title=title)

    out = place.folder
    for name, content in given.items():
        (place.made / name).write_bytes(content)
    data, test = (place.made / name for name in ("applications.csv", "later.csv"))
    asked = Asked(
        str(loans.y.name),
        loans.rules_text,
        "forest",
        {"min_samples_leaf": 5},
        resolve="priority",
        about={"title": "New lending policy", "owner": "Credit policy", "approver": "Model risk"},
    )
    X, y = loans.X[:TRAINED], loans.y[:TRAINED]
    editor = make_editor(asked, conflict_free(asked, X, y), Watching())
    before = clone(editor.estimator).set_params(model__random_state=asked.seed).fit(X, y)
    tell("1. What the model does now, as rules", explain_model(before, X))
    tell("2. The new policy", loans.rules)
    tell("3. What it covers, and whom it contradicts", loans.rules.check(X, y, before))
    tell("4. What an edit would do; conflicts go to the rule that is written first", editor.preview(X, y))
    tell("5. The edit", "")
    made = place.made / "edit"
    made.mkdir()
    repeat = f"frote replay {out / 'edit' / 'edit.json'} --data {out / data.name} --test {out / test.name}"
    record = edit(asked, labelled(data, asked), labelled(test, asked), made, Watching(progress=not quiet), repeat)
    scores = record["scores"]
    lines = [
        f"{name}: {scores['before'][key]:.3f} before, {scores['after'][key]:.3f} after"
        for name, key in (("agreement with the rules", "agreement"), ("F1 elsewhere", "f1"))
    ]
    tell("6. On 500 later applications, which it has not seen", "\n".join(lines))
    after = load_model(made / "model.skops")
    tell("7. What else moved", compare_models(before, after, X, editor.rules))
    place.finish()
    tell("Everything is in", f"{out}: open {out / 'edit' / 'report.html'}\nTo repeat it byte by byte: {repeat}")
