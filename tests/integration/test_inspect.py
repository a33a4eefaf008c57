"""Inspect's command line with anthrokit's task and scorer; readers without their extras."""

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pandas as pd
import pytest

from anthrokit import io
from anthrokit.simulation import load_prompts

HERE = Path(__file__).parents[1]
ROOT = HERE.parent
RATING_COLUMNS = ["dialogue_id", "turn", "behaviour", "judge", "sample", "verdict", "status"]


STUDY = """
from inspect_ai import task
from anthrokit.io import anthrobench

@task
def study(judges=None):
    return anthrobench(turns=2, behaviours=["emotions", "first-person pronoun use"], judges=judges)
"""


def inspect_command(folder, base, *arguments):
    """Run `inspect eval` in a folder with a study, with the entry points of setup.py."""
    setup = [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", folder]
    assert subprocess.run(setup, cwd=ROOT, capture_output=True).returncode == 0
    (folder / "study.py").write_text(STUDY)
    environment = {
        **os.environ,
        "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}",
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": base,
        "INSPECT_LOG_DIR": str(folder / "logs"),
    }
    command = [
        sys.executable,
        "-m",
        "inspect_ai",
        "eval",
        "study.py",
        "--model",
        "anthrokit/openai/target",
        *arguments,
    ]
    return subprocess.run(
        [*command, "--display", "plain"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.slow
def test_eval(server, tmp_path):
    """Inspect's command simulates and judges with a server, through LiteLLM; its log is read as a run."""
    judges = ",".join(f"anthrokit/openai/judge-{letter}" for letter in "abc")
    user = "user=anthrokit/openai/person"
    result = inspect_command(tmp_path, server(), "--limit", "9", "--model-role", user, "-T", f"judges={judges}")
    assert result.returncode == 0, result.stdout + result.stderr
    (log,) = (tmp_path / "logs").glob("*.eval")
    run = io.read_inspect(log, tmp_path / "run")
    assert len(run.messages()) == 9 * 2 * 2
    assert run.dialogues()["target"].unique().tolist() == ["anthrokit/openai/target"]
    ratings = run.ratings()
    assert len(ratings) == 9 * 2 * (3 * 3 + 1) and ratings["status"].eq("ok").all()
    assert run.labels()["votes_cast"].tolist() == [3, 1] * 18 and run.labels()["label"].notna().all()
    assert run.prompts()["base_id"].tolist() == load_prompts().head(9)["base_id"].tolist()
    again = io.read_inspect(io.write_inspect(run, tmp_path / "again.eval"))
    frames = [one.ratings()[RATING_COLUMNS].sort_values(RATING_COLUMNS, ignore_index=True) for one in (run, again)]
    pd.testing.assert_frame_equal(*frames)
    for one, other in zip(metrics_of(log), metrics_of(tmp_path / "again.eval"), strict=True):
        assert one.metrics["mean"].value == pytest.approx(other.metrics["mean"].value)
        assert one.metrics["clustered_stderr"].value == pytest.approx(other.metrics["clustered_stderr"].value)


def metrics_of(path):
    from inspect_ai.log import read_eval_log

    return read_eval_log(str(path)).results.scores


def test_eval_without_judge(server, tmp_path):
    """A missing judge raises before the first call."""
    from inspect_ai import eval
    from inspect_ai.model import get_model

    from anthrokit.io import anthrobench

    base = server()
    study = anthrobench(turns=2, behaviours=["emotions", "first-person pronoun use"])
    target = get_model("anthrokit/openai/target", base_url=base, api_key="none")
    (log,) = eval(study, model=target, limit=1, display="none", log_dir=str(tmp_path))
    stats = urllib.request.urlopen(base.removesuffix("v1") + "stats").read()
    assert "Model role 'judge' is required" in log.error.message and json.loads(stats) == {}


@pytest.mark.parametrize(
    ("missing", "code", "extra"),
    [
        ("inspect_ai", "import anthrokit.io.inspect_logs", "anthrokit[inspect]"),
        (
            "datasets",
            "from anthrokit import demo_run, to_datasets; to_datasets(demo_run())",
            "anthrokit[datasets]",
        ),
        ("inspect_scout", "from anthrokit.io import scanners; scanners('empathy')", "anthrokit[scout]"),
        ("inspect_ai", "from anthrokit import read_anthrobench, write_openai; print('fine')", ""),
    ],
)
def test_extras(missing, code, extra):
    """A format without its library raises with the extra to install; the rest of the toolkit works."""
    result = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.modules[{missing!r}] = None\n{code}"],
        capture_output=True,
        text=True,
    )
    assert (
        (f"pip install '{extra}'" in result.stderr and result.returncode == 1)
        if extra
        else result.stdout == "fine\n"
    )
