"""The page as a browser shows it: nothing is loaded, nothing complains, and a phone need not scroll sideways."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.report.browser import CHROMIUM, Browser

from frote.report import render, write_report
from frote.report.dossier import Owned, as_page, gather_dossier

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")

SENT = {"Network.requestWillBeSent"}
SAID = {"Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    try:
        found = Browser(tmp_path_factory.mktemp("profile"))
    except (AssertionError, OSError) as error:
        pytest.skip(f"chromium does not start here: {error}")
    with found:
        yield found


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False)])
def test_the_page_is_shown_in_peace(browser, tmp_path, summary, width, dark):
    path = tmp_path / "report.html"
    write_report(summary, path)
    shown_in_peace(browser, path, width, dark)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False)])
def test_a_dossier_is_shown_in_peace(browser, tmp_path, known, width, dark):
    path = tmp_path / "dossier.html"
    path.write_text(as_page(gather_dossier(known, Owned({"ethics": "None.\n\n- at all"}))), "utf-8")
    shown_in_peace(browser, path, width, dark)


def shown_in_peace(browser, path, width, dark):
    browser.open(path, width, dark=dark)
    assert [event["params"] for event in browser.events if event["method"] in SAID] == []
    sent = [event["params"]["request"]["url"] for event in browser.events if event["method"] in SENT]
    assert sent == [path.as_uri()]
    assert browser.evaluate("document.documentElement.scrollWidth") == width
    light = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert light == ("rgb(21, 24, 27)" if dark else "rgb(250, 249, 246)")
    assert browser.picture().startswith(b"\x89PNG")


@pytest.mark.parametrize("width", [1280, 390])
def test_examples_fit_their_cards_and_names_break_between_words(browser, tmp_path, summary, width):
    names = ["rate_marriage", "occupation_husband", "yrs_married", "religious", "educ", "affairs_per_year"]
    examples = [
        {
            **example,
            "columns": [{**column, "name": name} for column, name in zip(example["columns"], names, strict=False)],
        }
        for example in summary["done"]["examples"]
    ]
    path = tmp_path / "report.html"
    write_report({**summary, "done": {**summary["done"], "examples": examples}}, path)
    browser.open(path, width)
    tables = "[...document.querySelectorAll('.examples .scroll')]"
    assert browser.evaluate(f"{tables}.length") == len(examples) > 4
    if width > 600:  # a phone may have to scroll a table of four columns, but never breaks a word
        assert browser.evaluate(f"{tables}.filter(one => one.scrollWidth > one.clientWidth).length") == 0
    lines = (
        "[...document.querySelectorAll('.examples th span')].map(one => [one.innerText,"
        " new Set([...one.getClientRects()].map(part => Math.round(part.top))).size])"
    )
    for name, count in browser.evaluate(lines):
        assert count <= 1 + name.count("_"), name


def test_hard_names_do_not_widen_the_page_of_a_phone(browser, tmp_path, summary, known):
    long = "x" * 300
    hard = {
        **summary,
        "title": long,
        "verdict": f"{long} {long}",
        "limits": [long],
        "asked": {
            **summary["asked"],
            "facts": [{"name": long, "value": long}],
            "conflicts": [long],
            "rules": [{**rule, "name": rule["name"] + long, "words": long} for rule in summary["asked"]["rules"]],
        },
        "result": {
            **summary["result"],
            "rules": [{**rule, "name": long + rule["name"]} for rule in summary["result"]["rules"]],
        },
        "done": {**summary["done"], "rules": [{**rule, "relaxed": [long]} for rule in summary["done"]["rules"]]},
        "repeat": {**summary["repeat"], "command": long, "seed": long},
    }
    path = tmp_path / "page.html"
    told = gather_dossier(replace(known, report=hard, edit=long), Owned({"ethics": long, "policy": f"- {long}"}))
    for page in (render(hard), as_page(told)):
        path.write_text(page, "utf-8")
        browser.open(path, 390)
        assert browser.evaluate("document.documentElement.scrollWidth") == 390


def test_the_page_can_be_printed(browser, tmp_path, summary):
    path = tmp_path / "report.html"
    write_report(summary, path)
    browser.open(path, 1280)
    assert browser.paper().startswith(b"%PDF")
