// What can stand at the cursor, offered while somebody writes.

import { ask, unreachable } from "./base.js";

const SPACED = new Set(["column", "operator", "keyword"]);
const QUOTES = /^['"`]|['"`]$/g;
const WORD = /^[\p{L}\p{N}_.'"`-]+$/u;

// Of what was offered, what still fits when a word has grown; null where it is more than a word.
function narrowed(offers, text, cursor) {
  const stop = text.length - (offers.text.length - offers.stop);
  const word = text.slice(offers.start, cursor);
  const same = text.startsWith(offers.text.slice(0, offers.start)) && text.endsWith(offers.text.slice(offers.stop));
  if (!same || cursor > stop || !WORD.test(word)) return null;
  const begun = word.replace(QUOTES, "").toLowerCase();
  const fits = (offer) => offer.text !== word && offer.text.toLowerCase().includes(begun);
  return { ...offers, text, stop, offered: offers.offered.filter(fits) };
}

export function offering(area, list, ink, write) {
  let offers = { text: "", start: 0, stop: 0, offered: [] };
  let chosen = -1;
  let asked = 0;

  async function look(called) {
    const mine = ++asked;
    const text = area.value;
    const cursor = area.selectionStart;
    try {
      const response = await ask("/policy/complete", { text, cursor });
      if (!response.ok || mine !== asked || text !== area.value || cursor !== area.selectionStart) return;
      const found = await response.json();
      if (mine !== asked) return;
      offers = { ...found, text };
    } catch (error) {
      unreachable(error);
      return;
    }
    show(called);
  }

  function show(called) {
    if (!offers.offered.length) { hide(); return; }
    chosen = offers.stop > offers.start || called ? 0 : -1;
    draw();
  }

  // Until the answer to what was just typed is there: nothing is taken that was offered for another text.
  function meanwhile() {
    if (list.hidden) return;
    const fitting = narrowed(offers, area.value, area.selectionStart);
    if (fitting === null) choose(-1);
    else { offers = fitting; show(false); }
  }

  function draw() {
    list.replaceChildren(...offers.offered.map((offer, place) => {
      const item = document.createElement("li");
      item.id = `offer-${place}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", String(place === chosen));
      item.className = offer.kind;
      const name = document.createElement("span");
      name.textContent = offer.text;
      const detail = document.createElement("small");
      detail.textContent = offer.detail;
      item.append(name, detail);
      item.addEventListener("pointerdown", (event) => { event.preventDefault(); take(place); });
      return item;
    }));
    list.hidden = false;
    place();
    choose(chosen);
  }

  function place() {
    const box = ink.box(offers.start);
    const left = Math.max(8, Math.min(box.left, innerWidth - list.offsetWidth - 8));
    const below = innerHeight - box.bottom > list.offsetHeight + 12 || box.top < list.offsetHeight;
    list.style.left = `${left}px`;
    list.style.top = `${below ? box.bottom + 4 : box.top - list.offsetHeight - 4}px`;
  }

  function choose(next) {
    chosen = next;
    [...list.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === chosen)));
    if (chosen < 0) area.removeAttribute("aria-activedescendant");
    else {
      area.setAttribute("aria-activedescendant", `offer-${chosen}`);
      list.children[chosen]?.scrollIntoView({ block: "nearest" });
    }
  }

  function hide() {
    asked += 1;
    list.hidden = true;
    area.removeAttribute("aria-activedescendant");
  }

  function take(place) {
    const offer = offers.offered[place];
    const text = area.value;
    if (!offer || text !== offers.text) return;
    const before = text.slice(0, offers.start);
    const gap = offers.start === offers.stop && /[\p{L}\p{N}'"`)}]$/u.test(before) ? " " : "";
    const after = text.slice(offers.stop);
    const tail = SPACED.has(offer.kind) && !offer.text.endsWith("{") && !/^\s/.test(after) ? " " : "";
    const words = gap + offer.text + tail;
    const skip = !tail && SPACED.has(offer.kind) && /^ /.test(after) ? 1 : 0;
    hide();
    write(before + words + after, offers.start + words.length + skip);
    area.focus();
    if (offer.kind !== "label" && offer.kind !== "value") look(false);
  }

  area.addEventListener("input", (event) => {
    if (event.inputType?.startsWith("insert") || event.inputType === "deleteContentBackward") {
      const before = area.value.slice(0, area.selectionStart);
      if (event.inputType.startsWith("insert") ? /[\p{L}\p{N}_'"`<>={,( -]$/u.test(before) : !list.hidden) { meanwhile(); look(false); return; }
    }
    hide();
  });

  area.addEventListener("keydown", (event) => {
    if (event.key === " " && event.ctrlKey) { event.preventDefault(); look(true); return; }
    if (list.hidden) return;
    const count = offers.offered.length;
    if (event.key === "ArrowDown") { event.preventDefault(); choose((chosen + 1) % count); }
    else if (event.key === "ArrowUp") { event.preventDefault(); choose((chosen - 1 + count) % count); }
    else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) { event.preventDefault(); take(chosen); }
    else if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); hide(); }
    else if (["ArrowLeft", "ArrowRight", "Home", "End", "Enter"].includes(event.key)) hide();
  });
  area.addEventListener("blur", hide);
  area.addEventListener("click", hide);
  addEventListener("scroll", () => { if (!list.hidden) place(); }, { passive: true, capture: true });
}
