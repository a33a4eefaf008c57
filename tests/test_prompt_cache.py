"""What providers have at hand from calls that began alike: asked in that order, marked, told and reckoned."""

import json
import random
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from anthrokit.core import Run
from anthrokit.heartbench import RubricJudge, add_answers, bundled_answers, judge_answers, load_cases
from anthrokit.judging import JudgingJob, LLMJudge, TogetherJudge, judge
from anthrokit.models import LLM, Shared, Wire
from anthrokit.work import estimate_jobs

HERE = Path(__file__).parent
WORDS = "I you we feel think plan trip friend gift talk week work lovely quiet small idea good often maybe".split()
MODELS = ("openai/gpt-4o", "deepseek/deepseek-chat", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-pro")
BEHAVIOURS = ["empathy", "validation", "emotions"]


@pytest.fixture(scope="module")
def addresses():
    "Servers that keep the beginnings of prompts at hand: OpenAI's and two families' formats."
    commands = ["mock_openai.py", "--cache", "--latency", "0.01"], ["mock_families.py", "--cache"]
    servers = [
        subprocess.Popen([sys.executable, HERE / name, *how], stdout=subprocess.PIPE, text=True)
        for name, *how in commands
    ]
    yield [server.stdout.readline().strip() for server in servers]
    for server in servers:
        server.kill()
        server.wait()
        server.stdout.close()


def model(name, addresses):
    at_openai, at_families = addresses
    paths = {"anthropic": at_families, "gemini": f"{at_families}/v1beta/models/{name.partition('/')[2]}"}
    return LLM(name, api_base=paths.get(name.partition("/")[0], at_openai), api_key="none", max_concurrency=4)


@pytest.fixture
def run(tmp_path):
    "Two dialogues of four long turns, not judged."
    rng = random.Random(3)
    with Run(tmp_path / "run") as there:
        there.write("prompts", [{"prompt_id": "p", "base_id": "b", "first_message": "Hello"}])
        about = {"target": "t", "prompt_id": "p", "repeat": 1, "turns": 4, "status": "done"}
        there.write("dialogues", [{"dialogue_id": f"d{n}", **about} for n in range(2)])
        rows = [
            {"dialogue_id": f"d{n}", "turn": turn, "role": role, "content": " ".join(rng.choices(WORDS, k=600))}
            for n in range(2)
            for turn in range(1, 5)
            for role in ("user", "assistant")
        ]
        there.write("messages", rows)
        yield there


def asked(run, one, samples=2):
    "What was expected and what was told, of one judge's calls."
    how = {"behaviours": BEHAVIOURS, "samples": samples}
    plan = estimate_jobs([JudgingJob(run, [one], **how)]).iloc[0]
    judge(run, [one], **how, progress=False)
    told = run.usage("model").iloc[0]
    assert told["calls"] == plan["calls"] and told["failed"] == 0
    return plan, told


@pytest.mark.parametrize("name", MODELS)
def test_questions_about_a_message_find_it_at_hand(run, addresses, name):
    one = LLMJudge(model(name, addresses), context="dialogue", first="passage", structured=False)
    plan, told = asked(run, one)
    assert told["calls"] == 48 and told["tokens_cached"] > 0.5 * told["tokens_in"]
    assert plan["tokens_cached"] == pytest.approx(told["tokens_cached"], rel=0.35)  # four characters are no token
    assert plan["cost_cached"] < 0.75 * plan["cost"]
    assert told["cost"] < 0.75 * (told["tokens_in"] * one.llm.prices()[0] + told["tokens_out"] * one.llm.prices()[1])


def test_the_papers_order_shares_too_little(run, addresses):
    plan, told = asked(run, LLMJudge(model("anthropic/claude-sonnet-4-5", addresses), context="dialogue"))
    assert plan["tokens_cached"] == told["tokens_cached"] == 0 and plan["cost_cached"] == plan["cost"]


def test_a_judge_of_all_behaviours_shares_their_definitions(run, addresses):
    one = TogetherJudge(model("openai/gpt-4o", addresses), context="user", structured=False)
    plan = estimate_jobs([JudgingJob(run, [one], samples=2)]).iloc[0]
    judge(run, [one], samples=2, progress=False)
    assert plan["tokens_cached"] > 0 and run.usage("model")["tokens_cached"][0] > 0


def test_a_mark_is_no_part_of_the_question():
    wire = Wire({"model": "anthropic/claude-sonnet-4-5", "api_key": "none", "max_tokens": 50})
    question = Shared("A long dialogue. ", "Is it kind?")
    bodies = []
    for text in (question, str(question)):
        request = {"messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": text}]}
        bodies.append(json.loads(wire.words(wire.form(request), request)))
    marked, plain = ([block for block in body["messages"][0]["content"]] for body in bodies)
    assert [block["text"] for block in marked] == ["A long dialogue. ", "Is it kind?"]
    assert marked[0]["cache_control"] == {"type": "ephemeral"} and "cache_control" not in marked[1]
    assert plain == [{"type": "text", "text": str(question)}]
    assert {**bodies[0], "messages": 0} == {**bodies[1], "messages": 0}


@pytest.mark.parametrize("name", MODELS[2:])
def test_samples_of_a_rubric_judge_find_the_case_at_hand(tmp_path, addresses, name):
    with Run(tmp_path / "run") as run:
        cases = load_cases("bundled")
        answers = bundled_answers()
        answers["content"] = answers["content"] + " " + "and so on " * 900
        add_answers(run, cases, answers)
        one = RubricJudge(model(name, addresses), samples=3, tries=1, structured=False)
        judge_answers(run, one, progress=False)
        told = run.usage("model").iloc[0]
        assert told["tokens_cached"] == pytest.approx(2 / 3 * told["tokens_in"], rel=0.1)
    if name.startswith("anthropic"):
        stats = json.loads(urllib.request.urlopen(f"{addresses[1]}/stats").read())
        assert stats["tokens_read"] >= told["tokens_cached"]
