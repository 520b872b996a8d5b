"""The report of an editor, from Python."""

from __future__ import annotations

import pickle

import pytest
from sklearn.exceptions import NotFittedError

import frote

RULES = "young: IF age < 29 AND defaults = 0 THEN approved"
LOANS = frote.datasets.load_loans(250)


@pytest.mark.parametrize("kind", [frote.FROTE, frote.FROTEClassifier])
def test_a_report_is_written_after_an_edit(tmp_path, kind):
    editor = kind(rules=RULES, random_state=0, max_fits=2)
    with pytest.raises(NotFittedError):
        editor.report(tmp_path / "edit.html")
    editor.fit(LOANS.X, LOANS.y)
    editor.report(tmp_path / "edit.html", about={"owner": "Credit policy"})
    text = (tmp_path / "edit.html").read_text("utf-8")
    assert "Credit policy" in text
    assert "age is below 29" in text


def test_an_editor_from_a_file_has_no_data(tmp_path):
    editor = frote.FROTE(rules=RULES, random_state=0, max_fits=1).fit(LOANS.X, LOANS.y)
    back = pickle.loads(pickle.dumps(editor))
    assert back.objective_ == editor.objective_
    with pytest.raises(frote.TableError, match="has no data to report on"):
        back.report(tmp_path / "edit.html")
    editor.report(tmp_path / "edit.html")  # that of the one in memory is still there
