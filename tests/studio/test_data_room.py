"""The data room by its answers: a table that is brought in is read, or the reason why not is told."""

from __future__ import annotations

import pytest
from tests.studio.conftest import furnished
from tests.studio.doors import browser, opened

from frote.studio.rooms import data
from frote.studio.state import Opening

ROWS = "".join(f"{row},0.3333333333333{row},{'no' if row % 3 else 'yes'}\n" for row in range(60))


@pytest.fixture
def room(tmp_path, loans_csv):
    """A studio in which a table was brought in, and none lies open."""
    state = opened(furnished(tmp_path / "w", loans_csv))

    def brought(text):
        (state.workspace.folder / "data" / "other.csv").write_text(text, "utf-8")
        state.workspace.change(data="data/other.csv", target="")
        state.desk = None
        return browser(state)

    yield brought
    state.close()


def with_labels(client, target):
    """Choose the column of labels; return a browser before the table that lies open then."""
    workspace = client.app.app.state.studio.workspace
    workspace.change(target=target)
    return browser(opened(workspace))


def test_a_table_that_cannot_be_read_is_told(room):
    shown = room(f",share,deny\n{ROWS}").get("/data").text
    assert "This table cannot be opened" in shown
    assert "column 1 of 3 has no name" in shown
    assert 'data-testid="target"' not in shown


def test_which_column_holds_the_labels_is_asked(room):
    shown = room(f"row,share,deny\n{ROWS}").get("/data").text
    assert "Which column holds the labels?" in shown
    assert '<option value="deny">' in shown


def test_a_column_that_numbers_the_rows_is_told_and_numbers_are_short(room):
    client = room(f"row,share,deny\n{ROWS}")
    opened_anew = with_labels(client, "deny")
    shown = opened_anew.get("/data").text
    assert "0 to 59, half below 30; another one in each row: leave it out if it only numbers them" in shown
    assert "0.3333 to 0.3333, half below 0.3333" in shown


def test_a_column_that_names_the_rows_is_told_and_nothing_begins_with_it(room):
    named = "".join(f"C-{row},{row % 7},{'no' if row % 3 else 'yes'}\n" for row in range(60))
    client = room(f"claim no.,share,deny\n{named}")
    opened_anew = with_labels(client, "deny")
    shown = opened_anew.get("/data").text
    assert "another text in nearly every row: leave it out if it only names them" in shown
    assert "C-0, C-1, C-10, …" in shown
    assert shown.count('class="level-label"') == 0
    first = opened_anew.post("/policy/change", json={"text": "", "kind": "new", "rule": -1}).json()
    assert "IF share >= 3 THEN yes" in first["text"]


def test_a_page_says_which_table_it_shows_whatever_is_opened_meanwhile(room, monkeypatch):
    client = with_labels(room(f"row,share,deny\n{ROWS}"), "deny")
    state = client.app.app.state.studio

    def another(_):
        state.opening = Opening("data/later.csv", "open", number=9)
        return []

    monkeypatch.setattr(data, "_balance", another)
    assert 'data-table="0-open"' in client.get("/data").text  # by which it is loaded again, once it is told of number 9
