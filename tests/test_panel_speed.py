"""Panels send what is in view, never the run. How long they take, `python benchmarks/panels.py` measures."""

import runpy
from pathlib import Path

import pytest

BENCHMARK = runpy.run_path(Path(__file__).parent.parent / "benchmarks" / "panels.py")


@pytest.fixture(scope="module")
def made():
    "What makes each panel over a quarter of a study and of a HeartBench."
    return BENCHMARK["panels"](base_prompts=30, n_cases=74)


@pytest.mark.parametrize(
    "name", ["DialoguePanel", "DisagreementPanel", "EmergencePanel", "RubricPanel", "AnnotationPanel"]
)
def test_panel_sends_little(made, name):
    found = BENCHMARK["summary"](BENCHMARK["measure"](made[name], "processor"))
    assert len(found) >= 5 and found.loc["first paint", "bytes"] < 600_000, found
    assert found.drop("first paint")["bytes"].max() < 400_000 and found.loc["next", "bytes"] < 150_000, found
