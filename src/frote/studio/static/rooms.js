// What the rooms edit, result and history do beside what all rooms do.
import { ask, put, toast, trouble, unreachable } from "/static/base.js";

// A clock that runs on between two answers.
setInterval(() => {
  for (const clock of document.querySelectorAll("[data-since]")) {
    if (clock.dataset.told !== clock.dataset.since) { clock.dataset.told = clock.dataset.since; clock.dataset.at = Date.now(); }
    const seconds = Number(clock.dataset.since) + Math.round((Date.now() - Number(clock.dataset.at)) / 1000);
    clock.textContent = seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  }
}, 1000);

// A point of the frontier: a click on its mark chooses it in the list, without a new page.
document.addEventListener("click", (event) => {
  const mark = event.target.closest?.("a[data-point]");
  if (!mark) return;
  const choice = document.querySelector(`.points input[name="point"][value="${CSS.escape(mark.dataset.point)}"]`);
  if (!choice) return;
  event.preventDefault();
  choice.checked = true;
  choice.focus();
});

// The rows of a region are fetched when it is opened.
document.addEventListener("toggle", async (event) => {
  const rows = event.target.querySelector?.("[data-rows]");
  if (!event.target.open || !rows || rows.dataset.asked) return;
  rows.dataset.asked = "1";
  try {
    const response = await ask(rows.dataset.rows);
    if (response.ok) put(await response.text());
    else { await trouble(response); delete rows.dataset.asked; }
  } catch (error) {
    delete rows.dataset.asked;
    unreachable(error);
  }
}, true);

// Two versions marked in the history are compared.
document.addEventListener("change", (event) => {
  if (!event.target.matches?.("[data-mark]")) return;
  const marked = [...document.querySelectorAll("[data-mark]:checked")];
  if (marked.length > 2) marked.find((one) => one !== event.target).checked = false;
});
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches(".pairs")) return;
  event.preventDefault();
  const [one, other] = [...document.querySelectorAll("[data-mark]:checked")].map((mark) => mark.value);
  if (other) location.assign(`/history?one=${one}&other=${other}#compare`);
  else toast("Mark two versions first.");
});
