"""What the notebooks can't show: properties over many random tables, odd frames, and growth with size."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anthrokit import analysis, figures, validity
from anthrokit.core import TableError

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


@st.composite
def tables(draw):
    """A small labels table with gaps, unequal dialogues and missing labels."""
    rows, random = [], np.random.default_rng(draw(st.integers(0, 10**6)))
    for target in range(draw(st.integers(1, 3))):
        for base in range(draw(st.integers(2, 6))):
            for dialogue in range(draw(st.integers(1, 3))):
                length = int(random.integers(1, 6))
                rate, missing_rate = random.random(), random.random() * 0.5
                for turn in range(1, length + 1):
                    for behaviour in ("empathy", "desires", "emotions"):
                        label = None if random.random() < missing_rate else bool(random.random() < rate)
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


many, few = (settings(max_examples=n, deadline=None, suppress_health_check=[HealthCheck.too_slow]) for n in (25, 12))


@many
@given(tables())
def test_profile_against_a_loop(labels):
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
def test_emergence_against_a_loop(labels):
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
        row = first.loc[key]
        assert row["turns_seen"] == seen
        assert (row["first_turn"] == expected) if expected is not pd.NA else pd.isna(row["first_turn"])


@few
@given(tables(), st.integers(0, 1000))
def test_row_order_and_cluster_names(labels, seed):
    shuffled = labels.sample(frac=1, random_state=seed).assign(base_id=lambda frame: "x" + frame["base_id"])
    for answer in (analysis.profile, analysis.emergence, analysis.snowball, analysis.carry_over):
        one, two = answer(labels), answer(shuffled)
        keys = [name for name in ("target", "behaviour", "turn") if name in one.columns]
        one, two = (table.sort_values(keys, ignore_index=True) for table in (one, two))
        pd.testing.assert_frame_equal(one, two[one.columns], rtol=1e-6)


def test_ties_and_cluster_order():
    """Here the variance by cluster is that of independent rows but for the last bit, which the order decides."""
    successes, totals = np.array([[1.0], [4.0], [1.0], [2.0]]), np.array([[2.0], [5.0], [3.0], [2.0]])
    orders = map(list, itertools.permutations(range(4)))
    intervals = pd.concat([analysis.clustered.proportion(successes[order], totals[order]) for order in orders])
    assert intervals["ci_low"].max() - intervals["ci_low"].min() < 1e-9


@many
@given(tables())
def test_incidence_is_monotonic_below_one(labels):
    result = analysis.emergence(labels, by=("target", "behaviour"))
    for _, part in result.groupby(["target", "behaviour"]):
        estimated = part["estimate"].notna().to_numpy()
        assert (np.diff(part["estimate"][estimated]) >= -1e-12).all()
        assert (np.diff(estimated.astype(int)) <= 0).all() and part.loc[~estimated, "n_at_risk"].eq(0).all()
    estimated = result[(result["n_clusters"] >= 2) & result["estimate"].notna()]
    assert (estimated["ci_high"] - estimated["ci_low"] > 1e-6).all()


@many
@given(tables())
def test_any_of_uses_complete_messages(labels):
    whole = analysis.profiles.any_behaviour(labels).set_index(["dialogue_id", "turn", "category"])["label"]
    for key, mine in labels.groupby(["dialogue_id", "turn", "category"]):
        expected = pd.NA if mine["label"].isna().any() else bool(mine["label"].any())
        value = whole.loc[key]
        assert pd.isna(value) if expected is pd.NA else bool(value) is expected


@pytest.mark.slow
@few
@given(tables())
def test_category_rates_within_bounds(labels):
    for by in ("category", ("target", "category"), ()):
        for table in (analysis.profile(labels, by=by), analysis.late_share(labels, by=by), analysis.emergence(labels, by=by)):
            estimated = table.dropna(subset="estimate")
            assert (estimated["lowest"] <= estimated["estimate"] + 1e-9).all()
            assert (estimated["estimate"] <= estimated["highest"] + 1e-9).all()
    whole = labels.assign(label=labels["label"].fillna(False))
    full = analysis.profile(whole, by="category")
    any_label = whole.groupby(["dialogue_id", "turn", "category"])["label"].any().groupby("category").mean()
    assert full.set_index("category")["estimate"].to_dict() == pytest.approx(any_label.to_dict())
    assert (full["lowest"] == full["highest"]).all()


def correlated(unlabelled: float, seed: int = 0) -> pd.DataFrame:
    """Labels of two equal behaviours of rate one half; a share of the second's labels is missing."""
    random, n = np.random.default_rng(seed), 4000
    label = random.random(n) < 0.5
    one = pd.DataFrame({"target": "m", "dialogue_id": np.arange(n), "base_id": np.arange(n) % 50, "turn": 1,
                        "category": "internal states", "behaviour": "emotions", "label": label})  # fmt: skip
    two = one.assign(behaviour="desires", label=pd.array(label, "boolean"))
    two["label"] = two["label"].mask(random.random(n) < unlabelled)
    return pd.concat([one.astype({"label": "boolean"}), two], ignore_index=True)


@pytest.mark.parametrize("rows", ["as NA", "absent"])
def test_rates_with_missing_labels(rows):
    labels = correlated(0.5)
    labels = labels if rows == "as NA" else labels.dropna(subset="label")
    for by in ("category", ()):
        row = analysis.profile(labels, by=by).loc[0]
        assert row["estimate"] == pytest.approx(0.5, abs=0.02), "two thirds of the known answers are Yes"
        assert row["lowest"] == pytest.approx(0.5, abs=0.02) and row["highest"] == pytest.approx(0.75, abs=0.02)
        assert row["n"] < 2200 and row["n_total"] == 4000
        assert analysis.emergence(labels, by=by).loc[0, "estimate"] == pytest.approx(0.5, abs=0.03)
    sides = labels.assign(domain=np.where(labels["dialogue_id"] < 2000, "x", "y"))
    sides = sides[(sides["domain"] == "x") | sides["label"].notna()]
    full = sides[sides["domain"] == "x"].assign(domain="z", label=sides["label"])
    both = pd.concat([full.groupby(["dialogue_id", "turn"]).ffill().combine_first(full), sides[sides["domain"] == "y"]])
    assert abs(analysis.compare(both, "domain", "category", n_swaps=99).loc[0, "estimate"]) < 0.05


def test_category_with_an_unlabelled_behaviour():
    labels = correlated(1.0)
    row = analysis.profile(labels, by="category").loc[0]
    assert np.isnan(row["estimate"]) and row["n"] == 0 and (row["lowest"], row["highest"]) == pytest.approx((0.5, 1), abs=0.03)
    with pytest.raises(TableError, match="no message has labels of all behaviours"):
        analysis.compare(labels.assign(domain=labels["dialogue_id"] % 2), "domain", ())


@pytest.mark.parametrize("complete", [4, 60])
def test_comparisons_with_few_complete_messages(complete):
    """80 messages a target; the second behaviour never occurs, and has labels in 8 and `complete` messages of A."""
    first, second = [True] * 8 + [False] * 72, [False] * (8 + complete) + [None] * (72 - complete)
    frame = pd.DataFrame({"base_id": [f"b{number}" for number in range(80)], "turn": 1, "category": "c"})
    parts = [frame.assign(target=target, behaviour=name, label=pd.array(label, "boolean"))
             for target, full in (("A", second), ("B", [False] * 80)) for name, label in (("x0", first), ("x1", full))]  # fmt: skip
    labels = pd.concat(parts, ignore_index=True).assign(dialogue_id=lambda rows: rows["target"] + rows["base_id"])
    row = analysis.drift(labels, 0.15, "target", baseline="B", by="category", n_swaps=99).loc[0]
    assert row["estimate"] == pytest.approx(0) and np.isnan(row["p_value"]) == np.isnan(row["ci_low"]) == (complete == 4)
    assert row["verdict"] == ("undecided" if complete == 4 else "within the margin")
    change = analysis.compare_differences(labels.assign(half=np.arange(len(labels)) // 2 % 2), "target", "half", "category")
    assert np.isnan(change.loc[0, "ci_low"]) == (complete == 4) and np.isnan(change.loc[0, "p_value"])


@pytest.mark.slow
def test_interval_coverage():
    """A short form of benchmarks/coverage.py: 30 base prompts, 120 repetitions."""
    from scipy.stats import norm
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


def test_no_false_carry_over():
    """60 tables without carry-over: the test rejects in about 5 % of them; with it, nearly always."""
    rates = {"emotions": 0.15, "empathy": 0.45}
    rejected, covered = [], []
    for seed in range(60):
        study = {"base_prompts": 40, "rates": rates, "turn_shift": 0.08, "seed": seed}
        rejected.append(analysis.carry_over(analysis.simulate_labels(1, **study))["p_value"] < 0.05)
        if seed < 10:
            covered.append(
                analysis.carry_over(analysis.simulate_labels(1, carry_over=0.6, **study))["ci_low"] > 1
            )
    assert np.mean(rejected) < 0.12, np.mean(rejected)
    assert np.mean(covered) > 0.9


def test_dialogue_ids_shared_by_targets():
    labels = analysis.simulate_labels(2, base_prompts=4, rates={"empathy": 0.5}, seed=3)
    shared = labels.assign(dialogue_id=labels["prompt_id"])
    for answer in (analysis.profile, analysis.snowball, analysis.late_share, analysis.carry_over):
        pd.testing.assert_frame_equal(answer(labels, by="behaviour"), answer(shared, by="behaviour"))


@pytest.mark.parametrize("kind", [bool, "boolean", float, "Int64", object])
def test_label_dtypes(kind):
    labels = analysis.simulate_labels(1, base_prompts=5, rates={"empathy": 0.5}, missing=0, seed=4)
    typed = labels.assign(label=labels["label"].astype(bool).astype(kind))
    pd.testing.assert_frame_equal(analysis.profile(typed), analysis.profile(labels))


def test_minus_one_raises():
    labels = analysis.simulate_labels(1, base_prompts=5, rates={"empathy": 0.5}, seed=4)
    with pytest.raises(TableError, match="must become NA first"):
        analysis.profile(labels.assign(label=labels["label"].astype("Int64").fillna(-1)))


def test_rates_of_zero_and_one():
    """The shape of a small demonstration run: nothing has zero width, nothing fails."""
    labels = analysis.simulate_labels(1, base_prompts=8, scenarios=1, turns=3, seed=5)
    labels["label"] = labels["behaviour"].eq("validation").astype("boolean")
    for table in (
        analysis.profile(labels),
        analysis.emergence(labels),
        analysis.late_share(labels),
        analysis.snowball(labels),
    ):
        with_interval = table.dropna(subset="ci_low")
        assert (with_interval["ci_high"] - with_interval["ci_low"] > 0.05).all()
    assert analysis.profile(labels)["ci_low"].notna().all()
    assert analysis.carry_over(labels)["estimate"].isna().all()
    assert (
        analysis.factor_model(
            labels.assign(empathy=["high", "low"] * (len(labels) // 2)), factors=["empathy"]
        )["estimate"]
        .isna()
        .all()
    )


@pytest.mark.parametrize(
    "count",
    [
        lambda labels: analysis.profile(labels),
        lambda labels: analysis.profile(labels, by="category"),
        lambda labels: analysis.emergence(labels),
        lambda labels: analysis.late_share(labels),
        lambda labels: analysis.compare(labels, n_swaps=99),
        lambda labels: analysis.snowball(labels),
        lambda labels: analysis.carry_over(labels),
        lambda labels: analysis.agreement(labels),
        lambda labels: analysis.interrater.pairwise_agreement(labels),
    ],
)
def test_nothing_scored(count):
    labels = analysis.simulate_labels(2, base_prompts=8, missing=0.0)
    unknown = labels["behaviour"] == "empathy"
    for name in ["label", *analysis.clustered.judge_columns(labels)]:
        labels[name] = labels[name].mask(unknown, pd.NA)
    table = count(labels)
    assert {0.95} == set(table["ci"])
    if "behaviour" in table:
        assert table.loc[table["behaviour"] == "empathy", ["ci_low", "ci_high"]].isna().all(axis=None)
        assert table["ci_low"].notna().any()


def test_no_resamples():
    labels = analysis.simulate_labels(2, base_prompts=8)
    table = analysis.similarity(labels, n_resamples=0)
    assert table[["ci_low", "ci_high"]].isna().all(axis=None) and table["estimate"].notna().any()


@pytest.mark.parametrize("ci", [0.5, 0.9, 0.999])
def test_confidence_level_column(ci):
    labels = analysis.simulate_labels(3, base_prompts=10, seed=4)
    people = pd.DataFrame({"condition": ["high", "low"] * 6, "score": np.arange(12.0) % 5})
    tables = [
        analysis.profile(labels, ci=ci),
        analysis.emergence(labels, ci=ci),
        analysis.late_share(labels, ci=ci),
        analysis.compare(labels, ci=ci, n_swaps=99),
        analysis.similarity(labels, ci=ci, n_resamples=99),
        analysis.factor_model(labels, by="category", ci=ci),
        analysis.snowball(labels, ci=ci),
        analysis.carry_over(labels, ci=ci),
        analysis.agreement(labels, ci=ci),
        analysis.interrater.pairwise_agreement(labels, ci=ci),
        analysis.interrater.missingness(labels.assign(status="ok", judge="one"), ci=ci),
        analysis.compare_conditions(people, ci=ci),
    ]
    assert all((table["ci"] == ci).all() for table in tables)


PEOPLE = pd.DataFrame({"condition": ["high"] * 4 + ["low"] * 3, "score": [5, 4, 4, 3, 3, 2, 4]})


def marked(*dialogues: str) -> pd.DataFrame:
    """Labels of dialogues written as 1, 0 and ?."""
    kinds = {"1": True, "0": False, "?": None}
    rows = [
        (f"d{n}", turn, kinds[mark]) for n, line in enumerate(dialogues) for turn, mark in enumerate(line, 1)
    ]
    frame = pd.DataFrame(rows, columns=["dialogue_id", "turn", "label"]).astype({"label": "boolean"})
    return frame.assign(behaviour="empathy")


def test_pronouns_excluded_from_category():
    labels = analysis.simulate_labels(4, base_prompts=60, seed=3)
    for variant, late, share in (("judged", 0.787, 0.041), ("all", 0.315, 0.650)):
        rows = analysis.late_share(labels, by="category", variant=variant).set_index("category")
        assert rows.loc["personhood", "estimate"] == pytest.approx(late, abs=0.006)
        shares = analysis.profile(labels, by="category", variant=variant).set_index("category")
        assert shares.loc["personhood", "estimate"] == pytest.approx(share, abs=0.001)
        assert set(rows["variant"]) == set(shares["variant"]) == {variant}
    default = analysis.profile(labels, by=("target", "category"))
    assert set(default["variant"]) == {"judged"} and "variant" not in analysis.profile(labels).columns


def test_late_share_with_missing_labels():
    row = analysis.late_share(marked("111", "0?1")).loc[0]
    assert (row["n"], row["n_total"], row["lowest"], row["highest"]) == (2, 2, 0.5, 0.5)
    assert row["estimate"] == pytest.approx(0.5)
    bounds = analysis.late_share(marked("111", "001", "?01", "0?0", "?00", "000")).loc[0]
    assert (bounds["n"], bounds["n_undecided"]) == (2, 3)
    assert (bounds["lowest"], bounds["highest"]) == (1 / 4, 3 / 4)


def test_late_share_bias():
    """Against the same tables with all labels; the bounds hold what all labels would say."""
    rates, apart, covered = {"rare": 0.05, "one in 5": 0.2, "half": 0.5}, [], []
    for seed in range(30):
        study = {
            "base_prompts": 30,
            "rates": rates,
            "judges": 1,
            "judge_error": 0,
            "carry_over": 0.4,
            "seed": seed,
        }
        labels = analysis.simulate_labels(1, missing=0.2, **study)
        gaps, full = analysis.late_share(labels), analysis.late_share(labels.assign(label=labels["truth"]))
        apart.append(gaps["estimate"] - full["estimate"])
        covered.append((gaps["ci_low"] <= full["estimate"]) & (full["estimate"] <= gaps["ci_high"]))
        assert (gaps["lowest"] <= full["estimate"] + 1e-9).all() and (
            gaps["highest"] >= full["estimate"] - 1e-9
        ).all()
    assert np.abs(np.mean(apart, axis=0)).max() < 0.025 and np.mean(covered) > 0.95


def test_snowball_p_values():
    rates = {"emotions": 0.15, "empathy": 0.45}
    for push, sure in ((0.0, False), (0.7, True)):
        table = analysis.snowball(
            analysis.simulate_labels(1, base_prompts=60, rates=rates, carry_over=push, seed=2)
        )
        assert (table["ci_low"] > 0).all(), "the contrast itself can't tell"
        assert ((table["p_adjusted"] < 0.05) == sure).all()
        assert ((table["odds_low"] > 1) == sure).all()


def test_snowball_matrix_without_effect():
    rates, rejected = {"emotions": 0.2, "empathy": 0.4, "desires": 0.15}, []
    for seed in range(12):
        matrix = analysis.snowball_matrix(
            analysis.simulate_labels(1, base_prompts=40, rates=rates, seed=seed)
        )
        rejected.append(matrix["p_value"] < 0.05)
    assert len(matrix) == 9 and np.mean(rejected) < 0.13, np.mean(rejected)


def test_factors_determined_by_target():
    labels = analysis.simulate_labels(2, base_prompts=40, rates={"empathy": 0.4}, target_spread=0.8)
    made = labels.assign(prompt=labels["target"].map({"synthetic 1": "plain", "synthetic 2": "warm"}))
    one, two = analysis.factor_model(made, ["prompt"]).loc[0], analysis.factor_model(made, ["target"]).loc[0]
    assert one["estimate"] == pytest.approx(two["estimate"])
    assert one["note"] == "targets are not adjusted for: they determine prompt"
    with pytest.raises(TableError, match="vendor: y against x"):
        analysis.factor_model(
            made.assign(vendor=made["prompt"].map({"plain": "x", "warm": "y"})), ["prompt", "vendor"]
        )


def test_odds_of_two_targets():
    names = ["a plain", "a warm", "b plain", "b warm"]
    labels = analysis.simulate_labels(
        names, base_prompts=40, rates={"empathy": 0.4}, target_spread=[0, 0.5, 0.3, 0.8]
    )
    labels[["vendor", "prompt"]] = labels["target"].str.split(" ", expand=True).to_numpy()
    table = analysis.factor_model(labels, ["vendor", "prompt"], interactions=True)
    assert table["term"].tolist() == ["vendor: b against a", "prompt: warm against plain", "vendor × prompt"]
    assert table["estimate"].between(0.5, 10).all() and table["p_value"].gt(0).all()


def test_empathy_by_professionalism():
    labels = analysis.simulate_labels(
        1, base_prompts=80, rates={"empathy": 0.4}, domain_shift=0, missing=0, seed=5
    )
    both = (labels["empathy"] == "high") & (labels["professionalism"] == "high")
    lifted = labels.assign(label=labels["label"] | (both & (np.arange(len(labels)) % 3 == 0)))
    table = analysis.factor_model(lifted, interactions=True).set_index("term")
    assert table.loc["empathy × professionalism", "ci_low"] > 1
    plain = analysis.factor_model(labels, interactions=True).set_index("term")
    assert plain.loc["empathy × professionalism", "p_value"] > 0.01


@pytest.mark.parametrize(("above", "odds"), [(4.5, 3.0), (5, np.nan), (0, np.nan), (3.5, 6.0)])
def test_odds_of_small_groups(above, odds):
    row = analysis.compare_conditions(PEOPLE, above=above).iloc[-1]
    assert row["estimate"] == pytest.approx(odds, nan_ok=True)
    assert np.isnan(row["p_value"]) == np.isnan(odds) == np.isnan(row["ci_low"])


def test_equal_scores_are_no_certainty():
    table = analysis.compare_conditions(PEOPLE.assign(score=4), above=3)
    with_interval = table.dropna(subset="ci_low")
    assert (with_interval["ci_high"] > with_interval["ci_low"]).all() and with_interval["p_value"].eq(1).all()
    assert table.loc[table["ci_low"].isna(), "p_value"].isna().all()


def test_pooling_of_targets():
    labels = analysis.simulate_labels(3, base_prompts=6, seed=1)
    for answer in (analysis.emergence, analysis.late_share, analysis.snowball, analysis.carry_over):
        assert answer(labels)["target"].nunique() == 3 and answer(labels)["n_targets"].eq(1).all()
        assert answer(labels, by="behaviour")["n_targets"].eq(3).all()
    assert len(analysis.late_behaviours(labels)) == 3


def test_single_level_factor_raises():
    labels = analysis.simulate_labels(1, base_prompts=6, seed=1).assign(dose=1)
    with pytest.raises(TableError, match="there is 1"):
        analysis.kruskal_wallis(labels, "dose")


@pytest.mark.parametrize("backwards", [False, True])
def test_comparison_direction(backwards):
    labels = analysis.simulate_labels(
        ["b", "a", "c"], base_prompts=8, rates={"empathy": 0.5}, target_spread=0.5
    )
    labels = labels.iloc[::-1] if backwards else labels

    def pairs(labels=labels, **options):
        differences = analysis.compare(labels, n_swaps=9, **options)
        return [f"{a} − {b}" for a, b in zip(differences["a"], differences["b"], strict=True)]

    assert pairs() == ["a − b", "a − c", "b − c"]
    assert pairs(baseline="b") == ["a − b", "c − b"]
    assert pairs(pairs=[("c", "a")]) == ["c − a"]
    ordered = labels.assign(target=pd.Categorical(labels["target"], ["c", "b", "a"]))
    assert pairs(ordered) == ["c − b", "c − a", "b − a"]
    with pytest.raises(TableError, match="no level of .* 'd'; there are a, b, c"):
        pairs(baseline="d")


def test_holm_family():
    labels = analysis.simulate_labels(["a", "b", "c"], base_prompts=10, target_spread=0.4, seed=3)
    every = analysis.compare(labels, n_swaps=499)
    inside = analysis.compare(labels, n_swaps=499, family="pair")
    assert (inside["p_adjusted"] <= every["p_adjusted"] + 1e-12).all()
    assert (inside["p_adjusted"] < every["p_adjusted"]).any()
    assert inside["p_adjusted"].max() <= 1 and (inside["p_adjusted"] >= inside["p_value"]).all()


def test_comparison_of_unfinished_target():
    labels = analysis.simulate_labels(
        2, base_prompts=30, rates={"empathy": 0.4}, target_spread=0, domain_shift=0.8
    )
    warm = labels[(labels["target"] == "synthetic 1") | (labels["empathy"] == "high")]
    row = analysis.compare(warm, n_swaps=499).loc[0]
    assert abs(row["estimate"]) < 0.08 and row["n_a"] == pytest.approx(30 * 4 * 5, abs=20)


def test_design_columns():
    labels = analysis.simulate_labels(2, base_prompts=8, seed=2)
    labels["system"] = labels["target"].map({"synthetic 1": "plain", "synthetic 2": "warm"})
    for by in (("system", "category"), ("system", "behaviour"), "system"):
        for answer in (analysis.profile, analysis.emergence, analysis.late_share, analysis.snowball):
            assert answer(labels, by=by)["system"].nunique() == 2
    assert len(analysis.compare(labels, group="system", by="category", n_swaps=9)) == 4


@pytest.mark.parametrize("by", ["category", ()])
def test_comparison_bounds(by):
    labels = analysis.simulate_labels(["A", "B"], base_prompts=10, scenarios=2, missing=0, seed=3)
    lost = np.random.default_rng(0).random(len(labels)) < np.where(labels["target"] == "A", 0.3, 0.05)
    whole = analysis.compare(labels, by=by, n_swaps=0)
    some = analysis.compare(labels.assign(label=labels["label"].mask(lost)), by=by, n_swaps=0)
    assert (some["lowest"] <= whole["estimate"]).all() and (whole["estimate"] <= some["highest"]).all()
    assert (some["highest"] - some["lowest"] > 0.02).all()
    np.testing.assert_allclose(whole["lowest"], whole["estimate"])
    np.testing.assert_allclose(whole["highest"], whole["estimate"])
    assert "lowest" not in analysis.compare(labels, n_swaps=0)


def test_duplicate_ratings_raise():
    rating = {"dialogue_id": "d", "turn": 1, "behaviour": "empathy", "judge": "j", "sample": 1, "status": "ok"}
    ratings = pd.DataFrame([rating, rating | {"sample": 2}])
    assert analysis.interrater.missingness(ratings)["n_total"].eq(2).all()
    with pytest.raises(TableError, match="sample 2: rated twice"):
        analysis.interrater.missingness(pd.concat([ratings, ratings.tail(1)]))


def test_rate_bounds_duplicates_raise():
    labels = analysis.simulate_labels(1, base_prompts=2)
    with pytest.raises(TableError, match="labelled twice"):
        validity.rate_bounds(pd.concat([labels, labels.head(1)]))


def test_rounding_and_ties():
    exact, noisy = [0.3, 1.0, 0.7], [0.1 + 0.2, 1.0, 0.7]
    assert noisy != exact
    assert analysis.people.rank_test(noisy, [0.3, 2, 0.1]) == analysis.people.rank_test(exact, [0.3, 2, 0.1])
    table = pd.DataFrame({"model": [0.3, 0.1 + 0.2], "behaviour": "b", 5: [0.3, 0.3], 10: [0.1 + 0.2, 0.3]})
    title = figures.plot_slopes(table, "behaviour", 5, 10, panels=["b"])[0].get_title(loc="left")
    assert title.endswith("0 rise, 0 fall")


def test_targets_keep_the_order_of_the_labels():
    """In tables and figures; `compare` takes the order of a categorical column."""
    labels = analysis.simulate_labels(["zeta", "alpha"], base_prompts=12)
    labels["target"] = labels["target"].astype(pd.CategoricalDtype(["zeta", "alpha"]))
    rates, curves = analysis.profile(labels, by=["target", "behaviour"]), analysis.emergence(labels, by=["target", "behaviour"])
    differences = analysis.compare(labels)
    assert rates["target"].unique().tolist() == curves["target"].unique().tolist() == ["zeta", "alpha"]
    assert differences[["a", "b"]].drop_duplicates().to_numpy().tolist() == [["zeta", "alpha"]]
    legend = [text.get_text().partition(":")[0] for text in figures.plot_profile(rates).get_legend().get_texts()]
    assert legend == ["zeta", "alpha"] and "more in alpha    more in zeta" in figures.plot_differences(differences).get_xlabel()
    plain = labels.assign(target=labels["target"].astype("str"))
    assert analysis.profile(plain, by=["target", "behaviour"])["target"].unique().tolist() == ["zeta", "alpha"]


def test_categories_with_missing_labels_that_other_labels_decide():
    """A Yes beside a missing label decides the message: compare, like profile, estimates what complete labels give."""
    labels = analysis.simulate_labels(["A", "B"], base_prompts=30, scenarios=2, turns=4, missing=0, judges=1, judge_error=0, seed=3,
                             rates={"empathy": 0.3, "validation": 0.3})
    keys = ["target", "dialogue_id", "turn"]
    empathy = labels[labels["behaviour"] == "empathy"].set_index(keys)["label"]
    decided = empathy.reindex(pd.MultiIndex.from_frame(labels[keys])).to_numpy(bool)
    removed = (labels["behaviour"] == "validation") & (labels["target"] == "A") & decided
    gaps = labels.assign(label=labels["label"].mask(removed))
    columns = ["estimate", "ci_low", "ci_high", "lowest", "highest"]
    pd.testing.assert_frame_equal(analysis.compare(gaps, by="category")[columns], analysis.compare(labels, by="category")[columns])
    shares = analysis.profile(gaps, ["target", "category"])["estimate"]
    assert np.isclose(analysis.compare(gaps, by="category")["estimate"].item(), shares[0] - shares[1])
