"""The panels of runs on a HeartBench run: the same panels, with criteria in the place of behaviours."""

import json
import re

import pytest
from browser import says, seen, unharmed
from scripted import Scripted

from anthrokit import Run, judge
from anthrokit.heartbench import RubricJudge, bundled_answers, load_cases
from anthrokit.heartbench.answers import add_answers
from anthrokit.heartbench.cases import bundled_ratings

OPEN = "from anthrokit import {0}, Run\npanel = {0}(Run({1!r}){2})\npanel"


def verdicts_of_readings(reading, messages):
    """Return our verdicts in a reading as a judge's response."""
    cases, text = load_cases("bundled"), messages[1]["content"]
    answers = bundled_answers().set_index(["model", "case_id"])["content"]
    model, case_id = next(key for key, words in answers.items() if f"\n{words}\n</response-" in text)
    ratings = bundled_ratings([reading]).set_index(["model", "case_id", "criterion"])["hit"]
    rows = [
        {"criterion": item.number, "reason": "as read", "hit": bool(ratings[model, case_id, item.number])}
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


def opened(open_notebook, name, folder, more=""):
    """Open a panel; return it."""
    return open_notebook([OPEN.format(name, str(folder), more)]).panels.first


def test_dialogues_show_the_case_and_its_criteria(open_notebook, folder):
    panel = opened(open_notebook, "DialoguePanel", folder)
    says(panel, "24 dialogues")
    panel.get_by_role("option").first.click()
    seen(panel).to_contain_text(bundled_answers()["content"].iloc[0][:12])
    unharmed(panel.page)


def test_disagreements_of_two_readings(open_notebook, folder):
    panel = opened(open_notebook, "DisagreementPanel", folder, ', annotator="Ada"')
    wide = bundled_ratings(["strict", "lenient"]).pivot(index=["model", "case_id", "criterion"], columns="judge", values="hit")
    says(panel, f"{(wide['strict'] != wide['lenient']).sum()} of 212 messages and behaviours")


def test_answers_are_annotated_by_criterion(open_notebook, folder):
    panel = opened(open_notebook, "AnnotationPanel", folder, ', annotator="Ada", seed=1')
    panel.get_by_role("button", name=re.compile("^Yes")).first.click()
    says(panel, "1 of")


def test_panels_of_a_run_without_answers_say_so(open_notebook, tmp_path):
    Run(tmp_path / "empty").close()
    panel = opened(open_notebook, "DialoguePanel", tmp_path / "empty")
    says(panel, "no dialogue")
