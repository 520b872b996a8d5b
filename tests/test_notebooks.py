"""What notebooks show: well-formed, inert whatever names there are, and the numbers of the object."""

from __future__ import annotations

import pickle
import re
from html.parser import HTMLParser

import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.utils import estimator_html_repr

import frote
from frote import layout
from frote.layout import Column, as_lines, as_list, as_note, as_sentence, as_shown, as_table

HOSTILE = "<script>alert('&')</script>\"</td>"
OURS = {"div", "style", "p", "table", "caption", "thead", "tbody", "tr", "th", "td", "ul", "li"}
VOID = {"br", "hr", "img", "input", "link", "meta", "path", "rect"}


class Reader(HTMLParser):
    """Reads HTML and holds what is open, which elements there are, the cells of each table, and all text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.found, self.tables, self.text, self.attributes = [], set(), [], [], set()
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data
        elif self.open and self.open[-1] != "style":
            self.text.append(data)


def read(shown):
    """Read what is ours: nothing but a few elements, no attribute that could do anything."""
    page = Reader(shown)
    assert page.found <= OURS
    assert page.attributes <= {"class", "colspan"}
    return page


def summary_of(editor):
    """Part what stands above scikit-learn's diagram from it; the ids in it are counted on."""
    shown = editor._repr_html_()
    summary, found, diagram = shown.partition("</div>")
    assert found
    assert same(diagram, estimator_html_repr(editor))
    return read(summary + found)


def same(first, second):
    return re.sub(r"(id-|estimator-id-)\d+", r"\1", first) == re.sub(r"(id-|estimator-id-)\d+", r"\1", second)


@pytest.fixture(scope="module")
def loans():
    data = frote.datasets.load_loans(400)
    return data.X.rename(columns={"income": HOSTILE}), data.y.replace("approved", HOSTILE)


@pytest.fixture(scope="module")
def rules():
    young = (frote.col("age") < 29) & (frote.col("defaults") == 0)
    return young.then(HOSTILE, name=HOSTILE) + (frote.col("defaults") >= 3).then("denied", name="a & b")


@pytest.fixture(scope="module")
def editor(loans, rules):
    return frote.FROTE(logistic(), rules, random_state=0, max_fits=3).fit(*loans)


def logistic():
    return frote.default_pipeline(LogisticRegression(max_iter=500))


texts = st.text(max_size=12) | st.sampled_from([HOSTILE, "&lt;", "a\nb", "'\"", "<!--", "]]>", "\x00<b>"])


@given(st.data())
def test_any_text_comes_back_from_the_html_as_it_was(data):
    lines = data.draw(st.integers(0, 4))
    columns = [
        Column(data.draw(texts), data.draw(st.lists(texts, min_size=lines, max_size=lines)), data.draw(st.booleans()))
        for _ in range(data.draw(st.integers(1, 3)))
    ]
    title, sentence, items = data.draw(texts), data.draw(texts), data.draw(st.lists(texts, max_size=3))
    page = read(as_shown(as_sentence(sentence), as_note(sentence), as_table(columns, title), as_list(items)))
    assert [list(line) for line in zip(*([column.title, *column.cells] for column in columns), strict=True)] == (
        page.tables[0]
    )
    said = "".join(page.text)
    for text in (title, sentence, *items):
        assert text in said


def test_a_long_table_is_cut_and_the_rest_is_counted():
    cells = [str(number) for number in range(layout.LONGEST + 1_234)]
    (table,) = read(as_table([Column("n", cells), Column("m", cells)])).tables
    assert table[1] == ["0", "0"]
    assert table[layout.LONGEST] == ["99", "99"]
    assert table[layout.LONGEST + 1 :] == [["and 1,234 more"]]
    (whole,) = read(as_table([Column("n", cells[: layout.LONGEST])])).tables
    assert len(whole) == 1 + layout.LONGEST


def test_lines_for_a_terminal():
    assert as_lines(
        [Column("rule", ["a", "longer"]), Column("rows", ["1", "12,000"], True), Column("", ["x", ""])]
    ) == [
        "rule      rows",
        "a            1  x",
        "longer  12,000",
    ]


def test_no_colour_is_fixed_and_nothing_is_fetched():
    assert not re.search(r"#[0-9a-fA-F]{3}|rgba?\(|url\(|@import|background", layout.STYLE)
    assert set(re.findall(r"[^-]color: ([a-zA-Z]+)", layout.STYLE)) == {"inherit"}


def test_rules(rules):
    (table,) = read(rules._repr_html_()).tables
    assert table[0] == ["rule", "IF", "THEN"]
    assert table[1:] == [[rule.name, str(rule.clause), str(rule.outcome)] for rule in rules]
    assert table[1][0] == HOSTILE
    assert "No rules." in "".join(read(frote.RuleSet()._repr_html_()).text)


def test_check(loans, rules):
    X, y = loans
    check = rules.check(X, y)
    page = read(check._repr_html_())
    heads, *lines = page.tables[0]
    assert [line[0] for line in lines] == [HOSTILE, "a & b"]
    assert [int(line[heads.index("rows")]) for line in lines] == check.frame["rows"].tolist()
    assert [line[heads.index("data agrees")] for line in lines] == [f"{one:.1%}" for one in check.frame["agreement"]]
    said = "".join(page.text)
    assert f"2 rules cover {check.covered} of 400 rows" in said
    assert check.advice
    for advice in check.advice:
        assert advice in said
    assert read(frote.RuleSet().check(X, y)._repr_html_()).tables == []


def test_preview(loans, rules):
    X, y = loans
    preview = frote.FROTE(logistic(), rules, modify="drop", random_state=0).preview(X, y)
    page = read(preview._repr_html_())
    heads, *lines = page.tables[0]
    assert [int(line[heads.index("covers")]) for line in lines] == preview.rules["covered"].tolist()
    assert [int(line[heads.index("first batch")]) for line in lines] == preview.rules["first_batch"].tolist()
    dropped = preview.rules["dropped"].tolist()
    assert dropped[0] > 0
    assert lines[0][heads.index("rows changed")] == f"{dropped[0]} dropped: denied"
    assert f"the training objective is {preview.objective:.3f}." in "".join(page.text)
    assert [line[heads.index("left out for base rows")] for line in lines] == preview.rules["relaxed"].tolist()
    wide = frote.FROTE(logistic(), "old: IF age > 40 THEN denied", random_state=0).preview(X, y)
    assert "left out for base rows" not in read(wide._repr_html_()).tables[0][0]


def test_score(loans, rules, editor):
    X, y = loans
    found = frote.score(editor.estimator_, X, y, [*rules, *frote.parse_rules("none: IF age > 200 THEN denied")])
    page = read(found._repr_html_())
    heads, *lines = page.tables[0]
    assert heads == ["rule", "agreement", "rows"]
    expected = [[name, f"{one:.3f}", str(count)] for name, one, count in found.rules.itertuples()]
    assert lines == [*expected[:2], ["none", "-", "0"]]
    assert f"objective by coverage {found.objective:.3f}" in "".join(page.text)
    assert read(frote.score(editor.estimator_, X, y, ())._repr_html_()).tables == []


def test_comparison(loans, rules, editor):
    X, y = loans
    before = logistic().fit(X, y)
    found = frote.compare_models(before, editor.estimator_, X, rules, y, subgroups=["purpose"])
    page = read(found._repr_html_())
    said = "".join(page.text)
    assert f"{len(found.changed)} of 400 rows" in said
    assert HOSTILE in str(page.tables).replace("\\", "")
    told = found.parts[found.parts["rows"] > 0]
    assert len(told) >= 2
    for part, table in zip(told.index, page.tables, strict=False):
        heads, *lines = table
        kinds = [line for line in lines if line[0]]
        mine = found.changes[found.changes["part"] == part]
        assert [line[0] for line in kinds] == [f"{one.before} \u2192 {one.after}" for one in mine.itertuples()]
        assert [int(line[heads.index("changed so")]) for line in kinds] == mine["rows"].tolist()
        regions = found.summary[found.summary["part"] == part]
        inside = [line for line in lines if not line[0]]
        assert [line[heads.index("where")] for line in inside] == [
            f"IF {found.regions[name].clause}" for name in regions.index
        ]
        assert [int(line[heads.index("rows inside")]) for line in inside] == regions["rows"].tolist()
        assert [int(line[heads.index("had that label")]) for line in inside] == regions["before_rows"].tolist()
    agreement, scores, groups = page.tables[len(told) :]
    assert [line[2:] for line in agreement[1:]] == [
        [f"{one.before:.3f}", f"{one.after:.3f}"] for one in found.agreement.itertuples()
    ]
    assert scores[1] == ["objective by coverage", *(f"{one:.3f}" for one in found.scores.loc["objective"])]
    assert len(groups) == 1 + found.subgroups["group"].nunique()
    same_model = frote.compare_models(before, before, X)
    assert read(same_model._repr_html_()).tables == []
    assert "No row of 400" in "".join(read(same_model._repr_html_()).text)


@pytest.mark.parametrize("kind", [frote.FROTE, frote.FROTEClassifier])
def test_an_editor_that_is_not_fitted_is_shown_as_scikit_learn_does(kind, rules):
    editor = kind(LogisticRegression(), rules)
    assert same(editor._repr_html_(), estimator_html_repr(editor))
    shown = editor._repr_mimebundle_()
    assert shown["text/plain"] == repr(editor)
    assert same(shown["text/html"], estimator_html_repr(editor))


def test_an_edit_is_told_above_the_diagram(editor, rules):
    page = summary_of(editor)
    said = "".join(page.text)
    counts = editor.ledger_["status"].value_counts(sort=False)
    assert "Rows: " + ", ".join(f"{count} {status}" for status, count in counts.items()) in said
    accepted = int(editor.history_["accepted"].sum()) - 1
    assert f"Batches: {len(editor.history_) - 1} tried, {accepted} accepted." in said
    assert accepted
    first, last = editor.history_.iloc[0], editor.history_[editor.history_["accepted"]].iloc[-1]
    assert last["objective"] == editor.objective_ != first["objective"]
    scores, per_rule = page.tables
    assert scores == [
        ["", "before", "after"],
        ["training objective", f"{first['objective']:.3f}", f"{editor.objective_:.3f}"],
        ["agreement with the rules", f"{first['agreement']:.3f}", f"{last['agreement']:.3f}"],
        ["f1_weighted outside the rules", f"{first['outside']:.3f}", f"{last['outside']:.3f}"],
    ]
    assert per_rule[0] == ["rule", "relabelled", "synthetic", "agreement before", "agreement after"]
    ledger = editor.ledger_.groupby(["rule", "status"]).size()
    assert per_rule[1:] == [
        [
            name,
            str(ledger.get((name, "relabelled"), 0)),
            str(ledger.get((name, "synthetic"), 0)),
            f"{first[f'agreement: {name}']:.3f}",
            f"{last[f'agreement: {name}']:.3f}",
        ]
        for name in rules.origins
    ]
    assert 'report("edit.html")' in said


def test_both_ways_of_showing_are_one_and_follow_scikit_learns_setting(editor):
    assert same(editor._repr_mimebundle_()["text/html"], editor._repr_html_())
    assert editor._repr_mimebundle_()["text/plain"] == repr(editor)
    with sklearn.config_context(display="text"):
        assert not hasattr(editor, "_repr_html_")
        assert list(editor._repr_mimebundle_()) == ["text/plain"]


def test_an_editor_from_a_file_offers_no_report(editor):
    back = pickle.loads(pickle.dumps(editor))
    assert "report(" not in "".join(summary_of(back).text)
    assert summary_of(back).tables == summary_of(editor).tables


def test_pieces_count_for_the_rule_as_written_and_dropped_rows_are_told(loans):
    X, y = loans
    rules = "both: IF age < 24 OR defaults >= 3 THEN denied\nnone: IF age > 200 THEN denied"
    editor = frote.FROTEClassifier(logistic(), rules, modify="drop", evaluate="active", max_fits=3)
    editor.set_params(random_state=0, scoring="accuracy").fit(X, y)
    page = summary_of(editor)
    assert page.tables[0][3][0] == "accuracy outside the rules"
    assert page.tables[0][1][2] == f"{editor.objective_:.3f}"
    heads, both = page.tables[1][:2]
    assert both[0] == "both"
    counts = editor.ledger_["status"].value_counts()
    made = sum(int(line[heads.index("synthetic")].replace(",", "")) for line in page.tables[1][1:])
    assert made == counts.get("synthetic", 0) > 0
    assert int(both[heads.index("dropped")]) == counts["dropped"] > 0


def half(model, X, y):
    return 0.5


def test_an_edit_without_rules_and_of_an_array():
    X = pd.DataFrame({"a": range(30)}).to_numpy()
    editor = frote.FROTE(LogisticRegression(), random_state=0, scoring=half).fit(X, [0, 1, 1] * 10)
    (scores,) = summary_of(editor).tables
    halves = ["0.500", "0.500"]
    assert scores == [["", "before", "after"], ["training objective", *halves], ["score outside the rules", *halves]]
