"""Live answers of the studio, seen from the browser: from a key press to the painted answer, in Debian's Chromium.

The policy room of a table of 12 mixed columns: a digit of a threshold is taken away and another one put in its place,
every half second, and each time the milliseconds count until cards and counts are painted. Needs Chromium and
Playwright: `python benchmarks/studio_browser.py`.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from playwright.sync_api import sync_playwright

from masks import make_frame
from results import keep
from studio import policy

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = ((1_000, 10), (1_000_000, 10), (1_000_000, 100))
TITLE = "From a key press in the studio to the painted answer, in milliseconds"
HEADS = (
    ("rows", "rows", "", ",.0f"),
    ("rules", "rules", "", ".0f"),
    ("key presses", "presses", "", ".0f"),
    ("median", "median", "", ".0f"),
    ("95 times of 100", "high", "", ".0f"),
)
FIRST = 4  # answers that are left out: all cards come with the first
CHROMIUM = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking")
WATCH = """() => {
  window.waits = [];
  let pressed = 0;
  document.getElementById("text").addEventListener("keydown", () => { pressed = performance.now(); }, true);
  document.addEventListener("pulsed", () => {
    const since = pressed;
    pressed = 0;
    if (since) requestAnimationFrame(() => requestAnimationFrame(() => window.waits.push(performance.now() - since)));
  });
}"""
PLACE = """place => {
  const text = document.getElementById("text");
  text.focus();
  text.setSelectionRange(place, place);
}"""


@contextmanager
def served(folder: Path, rows: int, rules: int) -> Iterator[str]:
    """Serve a table of that size with so many rules, in a process of its own; give the first address."""
    rng = np.random.default_rng(0)
    frame = make_frame(rows, rng)
    frame["label"] = np.where(rng.random(rows) < 0.4, "yes", "no")
    frame.to_parquet(folder / "table.parquet")
    (folder / "policy.rules").write_text(policy(rules), "utf-8")
    studio = [sys.executable, "-c", "from frote.command.main import main; main()", "studio", "table.parquet"]
    asked = ["--target", "label", "--rules", "policy.rules", "--model", "logistic", "--workspace", "kept"]
    server = subprocess.Popen([*studio, *asked, "--no-browser"], cwd=folder, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield next(found.group() for line in server.stdout if (found := re.search(r"http://\S+", line)))
    finally:
        server.terminate()
        server.wait(30)


def opened(page: Any, address: str, seconds: int) -> None:
    """Open the policy room once the table is read, and give the old model the time to be trained."""
    page.goto(address)
    page.locator("#cards > *").first.wait_for(timeout=600_000)  # the page goes on by itself once the table is read
    time.sleep(seconds)


def waits(page: Any, presses: int) -> list[float]:
    """Press keys in the first threshold of a whole number; return what each answer took."""
    page.evaluate(WATCH)
    found = re.search(r"i\d >= \d\d", page.locator("#text").input_value())
    assert found is not None
    page.evaluate(PLACE, found.end())
    for number in range(presses):
        page.keyboard.press(str(number // 2 % 10) if number % 2 else "Backspace")
        time.sleep(0.5)
    time.sleep(1)
    return list(page.evaluate("window.waits"))[FIRST:]


def measure(rows: int, rules: int, presses: int) -> dict[str, Any]:
    """Return a line of the table."""
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), rows, rules) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(CHROMIUM))
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        opened(page, address, seconds=60 if rows > 100_000 else 5)
        taken = waits(page, presses)
        browser.close()
    middle, high = np.percentile(taken, [50, 95])
    return {"rows": rows, "rules": rules, "presses": len(taken), "median": round(middle), "high": round(high)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presses", type=int, default=44)
    options = parser.parse_args()
    lines = [measure(rows, rules, options.presses) for rows, rules in CASES]
    keep("studio-browser", TITLE, HEADS, lines, repeats=1, presses=options.presses)
