// What stands beside the rules: rows of a rule, a row that is tried, cases, ways out of conflicts, the model's rules.

import { ask, listen, put, trouble, unreachable } from "./base.js";

const at = (id) => document.getElementById(id);

export function sides(policy) {
  let shown = "cards";

  async function asking(url, body) {
    try {
      const response = await ask(url, body);
      if (!response.ok) { await trouble(response); return false; }
      put(await response.text());
      return true;
    } catch (error) {
      unreachable(error);
      return false;
    }
  }

  const text = () => policy.text();
  const fields = () => Object.fromEntries(new FormData(at("trial-form") ?? undefined));
  const fill = (from) => asking("/policy/trial", { text: text(), ...from });

  let trying;
  const tryAgain = () => {
    clearTimeout(trying);
    trying = setTimeout(() => { if (at("trial-form")) asking("/policy/tried", { text: text(), values: fields() }); }, 60);
  };

  const open = {
    map: () => asking("/policy/ways", { text: text() }),
    cases: async () => { if (!at("trial-form")) await fill({ from: "any" }); await asking("/policy/cases", { text: text() }); },
    model: () => asking("/policy/model"),
  };
  document.addEventListener("shown", (event) => { shown = event.detail; open[shown]?.(); });
  document.addEventListener("pulsed", () => {
    if (shown === "map") asking("/policy/ways", { text: text() });
    if (shown === "cases") tryAgain();
  });
  listen("explained", () => { if (shown === "model") open.model(); });
  listen("model", () => { open[shown]?.(); if (shown === "cases") tryAgain(); });
  listen("cases", () => policy.pulse());

  document.addEventListener("input", (event) => { if (event.target.form?.id === "trial-form") tryAgain(); });
  document.addEventListener("submit", async (event) => {
    if (event.target.id === "trial-form") event.preventDefault();
    if (event.target.id !== "keep-case") return;
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.target));
    if (await asking("/policy/cases/keep", { text: text(), values: fields(), ...given })) { event.target.reset(); at("cases").scrollIntoView({ block: "center" }); }
  });

  document.addEventListener("click", async (event) => {
    const target = event.target.closest("[data-rows], [data-close], [data-try-row], [data-try-case], [data-try-any], [data-remove-case], [data-way], [data-explain]");
    if (!target) return;
    const { dataset } = target;
    const sheet = at("sheet");
    if (dataset.rows !== undefined) { if (await asking("/policy/rows", { text: text(), rule: Number(dataset.rows) })) sheet.showModal(); }
    else if (dataset.close !== undefined) sheet.close();
    else if (dataset.tryRow !== undefined) { sheet.close(); await fill({ from: "row", place: Number(dataset.tryRow) }); policy.show("cases"); at("trial").scrollIntoView({ block: "nearest" }); }
    else if (dataset.tryCase !== undefined) { await fill({ from: "case", name: dataset.tryCase }); at("trial").scrollIntoView({ block: "nearest" }); }
    else if (dataset.tryAny !== undefined) await fill({ from: "any" });
    else if (dataset.removeCase !== undefined) await asking("/policy/cases/remove", { text: text(), name: dataset.removeCase });
    else if (dataset.way !== undefined) { await asking("/policy/resolve", { text: text(), way: dataset.way }); policy.pulse(); }
    else if (dataset.explain !== undefined) await asking("/policy/explain", {});
  });
  at("sheet").addEventListener("click", (event) => { if (event.target === at("sheet")) at("sheet").close(); });
}
