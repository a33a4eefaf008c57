"""The panels on a HeartBench run: criteria in the place of behaviours."""

import json
import re
import shutil

import pytest
from browser import says, seen
from scripted import Scripted

from anthrokit import Run, judge, judge_accuracy
from anthrokit.heartbench import RubricJudge, bundled_answers, load_cases
from anthrokit.heartbench.answers import add_answers
from anthrokit.heartbench.cases import bundled_ratings
from anthrokit.panels.disagreement import judge_disagreement

OPEN = "from anthrokit import {0}, Run\npanel = {0}(Run({1!r}))\npanel"


def verdicts_of_readings(reading, messages):
    """Return our verdicts in a reading as a judge's response."""
    cases, text = load_cases("bundled"), messages[1]["content"]
    answers = bundled_answers().set_index(["target", "case_id"])["content"]
    target, case_id = next(key for key, words in answers.items() if f"\n{words}\n</response-" in text)
    ratings = bundled_ratings([reading]).set_index(["target", "case_id", "criterion"])["verdict"]
    rows = [
        {"criterion": item.number, "reason": "as read", "hit": bool(ratings[target, case_id, item.number])}
        for item in cases[case_id].criteria
    ]
    return json.dumps({"mark": re.search(r'"mark": "(v-\w+)"', text)[1], "verdicts": rows}, ensure_ascii=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder, server = tmp_path_factory.mktemp("heart") / "run", Scripted(verdicts_of_readings)
    with Run(folder) as run:
        add_answers(run, load_cases("bundled"), bundled_answers())
        readings = [RubricJudge(server.llm(name), name=name, structured=False) for name in ("strict", "lenient")]
        judge(run, readings, progress=False)
    server.shutdown()
    return folder


def opened(open_notebook, name, folder):
    """Open a panel; return it."""
    return open_notebook([OPEN.format(name, str(folder))]).panels.first


def test_case_criteria_and_readings(open_notebook, folder):
    panel = opened(open_notebook, "DialoguePanel", folder)
    says(panel, "24 of 24 dialogues")
    for text in ("en-hospital-jokes/2", "He's teaching the nurses poker", "It's great that your dad", "lenient", "strict"):
        seen(panel).to_contain_text(text)


def test_decisions_on_criteria(open_notebook, folder, tmp_path):
    shutil.copytree(folder, tmp_path / "run")
    with Run(folder, read_only=True) as run:
        measured = judge_disagreement(run.ratings())
    differ = measured[measured["between"] > 0]
    notebook = open_notebook([OPEN.format("DisagreementPanel", str(tmp_path / "run"))])
    panel = notebook.panels.first
    says(panel, f"{len(differ)} of {len(measured)} messages and behaviours")
    seen(panel.get_by_role("button", name=f"strict | lenient: differ on {len(differ)} of {len(measured)}")).to_be_visible()
    panel.locator(".ak-row").first.click()
    for text in ("Does the answer meet this?", "as read"):
        seen(panel.locator(".ak-page")).to_contain_text(text)
    name = panel.get_by_label("Your name")
    name.fill("Ada")
    name.press("Enter")
    panel.get_by_role("button", name="Yes y").click()
    says(panel, "Saved: Yes, by Ada.")
    with Run(tmp_path / "run", read_only=True) as run:
        [saved] = run.annotations().to_dict("records")
    items = differ[["dialogue_id", "turn", "behaviour"]].values.tolist()
    assert [saved["dialogue_id"], saved["turn"], saved["behaviour"]] in items and saved["verdict"] is True


def test_annotation_by_criterion(open_notebook, folder, tmp_path):
    shutil.copytree(folder, tmp_path / "run")
    cell = f"from anthrokit import AnnotationPanel, Run\nrun = Run({str(tmp_path / 'run')!r})\n"
    notebook = open_notebook([cell + "AnnotationPanel(run, total=4, annotator='Ada')"])
    panel = notebook.panels.first
    seen(panel).to_contain_text("Does the answer meet this?")
    panel.locator(".ak-judged").click()
    for number, key in enumerate("ynyu", 1):
        seen(panel.locator(".ak-progress strong")).to_have_text(f"{number - 1} of 4", timeout=30_000)
        notebook.page.keyboard.press(key)
    seen(panel).to_contain_text("All messages are labelled.", timeout=30_000)
    with Run(tmp_path / "run", read_only=True) as run:
        saved = run.annotations()
        accuracy = judge_accuracy(run, saved, by="judge")
    assert saved["verdict"].map({True: "y", False: "n"}).fillna("u").tolist() == [*"ynyu"]
    assert set(saved["behaviour"]) <= {one.name for case in load_cases("bundled") for one in case.criteria}
    assert set(accuracy["judge"]) == {"strict", "lenient", "panel"} and (accuracy["n_total"] == 3).all()
