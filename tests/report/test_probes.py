"""Rules that cover none of the rows judged: what is known of them is their agreement on probes."""

from __future__ import annotations

import pytest

import frote
from frote.report import gather
from frote.report.page import render

LOANS = frote.datasets.load_loans(200)
RULES = "young: IF age < 29 AND defaults = 0 THEN approved\nnobody: IF age > 30 AND defaults = 99 THEN denied"
NUMBERS = LOANS.X[["age", "income", "defaults"]].fillna(0.5).astype(float)
BEFORE = frote.default_pipeline().fit(NUMBERS, LOANS.y)


def told(**parameters):
    editor = frote.FROTE(rules=RULES, max_fits=3, random_state=0, **parameters).fit(NUMBERS, LOANS.y)
    return editor, gather(editor, BEFORE, NUMBERS, LOANS.y, bootstrap=20)


@pytest.mark.parametrize("evaluate", ["probes", 0.2])
def test_agreement_on_probes_is_told_for_a_rule_that_covers_nothing(evaluate):
    editor, summary = told(evaluate=evaluate)
    young, nobody = summary["result"]["rules"]
    assert "probes" not in young
    accepted = editor.history_[editor.history_["accepted"]].iloc[-1]
    assert nobody["probes"] == accepted["agreement: nobody"]
    assert (nobody["covered"], nobody["after"]) == (0, None)
    sentence = f"On rows that were made to measure agreement, and never trained on, it is {nobody['probes']:.1%} with"
    assert any(sentence in line for line in summary["limits"])
    assert "on rows made to measure</div>" in render(summary)


def test_of_a_step_that_was_picked_it_is_that_steps():
    editor, _ = told(twins=1.0)
    summary = gather(editor.at(0), BEFORE, NUMBERS, LOANS.y, bootstrap=20)
    assert summary["result"]["rules"][1]["probes"] == editor.history_["agreement: nobody"].iloc[0]
    summary = gather(editor.at(-1), BEFORE, NUMBERS, LOANS.y, bootstrap=20)
    assert "probes" not in summary["result"]["rules"][1]


def test_without_probes_nothing_is_told():
    summary = told(evaluate="active")[1]
    assert all("probes" not in rule for rule in summary["result"]["rules"])
    assert not any("made to measure" in line for line in summary["limits"])
