"""One word, one number: wherever people read of an objective, it is said which one."""

from __future__ import annotations

import html
import re

import pandas as pd

import frote

BARE = re.compile(r"(?<!training )\bobjective\b(?! by (coverage|population))", re.IGNORECASE)  # objective_ is a name
ASKED = ("--target", "decision", "--rules", "clean.rules")


def require_named(text, *names):
    """The text speaks of these objectives, and of none by the bare word."""
    visible = " ".join(html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", text, flags=re.DOTALL)).split())
    bare = [visible[max(hit.start() - 60, 0) : hit.end() + 60] for hit in BARE.finditer(visible)]
    assert not bare, bare
    for name in names:
        assert name in visible.lower()


def test_the_bare_word_is_found():
    assert BARE.search("The objective rose.")
    assert BARE.search("Objective: 0.5, by coverage")
    assert not BARE.search("the training objective, the objective by coverage and the objective by population")


def test_commands_say_which_objective(edited, call):
    folder, done = edited
    require_named(done.stdout, "objective by coverage", "objective by population")
    require_named(done.stderr, "training objective")  # the progress bar
    require_named((folder / "edit" / "report.html").read_text("utf-8"), "training objective", "objective by population")
    shown = call("preview", "--data", "loans.csv", *ASKED, cwd=folder).stdout
    require_named(shown, "training objective")
    model = folder / "edit" / "model.skops"
    shown = call("score", "--data", "later.csv", *ASKED, "--load", model, cwd=folder).stdout
    require_named(shown, "objective by coverage")


def test_notebooks_say_which_objective():
    loans = frote.datasets.load_loans(200)
    rules = "young: IF age < 29 AND defaults = 0 THEN approved"
    before = frote.default_pipeline().fit(loans.X, loans.y)
    editor = frote.FROTE(rules=rules, max_fits=1, random_state=0).fit(loans.X, loans.y)
    require_named(editor._repr_html_(), "training objective")
    require_named(editor.preview(loans.X, loans.y)._repr_html_(), "training objective")
    score = frote.score(before, loans.X, loans.y, rules, population=pd.concat([loans.X, loans.X]))
    require_named(score._repr_html_(), "objective by coverage")
    comparison = frote.compare_models(before, editor.estimator_, loans.X, rules, loans.y)
    for shown in (str(comparison), comparison._repr_html_()):
        require_named(shown, "objective by coverage")
