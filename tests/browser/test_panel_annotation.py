"""The annotation panel in JupyterLab: keys, buttons, two people, a kernel that dies, a run that is being judged."""

import asyncio
import os
import signal

import hostile
import pytest
from browser import everywhere, filters, seen, walk

from anthrokit import AnnotationPanel, Run, demo_run, judge_accuracy
from anthrokit.judging import LLMJudge, ajudge
from anthrokit.models import LLM
from anthrokit.validity.annotations import Annotations

OPEN = "from anthrokit import AnnotationPanel, Run\nrun = Run({!r})\nAnnotationPanel(run, {}, annotator={!r})"
CELLS = "document.querySelectorAll('.jp-Notebook .jp-Cell').length"


@pytest.fixture
def folder(tmp_path):
    demo_run(tmp_path / "run").close()
    return tmp_path / "run"


@pytest.fixture
def notebook(open_notebook, folder):
    notebook = open_notebook([OPEN.format(str(folder), 2, "Ada")])
    done(notebook.panels.first, 0)
    return notebook


def done(panel, n, of=28):
    """Wait until so many are labelled."""
    seen(panel.locator(".ak-progress strong")).to_have_text(f"{n} of {of}", timeout=30_000)


def annotations(folder, **options):
    with Run(folder, read_only=True) as run:
        return run.annotations(**options)


def message(panel):
    return panel.locator(".ak-judged").inner_text()


def focus(panel):
    """Click on the message, as one who reads it."""
    panel.locator(".ak-judged").click()


@everywhere
def test_keys(notebook, folder):
    panel, keyboard = notebook.panels.first, notebook.page.keyboard
    focus(panel)
    for number, key in enumerate("yYnu", 1):
        keyboard.press(key)
        done(panel, number)
    saved = annotations(folder)
    assert saved["verdict"].astype(object).where(saved["verdict"].notna(), None).tolist() == [
        True,
        True,
        False,
        None,
    ]
    assert saved["annotator"].eq("Ada").all() and saved["weight"].ge(1).all()

    before = message(panel)
    keyboard.press("z")
    done(panel, 3)
    seen(panel.locator(".ak-judged")).not_to_have_text(before, use_inner_text=True)
    assert len(annotations(folder)) == 3
    keyboard.press("y")
    done(panel, 4)
    assert message(panel) == before and len(annotations(folder, history=True)) == 5


def test_keys_faster_than_the_kernel(open_notebook, folder):
    """Four a second, where an answer takes longer than that: each is a label, in the order in which they were pressed."""
    slow = "import time\npanel = _\ndraw = type(panel).draw\n"
    slow += "type(panel).draw = lambda *given: (time.sleep(0.4), draw(*given))[1]"
    notebook = open_notebook([OPEN.format(str(folder), 2, "Ada"), slow])
    panel, keyboard = notebook.panels.first, notebook.page.keyboard
    done(panel, 0)
    focus(panel)
    pressed = "yynu" * 4
    keyboard.type(pressed, delay=250)
    done(panel, 16)
    saved = annotations(folder)["verdict"].map({True: "y", False: "n"}).fillna("u")
    assert "".join(saved) == pressed
    panel.get_by_text("Last labels").click()
    last = panel.locator(".ak-last li")
    seen(last).to_have_count(10)
    seen(panel.get_by_role("status")).to_contain_text("Saved: Can't tell. 16 of 28 labelled.")
    keyboard.type("zzzr", delay=20)  # undo and redo wait for their turn too
    seen(panel.get_by_role("status")).to_contain_text("14 of 28 labelled.", timeout=30_000)
    assert "".join(annotations(folder)["verdict"].map({True: "y", False: "n"}).fillna("u")) == pressed[:14]
    seen(last).to_have_count(10)  # the history stays open
    before = message(panel)
    last.nth(0).get_by_role("button").click()
    seen(panel.locator(".ak-judged")).not_to_have_text(before, use_inner_text=True)
    seen(panel.locator(".ak-decide [aria-pressed=true]")).to_have_count(1)


def test_keys_and_shortcuts(notebook):
    """Keys in the panel don't reach JupyterLab, where b adds a cell and y turns one into code; outside they do."""
    page, panel = notebook.page, notebook.panels.first
    before = page.evaluate(CELLS)
    focus(panel)
    for key in ("b", "a", "x", "d", "d", "m", "Enter", "ArrowDown", "Delete"):
        page.keyboard.press(key)
    page.keyboard.press("y")
    done(panel, 1)
    assert page.evaluate(CELLS) == before
    assert page.locator(".jp-CodeCell .anthrokit").count() > 0
    unsaved = page.locator(".jp-mod-dirty").first
    unsaved.wait_for(state="attached")
    page.keyboard.press("Control+s")  # shortcuts with a modifier are the notebook's
    unsaved.wait_for(state="detached")
    page.locator(".jp-CodeCell .cm-content").first.click()
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    page.wait_for_function(f"{CELLS} === {before + 1}")
    page.keyboard.press("y")
    done(panel, 1)


def test_held_key_and_notes(notebook, folder):
    page, panel = notebook.page, notebook.panels.first
    focus(panel)
    page.keyboard.down("y")
    for _ in range(5):
        page.keyboard.down("y")  # the browser's own repetition
    page.keyboard.up("y")
    done(panel, 1)
    note = panel.get_by_label("Note")
    note.click()
    page.keyboard.type("yes, no, <i>unsure</i>")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    done(panel, 2)
    seen(note).to_have_value("")
    saved = annotations(folder)
    assert saved["verdict"].tolist() == [True, False] and saved["note"].tolist()[1] == "yes, no, <i>unsure</i>"
    notebook.screenshot("annotation_light")
    notebook.theme("JupyterLab Dark")
    notebook.width(900)
    assert notebook.overflowing() == []
    notebook.screenshot("annotation_dark_900")


def test_buttons_and_single_behaviour(open_notebook, folder):
    options = "2, behaviours=['desires', 'emotions', 'empathy', 'validation']"
    panel = open_notebook([OPEN.format(str(folder), options, "Ada")]).panels.first
    done(panel, 0, 8)
    heading = panel.locator(".ak-question h4")
    names, first = [], message(panel)
    panel.get_by_role("button", name="Later s").click()
    seen(panel.locator(".ak-judged")).not_to_have_text(first, use_inner_text=True)
    for number in range(1, 9):
        names.append(heading.inner_text())
        if number == 2:
            assert message(panel) == first
        name = ("Yes y", "No n", "Can't tell u")[number % 3]
        panel.get_by_role("button", name=name).click()
        done(panel, number, 8)
    assert names == [name for name in dict.fromkeys(names) for _ in range(2)] and len(set(names)) == 4
    seen(panel.get_by_text("All messages are labelled. Thank you.")).to_be_visible()
    seen(panel.get_by_role("button", name="Yes y")).to_be_disabled()
    seen(panel.get_by_role("row", name=f"{names[0]} ")).to_be_visible()
    panel.get_by_role("button", name="Undo z").click()
    done(panel, 7, 8)
    filters(panel).get_by_label("Behaviour", exact=True).select_option(names[0])
    seen(panel.get_by_text("All messages of this behaviour are labelled")).to_be_visible()
    panel.locator(".ak-row").first.click()
    seen(panel.locator(".ak-judged")).to_be_visible()
    seen(panel.locator(".ak-decide [aria-pressed=true]")).to_have_count(1)
    panel.get_by_text("Everybody's progress").click()
    seen(panel.get_by_role("row", name="Ada 7 of 8")).to_be_visible()
    with Run(folder, read_only=True) as run:
        accuracy = judge_accuracy(run, run.annotations(), by="judge")
    assert (accuracy["n_total"] > 0).all()


def test_two_annotators(open_notebook, folder):
    """Each has an order and a progress of their own; agreement is shown to who has finished."""
    notebook = open_notebook([OPEN.format(str(folder), 1, "Ada"), "AnnotationPanel(run, 1)"])
    ada, bo = notebook.panels.nth(0), notebook.panels.nth(1)
    seen(bo.get_by_text("Write your name to begin.")).to_be_visible()
    bo.get_by_label("Your name").fill("Bo ")
    bo.get_by_label("Your name").press("Enter")
    done(bo, 0, 14)
    for panel in (ada, bo):
        focus(panel)
        for number in range(14):
            notebook.page.keyboard.press("yn"[number % 2])
            done(panel, number + 1, 14)
    seen(bo.get_by_text("Agreement of the annotators")).to_be_visible()
    seen(bo.get_by_role("cell", name="Gwet's AC1")).to_be_visible()
    saved = annotations(folder)
    orders = [saved.loc[saved["annotator"] == name, "dialogue_id"].tolist() for name in ("Ada", "Bo")]
    assert orders[0] != orders[1] and sorted(orders[0]) == sorted(orders[1])
    notebook.screenshot("annotation_finished", bo)


def test_killed_kernel(open_notebook, folder):
    """Labels are in the run when the next message is in view; a new notebook goes on there."""
    code = f"import os, pathlib\npathlib.Path({str(folder.parent / 'pid')!r}).write_text(str(os.getpid()))"
    notebook = open_notebook([code, OPEN.format(str(folder), 2, "Ada")])
    panel = notebook.panels.first
    focus(panel)
    for number, key in enumerate("yny", 1):
        notebook.page.keyboard.press(key)
        done(panel, number)
    before = message(panel)
    os.kill(int((folder.parent / "pid").read_text()), signal.SIGKILL)
    assert annotations(folder)["verdict"].tolist() == [True, False, True]
    again = open_notebook([OPEN.format(str(folder), 2, "Ada")]).panels.first
    done(again, 3)
    assert message(again) == before


def test_run_being_judged(server, folder):
    """In one process: labels and ratings go into the same ledger, none is lost, and the draw stays what it was."""
    settings = {"transport": "lean", "max_concurrency": 8}
    judges = [
        LLMJudge(LLM(f"openai/judge-{letter}", api_base=server("--latency", "0.02"), **settings))
        for letter in "ab"
    ]
    with Run(folder) as run:
        panel = AnnotationPanel(run, 3, annotator="Ada")
        sheet = panel.sheet

        async def both():
            judging = asyncio.create_task(
                ajudge(run, judges, behaviours=["empathy"], progress=False)
            )
            pressed = 0
            while not judging.done() or panel.item is not None:
                if panel.item is not None:
                    panel.receive({"act": "decide", "value": "yes", "fields": {}, "view": panel.view["serial"]})
                    pressed += 1
                await asyncio.sleep(0.005)
            await judging
            return pressed

        ratings = len(run.ratings())
        assert asyncio.run(both()) == len(sheet) == len(run.annotations())
        assert len(run.ratings()) > ratings and (run.ratings()["status"] == "ok").all()
        again = AnnotationPanel(run, 3, annotator="Ada")
        assert again.item is None and again.sheet.equals(sheet)


def test_run_in_another_process(open_notebook, folder):
    """A run that another process works on: the error says how to label a sheet, which works."""
    with Run(folder) as run:
        sheet, labels = str(folder.parent / "sheet.csv"), str(folder.parent / "kept.csv")
        cells = [
            "from anthrokit import AnnotationPanel, Run, RunError, draw_annotation_sample",
            f"try:\n    AnnotationPanel({str(folder)!r}, 2)\nexcept RunError as error:\n    print(error)",
            f"draw_annotation_sample(Run({str(folder)!r}, read_only=True), 2, path={sheet!r})\n"
            f"AnnotationPanel({sheet!r}, path={labels!r}, annotator='Bo')",
        ]
        notebook = open_notebook(cells)
        seen(notebook.page.get_by_text("Draw into a file")).to_be_visible()
        panel = notebook.panels.first
        focus(panel)
        notebook.page.keyboard.press("y")
        done(panel, 1)
        assert Annotations(run).add(labels) == 1 and run.annotations()["annotator"].tolist() == ["Bo"]


def test_hostile_texts(open_notebook, tmp_path):
    """Messages, definitions, questions and names that try to run."""
    with hostile.write(tmp_path / "run") as run:
        code = f"from anthrokit import AnnotationPanel, Run\nAnnotationPanel(Run({str(run.folder)!r}), 1, annotator="
    notebook = open_notebook([code + f"{hostile.PAYLOADS[4]!r})"], width=900)
    walk(notebook, 50, 60, "[data-key=u]", ".ak-progress strong")
    seen(notebook.panels.first.get_by_text("All messages are labelled")).to_be_visible()
    assert not notebook.dialogs
