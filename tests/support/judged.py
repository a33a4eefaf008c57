"""Small runs to judge, panels of judges on the mock server, what they say; for tests and processes they start."""

import ast
import json
import os
import random
import resource
import signal
import sys
import time
import traceback
import urllib.request
from pathlib import Path

import pandas as pd

from anthrokit.core import Run, RunError
from anthrokit.heartbench import RubricJudge, bundled_answers, load_cases
from anthrokit.heartbench.answers import add_answers
from anthrokit.judging import LLMJudge, judge
from anthrokit.models import LLM, Batch
from anthrokit.simulation import load_prompts, simulate
from anthrokit.work import Job

KEYS = ["dialogue_id", "turn", "behaviour", "judge", "sample"]


def make_run(folder, messages=6) -> Run:
    run = Run(folder)
    if run.ledger.rows("SELECT 1 FROM messages LIMIT 1"):
        return run
    run.ledger.write("prompts", [{"prompt_id": "p", "base_id": "b", "first_message": "Hello"}])
    common = {"prompt_id": "p", "target": "t", "turns": 1, "status": "done"}
    run.ledger.write("dialogues", [{"dialogue_id": f"d{n:04}", "repeat": n, **common} for n in range(messages)])
    rows = [
        {"dialogue_id": f"d{n:04}", "turn": 1, "role": "assistant", "content": f"I think {n}."}
        for n in range(messages)
    ]
    run.ledger.write("messages", rows)
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
    """Six dialogues and their ratings, for processes to kill."""

    def model(name):
        return LLM(f"openai/{name}", api_base=base, max_concurrency=8)

    run = simulate(load_prompts().head(6), model("target"), model("user"), run=folder, turns=3, progress=False)
    judges = [LLMJudge(model(f"judge-{letter}")) for letter in "abc"]
    judge(run, judges, samples=2, behaviours=["personhood", "emotions"], progress=False)


def of_families(base, *names) -> list[LLMJudge]:
    """Judges on the server of Anthropic's and Gemini's formats."""
    address = {"anthropic": base, "gemini": f"{base}/v1beta"}
    settings = {"api_key": "k3y-0123456789", "max_tokens": 100}
    return [LLMJudge(LLM(name, api_base=address[name.partition("/")[0]], **settings)) for name in names]


def judge_in_batches(base, folder, requests, *names):
    """Eight messages judged in batches, by models of OpenAI's format or these, for processes to kill."""
    judges = [LLMJudge(LLM(f"openai/judge-{letter}", api_base=base)) for letter in "ab"]
    some = {"behaviours": ["empathy", "agency", "desires"], "samples": 2, "progress": False}
    judge(make_run(folder, 8), of_families(base, *names) or judges, batch=Batch(poll=0.05, requests=requests), **some)


def judge_bundled(folder, base):
    """The judgements of HeartBench's bundled answers, for processes to kill."""
    run = Run(folder)
    add_answers(run, load_cases("bundled"), bundled_answers())
    llm = LLM("openai/judge", name="judge", api_base=base, max_concurrency=3)
    judge(run, RubricJudge(llm), progress=False)


def do_part(base, folder):
    """The dialogues and ratings of a part of a run, for processes to kill."""

    def model(name):
        return LLM(f"openai/{name}", api_base=base, max_concurrency=4, temperature=0)

    run = simulate(load_prompts(), model("target"), model("user"), run=folder, turns=2, progress=False)
    judges = [LLMJudge(model(f"judge-{letter}"), structured=False) for letter in "ab"]
    judge(run, judges, samples=1, behaviours=["personhood", "emotions"], progress=False)


def kill_repeatedly(base, folder, wanted, summary):
    """Judge a run, kill the process that does it so many times and once let it end; each time nothing reported is lost.

    Writes how often it was killed, how many ratings were reported and how many are there.
    """
    make_run(folder, 24).close()
    report_path, rng, kills, reported = Path(f"{folder}.reported"), random.Random(wanted), 0, set()
    for _ in range(wanted + 5):
        pid = os.fork()
        if pid == 0:
            _judge_and_report(base, folder, report_path)
        time.sleep(rng.uniform(0.15, 0.45))
        if kills < wanted:
            os.kill(pid, signal.SIGKILL)
            kills += 1
        ended = os.waitpid(pid, 0)[1] == 0
        if report_path.exists():
            reported = {ast.literal_eval(line) for line in report_path.read_text().splitlines()}
        with Run(folder) as run:
            saved = set(run.ledger.rows("SELECT judge, behaviour, dialogue_id, turn, sample, verdict FROM ratings"))
        assert len({row[:5] for row in saved}) == len(saved)
        lost = {one for one in reported if (*one[0], None if one[1] is None else int(one[1])) not in saved}
        assert not lost, lost
        if ended:
            break
    assert ended, "it makes no headway"
    Path(summary).write_text(f"{kills} {len(reported)} {len(saved)}")


def _judge_and_report(base, folder, report_path):
    """Judge, write each rating that is reported as saved to a file, and end the process."""
    save_rows, into = Job.save_rows, os.open(report_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def save_and_report(self, table, rows, **counts):
        def report():
            for row in rows:
                key = tuple(row[name] for name in ("judge", "behaviour", "dialogue_id", "turn", "sample"))
                os.write(into, (repr((key, row["verdict"])) + "\n").encode())

        save_rows(self, table, rows, **counts)
        self.meter.writer.put(table, [], report)

    Job.save_rows = save_and_report
    try:
        with Run(folder) as run:
            judge(run, panel(base), samples=2, progress=False)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def judge_on_a_full_disk(base, folder, error_path):
    """Judge where no file can be larger than 400,000 bytes; write the error to a file and exit with 3."""
    run, judges = make_run(folder, 20), panel(base)
    for one in judges:
        one.llm.prepare()
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
    try:
        judge(run, judges, progress=False)
    except RunError as error:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        Path(error_path).write_text(str(error))
        sys.exit(3)
