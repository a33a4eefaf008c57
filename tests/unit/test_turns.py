"""Turns are whole numbers from 1 in every table of labels, ratings and annotations; texts of them count as numbers."""

import pandas as pd
import pytest

from anthrokit.analysis import emergence, simulate_labels
from anthrokit.core import TableError
from anthrokit.validity import corrected_rates, effective_votes, judge_accuracy
from anthrokit.validity.accuracy import panel_verdicts
from anthrokit.validity.annotators import annotation_progress, annotator_agreement
from anthrokit.validity.correction import prediction_powered_differences
from anthrokit.validity.judge_biases import judge_errors
from anthrokit.validity.judge_checks import error_bias

LABELS = simulate_labels(2, base_prompts=8, scenarios=1, turns=4, rates={"empathy": 0.4}, judge_error=0.2, seed=1)
ITEM = ["dialogue_id", "turn", "behaviour"]
PEOPLE = LABELS.rename(columns={"truth": "verdict"})[[*ITEM, "verdict"]]
RATINGS = LABELS.melt(ITEM, ["synthetic judge 1", "synthetic judge 2"], "judge", "verdict").assign(sample=1)
SHEETS = pd.concat([PEOPLE.assign(annotator=name, shared=True) for name in ("Ada", "Bo")], ignore_index=True)
FEW = {"n_resamples": 20}
OF_LABELS = {
    "panel_verdicts": panel_verdicts,
    "judge_accuracy": lambda labels: judge_accuracy(labels, PEOPLE),
    "effective_votes": lambda labels: effective_votes(labels, PEOPLE, **FEW),
    "corrected_rates": lambda labels: corrected_rates(labels, PEOPLE),
    "prediction_powered": lambda labels: prediction_powered_differences(labels, PEOPLE),
    "error_bias": lambda labels: error_bias(labels, PEOPLE, "turn"),
    "judge_errors": judge_errors,
    "emergence": emergence,
}
OF_OTHERS = {
    "ratings": (lambda ratings: panel_verdicts(ratings), RATINGS),
    "people": (lambda people: judge_accuracy(LABELS, people), PEOPLE),
    "decided": (lambda people: judge_accuracy(LABELS, people), PEOPLE.rename(columns={"verdict": "truth"})),
    "queues": (lambda queues: annotation_progress(queues, SHEETS), SHEETS),
    "annotations": (lambda sheets: annotation_progress(SHEETS, sheets), SHEETS),
    "agreement": (lambda sheets: annotator_agreement(sheets), SHEETS),
}
CASES = {name: (function, LABELS) for name, function in OF_LABELS.items()} | OF_OTHERS


@pytest.mark.parametrize("value", ["four", 0, "0", 2.5, None])
@pytest.mark.parametrize("case", CASES)
def test_no_turn(case, value):
    function, table = CASES[case]
    wrong = table.assign(turn=[table["turn"].iloc[0], value, *table["turn"].iloc[2:]])
    with pytest.raises(TableError, match=r"column turn.* in row 2|row 2, column turn"):
        function(wrong)


@pytest.mark.parametrize("written", [str, "{}.0".format, float])
@pytest.mark.parametrize("case", CASES)
def test_text_of_turn(case, written):
    function, table = CASES[case]
    pd.testing.assert_frame_equal(function(table.assign(turn=table["turn"].map(written))), function(table))


