"""What is done in the rooms, each by mouse and by keyboard, in a real browser; the whole story is told elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest
from tests.studio.browsing import Seen, chromium, served
from tests.studio.conftest import furnished, waited
from tests.studio.killed_studio import ASKED

from frote.studio.finished import Finished, Item

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

LONG = 60_000  # milliseconds: machines are busy
POLICY = "young: IF age < 29 AND defaults = 0 THEN approved\nbrokers: IF channel = broker THEN denied\n"
OVERTAKEN = "#overtaken button"
WRITE = """(area, text) => {
  area.value = text;
  area.setSelectionRange(0, 0);
  area.dispatchEvent(new InputEvent("input"));
}"""
NO_NEWS = "() => document.querySelectorAll('[aria-busy]').length === 0"


@dataclass
class Hand:
    """Somebody before a page who has a mouse, or a keyboard alone."""

    page: Any
    home: str
    workspace: Any
    runs: Any
    mouse: bool

    def at(self, name):
        return self.page.get_by_test_id(name)

    def to(self, room):
        for _ in range(5):
            try:
                self.page.goto(f"{self.home}/{room}")
                break
            except sync_api.Error:  # a page that waits for its table was just loading itself anew
                continue
        self.page.wait_for_function("() => !document.querySelector('[data-pending=reading]')")
        self.page.locator("h1, h2, .headline").first.wait_for()

    def press(self, target):
        if self.mouse:
            target.click()
        else:
            target.focus()
            self.page.keyboard.press("Enter")

    def check(self, target):
        if self.mouse:
            target.click()
        else:
            target.focus()
            self.page.keyboard.press("Space")

    def enter(self, target, text):
        if self.mouse:
            target.click(click_count=3)
        else:
            target.focus()
            self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text)

    def choose(self, target, value):
        if self.mouse:
            target.select_option(value)
        else:
            target.focus()
            self.page.keyboard.type(value)

    def write(self, text):
        """Put a text in place of the one that stands there, and wait for its picture."""
        self.to("data")  # what a page has not saved is saved when it is left
        self.workspace.replace_policy(text, "policy team")
        self.to("policy")
        self.page.wait_for_function("text => document.getElementById('text').value === text", arg=text)

    def settled(self):
        self.page.locator("#saved", has_text=re.compile("^saved$")).wait_for()
        self.page.wait_for_function("() => !document.getElementById('policy').classList.contains('is-late')")

    def text_is(self, pattern):
        self.page.wait_for_function("p => new RegExp(p).test(document.getElementById('text').value)", arg=pattern)

    def open(self, number):
        """Show the columns of a rule."""
        self.press(self.page.locator(f"#rule-{number} .rule-name"))
        self.page.locator(f"#rule-{number} .columns").wait_for()

    def tab(self, name):
        tab = self.at(f"tab-{name}")
        if self.mouse:
            tab.click()
            return
        self.page.locator("[role=tab][aria-selected=true]").focus()
        while tab.get_attribute("aria-selected") != "true":
            self.page.keyboard.press("ArrowRight")


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        known = chromium(playwright)
        yield known
        known.close()


@pytest.fixture(scope="module")
def open_page(browser, tmp_path_factory, loans_csv):
    """A studio with a policy and an edit that is being run, and a page that has come in."""
    workspace = furnished(tmp_path_factory.mktemp("hands") / "w", loans_csv, resolve="priority")
    workspace.save_policy(POLICY, workspace.policy().digest)
    seen = Seen()
    with served(workspace) as (address, state):
        state.runs.ask(ASKED, who="policy team", why="try")
        context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        page = context.new_page()
        page.set_default_timeout(LONG)
        seen.watch(page)
        page.goto(address)
        page.wait_for_url("**/policy")
        page.locator("#rule-0 dd .bar-told", has_text="% approved").nth(1).wait_for()  # what the model says
        yield page, address.partition("/?")[0], workspace, state.runs
        context.close()
    assert [text for text in seen.errors if "409" not in text] == []  # two tabs: the browser writes that down too
    assert seen.strange == []


@pytest.fixture(params=["mouse", "keyboard"])
def hand(request, open_page):
    return Hand(*open_page, request.param == "mouse")


# --- the policy ---


def test_what_the_page_has_is_found_there_again(hand):
    hand.write(POLICY + "old: IF age >= 29 THEN denied\n")
    hand.page.evaluate(
        "() => { window.missed = 0; document.addEventListener('missed', () => { window.missed += 1; }); }"
    )
    with hand.page.expect_response("**/policy/pulse") as first:
        hand.at("text").evaluate(WRITE, (POLICY + "old: IF age >= 29 THEN denied\n").replace("< 29", "< 31"))
    assert first.value.text().count("<article ") == 3
    assert first.value.text().count("data-stub><p") == 2
    hand.settled()
    assert hand.page.evaluate("window.missed") == 0
    hand.page.locator("#rule-2 .facts-line", has_text="conflicts with young").wait_for()


def test_a_level_joins_and_leaves(hand):
    hand.write("home: IF purpose = home THEN approved\n")
    level = hand.page.locator("#rule-0").get_by_test_id("level").filter(has_text="car")
    hand.press(level)
    hand.text_is("IN \\{home, car\\}")
    hand.page.wait_for_function("() => document.querySelectorAll('#rule-0 .level[aria-pressed=true]').length === 2")
    hand.press(level)
    hand.text_is("purpose = home THEN")


def test_an_offer_is_taken(hand):
    hand.write("")
    hand.at("text").click()
    hand.page.keyboard.type("young: IF em")
    offer = hand.page.locator("#offers li", has_text="employment_years")
    offer.wait_for()
    if hand.mouse:
        offer.click()
    else:
        hand.page.keyboard.press("Enter")
    hand.text_is("IF employment_years ")
    hand.page.keyboard.press("Escape")


ON_TOP = """() => {
  const box = document.getElementById("offers").getBoundingClientRect();
  const place = [box.right - 4, box.top + 12];
  return box.right > document.querySelector("#cards").getBoundingClientRect().left
    && document.elementFromPoint(...place).closest("#offers") !== null;
}"""


def test_what_is_offered_lies_above_the_cards(hand):
    hand.write(POLICY)
    hand.at("text").click()
    hand.page.keyboard.press("Control+Home")
    hand.page.keyboard.type("# " + "a word " * 5 + "\nyoung again: IF age < 29 AND defaults = 0 AND e")
    hand.page.locator("#offers li", has_text="employment_years").wait_for()
    hand.page.wait_for_function(ON_TOP)
    hand.page.keyboard.press("Escape")


def test_what_was_offered_for_another_text_is_not_taken(hand):
    hand.write("")
    hand.at("text").click()
    hand.page.keyboard.type("young: IF a")
    hand.page.locator("#offers li", has_text="amount").wait_for()
    held = []
    hand.page.route("**/policy/complete", lambda route: held.append(route))
    try:
        hand.page.keyboard.type("g")  # the answer to this one is under way
        assert hand.page.locator("#offers li").all_inner_texts()[0].startswith("age")
        assert not any("amount" in text for text in hand.page.locator("#offers li").all_inner_texts())
        hand.page.keyboard.type("(")  # nothing that was offered fits
        hand.page.keyboard.press("Enter")
        hand.text_is(r"^young: IF ag\(\n$")
    finally:
        hand.page.unroute("**/policy/complete")  # what was held goes on
    hand.page.keyboard.press("Escape")


def test_a_mistake_leads_to_its_place(hand):
    hand.write("young: IF age < 29 THEN approved\nbad: IF agee < 3 THEN denied\n")
    hand.press(hand.page.locator("#mistakes button"))
    assert hand.at("text").evaluate("area => area.value.slice(area.selectionStart, area.selectionEnd)") == "agee"


def test_cards_change_the_text(hand):
    hand.write(POLICY)
    card = hand.page.locator("#rule-0")
    hand.enter(card.locator(".rule-name"), "juniors")
    hand.page.keyboard.press("Enter")
    hand.text_is("^juniors: ")
    hand.enter(card.get_by_label("age: value"), "33")
    hand.page.keyboard.press("Enter")
    hand.text_is("age < 33 ")
    operator = card.get_by_label("age: how to compare")
    if hand.mouse:
        operator.select_option("<=")
    else:
        operator.press("ArrowDown")
    hand.text_is("age <= 33 ")
    hand.press(card.get_by_label("Do not ask defaults"))
    hand.text_is("age <= 33 THEN")
    hand.choose(card.get_by_label("Label", exact=True), "denied")
    hand.text_is("age <= 33 THEN denied")
    more = card.get_by_test_id("add-condition")
    if hand.mouse:
        more.select_option("purpose")
    else:
        more.focus()
        hand.page.keyboard.press("ArrowDown")  # opens the list, and adds nothing yet
        hand.page.keyboard.type("purpose")
        hand.page.keyboard.press("Enter")
    hand.text_is("age <= 33 AND purpose = [^A]* THEN denied")
    menu = card.locator("summary")
    hand.press(menu)
    hand.press(card.get_by_text("Move down"))
    hand.text_is("^brokers: .*\njuniors: ")
    hand.press(hand.page.locator("#rule-1 summary"))
    hand.press(hand.page.locator("#rule-1").get_by_text("Take it out"))
    hand.text_is("^brokers: [^\\n]*\\n?$")
    hand.press(hand.page.locator("#undo"))
    hand.text_is("juniors")
    hand.press(hand.page.locator("#redo"))
    hand.text_is("^brokers: [^\\n]*\\n?$")
    hand.press(hand.at("new-rule"))
    hand.text_is("new rule: IF ")


def test_a_first_rule_is_made_of_the_table(hand):
    hand.write("")
    hand.press(hand.at("first-rule"))
    hand.text_is("^new rule: IF \\S+ >= \\d+ THEN (approved|denied)\\n?$")
    hand.page.locator("#rule-0 .rule-rows b").wait_for()


def test_a_threshold_is_moved(hand):
    hand.write(POLICY)
    hand.open(0)
    handle = hand.page.locator("#rule-0").get_by_test_id("handle").first
    if hand.mouse:
        box = handle.locator("circle").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        hand.page.mouse.move(x, y)
        hand.page.mouse.down()
        for step in range(1, 6):
            hand.page.mouse.move(x + 12 * step, y)
        hand.page.wait_for_function("() => !document.getElementById('text').value.includes('age < 29 ')")
        hand.page.mouse.up()
    else:
        handle.focus()
        hand.page.keyboard.press("ArrowRight")
    hand.text_is("age < [3-9]\\d ")
    age = int(re.search(r"age < (\d+)", hand.at("text").input_value())[1])
    X = hand.workspace.tables.path("data/loans.csv")
    rows = _rows(X, age)
    hand.page.locator("#rule-0 .rule-rows b", has_text=re.compile(f"^{rows}$")).wait_for()


def _rows(path, age):
    import pandas as pd

    table = pd.read_csv(path)
    return int(((table.age < age) & (table.defaults == 0)).sum())


def test_each_way_out_of_a_conflict_is_chosen(hand):
    hand.workspace.change(resolve=None)
    hand.write(POLICY)
    hand.tab("map")
    hand.page.locator(".matrix td.conflict").first.wait_for()
    for way in ("priority", "exclude", "mix"):
        hand.press(hand.at(f"way-{way}"))
        hand.page.locator(f".way.chosen [data-way={way}]").wait_for()
        hand.page.locator(".badge.conflict", has_text=f"by {way}").wait_for()
        assert hand.workspace.settings.resolve == way
    hand.press(hand.at("way-mix"))
    hand.page.locator(".way.chosen").wait_for(state="detached")
    assert hand.workspace.settings.resolve is None


def test_a_rule_of_the_model_is_taken_over(hand):
    hand.write(POLICY)
    hand.tab("model")
    hand.page.locator("[data-testid=explain], [data-testid=take]").first.wait_for()
    if hand.at("explain").count():
        hand.press(hand.at("explain"))
    taken = hand.at("take").first
    taken.wait_for()
    words = taken.get_attribute("data-take")
    hand.press(taken)
    hand.page.locator("#rule-2").wait_for()
    assert words.partition(" THEN ")[2] in hand.at("text").input_value().partition("brokers")[2]
    hand.page.locator(".toast", has_text="at the end of the policy").wait_for()


def test_a_row_is_looked_at_tried_kept_and_forgotten(hand):
    hand.write(POLICY)
    hand.press(hand.page.locator("#rule-0").get_by_test_id("rows"))
    sheet = hand.page.locator("#sheet[open]")
    sheet.get_by_text("Miss it by one condition").wait_for()
    hand.press(sheet.locator("[data-try-row]").first)
    hand.page.locator(".verdict-line").wait_for()
    form = hand.page.locator("#trial-form")
    form.evaluate("form => form.setAttribute('data-old', '')")  # it goes when another row is put in
    hand.press(hand.at("try-any"))
    form.and_(hand.page.locator(":not([data-old])")).wait_for()
    hand.enter(form.locator("[name=age]"), "20")
    hand.enter(form.locator("[name=defaults]"), "0")
    hand.page.locator(".verdict-line", has_text="young fires: approved").wait_for()
    hand.enter(hand.page.locator("#keep-case [name=name]"), "a first loan")
    hand.choose(hand.page.locator("#keep-case [name=expected]"), "approved")
    hand.press(hand.at("keep-case"))
    hand.at("case").locator(".light.held").wait_for()
    hand.press(hand.page.get_by_label("Forget a first loan"))
    hand.at("case").wait_for(state="detached")


# --- two tabs ---


@pytest.mark.parametrize("keep", ["theirs", "mine"])
def test_of_two_tabs_the_second_is_told_and_nothing_is_lost(hand, keep):
    hand.write(POLICY)
    other = hand.page.context.new_page()
    other.set_default_timeout(LONG)
    other.route("**/events", lambda route: route.abort())  # it is not told of what happens elsewhere
    other.goto(f"{hand.home}/policy")
    other.locator("#rule-1").wait_for()
    theirs, mine = POLICY.replace("29", "31"), POLICY.replace("29", "27")
    hand.at("text").fill(theirs)
    hand.settled()
    other.get_by_test_id("text").fill(mine)
    other.locator("#overtaken[role=alert]", has_text="changed in another tab").wait_for()
    assert hand.workspace.policy().text == theirs
    assert other.get_by_test_id("text").input_value() == mine
    second = Hand(other, hand.home, hand.workspace, hand.runs, hand.mouse)
    second.press(other.locator(OVERTAKEN, has_text="Show what is there" if keep == "theirs" else "Put mine"))
    other.locator("#overtaken").wait_for(state="hidden")
    if keep == "theirs":
        second.text_is("age < 31 ")
        second.press(other.locator("#undo"))
        second.text_is("age < 27 ")
    else:
        hand.text_is("age < 27 ")  # and the first tab follows
        assert hand.workspace.policy().text == mine
        assert theirs in [version.policy for version in hand.workspace.history.versions()]
    other.close()


def test_two_studios_do_not_take_each_others_cookie(hand, tmp_path, loans_csv):
    with furnished(tmp_path / "two", loans_csv) as workspace, served(workspace) as (address, _):
        page = hand.page.context.new_page()
        page.set_default_timeout(LONG)
        page.goto(address)
        page.wait_for_url("**/policy")
        assert hand.page.request.get(f"{hand.home}/policy/text").ok
        assert page.request.get(f"{address.partition('/?')[0]}/policy/text").ok
        page.close()


# --- the other rooms ---


def test_an_edit_is_looked_at_and_its_changes_are_ticked(hand):
    name = waited(hand.runs, hand.runs.names()[-1]).job.name
    hand.to(f"edit?run={name}")
    point = hand.page.locator("svg a[data-point]").first
    hand.press(point)
    assert hand.page.locator(".points input:checked").count() == 1
    hand.press(hand.at("to-result"))
    hand.page.wait_for_url("**/result?run=*")
    item = hand.page.locator("article.open").first
    key = item.get_attribute("data-key")
    item = hand.page.locator(f"#item-{key}")
    hand.press(item.locator("summary"))
    item.locator("table tbody tr").first.wait_for()
    hand.enter(item.locator("input[name=why]"), "They are the same customers")
    hand.press(item.get_by_test_id("tick"))
    item.locator(".ticked", has_text="They are the same customers").wait_for()
    hand.press(item.get_by_text("open again"))
    item.get_by_test_id("tick").wait_for()


REGION = Item("1", "region 1", "unintended", "denied", "approved", 3, 9, "age < 40", "r: IF age < 40 THEN approved")


def test_a_change_goes_back_to_the_policy(hand, monkeypatch):
    waited(hand.runs, hand.runs.names()[-1])
    monkeypatch.setattr(Finished, "items", [REGION])
    hand.workspace.replace_policy(POLICY, "policy team")
    hand.to("result")
    hand.press(hand.at("to-policy").first)
    hand.page.wait_for_url("**/policy")
    assert "keep 1: IF " in hand.at("text").input_value()


def test_a_preview_is_shown_and_an_edit_is_cancelled(hand):
    hand.write(POLICY)
    hand.workspace.change(resolve="priority")
    hand.to("edit")
    if hand.mouse:
        hand.page.get_by_text("are dropped").click()
    else:
        hand.page.locator("input[name=modify][value=relabel]").press("ArrowRight")
    assert hand.page.locator("input[name=modify][value=drop]").is_checked()
    if hand.mouse:  # the whole story does it by keyboard
        hand.press(hand.at("preview"))
        hand.at("foretold").locator("tbody tr").nth(1).wait_for()
    hand.press(hand.at("run"))
    hand.page.wait_for_url("**/edit?run=*")
    for again in (True, False):
        hand.press(hand.at("cancel"))
        hand.page.locator("[data-testid=run-state]", has_text="cancelled").wait_for()
        if again:
            hand.page.reload()  # a page that is loaded anew finds it again
            hand.press(hand.at("go-on"))
    hand.press(hand.page.get_by_text("Throw away what it trained"))
    hand.page.locator(".caution", has_text="thrown away").wait_for()


def test_a_point_is_taken_signed_and_its_folder_fetched(hand):
    first = waited(hand.runs, hand.runs.names()[-1]).job
    hand.workspace.restore(first.version, who="policy team")
    hand.to(f"edit?run={first.name}")
    hand.press(hand.page.locator("svg a[data-point]").last)
    with hand.page.expect_navigation():
        hand.press(hand.at("pick"))
    hand.press(hand.at("to-result"))
    hand.page.wait_for_url("**/result?run=*")
    hand.at("folder").wait_for()
    while left := hand.at("tick").count():
        hand.enter(hand.page.locator("article.open input[name=why]").first, "They are the same customers")
        hand.press(hand.at("tick").first)
        hand.page.wait_for_function("n => document.querySelectorAll('[data-testid=tick]').length < n", arg=left)
    hand.enter(hand.page.locator(".sign input[name=who]"), "model risk")
    hand.press(hand.page.locator("[data-testid=sign]:enabled"))
    hand.page.locator(".seal", has_text="model risk").wait_for()
    name = hand.runs.names()[0]
    wanted = {"folder": f"{name}.zip", "override": f"{name}-override.csv"}
    for link, kept in [*((hand.at(one), kept) for one, kept in wanted.items()), (_file(hand), "edit.json")]:
        with hand.page.expect_download() as taken:
            hand.press(link)
        assert taken.value.suggested_filename == kept


def _file(hand):
    return hand.page.locator(".files a", has_text="edit.json")


def test_a_hard_override_is_made_and_fetched(hand):
    hand.write(POLICY)
    hand.workspace.change(resolve="priority")
    hand.to("edit")
    if hand.mouse:
        hand.page.get_by_text("Hard override").first.click()
    else:
        hand.page.locator("input[name=how]:checked").press("ArrowUp")
        if not hand.page.locator("input[name=how][value=override]").is_checked():
            hand.page.locator("input[name=how][value=override]").press("Space")
    hand.press(hand.at("preview"))
    hand.page.locator(".preview", has_text="Nothing is trained").wait_for()
    hand.press(hand.at("run"))
    hand.at("overridden").wait_for()
    with hand.page.expect_download() as taken:
        hand.press(hand.at("overridden"))
    assert taken.value.suggested_filename.endswith("-override.csv")


def test_versions_are_kept_compared_proposed_and_gone_back_on(hand):
    number = 40 if hand.mouse else 41
    hand.write(POLICY.replace("29", str(number)))
    hand.to("history")
    hand.enter(hand.page.locator(".keep input[name=why]"), f"Up to {number}")
    hand.press(hand.at("keep"))
    hand.page.locator(".version.current", has_text=f"Up to {number}").wait_for()
    for action, there in (("undo", False), ("redo", True)):
        hand.press(hand.at(action))
        hand.page.locator(".version.current", has_text=f"Up to {number}").wait_for(
            state="visible" if there else "detached"
        )
        assert (f"age < {number}" in hand.workspace.policy().text) is there
    marks = hand.page.locator("[data-mark]")
    hand.check(marks.nth(0))
    hand.check(marks.nth(1))
    hand.press(hand.at("compare"))
    hand.page.wait_for_url("**/history?one=*")
    hand.page.locator("#compare .verdict").wait_for()
    hand.press(hand.at("propose"))
    hand.page.locator(".version.current", has_text="proposed").wait_for()
    hand.press(hand.at("restore").last)
    hand.page.locator(".version.current", has_text="restored").wait_for()


def test_what_is_being_filled_in_stays_when_the_model_is_trained(hand):
    with hand.page.expect_response("**/events"):  # it listens
        hand.to("data")
    hand.page.evaluate("window.stayed = true")
    hand.enter(hand.at("title"), "Lending")
    with hand.page.expect_response("**/data/parts"):
        hand.runs._publish("model", {"state": "ready"})
    assert hand.page.evaluate("window.stayed")
    assert hand.at("title").input_value() == "Lending"
    hand.page.keyboard.press("Escape")


def test_a_column_is_declared_left_out_and_taken_in_again(hand):
    hand.to("data")
    column = hand.at("column").filter(has_text="marital-status").first
    name = column.get_attribute("data-key")
    with hand.page.expect_response("**/data/column"):
        hand.check(column.get_by_test_id("protected"))
    column.locator(".badge", has_text="protected").wait_for()
    with hand.page.expect_response("**/data/column"):
        hand.check(column.get_by_test_id("protected"))
    column.locator(".badge").wait_for(state="detached")
    hand.choose(hand.at("favourable"), "approved")
    hand.page.wait_for_function(NO_NEWS)
    hand.check(column.get_by_test_id("ignored"))
    back = hand.page.locator(".left-out", has_text=name).get_by_role("button")
    hand.press(back)
    hand.at("column").filter(has_text=name).first.wait_for()


def test_a_table_is_brought_in(hand, tmp_path, loans_csv):
    lines = loans_csv.read_text("utf-8").splitlines(keepends=True)
    path = tmp_path / f"{'mouse' if hand.mouse else 'keyboard'}.csv"
    path.write_text("".join(lines[:120]), "utf-8")
    hand.to("data")
    with hand.page.expect_file_chooser() as chooser:
        if hand.mouse:
            hand.page.get_by_text("Bring a table").click()
        else:
            hand.page.locator("#file").focus()
            hand.page.keyboard.press("Enter")
    chooser.value.set_files(path)
    hand.page.locator(".tallies", has_text=path.name).wait_for()
    hand.page.locator(".headline", has_text="119 rows").wait_for()
    hand.choose(hand.at("table"), "data/loans.csv" if hand.mouse else "loans.csv")
    hand.press(hand.at("open"))
    hand.page.locator(".headline", has_text="300 rows").wait_for()


DROPPED = """([name, text]) => {
  const brought = new DataTransfer();
  brought.items.add(new File([text], name));
  const drop = document.getElementById("drop");
  for (const kind of ["dragenter", "dragover", "drop"]) {
    drop.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: brought }));
  }
}"""


def test_a_table_is_dropped(open_page, loans_csv):
    hand = Hand(*open_page, mouse=True)  # whoever has a keyboard alone brings it by the button
    lines = loans_csv.read_text("utf-8").splitlines(keepends=True)
    hand.to("data")
    hand.page.evaluate(DROPPED, ["dropped.csv", "".join(lines[:90])])
    hand.page.locator(".headline", has_text="89 rows").wait_for()
    hand.choose(hand.at("table"), "data/loans.csv")
    hand.press(hand.at("open"))
    hand.page.locator(".headline", has_text="300 rows").wait_for()
