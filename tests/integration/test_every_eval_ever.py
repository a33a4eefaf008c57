"""Every Eval Ever's own checker, which may lie in another environment."""

import os
import shutil
import subprocess

import pytest

from anthrokit import demo_run
from anthrokit.io import write_every_eval_ever

CHECKER = os.environ.get("ANTHROKIT_EVERY_EVAL_EVER") or shutil.which("every_eval_ever")


@pytest.mark.skipif(CHECKER is None, reason="every_eval_ever is not installed; ANTHROKIT_EVERY_EVAL_EVER may name its command")
def test_its_checker_accepts_what_is_written(tmp_path):
    [file] = write_every_eval_ever(demo_run(), tmp_path, organization="A university", details={"model_availability": "open_weights"})
    command = [str(CHECKER), "validate", file.relative_to(tmp_path).as_posix()]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout
    file.write_text(file.read_text(encoding="utf-8").replace('"score"', '"scor"'), encoding="utf-8")
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode != 0
