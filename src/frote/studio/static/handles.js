// Thresholds that are dragged: the number in the text follows, and the number in the text moves them.

const DAY = 86400000;

export function handles(cards, policy) {
  let held;
  let keys;

  const scaleOf = (handle) => {
    const { scale, low, high, snap } = handle.closest("[data-scale]").dataset;
    return { kind: scale, low: Number(low), high: Number(high), snap: Number(snap) };
  };

  function hold(handle) {
    const rule = policy.ruleOf(handle);
    const start = policy.start(rule) + Number(handle.dataset.start);
    return {
      handle, rule, scale: scaleOf(handle), spelt: handle.dataset.spelt,
      before: policy.text().slice(0, start), start,
      after: policy.text().slice(policy.start(rule) + Number(handle.dataset.stop)),
      value: Number(handle.getAttribute("aria-valuenow")),
    };
  }

  function put(one, value, name) {
    const { scale } = one;
    one.value = Math.min(scale.high, Math.max(scale.low, value));
    const words = spell(one.value, one.spelt, scale);
    const share = scale.high > scale.low ? 100 * (one.value - scale.low) / (scale.high - scale.low) : 50;
    one.handle.setAttribute("x", `${share}%`);
    one.handle.setAttribute("aria-valuenow", one.value);
    one.handle.setAttribute("aria-valuetext", words.replace(/^['"]|['"]$/g, ""));
    one.handle.querySelector("text").textContent = words.replace(/^['"]|['"]$/g, "");
    const text = one.before + words + one.after;
    if (text !== policy.text()) policy.write(text, one.start, one.start + words.length, name);
  }

  cards.addEventListener("pointerdown", async (event) => {
    const handle = event.target.closest(".handle");
    if (!handle || event.button) return;
    event.preventDefault();
    handle.classList.add("dragged");
    handle.focus({ preventScroll: true });
    handle.setPointerCapture(event.pointerId);
    held = undefined;
    await policy.settled();
    if (!handle.classList.contains("dragged")) return;
    held = hold(handle);
    held.name = `drag ${Math.random()}`;
  });

  cards.addEventListener("pointermove", (event) => {
    if (!held || !held.handle.classList.contains("dragged")) return;
    const frame = held.handle.parentElement.getBoundingClientRect();
    const share = (event.clientX - frame.left) / frame.width;
    put(held, snapped(held.scale.low + share * (held.scale.high - held.scale.low), held.scale), held.name);
  });

  const drop = (event) => {
    const handle = event.target.closest?.(".handle.dragged") ?? held?.handle;
    handle?.classList.remove("dragged");
    if (held) { held = undefined; policy.settled(); }
  };
  cards.addEventListener("pointerup", drop);
  cards.addEventListener("pointercancel", drop);
  cards.addEventListener("lostpointercapture", drop);

  cards.addEventListener("keydown", async (event) => {
    const handle = event.target.closest?.(".handle");
    if (!handle) return;
    const scale = scaleOf(handle);
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
    const end = { Home: scale.low, End: scale.high }[event.key];
    if (step === undefined && end === undefined) return;
    event.preventDefault();
    // Keys that follow each other go on from where the last one led, without waiting for the picture.
    const key = `${policy.ruleOf(handle)} ${handle.dataset.key}`;
    if (keys?.key !== key || keys.text !== policy.text()) {
      keys = undefined;
      await policy.settled();
      keys ??= { key, one: hold(handle) };
    }
    const { one } = keys;
    one.handle = handle;
    put(one, end ?? snapped(one.value, scale) + step * scale.snap, `keys ${key}`);
    keys.text = policy.text();
  });
}

const snapped = (value, { low, snap }) => Number((low + Math.round((value - low) / snap) * snap).toPrecision(12));

export function spell(value, spelt, { kind, snap }) {
  const quote = /^['"]/.test(spelt) ? spelt[0] : "";
  if (kind === "date") {
    const day = new Date(Math.round(value)).toISOString();
    const words = Math.round(value) % DAY === 0 ? day.slice(0, 10) : day.slice(0, 19).replace("T", " ");
    return words.includes(" ") ? `${quote || "'"}${words}${quote || "'"}` : quote + words + quote;
  }
  const suffix = /([kKmM])['"]?$/.exec(spelt)?.[1] ?? "";
  const size = { k: 1000, m: 1000000 }[suffix.toLowerCase()] ?? 1;
  const digits = Math.max(0, Math.min(9, -Math.floor(Math.log10(snap / size) + 1e-9)));
  let words = (value / size).toFixed(digits);
  if (words.includes(".")) words = words.replace(/\.?0+$/, "");
  if (spelt.includes("_")) words = words.replace(/\B(?=(\d{3})+(?!\d))/g, "_");
  return quote + words + suffix + quote;
}
