"""Work done elsewhere: a Dask cluster of processes, a pool of processes, Ray; workers and processes killed in mid work."""

import concurrent.futures
import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pandas as pd
import psutil
import pytest
from forks import Fork, run_script
from judged import stats
from masked_models import roberta_folder

from anthrokit.anthroscore import score
from anthrokit.anthroscore.scoring import score_texts
from anthrokit.cli import main
from anthrokit.core import Run, SetupError
from anthrokit.core.run import usage_totals
from anthrokit.judging import LLMJudge, PatternJudge, judge
from anthrokit.models import LLM, Budget, ExecutorPool
from anthrokit.report import demo_run
from anthrokit.validity import sample_log

ROOT = Path(__file__).resolve().parents[2]
FORK = multiprocessing.get_context("fork")  # what is slow to import is there; Dask's and Ray's workers begin anew


@pytest.fixture
def run():
    """A run with 16 dialogues, not judged."""
    with demo_run() as run:
        run.ledger.write_all(["DELETE FROM ratings", "DELETE FROM judges", "DELETE FROM calls"])
        yield run


def panel(base, **settings):
    return LLMJudge(LLM("openai/judge", api_base=base, transport="lean", max_concurrency=8, **settings))


@pytest.fixture(scope="module")
def client():
    """A Dask cluster of two processes, forks of what has imported the package; one that is killed is started again."""
    distributed = pytest.importorskip("distributed")
    how = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}
    with distributed.LocalCluster(**how) as cluster, distributed.Client(cluster) as client:
        yield client


def kill_when(ready, victim):
    """Kill a process as soon as something is so; the thread that waits for it."""

    def wait():
        while not ready():
            time.sleep(0.02)
        os.kill(victim() if callable(victim) else victim, signal.SIGKILL)

    killer = threading.Thread(target=wait, daemon=True)
    killer.start()
    return killer


def test_dask_judging_with_a_killed_worker(run, server, client):
    base = server("--latency", 0.05, "--by-seed")
    assert client.dashboard_link.startswith("http")
    [victim, _] = client.run(os.getpid).values()
    killer = kill_when(lambda: run.ledger.rows("SELECT COUNT(*) FROM ratings")[0][0] >= 100, victim)
    spread = ExecutorPool(client, calls=100)
    judge(run, panel(base), samples=1, behaviours="relationship building", on=spread, progress=False)
    killer.join()
    ratings = run.ratings()
    assert (ratings["status"] == "ok").all() and len(run.missing().query("kind == 'rating'")) == 0
    [(calls, units)] = run.ledger.rows("SELECT COUNT(*), COUNT(DISTINCT unit) FROM calls WHERE status = 'ok'")
    assert calls == units == len(ratings)
    judge(run, panel(base), samples=1, behaviours="relationship building", progress=False)
    assert run.ledger.rows("SELECT COUNT(*) FROM calls WHERE status = 'ok'") == [(calls,)]  # nothing was owed


def test_pool_loses_a_worker(run, server):
    base, options = server("--latency", 0.05), {"samples": 1, "behaviours": "empathy", "progress": False}
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=FORK) as pool:
        rated = "SELECT COUNT(*) FROM ratings"
        killer = kill_when(lambda: run.ledger.rows(rated)[0][0], lambda: next(iter(pool._processes)))
        with pytest.raises(SetupError, match="lost a worker and accepts no more work"):
            judge(run, panel(base), on=ExecutorPool(pool, calls=10), **options)
        killer.join()
    saved = len(run.ratings())
    assert 0 < saved < 80
    assert run.ledger.rows("SELECT COUNT(*) FROM calls WHERE status = 'estimated'")[0][0] >= 1  # they may have been paid
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=FORK) as pool:
        judge(run, panel(base), on=pool, **options)
    assert len(run.ratings()) == 80
    assert run.ledger.rows("SELECT COUNT(*) FROM calls WHERE status = 'ok'") == [(80,)]


INTERRUPTED = """
import sys
from concurrent.futures import ProcessPoolExecutor
from anthrokit.judging import LLMJudge, judge
from anthrokit.models import LLM, ExecutorPool
from anthrokit.report import demo_run

if __name__ == "__main__":
    with demo_run("made") as run, ProcessPoolExecutor(2) as pool:
        run.ledger.write_all(["DELETE FROM ratings", "DELETE FROM judges", "DELETE FROM calls"])
        judges = LLMJudge(LLM("openai/judge", api_base=sys.argv[1], transport="lean", max_concurrency=8))
        judge(run, judges, samples=1, behaviours="relationship building", on=ExecutorPool(pool, calls=40), progress=False)
"""


def test_interrupt_keeps_the_answers_of_begun_shards(server, tmp_path):
    """A terminal and Jupyter send the interrupt to the workers as well."""
    base = server("--latency", 0.2)
    (tmp_path / "script.py").write_text(INTERRUPTED)
    command = [sys.executable, "script.py", base]
    script = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while stats(base).get("answers", 0) < 60:
        assert script.poll() is None
        time.sleep(0.05)
    os.killpg(script.pid, signal.SIGINT)
    assert "Interrupted: stopped: " in script.communicate(timeout=60)[1]
    answered = stats(base)["answers"]
    with Run(tmp_path / "made") as run:
        assert len(run.ratings()) == answered < 320
        assert run.ledger.rows("SELECT status, COUNT(*) FROM calls GROUP BY 1") == [("ok", answered)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            options = {"samples": 1, "behaviours": "relationship building", "progress": False}
            judge(run, panel(base), on=ExecutorPool(pool, calls=40), **options)
        assert len(run.ratings()) == stats(base)["answers"] == 320


def test_budget_and_keys(run, server):
    base, options = server(), {"samples": 1, "behaviours": "empathy", "progress": False}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        with pytest.raises(SetupError, match="has a key or an address that stays in this process"):
            judge(run, panel(base, api_key="sk-0123456789abcdef"), on=pool, **options)
        with pytest.raises(Exception, match="beyond the budget of 20,000 tokens"):
            judge(run, panel(base, max_tokens=50), on=pool, budget=Budget(tokens=20_000), **options)
        assert 0 < usage_totals(run)[1] <= 20_000
        with pytest.raises(ValueError, match="Leave on out"):
            judge(run, panel(base), on=pool, batch=True, **options)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A small masked model, 12 row groups of 40 texts in two files, and their scores."""
    folder = tmp_path_factory.mktemp("corpus")
    model = roberta_folder(folder / "model")
    texts = pd.DataFrame({"text": [f"The bot was kind and I liked bot number {n}." for n in range(480)]})
    texts["text_id"] = [f"t{n}" for n in range(480)]
    for number, part in enumerate((texts[:240], texts[240:])):
        part.to_parquet(folder / f"texts-{number}.parquet", row_group_size=40)
    return folder, model, score_texts(texts, "bot", model)


def equal_to_one_process(into, corpus):
    made = pd.read_parquet(into)
    assert made["text_id"].tolist() == corpus[2]["text_id"].tolist()
    pd.testing.assert_series_equal(made["score"], corpus[2]["score"], check_exact=False, atol=1e-5, check_dtype=False)


def there(into):
    return sorted(into.glob("texts-*.parquet"))


def test_dask_scoring_with_a_killed_worker(corpus, client, tmp_path):
    client.wait_for_workers(2)
    [victim, _] = client.run(os.getpid).values()
    killer = kill_when(lambda: len(there(tmp_path)) >= 2, victim)
    scores = score(list(corpus[0].glob("*.parquet"))[::-1], "bot", corpus[1], into=tmp_path, on=client)
    killer.join()
    assert len(scores) == 12 and scores["n_scored"].sum() == 480
    equal_to_one_process(tmp_path, corpus)


def test_command_scores_a_folder_on_dask(corpus, client, tmp_path, capsys):
    command = ["anthroscore", str(corpus[0]), "--entities", "bot", "--model", str(corpus[1]), "--json", "--quiet"]
    assert main([*command, "--on", client.scheduler.address]) == 2
    assert "--on needs --out FOLDER" in capsys.readouterr().err
    assert main([*command, "--on", client.scheduler.address, "--out", str(tmp_path / "scores")]) == 0
    assert json.loads(capsys.readouterr().out)["scored"] == "480 of 480 texts"
    equal_to_one_process(tmp_path / "scores", corpus)


def test_pool_scoring_after_a_loss(corpus, tmp_path):
    arguments = corpus[0], "bot", corpus[1]
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=FORK) as pool:
        kill_when(lambda: there(tmp_path), lambda: next(iter(pool._processes)))
        with pytest.raises(SetupError, match="lost a worker and accepts no more work"):
            score(*arguments, into=tmp_path, on=pool)
    modified = {file: file.stat().st_mtime_ns for file in there(tmp_path)}
    assert 0 < len(modified) < 12
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=FORK) as pool:
        score(*arguments, into=tmp_path, on=pool)
    assert all(file.stat().st_mtime_ns == at for file, at in modified.items())  # done once
    equal_to_one_process(tmp_path, corpus)


SCRIPTS = re.findall(r"(?m)(?:^    .*\n|^\n(?=    ))+", (ROOT / "docs" / "scale.md").read_text(encoding="utf-8"))


def ray_worker(process):
    """The process id of a Ray worker that makes calls."""
    workers = [child for child in psutil.Process(process.pid).children(recursive=True) if "work_off" in child.name()]
    return workers[0].pid


@pytest.mark.flaky(reruns=2, only_rerun=["The current node timed out during startup"])  # Ray waits 30 seconds for its own processes
@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_scripts_of_the_documentation(engine, run, server, tmp_path, monkeypatch):
    """The script as it stands in docs/scale.md, with two workers and a server of ours; one of Ray's is killed."""
    pytest.importorskip(engine)
    [script] = [textwrap.dedent(part) for part in SCRIPTS if "__main__" in part and engine in part.lower()]
    (tmp_path / "judge_study.py").write_text(script.replace("n_workers=8", "n_workers=2"), encoding="utf-8")
    few = "NOT IN (SELECT dialogue_id FROM dialogues ORDER BY dialogue_id LIMIT 4)"
    run.ledger.write_all([f"DELETE FROM {table} WHERE dialogue_id {few}" for table in ("messages", "dialogues")])
    run.close()
    shutil.copytree(run.folder, tmp_path / "runs" / "study")
    base = server("--latency", 0.1 if engine == "ray" else 0.01, "--by-seed")
    for name, value in {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": base, "RAY_DISABLE_MEMORY_MONITOR": "1"}.items():
        monkeypatch.setenv(name, value)
    process = Fork(run_script, str(tmp_path / "judge_study.py"), str(tmp_path / "log"))
    with Run(tmp_path / "runs" / "study", read_only=True) as study:
        if engine == "ray":
            rated = "SELECT COUNT(*) FROM ratings"
            kill_when(lambda: study.ledger.rows(rated)[0][0] >= 20 or process.poll() is not None, lambda: ray_worker(process)).join(300)
        assert process.wait(300) == 0, (tmp_path / "log").read_text()
        assert study.missing().query("kind == 'rating' and reason != 'language'").empty
        [(calls, units)] = study.ledger.rows("SELECT COUNT(*), COUNT(DISTINCT unit) FROM calls WHERE status = 'ok'")
        assert calls == units


class Stops(PatternJudge):
    """A screening judge that waits at a message, so that its process can be killed there."""

    name = "stops"
    at = None

    def rate(self, text, behaviour):
        if self.at is not None and text == self.at:
            time.sleep(600)
        return super().rate(text, behaviour)


def screen_log(log, into, at=None):
    Stops.at = at
    how = {"into": into, "budget": 100, "per": "message", "screen": Stops(), "users": "keep", "progress": False}
    return sample_log(log, "personal history", **how)


def test_screening_a_log_resumes_after_a_kill(tmp_path):
    """4,000 conversations in 20 row groups: a killed process loses only the group that it was at."""
    texts = ["I grew up in Rome." if n % 50 == 0 else f"It is step {n}." for n in range(4_000)]
    turns = [[{"role": "user", "content": "And?"}, {"role": "assistant", "content": text}] for text in texts]
    rows = pd.DataFrame({"user_id": [f"u{n % 200}" for n in range(4_000)], "messages": turns})
    rows.to_parquet(tmp_path / "log.parquet", row_group_size=200)

    def scores():
        return sorted((tmp_path / "into" / "scores").glob("log-*.parquet"))

    process = FORK.Process(target=screen_log, args=(tmp_path / "log.parquet", tmp_path / "into", texts[1441]))
    process.start()
    kill_when(lambda: len(scores()) == 7, process.pid).join(120)
    process.join()
    assert process.exitcode == -signal.SIGKILL
    modified = {file: file.stat().st_mtime_ns for file in scores()}
    messages = screen_log(tmp_path / "log.parquet", tmp_path / "into").messages
    assert len(modified) == 7 and all(file.stat().st_mtime_ns == at for file, at in modified.items())
    assert len(scores()) == 20 and len(messages) == messages["dialogue_id"].nunique() == 4_000
    assert messages["score personal history"].tolist() == [float(n % 50 == 0) for n in range(4_000)]
