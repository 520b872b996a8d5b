"""A policy for a channel that no row has yet: taught by synthetic rows, and kept to when the first rows come."""

from __future__ import annotations

import io
import shutil

import pandas as pd
import pytest
from sklearn.model_selection import cross_validate

import frote

RULES = "app: IF channel = 'app' AND income < 60K THEN denied\n"
GIVEN = ("--data", "loans.csv", "--target", "decision", "--rules", "app.rules")


@pytest.fixture
def folder(loans, tmp_path):
    shutil.copy(loans / "loans.csv", tmp_path / "loans.csv")
    (tmp_path / "app.rules").write_text(RULES)
    return tmp_path


def comers(folder):
    """Return the first rows of the new channel: those of the others, had they come by it."""
    table = pd.read_csv(folder / "loans.csv")
    X = table.drop(columns="decision").assign(channel="app")
    return X[(X["income"] < 60_000).to_numpy()]


def test_from_the_command_line(folder, call):
    told = call("edit", *GIVEN, "--out", "edit", cwd=folder, code=2).stderr
    assert "has no level 'app'" in told
    assert "--levels channel=app" in told
    given = (*GIVEN, "--levels", "channel=app", "--max-fits", "4")
    call("edit", *given, "--out", "edit", "--quiet", cwd=folder)
    made = pd.read_csv(folder / "edit/augmented.csv")[300:]
    assert len(made)
    assert set(made["channel"]) == {"app"}
    comers(folder).to_csv(folder / "first.csv", index=False)
    agreed = []
    for name in ("before", "model"):
        printed = call("predict", f"edit/{name}.skops", "--data", "first.csv", cwd=folder).stdout
        agreed.append((pd.read_csv(io.StringIO(printed))["prediction"] == "denied").mean())
    assert agreed[0] < 0.9 < 0.95 < agreed[1]
    assert "The same" in call("replay", "edit", "--data", "loans.csv", cwd=folder).stdout


def test_from_python(folder):
    table = pd.read_csv(folder / "loans.csv")
    y = table.pop("decision")
    model = frote.FROTEClassifier(rules=RULES, levels={"channel": ["app"]}, max_fits=4, random_state=0).fit(table, y)
    assert (model.predict(comers(folder)) == "denied").mean() > 0.95
    scores = cross_validate(model, table, y, cv=2, scoring=frote.make_scorer(RULES, "f1"), error_score="raise")
    assert (scores["test_score"] > 0.5).all()


@pytest.mark.parametrize(
    ("levels", "told"),
    [
        ("chanel=app", "loans.csv has no column 'chanel'. Did you mean 'channel'?"),
        (
            "income=app",
            "column 'income' holds numbers, which have no levels. If they are categories, add --categorical",
        ),
        ("channel", "--levels is given as COLUMN=LEVEL,LEVEL, such as channel=broker,web, not 'channel'."),
    ],
)
def test_levels_that_cannot_be(folder, call, levels, told):
    done = call("edit", *GIVEN, "--levels", levels, "--out", "edit", cwd=folder, code=2)
    assert told in done.stderr
    assert not (folder / "edit").exists()
