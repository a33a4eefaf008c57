"""The panel that people vote in: rewritten dialogues, criteria, answers; a kernel that dies; texts that try to run."""

import os
import signal

import hostile
import pytest
from browser import seen, walk

from anthrokit.heartbench.experts import Ballots

START = """
import os, pathlib
import pandas as pd
from anthrokit import BallotPanel, heartbench as hb
from anthrokit.heartbench import experts, gold_standard, rewriting
folder = pathlib.Path({folder!r})
(folder / "pid").write_text(str(os.getpid()))
cases, answers, ballots = hb.load_cases("bundled"), hb.bundled_answers(), experts.Ballots(folder / "votes.csv")
"""
SHEETS = {
    "criteria": "experts.criteria_sheet(cases, answers, expert='Ada')",
    "golden": "gold_standard.golden_sheets(gold_standard.draw_golden(answers, cases), answers, cases, ['Ada'])['Ada']",
    "rewrites": "rewriting.rewrites_sheet(pd.concat([pd.DataFrame({'case_id': c.case_id, 'step': "
                "rewriting.STEPS, 'status': 'ok', "
    "'dialogue': [[t for _, t in c.dialogue], [t for _, t in c.dialogue[-1:]], ['…']]}) for c in cases]), cases, "
    "expert='Ada')",
}


@pytest.fixture
def panel_of(open_notebook, tmp_path):
    def opened(sheet, more="", **options):
        cells = [START.format(folder=str(tmp_path)) + more, f"BallotPanel({sheet}, ballots)"]
        notebook = open_notebook(cells, **options)
        notebook.panels.first.locator(".ak-decide button").first.wait_for()
        return notebook, notebook.panels.first

    return opened


def done(panel, n):
    seen(panel.locator(".ak-progress strong")).to_have_text(f"{n} of {panel.of}", timeout=30_000)


def test_points_and_killed_kernel(panel_of, tmp_path):
    notebook, panel = panel_of(SHEETS["criteria"])
    panel.of, page, votes = 94, notebook.page, Ballots(tmp_path / "votes.csv")
    panel.get_by_role("button", name="Take t").click()
    seen(panel.locator(".ak-warn").get_by_text("needs points")).to_be_visible()
    seen(panel.get_by_label("Points")).to_be_focused()
    seen(panel.get_by_label("Points")).to_have_attribute("aria-invalid", "true")
    panel.get_by_label("Points").fill("3")
    panel.get_by_label("Note").fill("well put, t d")
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    done(panel, 1)
    seen(panel.get_by_label("Note")).to_have_value("")
    page.keyboard.press("d")
    done(panel, 2)
    page.keyboard.press("z")
    done(panel, 1)
    page.keyboard.press("w")
    done(panel, 2)
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    assert votes.table()[["expert", "vote", "points", "note"]].iloc[0].tolist() == [
        "Ada",
        "take",
        3.0,
        "well put, t d",
    ]
    assert votes.table()["vote"].tolist() == ["take", "reword"]
    votes.add("Bo", "en-nice-city", 1, "drop", note="Bo's own")
    _, again = panel_of(SHEETS["criteria"])
    again.of = 94
    done(again, 2)
    again.locator(".ak-row").first.click()
    seen(again.get_by_label("Points")).to_have_value("3")
    seen(again.locator(".ak-decide [aria-pressed=true]")).to_have_text("✓ Take t")
    assert again.get_by_text("Bo's own").count() == 0


def test_appearance(open_notebook, tmp_path):
    """Narrow and wide, light and dark; nothing runs over, and a vote is saved under its own name."""
    code = "BallotPanel({}, experts.Ballots(folder / '{}.csv'))"
    cells = [code.format(sheet, use) for use, sheet in SHEETS.items()]
    notebook = open_notebook([START.format(folder=str(tmp_path)), *cells], width=1280)
    for number, (use, key, voted) in enumerate([("criteria", "d", "drop"), ("golden", "y", "yes"), ("rewrites", "t", "take")]):
        panel = notebook.panels.nth(number)
        notebook.screenshot(f"ballots_{use}_light_1280", panel)
        panel.locator(".ak-page").click()
        notebook.page.keyboard.press(key)
        seen(panel.locator(".ak-progress strong")).to_contain_text("1 of")
        assert Ballots(tmp_path / f"{use}.csv").table()["vote"].tolist() == [voted]
    notebook.theme("JupyterLab Dark")
    notebook.width(420)
    assert notebook.overflowing() == []
    for number, use in enumerate(SHEETS):
        notebook.screenshot(f"ballots_{use}_dark_420", notebook.panels.nth(number))


def test_hostile_texts(panel_of):
    """Dialogues, answers, criteria and steps that try to run."""
    rows = (
        "pd.DataFrame([(name(p), 1, (('user', p), ('helper', p)), (p, p), p, 'bonus', p, 'verdict') for p in P[::2]], "
        "columns=['item', 'criterion', 'dialogue', 'answers', 'content', 'kind', 'ability', 'ask'])"
    )
    steps = (
        "pd.DataFrame([(name(p), 0, [p], {'anonymised': [p, p], 'polished': None}, 'rewrite') for p in P[1::2]], "
        "columns=['item', 'criterion', 'original', 'steps', 'ask'])"
    )
    more = "import re\ndef name(p): return re.sub('[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]', '', p)\n"
    more += f"P = {hostile.PAYLOADS!r}\nsheet = pd.concat([{rows}, {steps}]).assign(expert=P[4])"
    notebook, panel = panel_of("sheet", more=more, width=900)
    walk(notebook, 50, 60, "[data-key=u], [data-key=w]", ".ak-progress strong")
    seen(panel.get_by_text("All is voted on")).to_be_visible()
    assert not notebook.dialogs


COUNCIL = """
sheet = experts.criteria_sheet(cases, answers, expert="Eva").head(12)
for place, row in enumerate(sheet.itertuples()):
    for number, expert in enumerate(["Ada", "Bo", "Cy", "Di"][: 4 - (place > 9)]):
        vote = "drop" if place % 3 == 1 and number > 1 else "take"
        points = (-1 if row.kind == "penalty" else 1) * (3 + number) if vote == "take" else None
        ballots.add(expert, row.item, row.criterion, vote, points, note="<img src=x onerror=window.__hacked=1>")
settled = experts.Ballots(folder / "settled.csv")
from anthrokit.panels.ballots import CouncilPanel
BallotPanel = lambda sheet, ballots: CouncilPanel(sheet, ballots, settled)
"""


def test_coordinator(panel_of, tmp_path):
    """Votes side by side; only a dispute can be settled; the experts' votes stay; the same after the kernel is killed."""
    notebook, panel = panel_of("sheet", more=COUNCIL, width=1280)
    page, votes = notebook.page, Ballots(tmp_path / "votes.csv").table()
    seen(panel.locator(".ak-progress")).to_contain_text("3 disputed", timeout=30_000)
    seen(panel.locator(".ak-page")).to_contain_text("2 of 4 take it")
    assert panel.locator(".ak-page td", has_text="onerror").count() == 4 and page.evaluate("window.__hacked") is None
    notebook.screenshot("council_light_1280")
    panel.get_by_label("Points").fill("2")
    panel.get_by_label("Note").fill("both are right")
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    seen(panel.locator(".ak-progress")).to_contain_text("1 settled", timeout=30_000)
    seen(panel.locator(".ak-page")).to_contain_text("Disputed: 2 of 4 take it")
    panel.locator(".ak-row").first.click()
    seen(panel.get_by_role("button", name="Drop d")).to_be_disabled()
    [row] = Ballots(tmp_path / "settled.csv").table().to_dict("records")
    assert (row["expert"], row["vote"], abs(row["points"]), row["note"]) == ("Eva", "take", 2.0, "both are right")
    assert Ballots(tmp_path / "votes.csv").table().equals(votes)
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
    again, panel = panel_of("sheet", more=COUNCIL, width=1280)
    seen(panel.locator(".ak-progress")).to_contain_text("1 settled", timeout=30_000)
    again.theme("JupyterLab Dark")
    again.screenshot("council_dark_1280")
    again.width(420)
    assert again.overflowing() == []
    again.screenshot("council_dark_420")
    again.theme("JupyterLab Light")
    again.screenshot("council_light_420")
