"""What a notebook can't show of judging: faults, kills, full disks, rate limits."""

import threading
import time

import pandas as pd
from forks import Fork
from gateways import free_port
from judged import judge_on_a_full_disk, kill_repeatedly, llm, make_run, panel, stats, verdicts
from servers import mock_server

from anthrokit.core import Run
from anthrokit.judging import LLMJudge, TogetherJudge, estimate, judge
from anthrokit.models.loop import wait_for
from anthrokit.simulation import Taxonomy

FAULTS = "rate_limit rate_limit_after error hang drop malformed empty wrong_type truncated refusal".split()


def test_transports_agree(server, tmp_path):
    base = server("--latency", 0.01)
    verdicts_by_transport = {}
    for transport in ("lean", "litellm"):
        with make_run(tmp_path / transport, 2) as run:
            judge(run, panel(base, transport=transport), samples=2, behaviours="personhood", progress=False)
            assert run.missing().empty
            verdicts_by_transport[transport] = verdicts(run)
    pd.testing.assert_frame_equal(verdicts_by_transport["lean"], verdicts_by_transport["litellm"])


def test_faults_in_a_fifth_of_calls(server, tmp_path, capfd):
    """Every fault there is, 2 % each: the run ends, what can't be had is listed, and is had on request; no key anywhere."""
    key = "sk-test-0123456789abcdefghij-secret"
    base = server(*(part for fault in FAULTS for part in ("--fault", f"{fault}=0.02")))
    with make_run(tmp_path / "run", 10) as run:
        judges = panel(base, timeout=1.0, max_retries=1, api_key=key)
        judge(run, judges, samples=2, progress=True)
        counts = stats(base)
        assert all(counts.get(f"fault_{fault}", 0) for fault in FAULTS), counts
        left = run.missing()
        assert len(run.ratings()) == 10 * 13 * 6 + 10 and 0 < len(left) < 80
        assert set(left["status"]) <= {"failed", "refused", "unparsed"} and left["reason"].notna().all()
        again = [LLMJudge(llm(base, f"judge-{letter}", timeout=1.0, api_key=key)) for letter in "abc"]
        judge(run, again, samples=2, retry=("failed", "refused", "unparsed"), progress=True)
        assert len(run.missing()) < len(left) / 2
        output = "".join(capfd.readouterr())
    assert key not in output
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or key.encode() not in file.read_bytes(), file


def test_stated_rate_limit(server):
    """Two judges behind one key share 600 requests a minute; the server, which allows 95 in six seconds, refuses none."""
    base = server("--rpm", 950)
    models = [llm(base, rpm=600), llm(base, rpm=600)]

    async def both():
        import asyncio

        await asyncio.gather(*(model.acomplete(f"Hello {n}") for n in range(45) for model in models))

    start = time.monotonic()
    wait_for(both())
    assert "over_limit" not in stats(base) and time.monotonic() - start > (90 - 30) / 9.5 - 0.5


def test_unknown_rate_limit(server):
    """429s are answered with fewer calls in flight, not with more of them."""
    base = server("--rpm", 600, "--latency", 0.02)
    model = llm(base, "learner", max_concurrency=64, max_retries=20)

    async def many():
        import asyncio

        await asyncio.gather(*(model.acomplete(f"Hello {n}") for n in range(150)))

    wait_for(many())
    counts = stats(base)
    assert counts["answers"] == 150 and model.limiter.servers[0].window < 64
    assert counts["over_limit"] < 150  # 64 in flight, without pauses, would meet many hundreds


def test_ten_kills(server, tmp_path):
    """Kill -9, 12 times in a row on one run: all that was reported is there, once, and the end is as without."""
    base = server("--latency", 0.12)
    summary, errors = tmp_path / "said", tmp_path / "errors"
    process = Fork(kill_repeatedly, base, str(tmp_path / "killed"), 12, summary, errors=errors)
    assert process.wait(300) == 0, errors.read_text()[-2000:]
    kills, reported, saved = map(int, summary.read_text().split())
    assert kills >= 10 and 0 < reported <= saved
    with make_run(tmp_path / "whole", 24) as whole, Run(tmp_path / "killed") as killed:
        judge(whole, panel(base, max_concurrency=64), samples=2, progress=False)
        assert killed.missing().empty
        pd.testing.assert_frame_equal(verdicts(whole), verdicts(killed))


def test_server_restart(tmp_path):
    slow = ("--latency", 0.05, "--port", free_port())
    with make_run(tmp_path / "run", 12) as run:
        with mock_server(*slow) as base:
            how = {"samples": 1, "progress": False}
            runner = threading.Thread(target=judge, args=(run, panel(base, max_retries=8)), kwargs=how)
            runner.start()
            while run.ledger.rows("SELECT COUNT(*) FROM ratings WHERE judge <> 'pronoun count'")[0][0] < 60:
                time.sleep(0.02)
        time.sleep(1.5)
        with mock_server(*slow):
            runner.join(timeout=120)
        assert not runner.is_alive() and run.missing().empty
        assert run.query("SELECT MAX(attempts) AS most FROM calls")["most"][0] > 1


def test_full_disk(server, tmp_path):
    """A disk that takes no more stops the run with a sentence; what is there stays, and the run goes on later."""
    base = server()
    process = Fork(judge_on_a_full_disk, base, tmp_path / "run", tmp_path / "said")
    assert process.wait(120) == 3
    message = (tmp_path / "said").read_text()
    assert "can't be written" in message and "run again" in message
    with Run(tmp_path / "run") as run:
        before = verdicts(run)
        assert 0 < len(before) < 20 * 13 * 9
        judge(run, panel(base, max_concurrency=32), progress=False)
        assert run.missing().empty
        assert len(before.merge(verdicts(run))) == len(before)


def test_clock_jumps(server, tmp_path, monkeypatch):
    """A laptop that slept, a clock set back: the wall clock decides nothing."""
    base = server("--latency", 0.02, "--fault", "rate_limit=0.05", "--fault", "rate_limit_after=0.01")
    real, jump = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: real() + jump[0])
    with make_run(tmp_path / "run", 6) as run:
        jumper = threading.Timer(0.5, lambda: jump.__setitem__(0, -86400.0))
        later = threading.Timer(1.0, lambda: jump.__setitem__(0, 7 * 86400.0))
        jumper.start(), later.start()
        judge(run, panel(base, rpm=100_000), samples=2, progress=False)  # a wait for that clock would be of days
        assert run.missing().empty
        jumper.join(), later.join()


def test_complete_an_adaptive_run(server, tmp_path):
    base = server()
    some = {"behaviours": ["empathy", "agency"], "progress": False}
    with make_run(tmp_path / "a", 5) as run, make_run(tmp_path / "b", 5) as full:
        judge(run, panel(base), sampling="adaptive", **some)
        assert run.missing().empty and len(run.ratings()) < 5 * 2 * 9
        plan = estimate(judges=panel(base), run=run, sampling="adaptive", behaviours=some["behaviours"])
        judge(full, panel(base), **some)
        labels = ["dialogue_id", "behaviour", "label"]
        pd.testing.assert_frame_equal(run.labels()[labels], full.labels()[labels])
        judge(run, panel(base), **some)
        pd.testing.assert_frame_equal(verdicts(run), verdicts(full))
        assert plan["total"].iloc[-1] == 90 and plan["calls"].iloc[-1] == 0


def test_all_behaviours_in_one_call(server, tmp_path):
    base = server()
    with make_run(tmp_path / "run", 4) as run:
        judge(run, [TogetherJudge(llm(base), structured=True)], samples=2, progress=False)
        assert run.missing().empty
        assert len(run.ratings()) == 4 * 13 * 2 + 4
        assert stats(base)["requests"] == 4 * 2 == len(run.query("SELECT * FROM calls"))


def test_estimate(server, tmp_path):
    base = server()
    with make_run(tmp_path / "run", 5) as run:
        judges = panel(base, price=(1.0, 4.0), max_tokens=100)
        plan = estimate(judges=judges, run=run, samples=2)
        assert not run.ledger.rows("SELECT * FROM judges") and "requests" not in stats(base)
        total = plan.set_index("purpose").loc["all"]
        assert total["calls"] == 5 * 13 * 6 and total["done"] == 0
        judge(run, judges, samples=2, behaviours=["empathy"], progress=False)
        rest = estimate(judges=judges, run=run, samples=2).set_index("purpose").loc["all"]
        assert rest["calls"] == 5 * 12 * 6 and rest["done"] == 5 * 6 + 0
        judge(run, judges, samples=2, progress=False)
        used = run.usage("purpose").set_index("purpose").loc["judge"]
        assert (
            abs(total["tokens_in"] / used["tokens_in"] - 1) < 0.25
        )  # the mock counts four characters a token
        assert total["cost"] < total["cost_most"] and used["cost"] < total["cost_most"]
    assert Taxonomy.load().judged
