"""How long the whole analysis of a full study takes, and how it grows.

    python benchmarks/analysis.py [--fractions 0.125 0.25 0.5 1]

A full study has 4 targets x 960 dialogues x 5 turns x 14 behaviours x 9 ratings: 2.4 million ratings, made
synthetically. Each size runs in a process of its own, so that its peak memory is its own. Timed are the
answers of `anthrokit.analysis`; the making of the table is not.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
import pandas as pd
from ledger import apart

JUDGES, SAMPLES = 3, 3


def make(base_prompts: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Labels, and the ratings behind them: three samples of three judges."""
    from anthrokit import analysis

    labels = analysis.simulate_labels(4, base_prompts=base_prompts, carry_over=0.3, judges=JUDGES, seed=1)
    random, parts = np.random.default_rng(2), []
    for judge in range(JUDGES):
        for sample in range(SAMPLES):
            part = labels[["dialogue_id", "turn", "behaviour", "base_id"]].copy()
            part["judge"], part["sample"] = f"synthetic judge {judge + 1}", sample + 1
            refused = random.random(len(part)) < 0.01
            part["verdict"] = labels[f"synthetic judge {judge + 1}"].mask(refused)
            part["status"] = np.where(refused, "refused", "ok")
            parts.append(part)
    ratings = pd.concat(parts, ignore_index=True)
    for name in ("judge", "status", "behaviour", "dialogue_id", "base_id"):
        ratings[name] = ratings[name].astype("category")
    return labels, ratings


def steps(labels: pd.DataFrame, ratings: pd.DataFrame) -> dict:
    """What a study asks, by name; 2,000 resamples wherever something is resampled."""
    from anthrokit import analysis
    from anthrokit.core import label

    both = ("target", "behaviour")
    return {
        "labels from ratings": lambda: label(ratings),
        "profile by behaviour, category, domain": lambda: (
            analysis.profile(labels),
            analysis.profile(labels, by=("target", "category")),
            analysis.profile(labels, by=("target", "domain", "behaviour")),
            analysis.profile(labels, by=("target", "empathy", "professionalism", "behaviour")),
        ),
        "comparison of targets": lambda: analysis.compare(labels),
        "matrix of behaviours": lambda: analysis.snowball_matrix(labels),
        "similarity of profiles": lambda: analysis.similarity(labels, n_resamples=2000),
        "domains: Kruskal-Wallis, pairs, differences": lambda: (
            analysis.kruskal_wallis(labels),
            analysis.compare(labels, group="domain"),
        ),
        "domains: clustered model": lambda: analysis.factor_model(labels),
        "emergence and first occurrences": lambda: (
            analysis.emergence(labels, by=both),
            analysis.emergence(labels, by=("target", "category")),
            analysis.late_share(labels, by=both),
            analysis.late_behaviours(labels, by="target"),
        ),
        "snowball": lambda: (
            analysis.snowball(labels, by=both),
            analysis.snowball(labels, by="target"),
        ),
        "carry-over": lambda: (
            analysis.carry_over(labels, by=both),
            analysis.carry_over(labels, by="target"),
        ),
        "agreement of judges": lambda: (
            analysis.agreement(labels, by=both),
            analysis.interrater.pairwise_agreement(labels),
        ),
        "missing ratings": lambda: analysis.interrater.missingness(ratings),
    }


def measure(base_prompts: int) -> tuple[int, float, dict]:
    """The ratings of one size, its peak memory in GB, and the time of each step."""
    labels, ratings = make(base_prompts)
    times = {}
    for name, step in steps(labels, ratings).items():
        began = time.perf_counter(), time.process_time()
        step()
        times[name] = time.perf_counter() - began[0], time.process_time() - began[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    return len(ratings), peak, times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--fractions", type=float, nargs="+", default=[0.125, 0.25, 0.5, 1.0])
    options, columns = parser.parse_args(), {}
    for fraction in options.fractions:
        ratings, peak, times = apart(measure, max(2, round(120 * fraction)))
        column = {name: round(wall, 2) for name, (wall, _) in times.items()}
        column["all, in seconds"] = round(sum(wall for wall, _ in times.values()), 1)
        column["all, in seconds of processor time"] = round(sum(used for _, used in times.values()), 1)
        columns[f"{fraction:g} of a study"] = {"ratings": f"{ratings:,}", **column, "peak memory, in GB": round(peak, 2)}
    print(pd.DataFrame(columns).to_string())


if __name__ == "__main__":
    main()
