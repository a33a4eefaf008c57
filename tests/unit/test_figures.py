"""Figures at every width, of names that are hostile or merely long, and of tables at any level of confidence."""

import warnings
from itertools import product

import canvas
import hostile
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from anthrokit import analysis, corrected_rates, figures, heartbench
from anthrokit.core import data_path

matplotlib.use("agg")
pytestmark = pytest.mark.filterwarnings("error::UserWarning", "error::RuntimeWarning")

LONG = [f"laboratory/family/a-model-with-a-rather-long-name-at-step-{step}000" for step in (1, 2)]
NAMES = {"long": [*LONG, "W" * 20_000, "V" * 20_000, "通义千问大模型" * 5, "豆包" * 20]}
# A figure takes elements, and what ends an attribute or an element, for plain words: six stand for all.
NAMES |= {"elements": [*hostile.ELEMENTS[::6], hostile.ESCAPES[4]], "escapes": hostile.ESCAPES[7:], "misleading": hostile.MISLEADING}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def figure_of(made):
    """The figure of what a figure function returns: Axes, or a list of them."""
    return (made[0] if isinstance(made, list) else made).figure


def draw_figures(names, labels, **level):
    """Every figure of names, of labels whose targets and first behaviours have these names."""
    one = labels[labels["target"] == names[0]]
    both, resampled = ("target", "behaviour"), level | {"n_resamples": 99}
    table = pd.DataFrame(np.arange(10.0, 10.0 + len(names) ** 2).reshape(len(names), -1), names, names)
    yield figures.plot_profile(analysis.profile(labels, **level))
    differences = analysis.compare(labels, n_swaps=99, **level)
    yield figures.plot_differences(differences[differences["a"] == differences["a"].iloc[0]])
    yield figures.plot_odds(analysis.carry_over(labels, by=both, **level))
    yield figures.plot_similarity(analysis.similarity(labels, **resampled))
    yield figures.plot_emergence(analysis.emergence(one, **level))
    yield figures.plot_late(analysis.late_share(labels, by=both, **level))
    yield figures.plot_snowball(analysis.snowball(one, **level))
    yield figures.plot_agreement(analysis.agreement(one, **level))
    if not level:
        yield figures.plot_scores(table)
        yield figures.plot_ranks(table.iloc[:, 0].rename("all"), table.iloc[:, 1].rename("hard"))
        yield figures.plot_counts(table)


def named(names):
    labels = analysis.simulate_labels(names, base_prompts=10, scenarios=2, seed=1)
    behaviours = dict(zip(labels["behaviour"].unique(), names, strict=False))
    return labels.assign(behaviour=labels["behaviour"].replace(behaviours))


@pytest.mark.slow
@pytest.mark.parametrize("kind", NAMES)
def test_hostile_names(kind):
    for figure in map(figure_of, draw_figures(NAMES[kind], named(NAMES[kind]))):
        figure.draw_without_rendering()
        assert figure.axes[0].get_window_extent().width > 0.1 * figure.bbox.width
        assert all(len(text.get_text()) < 400 for text in figure.findobj(matplotlib.text.Text))


def test_long_names_stay_distinct():
    assert len({figures.style.shorten_name(name) for name in LONG}) == 2
    legend = figures.plot_profile(analysis.profile(named(LONG))).get_legend()
    assert len({text.get_text() for text in legend.get_texts()}) == 2


def test_chinese_names_with_a_font():
    try:
        figures.style.chinese_font()
    except RuntimeError as error:
        pytest.skip(str(error))
    table = pd.DataFrame({"奖励": [3], "b": [2]}, index=["共情能力"])
    figures.plot_scores(table).figure.draw_without_rendering()  # a missing glyph would be a warning
    ax = figures.plot_counts(table)
    ax.figure.draw_without_rendering()
    assert [ax.get_yticklabels()[0].get_text(), ax.get_legend().get_texts()[0].get_text()] == ["共情能力", "奖励"]
    assert matplotlib.rcParams["font.family"] == ["sans-serif"]


@pytest.mark.parametrize(("ci", "level_text"), [(0.9, "90 % interval"), (0.995, "99.5 % interval")])
def test_confidence_levels(ci, level_text):
    for figure in map(figure_of, draw_figures(["a", "b"], named(["a", "b"]), ci=ci)):
        texts = " ".join(text.get_text() for text in figure.findobj(matplotlib.text.Text))
        assert level_text in texts.replace("\n", " ") and "95 %" not in texts


def test_missing_confidence_level():
    ax = figures.plot_profile(analysis.profile(named(["a", "b"])).drop(columns="ci"))
    assert "with interval (10 clusters)" in ax.get_xlabel()
    mixed = pd.DataFrame({"ci": [0.9, np.nan, 0.95]})
    assert figures.style.describe_interval(mixed) == "90 % and 95 % interval"


def gallery():
    """For every figure function what it is drawn from: published tables, synthetic labels, the bundled answers."""
    labels = analysis.simulate_labels(["synthetic A", "synthetic B"], base_prompts=20, judges=3, seed=1)
    one = labels[labels["target"] == "synthetic A"]
    erring = analysis.simulate_labels(1, base_prompts=30, scenarios=4, turns=3, judge_error=0.1, seed=1)
    people = erring.sample(900, random_state=0).rename(columns={"truth": "verdict"})
    people = people[["dialogue_id", "turn", "behaviour", "verdict"]]
    published = pd.read_csv(data_path("published/heartbench_figure4_all.csv"), index_col="model")
    hard = pd.read_csv(data_path("published/heartbench_figure5_hard.csv"), index_col="model")
    ten = pd.read_csv(data_path("published/replication_profiles.csv"))
    ten = ten.pivot_table(index=["model", "behaviour"], columns="turns", values="percent_of_messages")
    answers = np.random.default_rng(0).normal(3, 1, 60)
    published_options = {"title": "Published: HeartBench report, Figure 4, n = 296 cases", "beside": published.mean(axis=1).rename("Words")}
    verdicts = heartbench.bundled_verdicts(writers=heartbench.cases.WRITERS)
    answered = heartbench.bundled_answers()  # in Chinese and in English; spaCy takes seconds to be loaded
    patterns = heartbench.writing_patterns.patterns(answered[answered["case_id"].str.startswith("zh")])
    patterns = heartbench.writing_patterns.patterns_and_scores(heartbench.bundled_verdicts(), patterns, n_resamples=50)
    four = ["validation", "empathy", "emotions", "desires"]
    ten = ten.reset_index().assign(behaviour=lambda frame: frame["behaviour"].str.lower())
    eight = [f"anthropic/claude-sonnet-4-5-{day}-thinking-{depth}" for day in range(20250101, 20250105) for depth in ("high", "low")]
    long = {name: f"a user-defined behaviour, no {number}" for number, name in enumerate(labels["behaviour"].unique())}
    wordy = labels.assign(behaviour=labels["behaviour"].map(long))
    return [
        (figures.plot_similarity, [analysis.similarity(analysis.simulate_labels(eight, base_prompts=5), n_resamples=9)], {}),
        (figures.plot_snowball_matrix, [analysis.snowball_matrix(one)], {}),
        (figures.plot_snowball, [analysis.snowball(wordy[wordy["target"] == "synthetic A"])], {}),
        (figures.plot_emergence, [analysis.emergence(wordy)], {}),
        (figures.plot_odds, [analysis.carry_over(wordy, by=("target", "behaviour"))], {}),
        (heartbench.plot_abilities, [published.head(8).set_axis(eight)], {"title": "Published: n = 296 cases"}),
        (figures.plot_profile, [analysis.profile(labels)], {}),
        (figures.plot_profile, [analysis.profile(one, by=("domain", "behaviour"))], {}),
        (figures.plot_corrected, [corrected_rates(erring, people)], {}),
        (figures.plot_differences, [analysis.compare(labels, n_swaps=99)], {}),
        (figures.plot_odds, [analysis.factor_model(one)], {}),
        (figures.plot_similarity, [analysis.similarity(labels, n_resamples=99)], {}),
        (figures.plot_emergence, [analysis.emergence(one)], {}),
        (figures.plot_emergence, [analysis.emergence(labels)], {}),
        (figures.plot_emergence_curves, [analysis.emergence(one, by="category")], {}),
        (figures.plot_late, [analysis.late_share(labels)], {}),
        (figures.plot_snowball, [analysis.snowball(one)], {}),
        (figures.plot_snowball_matrix, [analysis.snowball_matrix(one[one["category"] == "internal states"])], {}),
        (figures.plot_agreement, [analysis.agreement(one)], {}),
        (figures.plot_conditions, [pd.DataFrame({"condition": ["high", "low"] * 30, "score": answers})], {}),
        (figures.plot_scores, [published], published_options),
        (figures.plot_ranks, [published.mean(axis=1).rename("All cases"), hard.mean(axis=1).rename("Hard")], {}),
        (figures.plot_counts, [pd.DataFrame({"report": [30, 12], "data": [2, 9]}, ["Interpersonal", "Humor"])], {"label": "n"}),
        (figures.plot_slopes, [ten, "behaviour", 5, 10], {"panels": four, "title": "Published: 15 models"}),
        (figures.plot_holding, [analysis.holding(labels, "validation")], {}),
        (figures.plot_drift, [analysis.drift(labels, 0.05, "target", n_swaps=99)], {}),
        (heartbench.plot_abilities, [heartbench.target_scores(verdicts)], {}),
        (heartbench.plot_radar, [heartbench.target_scores(verdicts)], {}),
        (heartbench.figures.plot_normalisation, [], {}),
        (heartbench.writing_patterns.plot_patterns, [patterns], {}),
        (heartbench.personas.plot_personas, [heartbench.target_scores(verdicts)], {}),
        (heartbench.plot_abilities, [published, 5 * published.sum(axis=1)], {"title": published_options["title"]}),
        (heartbench.figures.plot_criteria, [heartbench.load_cases("bundled")], {}),
        (heartbench.figures.plot_case_scores, [verdicts], {}),
    ]


def test_empty_figures():
    """Two turns have none between them; differences that all are clear have no hollow mark."""
    labels = analysis.simulate_labels(2, base_prompts=10, seed=1)
    emergence = analysis.emergence(labels[labels["turn"] < 3], by=["target", "behaviour"])
    differences = analysis.compare(labels, n_swaps=99).assign(p_adjusted=0.001)
    for figure in map(figure_of, (figures.plot_emergence(emergence), figures.plot_differences(differences))):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            figure.canvas.draw()
        assert not canvas.faults(figure)


@pytest.mark.slow
def test_text_overlap_and_cuts():
    """In every figure, as saved in each style: the width of a column, of a slide and of a notebook."""
    modules, drawings, faults_by_figure = (figures, heartbench), gallery(), {}
    public = {getattr(module, name) for module in modules for name in module.__all__ if name.startswith("plot_")}
    assert public <= {draw for draw, *_ in drawings}
    for (style, size), (place, (draw, arguments, options)) in product(figures.style.STYLES.items(), enumerate(drawings)):
        figure, name = figure_of(draw(*arguments, style=style, **options)), f"{style} {place} {draw.__name__}"
        faults_by_figure[name] = canvas.faults(figure) + canvas.overflowing(figure)
        # In print 5 points, on a slide 9, and in a README of 1,280 pixels 9 pixels.
        least = {"paper": 5, "slide": 9, "notebook": 9 * 72 * figure.get_figwidth() / 1280}[style]
        texts = canvas.texts_of(figure)
        faults_by_figure[f"{name} text"] = canvas.illegible(texts, figure, least)
        faults_by_figure[f"{name} n"] = [] if canvas.sizes(texts) or draw.__name__ == "plot_normalisation" else ["no n"]
        assert figure.get_figwidth() in {size.width or figure.get_figwidth(), size.wide}, (style, draw.__name__)
        assert figure.get_figheight() <= (size.height or np.inf), (style, draw.__name__)
        plt.close(figure)
    faulty = {name: faults for name, faults in faults_by_figure.items() if faults}
    assert not faulty, "\n".join(f"{name}: {faults[:3]}" for name, faults in faulty.items())


def test_titles_of_panels_do_not_overlap():
    @figures.style.themed
    def draw(frame):
        axes = plt.subplots(2, 3, figsize=(6, 3))[1].ravel()
        for ax in axes:
            ax.set_title("a model with a rather long name\nn = 37 to 40")
        return list(axes)

    assert not canvas.faults(figure_of(draw(pd.DataFrame())))


def test_text_check_finds_faults():
    figure, ax = plt.subplots(figsize=(3, 2))
    ax.text(0.5, 0.5, "grey", color="#999999")
    ax.text(0.1, 0.1, "tiny", fontsize=4)
    texts = canvas.texts_of(figure)
    assert [fault.split(" has ")[0] for fault in canvas.illegible(texts, figure, 5)] == ["pale: 'grey'", "small: 'tiny'"]
    assert not canvas.sizes(texts)


def test_heat_map_check_finds_wide_numbers():
    figure, ax = plt.subplots(figsize=(3, 2))
    ax.pcolormesh(np.zeros((1, 12)))
    ax.text(0.5, 0.5, "100.0")
    assert canvas.overflowing(figure) == ["wider than its cell: '100.0'"]


def test_canvas_check_finds_faults():
    figure, ax = plt.subplots(figsize=(3, 2))
    ax.set_xlabel("a label that is much too long for a figure of three inches")
    ax.text(0.5, 0.5, "one")
    ax.text(0.52, 0.52, "another")
    first, second = canvas.faults(figure)
    assert first.startswith("cut: 'a label") and second == "'one' on 'another'"


def test_data_saved_beside_picture(tmp_path):
    """Also of several panels in one figure; of people only what is drawn."""
    shares = analysis.profile(analysis.simulate_labels(["A", "B"], base_prompts=8))
    figure, axes = plt.subplots(1, 2)
    for ax, (_, part) in zip(axes, shares.groupby("target"), strict=True):
        figures.plot_profile(part, ax=ax)
    assert [file.name for file in figures.save(figure, tmp_path / "two", ["png"])][1:] == ["two_1.csv", "two_2.csv"]
    back = pd.concat([pd.read_csv(tmp_path / f"two_{number}.csv", index_col=0) for number in (1, 2)])
    np.testing.assert_allclose(back["estimate"], shares["estimate"].astype(float), rtol=1e-5)
    people = pd.DataFrame({"condition": list("aabb"), "score": [1, 2, 3, 4], "name": ["Ann", "Bob", "Cy", "Di"]})
    figures.save(figures.plot_conditions(people), tmp_path / "people", ["svg"])
    assert "Ann" not in (tmp_path / "people.csv").read_text()


def test_paper_width(tmp_path):
    from PIL import Image

    shares = analysis.profile(analysis.simulate_labels(1, base_prompts=8))
    figures.save(figures.plot_profile(shares, style="paper"), tmp_path / "column")
    assert Image.open(tmp_path / "column.png").width == round(200 * 85 / 25.4)
    assert 'width="240.9' in (tmp_path / "column.svg").read_text()  # points


def test_underscore_names_in_legend():
    """Matplotlib leaves labels out that begin with an underscore."""
    labels = analysis.simulate_labels(["_under_", "low"], base_prompts=6, rates={"empathy": 0.4, "agency": 0.3})
    pair = analysis.compare(labels, "target", pairs=[("_under_", "low")])
    for ax in (figures.plot_profile(analysis.profile(labels)), figures.plot_differences(pair)):
        assert "_under_" in ax.get_legend().get_texts()[0].get_text()
        plt.close(ax.figure)


def test_rows_without_target():
    """They are drawn, under the name that other figures give them."""
    labels = analysis.simulate_labels(["A", "B"], base_prompts=10, rates={"empathy": 0.4, "emotions": 0.2})
    labels["target"] = labels["target"].where(labels["target"] == "A")
    for ax in (figures.plot_late(analysis.late_share(labels)), figures.plot_odds(analysis.carry_over(labels, ("target", "behaviour")))):
        first, second = (text.get_text() for text in ax.get_legend().get_texts())
        assert first.startswith("A: ") and second.startswith("missing: ") and "n = " in second
