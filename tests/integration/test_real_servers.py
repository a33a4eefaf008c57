"""Two real servers of OpenAI's protocol with SmolLM2: llama.cpp's (by the wheel xllamacpp) and `transformers serve`.

Simulating, judging, a budget in tokens, and a run that goes on when its server was killed and came back: the first
where it is there, since the second takes ten seconds to start.
"""

import os
import subprocess
import sys
import time
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import pytest
from gateways import free_port

from anthrokit import simulate
from anthrokit.core import BudgetReached, Run, SetupError
from anthrokit.judging import LLMJudge, judge
from anthrokit.models import LLM, Budget, fetch_model
from anthrokit.models.embedded import transformers_folder
from anthrokit.simulation import load_prompts

MODEL = "smollm2-135m-instruct"


class Real:
    """A real server, that can be killed and started again."""

    def __init__(self, kind, place):
        self.port, self.place = free_port(), place
        self.is_killed = kind == "llama.cpp" or not find_spec("xllamacpp")
        self.base = f"http://127.0.0.1:{self.port}/v1"
        if kind == "llama.cpp":
            [file] = fetch_model(MODEL).glob("*.gguf")
            script = Path(__file__).parents[1] / "support" / "real_llama.py"
            self.command, self.model = [sys.executable, script, file, str(self.port)], "openai/smollm2"
        else:
            folder = transformers_folder(MODEL)
            self.command = [Path(sys.executable).parent / "transformers", "serve", folder, "--device", "cpu"]
            self.command += ["--dtype", "float32", "--port", str(self.port)]  # some processors are slow at 16 bits
            self.model = f"openai/{folder}"
        self.start()

    def start(self):
        own = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(self.place), "OMP_NUM_THREADS": "1"}
        with (self.place / "server.log").open("w") as log:
            self.process = subprocess.Popen(list(map(str, self.command)), env=own, stdout=log, stderr=log)
        for _ in range(3000):  # a busy machine takes minutes to import what it serves with
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5).close()
                return
            except OSError:
                assert self.process.poll() is None, (self.place / "server.log").read_text()[-2000:]
                time.sleep(0.2)
        raise TimeoutError("the server does not answer")

    def kill(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture(params=["llama.cpp", "transformers"])
def real(request, tmp_path):
    if request.param == "llama.cpp":
        pytest.importorskip("xllamacpp", reason="PyPI has no wheel of xllamacpp for this machine")
    (tmp_path / "server").mkdir()
    one = Real(request.param, tmp_path / "server")
    yield one
    one.kill()


def test_study_with_server_restart(real, tmp_path):
    """A budget in tokens stops it; its server dies in mid work and comes back; the run misses nothing in the end."""

    def llm(**other):
        own = {"name": "smollm2", "max_tokens": 8, "max_concurrency": 2, "max_retries": 1, **other}
        return LLM(real.model, api_base=real.base, **own)

    prompts, one = load_prompts(["Hello", "Good evening"]), llm()  # short: these servers read slowly
    template = 'You are a person in a chat. You wrote: "{first_message}" Write your next message.'
    settings = {"turns": 2, "run": tmp_path / "run", "progress": False, "template": template}
    with pytest.raises(BudgetReached):
        simulate(prompts, one, one, **settings, budget=Budget(tokens=120))
    with Run(tmp_path / "run") as run:
        before = len(run.messages())
        assert 0 < run.usage()[["tokens_in", "tokens_out"]].to_numpy().sum() < 500
    if real.is_killed:
        job = simulate(prompts, one, one, **settings, budget=Budget(), wait=False)
        while job.progress["done"] == 0:
            time.sleep(0.05)
        real.kill()
        with job.result() as run:
            assert before <= run.messages()["content"].notna().sum() < 8
        with pytest.raises(SetupError, match="no server answers"):
            simulate(prompts, llm(), llm(), **settings)
        real.start()
    with simulate(prompts, one, one, **settings, budget=Budget()) as run:
        messages = run.messages()
        assert len(messages) == 8 and messages["content"].notna().all()
        assert messages.query("finish_reason != 'prompt'")["tokens_out"].between(1, 8).all()
        judge(run, LLMJudge(llm(name="judge"), protocol="released"), samples=1, behaviours="empathy", progress=False)
        ratings, calls = run.ratings(), run.query("SELECT * FROM calls WHERE seconds > 0 AND status <> 'failed'")
    assert len(ratings) == 4 and set(ratings["status"]) <= {"ok", "unparsed"}
    assert set(calls["server"]) == {real.base} and calls["tokens_in"].min() > 0
