"""Every kind of job meets every fault (killed, refused, broken, timed out, out of budget) and ends the same.

The server's answers follow from the request alone, so what is kept can be compared with an untroubled run's.
"""

import signal
import time

import jobs
import pytest
from forks import Fork
from judged import stats

from anthrokit.core import BudgetReached, Run
from anthrokit.models import Batch, Budget

KINDS = list(jobs.KINDS)
FAULTS = {
    "429": "rate_limit=0.5",
    "429 with a time": "rate_limit_after=0.3",
    "500": "error=0.5",
    "closed": "drop=0.5",
    "empty": "empty=0.4",
    "no choices": "choiceless=0.5",
    "no JSON": "malformed=0.5",
    "time-out": "hang=0.3",
}
# A job knows answers that are empty and calls that failed; which fault it was, only the call knows, the same for all.
FAULTY = [(kind, fault) for kind in KINDS for fault in FAULTS if kind == "ratings" or fault in ("500", "empty")]
# SIGTERM becomes an interrupt for all kinds in one place.
SIGNALS = [(kind, end) for kind in KINDS for end in (signal.SIGKILL, signal.SIGINT)] + [("ratings", signal.SIGTERM)]


@pytest.fixture(scope="module")
def untroubled(tmp_path_factory):
    """What is kept of a kind of job when nothing goes wrong."""
    made = {}

    def rows(kind, base):
        if kind not in made:
            folder = tmp_path_factory.mktemp("whole") / "run"
            jobs.KINDS[kind].do(folder, base)
            made[kind] = jobs.KINDS[kind].rows(folder)
            assert made[kind]
        return made[kind]

    return rows


def labels(folder):
    """Each message's label, in a text, since one that is missing doesn't equal itself."""
    with Run(folder, read_only=True) as run:
        return run.labels()[["dialogue_id", "turn", "behaviour", "label"]].to_csv()


@pytest.mark.parametrize(("kind", "fault"), FAULTY)
def test_server_faults(server, quick_retries, tmp_path, untroubled, kind, fault):
    """What fails is tried again, in the call or by the same call made again."""
    job, calm = jobs.KINDS[kind], server()
    faulty = server("--fault", FAULTS[fault], "--retry-after", 0.05)
    tries = 4 if kind == "ratings" else 1  # with one, some calls fail for good
    job.do(tmp_path / "run", faulty, llm={"timeout": 0.25, "max_retries": tries})
    assert any(name.startswith("fault_") for name in stats(faulty))
    job.do(tmp_path / "run", calm)
    saved, whole = job.rows(tmp_path / "run"), untroubled(kind, calm)
    if fault == "empty":  # asked for again with another seed, so something else is said of the same
        assert {row[:2] for row in saved} <= {row[:2] for row in whole} and len(saved) > len(whole) / 2
    elif kind == "adaptive":  # what failed for good is made up for by other samples and judges: the labels are the same
        job.do(tmp_path / "whole", calm)
        assert labels(tmp_path / "run") == labels(tmp_path / "whole")
    else:
        assert saved == whole


@pytest.mark.parametrize(("kind", "end"), [pytest.param(*one, id=f"{one[0]}-{one[1].name}") for one in SIGNALS])
def test_cancelled(server, tmp_path, untroubled, kind, end):
    """What was kept stays; only calls in flight are made again."""
    job, calm, slow = jobs.KINDS[kind], server(), server("--latency", 0.3)
    whole = untroubled(kind, calm)
    process = Fork(jobs.do, kind, tmp_path / "run", slow, errors=tmp_path / "told")
    while process.poll() is None and stats(slow).get("answers", 0) < 6:
        time.sleep(0.02)
    process.send_signal(end)
    assert process.wait() != 0 and "never awaited" not in (tmp_path / "told").read_text()
    before = job.rows(tmp_path / "run") if (tmp_path / "run" / "ledger.sqlite").exists() else []
    job.do(tmp_path / "run", calm)
    assert job.rows(tmp_path / "run") == whole and {row for row in before if None not in row} <= set(whole)


@pytest.mark.parametrize("kind", KINDS)
def test_budget(server, tmp_path, untroubled, kind):
    job, calm = jobs.KINDS[kind], server()
    with pytest.raises(BudgetReached):
        job.do(tmp_path / "run", calm, budget=Budget(tokens=3_000))
    before = stats(calm).get("answers", 0)
    assert before < 24
    job.do(tmp_path / "run", calm, budget=Budget(tokens=10_000_000))
    assert job.rows(tmp_path / "run") == untroubled(kind, calm)


@pytest.mark.parametrize("kind", [name for name in KINDS if jobs.KINDS[name].batched])
def test_batches(server, tmp_path, untroubled, kind):
    """The providers' batches give what single calls give."""
    job, calm = jobs.KINDS[kind], server()
    job.do(tmp_path / "run", calm, batch=Batch(poll=0.05))
    assert stats(calm)["batches"] and job.rows(tmp_path / "run") == untroubled(kind, calm)
