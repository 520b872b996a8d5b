"""The preview: what it says of rows, conditions left out and the first batch is what the run then does."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted
from tests.estimators.stubs import Breaking, Counting, more_rows_are_better

import frote
from frote.rules import Clause, Rule

LOANS = frote.datasets.load_loans(120)
X, Y = LOANS.X, LOANS.y

RULES = {
    "one": "young: IF age < 29 AND defaults = 0 THEN approved",
    "pieces": "either: IF age < 29 OR purpose = car THEN denied\nold: IF age > 60 AND purpose != car THEN approved",
    "overlap": "IF age < 40 THEN approved\nIF age < 29 AND defaults = 0 THEN approved",
    "distributions": "IF defaults > 0 THEN {denied: 0.6, approved: 0.4}\nIF age < 29 AND defaults = 0 THEN approved",
    "confidence": "IF defaults >= 1 THEN denied WITH CONFIDENCE 0.7\nsure: IF age > 50 AND defaults = 0 THEN approved",
    "nothing": "far: IF age > 200 AND defaults = 0 THEN approved\nIF age < 29 AND defaults = 0 THEN approved",
    "few": "few: IF age < 21 AND defaults = 0 AND purpose = car THEN denied",
    "none": (),
}


def edit(rules, estimator=None, **parameters):
    estimator = frote.default_pipeline(DecisionTreeClassifier(max_depth=3)) if estimator is None else estimator
    return frote.FROTE(estimator, rules, **{"random_state": 3, "max_fits": 3, "k": 4, **parameters})


def holds(editor, X, y):
    """Make a preview, run, and hold the one against the other."""
    preview = editor.preview(X, y)
    X_new, _ = editor.fit_resample(X, y)
    ledger, history, rules = editor.ledger_, editor.history_, editor.rules_
    lines, changes = preview.rules, preview.changes
    assert lines.index.tolist() == list(rules.origins)
    assert preview.rows == len(X)

    for what in ("relabelled", "dropped"):
        lost = ledger[ledger["status"] == what]
        new = [None] * len(lost) if what == "dropped" else lost["new_label"]
        expected = Counter(zip(lost["rule"], lost["old_label"], new, strict=True))
        said = changes[changes["what"] == what].drop(columns="what")
        assert {tuple(line[:3]): line[3] for line in said.to_numpy().tolist()} == dict(expected)
        assert lines[what].to_dict() == {name: (lost["rule"] == name).sum() for name in rules.origins}

    owned = np.zeros(len(X), dtype=bool)
    for name in rules.origins:
        covered = np.any([piece.mask(X) for piece in rules.pieces(name)], axis=0)
        assert lines.loc[name, "covered"] == covered.sum()
        assert lines.loc[name, "attributed"] == (covered & ~owned).sum()
        owned |= covered

    first = history.iloc[1] if len(history) > 1 else {f"proposed: {name}": 0 for name in rules.origins}
    assert lines["first_batch"].tolist() == [first[f"proposed: {name}"] for name in rules.origins]
    assert preview.objective == history["objective"][0]
    np.testing.assert_array_equal(lines["agreement"], [history[f"agreement: {name}"][0] for name in rules.origins])
    assert preview.most_batches == editor.max_fits
    assert len(history) - 1 <= preview.most_batches

    # Base rows that have a neighbour come from the rule's population: they satisfy all that is not left out.
    made = ledger[(ledger["step"] == 1) & ledger["neighbour"].notna()]
    for rule, base in zip(made["rule"], made["base"], strict=True):
        piece = rules[rule]
        parts = {name: Rule("part", Clause.of({name: held}), piece.outcome) for name, held in piece.clause}
        failing = {name for name, part in parts.items() if not part.mask(X_new)[base]}
        assert failing <= set(lines.loc[piece.origin, "relaxed"].split(", "))
    return preview


@pytest.mark.parametrize("modify", ["relabel", "drop", "none"])
@pytest.mark.parametrize("rules", RULES)
def test_what_it_says_is_what_the_run_does(rules, modify):
    preview = holds(edit(RULES[rules], modify=modify), X, Y)
    if modify == "none":
        assert preview.changes.empty
    assert preview.rules.columns.tolist() == [
        *("covered", "attributed", "relabelled", "dropped", "relaxed", "agreement", "first_batch", "first_twins"),
    ]


@pytest.mark.parametrize("modify", ["relabel", "drop"])
def test_labels_that_are_drawn(modify):
    # What the rule rules out becomes one of its labels, by chance: the chance of the run.
    y = Y.where(np.arange(len(Y)) % 2 > 0, "pending")
    changes = holds(edit(RULES["distributions"], modify=modify), X, y).changes
    new = changes.loc[(changes["rule"] == "rule 1") & (changes["old_label"] == "pending"), "new_label"]
    assert set(new) == ({"approved", "denied"} if modify == "relabel" else {None})


@pytest.mark.parametrize(
    "parameters",
    [
        {"select": "ip", "k": 2},
        {"select": "online"},
        {"evaluate": "active"},
        {"evaluate": "published", "schedule": "fixed", "weak_share": 0.0},
        {"evaluate": 0.2},
        {"evaluate": (X, Y)},
        {"schedule": "fixed", "batch_size": 7},
        {"batch_size": 50, "oversample": 0.1},
        {"max_fits": 0},
        {"oversample": 0.001},
        {"agreement_weight": "coverage", "scoring": "accuracy"},
    ],
)
def test_with_any_settings(parameters):
    holds(edit(RULES["pieces"], **parameters), X, Y)


def test_by_integer_program_the_first_batch_may_be_smaller_than_planned():
    # Each of the few rows that are covered makes one row at most.
    preview = holds(edit(RULES["few"], select="ip", k=1, batch_size=40, oversample=2.0, schedule="fixed"), X, Y)
    assert 0 < preview.rules.loc["few", "first_batch"] < 40


@pytest.mark.parametrize("kind", ["polars", "NumPy"])
def test_other_frames_and_labels(kind):
    if kind == "polars":
        frame, y = pl.from_pandas(X), pl.from_pandas(Y)
        rules = RULES["distributions"]
    else:
        frame, y = X[["age", "defaults"]].to_numpy(), (Y == "approved").to_numpy().astype(np.int8)
        rules = "IF x1 >= 1 THEN {0: 0.6, 1: 0.4}\nIF x0 < 29 AND x1 = 0 THEN 1"
    preview = holds(edit(rules, Counting(), modify="relabel"), frame, y)
    assert set(preview.changes["old_label"]) <= set(y.to_list() if kind == "polars" else y)


def test_several_labels_are_told_apart_the_most_frequent_first():
    frame = pd.DataFrame({"a": range(12)})
    y = ["no"] * 4 + ["maybe"] * 2 + ["yes"] * 4 + ["no"] * 2
    changes = edit("low: IF a < 9 THEN yes", Counting()).preview(frame, y).changes
    assert changes.to_numpy().tolist() == [
        ["low", "relabelled", "no", "yes", 4],
        ["low", "relabelled", "maybe", "yes", 2],
    ]
    changes = edit("low: IF a < 5 THEN yes", Counting(), modify="drop").preview(frame, y).changes
    assert changes.to_numpy().tolist() == [["low", "dropped", "no", None, 4], ["low", "dropped", "maybe", None, 1]]


def test_several_conditions_are_left_out():
    frame = pd.DataFrame({"a": range(24), "b": [0.5] * 24, "c": [1, 2] * 12})
    rules = "far: IF a > 100 AND b > 5 AND c = 1 THEN yes\nodd: IF c = 1 AND a < 3 THEN yes"
    preview = holds(edit(rules, Counting(), max_fits=1), frame, ["no", "yes"] * 12)
    # Nothing is beyond 100, nor above 5; of the rows where c is 1 there are 12. Two of them are below 3.
    assert set(preview.rules.loc["far", "relaxed"].split(", ")) == {"a", "b"}
    assert preview.rules.loc["odd", "relaxed"] == "a"


# --- it leaves nothing behind ---


def test_one_fit_and_nothing_is_kept(tmp_path):
    fits = []
    editor = edit(RULES["one"], Breaking(fits), checkpoint=tmp_path / "run", callbacks=[print], progress=True)
    before = dict(vars(editor))
    editor.preview(X, Y)
    assert len(fits) == 1
    assert vars(editor) == before
    with pytest.raises(NotFittedError):
        check_is_fitted(editor)
    assert not (tmp_path / "run").exists()


def test_a_fitted_editor_stays_as_it_was():
    editor = edit(RULES["one"]).fit(X, Y)
    before = dict(vars(editor))
    editor.preview(X[["age", "defaults"]].assign(purpose="car"), Y)
    assert all(vars(editor)[name] is held for name, held in before.items())
    assert vars(editor).keys() == before.keys()


def test_the_classifier_has_it_too():
    one = frote.FROTEClassifier(rules=RULES["one"], random_state=0, max_fits=1).preview(X, Y)
    two = frote.FROTE(rules=RULES["one"], random_state=0, max_fits=1).preview(X, Y)
    pd.testing.assert_frame_equal(one.rules, two.rules)


def test_a_fit_that_fails_is_raised():
    with pytest.raises(LookupError, match="fit 0 went wrong"):
        edit(RULES["one"], Breaking([], (0,), LookupError)).preview(X, Y)


def test_bad_input_is_told_as_in_a_run():
    with pytest.raises(frote.BindingError, match="no column 'agee'"):
        edit("IF agee < 29 THEN approved").preview(X, Y)
    with pytest.raises(ValueError, match="The 'modify' parameter of FROTE must be"):
        edit(RULES["one"], modify="remove").preview(X, Y)


# --- how long it takes ---


def fixed(**parameters):
    given = {"schedule": "fixed", "weak_share": 0.0, "evaluate": "active", "scoring": more_rows_are_better}
    return edit("IF a < 8 THEN yes", Counting(), **{**given, **parameters})


FRAME, LABELS = pd.DataFrame({"a": np.arange(24)}), ["no", "yes"] * 12


def test_how_many_batches():
    # 24 rows, one more for each: batches of 5 until there are more than 24, and then as many as patience allows.
    preview = fixed(batch_size=5, oversample=1.0, max_fits=100).preview(FRAME, LABELS)
    assert (preview.likely_batches, preview.most_batches) == (5, 100)
    assert fixed(batch_size=5, oversample=1.0, max_fits=100, patience=7).preview(FRAME, LABELS).likely_batches == 12
    assert fixed(batch_size=5, oversample=1.0, max_fits=3, patience=7).preview(FRAME, LABELS).likely_batches == 3
    adaptive = fixed(schedule="adaptive", batch_size=2, oversample=1.0, max_fits=100, patience=7)
    assert adaptive.preview(FRAME, LABELS).likely_batches == 4 + 7  # 2, 4, 8, and the 10 that are left


@pytest.mark.parametrize("parameters", [{"rules": ()}, {"oversample": 0.001}, {"max_fits": 0}])
def test_where_nothing_is_to_be_tried(parameters):
    editor = fixed(schedule="adaptive", patience=5).set_params(**parameters)
    assert editor.preview(FRAME, LABELS).likely_batches == 0


def test_its_print():
    editor = frote.FROTE(
        LogisticRegression(),
        "low: IF a < 4 THEN yes\nfar: IF a > 100 AND b > 5 THEN no",
        random_state=0,
        k=2,
        batch_size=1000,
        oversample=100.0,
        schedule="fixed",
        max_fits=1234,
    )
    text = str(editor.preview(FRAME.assign(b=range(24)), LABELS))
    said = re.sub(r"[0-9.]+ (ms|s|min|h)\b", "some time", re.sub(r"is 0\.[0-9]{3}\.", "is so much.", text))
    assert said == (
        "24 rows. Before any synthetic row the training objective is so much.\n"
        "\n"
        "low: covers 4 rows; the first batch has 500 for it\n"
        "  2 relabelled: no to yes\n"
        "far: covers 0 rows; the first batch has 500 for it\n"
        "  too few rows to start from: conditions left out for base rows are a\n"
        "\n"
        "A batch takes about some time; about 3 would be tried (some time), 1,234 at most (some time)."
    )
    dropped = str(editor.set_params(modify="drop").preview(FRAME.assign(b=range(24)), LABELS))
    assert "\n  2 dropped: no\n" in dropped
    assert repr(edit((), Counting()).preview(FRAME, LABELS)).startswith("24 rows. Before any synthetic row the")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0004, "0 ms"),
        (0.25, "250 ms"),
        (2.4, "2 s"),
        (119, "119 s"),
        (180, "3 min"),
        (7200, "2.0 h"),
        (9000, "2.5 h"),
    ],
)
def test_durations(seconds, text):
    from frote.estimators.preview import _duration

    assert _duration(seconds) == text


def test_twins_of_the_first_batch_are_counted_apart():
    loans = frote.datasets.load_loans(300)
    editor = frote.FROTE(rules="young: IF age < 29 AND defaults = 0 THEN approved", twins=1.0, random_state=0)
    preview = editor.preview(loans.X, loans.y)
    history = editor.set_params(max_fits=1).fit(loans.X, loans.y).ledger_
    assert preview.rules.loc["young", "first_batch"] == (history["status"] == "synthetic").sum()
    assert preview.rules.loc["young", "first_twins"] == (history["status"] == "guard").sum() > 0
    assert "just outside" in str(preview)


@pytest.mark.parametrize("parameters", [{"twins": 1.0}, {"max_loss_outside": 0.5}], ids=str)
def test_the_frontier_of_a_preview_has_the_points_that_the_run_begins_with(parameters):
    editor = edit(RULES["distributions"], **parameters)
    preview = editor.preview(X, Y)
    points = preview.frontier
    assert points.index.tolist() == ["model as it was", "first model", "hard override"]
    assert points.loc["hard override"].tolist() == [0.8, 0.0]  # the mean of 0.6 and 1
    editor.fit_resample(X, Y)
    first = editor.history_.iloc[0]
    assert points.loc["first model"].tolist() == [first["agreement"], first["loss"]]
    sentence = f"model as it was {points.loc['model as it was', 'agreement']:.3f} and 0.000"
    assert sentence in str(preview)
    assert sentence in preview._repr_html_()


def test_a_preview_without_twins_and_limit_has_no_frontier():
    preview = edit(RULES["one"]).preview(X, Y)
    assert preview.frontier.empty
    assert "loss outside" not in str(preview)
