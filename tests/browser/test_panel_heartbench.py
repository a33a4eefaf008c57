"""The dialogue panel on a HeartBench run: criteria in the place of behaviours."""

import json
import re

import pytest
from browser import says, seen
from scripted import Scripted

from anthrokit import Run, judge
from anthrokit.heartbench import RubricJudge, bundled_answers, load_cases
from anthrokit.heartbench.answers import add_answers
from anthrokit.heartbench.cases import bundled_ratings

OPEN = "from anthrokit import {0}, Run\npanel = {0}(Run({1!r}))\npanel"


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


def opened(open_notebook, name, folder):
    """Open a panel; return it."""
    return open_notebook([OPEN.format(name, str(folder))]).panels.first


def test_dialogues_show_the_case_its_criteria_and_both_readings(open_notebook, folder):
    panel = opened(open_notebook, "DialoguePanel", folder)
    says(panel, "24 of 24 dialogues")
    for text in ("en-hospital-jokes/2", "He's teaching the nurses poker", "It's great that your dad", "lenient", "strict"):
        seen(panel).to_contain_text(text)


def test_a_run_without_dialogues_has_an_empty_list(open_notebook, tmp_path):
    Run(tmp_path / "empty").close()
    says(opened(open_notebook, "DialoguePanel", tmp_path / "empty"), "0 of 0 dialogues")
