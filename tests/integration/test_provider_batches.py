"""Judging in Anthropic's Message Batches and Gemini's batch mode, against a server that speaks both."""

import json
import time
import urllib.request
from contextlib import ExitStack

import pandas as pd
import pytest
from forks import Fork
from judged import judge_in_batches, make_run, verdicts
from judged import of_families as panel
from servers import mock_server

from anthrokit.core import Run, SetupError
from anthrokit.core.run import usage_totals
from anthrokit.judging import estimate, judge
from anthrokit.models import Batch
from anthrokit.models.batches import count_pending

QUICK = Batch(poll=0.1)
SOME = {"behaviours": ["empathy", "agency", "desires"], "samples": 2, "progress": False}
FAMILIES = pytest.mark.parametrize("name", ["anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-pro"])


@pytest.fixture
def families():
    """Starts servers: families('--batch-seconds', 4) gives the address of one."""
    with ExitStack() as running:
        yield lambda *arguments: running.enter_context(mock_server(*arguments)).removesuffix("/v1")


def stats(base):
    with urllib.request.urlopen(f"{base}/stats") as answer:
        return json.load(answer)


@FAMILIES
def test_batches_equal_single_calls_at_half_the_price(families, tmp_path, name):
    base = families()
    with make_run(tmp_path / "single", 4) as single, make_run(tmp_path / "batched", 4) as batched:
        judge(single, panel(base, name), **SOME)
        before = stats(base)["requests"]
        owed = {"judges": panel(base, name), "run": batched, "behaviours": SOME["behaviours"], "samples": 2}
        plan = estimate(batch=True, **owed).iloc[-1]
        judge(batched, panel(base, name), batch=QUICK, **SOME)
        assert stats(base)["requests"] == before and stats(base)["batches"] == 1
        pd.testing.assert_frame_equal(verdicts(single), verdicts(batched))
        counted = ["calls", "failed", "tokens_in", "tokens_out"]
        pd.testing.assert_frame_equal(single.usage("model")[counted], batched.usage("model")[counted])
        assert batched.missing().empty and usage_totals(batched)[0] == pytest.approx(usage_totals(single)[0] / 2)
        assert usage_totals(batched)[0] <= plan["cost_most"]


@pytest.mark.parametrize("address", ["relative", "elsewhere", "missing"])
def test_results_come_from_the_stated_address(families, tmp_path, address):
    """A gateway may pass on a results_url of another host, or a relative one; the results are paid by then."""
    base = families("--results-url", address)
    with make_run(tmp_path / "run", 2) as run:
        judge(run, panel(base, "anthropic/claude-sonnet-4-5"), batch=QUICK, **SOME)
        assert run.missing().empty and len(run.ratings()) == 12 and count_pending(run) == 0


@pytest.mark.parametrize(
    ("name", "status", "reason"),
    [
        ("anthropic/always-529", "failed", "529: Overloaded"),
        ("anthropic/expires", "failed", "the batch was expired before this request was done"),
        ("anthropic/breaks", "failed", "the batch has no answer to this request"),
        ("anthropic/refuser", "refused", None),
        ("gemini/always-503", "failed", "503: The model is overloaded"),
        ("gemini/breaks", "failed", "the batch has no answer to this request"),
        ("gemini/refuser", "refused", None),
    ],
)
def test_missing_answers_have_a_reason(families, tmp_path, name, status, reason):
    base = families()
    with make_run(tmp_path / "run", 2) as run:
        judge(run, panel(base, name), batch=QUICK, **SOME)
        left = run.missing()
        assert len(left) == 12 and set(left["status"]) == {status}
        assert reason is None or left["reason"].str.contains(reason).all()
        assert count_pending(run) == 0


def start(base, folder, name):
    return Fork(judge_in_batches, base, folder, 50_000, name)


def killed_when(process, true, seconds=120):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline and process.poll() is None, "it didn't come to that"
        time.sleep(0.02)
    process.kill()


@FAMILIES
def test_resume_after_kill(families, tmp_path, name):
    """The next process waits for what the killed one sent; nothing is sent or paid twice."""
    base = families("--batch-seconds", 4)
    killed_when(start(base, tmp_path / "run", name), lambda: stats(base).get("looks", 0) >= 2)
    with Run(tmp_path / "run") as run:
        assert count_pending(run, name) == 48 and run.ratings().empty
        with pytest.raises(SetupError, match=f"hold 48 requests of {name} for the run 'run'"):
            judge(run, panel(base, name), **SOME)
        judge(run, panel(base, name), batch=QUICK, **SOME)
        assert run.missing().empty and stats(base)["batches"] == 1 and stats(base)["batch_lines"] == 48


@FAMILIES
def test_kill_before_batch_id_is_saved(families, tmp_path, name):
    """The batch was begun, and the process killed before the answer came: it is found, also among others of its size."""
    base = families("--create-latency", 5)
    process = start(base, tmp_path / "run", name)
    killed_when(process, lambda: stats(base).get("batches", 0) == 1)
    with Run(tmp_path / "run") as run:
        assert run.query("SELECT batch FROM batches")["batch"].isna().all()
    with make_run(tmp_path / "other", 8) as other:  # as many requests, of another run
        judge(other, panel(base, name), batch=QUICK, **SOME | {"behaviours": ["empathy", "agency", "validation"]})
    with Run(tmp_path / "run") as run:
        judge(run, panel(base, name), batch=QUICK, **SOME)
        assert run.missing().empty and stats(base)["batches"] == 2 and len(run.query("SELECT * FROM calls")) == 48


def test_kill_before_claude_request(families, tmp_path):
    """Requests that were entered and never sent are sent by the next process."""
    base = families()
    with make_run(tmp_path / "run", 8) as run:
        at = {"file": "requests-never-sent", "batch": None, "model": "anthropic/claude-sonnet-4-5", "requests": 1}
        at |= {"cost_most": 0.1, "tokens_most": 100, "status": "uploaded", "at": "2026-01-01T00:00:00Z"}
        run.ledger.write("batches", [at])
        judge(run, panel(base, "anthropic/claude-sonnet-4-5"), batch=QUICK, **SOME)
        assert run.missing().empty and stats(base)["batches"] == 1
        assert set(run.query("SELECT status FROM batches")["status"]) == {"never begun", "completed"}
