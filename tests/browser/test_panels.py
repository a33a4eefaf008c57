"""Panels in JupyterLab, in a real browser: each control is used, and what is shown is looked at."""

import os
from pathlib import Path

import hostile
import pytest
from browser import SLOW, Notebook, Voila, everywhere, filters, says, seen, unharmed, walk

from anthrokit import LLM, LLMJudge, demo_run, judge

OWN = "from anthrokit import demo_run, {0}\npanel = {0}(demo_run({1!r}), {2})\npanel"


@pytest.fixture
def labels(tmp_path):
    with demo_run(tmp_path / "demo") as run:
        return run.labels()


@pytest.fixture
def dialogues(open_notebook, tmp_path, labels):
    notebook = open_notebook([OWN.format("DialoguePanel", str(tmp_path / "demo"), "")])
    notebook.panels.first.wait_for()
    return notebook


@everywhere
def test_dialogue_panel_controls(dialogues, labels):
    panel, page = dialogues.panels.first, dialogues.page
    rows, current = panel.locator(".ak-row"), panel.locator("[role=option][aria-selected=true]")
    says(panel, "16 of 16 dialogues")
    seen(panel.locator(".ak-place")).to_have_text("1 / 16")
    first = current.inner_text()
    panel.get_by_role("button", name="Next").click()
    seen(panel.locator(".ak-place")).to_have_text("2 / 16")
    seen(current).not_to_have_text(first, use_inner_text=True)
    panel.get_by_role("button", name="Previous").click()
    seen(panel.get_by_role("button", name="Previous")).to_be_disabled()
    rows.nth(3).click()
    seen(panel.locator(".ak-place")).to_have_text("4 / 16")

    form = filters(panel)
    form.get_by_label("Behaviour", exact=True).select_option("desires")
    with_desires = labels[(labels["behaviour"] == "desires") & labels["label"]].drop_duplicates("dialogue_id")
    says(panel, f"{len(with_desires)} of 16")
    seen(rows).to_have_count(len(with_desires))
    seen(panel.locator("summary.ak-first.ak-lit", has_text="★ desires")).to_have_count(1)
    seen(panel.locator("summary.ak-first.ak-lit")).to_be_in_viewport()
    form.get_by_label("Domain").select_option("friendship")
    says(panel, f"{(with_desires['domain'] == 'friendship').sum()} of 16")
    seen(panel.locator(".ak-chip")).to_have_count(2)
    form.get_by_label("Text", exact=True).fill("words that nobody said")
    says(panel, "0 of 16")
    seen(panel.get_by_text("No dialogue fits these filters")).to_be_visible()
    panel.get_by_role("button", name="Clear filters").click()
    says(panel, "16 of 16")
    form.get_by_label("Text", exact=True).fill("May Allah BLESS")
    says(panel, "1 of 16")
    seen(panel.locator("mark.ak-hit").first).to_be_in_viewport()
    panel.get_by_role("button", name="Remove Text: May Allah BLESS").click()
    says(panel, "16 of 16")
    form.get_by_label("Behaviour", exact=True).select_option("emotions")
    says(panel, f"{labels[(labels['behaviour'] == 'emotions') & labels['label']]['dialogue_id'].nunique()} of 16")

    badge = panel.locator("summary.ak-badge", has_text="emotions").first
    reasons = badge.locator("xpath=..").locator("table")
    for name in ("grammar", "embeddings and grammar", "sentences"):  # opened, since it was asked for
        seen(reasons.get_by_role("cell", name=name, exact=True)).to_be_visible()
    badge.click()
    seen(reasons).not_to_be_visible()
    badge.press("Enter")
    seen(reasons).to_be_visible()
    badge.press("Enter")
    seen(reasons).not_to_be_visible()
    panel.locator(".ak-strip button[data-jump$='/emotions']").first.click()
    seen(reasons).to_be_visible()
    seen(panel.locator("summary.ak-absent")).to_have_count(0)
    form.get_by_label("Absent behaviours too").check()
    seen(panel.locator("summary.ak-absent").first).to_be_attached()
    form.get_by_label("As Markdown").check()
    seen(panel.locator(".ak-rich p").first).to_be_attached()
    folded = panel.locator(".ak-system .ak-text", has_text="You are playing a person")
    seen(folded).not_to_be_visible()
    panel.get_by_text("System prompt of the user model").click()
    seen(folded).to_be_visible()

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    panel.get_by_role("button", name="Copy as Markdown").click()
    says(panel, "Copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("**") and "Target, turn 5:" in copied and "★ emotions" in copied
    assert not dialogues.dialogs


def test_table_and_print(dialogues, labels):
    """Columns sort; in the table all are there; what is in view goes to paper by itself."""
    panel, page = dialogues.panels.first, dialogues.page
    cells = panel.locator(".ak-row .ak-cell:not(.ak-cell-wide)")
    seen(panel.get_by_role("button", name="Target")).not_to_be_visible()
    panel.get_by_role("button", name="Table").click()
    seen(panel.get_by_role("button", name="Target")).to_be_visible()
    seen(panel.locator(".ak-page")).not_to_be_visible()
    panel.get_by_role("button", name="Present").click()
    present = labels[labels["label"].fillna(False)].drop_duplicates(["dialogue_id", "behaviour"])
    most = present.groupby("dialogue_id").size().max()
    seen(cells.nth(1)).to_have_text(str(most))
    dialogues.screenshot("dialogue_table")
    panel.locator(".ak-row").first.click()
    seen(panel.locator(".ak-page")).to_be_visible()
    seen(panel.locator(".ak-place")).to_have_text("1 / 16")
    title = panel.locator(".ak-page h4").inner_text()
    panel.get_by_role("button", name="Print").click()
    sheet = page.frame_locator("iframe.ak-paper")
    seen(sheet.locator(".ak-page h4")).to_have_text(title)
    seen(sheet.get_by_role("button", name="Next")).to_have_count(0)


def test_judge_prompt_and_response(open_notebook, server, tmp_path):
    with demo_run(tmp_path / "demo") as run:
        judge(run, LLMJudge(LLM("openai/judge", api_base=server())), behaviours=["empathy"], progress=False)
        message = run.messages().query("role == 'assistant'")["content"].iloc[0]
    notebook = open_notebook([OWN.format("DialoguePanel", str(tmp_path / "demo"), "state={'absent': True}")])
    panel = notebook.panels.first
    badge = panel.locator("details[data-place='1/empathy']")
    badge.locator("summary").click()
    badge.get_by_role("button", name="Prompt and response").first.click()
    call = badge.locator(".ak-call")
    seen(call).to_contain_text("You label single messages of a dialogue")
    seen(call).to_contain_text(message[:40])
    seen(call).to_contain_text("Verdict")
    badge.get_by_role("button", name="Prompt and response").first.click()
    seen(call).to_have_count(0)
    seen(badge.locator("table")).to_be_visible()  # it stays open


def test_empty_run(open_notebook, tmp_path):
    code = "from anthrokit import DialoguePanel, EmergencePanel, DisagreementPanel, Run\n{}(Run({!r}))"
    kinds = {"DialoguePanel": "here yet", "EmergencePanel": "here yet", "DisagreementPanel": "No judge has rated a message yet."}
    notebook = open_notebook([code.format(kind, str(tmp_path / kind)) for kind in kinds])
    says(notebook.panels.first, "0 of 0 dialogues")
    for place, text in enumerate(kinds.values()):
        panel = notebook.panels.nth(place)
        seen(panel.locator(".ak-side .ak-empty")).to_contain_text(text)
        seen(panel.get_by_text("fits these filters")).to_have_count(0)
        seen(panel.get_by_role("button", name="Yes y")).to_have_count(0)


@everywhere
def test_keys(dialogues):
    """Keys work in the panel, help shows them on demand, and JupyterLab doesn't hear them. Tab goes in reading order."""
    panel, page, keys = dialogues.panels.first, dialogues.page, dialogues.page.keyboard
    names = dialogues.tab_order()
    wanted = ["Filters", "→", "Table", "Copy as Markdown", "Print", "⟳", "?"]
    assert names[: len(wanted)] == wanted
    badges = panel.locator("summary.ak-badge").all_inner_texts()
    assert [name for name in names if name in badges] == badges
    place, cells = panel.locator(".ak-place"), page.locator(".jp-Notebook .jp-Cell")
    before = cells.count()
    panel.locator(".ak-page h4").click()
    for key, number in (("j", 2), ("j", 3), ("k", 2)):
        keys.press(key)
        seen(place).to_have_text(f"{number} / 16")
    for key in ("b", "d", "d"):
        keys.press(key)
    seen(place).to_have_text("2 / 16")
    keys.press("k")
    seen(place).to_have_text("1 / 16")
    keys.type("jjk")  # faster than the kernel answers: none is lost
    seen(place).to_have_text("2 / 16")
    panel.get_by_role("listbox").focus()
    for key in ("ArrowDown", "End"):
        keys.press(key)
    seen(place).to_have_text("16 / 16")
    seen(panel.get_by_text("next / previous")).not_to_be_visible()
    keys.press("?")
    seen(panel.get_by_text("next / previous")).to_be_visible()
    keys.press("/")
    seen(panel.get_by_label("Text", exact=True)).to_be_focused()
    keys.type("jjj")
    seen(panel.get_by_label("Text", exact=True)).to_have_value("jjj")
    says(panel, "0 of 16")
    seen(panel.get_by_label("Text", exact=True)).to_be_focused()
    keys.press("Escape")
    keys.press("Escape")
    seen(panel.get_by_label("Text", exact=True)).not_to_be_visible()
    assert cells.count() == before


def test_concurrent_keys(open_notebook, tmp_path):
    """Each counts from where those before it lead, though they pass that place on their way (here the second of 16)."""
    slow = "import time\ndraw = type(panel).draw\ntype(panel).draw = lambda *given: (time.sleep(0.7), draw(*given))[1]"
    cells = [OWN.format("DialoguePanel", str(tmp_path / "demo"), ""), slow]
    panel = open_notebook(cells).panels.first
    place, keys = panel.locator(".ak-place"), panel.page.keyboard
    panel.get_by_role("listbox").focus()
    keys.type("jjk")
    seen(place).to_have_text("3 / 16")
    keys.press("ArrowDown")
    keys.press("End")
    seen(place).to_have_text("16 / 16")


def test_panel_in_code(open_notebook, tmp_path):
    """A cell sets the state, and reads what a person has done; two views of a panel show the same."""
    code = OWN.format("DialoguePanel", str(tmp_path / "demo"), "state={'domain': 'friendship'}")
    notebook = open_notebook([code, "panel", "panel.state = {'behaviour': 'emotions', 'markdown': True}"])
    first, other = notebook.panels.nth(0), notebook.panels.nth(1)
    for panel in (first, other):
        says(panel, "6 of 16")
        seen(panel.locator(".ak-chip")).to_have_text(["Behaviour: emotions ×", "As Markdown ×"])
    first.get_by_role("button", name="Next").click()
    seen(other.locator(".ak-place")).to_have_text("2 / 6")
    assert notebook.page.evaluate("document.querySelectorAll('.ak-panel [id]').length") != 0
    ids = notebook.page.evaluate("[...document.querySelectorAll('.ak-panel [id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))


def test_run_in_progress(open_notebook, tmp_path):
    """A panel on the folder of a run that goes on shows what came in, by its button or by itself."""
    run = demo_run(tmp_path / "demo")
    cells = [
        f"from anthrokit import DialoguePanel\nDialoguePanel({str(run.folder)!r})",
        f"DialoguePanel({str(run.folder)!r}, live=0.2)",
    ]
    notebook = open_notebook(cells)
    says(notebook.panels.nth(1), "of 16 dialogues")
    one = run.query("SELECT * FROM dialogues LIMIT 1").iloc[0]
    run.ledger.write("dialogues", [{**one, "dialogue_id": "late", "status": "done"}])
    says(notebook.panels.nth(1), "of 17 dialogues")
    says(notebook.panels.nth(0), "of 16 dialogues")
    notebook.panels.nth(0).get_by_role("button", name="Refresh").click()
    says(notebook.panels.nth(0), "of 17 dialogues")


def test_ten_thousand_dialogues(open_notebook):
    """Lines come when one scrolls to them; only those in view are in the page."""
    code = """
import pandas as pd
from anthrokit import DialoguePanel
ids = [f"d{number:05}" for number in range(10_000)]
frame = pd.DataFrame({"dialogue_id": ids, "turn": 1, "role": "user", "content": [f"words {one}" for one in ids]})
panel = DialoguePanel(frame)
panel
"""
    notebook = open_notebook([code])
    panel = notebook.panels.first
    says(panel, "10,000 of 10,000 dialogues")
    panel.get_by_role("listbox").evaluate("list => list.scrollTo(0, list.scrollHeight / 2)")
    seen(panel.get_by_role("option", name="words d05003")).to_be_visible(timeout=SLOW)
    assert panel.locator(".ak-row").count() < 60
    panel.get_by_role("option", name="words d05003").click()
    seen(panel.locator(".ak-place")).to_have_text("5,004 / 10,000")
    panel.get_by_role("listbox").press("End")
    seen(panel.get_by_role("option", name="words d09999")).to_be_visible(timeout=SLOW)


def test_static_picture(browser, tmp_path):
    """The HTML of the same view: header, chips, lines, page; badges open; nothing runs."""
    from anthrokit import DialoguePanel

    with demo_run(tmp_path / "demo") as run:
        bundle = DialoguePanel(run, state={"behaviour": "emotions"})._repr_mimebundle_()[0]
    page = browser.new_page(viewport={"width": 900, "height": 1000})
    page.set_content(bundle["text/html"])
    seen(page.get_by_role("heading", name="Dialogues")).to_be_visible()
    seen(page.locator(".ak-row")).to_have_count(6)
    badge = page.locator("summary.ak-lit").first
    badge.click()
    seen(badge.locator("xpath=..").locator("table")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 900
    seen(page.locator(".ak-columns span:visible")).to_have_text(["Dialogue", "Turns", "Present"])
    seen(page.locator(".ak-row").first.locator(".ak-cell:visible")).to_have_count(2)
    assert not page.locator("button:not([tabindex='-1'])").count()
    message = page.locator(".ak-message").first
    assert message.bounding_box()["x"] < message.locator(".ak-turn").bounding_box()["x"]
    page.set_viewport_size({"width": 700, "height": 1000})
    assert page.locator(".ak-list").evaluate("list => list.scrollHeight <= list.clientHeight")
    accent = "getComputedStyle(document.querySelector('.anthrokit')).getPropertyValue('--ak-accent')"
    assert page.evaluate(accent) == "#0072B2"
    page.evaluate("document.body.className = 'vscode-dark'")
    assert page.evaluate(accent) == "#56B4E9"


def test_voila(browser, kernels, tmp_path):
    """The dialogue panel as an application. Voilà hangs at times on a busy machine, so a page may be asked for again."""
    from playwright.sync_api import TimeoutError as TooSlow

    server = Voila(tmp_path, ["from anthrokit import *\npanel = DialoguePanel(demo_run())\npanel"])
    try:
        page = browser.new_page(viewport={"width": 900, "height": 1000})
        panel = page.locator(".ak-panel")
        for _ in range(4):
            page.goto(server.url, wait_until="commit")
            try:
                panel.wait_for(timeout=45_000)
                break
            except TooSlow:
                continue
        panel.get_by_role("button", name="Next").click()
        seen(panel.locator(".ak-place")).to_have_text("2 / 16", timeout=45_000)
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        panel.get_by_role("button", name="Copy as Markdown").click()
        seen(panel.get_by_role("status")).to_contain_text("Copied.", timeout=45_000)
        assert page.evaluate("document.documentElement.scrollWidth") <= 900
    finally:
        server.stop()


PICTURES = {
    "dialogue": "DialoguePanel(run, state={'behaviour': 'emotions'})",
    "disagreement": "DisagreementPanel(run, annotator='Ada', state={'pair': 'embeddings and grammar | sentences'})",
    "emergence": "EmergencePanel(run, state={'line': 'emotions', 'turns': '2-4'})",
    "annotation": "AnnotationPanel(run, annotator='Ada')",
    "rubric": "RubricPanel({'cases': load_cases('bundled'), 'answers': bundled_answers(), 'verdicts': bundled_verdicts()})",
}


@everywhere
def test_pictures(open_notebook):
    """Light and dark, wide and narrow: nothing is cut off or faint, and axe-core finds nothing serious.

    `make pictures` keeps the pictures in figures/panels. ANTHROKIT_AXE names axe.min.js of the npm package axe-core;
    without it that part is left out.
    """
    imports = (
        "from anthrokit import *\nfrom anthrokit.heartbench import bundled_answers, bundled_verdicts, load_cases"
    )
    notebook = open_notebook([f"{imports}\nrun = demo_run()", *PICTURES.values()], width=1280)
    seen(notebook.panels).to_have_count(len(PICTURES))
    panels = dict(zip(PICTURES, notebook.panels.all(), strict=True))
    axe = os.environ.get("ANTHROKIT_AXE", "") if open_notebook.kind is Notebook else ""
    if axe:
        notebook.page.evaluate(Path(axe).read_text())
    # the behaviour asked for is opened to its reasons
    seen(panels["dialogue"].locator("details:has(> summary.ak-lit) table").first).to_be_visible()
    for theme in ("Dark", "Light"):
        notebook.theme(f"JupyterLab {theme}")
        for width in (420, 700, 1280):
            notebook.width(width)
            assert notebook.overflowing() == []
            assert [one for one in notebook.contrasts() if one[0] < 4.5] == []
            for name, panel in panels.items():
                if width == 420:
                    notebook.screenshot(f"{name}_{theme.lower()}_420", panel, most=2000)
                if width == 1280:
                    notebook.screenshot(name + ("_dark" if theme == "Dark" else ""), panel, most=1100)
        for panel in panels.values():
            filters(panel)
        assert [one for one in notebook.contrasts() if one[0] < 4.5] == []
        if axe:
            assert serious(notebook.page) == []
        for panel in panels.values():
            panel.locator(".ak-open-filters").click()


def serious(page):
    """What axe-core finds serious, apart from contrasts, which are measured for every text."""
    violations = page.evaluate("""axe.run('.ak-panel', {rules: {'color-contrast': {enabled: false}}, resultTypes: ['violations']})
        .then(result => result.violations)""")
    grave = [one for one in violations if one["impact"] in ("serious", "critical")]
    return [(one["id"], node["html"][:200], node["failureSummary"]) for one in grave for node in one["nodes"][:3]]


# The code that shows a panel over the hostile run; Next leads through its items.
PANELS = {
    "dialogues": "from anthrokit import DialoguePanel\nDialoguePanel(run, state={'absent': True, 'markdown': True})",
    "emergence": """
from anthrokit import EmergencePanel
frames = {"messages": run.messages(), "ratings": run.ratings(), "dialogues": run.dialogues()}
EmergencePanel(frames | {"labels": run.labels().assign(label=True)}, state={"show": ["any behaviour"]})
""",
    "rubric": "from anthrokit import RubricPanel\nRubricPanel(hostile.rubric())",
}
REPRS = [
    "run",
    "from anthrokit.judging.jobs import run_taxonomy\n\nrun_taxonomy(run)",
    """
from anthrokit.heartbench import Case, Criterion
text = hostile.PAYLOADS
Case(text[4], [(text[0], one) for one in text],
     [Criterion(number, hostile.name(number), 1.0, one) for number, one in enumerate(text)],
     text[1], text[2], text[3])
""",
]


@pytest.mark.parametrize("view", [*PANELS, "reprs"])
def test_hostile_texts(open_notebook, tmp_path, view):
    hostile.write(tmp_path / "run").close()
    start = "import hostile\n"
    start += f"from anthrokit import Run\nrun = Run({str(tmp_path / 'run')!r})"
    notebook = open_notebook([start, *([PANELS[view]] if view in PANELS else REPRS)], width=900)
    if view in PANELS:
        walk(notebook, 25 if view == "rubric" else 50)
    unharmed(notebook.page)
    assert notebook.overflowing(".jp-OutputArea-output") == []
    assert not notebook.dialogs and not [url for url in notebook.requests if "hostile" in url]
    notebook.screenshot(f"hostile_{view}", notebook.page.locator(".jp-OutputArea-output").first)


@pytest.mark.filterwarnings("error:Glyph", "error:constrained_layout")
def test_hostile_report(browser, tmp_path):
    from anthrokit import write_report

    with hostile.write(tmp_path / "run") as run:
        path = write_report(run)
    assert not set("\u202e\u2066\x1b\x07") & set(path.read_text(encoding="utf-8"))
    page = browser.new_page(viewport={"width": 900, "height": 1000})
    dialogs, requests = [], []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert page.evaluate("window.__hacked") is None and not dialogs
    assert page.locator("main script, [data-hostile], iframe, object, form").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 900
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
