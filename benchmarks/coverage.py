"""How often do 95 % intervals hold the truth? Simulated studies whose truth is known exactly.

    python benchmarks/coverage.py [--of targets] [--repeats 1000] [--base-prompts 120] [--scenarios 8] [--turns 5] [--missing 0.01]
    python benchmarks/coverage.py --of uneven rare means agreement accuracy escalation similarity kruskal model [--repeats 1000]

With 1,000 repetitions a coverage of 95 % has a standard error of 0.7 points.

targets: each repetition simulates two targets on the same base prompts with `analysis.simulate_labels`, without judge
error, and computes the intervals of `analysis`. The naive interval counts every message (or dialogue, or pair of
turns) as independent. uneven: `proportion` in clusters of very different size.

The others simulate one function each, in clusters of equal size or of log-normal sizes (σ = 1), whose rates are
beta-distributed. rare: `proportion` of rare rows. means: `mean_estimates`. agreement, accuracy (`judge_accuracy`),
escalation and similarity are functions of that name. kruskal (`kruskal_wallis`) and model (`factor_model`) give the
share of p-values below .05 without an effect. similarity and model run a tenth of the repetitions, kruskal a fifth.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from scipy.special import expit, logit, stdtrit
from scipy.stats import beta, chi2, norm
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from anthrokit import analysis
from anthrokit.analysis.clustered import cluster_variance, influence, mean_estimates, proportion
from anthrokit.analysis.interrater import _agreement, agreement_estimates
from anthrokit.validity.accuracy import ACCURACY_MEASURES, accuracy_estimates, accuracy_measures

RATES = {"one in 100": 0.01, "one in 20": 0.05, "one in 5": 0.2, "one half": 0.5, "four in 5": 0.8}
BASE, DIALOGUE, SHIFT = 0.27, 0.08, 0.25


def truths(turns: int) -> pd.DataFrame:
    """True values for each rate, integrated over the latent level of a dialogue."""
    points, weights = np.polynomial.hermite_e.hermegauss(160)
    weights = weights / weights.sum()
    rows = {}
    for name, rate in RATES.items():
        level = points * np.sqrt(BASE + DIALOGUE) - norm.isf(rate)
        p = norm.cdf(level / np.sqrt(1 - BASE - DIALOGUE))
        ever = weights @ (1 - (1 - p) ** turns)
        rows[name] = {
            "rate": weights @ p,
            "difference of targets": norm.sf(norm.isf(rate) - SHIFT) - rate,
            "first after turn 1": 1 - weights @ p / ever,
            "occurred by the last turn": ever,
            "snowball difference": weights @ p**2 / (weights @ p)
            - weights @ (p * (1 - p)) / (weights @ (1 - p)),
            "carry-over odds ratio": 1.0,
        }
    return pd.DataFrame(rows).T


def intervals(labels: pd.DataFrame) -> dict[str, tuple]:
    """Clustered and naive limits of every quantity, a row a behaviour."""
    first = labels[labels["target"] == "first"]
    profiles = analysis.profile(labels).set_index(["target", "behaviour"])
    one, two = profiles.loc["first"], profiles.loc["second"]
    events, tried = (one["estimate"] * one["n"]).round(), one["n"]
    tables = {"rate": (one, proportion_confint(events, tried, method="wilson"))}
    compared = analysis.compare(labels, n_swaps=1).set_index("behaviour")
    mirrored = pd.DataFrame({"ci_low": -compared["ci_high"], "ci_high": -compared["ci_low"]})
    naive = independent((two["estimate"] * two["n"]).round(), two["n"], events, tried)
    tables["difference of targets"] = mirrored, naive
    late = analysis.late_share(first).set_index("behaviour")
    naive = proportion_confint(late["estimate"] * late["n"], late["n"], method="wilson")
    tables["first after turn 1"] = late, naive
    ever = analysis.emergence(first).groupby("behaviour", sort=False).last()
    naive = proportion_confint(ever["estimate"] * ever["n"], ever["n"], method="wilson")
    tables["occurred by the last turn"] = ever, naive
    snow = analysis.snowball(first).set_index("behaviour")
    after, sizes = (snow[["after_yes", "after_no"]], snow[["n_after_yes", "n_after_no"]])
    counts = (after.to_numpy() * sizes.to_numpy()).T
    tables["snowball difference"] = (
        snow,
        independent(counts[0], sizes.iloc[:, 0], counts[1], sizes.iloc[:, 1]),
    )
    tables["carry-over odds ratio"] = analysis.carry_over(first).set_index("behaviour"), None
    return tables


def independent(yes_a, n_a, yes_b, n_b) -> tuple[np.ndarray, np.ndarray]:
    """Newcombe's interval of a difference, row by row, every observation taken as independent."""
    rows = zip(*(np.asarray(part, dtype=float) for part in (yes_a, n_a, yes_b, n_b)), strict=True)
    limits = [
        confint_proportions_2indep(*row, method="newcomb") if min(row[1], row[3]) else (0, 0) for row in rows
    ]
    return tuple(np.array(limits).T)


def uneven(repeats: int) -> pd.DataFrame:
    """Shares in clusters of different size: lowest and highest coverage where two rows of a cluster correlate by .05, .3 and .8."""
    random = np.random.default_rng(0)
    lengths = np.round(np.exp(random.normal(3, 1, 120))).astype(int) + 1
    sizes = {
        "120 alike": np.full(120, 40),
        "120, lengths of chats": lengths,
        "30, lengths of chats": lengths[:30],
        "20, half ten times as large": np.repeat([10, 100], 10),
        "50, each n-th a n-th": 500 // np.arange(1, 51),
        "20, one with two thirds": np.r_[400, np.full(19, 10)],
        "4, one with 98 of 100": np.array([490, 4, 3, 3]),
        "2, one with 98 of 100": np.array([490, 10]),
    }
    rows = []
    for name, size in sizes.items():
        for rate in (0.05, 0.3):
            covered, naive = [], []
            for alike in (0.05, 0.3, 0.8):
                spread = (1 - alike) / alike
                level = random.beta(rate * spread, (1 - rate) * spread, size=(len(size), repeats))
                yes = random.binomial(size[:, None], level)
                table = analysis.clustered.proportion(yes, np.broadcast_to(size[:, None], yes.shape))
                covered.append(table["ci_low"].le(rate) & table["ci_high"].ge(rate))
                low, high = proportion_confint(yes.sum(axis=0), size.sum(), method="wilson")
                naive.append((low <= rate) & (rate <= high))
            row = {"clusters": name, "rate": rate}
            for what, covered_rows in (("coverage %", covered), ("naive coverage %", naive)):
                share = 100 * np.mean(covered_rows, axis=1)
                row[what] = f"{share.min():.1f} to {share.max():.1f}"
            rows.append(row)
    return pd.DataFrame(rows)


def sizes_of(random, kind: str, clusters: int, rows: float) -> np.ndarray:
    """Numbers of rows of clusters, `rows` on average: equal, or log-normal with σ = 1."""
    drawn = np.ones(clusters) if kind == "equal" else np.exp(random.normal(0, 1, clusters))
    return np.maximum(1, np.round(rows * drawn / drawn.mean())).astype(int)


def chances(random, rate: float, alike: float, shape) -> np.ndarray:
    """Rates of clusters, so that two rows of a cluster correlate by `alike`."""
    return random.beta(rate * (1 / alike - 1), (1 - rate) * (1 / alike - 1), size=shape)


def holds(table: pd.DataFrame, truth) -> np.ndarray:
    """Whether each interval holds the truth, NaN without an interval."""
    low, high = (table[name].astype("Float64").to_numpy(float, na_value=np.nan) for name in ("ci_low", "ci_high"))
    return np.where(np.isnan(low), np.nan, (low <= truth) & (truth <= high))


def usual_limits(yes: np.ndarray, size: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Korn and Graubard's exact interval with the effective sample size, and Student's t for the logit, of clustered shares."""
    share, n, clusters = yes.sum(axis=0) / size.sum(axis=0), size.sum(axis=0), len(size)
    variance = cluster_variance(influence(yes, size), size)
    rows = np.where((share > 0) & (share < 1), share * (1 - share) / variance, n)
    rows = np.minimum(rows * (stdtrit(n - 1, 0.975) / stdtrit(clusters - 1, 0.975)) ** 2, n)
    exact = beta.ppf(0.025, share * rows, rows - share * rows + 1), beta.ppf(0.975, share * rows + 1, rows - share * rows)
    exact = np.where(share > 0, exact[0], 0), np.where(share < 1, exact[1], 1)
    reach = stdtrit(clusters - 1, 0.975) * np.sqrt(variance) / (share * (1 - share))
    of_logit = [np.where(np.isfinite(reach), expit(logit(share) + side * reach), end) for side, end in zip((-1, 1), exact, strict=True)]
    return {"Korn-Graubard": exact, "logit": tuple(of_logit)}


def rare(repeats: int) -> pd.DataFrame:
    """Shares, rare ones too: lowest coverage for 6, 8, 20, 50 and 100 clusters of equal or log-normal sizes, and who misses above."""
    random, rows = np.random.default_rng(0), []
    for each, rate, alike in itertools.product((5, 40, 200), (0.02, 0.1, 0.5), (0.1, 0.3, 0.6)):
        found = []
        for kind, clusters in itertools.product(("equal", "uneven"), (6, 8, 20, 50, 100)):
            size = np.broadcast_to(sizes_of(random, kind, clusters, each)[:, None].astype(float), (clusters, repeats))
            yes = random.binomial(size.astype(int), chances(random, rate, alike, size.shape)).astype(float)
            table = proportion(yes, size)
            held = {"ours": np.nanmean(holds(table, rate)), "upper limit too low": table["ci_high"].lt(rate).mean()}
            usual = {name: ((low <= rate) & (rate <= high)).mean() for name, (low, high) in usual_limits(yes, size).items()}
            found.append(held | usual)
        lowest = pd.DataFrame(found)
        highest = lowest.pop("upper limit too low").max()
        case = {"rows a cluster": each, "rate": rate, "correlation": alike}
        rows.append({**case, **lowest.min(), "highest ours": max(one["ours"] for one in found), "upper limit too low": highest})
    return pd.DataFrame(rows)


def means(repeats: int) -> pd.DataFrame:
    """Mean differences of two verdicts of one rate, whose true mean is 0; the last sizes are those of few large clusters."""
    random, rows = np.random.default_rng(0), []
    cases = [(kind, clusters, None) for kind in ("equal", "uneven") for clusters in (8, 20, 100)]
    cases += [("98 of 100 rows in one", n, size) for n, size in ((2, [490, 10]), (4, [490, 4, 3, 3]))]
    cases += [("90 of 100 rows in one", n, size) for n, size in ((2, [450, 50]), (4, [450, 17, 17, 16]))]
    for (kind, clusters, size), rate in itertools.product(cases, (0.02, 0.1, 0.3)):
        size = np.array(sizes_of(random, kind, clusters, 20) if size is None else size)
        size = np.broadcast_to(size[:, None], (clusters, repeats))
        sums = random.binomial(size, chances(random, rate, 0.2, size.shape)) - random.binomial(size, rate)
        rows.append({"sizes": kind, "clusters": clusters, "rate": rate, "coverage": np.nanmean(holds(mean_estimates(sums, size), 0))})
    return pd.DataFrame(rows)


def judged(random, size: np.ndarray, rate: float) -> tuple[np.ndarray, ...]:
    """Numbers of hits, false alarms, misses and rejections of a judge with an error rate of each cluster, .1 on average."""
    error, true = chances(random, 0.1, 0.2, size.shape), random.binomial(size, chances(random, rate, 0.2, size.shape))
    hit, false = random.binomial(true, 1 - error), random.binomial(size - true, error)
    return hit, false, true - hit, size - true - false


def two_judges(random, size: np.ndarray, rate: float) -> list[np.ndarray]:
    """Sums of the terms of agreement of two judges with an error rate of each cluster, .1 on average."""
    error, level = chances(random, 0.1, 0.2, size.shape), chances(random, rate, 0.2, size.shape)
    differ = random.binomial(size, 2 * error * (1 - error))
    right, true = (1 - error) ** 2 / ((1 - error) ** 2 + error**2), random.binomial(size - differ, level)
    both = random.binomial(true, right) + random.binomial(size - differ - true, 1 - right)
    return [one.astype(float) for one in (size, 2 * size, 2 * both + differ, differ, size - differ, size, both + differ / 2)]


def agreement(repeats: int) -> pd.DataFrame:
    """Agreement of two judges; the truth is that of 200,000 clusters."""
    random, rows = np.random.default_rng(0), []
    for kind, clusters, each, rate in itertools.product(("equal", "uneven"), (8, 20, 100), (5, 20), (0.02, 0.05, 0.2, 0.5)):
        many = two_judges(random, np.full((200_000, 1), each), rate)
        truth = _agreement(*(part.sum(axis=0, keepdims=True) for part in many))[0]
        size = np.broadcast_to(sizes_of(random, kind, clusters, each)[:, None], (clusters, repeats))
        rated, verdicts, yes, _, same, *_ = sums = two_judges(random, size, rate)
        table = agreement_estimates(_agreement, *sums, same=same, rated=rated, yes=yes, verdicts=verdicts, ci=0.95)
        inside = holds(table, truth.repeat(repeats)).reshape(3, repeats)
        case = {"sizes": kind, "clusters": clusters, "rows": each, "rate": rate}
        shares = dict(zip(("raw", "alpha", "AC1"), np.nanmean(inside, axis=1), strict=True))
        rows.append({**case, **shares, "no alpha": np.isnan(inside[1]).mean()})
    return pd.DataFrame(rows)


def accuracy(repeats: int) -> pd.DataFrame:
    """Measures of a judge's accuracy; the truth is that of 200,000 clusters."""
    random, rows = np.random.default_rng(0), []
    for kind, clusters, each, rate in itertools.product(("equal", "uneven"), (8, 15, 30), (5, 20), (0.05, 0.2, 0.5)):
        many = judged(random, np.full((200_000, 1), each), rate)
        truth = accuracy_measures(*(part.sum(axis=0, keepdims=True).astype(float) for part in many))[0]
        size = np.broadcast_to(sizes_of(random, kind, clusters, each)[:, None], (clusters, repeats))
        table = accuracy_estimates([part.astype(float) for part in judged(random, size, rate)], 0.95)
        inside = holds(table, truth.repeat(repeats)).reshape(-1, repeats)
        case = {"sizes": kind, "clusters": clusters, "rows": each, "rate": rate}
        rows.append(case | dict(zip(ACCURACY_MEASURES, np.nanmean(inside, axis=1), strict=True)))
    return pd.DataFrame(rows)


def dialogues_of(random, size: np.ndarray, turns: int, names: dict[str, np.ndarray]) -> pd.DataFrame:
    """Messages of dialogues, `size` for each base prompt; `names` has a value for each base prompt."""
    base = np.repeat(np.arange(len(size)), size).repeat(turns)
    about = {name: values[base] for name, values in names.items()}
    dialogue = np.arange(size.sum()).repeat(turns)
    return pd.DataFrame({"base_id": base, "dialogue_id": dialogue, "turn": np.tile(np.arange(1, turns + 1), size.sum()), **about})


def labelled(random, rows: pd.DataFrame, studies: int, rate: float, alike: float) -> pd.DataFrame:
    """Labels of these messages, one behaviour for each study, whose rates of base prompts correlate by `alike`."""
    level = chances(random, rate, alike, (rows["base_id"].max() + 1, studies))[rows["base_id"]]
    label = random.random(level.shape) < level
    long = rows.loc[rows.index.repeat(studies)].reset_index(drop=True)
    return long.assign(behaviour=np.tile(np.arange(studies), len(rows)), label=label.ravel())


def escalation(repeats: int) -> pd.DataFrame:
    """Changes by turn, without a trend."""
    random, rows = np.random.default_rng(0), []
    for kind, clusters, rate, alike in itertools.product(("equal", "uneven"), (8, 15, 30), (0.05, 0.3), (0.1, 0.3)):
        messages = dialogues_of(random, sizes_of(random, kind, clusters, 4), 5, {})
        table = analysis.pressure.escalation(labelled(random, messages, repeats, rate, alike), by="behaviour")
        case = {"sizes": kind, "clusters": clusters, "rate": rate, "correlation": alike}
        rows.append({**case, "coverage": np.nanmean(holds(table, 0))})
    return pd.DataFrame(rows)


def similarity(repeats: int) -> pd.DataFrame:
    """Similarity of equal profiles of ten behaviours, and of two that differ; 40 messages a base prompt."""
    from scipy.spatial.distance import cosine, jensenshannon
    from scipy.stats import spearmanr

    random, rates, rows = np.random.default_rng(0), np.array([0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.8]), []
    for clusters, other in itertools.product((8, 30, 100), (rates, rates[[2, 1, 0, 5, 4, 3, 9, 7, 8, 6]])):
        truth = [spearmanr(rates, other).statistic, 1 - cosine(rates, other), jensenshannon(rates, other, base=2)]
        about, held = {"turn": 1, "dialogue_id": range(clusters * 40), "base_id": np.repeat(range(clusters), 40)}, []
        for _ in range(repeats // 10):
            parts = []
            for target, mine in (("A", rates), ("B", other)):
                level = random.beta(4 * mine, 4 * (1 - mine), (clusters, 10)).repeat(40, axis=0)
                yes = pd.DataFrame(random.random(level.shape) < level).assign(target=target, **about)
                parts.append(yes.melt(["target", *about], var_name="behaviour", value_name="label"))
            held.append(holds(analysis.similarity(pd.concat(parts), n_resamples=400), np.round(truth, 12)))
        case = {"clusters": clusters, "profiles": "equal" if other is rates else "different"}
        rows.append(case | dict(zip(("rank correlation", "cosine", "distance"), np.nanmean(held, axis=0), strict=True)))
    return pd.DataFrame(rows)


def level_designs(random, clusters: int, levels: int):
    """Base prompts in one level each: of one size, of sizes drawn alike in all levels, and larger in all levels but the first."""
    level = np.arange(clusters) % levels
    yield "equal", np.full(clusters, 8), level
    yield "log-normal", sizes_of(random, "uneven", clusters, 8), level
    for times, small in ((1.4, 5), (2, 5), (10, 2)):
        yield f"{times:g} times as large", np.where(level, round(small * times), small), level
    yield "all levels in each base prompt", np.full(clusters, 8), None


def kruskal(repeats: int) -> pd.DataFrame:
    """False positives of `kruskal_wallis`; "refused" p-values are missing, and "H alone" is the share that H would give."""
    random, rows = np.random.default_rng(0), []
    for clusters, levels, rate in itertools.product((8, 30, 60), (2, 4), (0.05, 0.3)):
        for kind, size, level in level_designs(random, clusters, levels):
            messages = dialogues_of(random, size, 3, {} if level is None else {"level": level})
            messages = messages if level is not None else messages.assign(level=messages["dialogue_id"] % levels)
            table = analysis.kruskal_wallis(labelled(random, messages, repeats // 5, rate, 0.1), "level")
            case = {"dialogues": kind, "clusters": clusters, "levels": levels, "rate": rate}
            refused = (table["p_value"].isna() & table["statistic"].notna()).mean()
            alone = chi2.sf(table["statistic"], table["freedom"]) < 0.05
            rows.append({**case, "p < .05": (table["p_value"] < 0.05).mean(), "refused": refused, "H alone": alone.mean()})
    return pd.DataFrame(rows).sort_values("dialogues", kind="stable")


def model(repeats: int) -> pd.DataFrame:
    """False positives of `factor_model` for a factor of base prompts, and for one within base prompts."""
    random, rows = np.random.default_rng(0), []
    for clusters, kind, rate in itertools.product((8, 20, 40), ("equal", "uneven"), (0.1, 0.3)):
        messages = dialogues_of(random, sizes_of(random, kind, clusters, 4) + 1, 5, {"between": np.arange(clusters) % 2})
        labels = labelled(random, messages.assign(within=messages["dialogue_id"] % 2), repeats // 10, rate, 0.2)
        for factor in ("between", "within"):
            p_value = analysis.factor_model(labels, factor)["p_value"].dropna()
            case = {"factor": factor, "sizes": kind, "clusters": clusters, "rate": rate}
            rows.append({**case, "p < .05": (p_value < 0.05).mean(), "fitted": len(p_value)})
    return pd.DataFrame(rows)


def targets(repeats: int, base_prompts: int, scenarios: int, turns: int, missing: float) -> pd.DataFrame:
    """Rates, differences and statistics of turns, of two targets."""
    true, covered = truths(turns), {}
    study = {"base_prompts": base_prompts, "scenarios": scenarios, "turns": turns, "missing": missing}
    study |= {"rates": RATES, "base_share": BASE, "dialogue_share": DIALOGUE, "target_spread": [0.0, SHIFT]}
    study |= {"domain_shift": 0, "judges": 1, "judge_error": 0}
    for repeat in range(repeats):
        labels = analysis.simulate_labels(["first", "second"], **study, seed=repeat)
        for quantity, (ours, naive) in intervals(labels).items():
            target = true[quantity].reindex(ours.index).to_numpy()
            inside, width = holds(ours, target), (ours["ci_high"] - ours["ci_low"]).to_numpy(float)
            simple = np.full(len(inside), np.nan)
            if naive is not None:
                simple = (np.asarray(naive[0]) <= target) & (target <= np.asarray(naive[1]))
            covered.setdefault(quantity, []).append([inside, simple, width])
    parts = []
    for quantity, values in covered.items():
        inside, simple, width = np.moveaxis(np.array(values, dtype=float), 1, 0)
        part = pd.DataFrame(
            {"quantity": quantity, "behaviour": list(RATES), "truth": true[quantity].round(3)}
        )
        part["coverage %"] = (100 * np.nanmean(inside, axis=0)).round(1)
        part["naive coverage %"] = (100 * simple.mean(axis=0)).round(1)
        part["median width"] = np.nanmedian(width, axis=0).round(3)
        part["no interval %"] = (100 * np.isnan(inside).mean(axis=0)).round(1)
        parts.append(part)
    return pd.concat(parts)


def show(simulations: list[Callable[[int], pd.DataFrame]], repeats: int) -> None:
    """Run simulations one after another and print the table of each, with its description, name and duration."""
    for simulation in simulations:
        began = time.perf_counter()
        table, about = simulation(repeats), getattr(simulation, "func", simulation)
        print(f"{about.__name__}: {about.__doc__} {repeats} repetitions, {time.perf_counter() - began:.0f} s")
        print(table.round(3).to_string(index=False), flush=True)


def main() -> None:
    np.seterr(invalid="ignore", divide="ignore")
    simulations = (targets, uneven, rare, means, agreement, accuracy, escalation, similarity, kruskal, model)
    by_name = {simulation.__name__: simulation for simulation in simulations}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--of", nargs="+", default=["targets"], choices=by_name)
    parser.add_argument("--repeats", type=int, default=1000)
    study = parser.add_argument_group("the study of targets")
    study.add_argument("--base-prompts", type=int, default=120)
    study.add_argument("--scenarios", type=int, default=8)
    study.add_argument("--turns", type=int, default=5)
    study.add_argument("--missing", type=float, default=0.01, help="share of labels that are missing")
    options = vars(parser.parse_args())
    chosen, repeats = options.pop("of"), options.pop("repeats")
    by_name["targets"] = partial(targets, **options)
    show([by_name[name] for name in chosen], repeats)


if __name__ == "__main__":
    main()
