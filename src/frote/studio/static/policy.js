// The policy room: the text and what follows from it while it is written.

import { ask, listen, otherTable, put, toast, trouble, unreachable } from "./base.js";
import { Ink } from "./ink.js";
import { offering } from "./offers.js";
import { handles } from "./handles.js";
import { sides } from "./sides.js";

const at = (id) => document.getElementById(id);
const root = at("policy");
const area = at("text");
const ink = new Ink(at("ink"), root.dataset.keywords.split(" "));
const readOnly = Boolean(root.dataset.readOnly);
const page = Math.random().toString(36).slice(2);

// --- the text ---

export const policy = { rendered: area.value, get text() { return area.value; } };
const past = [];
const future = [];
let noted = { text: area.value, start: 0, stop: 0 };
let group = { name: "", time: 0 };

function note(name) {
  // What is typed in one go is undone in one go.
  const time = performance.now();
  if (area.value === noted.text) return;
  if (!name || name !== group.name || time - group.time > 900) past.push(noted);
  if (past.length > 500) past.shift();
  future.length = 0;
  group = { name, time };
  noted = { text: area.value, start: area.selectionStart, stop: area.selectionEnd };
  tools();
}

function tools() {
  at("undo").disabled = !past.length || readOnly;
  at("redo").disabled = !future.length || readOnly;
}

function travel(from, to) {
  if (!from.length) return;
  to.push({ text: area.value, start: area.selectionStart, stop: area.selectionEnd });
  noted = from.pop();
  group = { name: "", time: 0 };
  area.value = noted.text;
  area.setSelectionRange(noted.start, noted.stop);
  tools();
  changed();
}

export function write(text, start = area.selectionStart, stop = start, name = "") {
  if (readOnly) { toast("Nothing can be changed here: another studio has this workspace open."); return; }
  area.value = text;
  area.setSelectionRange(start, stop);
  note(name);
  changed();
}

function changed() {
  ink.write(area.value);
  pulse();
  if (!readOnly) saving();
}

area.addEventListener("input", (event) => {
  note(event.inputType ?? "typing");
  changed();
});

area.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key === "z" || key === "y") {
    event.preventDefault();
    if (key === "y" || event.shiftKey) travel(future, past); else travel(past, future);
  }
});
area.addEventListener("beforeinput", (event) => {
  if (event.inputType === "historyUndo") { event.preventDefault(); travel(past, future); }
  if (event.inputType === "historyRedo") { event.preventDefault(); travel(future, past); }
});
at("undo").addEventListener("click", () => travel(past, future));
at("redo").addEventListener("click", () => travel(future, past));

// --- what it covers ---

const SLOW = 400; // milliseconds, after which a new question does not wait for the answer to the old one
let number = 0;
let answered = 0;
let busy = 0; // when the question under way was asked
let dirty = false;
let timer;
let settling = [];

export function pulse() {
  dirty = true;
  if (busy && performance.now() - busy < SLOW) {
    clearTimeout(timer);
    timer = setTimeout(pulse, SLOW);
    return;
  }
  clearTimeout(timer);
  question();
}

let view = "cards";
let whole = false;
document.addEventListener("missed", () => { whole = true; dirty = true; });

async function question() {
  dirty = false;
  busy = performance.now();
  const mine = ++number;
  const text = area.value;
  const lateness = setTimeout(() => late(true), 200);
  try {
    const known = whole ? [] : [...at("cards").querySelectorAll("[data-same]")].map((part) => part.dataset.same);
    whole = false;
    const response = await ask("/policy/pulse", { text, cursor: area.selectionStart, page, number: mine, view, known });
    if (response.status === 200 && mine > answered) {
      const html = await response.text();
      if (mine > answered) {
        answered = mine;
        policy.rendered = text;
        const before = focus;
        put(html);
        spans();
        follow();
        if (toReveal || (focus !== before && document.activeElement === area)) reveal(focus);
        toReveal = false;
        document.dispatchEvent(new CustomEvent("pulsed", { detail: mine }));
      }
    } else if (response.status !== 204 && !response.ok) await trouble(response);
  } catch (error) {
    unreachable(error);
  }
  clearTimeout(lateness);
  if (mine === number) {
    busy = 0;
    late(false);
    if (dirty) question();
    else if (policy.rendered === area.value) { for (const settled of settling.splice(0)) settled(); }
  }
}

// What comes in below the text makes it lower: the line that is written stays in sight.
function follow() {
  if (document.activeElement !== area) return;
  const line = ink.box(area.selectionEnd);
  const frame = at("editor").getBoundingClientRect();
  if (line.bottom > frame.bottom - 8) at("editor").scrollTop += line.bottom - frame.bottom + 32;
  else if (line.top < frame.top) at("editor").scrollTop -= frame.top - line.top + 32;
}

function late(is) {
  at("late").textContent = is ? "working" : "";
  root.classList.toggle("is-late", is);
}

// Cards speak of the text that they were made of: what is clicked waits until that is the text that stands there.
export function settled() {
  if (!busy && policy.rendered === area.value) return Promise.resolve();
  return new Promise((done) => { settling.push(done); if (!busy) pulse(); });
}

let starts = [];
let stops = [];
let focus = -1;

function spans() {
  const said = at("spans").dataset;
  const list = (text) => text ? text.split(",").map(Number) : [];
  starts = list(said.starts);
  stops = list(said.stops);
  focus = Number(said.focus);
  const faults = said.faults ? said.faults.split(",").map((pair) => pair.split("-").map(Number)) : [];
  if (policy.rendered === area.value) ink.mark(faults, starts[focus] ?? -1, stops[focus] ?? -1);
}

const ruleAt = (place) => {
  let found = starts.length ? 0 : -1;
  for (let rule = 0; rule < starts.length; rule += 1) if (starts[rule] <= place) found = rule;
  return found;
};

let toReveal = false;
let lastCursor = -1;
document.addEventListener("selectionchange", () => {
  if (document.activeElement !== area || area.selectionStart === lastCursor) return;
  lastCursor = area.selectionStart;
  if (policy.rendered === area.value && ruleAt(lastCursor) !== focus) { focus = ruleAt(lastCursor); toReveal = true; pulse(); }
});

function reveal(rule) {
  const beside = matchMedia("(min-width: 68rem)").matches;
  if (beside && !at("cards-panel").hidden) at(`rule-${rule}`)?.scrollIntoView({ block: "nearest" });
}

export function go(start, stop = start) {
  area.focus();
  area.setSelectionRange(start, stop);
}

// --- saving ---

let digest = root.dataset.digest;
let savedText = area.value;
let saver;
let isSaving = false;
let overtaken = false;

function saving() {
  at("saved").textContent = "";
  clearTimeout(saver);
  saver = setTimeout(save, 500);
}

async function save(options = {}) {
  if (isSaving || (overtaken && !options.instead) || readOnly) return;
  if (area.value === savedText && !options.instead) { at("saved").textContent = "saved"; return; }
  isSaving = true;
  const text = area.value;
  try {
    const response = await ask("/policy/save", { text, base: digest, page, instead: Boolean(options.instead) });
    if (response.ok) {
      digest = (await response.json()).digest;
      savedText = text;
      conflict(false);
      at("saved").textContent = text === area.value ? "saved" : "";
    } else if (response.status === 409) conflict(true);
    else { at("saved").textContent = "not saved"; await trouble(response); }
  } catch (error) {
    at("saved").textContent = "not saved";
    unreachable(error);
    saver = setTimeout(save, 2000);
  }
  isSaving = false;
  if (area.value !== text && !overtaken) saving();
}

addEventListener("pagehide", () => {
  if (area.value !== savedText && !overtaken && !readOnly) {
    fetch("/policy/save", { method: "POST", keepalive: true, headers: { "content-type": "application/json" }, body: JSON.stringify({ text: area.value, base: digest, page }) });
  }
});

function conflict(is) {
  overtaken = is;
  const box = at("overtaken");
  box.hidden = !is;
  if (!is) return;
  box.className = "caution";
  box.setAttribute("role", "alert");
  box.innerHTML = "";
  const said = document.createElement("p");
  said.textContent = "The policy was changed in another tab, or outside of the studio. What you wrote is still here, and not saved.";
  const take = button("Show what is there now", async () => { await reload(); conflict(false); });
  const mine = button("Put mine in its place", () => save({ instead: true }));
  const more = document.createElement("p");
  more.className = "note";
  more.textContent = "What is replaced is kept as a version in the history; what you leave is one step back with Undo.";
  box.append(said, take, mine, more);
}

function button(text, does) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "button";
  made.textContent = text;
  made.addEventListener("click", does);
  return made;
}

async function reload() {
  const response = await ask("/policy/text");
  const there = await response.json();
  digest = there.digest;
  savedText = there.text;
  if (there.text !== area.value) {
    area.value = there.text;
    note("");
    ink.write(area.value);
    pulse();
  }
  at("saved").textContent = "saved";
}

listen("policy", (there) => {
  if (there.page === page || there.digest === digest) return;
  if (area.value === savedText) reload(); else conflict(true);
});
listen("model", () => pulse());
listen("table", otherTable);
listen("again", () => { pulse(); if (!overtaken) save(); });

// --- cards ---

const cards = at("cards");

export function replace(rule, from, to, words, name = "") {
  const begin = starts[rule];
  const text = area.value;
  write(text.slice(0, begin + from) + words + text.slice(begin + to), begin + from + words.length, undefined, name);
}

let turn = Promise.resolve();

// One click after the other: each changes the text that the one before it left.
export function inTurn(work) {
  turn = turn.then(() => settled()).then(work);
  return turn;
}

export const change = (kind, rule, more = {}) => inTurn(() => changing(kind, rule, more));

async function changing(kind, rule, more) {
  try {
    const response = await ask("/policy/change", { text: area.value, kind, rule, ...more });
    if (!response.ok) { await trouble(response); pulse(); return; }
    const { start, stop, text } = await response.json();
    const now = area.value;
    const lead = text.length - text.trimStart().length;
    write(now.slice(0, start) + text + now.slice(stop), start + lead);
    return start;
  } catch (error) {
    unreachable(error);
  }
}

const ruleOf = (element) => Number(element.closest("[data-rule]")?.dataset.rule ?? -1);

document.addEventListener("click", async (event) => {
  const target = event.target.closest("[data-change], [data-go], [data-tab], [data-take]");
  if (!target) return;
  if (target.dataset.change) {
    const menu = target.closest("details");
    if (menu) menu.open = false;
    const more = { column: target.dataset.column, value: target.dataset.value, asked: Number(target.dataset.asked ?? 0) };
    await change(target.dataset.change, ruleOf(target), more);
    if (target.dataset.change === "new") at("cards").lastElementChild?.scrollIntoView({ block: "nearest" });
  } else if (target.dataset.go !== undefined) go(Number(target.dataset.go), Number(target.dataset.to));
  else if (target.dataset.take !== undefined) { await change("take", -1, { value: target.dataset.take }); show("cards"); toast("The rule stands at the end of the policy now."); }
  else { event.preventDefault(); show(target.dataset.tab); tabs.find((tab) => tab.dataset.tab === target.dataset.tab).focus(); }
});

cards.addEventListener("change", async (event) => {
  const target = event.target;
  const rule = ruleOf(target);
  const value = target.value;
  if (target.dataset.rename !== undefined) await change("rename", rule, { value });
  else if (target.dataset.add !== undefined) { target.value = ""; if (value) await change("condition", rule, { column: value }); }
  else if (target.dataset.outcome !== undefined) await change("outcome", rule, { value, confidence: target.dataset.confidence });
  else if (target.dataset.start !== undefined) {
    // Where it stands is read when its turn comes: what was changed before may have moved it.
    await inTurn(() => {
      if (!target.isConnected) { toast("This was changed meanwhile, and is left as it is. Write it once more.", "bad"); return; }
      replace(ruleOf(target), Number(target.dataset.start), Number(target.dataset.stop), value.trim());
    });
  }
});
cards.addEventListener("keydown", (event) => {
  // What is added is chosen from the open list: a key on the closed one would take the first there is.
  if (event.target.dataset.add !== undefined && /^(Arrow(Up|Down)|.)$/u.test(event.key) && event.key !== " " && !(event.ctrlKey || event.metaKey || event.altKey)) {
    event.preventDefault();
    event.target.showPicker?.();
  }
  if (event.key === "Enter" && event.target.nodeName === "INPUT") { event.preventDefault(); event.target.blur(); event.target.focus(); }
  if (event.key === "Escape" && event.target.closest("details.menu")) event.target.closest("details.menu").open = false;
});
cards.addEventListener("focusin", (event) => open(ruleOf(event.target)));
cards.addEventListener("click", (event) => open(ruleOf(event.target)));

function open(rule) {
  if (rule < 0 || rule === focus || policy.rendered !== area.value) return;
  focus = rule;
  area.setSelectionRange(starts[rule], starts[rule]);
  lastCursor = starts[rule];
  pulse();
}

// --- tabs ---

const tabs = [...document.querySelectorAll("[role=tab]")];

export function show(name) {
  for (const tab of tabs) {
    const mine = tab.dataset.tab === name;
    tab.setAttribute("aria-selected", String(mine));
    tab.tabIndex = mine ? 0 : -1;
    at(tab.getAttribute("aria-controls")).hidden = !mine;
  }
  view = name;
  if (name === "map") pulse();
  document.dispatchEvent(new CustomEvent("shown", { detail: name }));
}

document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const place = tabs.indexOf(document.activeElement);
  const next = tabs[(place + step + tabs.length) % tabs.length];
  next.focus();
  show(next.dataset.tab);
});

ink.write(area.value);
spans();
offering(area, at("offers"), ink, (text, cursor) => write(text, cursor));
handles(cards, { settled, replace, text: () => area.value, start: (rule) => starts[rule], write, ruleOf });
sides({ text: () => area.value, show, pulse });
