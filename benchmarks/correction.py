"""Measure the coverage of corrected rates' 95 % intervals in a grid of simulated studies.

    python benchmarks/correction.py [--studies 1000]
    python benchmarks/correction.py --few [--studies 1000]

Writes data/correction_coverage.csv, which nbs/08_validity/03_correction reads: coverage, how often the truth is above
or below, mean width, and the same of people's labels alone. With equal errors all messages are one group; with
unequal ones two targets of one true rate have half of the labels each, and their difference is 0. It also has
Rogan and Gladen's rates of a fifth as many studies. Takes some six minutes of one core.

With --few it writes data/correction_few.csv instead: 8 to 60 base prompts, whose messages are independent or correlated,
and of which people labelled a twentieth or three tenths. Two fifths of the studies also have corrected rates. Takes
some six minutes.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from anthrokit.analysis.clustered import proportion
from anthrokit.validity import corrected_rates, correction

DATA = Path(__file__).parent.parent / "data"
RATES, LABELS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7), (50, 100, 200, 500)
CORRECTED_RATES, CORRECTED_LABELS = (0.02, 0.1, 0.3, 0.7), (50, 200, 500)
CLUSTERS, MESSAGES, ICC = 120, 40, 0.15
ERRORS = {"equal": [(0.85, 0.93)] * 2, "unequal": [(0.9, 0.98), (0.55, 0.9)]}
DRAWS = ("half judged present", "by chance")
CLUSTER, TARGET = np.divmod(np.arange(CLUSTERS * MESSAGES), MESSAGES)
TARGET = TARGET % 2
FEW = {"base_prompts": (8, 12, 20, 60), "icc": (0.0, 0.1, 0.3), "true": (0.1, 0.3), "share": (0.05, 0.3)}


def study(
    rate: float,
    errors: list[tuple[float, float]],
    random: np.random.Generator,
    clusters: int = CLUSTERS,
    icc: float = ICC,
) -> tuple:
    """Return truth and verdicts of all messages."""
    cluster, target = CLUSTER[: clusters * MESSAGES], TARGET[: clusters * MESSAGES]
    size = 1 / max(icc, 1e-9) - 1
    truth = random.random(len(cluster)) < random.beta(rate * size, (1 - rate) * size, clusters)[cluster]
    sensitivity, specificity = np.array(errors).T
    right = random.random(len(cluster)) < np.where(truth, sensitivity[target], specificity[target])
    return truth, np.where(right, truth, ~truth)


def draw_labels(verdicts: np.ndarray, labels: int, draw: str, random: np.random.Generator) -> tuple:
    """Return the messages that people label, and their weights."""
    pools = (
        [np.arange(len(verdicts))] if draw == "by chance" else [np.flatnonzero(verdicts == kind) for kind in (1, 0)]
    )
    sizes = [min(labels // len(pools), len(pool)) for pool in pools]
    chosen = [random.choice(pool, size, replace=False) for pool, size in zip(pools, sizes, strict=True)]
    weights = [np.full(size, len(pool) / size) for pool, size in zip(pools, sizes, strict=True)]
    return np.concatenate(chosen), np.concatenate(weights)


def group_parts(
    truth: np.ndarray, verdicts: np.ndarray, own: np.ndarray, chosen: np.ndarray, weight: np.ndarray
) -> dict:
    """Return the terms of a group's rate."""
    limits, inside, cluster = judged_rate(verdicts, own), own[chosen], CLUSTER[: len(verdicts)]
    rows = chosen[inside]
    labelled = [verdicts[rows], truth[rows], weight[inside], CLUSTER[rows]]
    size = len(verdicts) // MESSAGES
    return correction.powered_parts(tuple(limits), verdicts[own] * 1.0, cluster[own], labelled, size, 0.95)


def judged_rate(verdicts: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Return the judged rate of a group, with its limits."""
    cluster = CLUSTER[: len(verdicts)][own]
    sums = [np.bincount(cluster, part, cluster[-1] + 1)[:, None] for part in (verdicts[own], np.ones(own.sum()))]
    return proportion(*sums)[["estimate", "ci_low", "ci_high"]].to_numpy()[0]


def describe_intervals(intervals: np.ndarray, true: float) -> dict[str, float]:
    """Return coverage and width of intervals (low, high)."""
    low, high = intervals.T
    return {
        "coverage": np.mean((low <= true) & (true <= high)),
        "too_low": np.mean(high < true),
        "too_high": np.mean(low > true),
        "width": np.mean(high - low),
    }


def cell(rate: float, labels: int, draw: str, errors: str, studies: int) -> list[dict]:
    """Return a row for the rate, and one for the difference of two targets."""
    random = np.random.default_rng([round(rate * 100), labels, DRAWS.index(draw), len(errors)])
    powered, alone, differences, relied = [], [], [], []
    for _ in range(studies):
        truth, verdicts = study(rate, ERRORS[errors], random)
        chosen, weight = draw_labels(verdicts, labels, draw, random)
        owns = [np.ones(len(verdicts), bool)] if errors == "equal" else [TARGET == 0, TARGET == 1]
        groups = [group_parts(truth, verdicts, own, chosen, weight) for own in owns]
        powered += [correction.recover_rate(g["rate"], g["parts"], g["influences"])[1:] for g in groups]
        alone += [group["alone"][1:] for group in groups]
        relied += [len(group["parts"]) > 1 for group in groups]
        if len(groups) == 2:
            differences.append([*correction.powered_difference(*groups).values()][1:])
    design = {"true": rate, "labels": labels, "draw": draw, "errors": errors, "studies": studies}
    people = {f"people_{name}": value for name, value in describe_intervals(np.array(alone), rate).items()}
    rows = [
        {**design, "quantity": "rate", **describe_intervals(np.array(powered), rate), **people, "relied": np.mean(relied)}
    ]
    if differences:
        rows.append({**design, "quantity": "difference", **describe_intervals(np.array(differences), 0.0)})
    return rows


def corrected(rate: float, labels: int, studies: int) -> list[dict]:
    """Return rows for Rogan and Gladen's rates: of all messages, and of each target by the error rates of all."""
    random = np.random.default_rng([round(rate * 100), labels])
    names = {"base_id": CLUSTER, "dialogue_id": np.arange(len(CLUSTER)), "behaviour": "b"}
    messages = pd.DataFrame({**names, "target": np.where(TARGET, "x", "y")}).astype("str").assign(turn=1)
    intervals: dict[str, list] = {"corrected": [], "corrected by target": []}
    for _ in range(studies):
        truth, verdicts = study(rate, ERRORS["equal"], random)
        chosen, weight = draw_labels(verdicts, labels, DRAWS[0], random)
        judged = messages.assign(judge=verdicts, label=verdicts)
        people = messages.iloc[chosen].drop(columns="target").assign(verdict=truth[chosen], weight=weight)
        for by, ends in zip(("behaviour", ("target", "behaviour")), intervals.values(), strict=True):
            table = corrected_rates(judged, people, by).dropna(subset="ci_low")  # none without a positive
            ends += table[["ci_low", "ci_high"]].to_numpy().tolist()
    design = {"true": rate, "labels": labels, "draw": DRAWS[0], "errors": "equal", "studies": studies}
    return [{**design, "quantity": name, **describe_intervals(np.array(ends), rate)} for name, ends in intervals.items()]


def few(clusters: int, icc: float, rate: float, share: float, draw: str, studies: int) -> list[dict]:
    """Return rows for judged, prediction-powered and people's rates, and for corrected ones of all and of a target."""
    random = np.random.default_rng([clusters, *(round(part * 100) for part in (icc, rate, share)), len(draw)])
    size, intervals = clusters * MESSAGES, defaultdict(list)
    groups = {"corrected": np.ones(size, dtype=bool), "corrected by target": TARGET[:size] == 0}
    messages = pd.DataFrame({"base_id": CLUSTER[:size], "dialogue_id": np.arange(size)}).astype("str")
    messages["target"] = np.where(TARGET[:size], "x", "y")
    for number in range(studies):
        truth, verdicts = study(rate, ERRORS["equal"], random, clusters, icc)
        chosen, weight = draw_labels(verdicts, round(share * size), draw, random)
        group = group_parts(truth, verdicts, groups["corrected"], chosen, weight)
        intervals["judged"].append(group["parts"][0][1:] if len(group["parts"]) > 1 else (np.nan, np.nan))
        intervals["powered"].append(correction.recover_rate(group["rate"], group["parts"], group["influences"])[1:])
        intervals["people"].append(group["alone"][1:])
        if number >= 2 * studies // 5:
            continue
        sample = messages.iloc[chosen].rename(columns={"base_id": "cluster"})
        sample = sample.assign(verdict=verdicts[chosen] * 1.0, truth=truth[chosen], weight=weight)
        for name, own in groups.items():
            raw = pd.DataFrame([judged_rate(verdicts, own)], columns=["estimate", "ci_low", "ci_high"])
            judged = messages.assign(judged=verdicts * 1.0, cluster=messages["base_id"], _group=np.where(own, 0, 1))
            row = correction.shared_error_rates(judged, sample, raw, 0.95)[0]
            intervals[name].append([row.get(end, np.nan) for end in ("ci_low", "ci_high")])
    design = {"base_prompts": clusters, "icc": icc, "true": rate, "share": share, "draw": draw}
    sensitivity, specificity = ERRORS["equal"][0]
    true_rates, rows = {"judged": rate * sensitivity + (1 - rate) * (1 - specificity)}, []
    for quantity, ends in intervals.items():
        ends = np.array(ends, dtype=float)
        ends = ends[~np.isnan(ends).any(axis=1)]  # some studies have no interval
        measures = describe_intervals(ends, true_rates.get(quantity, rate))
        rows.append({"quantity": quantity, **design, "studies": len(ends), **measures})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--few", action="store_true", help="few base prompts, with different correlations of their messages")
    arguments = parser.parse_args()
    studies = arguments.studies
    if arguments.few:
        rows = [row for one in product(*FEW.values(), DRAWS) for row in few(*one, studies)]
        pd.DataFrame(rows).round(4).to_csv(DATA / "correction_few.csv", index=False)
        print(pd.DataFrame(rows).groupby(["quantity", "base_prompts", "icc"])["coverage"].agg(["min", "median"]))
        return
    rows = [row for one in product(RATES, LABELS, DRAWS, ERRORS) for row in cell(*one, studies)]
    rows += [
        row for one in product(CORRECTED_RATES, CORRECTED_LABELS) for row in corrected(*one, studies // 5)
    ]
    table = pd.DataFrame(rows)
    front = ["quantity", "true", "labels", "draw", "errors", "studies"]
    table = table[[*front, *table.columns.difference(front, sort=False)]].round(4)
    table.to_csv(DATA / "correction_coverage.csv", index=False)
    rates = table[table["quantity"] == "rate"]
    print(rates.drop(columns=["quantity", "studies"]).round(3).to_string())
    print((~rates["coverage"].between(0.93, 0.97)).sum(), "of", len(rates), "outside .93 to .97")


if __name__ == "__main__":
    main()
