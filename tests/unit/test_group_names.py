"""A group can't have the name of a column of the result: a TableError says so before any work."""

import numpy as np
import pandas as pd
import pytest

from anthrokit import analysis
from anthrokit.analysis.interrater import missingness, pairwise_agreement
from anthrokit.analysis.pressure import escalation, recovery
from anthrokit.core import TableError
from anthrokit.judging import PronounCounter, judge
from anthrokit.report import demo_run
from anthrokit.validity import corrected_rates, dose_response, labels_needed, panel_sensitivity, turning_point
from anthrokit.validity.correction import prediction_powered_differences, rate_bounds

LABELS = analysis.simulate_labels(2, base_prompts=6, scenarios=2, turns=2, rates={"empathy": 0.4}, judge_error=0.2, seed=1)
PEOPLE = LABELS.rename(columns={"truth": "verdict"})[["dialogue_id", "turn", "behaviour", "verdict"]]
DOSES = pd.DataFrame({"person": [f"p{n}" for n in range(36)], "dose": [0.0, 0.5, 1.0] * 12, "value": [1.0, 2.0, 4.0, 2.0] * 9})
FEW, BY = {"n_resamples": 10}, ["behaviour"]
OF_CODE = ["_yes", "_scored", "_group", "_cluster", "_dialogue", "_value", "yes", "cluster", "status", "n_turns"]
CASES = {
    "profile": lambda labels, name: analysis.profile(labels, [*BY, name]),
    "agreement": lambda labels, name: analysis.agreement(labels, [*BY, name]),
    "pairwise_agreement": lambda labels, name: pairwise_agreement(labels, [*BY, name]),
    "carry_over": lambda labels, name: analysis.carry_over(labels, [*BY, name]),
    "compare": lambda labels, name: analysis.compare(labels, "target", [*BY, name], n_swaps=10),
    "drift": lambda labels, name: analysis.drift(labels, 0.1, "target", by=[*BY, name], n_swaps=10),
    "emergence": lambda labels, name: analysis.emergence(labels, [*BY, name]),
    "late_behaviours": lambda labels, name: analysis.late_behaviours(labels, [*BY, name]),
    "snowball": lambda labels, name: analysis.snowball(labels, [*BY, name]),
    "kruskal_wallis": lambda labels, name: analysis.kruskal_wallis(labels, "target", [*BY, name]),
    "factor_model": lambda labels, name: analysis.factor_model(labels, "target", [*BY, name]),
    "missingness": lambda labels, name: missingness(labels.assign(judge="j", reason="", status="refused"), [*BY, name]),
    "flips": lambda labels, name: analysis.flips(labels, "empathy", name),
    "escalation": lambda labels, name: escalation(labels, [*BY, name]),
    "recovery": lambda labels, name: recovery(labels, "empathy", 2, by=name),
    "mirrored": lambda labels, name: analysis.mirrored(labels.assign(side=labels["scenario"]), "empathy", name),
    "corrected": lambda labels, name: corrected_rates(labels, PEOPLE, [*BY, name]),
    "powered": lambda labels, name: corrected_rates(labels, PEOPLE, [*BY, name], method="prediction_powered"),
    "powered differences": lambda labels, name: prediction_powered_differences(labels, PEOPLE, by=[*BY, name]),
    "labels_needed": lambda labels, name: labels_needed(labels, 0.5, [*BY, name]),
    "panel_sensitivity": lambda labels, name: panel_sensitivity(labels.assign(user=labels["scenario"]), [*BY, name], of="users"),
    "rate_bounds": lambda labels, name: rate_bounds(labels, [*BY, name]),
    "dose_response": lambda labels, name: dose_response(DOSES.assign(**{name: "x"}), by=[name], shape="monotone"),
    "turning_point": lambda labels, name: turning_point(DOSES.assign(**{name: "x"}), by=[name]),
}


def grouped(case, name):
    return CASES[case](LABELS.assign(**{name: LABELS["scenario"]}), name)


@pytest.mark.parametrize("case", CASES)
def test_columns_of_result(case):
    """Each column of the result, and each name that the code uses, is refused or gives the same result under its own name."""
    whole = grouped(case, "kind")
    own = [name for name in whole.columns if name not in (*LABELS.columns, *DOSES.columns, "kind")]
    for name in dict.fromkeys([*own, "a", "b", "measure", "note", "first_turn", "occurred", "n", *OF_CODE]):
        try:
            found = grouped(case, name)
            assert found.columns.is_unique, name
            pd.testing.assert_frame_equal(found, whole.rename(columns={"kind": name}))
        except TableError as error:
            assert "is a column of the result, too; rename yours" in str(error), (name, str(error))


@pytest.mark.parametrize("name", ["truth", "measure", "first_turn", "occurred"])
@pytest.mark.parametrize("case", ["profile", "compare", "labels_needed", "dose_response", "turning_point"])
def test_columns_of_other_results(case, name):
    """Columns of other results are groups here, as the truth of simulated labels."""
    assert name in grouped(case, name).columns


@pytest.mark.parametrize("name", ["_yes", "_scored", "_base", "_cell", "scored", "level"])
def test_columns_that_are_compared(name):
    """The names of counts are no reserved names of the column whose levels are compared."""
    labels, few = LABELS.assign(**{name: LABELS["target"]}), {"n_swaps": 10}
    pd.testing.assert_frame_equal(analysis.compare(labels, name, **few), analysis.compare(labels, "target", **few))
    pd.testing.assert_frame_equal(analysis.drift(labels, 0.1, name, **few), analysis.drift(labels, 0.1, "target", **few))
    pd.testing.assert_frame_equal(analysis.kruskal_wallis(labels, name), analysis.kruskal_wallis(labels, "target"))
    differences = [analysis.compare_differences(labels, one, "scenario") for one in (name, "target")]
    pd.testing.assert_frame_equal(*differences)


def test_base_prompts_are_no_groups():
    """The levels of base_id never share a base prompt: refused before any counting."""
    with pytest.raises(TableError, match="no two levels of base_id share a base prompt .* Name another column as group"):
        analysis.compare(LABELS.drop(columns="label").assign(label="not read"), "base_id")


@pytest.mark.parametrize("whole", [np.int64, np.int32])
def test_numbers_of_numpy(whole):
    """Whole numbers of numpy count as whole numbers."""
    few = {"base_prompts": 3, "scenarios": 2, "turns": 2}
    made = analysis.simulate_labels(whole(2), **{name: whole(number) for name, number in few.items()}, seed=whole(1))
    pd.testing.assert_frame_equal(made, analysis.simulate_labels(2, **few, seed=1))


def test_judge_named_like_a_design_column():
    """Both would be columns of the labels, so a judge is refused before any rating."""
    with demo_run() as run:
        about = {"dialogue_id": run.dialogues()["dialogue_id"][0], "name": "pronoun count", "value": '"May"'}
        run.ledger.write("metadata", [about])
        with pytest.raises(TableError, match="'pronoun count' is a judge and a column of the design"):
            judge(run, PronounCounter())
