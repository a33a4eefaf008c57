"""Small runs to judge, panels of judges on the mock server, what they say; for tests and processes they start."""

import json
import urllib.request
from pathlib import Path

import pandas as pd

from anthrokit.core import Run
from anthrokit.heartbench import RubricJudge, add_answers, bundled_answers, judge_answers, load_cases
from anthrokit.judging import LLMJudge, judge
from anthrokit.models import LLM, Batch
from anthrokit.simulation import load_prompts, simulate

HERE = Path(__file__).resolve().parent.parent
KEYS = ["dialogue_id", "turn", "behaviour", "judge", "sample"]


def make_run(folder, messages=6) -> Run:
    run = Run(folder)
    if run.rows("SELECT 1 FROM messages LIMIT 1"):
        return run
    run.write("prompts", [{"prompt_id": "p", "base_id": "b", "first_message": "Hello"}])
    common = {"prompt_id": "p", "target": "t", "turns": 1, "status": "done"}
    run.write("dialogues", [{"dialogue_id": f"d{n:04}", "repeat": n, **common} for n in range(messages)])
    rows = [
        {"dialogue_id": f"d{n:04}", "turn": 1, "role": "assistant", "content": f"I think {n}."}
        for n in range(messages)
    ]
    run.write("messages", rows)
    return run


def llm(base, name="judge", **settings) -> LLM:
    return LLM(f"openai/{name}", api_base=base, **{"transport": "lean", "max_concurrency": 8, **settings})


def panel(base, **settings) -> list[LLMJudge]:
    return [LLMJudge(llm(base, f"judge-{letter}", **settings)) for letter in "abc"]


def verdicts(run) -> pd.DataFrame:
    return run.ratings().sort_values(KEYS, ignore_index=True)[[*KEYS, "verdict", "explanation", "status"]]


def stats(base) -> dict:
    return json.loads(urllib.request.urlopen(base.replace("/v1", "/stats")).read())


def study(base, folder):
    "Six dialogues and their ratings, for processes to kill."

    def model(name):
        return LLM(f"openai/{name}", api_base=base, max_concurrency=8)

    run = simulate(load_prompts().head(6), model("target"), model("user"), run=folder, turns=3, progress=False)
    judges = [LLMJudge(model(f"judge-{letter}")) for letter in "abc"]
    judge(run, judges, samples=2, behaviours=["personhood", "emotions"], progress=False)


def of_families(base, *names) -> list[LLMJudge]:
    "Judges on the server of Anthropic's and Gemini's formats."
    address = {"anthropic": base, "gemini": f"{base}/v1beta"}
    given = {"api_key": "k3y-0123456789", "max_tokens": 100}
    return [LLMJudge(LLM(name, api_base=address[name.partition("/")[0]], **given)) for name in names]


def judge_in_batches(base, folder, requests, *names):
    "Eight messages judged in batches, by models of OpenAI's format or these, for processes to kill."
    judges = [LLMJudge(LLM(f"openai/judge-{letter}", api_base=base)) for letter in "ab"]
    some = {"behaviours": ["empathy", "agency", "desires"], "samples": 2, "progress": False}
    judge(make_run(folder, 8), of_families(base, *names) or judges, batch=Batch(poll=0.05, requests=requests), **some)


def judge_bundled(folder, base):
    "The judgements of HeartBench's bundled answers, for processes to kill."
    run = Run(folder)
    add_answers(run, load_cases("bundled"), bundled_answers())
    llm = LLM("openai/judge", name="judge", api_base=base, max_concurrency=3)
    judge_answers(run, RubricJudge(llm), progress=False)


def do_part(base, folder):
    "The dialogues and ratings of a part of a run, for processes to kill."

    def model(name):
        return LLM(f"openai/{name}", api_base=base, max_concurrency=4, temperature=0)

    run = simulate(load_prompts(), model("target"), model("user"), run=folder, turns=2, progress=False)
    judges = [LLMJudge(model(f"judge-{letter}"), structured=False) for letter in "ab"]
    judge(run, judges, samples=1, behaviours=["personhood", "emotions"], progress=False)
