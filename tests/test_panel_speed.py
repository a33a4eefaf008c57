"""Panels follow their controls at once, and send what is in view, never the run; the bounds are generous."""

import panels as benchmark
import pytest


@pytest.fixture(scope="module")
def made():
    "What makes each panel over a quarter of a study and of a HeartBench."
    return benchmark.panels(base_prompts=30, n_cases=74)


@pytest.mark.parametrize(
    "name", ["DialoguePanel", "DisagreementPanel", "EmergencePanel", "RubricPanel", "AnnotationPanel"]
)
def test_panel_is_quick_and_sends_little(made, name):
    benchmark.measure(made[name], "processor")
    found = benchmark.summary(benchmark.measure(made[name], "processor"))
    first, controls = found.loc["first paint"], found.drop("first paint")
    assert first["longest"] < 3000 and first["bytes"] < 600_000, found
    assert len(controls) >= 3 and controls["median"].max() < 600, found
    assert controls["bytes"].max() < 400_000, found
