"""Panels send what is in view, never the run. How long they take, `python benchmarks/panels.py` measures."""

import runpy
from pathlib import Path

import pytest

BENCHMARK = runpy.run_path(Path(__file__).parents[2] / "benchmarks" / "panels.py")


@pytest.mark.slow
def test_payload_sizes():
    """Each over a quarter of a study or of a HeartBench, which are made once."""
    made = BENCHMARK["panels"](base_prompts=30, n_cases=74)
    for name in ("DialoguePanel", "DisagreementPanel", "EmergencePanel", "RubricPanel", "AnnotationPanel"):
        sizes = BENCHMARK["summary"](BENCHMARK["measure"](made[name], "processor", most=1))
        assert len(sizes) >= 5 and sizes.loc["first paint", "bytes"] < 600_000, (name, sizes)
        most = sizes.drop("first paint")["bytes"].max()
        assert most < 400_000 and sizes.loc["next", "bytes"] < 150_000, (name, sizes)
