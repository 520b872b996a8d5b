// What all rooms share: asking, putting answers in place, and listening.

export const room = document.body.dataset.room;

// Another table lies open, or the one that was asked for is read; a page that was made since knows that.
export const otherTable = ({ key }) => { if (key !== document.body.dataset.table) location.reload(); };

export async function ask(url, body, options = {}) {
  const json = body !== undefined && !(body instanceof FormData) && !(body instanceof URLSearchParams);
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    body: json ? JSON.stringify(body) : body,
    headers: json ? { "content-type": "application/json", "x-part": "1" } : { "x-part": "1" },
    ...options,
  });
  document.getElementById("lost").hidden = true;
  return response;
}

export const unreachable = (error) => {
  if (error.name === "AbortError") return;
  document.getElementById("lost").hidden = false;
};

// An answer holds <template data-into="id">: each goes into the element of that id. What did not change is not touched.
export function put(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  let found = false;
  for (const part of page.querySelectorAll("template[data-into]")) {
    const place = document.getElementById(part.dataset.into);
    if (place) morph(place, part.content);
    found = true;
  }
  return found;
}

export function morph(place, wanted) {
  const wantedKeys = new Set();
  for (const child of wanted.children) if (child.dataset.key) wantedKeys.add(child.dataset.key);
  const keyed = new Map();
  for (const child of place.children) if (child.dataset.key) keyed.set(child.dataset.key, child);
  let here = place.firstChild;
  for (const want of [...wanted.childNodes]) {
    const key = want.nodeType === 1 ? want.dataset.key : undefined;
    let have = key ? keyed.get(key) : here;
    if (key && have) {
      keyed.delete(key);
      // What stands before it and is wanted no more goes: to move an element would take the focus from it.
      while (here && here !== have && !wantedKeys.has(here.dataset?.key)) { const next = here.nextSibling; here.remove(); here = next; }
      if (have !== here) place.insertBefore(have, here);
    } else if (key) have = undefined;
    else if (have && have.nodeType === 1 && have.dataset.key) have = undefined;
    if (have && alike(have, want)) {
      here = have.nextSibling;
      update(have, want);
    } else {
      if (isStub(want)) { document.dispatchEvent(new CustomEvent("missed")); continue; }
      const fresh = document.importNode(want, true);
      place.insertBefore(fresh, have ?? here);
      if (have) { here = have.nextSibling; have.remove(); }
    }
  }
  while (here) { const next = here.nextSibling; here.remove(); here = next; }
}

// What the page has already is not sent again; if it has something else by now, that is told.
const isStub = (element) => element.nodeType === 1 && element.hasAttribute("data-stub");

// An element that says the same as before may hold parts that do not.
function parts(have, want) {
  for (const part of want.querySelectorAll("[data-part]")) {
    const place = have.querySelector(`[data-part="${part.dataset.part}"]`);
    if (place) update(place, part);
    else document.dispatchEvent(new CustomEvent("missed"));
  }
}

const alike = (one, other) => one.nodeType === other.nodeType && one.nodeName === other.nodeName && one.id === other.id;

function update(have, want) {
  if (have.nodeType !== 1) {
    if (have.nodeValue !== want.nodeValue) have.nodeValue = want.nodeValue;
    return;
  }
  if (have.hasAttribute("data-still") || have.classList.contains("dragged")) return;
  if (want.dataset.same && have.dataset.same === want.dataset.same) { parts(have, want); return; }
  if (isStub(want)) { document.dispatchEvent(new CustomEvent("missed")); return; }
  attributes(have, want);
  const busy = have === document.activeElement;
  if (have.nodeName === "INPUT" && !busy && have.value !== want.getAttribute("value")) have.value = want.getAttribute("value") ?? "";
  if (have.nodeName === "DETAILS") have.open = have.dataset.touched ? have.open : want.hasAttribute("open");
  morph(have, want);
  if (have.nodeName === "SELECT" && !busy) {
    const chosen = want.querySelector("option[selected]");
    if (chosen && have.value !== chosen.value) have.value = chosen.value;
  }
}

function attributes(have, want) {
  for (const { name, value } of [...want.attributes]) if (have.getAttribute(name) !== value && !(name === "open" && have.dataset.touched)) have.setAttribute(name, value);
  for (const { name } of [...have.attributes]) if (!want.hasAttribute(name) && name !== "open" && name !== "data-touched" && name !== "style") have.removeAttribute(name);
}

document.addEventListener("toggle", (event) => {
  if (event.target.nodeName === "DETAILS") event.target.dataset.touched = "1";
}, true);

export function toast(text, kind = "") {
  for (const before of document.getElementById("toasts").children) if (before.textContent === text) before.remove();
  const said = document.createElement("p");
  said.className = `toast ${kind}`;
  said.textContent = text;
  document.getElementById("toasts").append(said);
  setTimeout(() => said.remove(), Math.max(5000, 60 * text.length));
}

export async function trouble(response) {
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  toast(page.querySelector(".trouble")?.textContent ?? "The studio could not do that.", "bad");
}

// Forms: sent without leaving the page, their answer put in place.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  const url = event.submitter?.getAttribute("formaction") ?? form.dataset.post;
  if (!form.hasAttribute("data-post")) return;
  event.preventDefault();
  const given = new URLSearchParams(new FormData(form, event.submitter));
  await send(form, url, given);
});

async function send(element, url, given) {
  element.setAttribute("aria-busy", "true");
  try {
    const response = await ask(url, given);
    if (!response.ok) return await trouble(response);
    const to = response.headers.get("x-go-to");
    if (to) { location.assign(to); return; }
    put(await response.text());
    element.dispatchEvent(new CustomEvent("posted", { bubbles: true }));
  } catch (error) {
    unreachable(error);
  } finally {
    element.removeAttribute("aria-busy");
  }
}

document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (form?.hasAttribute("data-at-once")) form.requestSubmit();
});

// What happens elsewhere.
const heard = new Map();
let source;

export function listen(name, told) {
  if (!heard.has(name)) {
    heard.set(name, []);
    source?.addEventListener(name, (event) => tell(name, event));
  }
  heard.get(name).push(told);
  if (!source) connect();
}

const tell = (name, event) => { for (const told of heard.get(name)) told(JSON.parse(event.data)); };

function connect() {
  source = new EventSource("/events");
  let was = true;
  source.onopen = () => {
    document.getElementById("lost").hidden = true;
    if (!was) for (const told of heard.get("again") ?? []) told();
    was = true;
  };
  source.onerror = () => {
    was = false;
    document.getElementById("lost").hidden = false;
    if (source.readyState === EventSource.CLOSED) setTimeout(() => { reconnect(); }, 2000);
  };
  for (const name of heard.keys()) source.addEventListener(name, (event) => tell(name, event));
}

function reconnect() { source.close(); connect(); }

// A browser grants one address few lines: a page that is not seen gives its own back.
document.addEventListener("visibilitychange", () => {
  if (!source) return;
  if (document.hidden) source.close();
  else { connect(); for (const told of heard.get("again") ?? []) told(); }
});
addEventListener("pagehide", () => source?.close());
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

// One question at a time for each part of a page: what happens meanwhile is asked for once more, after the answer.
const asked = new WeakMap();

export async function refresh(element) {
  if (asked.has(element)) { asked.set(element, true); return; }
  asked.set(element, false);
  try {
    const response = await ask(element.dataset.refresh);
    if (response.ok) {
      const html = await response.text();
      if (!put(html)) morph(element, new DOMParser().parseFromString(html, "text/html").body);
    }
  } catch (error) {
    unreachable(error);
  }
  const again = asked.get(element);
  asked.delete(element);
  if (again) refresh(element);
}

for (const name of new Set([...document.querySelectorAll("[data-refresh]")].map((one) => one.dataset.on))) {
  listen(name, () => { for (const one of document.querySelectorAll(`[data-refresh][data-on="${name}"]`)) refresh(one); });
}
listen("again", () => { for (const one of document.querySelectorAll("[data-refresh]")) refresh(one); });


// A page that waits for a table goes on when it is there, also if that was told before it listened.
const pending = document.querySelector("[data-pending]");
if (pending) {
  const look = async () => { if ((await (await ask("/data/opening")).text()) !== pending.dataset.pending) location.reload(); };
  listen("table", otherTable);
  listen("again", look);
  if (pending.dataset.pending === "reading") setInterval(() => look().catch(unreachable), 2000);
}
