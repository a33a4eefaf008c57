// The chat of a study: one participant, one dialogue, against the gateway. What is said is shown as text, never as HTML.
window.studyChat = function ({gateway, token, root, changed}) {
  const log = root.querySelector("[data-chat=log]"), form = root.querySelector("[data-chat=form]");
  const box = root.querySelector("[data-chat=box]"), button = root.querySelector("[data-chat=send]");
  const note = root.querySelector("[data-chat=note]");
  const headers = {"Authorization": `Bearer ${token}`, "Content-Type": "application/json"};
  const pause = seconds => new Promise(done => setTimeout(done, seconds * 1000));
  let state = null, busy = false, timer = null;

  function line(role, text) {
    const one = document.createElement("div");
    one.className = `chat-line chat-${role}`;
    one.dir = "auto";
    const who = document.createElement("span");
    who.className = "chat-who";
    who.dir = "ltr";  // else its letters would decide the direction of the line
    who.textContent = role === "user" ? "You: " : "System: ";
    one.append(who, text);
    log.append(one);
    log.scrollTop = log.scrollHeight;
    return one;
  }

  function tell(text) { note.textContent = text || ""; }

  function take(next) {
    state = next;
    box.disabled = button.disabled = state.over || busy;
    if (state.over) { tell(state.over_text); form.hidden = true; }
    if (changed) changed(state);
    clearTimeout(timer);
    const waits = [state.least_seconds, state.most_seconds].map(one => one - state.seconds).filter(one => one > 0);
    if (!state.over && waits.length) timer = setTimeout(refresh, (Math.min(...waits) + 0.5) * 1000);
  }

  async function pieces(answer, show) {
    // An answer while it is made; one that breaks off is an error.
    const reader = answer.body.getReader(), decoder = new TextDecoder();
    for (let rest = "", text = ""; ;) {
      const {done, value} = await reader.read();
      if (done) throw new Error("broken off");
      const lines = (rest + decoder.decode(value, {stream: true})).split("\n");
      rest = lines.pop();
      for (const one of lines.filter(one => one.startsWith("data: "))) {
        if (one === "data: [DONE]") return;
        text += JSON.parse(one.slice(6)).choices[0].delta.content || "";
      }
      show(text);
    }
  }

  async function call(path, body, show) {
    // Until there is an answer: a gateway that is started anew, a connection that breaks, a page that reads the chat too often.
    for (let attempt = 0; ; attempt++) {
      try {
        const answer = await fetch(gateway + path, body
          ? {method: "POST", headers, body: JSON.stringify(body)} : {headers});
        if ((answer.headers.get("Content-Type") || "").startsWith("text/event-stream")) {
          await pieces(answer, show);
          return {status: answer.status, read: {}};
        }
        const read = await answer.json();
        if (answer.status !== 503 && (body || answer.status !== 429)) return {status: answer.status, read};
        tell(read.error.message);
      } catch (error) {
        tell("The connection was interrupted. Your message is not lost; trying again…");
      }
      await pause(Math.min(1 + attempt, 5));
    }
  }

  async function refresh() {
    if (busy) return;
    const {status, read} = await call("/v1/dialogue");
    if (status === 200) { if (!busy) { draw(read); take(read); } } else tell(read.error.message);
  }

  function draw(next) {
    log.replaceChildren();
    for (const one of next.messages) line(one.role, one.content);
    if (!next.over) tell("");
  }

  async function ask(text) {
    busy = true;
    box.disabled = button.disabled = true;
    const waiting = line("assistant", "…");
    waiting.classList.add("chat-waiting");
    const asked = {messages: [{role: "user", content: text}], metadata: {turn: state.turn}, stream: true};
    const {status, read} = await call("/v1/chat/completions", asked, so_far => {
      if (so_far) waiting.lastChild.textContent = so_far;
      log.scrollTop = log.scrollHeight;
    });
    const after = (await call("/v1/dialogue")).read;
    busy = false;
    if (status === 200) tell("");
    else if (["too_long", "too_fast", "empty"].includes(read.error.code)) box.value = text;
    if (after.messages) { draw(after); take(after); }
    if (status !== 200 && !after.over) tell(read.error.message);
    if (!box.disabled) box.focus();
  }

  function send() {
    const text = box.value.trim();
    if (!text || busy || !state || state.over) return;
    box.value = "";
    line("user", text);
    ask(text);
  }
  button.addEventListener("click", event => { event.preventDefault(); send(); });
  box.addEventListener("keydown", event => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); send(); }
  });

  (async () => {
    box.disabled = button.disabled = true;
    tell("One moment…");
    const {status, read} = await call("/v1/dialogue");
    if (status !== 200) return tell(read.error.message);
    draw(read);
    take(read);
    if (read.unanswered) await ask(read.unanswered);  // closed or killed while the system was answering
  })();
};
