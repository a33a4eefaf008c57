"""Labelling by hand, from a draw of a given size to corrected rates."""

import pytest

import anthrokit as ak
from anthrokit.core import TableError
from anthrokit.panels.annotation import Deck
from anthrokit.validity import judge_accuracy


def test_a_total_and_behaviours_to_choose(tmp_path):
    run = ak.demo_run(tmp_path / "run")
    panel = ak.AnnotationPanel(run, total=12, behaviours=["empathy", "validation", "emotions"], annotator="Ada")
    assert panel.source.sheet["behaviour"].value_counts().to_dict() == {"empathy": 4, "validation": 4, "emotions": 4}
    assert ak.AnnotationPanel(run, total=12, behaviours=["empathy", "validation", "emotions"]).source.sheet.equals(
        panel.source.sheet
    )
    with pytest.raises(ValueError, match="total is 0"):
        ak.draw_annotation_sample(run, total=0)


def test_behaviours_that_split_the_judges_come_first(tmp_path):
    run = ak.demo_run(tmp_path / "run")
    deck = Deck(run, 4)
    names = deck.sheet["behaviour"].iloc[deck.order("Ada")].drop_duplicates().tolist()
    split = [deck.split[name] for name in names]
    assert split == sorted(split, reverse=True) and split[0] > split[-1]


def test_the_end_says_how_well_the_judges_did(tmp_path):
    run = ak.demo_run(tmp_path / "run")
    panel = ak.AnnotationPanel(run, total=16, behaviours=["empathy", "validation"], annotator="Ada")
    for number in range(16):
        panel.do("verdict", "yes" if number % 2 else "no")
    shown = panel.static_html()
    assert "Thank you" in shown and "The judges against people" in shown
    found = judge_accuracy(run, run.annotations(), by="judge").set_index(["judge", "measure"]).loc[("panel", "recall")]
    assert f"{found['estimate']:.2f}" in shown
    rates = ak.corrected_rates(run.labels(), run.annotations())
    assert set(rates.loc[rates["n_positive"].notna(), "behaviour"]) == {"empathy", "validation"}


def test_a_table_of_accuracy_says_what_it_lacks(tmp_path):
    labels = ak.analysis.simulate_labels(1, base_prompts=10, judge_error=0.1)
    people = labels.rename(columns={"truth": "verdict"})[["dialogue_id", "turn", "behaviour", "verdict"]]
    with pytest.raises(TableError, match="isn't by behaviour"):
        ak.corrected_rates(labels, judge_accuracy(labels, people, by="judge"))
