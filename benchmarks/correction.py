"""How often do corrected rates' 95 % intervals hold the truth? A grid of simulated studies.

    python benchmarks/correction.py [--studies 1000]
    python benchmarks/correction.py --few [--studies 1000]

Writes data/correction_coverage.csv, which the chapter on correction reads: coverage, how often the truth lies above
or below, mean width, and the same of people's labels alone. With equal errors all messages are one group; with
unequal ones two targets of one true rate have half of the labels each, and their difference is 0. Beside these
prediction-powered rates stand Rogan and Gladen's of a fifth as many studies. Takes some six minutes of one core.

With --few it writes data/correction_few.csv instead: 8 to 60 base prompts, whose messages are unrelated or alike, and
of which people labelled a twentieth or three tenths; two fifths of the studies are of corrected rates, too. Takes some
six minutes.
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
    """Truth and verdicts of all messages."""
    cluster, target = CLUSTER[: clusters * MESSAGES], TARGET[: clusters * MESSAGES]
    size = 1 / max(icc, 1e-9) - 1
    truth = random.random(len(cluster)) < random.beta(rate * size, (1 - rate) * size, clusters)[cluster]
    sensitivity, specificity = np.array(errors).T
    right = random.random(len(cluster)) < np.where(truth, sensitivity[target], specificity[target])
    return truth, np.where(right, truth, ~truth)


def drawn(said: np.ndarray, labels: int, draw: str, random: np.random.Generator) -> tuple:
    """Which messages people label, and how many each stands for."""
    pools = (
        [np.arange(len(said))] if draw == "by chance" else [np.flatnonzero(said == kind) for kind in (1, 0)]
    )
    sizes = [min(labels // len(pools), len(pool)) for pool in pools]
    chosen = [random.choice(pool, size, replace=False) for pool, size in zip(pools, sizes, strict=True)]
    weights = [np.full(size, len(pool) / size) for pool, size in zip(pools, sizes, strict=True)]
    return np.concatenate(chosen), np.concatenate(weights)


def made_of(
    truth: np.ndarray, said: np.ndarray, own: np.ndarray, chosen: np.ndarray, weight: np.ndarray
) -> dict:
    """What the rate of a group is made of."""
    limits, inside, cluster = judged_rate(said, own), own[chosen], CLUSTER[: len(said)]
    rows = chosen[inside]
    labelled = [said[rows], truth[rows], weight[inside], CLUSTER[rows]]
    size = len(said) // MESSAGES
    return correction.powered_parts(tuple(limits), said[own] * 1.0, cluster[own], labelled, size, 0.95)


def judged_rate(said: np.ndarray, own: np.ndarray) -> np.ndarray:
    """The judged rate of a group, with its limits."""
    cluster = CLUSTER[: len(said)][own]
    sums = [np.bincount(cluster, part, cluster[-1] + 1)[:, None] for part in (said[own], np.ones(own.sum()))]
    return proportion(*sums)[["estimate", "ci_low", "ci_high"]].to_numpy()[0]


def counted(intervals: np.ndarray, true: float) -> dict[str, float]:
    """Coverage and width of intervals (low, high)."""
    low, high = intervals.T
    return {
        "coverage": np.mean((low <= true) & (true <= high)),
        "too_low": np.mean(high < true),
        "too_high": np.mean(low > true),
        "width": np.mean(high - low),
    }


def cell(rate: float, labels: int, draw: str, errors: str, studies: int) -> list[dict]:
    """One row for the rate, and one for the difference of two targets."""
    random = np.random.default_rng([round(rate * 100), labels, DRAWS.index(draw), len(errors)])
    found, alone, apart, relied = [], [], [], []
    for _ in range(studies):
        truth, said = study(rate, ERRORS[errors], random)
        chosen, weight = drawn(said, labels, draw, random)
        owns = [np.ones(len(said), bool)] if errors == "equal" else [TARGET == 0, TARGET == 1]
        groups = [made_of(truth, said, own, chosen, weight) for own in owns]
        found += [correction.recover_rate(g["rate"], g["parts"], g["influences"])[1:] for g in groups]
        alone += [group["alone"][1:] for group in groups]
        relied += [len(group["parts"]) > 1 for group in groups]
        if len(groups) == 2:
            apart.append([*correction.powered_difference(*groups).values()][1:])
    told = {"true": rate, "labels": labels, "draw": draw, "errors": errors, "studies": studies}
    people = {f"people_{name}": value for name, value in counted(np.array(alone), rate).items()}
    rows = [
        {**told, "quantity": "rate", **counted(np.array(found), rate), **people, "relied": np.mean(relied)}
    ]
    if apart:
        rows.append({**told, "quantity": "difference", **counted(np.array(apart), 0.0)})
    return rows


def corrected(rate: float, labels: int, studies: int) -> list[dict]:
    """Rows for Rogan and Gladen's rates: of all messages, and of each target by the error rates of all."""
    random = np.random.default_rng([round(rate * 100), labels])
    names = {"base_id": CLUSTER, "dialogue_id": np.arange(len(CLUSTER)), "behaviour": "b"}
    messages = pd.DataFrame({**names, "target": np.where(TARGET, "x", "y")}).astype("str").assign(turn=1)
    found: dict[str, list] = {"corrected": [], "corrected by target": []}
    for _ in range(studies):
        truth, said = study(rate, ERRORS["equal"], random)
        chosen, weight = drawn(said, labels, DRAWS[0], random)
        judged = messages.assign(judge=said, label=said)
        people = messages.iloc[chosen].drop(columns="target").assign(verdict=truth[chosen], weight=weight)
        for by, intervals in zip(("behaviour", ("target", "behaviour")), found.values(), strict=True):
            table = corrected_rates(judged, people, by).dropna(subset="ci_low")  # none without a positive
            intervals += table[["ci_low", "ci_high"]].to_numpy().tolist()
    told = {"true": rate, "labels": labels, "draw": DRAWS[0], "errors": "equal", "studies": studies}
    return [{**told, "quantity": name, **counted(np.array(ends), rate)} for name, ends in found.items()]


def few(clusters: int, icc: float, rate: float, share: float, draw: str, studies: int) -> list[dict]:
    """Rows for the judged rate, a prediction-powered one, people's labels alone; corrected ones of all and of a target."""
    random = np.random.default_rng([clusters, *(round(part * 100) for part in (icc, rate, share)), len(draw)])
    size, found = clusters * MESSAGES, defaultdict(list)
    groups = {"corrected": np.ones(size, dtype=bool), "corrected by target": TARGET[:size] == 0}
    messages = pd.DataFrame({"base_id": CLUSTER[:size], "dialogue_id": np.arange(size)}).astype("str")
    messages["target"] = np.where(TARGET[:size], "x", "y")
    for number in range(studies):
        truth, said = study(rate, ERRORS["equal"], random, clusters, icc)
        chosen, weight = drawn(said, round(share * size), draw, random)
        group = made_of(truth, said, groups["corrected"], chosen, weight)
        found["judged"].append(group["parts"][0][1:] if len(group["parts"]) > 1 else (np.nan, np.nan))
        found["powered"].append(correction.recover_rate(group["rate"], group["parts"], group["influences"])[1:])
        found["people"].append(group["alone"][1:])
        if number >= 2 * studies // 5:
            continue
        sample = messages.iloc[chosen].rename(columns={"base_id": "cluster"})
        sample = sample.assign(said=said[chosen] * 1.0, hit=truth[chosen], weight=weight)
        for name, own in groups.items():
            raw = pd.DataFrame([judged_rate(said, own)], columns=["estimate", "ci_low", "ci_high"])
            judged = messages.assign(judged=said * 1.0, cluster=messages["base_id"], _group=np.where(own, 0, 1))
            row = correction.shared_error_rates(judged, sample, raw, 0.95)[0]
            found[name].append([row.get(end, np.nan) for end in ("ci_low", "ci_high")])
    told = {"base_prompts": clusters, "icc": icc, "true": rate, "share": share, "draw": draw}
    sensitivity, specificity = ERRORS["equal"][0]
    seen, rows = {"judged": rate * sensitivity + (1 - rate) * (1 - specificity)}, []
    for quantity, ends in found.items():
        ends = np.array(ends, dtype=float)
        ends = ends[~np.isnan(ends).any(axis=1)]  # some studies have no interval
        held = counted(ends, seen.get(quantity, rate))
        rows.append({"quantity": quantity, **told, "studies": len(ends), **held})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--few", action="store_true", help="few base prompts, with more and less alike messages")
    asked = parser.parse_args()
    studies = asked.studies
    if asked.few:
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
