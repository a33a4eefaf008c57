"""A job's calls made elsewhere: a Dask cluster of processes, a pool of processes, workers killed in mid shard."""

import concurrent.futures
import multiprocessing
import os
import signal
import threading
import time

import pytest

from anthrokit.core import SetupError
from anthrokit.judging import LLMJudge, judge
from anthrokit.models import LLM, Budget, Spread
from anthrokit.report import demo_run

SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture
def run():
    "A run with 16 dialogues, not judged."
    with demo_run() as there:
        there.write_all(["DELETE FROM ratings", "DELETE FROM judges", "DELETE FROM calls"])
        yield there


def panel(base, **settings):
    return LLMJudge(LLM("openai/judge", api_base=base, transport="lean", max_concurrency=8, **settings))


def test_dask_workers_judge_and_one_is_killed(run, server):
    distributed = pytest.importorskip("distributed")
    base = server("--latency", 0.05, "--by-seed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        assert client.dashboard_link.startswith("http")
        [victim, _] = client.run(os.getpid).values()

        def kill_one_in_mid_shard():
            while run.rows("SELECT COUNT(*) FROM ratings")[0][0] < 100:
                time.sleep(0.02)
            os.kill(victim, signal.SIGKILL)

        killer = threading.Thread(target=kill_one_in_mid_shard)
        killer.start()
        spread = Spread(client, calls=100, seconds=2)
        judge(run, panel(base), samples=1, behaviours="relationship building", on=spread, progress=False)
        killer.join()
    ratings = run.ratings()
    assert (ratings["status"] == "ok").all() and len(run.missing().query("kind == 'rating'")) == 0
    [(calls, units)] = run.rows("SELECT COUNT(*), COUNT(DISTINCT unit) FROM calls WHERE status = 'ok'")
    assert calls == units == len(ratings)
    judge(run, panel(base), samples=1, behaviours="relationship building", progress=False)
    assert run.rows("SELECT COUNT(*) FROM calls WHERE status = 'ok'") == [(calls,)]  # nothing was owed


def test_a_pool_that_loses_a_worker_stops_and_a_new_one_goes_on(run, server):
    base, asked = server("--latency", 0.05), {"samples": 1, "behaviours": "empathy", "progress": False}
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=SPAWN) as pool:

        def kill_in_mid_shard():
            while not run.rows("SELECT COUNT(*) FROM ratings")[0][0]:
                time.sleep(0.02)
            next(iter(pool._processes.values())).kill()

        killer = threading.Thread(target=kill_in_mid_shard)
        killer.start()
        with pytest.raises(SetupError, match="lost a worker and takes no more work"):
            judge(run, panel(base), on=Spread(pool, calls=10, seconds=1), **asked)
        killer.join()
    kept = len(run.ratings())
    assert 0 < kept < 80
    assert run.rows("SELECT COUNT(*) FROM calls WHERE status = 'estimated'")[0][0] >= 1  # they may have been paid
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=SPAWN) as pool:
        judge(run, panel(base), on=pool, **asked)
    assert len(run.ratings()) == 80
    assert run.rows("SELECT COUNT(*) FROM calls WHERE status = 'ok'") == [(80,)]


def test_the_budget_is_held_here_and_keys_do_not_travel(run, server):
    base, asked = server(), {"samples": 1, "behaviours": "empathy", "progress": False}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        with pytest.raises(SetupError, match="has a key or an address that stays in this process"):
            judge(run, panel(base, api_key="sk-0123456789abcdef"), on=pool, **asked)
        with pytest.raises(Exception, match="beyond the budget of 20,000 tokens"):
            judge(run, panel(base, max_tokens=50), on=pool, budget=Budget(tokens=20_000), **asked)
        assert 0 < run.spent()[1] <= 20_000
        with pytest.raises(ValueError, match="leave on out"):
            judge(run, panel(base), on=pool, batch=True, **asked)
