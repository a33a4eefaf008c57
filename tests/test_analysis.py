"""What the notebooks can't show: properties over many random tables, odd frames, and growth with size."""

import itertools
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from anthrokit import analysis
from anthrokit.core import TableError

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


@st.composite
def tables(draw):
    "A small labels table with gaps, unequal dialogues and missing labels."
    rows, random = [], np.random.default_rng(draw(st.integers(0, 10**6)))
    for target in range(draw(st.integers(1, 3))):
        for base in range(draw(st.integers(2, 6))):
            for dialogue in range(draw(st.integers(1, 3))):
                length = int(random.integers(1, 6))
                shown, gaps = random.random(), random.random() * 0.5
                for turn in range(1, length + 1):
                    for behaviour in ("empathy", "desires", "emotions"):
                        label = None if random.random() < gaps else bool(random.random() < shown)
                        rows.append(
                            (
                                f"m{target}",
                                f"d{target}-{base}-{dialogue}",
                                f"b{base}",
                                turn,
                                behaviour,
                                label,
                            )
                        )
    frame = pd.DataFrame(rows, columns=["target", "dialogue_id", "base_id", "turn", "behaviour", "label"])
    category = {
        "empathy": "relationship building",
        "desires": "internal states",
        "emotions": "internal states",
    }
    frame["category"] = frame["behaviour"].map(category)
    return frame.astype({"label": "boolean"})


many = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@many
@given(tables())
def test_profile_equals_a_loop(labels):
    result = analysis.profile(labels)
    for row in result.itertuples():
        mine = labels[(labels["target"] == row.target) & (labels["behaviour"] == row.behaviour)]
        scored = mine["label"].dropna()
        assert (row.n, row.n_total) == (len(scored), len(mine))
        assert row.n_clusters == mine.loc[mine["label"].notna(), "base_id"].nunique()
        if len(scored):
            assert row.estimate == pytest.approx(scored.mean())
        if row.n_clusters >= 2:
            assert 0 <= row.ci_low <= row.estimate <= row.ci_high <= 1 and row.ci_high - row.ci_low > 1e-6
        else:
            assert np.isnan(row.ci_low)


@many
@given(tables())
def test_first_occurrence_equals_a_loop(labels):
    first = analysis.first_occurrences(labels).set_index(["target", "dialogue_id", "behaviour"])
    for key, mine in labels.groupby(["target", "dialogue_id", "behaviour"]):
        verdicts = mine.sort_values("turn")["label"].tolist()
        expected, seen = pd.NA, 0
        for turn, verdict in enumerate(verdicts, start=1):
            if verdict is pd.NA:
                break
            seen = turn
            if verdict:
                expected = turn
                break
        found = first.loc[key]
        assert found["turns_seen"] == seen
        assert (found["first_turn"] == expected) if expected is not pd.NA else pd.isna(found["first_turn"])


@many
@given(tables(), st.integers(0, 1000))
def test_order_of_rows_and_names_of_clusters_do_not_matter(labels, seed):
    shuffled = labels.sample(frac=1, random_state=seed).assign(base_id=lambda frame: "x" + frame["base_id"])
    for answer in (analysis.profile, analysis.emergence, analysis.snowball, analysis.carry_over):
        keys = [name for name in ("target", "behaviour", "turn") if name in answer(labels).columns]
        one, two = (answer(table).sort_values(keys, ignore_index=True) for table in (labels, shuffled))
        pd.testing.assert_frame_equal(one, two[one.columns], rtol=1e-6)


def test_a_tie_does_not_hang_on_the_order_of_clusters():
    "Here the variance by cluster is that of independent rows but for the last bit, which the order decides."
    successes, totals = np.array([[1.0], [4.0], [1.0], [2.0]]), np.array([[2.0], [5.0], [3.0], [2.0]])
    orders = map(list, itertools.permutations(range(4)))
    found = pd.concat([analysis.proportion(successes[order], totals[order]) for order in orders])
    assert found["ci_low"].max() - found["ci_low"].min() < 1e-9


@many
@given(tables())
def test_incidence_rises_and_is_never_certain(labels):
    result = analysis.emergence(labels, by=("target", "behaviour"))
    for _, part in result.groupby(["target", "behaviour"]):
        shares = part["estimate"].to_numpy()
        assert (np.diff(shares) >= -1e-12).all()
    known = result[result["n_clusters"] >= 2]
    assert (known["ci_high"] - known["ci_low"] > 1e-6).all()


@many
@given(tables())
def test_any_of_is_true_false_or_unknown(labels):
    whole = analysis.any_of(labels).set_index(["dialogue_id", "turn", "category"])["label"]
    for key, mine in labels.groupby(["dialogue_id", "turn", "category"]):
        unknown = mine["label"].isna()
        shown = bool(mine["label"][~unknown].any())
        expected = True if shown else pd.NA if unknown.any() else False
        found = whole.loc[key]
        assert pd.isna(found) if expected is pd.NA else bool(found) is expected


def test_intervals_cover_and_naive_ones_do_not():
    "A short form of benchmarks/coverage.py: 30 base prompts, 120 repetitions."
    from statsmodels.stats.proportion import proportion_confint

    rates, shift, inside, naive = {"rare": 0.05, "common": 0.5}, 0.3, [], []
    true = norm.sf(norm.isf([0.05, 0.5]) - shift) - [0.05, 0.5]
    for seed in range(120):
        labels = analysis.simulate_labels(
            ["a", "b"],
            base_prompts=30,
            rates=rates,
            target_spread=[0.0, shift],
            domain_shift=0,
            judges=1,
            judge_error=0,
            seed=seed,
        )
        profile = analysis.profile(labels[labels["target"] == "a"], by="behaviour")
        both = analysis.compare(labels, n_swaps=1)
        rate = (profile["ci_low"] <= list(rates.values())) & (profile["ci_high"] >= list(rates.values()))
        inside.append([*rate, *((-both["ci_high"] <= true) & (-both["ci_low"] >= true))])
        low, high = proportion_confint(profile["estimate"] * profile["n"], profile["n"], method="wilson")
        naive.append((low <= list(rates.values())) & (high >= list(rates.values())))
    coverage = np.mean(inside, axis=0)
    assert (coverage > 0.89).all() and (coverage < 0.995).all(), coverage
    assert (np.mean(naive, axis=0) < 0.8).all()


def test_no_carry_over_is_found_where_there_is_none():
    "60 tables without carry-over: the test rejects in about 5 % of them; with it, nearly always."
    rates = {"emotions": 0.15, "empathy": 0.45}
    rejected, found = [], []
    for seed in range(60):
        study = {"base_prompts": 40, "rates": rates, "turn_shift": 0.08, "seed": seed}
        rejected.append(analysis.carry_over(analysis.simulate_labels(1, **study))["p_value"] < 0.05)
        if seed < 10:
            found.append(analysis.carry_over(analysis.simulate_labels(1, carry_over=0.6, **study))["ci_low"] > 1)
    assert np.mean(rejected) < 0.12, np.mean(rejected)
    assert np.mean(found) > 0.9


def test_dialogue_ids_that_two_targets_share_stay_apart():
    labels = analysis.simulate_labels(2, base_prompts=4, rates={"empathy": 0.5}, seed=3)
    shared = labels.assign(dialogue_id=labels["prompt_id"])
    for answer in (analysis.profile, analysis.snowball, analysis.late_share, analysis.carry_over):
        pd.testing.assert_frame_equal(answer(labels, by="behaviour"), answer(shared, by="behaviour"))


@pytest.mark.parametrize("kind", [bool, "boolean", float, "Int64", object])
def test_labels_of_any_truth_type(kind):
    labels = analysis.simulate_labels(1, base_prompts=5, rates={"empathy": 0.5}, missing=0, seed=4)
    typed = labels.assign(label=labels["label"].astype(bool).astype(kind))
    pd.testing.assert_frame_equal(analysis.profile(typed), analysis.profile(labels))


def test_missing_marked_as_minus_one_is_refused():
    labels = analysis.simulate_labels(1, base_prompts=5, rates={"empathy": 0.5}, seed=4)
    with pytest.raises(TableError, match="must become NA first"):
        analysis.profile(labels.assign(label=labels["label"].astype("Int64").fillna(-1)))


def test_eight_base_prompts_at_zero_and_one():
    "The shape of a small demonstration run: nothing has zero width, nothing fails."
    labels = analysis.simulate_labels(1, base_prompts=8, scenarios=1, turns=3, seed=5)
    labels["label"] = labels["behaviour"].eq("validation").astype("boolean")
    for table in (
        analysis.profile(labels),
        analysis.emergence(labels),
        analysis.late_share(labels),
        analysis.snowball(labels),
    ):
        known = table.dropna(subset="ci_low")
        assert (known["ci_high"] - known["ci_low"] > 0.05).all()
    assert analysis.profile(labels)["ci_low"].notna().all()
    assert analysis.carry_over(labels)["estimate"].isna().all()
    assert (
        analysis.factor_model(labels.assign(empathy=["high", "low"] * (len(labels) // 2)), factors=["empathy"])[
            "estimate"
        ]
        .isna()
        .all()
    )


def test_time_grows_no_faster_than_the_table():
    "Eight times the rows take less than sixteen times as long: nothing loops over rows."

    def seconds(base_prompts: int) -> float:
        labels = analysis.simulate_labels(2, base_prompts=base_prompts, seed=6)
        times = []
        for _ in range(3):
            began = time.perf_counter()
            analysis.profile(labels)
            analysis.emergence(labels, by=("target", "behaviour"))
            analysis.snowball(labels)
            times.append(time.perf_counter() - began)
        return min(times)

    seconds(4)
    assert seconds(120) < 16 * seconds(15) + 0.2


@pytest.mark.parametrize(
    "count",
    [
        lambda labels: analysis.profile(labels),
        lambda labels: analysis.profile(labels, by="category"),
        lambda labels: analysis.emergence(labels),
        lambda labels: analysis.late_share(labels),
        lambda labels: analysis.compare(labels, n_swaps=99),
        lambda labels: analysis.snowball(labels),
        lambda labels: analysis.snowball(labels, method="resample", n_resamples=99),
        lambda labels: analysis.carry_over(labels),
        lambda labels: analysis.agreement(labels, n_resamples=99),
        lambda labels: analysis.pairwise_agreement(labels),
    ],
)
def test_nothing_scored_is_no_interval_and_no_warning(count):
    labels = analysis.simulate_labels(2, base_prompts=8, missing=0.0)
    unknown = labels["behaviour"] == "empathy"
    for name in ["label", *analysis.judges_of(labels)]:
        labels[name] = labels[name].mask(unknown, pd.NA)
    table = count(labels)
    assert {0.95} == set(table["ci"])
    if "behaviour" in table:
        assert table.loc[table["behaviour"] == "empathy", ["ci_low", "ci_high"]].isna().all(axis=None)
        assert table["ci_low"].notna().any()


def test_no_resamples_is_no_interval_and_no_warning():
    labels = analysis.simulate_labels(2, base_prompts=8)
    for table in (analysis.similarity(labels, n_resamples=0), analysis.agreement(labels, n_resamples=0)):
        assert table[["ci_low", "ci_high"]].isna().all(axis=None) and table["estimate"].notna().any()


@pytest.mark.parametrize("ci", [0.5, 0.9, 0.999])
def test_tables_say_the_level_of_their_intervals(ci):
    labels = analysis.simulate_labels(3, base_prompts=10, seed=4)
    people = pd.DataFrame({"condition": ["high", "low"] * 6, "score": np.arange(12.0) % 5})
    systems = analysis.profile(labels)
    tables = [
        analysis.profile(labels, ci=ci),
        analysis.emergence(labels, ci=ci),
        analysis.late_share(labels, ci=ci),
        analysis.compare(labels, ci=ci, n_swaps=99),
        analysis.similarity(labels, ci=ci, n_resamples=99),
        analysis.factor_model(labels, by="category", ci=ci),
        analysis.snowball(labels, ci=ci),
        analysis.carry_over(labels, ci=ci),
        analysis.agreement(labels, ci=ci, n_resamples=99),
        analysis.pairwise_agreement(labels, ci=ci),
        analysis.missingness(labels.assign(status="ok", judge="one"), ci=ci),
        analysis.compare_conditions(people, ci=ci),
        analysis.profile_validity(
            systems, systems.drop_duplicates("target").assign(score=[1.0, 2.0, 3.0]), ci=ci
        ),
    ]
    assert all((table["ci"] == ci).all() for table in tables)
