// The page of the viewer: panels of the runs of a folder, drawn by `render` of frame.js, which precedes this script.
// With a server, the model of a panel exchanges messages over a WebSocket. In a bundle it reads files.

const ABOUT = JSON.parse(document.body.dataset.about);  // title, runs {name: panels}, files {panel/run…: number} of a bundle
const TITLES = { dialogues: "Dialogues", emergence: "Emergence", disagreement: "Disagreement", rubric: "Rubric" };

// A model with the methods of a widget's model that `render` uses.
function makeModel(send) {
  const traits = {}, heard = {};
  const fire = (name, given) => [...(heard[name] ?? [])].forEach((does) => does(given));
  return {
    send,
    get: (name) => traits[name],
    on: (name, does) => (heard[name] ??= new Set()).add(does),
    off: (name, does) => heard[name]?.delete(does),
    set: (values) => { Object.assign(traits, values); Object.keys(values).forEach((name) => fire(`change:${name}`)); },
    say: (message) => fire("msg:custom", message),
  };
}

// --------------------------------------------------------------------------------------------------------- addresses

// The place of a link such as #panel/run/other?at=…&turn=3. Values that are not texts are JSON after a tilde.
function parseAddress(hash) {
  const [path, query] = hash.replace(/^#/, "").split(/\?(.*)/s), [kind, ...runs] = path.split("/").map(decodeURIComponent);
  const read = (text) => (text.startsWith("~") ? JSON.parse(text.slice(1)) : text);
  const state = [...new URLSearchParams(query ?? "")].map(([name, text]) => [name, read(text)]);
  return { kind: kind || "runs", runs, state: Object.fromEntries(state) };
}

function addressOf({ kind, runs, state = {} }) {
  const text = (value) => (typeof value === "string" && !value.startsWith("~") ? value : `~${JSON.stringify(value)}`);
  const query = new URLSearchParams(Object.entries(state).map(([name, value]) => [name, text(value)]));
  return `#${[kind, ...runs].map(encodeURIComponent).join("/")}${query.size ? `?${query}` : ""}`;
}

// ------------------------------------------------------------------------------------------------------------ served

function openServed(place) {
  const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/panel`);
  const model = makeModel((content) => socket.readyState === 1 && socket.send(JSON.stringify(content)));
  return new Promise((done, fail) => {
    socket.onopen = () => socket.send(JSON.stringify(place));
    socket.onmessage = ({ data }) => {
      const { error, state, content } = JSON.parse(data);
      if (error) { const wrong = new Error(error); fail(wrong); if (model.get("frame")) complain(wrong); }
      if (content) model.say(content);
      if (state) model.set(state);
      if (model.get("frame")) done({ model, close: () => { socket.onclose = null; socket.close(); } });
    };
    socket.onclose = () => {
      const lost = new Error("The viewer doesn't answer. Start it again, and open the address that it prints.");
      fail(lost);
      complain(lost);
    };
  });
}

// ------------------------------------------------------------------------------------------------------------ bundle

// Files are scripts, because a page in a folder can load only scripts. Each calls `anthrokit` with its name and content.
const files = {}, come = {};
window.anthrokit = (name, content) => come[name]?.(content);
const load = (name) => (files[name] ??= new Promise((done, fail) => {
  come[name] = done;
  const lost = () => { delete files[name]; fail(new Error(`The file data/${name}.js is missing.`)); };
  document.head.append(make("script", { src: `data/${name}.js`, onerror: lost }));
}));

// The model of a recorded panel. It filters as the panel does: a row must be in the set of every chosen value.
async function openBundled({ kind, runs, state: asked }) {
  const number = ABOUT.files[[kind, ...runs].join("/")] ?? ABOUT.files[[kind, ...runs.toReversed()].join("/")];
  if (number === undefined) throw new Error("This bundle has no such page.");
  const { frame, views, steps, picks } = await load(`${number}/panel`), filters = [...frame.filters, ...picks], pick = picks[0]?.name;
  const model = makeModel((content) => act(content));
  let state = {}, key = null, view, places = [], serial = 0, stamp = 0, drawn = 0;

  const usual = (name) => frame.filters.find((one) => one.name === name)?.usual ?? "";
  const viewOf = (chosen) => views[JSON.stringify([chosen.view ?? "", ...steps.map((name) => chosen[name] ?? "")])];
  const orderOf = ({ sort, [pick]: picked }) => `${sort ?? ""}/${picked ?? ""}`;
  async function list({ text, ...chosen }) {
    let left = view.orders[orderOf(chosen)] ?? [];
    for (const [name, of] of Object.entries(view.sets)) {
      const value = chosen[name] ?? usual(name), set = new Set(of[value] ?? []);
      if (value) left = left.filter((place) => set.has(place));
    }
    if (!text) return left;
    const words = text.toLowerCase(), searched = new Map(await load(`${number}/texts`));
    return left.filter((place) => (searched.get(view.rows[place].id) ?? "").includes(words));
  }
  function chips() {
    return filters.filter(({ name }) => name in state).map((one) => {
      const text = new Map(one.options).get(state[one.name]) ?? state[one.name];
      return [one.name, one.usual, `${one.label}: ${text}`];
    });
  }
  function withButtons(html) {  // disables buttons whose view is not recorded
    const node = make("div"), known = [...filters.map(({ name }) => name), ...steps, "turn"];
    node.innerHTML = html;
    for (const one of node.querySelectorAll("[data-choose]")) {
      const choice = JSON.parse(one.dataset.choose), led = { ...state, ...choice }, same = viewOf(led) === viewOf(state);
      one.disabled = viewOf(led) === undefined || !Object.keys(choice).every((name) => known.includes(name))
        || (same && !(orderOf(led) in view.orders));
      if (pick in choice && one.ariaPressed) one.ariaPressed = String(same && (state[pick] ?? "") === choice[pick]);
    }
    for (const one of node.querySelectorAll("[data-brush]")) ["data-brush", "title"].forEach((name) => one.removeAttribute(name));
    return node.innerHTML;
  }
  async function show(changes, said) {
    const { at, turn, ...chosen } = Object.fromEntries(
      Object.entries({ ...state, ...("view" in changes ? Object.fromEntries([...steps, pick].map((name) => [name, ""])) : {}), ...changes })
        .filter(([name, value]) => value !== usual(name)));
    const now = JSON.stringify(chosen), changed = now !== key;
    if (viewOf(chosen) === undefined) throw new Error("This bundle has no such page.");
    if (changed) {
      view = await load(`${number}/view${viewOf(chosen)}`);
      places = await list(chosen);
    }
    const { rows } = view, listed = places.some((place) => rows[place].id === at), before = state.at;
    const item = listed ? at : view.none ? undefined : rows[places[0]]?.id;
    state = { ...chosen, ...(item === undefined ? {} : { at: item }), ...(turn && item === at ? { turn } : {}) };
    const place = places.findIndex((one) => rows[one].id === item);
    const page = place < 0 ? view.none : await load(rows[places[place]].page);
    if (changed) {
      [key, stamp] = [now, stamp + 1];
      model.set({ listing: { stamp, total: places.length, start: 0, rows: places.map((one) => rows[one]), empty: frame.empty } });
    }
    const count = `${places.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} ${frame.noun}s`;
    const narrowed = places.length !== view.orders[orderOf(chosen)]?.length;
    serial += before !== item;
    model.set({ state, above: withButtons(view.above), page: withButtons(page),
      view: { serial, drawn: ++drawn, place, status: said ?? (narrowed ? count : view.said[orderOf(chosen)]), chips: chips() } });
  }
  let turn = Promise.resolve();
  function act({ act: name, value, turn: number }) {
    const at = places.findIndex((one) => view.rows[one].id === state.at);
    const changes = {
      choose: () => value, at: () => ({ at: value, turn: "" }), status: () => ({}), refresh: () => ({}),
      clear: () => Object.fromEntries(filters.map((one) => [one.name, one.usual])),
      step: () => ({ at: view.rows[places[Math.min(Math.max(at + value, 0), places.length - 1)]]?.id, turn: "" }),
    }[name];
    turn = turn.then(async () => {
      if (changes) await show(changes(), name === "status" ? value : undefined).catch(complain);
      model.say({ done: number, serial });
    });
  }
  model.set({ frame, above: "", bar: "", listing: EMPTY, page: "", state, view: {} });
  await show(asked);
  return { model, close: () => {} };
}

// -------------------------------------------------------------------------------------------------------------- page

const head = document.querySelector("header"), main = document.querySelector("main");
let current = null, opened = null;  // the shown place, and the function that closes it

function complain(error) {
  main.querySelector(".ak-lost")?.remove();
  main.prepend(make("p", { class: "ak-lost anthrokit", role: "alert" }, error.message));
}

function drawHead() {
  const { kind, runs, state } = current, names = Object.keys(ABOUT.runs);
  const run = runs[0] ?? (kind === "runs" ? state.at : undefined);
  const go = (place) => { location.hash = addressOf(place); };
  const tab = (text, place) => make("a", { href: addressOf(place), "aria-current": place.kind === kind ? "page" : null }, text);
  const select = (label, chosen, options, does) => {
    const node = make("select", { "aria-label": label, onchange: () => does(node.value) });
    node.append(...options.map((name) => make("option", { value: name }, name || label)));
    node.value = chosen;
    return node;
  };
  const kinds = ABOUT.runs[run] ?? (run ? Object.keys(TITLES) : []), known = run === undefined || names.includes(run);
  const others = names.filter((name) => name !== run && (!ABOUT.files || [`compare/${run}/${name}`, `compare/${name}/${run}`].some((one) => one in ABOUT.files)));
  const compared = kinds.includes("dialogues") ? others : [];
  head.replaceChildren(
    make("h1", { dir: "auto" }, ABOUT.title), tab("Runs", { kind: "runs", runs: [], state: run ? { at: run } : {} }),
    ...(ABOUT.files ? [] : [tab("Search", { kind: "search", runs: [] })]),
    ...(run === undefined ? [] : [
      select("Run", run, known ? names : [run, ...names], (name) => go(kind === "runs" ? { kind, runs: [], state: { at: name } }
        : { kind: ABOUT.runs[name]?.includes(kind) ? kind : ABOUT.runs[name][0] ?? "runs", runs: [name] })),
      ...kinds.map((name) => tab(TITLES[name], { kind: name, runs: [run] })),
      ...(compared.length ? [select("Compare with …", runs[1] ?? "", ["", ...compared],
        (name) => go(name ? { kind: "compare", runs: [run, name] } : { kind: "dialogues", runs: [run] }))] : []),
    ]),
    button("Copy link", async (event) => {
      event.target.textContent = (await copy(location.href)) ? "Copied" : "The link is in the address line";
    }, { title: "A link to what is in view" }),
  );
  document.title = [TITLES[kind] ?? { runs: "Runs", search: "Search", compare: "Comparison" }[kind], ...runs, "anthrokit"].join(" · ");
}

async function go() {
  let place;
  try { place = parseAddress(location.hash); } catch { place = { kind: "runs", runs: [], state: {} }; }
  const mine = (current = place);
  opened?.();
  opened = null;
  main.replaceChildren(make("p", { class: "anthrokit ak-quiet" }, "Reading …"));
  drawHead();
  try {
    const { model, close } = await (ABOUT.files ? openBundled : openServed)(place);
    if (current !== mine) { close(); return; }
    const follow = () => {  // the address describes the view
      current.state = model.get("state");
      history.replaceState(null, "", addressOf(current));
      drawHead();
    };
    main.replaceChildren();
    const leave = render({ model, el: main });
    if (ABOUT.files) main.querySelector("[aria-label=Refresh]").remove();
    if (place.kind === "search" && !place.state.text) main.querySelector(".ak-open-filters").click();
    model.on("change:state", follow);
    follow();
    opened = () => { leave(); close(); };
  } catch (error) {
    if (current === mine) { main.replaceChildren(); complain(error); }
  }
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => { document.body.dataset.jpThemeLight = String(!dark.matches); };
dark.addEventListener("change", paint);
paint();
window.addEventListener("hashchange", go);
go();
