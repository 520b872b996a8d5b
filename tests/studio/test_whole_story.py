"""The whole story in a real browser, from `frote studio` to a signature that is gone back behind.

A process of its own is started as anybody starts it. From the first page to the signed folder the keyboard alone is
used, and all is reached by Tab; what the mouse does is in `test_hands`.
"""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pytest
from tests.in_process import invoke
from tests.studio.browsing import Seen, chromium
from tests.studio.process import started

from frote.command.main import main

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")

LONG = 120_000  # milliseconds: machines are busy
ROOMS = ("data", "policy", "edit", "result", "history")
MOST_TABS = 300
WIDTHS = (390, 1280, 1920)
GRAVE = {"serious", "critical"}
WITH_FRAMES = {"resultTypes": ["violations"], "iframes": False}  # the report has tests of its own


@dataclass
class Sitting:
    """Somebody before the studio."""

    page: Any
    home: str
    table: pd.DataFrame
    data: Any

    def at(self, name):
        return self.page.get_by_test_id(name)

    def to(self, room):
        self.page.goto(f"{self.home}/{room}")
        self.page.locator("h1, h2, .headline").first.wait_for()

    def keys(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def reach(self, target):
        """Go on by Tab until the focus is there."""
        for _ in range(MOST_TABS):
            if target.evaluate("element => element === document.activeElement"):
                return
            self.keys("Tab")
        raise AssertionError(f"Tab does not lead to {target}")

    def enter(self, target, text):
        """Go there by Tab, and type that in place of what stands there."""
        self.reach(target)
        if target.evaluate("element => element.nodeName === 'INPUT'"):
            self.keys("Control+a")
        self.page.keyboard.type(text)

    def walk(self, room):
        """Go to another room by its link."""
        self.reach(self.at(f"room-{room}"))
        self.keys("Enter")
        self.page.wait_for_url(f"**/{room}")

    def text(self):
        return self.at("text").input_value()

    def covers(self, number, rows):
        """Wait until a card says how many rows its rule covers."""
        self.page.locator(f"#rule-{number} .rule-rows b", has_text=re.compile(f"^{rows:,}$")).wait_for()

    def saved(self):
        self.page.locator("#saved", has_text=re.compile("^saved$")).wait_for()


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        known = chromium(playwright)
        yield known
        known.close()


@pytest.fixture(scope="module")
def sitting(browser, tmp_path_factory, loans_csv):
    """A studio that was just started, and a page that has come in by the address it printed."""
    folder = tmp_path_factory.mktemp("whole")
    seen = Seen()
    with started(folder, str(loans_csv), "--target", "decision", "--model", "logistic") as address:
        page = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        page.set_default_timeout(LONG)
        seen.watch(page)
        page.goto(address)
        page.wait_for_url("**/policy")
        yield Sitting(page, address.partition("/?")[0], pd.read_csv(loans_csv), loans_csv)
        page.close()
    assert seen.errors == []
    assert seen.strange == []


def test_a_policy_is_written_taught_signed_and_gone_back_on(sitting, tmp_path):
    _write(sitting)
    _move(sitting)
    _resolve(sitting)
    _try(sitting)
    _teach(sitting)
    _sign(sitting)
    _fetch(sitting, tmp_path)
    _go_back(sitting)


def _write(sitting):
    """Two rules: what is wrong is shown with its caret, and names are completed."""
    page, table = sitting.page, sitting.table
    sitting.reach(sitting.at("text"))
    page.keyboard.type("young: IF ag")
    page.locator("#offers li", has_text="age").wait_for()
    assert "^" in page.locator("#mistakes pre").first.inner_text()
    sitting.keys("Enter")
    page.keyboard.type("< 29 AND defaults = 0 THEN app")
    page.locator("#offers li", has_text="approved").wait_for()
    sitting.keys("Tab")
    assert sitting.text() == "young: IF age < 29 AND defaults = 0 THEN approved"
    sitting.covers(0, ((table.age < 29) & (table.defaults == 0)).sum())
    page.locator("#mistakes li").wait_for(state="detached")
    page.locator("#rule-0 dd .bar-told", has_text="% approved").nth(1).wait_for()  # what the model says
    page.keyboard.type("\nbrokers: IF channel = broker THEN denied")
    sitting.keys("Escape")
    sitting.covers(1, (table.channel == "broker").sum())
    sitting.saved()


def _move(sitting):
    """A threshold is moved by arrows: the text follows, and so does what it covers."""
    page, table = sitting.page, sitting.table
    sitting.reach(page.locator("#rule-0 .rule-name"))
    handle = page.locator("#rule-0").get_by_label("age", exact=False).and_(sitting.at("handle")).first
    handle.wait_for()
    sitting.reach(handle)
    sitting.keys("ArrowRight", "ArrowRight", "ArrowLeft")
    page.wait_for_function("() => document.getElementById('text').value.includes('age < 30 ')")
    sitting.covers(0, ((table.age < 30) & (table.defaults == 0)).sum())


def _resolve(sitting):
    """The two rules conflict: the map has a row that is in both, and a way out is chosen."""
    page = sitting.page
    page.locator(".badge.conflict", has_text="1 conflict").wait_for()
    sitting.reach(sitting.at("tab-cards"))
    sitting.keys("ArrowRight")
    page.locator(".clash b", has_text="channel").wait_for()
    sitting.at("way-priority").wait_for()
    sitting.reach(sitting.at("way-priority"))
    sitting.keys("Enter")
    page.locator(".way.chosen").wait_for()
    page.locator(".badge.conflict", has_text="by priority").wait_for()


def _try(sitting):
    """A row is tried and kept as a case, which is green from then on."""
    page = sitting.page
    sitting.reach(sitting.at("tab-map"))
    sitting.keys("ArrowRight")
    row = page.locator("#trial-form")
    row.wait_for()
    for name, value in (("age", "20"), ("defaults", "0"), ("channel", "online")):
        sitting.enter(row.locator(f"[name={name}]"), value)
    page.locator(".verdict-line", has_text="young fires: approved").wait_for()
    case = page.locator("#keep-case")
    sitting.enter(case.locator("[name=name]"), "a first loan")
    sitting.enter(case.locator("[name=expected]"), "approved")
    sitting.reach(sitting.at("keep-case"))
    sitting.keys("Enter")
    sitting.at("case").locator(".light.held").wait_for()
    page.locator(".badge.fine", has_text="1 case held").wait_for()
    sitting.saved()


def _teach(sitting):
    """A preview, and the edit with its steps as they come in; a point of the frontier can be chosen."""
    page = sitting.page
    sitting.walk("edit")
    sitting.enter(page.locator("input[name=most_fits]"), "5")
    sitting.enter(page.locator("input[name=who]"), "policy team")
    sitting.enter(page.locator("input[name=why]"), "The new policy")
    sitting.reach(sitting.at("preview"))
    sitting.keys("Enter")
    sitting.at("foretold").locator("tbody tr").nth(1).wait_for()
    sitting.reach(sitting.at("run"))
    sitting.keys("Enter")
    page.wait_for_url("**/edit?run=*")
    page.locator(".tiles .accepted").first.wait_for()
    sitting.at("to-result").wait_for()
    sitting.reach(page.locator("svg a[data-point]").first)
    sitting.keys("Enter")
    assert page.locator(".points input:checked").count() == 1
    sitting.reach(sitting.at("to-result"))
    sitting.keys("Enter")
    page.wait_for_url("**/result?run=*")


def _sign(sitting):
    """Nobody can sign before every change outside the rules was ticked."""
    page = sitting.page
    left = sitting.at("tick").count()
    assert left
    while left:
        assert sitting.at("sign").is_disabled()
        sitting.enter(page.locator("article.open input[name=why]").first, "They are the same customers")
        sitting.keys("Enter")
        page.wait_for_function("n => document.querySelectorAll('[data-testid=tick]').length < n", arg=left)
        left = sitting.at("tick").count()
    page.wait_for_selector("[data-testid=sign]:enabled")
    sitting.enter(page.locator(".sign input[name=who]"), "model risk")
    sitting.keys("Enter")
    page.locator(".seal", has_text="model risk").wait_for()


def _fetch(sitting, folder):
    """The folder that is downloaded is one of `frote edit`: it verifies, and replaying it gives the same bytes."""
    sitting.reach(sitting.at("folder"))
    with sitting.page.expect_download() as taken:
        sitting.keys("Enter")
    taken.value.save_as(folder / "folder.zip")
    with zipfile.ZipFile(folder / "folder.zip") as archive:
        archive.extractall(folder)
    record = next(folder.glob("*/edit.json"))
    invoke(main, "replay", record, "--data", sitting.data)
    invoke(main, "verify", record.parent)


def _go_back(sitting):
    """What was signed stays; another version is written, compared, and left for the signed one."""
    page = sitting.page
    sitting.to("policy")
    signed = sitting.text()
    sitting.at("text").focus()
    sitting.keys("Control+End")
    page.keyboard.type("\nlate: IF defaults >= 4 THEN denied")
    sitting.keys("Escape")
    sitting.saved()
    sitting.to("history")
    page.get_by_text("See how").click()
    page.get_by_test_id("meaning").first.wait_for()
    page.fill(".keep input[name=why]", "Late payers too")
    sitting.at("keep").click()
    page.locator(".version.current", has_text="Late payers too").wait_for()
    page.locator(".version", has_text="signed").first.get_by_test_id("restore").click()
    page.locator(".version.current", has_text="restored").wait_for()
    sitting.to("policy")
    assert sitting.text() == signed


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_room_is_for_everybody_and_fits(sitting, scheme):
    page = sitting.page
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    wrong = []
    for room in ROOMS:
        page.set_viewport_size({"width": 1280, "height": 900})
        sitting.to(room)
        page.wait_for_timeout(300)
        wrong += [(room, *one) for one in grave(page)]
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            more = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            if more > 0:
                wrong.append((room, width, more))
    assert wrong == []


@pytest.mark.parametrize("tab", ["map", "cases", "model"])
def test_what_stands_beside_the_rules_is_for_everybody(sitting, tab):
    sitting.page.set_viewport_size({"width": 1280, "height": 900})
    sitting.to("policy")
    sitting.at(f"tab-{tab}").click()
    sitting.page.wait_for_timeout(500)
    assert grave(sitting.page) == []


def grave(page):
    """Return what axe finds serious or critical: what, and where."""
    found = axe.Axe().run(page, options=WITH_FRAMES).response["violations"]
    return [(one["id"], node["target"]) for one in found if one["impact"] in GRAVE for node in one["nodes"][:3]]
