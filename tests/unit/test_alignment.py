"""Alignment of offline judges on people's public labels."""

import pytest

from anthrokit.core import TableError
from anthrokit.validity import align, check_against_people, load_human_data
from anthrokit.validity.human_data import dataset_behaviours


@pytest.mark.slow
def test_threshold_improves_on_held_out_labels(public_data):
    from anthrokit.judging.offline import embedding_judge

    people, behaviours = load_human_data("robots_dont_cry"), dataset_behaviours("robots_dont_cry")
    aligned = align(embedding_judge(), people, behaviours)
    kappa = aligned.report.query("measure == \"Cohen's kappa\"").set_index("when")["estimate"]
    assert kappa["after"] > kappa["before"]
    with pytest.raises(TableError, match="was tuned on"):
        check_against_people(people, [aligned], behaviours)
    held_out = people.loc[aligned.split.loc[aligned.split["split"] == "test"].index]
    again = check_against_people(held_out, [aligned], behaviours, n_resamples=0).query("judge != 'one person'")
    assert again.set_index("measure")["estimate"]["kappa"] == pytest.approx(kappa["after"])
