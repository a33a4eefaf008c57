"""The logic of the panels' script, run in node."""

import shutil
import subprocess
from pathlib import Path

import pytest


def test_frame_in_node():
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed; the browser tests run the same script")
    script = Path(__file__).with_name("frame.test.mjs")
    run = subprocess.run([node, "--test", "--test-reporter=tap", script], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "# pass 7" in run.stdout
