"""The pictures of the studio in docs/pictures, made anew: `python -m tests.studio.pictures [folder]`.

The embedded loans in a real browser, from the first page to the signature; one in the dark, one on a phone.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from tests.studio.browsing import chromium
from tests.studio.process import started

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
LONG = 300_000  # milliseconds: machines are busy
WRITTEN = "\n\nsteady renters: IF purpose = home AND employment_years >= 8 AND chan"


class Camera:
    """A page, and where its pictures go."""

    def __init__(self, page, home, folder):
        self.page, self.home, self.folder = page, home, folder

    def to(self, room):
        self.page.goto(f"{self.home}/{room}")
        self.page.wait_for_timeout(600)

    def at(self, name):
        return self.page.get_by_test_id(name)

    def take(self, name):
        """Take what is seen of the page, in 256 colours: nobody sees the difference, and it loads at once."""
        from PIL import Image

        self.page.wait_for_timeout(700)
        picture = Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")
        path = self.folder / f"studio-{name}.png"
        many = Image.Quantize.MAXCOVERAGE  # a colour of few dots, as in a legend, is not lost
        picture.quantize(256, many, kmeans=2, dither=Image.Dither.NONE).save(path, optimize=True)
        print(f"{path.name}: {path.stat().st_size:,} bytes")


def main(folder=PICTURES):
    """Make all pictures."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as made, started(Path(made)) as address, sync_playwright() as playwright:
        browser = chromium(playwright)
        page = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        page.set_default_timeout(LONG)
        page.goto(address)
        page.wait_for_url("**/policy")
        camera = Camera(page, address.partition("/?")[0], Path(folder))
        for scene in (_data, _policy, _writing, _map, _cases, _model, _edit, _result, _history, _phone):
            scene(camera)
        browser.close()


def _data(camera):
    camera.to("data")
    camera.page.get_by_text("The model is trained.").wait_for()
    camera.page.locator("article", has_text="marital-status").get_by_label("protected").check()
    camera.page.get_by_text("protected", exact=True).first.wait_for()
    camera.take("data")


def _policy(camera):
    camera.to("policy")
    camera.page.locator(".rule-card .share").nth(1).wait_for()
    camera.take("policy")


def _writing(camera):
    text = camera.at("text")
    text.focus()
    camera.page.keyboard.press("Control+End")
    camera.page.keyboard.insert_text(WRITTEN)
    camera.page.keyboard.type("n", delay=80)
    camera.page.locator("#offers li").first.wait_for()
    camera.take("writing")
    camera.page.keyboard.press("Escape")
    for _ in range(2):
        camera.page.keyboard.press("Control+z")
    assert "steady" not in text.input_value()


def _map(camera):
    camera.at("tab-map").click()
    camera.at("way-priority").click()
    camera.page.locator(".way.chosen").wait_for()
    camera.page.evaluate("scrollTo(0, 0)")
    camera.take("map")


def _cases(camera):
    page = camera.page
    camera.at("tab-cases").click()
    form = page.locator("#trial-form")
    for name, value in {"age": "24", "income": "31000", "defaults": "0", "employment_years": "2"}.items():
        form.locator(f"[name={name}]").fill(value)
    form.locator("[name=channel]").select_option("online")
    page.locator(".verdict-line", has_text="young earners").wait_for()
    keeping = page.locator("#keep-case")
    for name, value in {"name": "a young engineer", "why": "earns enough, has always paid"}.items():
        keeping.locator(f"[name={name}]").fill(value)
    keeping.locator("[name=expected]").select_option("approved")
    camera.at("keep-case").click()
    camera.at("case").first.wait_for()
    page.set_viewport_size({"width": 1280, "height": 1060})
    page.evaluate("document.querySelector('.looking').scrollIntoView(); scrollBy(0, -70)")
    camera.take("cases")
    page.set_viewport_size({"width": 1280, "height": 900})


def _model(camera):
    camera.at("tab-model").click()
    camera.at("explain").click()
    camera.at("take").first.wait_for()
    camera.take("model")


def _edit(camera):
    page = camera.page
    camera.to("edit")
    for name, value in {"who": "policy team", "why": "The new lending policy, first try", "most_fits": "40"}.items():
        page.fill(f"input[name={name}]", value)
    camera.at("preview").click()
    camera.at("foretold").wait_for()
    camera.take("preview")
    page.locator(".way", has_text="Hard override").click()
    camera.at("preview").click()
    page.locator(".preview", has_text="Nothing is trained").wait_for()
    camera.take("override")
    page.locator(".way", has_text="By its data").click()
    camera.at("run").click()
    page.wait_for_url("**/edit?run=*")
    camera.at("to-result").wait_for()
    page.set_viewport_size({"width": 1280, "height": 1640})
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    camera.take("edit")
    page.emulate_media(color_scheme="light", reduced_motion="reduce")


def _result(camera):
    page = camera.page
    page.set_viewport_size({"width": 1280, "height": 1100})
    camera.at("to-result").click()
    page.wait_for_url("**/result?run=*")
    camera.at("tick").first.wait_for()
    _tick(camera)
    page.evaluate("document.querySelector('.scores').scrollIntoView(); scrollBy(0, -80)")
    camera.take("result")
    while camera.at("tick").count():
        _tick(camera)
    page.locator(".sign input[name=who]").fill("model risk")
    page.locator(".sign input[name=why]").fill("Approved by model risk")
    camera.at("sign").click()
    page.locator(".seal").wait_for()
    page.evaluate("scrollTo(0, 0)")
    camera.take("signed")


def _tick(camera):
    left = camera.at("tick").count()
    camera.page.locator("article.open input[name=why]").first.fill("wanted: they earn enough")
    camera.page.keyboard.press("Enter")
    camera.page.wait_for_function("n => document.querySelectorAll('[data-testid=tick]').length < n", arg=left)


def _history(camera):
    page = camera.page
    page.set_viewport_size({"width": 1280, "height": 900})
    camera.to("policy")
    handle = camera.at("handle").first
    handle.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.locator("#saved", has_text="saved").wait_for()
    page.wait_for_timeout(1000)
    camera.to("history")
    page.get_by_text("See how").click()
    page.locator("[data-testid=meaning]").first.wait_for()
    camera.take("history")


def _phone(camera):
    camera.page.set_viewport_size({"width": 390, "height": 844})
    camera.to("policy")
    camera.page.locator(".rule-card .share").nth(1).wait_for()
    camera.page.locator(".rule-card").first.scroll_into_view_if_needed()
    camera.page.evaluate("document.querySelector('.looking').scrollIntoView(); scrollBy(0, -70)")
    camera.take("phone")


if __name__ == "__main__":
    main(*sys.argv[1:2])
