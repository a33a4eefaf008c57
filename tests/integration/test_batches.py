"""Judging in the providers' batches, through LiteLLM against a server on this machine."""

import random
import time

import pandas as pd
import pytest
from aiohttp import web
from forks import Fork
from judged import judge_in_batches, make_run, stats, verdicts
from mock_openai import Server

from anthrokit.core import BudgetReached, Run, SetupError
from anthrokit.core.run import usage_totals
from anthrokit.judging import LLMJudge, TogetherJudge, ajudge, estimate, judge
from anthrokit.models import LLM, Batch, Budget
from anthrokit.models.batches import Provider, count_pending
from anthrokit.models.loop import wait_for
from anthrokit.simulation import load_prompts, simulate

QUICK = Batch(poll=0.1)
SOME = {"behaviours": ["empathy", "agency", "desires"], "samples": 2, "progress": False}


def panel(base, **settings):
    return [LLMJudge(LLM(f"openai/judge-{letter}", api_base=base, **settings)) for letter in "ab"]


def test_batches_equal_single_calls(server, tmp_path):
    base = server()
    with make_run(tmp_path / "single", 4) as single, make_run(tmp_path / "batched", 4) as batched:
        judge(single, panel(base), **SOME)
        before = stats(base)["requests"]
        judge(batched, panel(base), batch=QUICK, **SOME)
        assert stats(base)["requests"] == before and stats(base)["batches"] == 2
        pd.testing.assert_frame_equal(verdicts(single), verdicts(batched))
        assert batched.missing().empty
        counted = ["calls", "failed", "tokens_in", "tokens_out"]
        pd.testing.assert_frame_equal(single.usage("model")[counted], batched.usage("model")[counted])
        judge(batched, panel(base), batch=QUICK, **SOME)
        assert stats(base)["batches"] == 2


def test_all_behaviours_in_one_request(server, tmp_path):
    base = server()
    with make_run(tmp_path / "run", 3) as run:
        judge(run, TogetherJudge(LLM("openai/judge", api_base=base), structured=True), batch=QUICK, **SOME)
        assert run.missing().empty and stats(base)["batch_lines"] == 3 * 2


FAULTS = "error malformed hang empty truncated refusal rate_limit".split()


def test_failed_requests_are_retried(server, tmp_path):
    """Lines in the error file, broken lines, lines that never came, refusals, answers that can't be read."""
    base = server(*(part for fault in FAULTS for part in ("--fault", f"{fault}=0.04")))
    with make_run(tmp_path / "run", 12) as run:
        judge(run, panel(base), batch=QUICK, **SOME)
        left = run.missing()
        assert len(run.ratings()) == 12 * 3 * 4 and 5 < len(left) < 60
        reasons = "\n".join(left["reason"])
        assert "500: The server had an error" in reasons and "the batch has no answer to this request" in reasons
        assert {"failed", "refused"} <= set(left["status"]) <= {"failed", "refused", "unparsed"}
        again = run.query("SELECT unit FROM batch_requests GROUP BY unit HAVING COUNT(*) > 1")
        assert len(again) and count_pending(run, "openai/judge-a") == 0
        # what couldn't be read was asked once more, and few can't be read twice
        assert (left["status"] == "unparsed").sum() < len(again)
        judge(run, panel(base), batch=QUICK, **SOME)
        refused = run.missing()
        assert len(refused) < len(left)
        judge(run, panel(base), batch=QUICK, retry=("failed", "refused"), **SOME)
        assert len(run.missing()) < len(refused)


def test_expired_batch(server, tmp_path):
    """What was done before the end of its time is kept and paid, the rest says why it isn't there."""
    base = server("--batch-ends", "expired")
    with make_run(tmp_path / "run", 4) as run:
        judge(run, panel(base)[:1], batch=QUICK, **SOME)
        left = run.missing()
        assert len(left) == 4 * 3 * 2 // 2 and (left["status"] == "failed").all()
        assert left["reason"].str.contains("could not be executed before the window ended").all()
        judge(run, panel(base)[:1], batch=QUICK, **SOME)
        assert len(run.missing()) == 4 * 3 * 2 // 4
        assert run.usage("status").set_index("status")["calls"]["ok"] == stats(base)["batch_lines"]


def test_rejected_batch(server, tmp_path):
    base = server("--batch-ends", "failed")
    with make_run(tmp_path / "run", 2) as run:
        for _ in range(2):  # the second time as the first: nothing is left under way
            with pytest.raises(SetupError, match="rejected a batch of requests: This line is not parseable"):
                judge(run, panel(base)[:1], batch=QUICK, **SOME)
        assert run.ratings().empty and not run.ledger.rows("SELECT * FROM judges")


def test_adaptive_sampling(server, tmp_path):
    """As many samples as could decide it, then one by one, each round a batch."""
    base = server()
    with make_run(tmp_path / "full", 4) as full, make_run(tmp_path / "adaptive", 4) as adaptive:
        judge(full, panel(base), **SOME | {"samples": 3})
        judge(adaptive, panel(base), batch=QUICK, sampling="adaptive", **SOME | {"samples": 3})
        pd.testing.assert_series_equal(full.labels()["label"], adaptive.labels()["label"])
        assert adaptive.missing().empty and len(adaptive.ratings()) < len(full.ratings())


def test_dialogues_by_turn(server, tmp_path):
    base, models = server(), {}
    for name in ("target", "user"):
        models[name] = LLM(f"openai/{name}", api_base=base)
    prompts = load_prompts().head(5)
    with Run(tmp_path / "single") as single, Run(tmp_path / "batched") as batched:
        simulate(prompts, run=single, turns=2, progress=False, **models)
        simulate(prompts, run=batched, turns=2, batch=QUICK, progress=False, **models)
        columns = ["dialogue_id", "turn", "role", "content", "tokens_in", "tokens_out"]
        pd.testing.assert_frame_equal(single.messages()[columns], batched.messages()[columns])
        assert stats(base)["batches"] == 3 and batched.missing().empty


def test_file_limits(server, tmp_path):
    base = server()
    with make_run(tmp_path / "run", 5) as run:
        judge(run, panel(base)[:1], batch=Batch(poll=0.1, requests=7), **SOME)
        sizes = run.query("SELECT requests FROM batches ORDER BY at")["requests"]
        assert sizes.max() == 7 and sizes.sum() == 30 and len(sizes) == 5
    with make_run(tmp_path / "small", 5) as run:
        judge(run, panel(base)[:1], batch=Batch(poll=0.1, megabytes=0.01), **SOME)
        assert run.missing().empty and 1 < len(run.query("SELECT * FROM batches")) < 30
    assert stats(base)["largest_file"] < 30_000


@pytest.mark.parametrize("poll", [0.1, 1.0], ids=["looked at often", "when what stood before has ended"])
def test_full_queue_at_the_provider(server, tmp_path, poll):
    """What doesn't fit into the provider's line waits here; what can never fit is an error."""
    base = server("--batch-queue", 20, "--batch-seconds", 3)
    with make_run(tmp_path / "run", 5) as run:
        judge(run, panel(base)[:1], batch=Batch(poll=poll, requests=15), **SOME)
        assert run.missing().empty and stats(base)["batch_lines"] == 30
        assert "failed" in set(run.query("SELECT status FROM batches")["status"])
    with make_run(tmp_path / "never", 5) as run, pytest.raises(SetupError, match="send smaller files with Batch.requests=…."):
        judge(run, panel(base)[:1], batch=QUICK, **SOME)


def test_budget_and_estimate(server, tmp_path):
    base = server()
    with make_run(tmp_path / "run", 5) as run:
        cheap = LLMJudge(LLM("openai/gpt-4o", api_base=base, max_tokens=100))
        owed = {"judges": cheap, "run": run, "behaviours": SOME["behaviours"], "samples": SOME["samples"]}
        plan = estimate(**owed).iloc[-1]
        batched = estimate(batch=True, **owed).iloc[-1]
        assert batched["cost_most"] == pytest.approx(plan["cost_most"] / 2) and batched["calls"] == 30
        assert "batches" not in stats(base)
        budget = Budget(usd=float(batched["cost_most"]) / 2)
        for _ in range(20):
            try:
                judge(run, cheap, batch=QUICK, budget=budget, **SOME)
                break
            except BudgetReached:
                budget = Budget(usd=budget.usd * 1.2)
            assert usage_totals(run)[0] <= budget.usd
        assert run.missing().empty and usage_totals(run)[0] < batched["cost_most"] and stats(base)["batch_lines"] == 30


def test_errors_before_any_work(server, tmp_path):
    base, quick = server(), server("--quick")
    with make_run(tmp_path / "run", 1) as run:
        for model, words in (
            (LLM("openai/judge", api_base=quick), r"has no such file or batch, or no batches at all \(404\)"),
            (LLM("local/smollm2-135m-instruct"), "has no batches that can be used here"),
            (LLM("openai/judge", api_base=base, extra_headers={"X": "y"}), "can't carry extra_headers"),
        ):
            with pytest.raises(SetupError, match=words):
                judge(run, LLMJudge(model, name="j"), batch=True, **SOME)
        with pytest.raises(ValueError, match="batch is 5. Pass True, or Batch"):
            judge(run, panel(base), batch=5)
        assert run.ratings().empty and not run.ledger.rows("SELECT * FROM judges") and "files" not in stats(base)


def start(base, folder, requests=50_000):
    return Fork(judge_in_batches, base, folder, requests)


def wait_until(true, seconds=60):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it didn't come to that"
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("status", "body", "gone"),
    [
        (404, {"error": {"message": "No batch found with id 'batch_1'."}}, True),
        (400, {"error": {"message": "No batch found with id 'batch_1'.", "type": "invalid_request_error"}}, True),
        (200, {"error": {"message": "Batch not found"}}, False),
        (200, {}, False),
        (200, {"object": "error", "message": "unknown"}, False),
    ],
)
def test_unknown_batch(serve, status, body, gone, monkeypatch):
    async def unknown(http):
        return web.json_response(body, status=status) if "/batches/" in http.path else None

    monkeypatch.setattr("anthrokit.models.batches.pause_before_next", lambda *_: 0.0)
    provider = Provider(LLM("openai/judge-a", api_base=serve(Server(instead=unknown)), max_retries=1))
    if gone:
        assert wait_for(provider.look("batch_1")).status == "gone"
    else:
        with pytest.raises(SetupError) as error:
            wait_for(provider.look("batch_1"))
        assert "it may not know the batch any more" in str(error.value) and "batch_1" in str(error.value)
        assert "validation" not in str(error.value) and "pydantic" not in str(error.value)


def test_resume_after_kill(server, tmp_path):
    """The next process waits for what the killed one sent; nothing is sent or paid twice."""
    base = server("--batch-seconds", 4)
    process = start(base, tmp_path / "run")
    wait_until(lambda: stats(base).get("looks", 0) >= 2)
    process.kill()
    with Run(tmp_path / "run") as run:
        assert count_pending(run, "openai/judge-a") == 48 and run.ratings().empty
        with pytest.raises(SetupError, match="hold 48 requests of openai/judge-a for the run 'run'"):
            judge(run, panel(base), **SOME)
        judge(run, panel(base), batch=QUICK, **SOME)
        assert run.missing().empty and stats(base)["batches"] == stats(base)["files"] == 2


def test_kill_before_batch_id_is_saved(server, tmp_path):
    """The batch was begun, and the process killed before the answer came: it is found by its file, not begun again."""
    base = server("--create-latency", 5)
    process = start(base, tmp_path / "run")
    wait_until(lambda: stats(base).get("batches", 0) == 2)
    process.kill()
    with Run(tmp_path / "run") as run:
        assert run.query("SELECT batch FROM batches")["batch"].isna().all()
        judge(run, panel(base), batch=QUICK, **SOME)
        assert run.missing().empty and stats(base)["batches"] == stats(base)["files"] == 2


@pytest.mark.slow
def test_repeated_kills(server, tmp_path):
    """Wherever it is killed, the end is that of an uninterrupted run, and no request was answered twice."""
    base = server("--batch-seconds", 0.3, "--create-latency", 0.05)
    with make_run(tmp_path / "whole", 8) as whole:
        judge(whole, panel(base), batch=QUICK, **SOME)
        expected, lines = verdicts(whole), stats(base)["batch_lines"]
    rng, kills, rounds = random.Random(3), 0, 0
    while kills < 4:  # one run is over after fewer on a fast machine
        rounds, before = rounds + 1, stats(base)["batch_lines"]
        kills += _killed_until_done(base, tmp_path / f"run {rounds}", rng)
        with Run(tmp_path / f"run {rounds}") as run:
            pd.testing.assert_frame_equal(expected, verdicts(run))
            assert stats(base)["batch_lines"] - before == lines == len(run.query("SELECT * FROM calls"))
        assert rounds < 20 and kills < 60, "it makes no headway"


def _killed_until_done(base, folder, rng):
    """Start a job again and again, kill it at a point by chance, and return the number of kills before it was done."""
    for kills in range(60):
        process, seen = start(base, folder, 12), stats(base)
        goal = {name: seen.get(name, 0) + rng.randint(1, 4) for name in ("files", "batches", "looks")}
        while process.poll() is None and not any(stats(base).get(name, 0) >= number for name, number in goal.items()):
            time.sleep(0.02)
        time.sleep(rng.random() * 0.2)
        if process.poll() is not None:
            assert process.returncode == 0
            return kills
        process.kill()
    return kills


def test_running_loop_and_keys(server, tmp_path, capfd):
    import asyncio

    base, key = server("--fault", "error=0.2"), "sk-test-0123456789abcdefghij-secret"
    with make_run(tmp_path / "run", 3) as run:
        asyncio.run(ajudge(run, panel(base, api_key=key), batch=QUICK, **SOME))
        assert len(run.ratings()) == 3 * 3 * 4
        with pytest.raises(SetupError, match="rejects the key") as refusal:
            judge(run, LLMJudge(LLM("openai/x", api_base=base, api_key="bad-key")), batch=QUICK, **SOME)
        assert "bad-key" not in str(refusal.value)
        run.export(tmp_path / "export")
    assert key not in "".join(capfd.readouterr())
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or key.encode() not in file.read_bytes(), file
    with Run.restore(tmp_path / "export", tmp_path / "again") as again:
        assert again.query("SELECT unit FROM batch_requests")["unit"].str.startswith("d000").all()
