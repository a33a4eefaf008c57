// The frame of all panels: header, filters, list, page, keys.
//
// This file draws the traits below, which the kernel sends. It sends acts of the reader to the kernel as messages
// {act, value, fields, view, turn}. The kernel answers each act with {done, serial}: the act's turn, and the serial number of
// the resulting view. Texts of models are plain text, set with textContent, or HTML that the kernel has escaped (above,
// page, bar).
//
//   frame     title, run, filters, columns, tools, keys          listing  stamp, total, rows of the list
//   state     the choices, and `at`, the item in view            view     {serial, drawn, place, status, chips}

const ROW = 54, EMPTY = { rows: [], total: 0 };

// ------------------------------------------------------------------------------------------------------------ logic

// These functions need no page; tests/integration/frame.test.mjs runs them in node.

// A queue of decisions, which a person may make faster than the kernel answers. A decision is sent when the view that the
// previous decision led to is shown. `send` returns the number of the act; `serial` returns the number of the shown view.
export function makeQueue(send, serial) {
  const waiting = [];
  let pending = null;  // [number of the sent act, serial number of its view or null until the kernel answers]
  function next(...decision) {
    if (decision.length) waiting.push(decision);
    if (pending && (pending[1] === null || pending[1] > serial())) return;
    pending = waiting.length ? [send(...waiting.shift()), null] : null;
  }
  const done = (number, led) => {
    if (pending?.[0] !== number) return;
    pending[1] = led;
    next();
  };
  return { next, done, busy: () => pending !== null };
}

// The position that a step leads to; null if it leads to no other position.
export function stepTo(from, by, total) {
  const to = Math.min(Math.max(from + by, 0), total - 1);
  return to < 0 || to === from ? null : to;
}

// The first line of the list to draw, and the line after the last.
export function linesInView(top, height, total) {
  const first = Math.max(0, Math.floor(top / ROW) - 4);
  return [first, Math.min(total, first + Math.ceil(height / ROW) + 8)];
}

// The value of the filter for turns between two positions in a chart, in percent of its width; null for a click.
export function turnsBetween(stops, one, other) {
  const [low, high] = [one, other].sort((a, b) => a - b);
  const turns = stops.filter(([place]) => place >= low && place <= high).map(([, turn]) => turn);
  if (high - low <= 1 || !turns.length) return null;
  return turns.length > 1 ? `${turns[0]}-${turns.at(-1)}` : `${turns[0]}`;
}

// ---------------------------------------------------------------------------------------------------------- elements

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const button = (text, does, attributes = {}) => make("button", { type: "button", onclick: does, ...attributes }, text);
const typing = (node) => node.closest?.("input:not([type=checkbox]), textarea, select");

// Whether a colour is light. In a host other than Jupyter, such as marimo, the colour of the text shows the theme.
function isLight(colour) {
  const pen = make("canvas").getContext("2d");
  pen.fillStyle = colour;
  pen.fillRect(0, 0, 1, 1);
  const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
  return red + green + blue > 384;
}

async function copy(text) {
  try { await navigator.clipboard.writeText(text); return true; } catch { /* a page without https has no clipboard */ }
  const area = make("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

// ---------------------------------------------------------------------------------------------------------- filters

function control(filter, value, choose) {
  const id = `ak-${Math.random().toString(36).slice(2)}`;
  const label = make("label", { for: id }, filter.label);
  if (filter.kind === "tick") {
    const box = make("input", { type: "checkbox", id, onchange: () => choose(box.checked) });
    box.checked = Boolean(value);
    return make("div", { class: "ak-tick" }, box, label);
  }
  if (filter.kind === "text") {
    const field = make("input", { type: "search", id, value: value ?? "", placeholder: "any text" });
    let pause;
    const changed = () => { clearTimeout(pause); choose(field.value); };
    field.addEventListener("input", () => { clearTimeout(pause); pause = setTimeout(changed, 250); });
    field.addEventListener("change", changed);
    return make("div", {}, label, field);
  }
  if (filter.kind === "many") {
    const many = make("fieldset", { class: "ak-many" }, make("legend", {}, filter.label));
    for (const [option, text] of filter.options) {
      const box = make("input", { type: "checkbox", value: option });
      box.checked = Boolean(value?.includes(option));
      many.append(make("label", {}, box, text));
    }
    many.addEventListener("change", () => choose([...many.querySelectorAll(":checked")].map((box) => box.value)));
    return many;
  }
  const select = make("select", { id, onchange: () => choose(select.value) });
  for (const [option, text] of filter.options) {
    const count = filter.counts?.[option];
    select.append(make("option", { value: option }, count === undefined ? text : `${text} (${count.toLocaleString("en")})`));
  }
  select.value = value ?? "";
  return make("div", {}, label, select);
}

// ------------------------------------------------------------------------------------------------------------- list

function line(row, place, columns) {
  const node = make("div", { class: "ak-row", role: "option", id: row.key });
  const head = make("div", { class: "ak-row-head" });
  if (row.tick) {
    const [sign, look, title] = row.tick;
    head.append(make("span", { class: `ak-done ${look}`, title }, sign));
  }
  head.append(make("span", { class: "ak-row-title", dir: "auto" }, row.title));
  (row.cells ?? []).forEach((cell, at) => head.append(make("span", { class: columns[at + 1]?.wide ? "ak-cell ak-cell-wide" : "ak-cell", dir: "auto",
    title: `${columns[at + 1]?.label}: ${cell}` }, cell)));
  const foot = make("div", { class: "ak-row-foot" }, make("span", { class: "ak-row-note", dir: "auto" }, row.note ?? ""));
  for (const [text, colour, title] of row.tags ?? []) {
    foot.append(make("span", { class: "ak-dot", style: `--ak-hue: var(--ak-c${Number(colour)})`, title }, text));
  }
  node.append(head, foot);
  node.style.top = `${place * ROW}px`;
  node.setAttribute("aria-posinset", place + 1);
  return node;
}

function makeList(label, send, open, key) {
  const tall = make("div", { class: "ak-tall", role: "presentation" });
  const list = make("div", { class: "ak-list", role: "listbox", tabindex: "0", "aria-label": label }, tall);
  let known = new Map(), listing = EMPTY, columns = [], at = null, asked = null, drawn = "";
  const draw = () => {
    const [first, last] = linesInView(list.scrollTop, list.clientHeight, listing.total);
    const places = Array.from({ length: Math.max(0, last - first) }, (_, k) => first + k);
    const missing = places.find((place) => !known.has(place)), shown = places.filter((place) => known.has(place));
    if (missing !== undefined && asked !== missing) {
      asked = missing;
      send("rows", Math.max(0, missing - 5), { quiet: true });
    }
    const now = JSON.stringify([listing.stamp, shown, at]);
    if (now === drawn) return;
    drawn = now;
    tall.replaceChildren(...shown.map((place) => {
      const row = known.get(place), node = line({ ...row, key: `${key}-${place}` }, place, columns);
      node.setAttribute("aria-selected", String(row.id === at));
      node.setAttribute("aria-setsize", listing.total);
      node.addEventListener("click", () => open(row.id));
      return node;
    }));
    const current = tall.querySelector("[aria-selected=true]");
    current ? list.setAttribute("aria-activedescendant", current.id) : list.removeAttribute("aria-activedescendant");
  };
  const take = (start, rows) => { asked = null; rows.forEach((row, k) => known.set(start + k, row)); draw(); };
  list.addEventListener("scroll", draw);
  const watcher = new ResizeObserver(draw);
  watcher.observe(list);
  return {
    node: list,
    close: () => watcher.disconnect(),
    take: (part) => { if (part.stamp === listing.stamp) take(part.start, part.rows); },
    show: (given, names) => {
      if (given.stamp === listing.stamp) return;
      [listing, columns, known, asked] = [given, names, new Map(), null];
      tall.style.height = `${listing.total * ROW}px`;
      take(listing.start ?? 0, listing.rows ?? []);
    },
    mark: (item, place) => {
      at = item;
      if (place >= 0) {
        const top = place * ROW, height = list.clientHeight || 6 * ROW;
        if (top < list.scrollTop || top + ROW > list.scrollTop + height) list.scrollTop = top - height / 3;
      }
      draw();
    },
  };
}

// ------------------------------------------------------------------------------------------------------------ brush

// Dragging over a chart chooses turns. The chart has the positions of its turns, in percent of its width.
function brush(chart, choose) {
  const stops = JSON.parse(chart.dataset.brush);
  const across = (event) => {
    const box = chart.getBoundingClientRect();
    return (100 * (event.clientX - box.left)) / box.width;
  };
  chart.addEventListener("pointerdown", (down) => {
    if (down.button !== 0 || down.target.closest("button")) return;
    const from = across(down), band = make("div", { class: "ak-band" });
    const drag = (event) => {
      const [low, high] = [from, across(event)].sort((one, other) => one - other);
      band.style.left = `${low}%`;
      band.style.width = `${high - low}%`;
      if (!band.isConnected && high - low > 1) chart.append(band);
    };
    const done = (event) => {
      window.removeEventListener("pointermove", drag);
      window.removeEventListener("pointerup", done);
      band.remove();
      const turns = turnsBetween(stops, from, across(event));
      if (turns) choose({ turns });
    };
    window.addEventListener("pointermove", drag);
    window.addEventListener("pointerup", done);
    down.preventDefault();
  });
}

// ------------------------------------------------------------------------------------------------------------ panel

function render({ model, el }) {
  const key = `ak${Math.random().toString(36).slice(2)}`;
  const frame = () => model.get("frame"), state = () => model.get("state");
  let waiting = 0, sent = 0, tabled = false;
  const focused = () => root.getRootNode().activeElement;  // marimo puts a panel into a shadow root

  const fields = () => Object.fromEntries(
    [...root.querySelectorAll("[data-field]")].map((field) => [field.dataset.field, field.value]));
  const send = (act, value = null, { quiet = false } = {}) => {
    model.send({ act, value, fields: fields(), view: model.get("view").serial ?? 0, turn: [key, sent] });
    if (!quiet) {
      wanted = null;
      clearTimeout(waiting);
      waiting = setTimeout(() => root.setAttribute("aria-busy", "true"), 300);
    }
    return sent++;
  };
  const rest = () => { clearTimeout(waiting); root.removeAttribute("aria-busy"); };
  const choose = (changes) => send("choose", changes);
  const decisions = makeQueue(send, () => model.get("view").serial ?? 0);
  // Steps that are faster than the kernel start from the position that the previous step leads to.
  let wanted = null, last = 0;
  const step = (by) => {
    const { place: at = -1, serial = 0 } = model.get("view"), from = wanted ?? at;
    const to = stepTo(from, by, model.get("listing").total);
    if (to === null) return;
    last = 1 + (wanted === null ? serial : last);  // the serial number of the view that this step leads to
    send("step", to - from);
    wanted = to;
  };

  const title = make("h3", {}), run = make("span", { class: "ak-run" });
  const said = make("span", { class: "ak-said", role: "status", "aria-live": "polite" });
  const filters = button("Filters", () => open(form.hidden), { "aria-expanded": "false", class: "ak-open-filters" });
  const before = button("←", () => step(-1), { "aria-label": "Previous", title: "Previous (k)" });
  const after = button("→", () => step(1), { "aria-label": "Next", title: "Next (j)" });
  const place = make("span", { class: "ak-place" });
  const tools = make("span", { class: "ak-tools" });
  const table = button("Table", () => tabulate(!tabled), { "aria-pressed": "false", title: "The list with all columns" });
  const print = button("Print", () => paper(), { title: "Print what is in view" });
  const refresh = button("⟳", () => send("refresh"), { "aria-label": "Refresh", title: "Read again" });
  const help = button("?", () => explain(keys.hidden), { "aria-label": "Keys", "aria-expanded": "false", title: "Keys (?)" });
  const chips = make("div", { class: "ak-chips" }), form = make("div", { class: "ak-filters", hidden: true });
  const keys = make("div", { class: "ak-help", hidden: true });
  const above = make("div", { class: "ak-above" });
  const columns = make("div", { class: "ak-columns" });
  const list = makeList(frame().list ?? "List", send, (item) => { tabulate(false); send("at", item); }, key);
  const empty = make("div", { class: "ak-empty", hidden: true }, make("p"), button("Clear filters", () => send("clear")));
  const side = make("div", { class: "ak-side" }, columns, list.node, empty);
  const page = make("section", { class: "ak-page", tabindex: "0", role: "region", "aria-label": "In view" });
  const bar = make("div", { class: "ak-bar" });
  const body = make("div", { class: "ak-body" }, side, make("div", { class: "ak-pane" }, page, bar));
  const root = make("div", { class: "anthrokit ak-panel", role: "group", tabindex: "-1" },
    make("header", { class: "ak-head" }, title, run, said, make("span", { class: "ak-controls" }, filters,
      make("span", { class: "ak-walk" }, before, place, after), table, tools, print, refresh, help)),
    form, chips, keys, above, body);  // chips are below the form, so that its fields don't move under a click

  function open(yes, name) {
    form.hidden = !yes;
    filters.setAttribute("aria-expanded", String(yes));
    if (!yes) return;
    drawForm();
    const first = name === "text" ? form.querySelector("input[type=search]") : null;
    (first ?? form.querySelector("select, input"))?.focus();
  }
  function explain(yes) {
    keys.hidden = !yes;
    help.setAttribute("aria-expanded", String(yes));
  }
  function tabulate(yes) {
    tabled = yes;
    body.classList.toggle("ak-tabled", yes);
    table.setAttribute("aria-pressed", String(yes));
    list.mark(state().at ?? null, model.get("view").place ?? -1);
  }
  function paper() {  // prints the page in view, with its opened parts
    document.querySelector("iframe.ak-paper")?.remove();
    const sheet = make("iframe", { class: "ak-paper", title: "Print", style: "position: fixed; width: 0; height: 0; border: 0" });
    document.body.append(sheet);
    const inside = sheet.contentDocument, shown = make("div", { class: "anthrokit ak-print" }, page.cloneNode(true));
    inside.head.append(make("style", {}, model.get("_css") ?? ""));
    inside.body.append(make("h3", { class: "anthrokit" }, `${title.textContent} · ${run.textContent}`), shown);
    sheet.contentWindow.focus();
    sheet.contentWindow.print();
  }
  const asked = () => frame().filters ?? [], active = () => model.get("view").chips ?? [];

  function drawFrame() {
    const about = frame();
    title.textContent = about.title;
    run.textContent = about.run ?? "";
    root.setAttribute("aria-label", about.title);
    filters.hidden = !asked().length;
    tools.replaceChildren(...(about.tools ?? []).map(([act, text]) => button(text, () => send(act))));
    keys.replaceChildren(...(about.keys ?? []).map(([name, does]) => make("span", {}, make("kbd", {}, name), ` ${does}`)));
    columns.hidden = !about.columns?.length;
    table.hidden = !about.columns?.some((one) => one.wide);
    body.classList.toggle("ak-wide-list", !columns.hidden);
  }
  function drawForm() {  // the field with the focus stays; other fields are made again
    const held = form.contains(focused()) ? focused().closest("[data-filter]") : null;
    const parts = asked().map((filter) => {
      if (held?.dataset.filter === filter.name && filter.kind !== "choice") return held;
      const part = control(filter, state()[filter.name] ?? filter.usual, (value) => choose({ [filter.name]: value }));
      part.dataset.filter = filter.name;
      return part;
    });
    const focus = focused();
    parts.forEach((part, at) => {  // a click is lost if its field leaves the page between press and release
      const before = form.children[at];
      if (!before) form.append(part);
      else if (before !== part) before.replaceWith(part);
    });
    while (form.children.length > parts.length) form.lastChild.remove();
    if (!held) return;
    parts.includes(held) ? focus.focus()
      : form.querySelector(`[data-filter="${held.dataset.filter}"] select`)?.focus();
  }
  function drawState() {
    const now = active(), about = frame();
    chips.replaceChildren(...now.map(([name, usual, text]) => {
      const shown = [make("span", { class: "ak-chip-text" }, text), make("span", { "aria-hidden": "true" }, " ×")];
      return make("button", { type: "button", class: "ak-chip", "aria-label": `Remove ${text}`, onclick: () => choose({ [name]: usual }) }, ...shown);
    }));
    if (now.length > 1) chips.append(button("Clear all", () => send("clear"), { class: "ak-plain" }));
    chips.hidden = !now.length;
    filters.textContent = now.length ? `Filters (${now.length})` : "Filters";
    columns.replaceChildren(...(about.columns ?? []).map(({ name, label, sorts, wide, title: tip }) => {
      const look = wide ? "ak-cell-wide" : null;  // shown in the table only
      if (!sorts) return make("span", { title: tip ?? null, class: look }, label);
      const on = (state().sort ?? about.columns.find((one) => one.sorts)?.name) === name;
      return button(on ? `${label} ▾` : label, () => choose({ sort: name }), { "aria-pressed": String(on), title: tip ?? null, class: look });
    }));
    if (!form.hidden) drawForm();
  }
  function drawView() {
    const { serial, place: at = -1, status: words = "", warn } = model.get("view"), listing = model.get("listing");
    rest();
    if (serial >= last || wanted >= listing.total) wanted = null;
    list.show(listing, frame().columns ?? []);
    list.mark(state().at ?? null, at);
    list.node.hidden = !listing.total;
    empty.hidden = Boolean(listing.total);
    empty.firstChild.textContent = listing.empty;
    empty.lastChild.hidden = !active().length;
    place.textContent = listing.total ? `${at < 0 ? "–" : (at + 1).toLocaleString("en")} / ${listing.total.toLocaleString("en")}` : "–";
    before.disabled = at <= 0;
    after.disabled = at >= listing.total - 1;
    said.textContent = words;
    said.classList.toggle("ak-warn", Boolean(warn));
    root.dataset.serial = serial;
  }
  function put(node, name) {  // keeps the typed text and the focus
    const html = model.get(name);
    const item = state().at ?? null;
    if (node.item !== item) reset(node);  // a note belongs to the item in view when it was written
    if (node.kept === html) { node.item = item; return; }
    const held = node.contains(focused()) ? focused() : null;
    const unfolded = node !== page || node.item === item
      ? [...node.querySelectorAll("details[data-place][open]")].map((one) => one.dataset.place) : [];
    const naming = (one) => one.dataset.key ?? one.dataset.choose ?? one.dataset.field;
    const written = [...node.querySelectorAll("[data-clear]")].map((field) => [field.dataset.field, field.value]);
    node.innerHTML = node.kept = html;
    node.item = item;
    node.hidden = !html;
    for (const one of node.querySelectorAll("details[data-place]")) if (unfolded.includes(one.dataset.place)) one.open = true;
    for (const [field, text] of written) node.querySelector(`[data-clear][data-field="${field}"]`)?.setAttribute("value", text);
    if (held) {
      const again = [...node.querySelectorAll("[data-key], [data-choose], [data-field]")].find((one) => naming(one) === naming(held));
      (again && !again.disabled ? again : root).focus({ preventScroll: true });
    }
    node.querySelectorAll("[data-brush]").forEach((chart) => brush(chart, choose));
  }
  function light(target, open = false) {
    if (!target) return;
    for (let one = target; one && one !== page; one = one.parentElement) {
      if (one.tagName === "DETAILS" && (open || one !== target)) one.open = true;
    }
    const up = target.getBoundingClientRect().top - page.getBoundingClientRect().top;
    page.scrollTop += up - page.clientHeight / 4;
  }
  let chosen = null, chosenAt = 0, read = null;
  function drawPage() {
    const now = JSON.stringify({ ...state(), raw: null }), changed = now !== chosen, item = state().at ?? null;
    if (!changed && page.kept === model.get("page")) return;
    if (changed) [chosen, chosenAt] = [now, performance.now()];
    put(page, "page");
    for (const one of page.querySelectorAll("[data-turn]")) one.classList.toggle("ak-marked", one.dataset.turn === state().turn);
    if (performance.now() - chosenAt > 1000) return;  // a reader keeps the scroll position; page and choice may arrive separately
    if (item !== read) page.scrollTop = 0;
    read = item;
    light(page.querySelector(".ak-marked") ?? page.querySelector(".ak-lit, .ak-hit"));
  }

  root.addEventListener("click", (event) => {
    const on = event.target.closest("[data-act], [data-choose], [data-jump]");
    if (on && root.contains(on)) {
      if (on.dataset.act) decisions.next(on.dataset.act, on.dataset.value ?? null);
      if (on.dataset.choose) choose(JSON.parse(on.dataset.choose));
      if (on.dataset.jump) {
        const target = page.querySelector(`[data-place="${CSS.escape(on.dataset.jump)}"]`);
        light(target, true);
        target?.querySelector("summary")?.focus({ preventScroll: true });
      }
    } else if (!event.target.closest("button, input, select, textarea, summary, label, a, [tabindex='0']")) {
      if (!String(getSelection())) root.focus({ preventScroll: true });
    }
  });
  root.addEventListener("change", (event) => {
    const field = event.target;
    if (field.dataset.own) choose({ [field.dataset.own]: field.value.trim() });
  });

  // JupyterLab listens on the document, where y turns a cell into code and d d deletes it. Panels handle keys before.
  function pressed(event) {
    const target = event.composedPath()[0];  // outside a shadow root the event's own target is the root's host
    if (!root.contains(target) || event.ctrlKey || event.metaKey || event.altKey) return;
    const name = event.key;
    if (typing(target)) {
      if (name === "Escape" || (name === "Enter" && target.dataset.own)) {
        event.stopImmediatePropagation();
        target.blur();
        root.focus({ preventScroll: true });
      }
      return;
    }
    if (name === "Tab") return;
    event.stopImmediatePropagation();
    const inList = target === list.node, own = root.querySelector(`[data-key="${CSS.escape(name.toLowerCase())}"]`);
    if (name === "j" || (inList && name === "ArrowDown")) step(1);
    else if (name === "k" || (inList && name === "ArrowUp")) step(-1);
    else if (inList && (name === "Home" || name === "End")) step(name === "End" ? 1e9 : -1e9);
    else if (name === "/") open(true, "text");
    else if (name === "?") explain(keys.hidden);
    else if (name === "Escape") { open(false); explain(false); root.focus({ preventScroll: true }); }
    else if (own && event.repeat) { /* a key that is held down counts once */ }
    else if (own && decisions.busy() && own.dataset.act) decisions.next(own.dataset.act, own.dataset.value ?? null);
    else if (own) { if (!own.disabled) own.click(); }
    else return;
    event.preventDefault();
  }
  window.addEventListener("keydown", pressed, true);

  const reset = (node) => {
    node.querySelectorAll("[data-clear]").forEach((field) => { field.value = ""; field.removeAttribute("value"); });
  };
  const received = async (message) => {
    if (message.rows) list.take(message);
    if (message.done?.[0] === key) {
      decisions.done(message.done[1], message.serial);
      if (message.done[1] === sent - 1) rest();  // also if there is nothing to draw, such as for the item in view
    }
    if (message.clear) reset(root);
    const wrong = message.wrong && root.querySelector(`[data-field="${message.wrong}"]`);
    if (wrong) {
      wrong.setAttribute("aria-invalid", "true");
      wrong.focus();
    }
    if (message.copy !== undefined) send("status", (await copy(message.copy)) ? "Copied." : "This browser doesn't let the panel copy.");
  };
  const drawn = { frame: drawFrame, state: drawState, above: () => put(above, "above"), bar: () => put(bar, "bar") };
  // Changed traits arrive together in Jupyter, and one after the other in marimo. They are drawn after all that have arrived
  // are set, in any order.
  const TRAITS = ["frame", "state", "listing", "above", "page", "bar", "view"];
  let scheduled = false, gone = false;
  const colour = () => root.classList.toggle("ak-dark", !document.querySelector("[data-jp-theme-light]") && isLight(getComputedStyle(root).color));
  const themes = new MutationObserver(colour);  // a theme is a class or a style of the page
  for (const node of [document.documentElement, document.body]) themes.observe(node, { attributeFilter: ["class", "style"] });
  const all = () => {
    scheduled = false;
    if (gone) return;
    colour();
    for (const draw of Object.values(drawn)) draw();
    drawPage();
    drawView();
    decisions.next();
  };
  const soon = () => { if (!scheduled) { scheduled = true; queueMicrotask(all); } };
  model.on("msg:custom", received);
  for (const name of TRAITS) model.on(`change:${name}`, soon);
  el.append(root);
  all();
  return () => {
    window.removeEventListener("keydown", pressed, true);
    model.off("msg:custom", received);
    gone = true;
    for (const name of TRAITS) model.off(`change:${name}`, soon);
    list.close();
    themes.disconnect();
  };
}

export default { render };
