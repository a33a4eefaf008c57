"""How often do corrected rates' 95 % intervals hold the truth? A grid of simulated studies.

    python benchmarks/correction.py [--studies 1000]

Writes data/correction_coverage.csv, which the chapter on correction reads: coverage, how often the truth lies above
or below, mean width, and the same of people's labels alone. With equal errors all messages are one group; with
unequal ones two targets of one true rate have half of the labels each, and their difference is 0. Beside these
prediction-powered rates stand Rogan and Gladen's of a fifth as many studies. Takes some six minutes of one core.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from anthrokit.analysis import proportion
from anthrokit.validity import corrected_rates, correction

OUT = Path(__file__).parent.parent / "data" / "correction_coverage.csv"
RATES, LABELS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7), (50, 100, 200, 500)
CORRECTED_RATES, CORRECTED_LABELS = (0.02, 0.1, 0.3, 0.7), (50, 200, 500)
CLUSTERS, MESSAGES, ICC = 120, 40, 0.15
ERRORS = {"equal": [(0.85, 0.93)] * 2, "unequal": [(0.9, 0.98), (0.55, 0.9)]}
DRAWS = ("half judged present", "by chance")
CLUSTER, TARGET = np.divmod(np.arange(CLUSTERS * MESSAGES), MESSAGES)
TARGET = TARGET % 2


def study(rate: float, errors: list[tuple[float, float]], random: np.random.Generator) -> tuple:
    "Truth and verdicts of all messages."
    size = 1 / ICC - 1
    truth = random.random(len(CLUSTER)) < random.beta(rate * size, (1 - rate) * size, CLUSTERS)[CLUSTER]
    sensitivity, specificity = np.array(errors).T
    right = random.random(len(CLUSTER)) < np.where(truth, sensitivity[TARGET], specificity[TARGET])
    return truth, np.where(right, truth, ~truth)


def drawn(said: np.ndarray, labels: int, draw: str, random: np.random.Generator) -> tuple:
    "Which messages people label, and how many each stands for."
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
    "What the rate of a group is made of."
    sums = [np.bincount(CLUSTER[own], part, CLUSTERS)[:, None] for part in (said[own], np.ones(own.sum()))]
    limits = proportion(*sums)[["estimate", "ci_low", "ci_high"]].to_numpy()[0]
    inside = own[chosen]
    rows = chosen[inside]
    labelled = [said[rows], truth[rows], weight[inside], CLUSTER[rows]]
    return correction._powered_parts(tuple(limits), said[own] * 1.0, CLUSTER[own], labelled, CLUSTERS, 0.95)


def counted(intervals: np.ndarray, true: float) -> dict[str, float]:
    "Coverage and width of intervals (low, high)."
    low, high = intervals.T
    return {
        "coverage": np.mean((low <= true) & (true <= high)),
        "too_low": np.mean(high < true),
        "too_high": np.mean(low > true),
        "width": np.mean(high - low),
    }


def cell(rate: float, labels: int, draw: str, errors: str, studies: int) -> list[dict]:
    "One row for the rate, and one for the difference of two targets."
    random = np.random.default_rng([round(rate * 100), labels, DRAWS.index(draw), len(errors)])
    found, alone, apart, relied = [], [], [], []
    for _ in range(studies):
        truth, said = study(rate, ERRORS[errors], random)
        chosen, weight = drawn(said, labels, draw, random)
        owns = [np.ones(len(said), bool)] if errors == "equal" else [TARGET == 0, TARGET == 1]
        groups = [made_of(truth, said, own, chosen, weight) for own in owns]
        found += [correction._recovered(g["rate"], g["parts"], g["influences"])[1:] for g in groups]
        alone += [group["alone"][1:] for group in groups]
        relied += [len(group["parts"]) > 1 for group in groups]
        if len(groups) == 2:
            apart.append(correction._difference_of(*groups)[1:])
    told = {"true": rate, "labels": labels, "draw": draw, "errors": errors, "studies": studies}
    people = {f"people_{name}": value for name, value in counted(np.array(alone), rate).items()}
    rows = [
        {**told, "quantity": "rate", **counted(np.array(found), rate), **people, "relied": np.mean(relied)}
    ]
    if apart:
        rows.append({**told, "quantity": "difference", **counted(np.array(apart), 0.0)})
    return rows


def corrected(rate: float, labels: int, studies: int) -> list[dict]:
    "Rows for Rogan and Gladen's rates: of all messages, and of each target by the error rates of all."
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--studies", type=int, default=1000)
    studies = parser.parse_args().studies
    rows = [row for one in product(RATES, LABELS, DRAWS, ERRORS) for row in cell(*one, studies)]
    rows += [
        row for one in product(CORRECTED_RATES, CORRECTED_LABELS) for row in corrected(*one, studies // 5)
    ]
    table = pd.DataFrame(rows)
    front = ["quantity", "true", "labels", "draw", "errors", "studies"]
    table[[*front, *table.columns.difference(front, sort=False)]].round(4).to_csv(OUT, index=False)
    rates = table[table["quantity"] == "rate"]
    print(rates.drop(columns=["quantity", "studies"]).round(3).to_string())
    print((~rates["coverage"].between(0.93, 0.97)).sum(), "of", len(rates), "outside .93 to .97")


if __name__ == "__main__":
    main()
