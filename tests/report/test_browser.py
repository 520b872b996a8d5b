"""The page as a browser shows it: nothing is loaded, nothing complains, and a phone need not scroll sideways."""

from __future__ import annotations

import pytest
from tests.report.browser import CHROMIUM, Browser

from frote.report import write_report

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
    browser.open(path, width, dark=dark)
    assert [event["params"] for event in browser.events if event["method"] in SAID] == []
    sent = [event["params"]["request"]["url"] for event in browser.events if event["method"] in SENT]
    assert sent == [path.as_uri()]
    assert browser.evaluate("document.documentElement.scrollWidth") == width
    light = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    assert light == ("rgb(21, 24, 27)" if dark else "rgb(250, 249, 246)")
    assert browser.picture().startswith(b"\x89PNG")


def test_hard_names_do_not_widen_the_page_of_a_phone(browser, tmp_path, summary):
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
    path = tmp_path / "report.html"
    write_report(hard, path)
    browser.open(path, 390)
    assert browser.evaluate("document.documentElement.scrollWidth") == 390


def test_the_page_can_be_printed(browser, tmp_path, summary):
    path = tmp_path / "report.html"
    write_report(summary, path)
    browser.open(path, 1280)
    assert browser.paper().startswith(b"%PDF")
