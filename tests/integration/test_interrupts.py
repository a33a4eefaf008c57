"""Work in a notebook: interrupted as by the stop button, and watched by whoever waits."""

import time

import pandas as pd
import pytest
from judged import KEYS, make_run, verdicts
from jupyter_client import KernelManager

from anthrokit.core import Run
from anthrokit.judging import LLMJudge, judge
from anthrokit.models import LLM

SETUP = """
from judged import make_run, panel
from anthrokit.judging import ajudge, judge
run = make_run({folder!r}, 12)
judges = panel({base!r}, max_concurrency=4)
"""
HOW = "run, judges, samples=2, behaviours=['empathy', 'agency'], progress=False"
HOW_SHOWN = "{}(run, judges, samples=2, behaviours=['empathy', 'agency']);"
CELLS = {"a function": (f"judge({HOW})", "Interrupted"), "awaited": (f"await ajudge({HOW})", "CancelledError")}


@pytest.fixture
def kernel(kernels):
    """Runs cells in a kernel of its own: kernel.run(code) gives the name of the error the cell ended with, or None."""
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=120)
    client.manager = manager
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def ended(client, message, timeout=120):
    """The error that a cell ended with."""
    while True:
        reply = client.get_shell_msg(timeout=timeout)
        if reply["parent_header"].get("msg_id") == message:
            return reply["content"].get("ename")


@pytest.mark.parametrize(("cell", "error"), CELLS.values(), ids=CELLS)
def test_resume_after_interrupt(kernel, server, tmp_path, cell, error):
    """The cell ends at once, what was reported is kept, the kernel lives, and the same cell finishes the run."""
    base = server("--latency", 0.1)
    setup = SETUP.format(folder=str(tmp_path / "run"), base=base)
    assert ended(kernel, kernel.execute(setup)) is None
    message = kernel.execute(cell)
    with Run(tmp_path / "run", read_only=True) as looking:
        deadline = time.monotonic() + 60
        while looking.ledger.rows("SELECT COUNT(*) FROM ratings WHERE judge LIKE 'openai%'")[0][0] < 20:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        kernel.manager.interrupt_kernel()
        assert ended(kernel, message) == error  # an await is cancelled by the kernel itself
        saved = verdicts(looking)
        assert 20 <= len(saved) < 12 * 2 * 6 and not saved.duplicated(KEYS).any()
        time.sleep(0.5)  # nothing goes on behind the interrupted cell's back
        assert len(verdicts(looking)) == len(saved)
        calls = looking.ledger.rows("SELECT COUNT(*) FROM calls")[0][0]
        assert ended(kernel, kernel.execute(cell)) is None
        assert ended(kernel, kernel.execute("assert run.missing().empty; run.close()")) is None
        again = verdicts(looking)
        assert looking.ledger.rows("SELECT COUNT(*) FROM calls")[0][0] == 12 * 2 * 6 >= calls
    assert len(saved.merge(again)) == len(saved)
    with make_run(tmp_path / "whole", 12) as whole:
        judges = [LLMJudge(LLM(f"openai/judge-{letter}", api_base=base, transport="lean")) for letter in "abc"]
        judge(whole, judges, samples=2, behaviours=["empathy", "agency"], progress=False)
        pd.testing.assert_frame_equal(verdicts(whole), again)


def test_progress_bar(kernel, server, tmp_path):
    """While a job works its output is drawn anew; when it has ended the notebook holds nothing of it."""
    setup = SETUP.format(folder=str(tmp_path / "run"), base=server("--latency", 0.1))
    assert ended(kernel, kernel.execute(setup)) is None
    updates, outputs = [], {}

    def hook(message):
        content = message["content"]
        if message["msg_type"] in ("display_data", "update_display_data"):
            outputs[content["transient"]["display_id"]] = content["data"]
            updates.append(content["data"].get("text/plain", ""))
        elif message["msg_type"] in ("stream", "execute_result"):
            outputs[message["header"]["msg_id"]] = content

    reply = kernel.execute_interactive(
        HOW_SHOWN.format("judge"), output_hook=hook, timeout=120, allow_stdin=False
    )
    assert reply["content"]["status"] == "ok", reply["content"]
    assert sum(" ratings, " in one for one in updates) > 3 and updates[-1] == "", updates
    assert all(data == {} for data in outputs.values())
