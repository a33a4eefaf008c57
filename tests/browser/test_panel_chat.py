"""The chat panel in JupyterLab, in a real browser, with a gateway and a model server behind it."""

from browser import seen

from anthrokit.core import data_path

CELL = """
from anthrokit.panels import ChatPanel
from anthrokit.study import Gateway, init_study, set_section, Study
study = init_study("{folder}", model="openai/target", api_base="{base}")
chat = {{"task": "Talk about your plans.", "least_minutes": 0, "most_turns": 2, "least_turns": 1}}
set_section(study.folder / "study.toml", "chat", chat)
gateway = Gateway(Study(study.folder), port=0).start()
panel = ChatPanel(gateway, "Ada")
panel
"""


def test_chat_in_a_notebook(open_notebook, server, tmp_path):
    """What is typed is answered, is text whatever it looks like, and ends where the study's chat ends."""
    notebook = open_notebook([CELL.format(folder=tmp_path / "pilot", base=server("--latency", 1))])
    output = notebook.page.locator(".jp-OutputArea-output").last
    box, send = output.locator("textarea"), output.get_by_role("button", name="Send")
    seen(output.get_by_text("Talk about your plans.")).to_be_visible()
    for number, said in enumerate(("What about <b>a trip</b>?", "And where to?"), start=1):
        box.fill(said)
        box.blur()
        send.click()
        seen(output.get_by_text("…", exact=True).first).to_be_visible()
        seen(box).to_have_value("")
        seen(box).not_to_be_editable()
        seen(output.get_by_text(said, exact=True)).to_be_visible()
        seen(output.locator("span[dir=auto]")).to_have_count(2 * number)
    assert output.locator("b").count() == 0
    seen(output.get_by_text("has reached its length")).to_be_visible()
    seen(box).to_be_disabled()
    notebook.screenshot("chat", output)


def test_direction_of_a_participants_chat(browser):
    """A message from right to left is shown so, though a word for screen readers precedes it; the box follows what is typed."""
    page, front = browser.new_page(), data_path("study/front")
    page.set_content((front / "chat.html").read_text(encoding="utf-8"))
    page.evaluate("""() => { window.fetch = async () => new Response(JSON.stringify({over: false, messages: [
      {role: "user", content: "مرحبا، كيف حالك؟"}, {role: "assistant", content: "Well, thanks."}]}),
      {headers: {"Content-Type": "application/json"}}); }""")
    page.add_script_tag(content=(front / "chat.js").read_text(encoding="utf-8"))
    page.evaluate("studyChat({gateway: '', token: '', root: document.getElementById('chat')})")
    seen(page.locator(".chat-line")).to_have_count(2)
    assert page.locator(".chat-line:dir(rtl)").all_inner_texts() == ["You: مرحبا، كيف حالك؟"]
    page.locator("textarea").fill("مرحبا")
    seen(page.locator("textarea:dir(rtl)")).to_have_count(1)
    page.close()


def test_participants_chat_that_is_read_too_often(browser):
    """A page that the gateway holds off, as after many reloads, shows the chat a moment later and can be written in."""
    page, front = browser.new_page(), data_path("study/front")
    page.set_content((front / "chat.html").read_text(encoding="utf-8"))
    page.evaluate("""() => { let calls = 0; window.fetch = async () => new Response(JSON.stringify(calls++
      ? {over: false, messages: [{role: "assistant", content: "Well, thanks."}]}
      : {error: {code: "too_fast", message: "That was very fast."}}), {status: calls > 1 ? 200 : 429}); }""")
    page.add_script_tag(content=(front / "chat.js").read_text(encoding="utf-8"))
    page.evaluate("studyChat({gateway: '', token: '', root: document.getElementById('chat')})")
    seen(page.locator(".chat-line")).to_have_count(1)
    seen(page.locator("textarea")).to_be_enabled()
    page.close()
