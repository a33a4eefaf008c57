"""Figures of names that are hostile or merely long, and of tables at any level of confidence."""

import hostile
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from anthrokit import analysis, figures

matplotlib.use("agg")
pytestmark = pytest.mark.filterwarnings("error::UserWarning", "error::RuntimeWarning")

LONG = [f"laboratory/family/a-model-with-a-rather-long-name-at-step-{step}000" for step in (1, 2)]
NAMES = {"long": LONG, "wide": ["W" * 20_000, "V" * 20_000], "Chinese": ["通义千问大模型" * 5, "豆包" * 20]}
NAMES |= {f"hostile {at}": hostile.PAYLOADS[at : at + 2] for at in range(0, len(hostile.PAYLOADS), 2)}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def drawn(names, labels, **level):
    "Every figure of names, of labels whose targets and first behaviours have these names."
    one = labels[labels["target"] == names[0]]
    both, resampled = ("target", "behaviour"), level | {"n_resamples": 99}
    table = pd.DataFrame([[10.0, 20.0], [30.0, 40.0]], index=names, columns=names)
    yield figures.plot_profile(analysis.profile(labels, **level))
    yield figures.plot_differences(analysis.compare(labels, n_swaps=99, **level))
    yield figures.plot_odds(analysis.carry_over(labels, by=both, **level))
    yield figures.plot_similarity(analysis.similarity(labels, **resampled))
    yield figures.plot_emergence(analysis.emergence(one, **level))
    yield figures.plot_late(analysis.late_share(labels, by=both, **level))
    yield figures.plot_snowball(analysis.snowball(one, **level))
    yield figures.plot_agreement(analysis.agreement(one, **resampled))
    if not level:
        yield figures.plot_heatmap(analysis.profile(labels, by=both), "target")
        yield figures.plot_radar(analysis.profile(labels, by=both), "target")
        yield figures.plot_scores(table)
        yield figures.plot_ranks(table.iloc[:, 0].rename("all"), table.iloc[:, 1].rename("hard"))
        yield figures.plot_counts(table)


def named(names):
    labels = analysis.simulate_labels(names, base_prompts=10, seed=1)
    behaviours = dict(zip(labels["behaviour"].unique(), names, strict=False))
    return labels.assign(behaviour=labels["behaviour"].replace(behaviours))


@pytest.mark.parametrize("kind", NAMES)
def test_no_name_warns_or_leaves_no_room(kind):
    for ax in drawn(NAMES[kind], named(NAMES[kind])):
        ax.figure.canvas.draw()
        assert ax.get_window_extent().width > 0.1 * ax.figure.bbox.width
        assert all(len(text.get_text()) < 400 for text in ax.figure.findobj(matplotlib.text.Text))


def test_long_names_that_end_differently_stay_apart():
    assert len({figures.shown(name) for name in LONG}) == 2
    legend = figures.plot_profile(analysis.profile(named(LONG))).get_legend()
    assert len({text.get_text() for text in legend.get_texts()}) == 2


@pytest.mark.parametrize("ci, said", [(0.9, "90 % interval"), (0.995, "99.5 % interval")])
def test_figures_name_the_level_of_their_table(ci, said):
    for ax in drawn(["a", "b"], named(["a", "b"]), ci=ci):
        texts = " ".join(text.get_text() for text in ax.figure.findobj(matplotlib.text.Text))
        assert said in texts.replace("\n", " ") and "95 %" not in texts


def test_a_table_without_a_level_is_given_none():
    ax = figures.plot_profile(analysis.profile(named(["a", "b"])).drop(columns="ci"))
    assert "with interval (10 base prompts)" in ax.get_xlabel()
    mixed = pd.DataFrame({"ci": [0.9, np.nan, 0.95]})
    assert figures.interval(mixed) == "90 % and 95 % interval"
