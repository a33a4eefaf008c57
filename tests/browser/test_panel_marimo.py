"""Panels in marimo, which sends what changed trait by trait, in its own order, and puts a panel into a shadow root."""

import re
from importlib.util import find_spec

import pytest
from browser import Server, seen

from anthrokit import Run, demo_run

pytestmark = pytest.mark.skipif(not find_spec("marimo"), reason="needs marimo")
APP = """
# /// script
# [tool.marimo.display]
# theme = "{theme}"
# ///

import marimo

app = marimo.App()


@app.cell
def _():
    from anthrokit import {imports}
    {code}
    return
"""
SLOW = 60_000


class Marimo(Server):
    """All notebooks of a folder as applications."""

    def __init__(self, folder):
        super().__init__(folder, "marimo", "run", ".", "--watch", "--headless", "--no-token", "--host=127.0.0.1")
        self.wait("/health")


@pytest.fixture(scope="module")
def marimo(tmp_path_factory):
    server = Marimo(tmp_path_factory.mktemp("marimo"))
    yield server
    server.stop()


@pytest.fixture
def show(browser, marimo, request):
    def open_one(imports, code, theme="light"):
        name = f"{request.node.name}.py"
        (marimo.folder / name).write_text(APP.format(imports=imports, code=code, theme=theme))
        page = browser.new_page(viewport={"width": 1100, "height": 1000})
        page.set_default_timeout(SLOW)
        page.goto(f"{marimo.url}/?file={name}")
        panel = page.locator(".ak-panel").first
        panel.wait_for(timeout=2 * SLOW)
        good = panel.evaluate("one => getComputedStyle(one).getPropertyValue('--ak-good')")
        assert good == {"light": "#006B49", "dark": "#4FC79F"}[theme]
        return page

    return open_one


@pytest.fixture
def folder(tmp_path):
    demo_run(tmp_path / "run").close()
    return tmp_path / "run"


def test_dialogue_selection(show, folder):
    page = show("DialoguePanel", f"DialoguePanel({str(folder)!r})", "dark")
    with Run(folder, read_only=True) as run:
        messages = run.messages()
    texts = messages[messages["role"] == "assistant"].drop_duplicates("dialogue_id")["content"].str[:60].tolist()
    panel = page.locator(".ak-panel").first
    for number in range(1, 6):
        panel.get_by_role("button", name="Next").click()
        seen(panel.locator(".ak-place")).to_have_text(f"{number + 1} / 16", timeout=SLOW)
        seen(panel.locator(".ak-assistant .ak-text").first).to_contain_text(texts[number].strip(), timeout=SLOW)
    panel.locator(".ak-page h4").click()
    page.keyboard.press("k")  # heard in the shadow root
    seen(panel.locator(".ak-place")).to_have_text("5 / 16", timeout=SLOW)
    seen(panel.locator(".ak-assistant .ak-text").first).to_contain_text(texts[4].strip(), timeout=SLOW)
    seen(panel).to_have_class(re.compile("ak-dark"))
    page.evaluate("document.body.className = 'light light-theme'")  # the theme changes while the panel is shown
    seen(panel).not_to_have_class(re.compile("ak-dark"))


def test_annotation_keys(show, folder):
    page = show("AnnotationPanel, Run", f"AnnotationPanel(Run({str(folder)!r}), 2, annotator='Ada')")
    panel = page.locator(".ak-panel").first
    panel.locator(".ak-judged").click()
    for number, key in enumerate("ynuy", 1):
        before = panel.locator(".ak-judged").inner_text()
        page.keyboard.press(key)
        seen(panel.locator(".ak-progress strong")).to_have_text(f"{number} of 28", timeout=SLOW)
        seen(panel.locator(".ak-judged")).not_to_have_text(before, use_inner_text=True, timeout=SLOW)
    panel.get_by_role("button", name="No n").click()
    seen(panel.locator(".ak-progress strong")).to_have_text("5 of 28", timeout=SLOW)
    page.keyboard.type("yyyy", delay=60)  # faster than it answers
    seen(panel.locator(".ak-progress strong")).to_have_text("9 of 28", timeout=SLOW)
    with Run(folder, read_only=True) as run:
        saved = run.annotations()["verdict"].map({True: "y", False: "n"}).fillna("u")
    assert "".join(saved) == "ynuynyyyy"


def test_chat(show, server, tmp_path):
    code = f"""
    from anthrokit.panels import ChatPanel
    from anthrokit.study import Gateway, init_study
    gateway = Gateway(init_study({str(tmp_path / "pilot")!r}, model="openai/target", api_base={server()!r}), port=0)
    ChatPanel(gateway.start(), "Ada")
    """
    page = show("__name__", code.strip())
    panel = page.locator(".ak-panel").first
    panel.locator("textarea").fill("What about <b>a trip</b>?")
    panel.get_by_role("button", name="Send").click()
    seen(panel.locator("span[dir=auto]")).to_have_count(2, timeout=SLOW)
    seen(panel.get_by_text("What about <b>a trip</b>?", exact=True)).to_be_visible()
    seen(panel.locator("textarea")).to_have_value("")
    assert panel.locator("b").count() == 0
