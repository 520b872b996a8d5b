"""The whole story in a real browser: an edit is run, cancelled, gone on with, reviewed, signed; its folder replays."""

from __future__ import annotations

import re
import zipfile

import pytest
from hypothesis import settings
from tests.in_process import invoke
from tests.studio.browsing import Seen, chromium, served
from tests.studio.conftest import furnished

from frote.command.main import main

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

pytestmark = pytest.mark.skipif(
    settings.get_current_profile_name() != "deep", reason="make laws: another story of the studio is told each time"
)
POLICY = "young: IF age < 40 AND defaults = 0 THEN approved\nrisky: IF defaults >= 1 AND age < 60 THEN denied\n"
LONG = 120_000  # milliseconds: machines are busy
WIDTHS = (390, 1280, 1920)


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        started = chromium(playwright)
        yield started
        started.close()


@pytest.fixture(scope="module")
def story(browser, tmp_path_factory, loans_csv):
    """A studio in which somebody has written a policy, and a page that has come in."""
    workspace = furnished(tmp_path_factory.mktemp("story"), loans_csv, title="New lending policy")
    workspace.change(who="")
    workspace.save_policy(POLICY, workspace.policy().digest)
    seen = Seen()
    with served(workspace) as (address, state):
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(LONG)
        seen.watch(page)
        page.goto(address)
        home = re.match(r"http://[^/]+", address)[0]
        yield page, home, state
        page.close()
    assert seen.errors == []
    assert seen.strange == []


def at(page, name):
    return page.get_by_test_id(name)


def test_from_the_policy_to_a_signed_edit_that_replays(story, tmp_path):
    page, home, state = story
    _run_with_the_mouse(page, home)
    _cancel_and_go_on_by_keyboard(page)
    _pick_a_point(page)
    _review(page)
    _sign(page)
    with page.expect_download() as taken:
        at(page, "folder").click()
    taken.value.save_as(tmp_path / "folder.zip")
    with zipfile.ZipFile(tmp_path / "folder.zip") as archive:
        archive.extractall(tmp_path)
    record = next(path for path in tmp_path.glob("*/edit.json"))
    invoke(main, "replay", record, "--data", state.workspace.tables.path("data/loans.csv"))
    version = state.workspace.current
    assert (version.state, version.who) == ("signed", "model risk")
    assert version.reviews
    assert all(review["who"] == "policy team" for review in version.reviews)


def _run_with_the_mouse(page, home):
    page.goto(f"{home}/edit")
    page.fill("input[name=who]", "policy team")
    page.fill("input[name=why]", "The new lending policy")
    page.fill("input[name=most_fits]", "6")
    at(page, "preview").click()
    at(page, "foretold").wait_for()
    assert at(page, "foretold").locator("tbody tr").count() == 2
    at(page, "run").click()
    page.wait_for_url("**/edit?run=*")
    page.wait_for_selector(".tiles .accepted")


def _cancel_and_go_on_by_keyboard(page):
    cancel = at(page, "cancel")
    if cancel.count():
        cancel.focus()
        page.keyboard.press("Enter")
    page.locator("[data-testid=go-on], [data-testid=to-result]").first.wait_for()
    if at(page, "go-on").count():
        assert at(page, "run-state").inner_text() == "cancelled"
        page.reload()  # a page that is loaded anew finds it again
        at(page, "go-on").focus()
        page.keyboard.press("Enter")
    at(page, "to-result").wait_for()
    assert page.locator(".by-rule .rule-line").count() == 2


def _pick_a_point(page):
    marks = page.locator("svg a[data-point]")
    marks.last.focus()
    page.keyboard.press("Enter")
    page.locator(".points input:checked").wait_for(state="attached")
    before = page.url
    at(page, "pick").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("was => location.href.split('#')[0] !== was.split('#')[0]", arg=before)
    at(page, "to-result").wait_for()
    at(page, "to-result").click()


def _review(page):
    page.wait_for_url("**/result?run=*")
    assert at(page, "sign").is_disabled()
    while at(page, "tick").count():
        left = at(page, "tick").count()
        item = page.locator("article.open").first
        item.locator("summary").click()
        item.locator("table tbody tr").first.wait_for()
        item.locator("input[name=why]").fill("They are the same customers")
        page.keyboard.press("Enter")
        page.wait_for_function("n => document.querySelectorAll('[data-testid=tick]').length < n", arg=left)
    page.reload()


def _sign(page):
    page.locator(".sign input[name=who]").fill("model risk")
    at(page, "sign").click()
    page.wait_for_selector(".seal")
    frame = page.frame_locator("iframe.report-frame")
    page.locator("iframe.report-frame").scroll_into_view_if_needed()
    frame.locator("h1").wait_for()


def test_back_and_forth_in_the_history(story):
    page, home, state = story
    state.workspace.save_policy(POLICY.replace("40", "30"), state.workspace.policy().digest)
    page.goto(f"{home}/history")
    page.get_by_text("See how").click()
    page.wait_for_selector("[data-testid=meaning]")
    page.fill(".keep input[name=why]", "Younger ones only")
    at(page, "keep").click()
    page.wait_for_selector("text=Younger ones only")
    for action, age in (("undo", "40"), ("redo", "30")):
        at(page, action).focus()
        page.keyboard.press("Enter")
        page.wait_for_function("n => !document.querySelector(`[data-testid=${n}]`)?.form.ariaBusy", arg=action)
        page.wait_for_timeout(300)
        assert f"age < {age}" in state.workspace.policy().text
    marks = page.locator("[data-mark]")
    marks.nth(0).check()
    marks.nth(1).check()
    at(page, "compare").click()
    page.wait_for_url("**/history?one=*")
    at(page, "restore").last.click()
    page.wait_for_selector("text=Version 1 restored")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows_at_any_width(story, browser, scheme):
    page, home, _ = story
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for room in ("edit", "result", "history"):
            page.goto(f"{home}/{room}")
            page.locator("h1").first.wait_for()
            more = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert more <= 0, (room, width)
