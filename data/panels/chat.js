// The chat of a study. The kernel sends task, lines and note as escaped HTML.
function render({ model, el }) {
  const make = (tag, attributes = {}) => Object.assign(document.createElement(tag), attributes);
  const root = make("div", { className: "anthrokit ak-panel ak-chat" });
  const task = make("p"), lines = make("div"), note = make("p", { className: "ak-small ak-quiet" });
  const box = make("textarea", { dir: "auto", placeholder: "Write a message" }), send = make("button", { type: "button", textContent: "Send" });
  lines.setAttribute("role", "log");
  lines.setAttribute("aria-label", "Conversation");
  note.setAttribute("role", "status");
  box.setAttribute("aria-label", "Your message");
  root.append(task, lines, box, send, note);
  const html = [[task, "task"], [lines, "lines"], [note, "note"]];
  const draw = () => {
    for (const [node, name] of html) node.innerHTML = model.get(name);
    box.disabled = model.get("over");
    box.readOnly = model.get("busy");  // read-only fields keep the focus
    send.disabled = model.get("over") || model.get("busy");
  };
  const write = () => { if (box.value !== model.get("typed")) box.value = model.get("typed"); };
  const say = () => {
    if (!box.value.trim() || send.disabled) return;
    model.send({ say: box.value });
    box.value = "";  // the kernel restores the text if sending fails
  };
  send.addEventListener("click", say);
  box.addEventListener("keydown", (event) => {
    event.stopPropagation();  // keys are not commands of the notebook
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) say();
  });
  const TRAITS = ["task", "lines", "note", "over", "busy"];
  for (const name of TRAITS) model.on(`change:${name}`, draw);
  model.on("change:typed", write);
  el.append(root);
  draw();
  write();
  return () => {
    for (const name of TRAITS) model.off(`change:${name}`, draw);
    model.off("change:typed", write);
  };
}

export default { render };
