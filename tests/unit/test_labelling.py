"""Labelling by hand, from a draw of a given size to corrected rates."""

import numpy as np
import pandas as pd
import pytest

import anthrokit as ak
from anthrokit.core import TableError
from anthrokit.validity import corrected_rates, judge_accuracy


def test_total_and_chosen_behaviours(tmp_path):
    run = ak.demo_run(tmp_path / "run")
    panel = ak.AnnotationPanel(run, total=12, behaviours=["empathy", "validation", "emotions"], annotator="Ada")
    assert panel.sheet["behaviour"].value_counts().to_dict() == {"empathy": 4, "validation": 4, "emotions": 4}
    assert ak.AnnotationPanel(run, total=12, behaviours=["empathy", "validation", "emotions"]).sheet.equals(
        panel.sheet
    )
    with pytest.raises(ValueError, match="total is a whole number of 1 or more, not 0"):
        ak.draw_annotation_sample(run, total=0)


def test_unjudged_run_raises(tmp_path):
    run = ak.Run(tmp_path / "run")
    with pytest.raises(TableError, match="has no labels.*Judge it first"):
        ak.AnnotationPanel(run, annotator="Ada")
    with pytest.raises(TypeError, match="the gateway of a study, started.*not Run"):
        ak.panels.ChatPanel(run)
    for panel in (ak.DialoguePanel(run), ak.DisagreementPanel(run), ak.EmergencePanel(run)):
        assert panel.items == [] and panel.static_html()


def test_disputed_behaviours_first(tmp_path):
    run = ak.demo_run(tmp_path / "run")
    panel = ak.AnnotationPanel(run, 4, annotator="Ada")
    names = panel.sheet["behaviour"].iloc[[int(item) for item in panel.items]].drop_duplicates().tolist()
    split = [panel.split[name] for name in names]
    assert split == sorted(split, reverse=True) and split[0] > split[-1]


def test_accuracy_at_the_end(tmp_path):
    run = ak.demo_run(tmp_path / "run")
    panel = ak.AnnotationPanel(run, total=16, behaviours=["empathy", "validation"], annotator="Ada")
    for number in range(16):
        panel.do("decide", "yes" if number % 2 else "no")
    page = panel.static_html()
    assert "Thank you" in page and "The judges against people" in page
    recall = judge_accuracy(run, run.annotations(), by="judge").set_index(["judge", "measure"]).loc[("panel", "recall")]
    assert f"{recall['estimate']:.2f}" in page
    rates = ak.corrected_rates(run.labels(), run.annotations())
    assert set(rates.loc[rates["n_positive"].notna(), "behaviour"]) == {"empathy", "validation"}


def test_accuracy_table_without_behaviour_raises(tmp_path):
    labels = ak.analysis.simulate_labels(1, base_prompts=10, judge_error=0.1)
    people = labels.rename(columns={"truth": "verdict"})[["dialogue_id", "turn", "behaviour", "verdict"]]
    with pytest.raises(TableError, match="needs the column.s. behaviour"):
        ak.corrected_rates(labels, judge_accuracy(labels, people, by="judge"))


def test_prediction_powered_against_truescore():
    """truescore, on labels drawn by chance from messages that are clusters of their own."""
    truescore = pytest.importorskip("truescore")
    random = np.random.default_rng(3)
    truth = random.random(3000) < 0.3
    verdicts = np.where(random.random(3000) < np.where(truth, 0.85, 0.93), truth, ~truth)
    ids = {"dialogue_id": np.arange(3000).astype(str), "turn": 1, "behaviour": "b"}
    labels = pd.DataFrame({**ids, "target": "t", "base_id": ids["dialogue_id"], "j": verdicts, "label": verdicts})
    sampled = random.choice(3000, 300, replace=False)
    people = labels.iloc[sampled][["dialogue_id", "turn", "behaviour"]].assign(verdict=truth[sampled])
    ours = corrected_rates(labels, people, "behaviour", method="prediction_powered").iloc[0]
    share = 2700 / 3000  # truescore's first mean is over the messages that people didn't label
    theirs = truescore.ppi_estimate(verdicts * 1.0, truth[sampled] * 1.0, sampled, lambda_=ours["power"] * share)
    assert ours["estimate"] == pytest.approx(theirs.point, abs=1e-9)
    assert ours["ci_high"] - ours["ci_low"] == pytest.approx(theirs.high - theirs.low, rel=0.1)
