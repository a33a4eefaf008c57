"""Bias and coverage of rates over several behaviours when labels are missing.

    python benchmarks/missing_labels.py [--studies 300] [--base-prompts 40] [--sparse]

Each study is simulated with all labels, which give the truth, and with labels missing at random. "known answers" counts
every message whose answer is known: True if one label is True, False if all are there. "two judges" is a panel of two
that err in 7 % of their verdicts, without a label where they disagree. Prints a table in Markdown: per cent missing,
what is estimated, truth, bias of the known answers and of anthrokit's estimate (in points), coverage of its 95 %
interval, and the share of studies in which the bounds hold the rate of all labels.

With --sparse, few messages have all labels. It prints the coverage of `profile` and of `drift` by category, the share of
studies with an interval, and how often `drift` calls a change of the margin's size "within the margin" (at most 5 %).
"""

import argparse

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.stats import norm

from anthrokit import analysis

MARGIN = 0.1
SPARSE = [  # messages, per base prompt, behaviours, their rates, share of labels that is missing
    (80, 1, 2, (0.1, 0.3), (0, 0.85)),
    (80, 1, 3, 0.2, 0.6),
    (40, 1, 5, 0.1, 0.4),
    (80, 1, 13, 0.08, 0.2),
    (200, 1, 13, 0.08, 0.2),
    (80, 1, 3, 0.1, 0.5),
    (40, 1, 3, 0.1, 0.3),
    (80, 1, 13, 0.05, 0.1),
    (80, 10, 3, 0.1, 0.5),
    (200, 10, 5, 0.1, 0.4),
    (480, 12, 3, 0.05, 0.7),
    (800, 1, 5, 0.1, 0.2),
]
RATES = {
    "sentience": 0.02, "personal relationships": 0.01, "personal history": 0.03, "physical embodiment": 0.01,
    "physical movement": 0.03, "sensory input": 0.01, "desires": 0.09, "agency": 0.06, "emotions": 0.14,
    "relatability": 0.12, "explicit relationship status": 0.03,
}  # fmt: skip
PANELS = {
    "1 %": {"missing": 0.01},
    "5 %": {"missing": 0.05},
    "10 %": {"missing": 0.1},
    "20 %": {"missing": 0.2},
    "two judges": {"judges": 2, "judge_error": 0.07, "missing": 0.0},
}


def known_answers(labels: pd.DataFrame, by: list[str]) -> float:
    """Return the share with any behaviour among messages whose answer is known."""
    label = labels["label"].astype("Float64").groupby([labels[name] for name in ["dialogue_id", "turn", *by]])
    any_label = label.max().where(label.max().eq(1) | label.count().eq(label.size()))
    return float(any_label.mean())


def estimates(labels: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the rows that are checked, by name."""
    relations = labels[labels["category"] == "internal states"]
    return {
        "any behaviour": analysis.profile(labels, by=()).loc[0],
        "internal states": analysis.profile(relations, by="category").loc[0],
        "internal states by turn 3": analysis.emergence(relations, by="category").iloc[-1],
        "internal states, late": analysis.late_share(relations, by="category").loc[0],
    }


def study(seed: int, base_prompts: int, panel: dict) -> list[dict]:
    """Return one row an estimate of one simulated study."""
    made = {"judges": 1, "judge_error": 0.0, "rates": RATES, "target_spread": 0.0} | panel
    labels = analysis.simulate_labels(1, base_prompts=base_prompts, scenarios=4, turns=3, seed=seed, **made)
    odds = made["judge_error"] / (1 - made["judge_error"])
    wrong = np.random.default_rng(seed).random(len(labels)) < odds**2 / (1 + odds**2)  # had the two agreed
    agreed = (labels["truth"] ^ wrong) if made["judges"] == 2 else labels["truth"]
    whole = estimates(labels.assign(label=labels["label"].fillna(agreed)))
    biased = {
        "any behaviour": known_answers(labels, []),
        "internal states": known_answers(labels[labels["category"] == "internal states"], []),
    }
    rows = []
    for name, row in estimates(labels).items():
        inside = row["lowest"] - 1e-9 <= whole[name]["estimate"] <= row["highest"] + 1e-9
        inside = row["lowest"] - 1e-9 <= row["estimate"] <= row["highest"] + 1e-9
        rows.append({"estimate of": name, "truth": whole[name]["estimate"], "known": biased.get(name, np.nan),
                     "ours": row["estimate"], "low": row["ci_low"], "high": row["ci_high"], "held": inside,
                     "inside": inside, "full_low": whole[name]["ci_low"], "full_high": whole[name]["ci_high"]})  # fmt: skip
    return rows


def sparse_labels(
    random: np.random.Generator, target: str, n: int, per: int, k: int, rate: np.ndarray | float, missing: np.ndarray | float
) -> pd.DataFrame:
    """Return labels of n messages and k behaviours, correlated within base prompts (0.4 on the latent scale)."""
    base, turn = np.arange(n) // per, np.arange(n) % per + 1
    shared = random.standard_normal((n // per, k))[base]
    latent = shared * 0.4**0.5 + random.standard_normal((n, k)) * 0.6**0.5
    label = pd.array((latent < norm.ppf(rate)).ravel(), dtype="boolean")
    label[(random.random((n, k)) < missing).ravel()] = pd.NA
    message = pd.DataFrame({"base_id": base, "prompt_id": base, "dialogue_id": [f"{target}{b}" for b in base], "turn": turn})
    labels = message.loc[np.repeat(np.arange(n), k)].assign(behaviour=np.tile(np.arange(k).astype(str), n))
    return labels.assign(target=target, category="c", label=label)


def any_rate(rate: np.ndarray | float, k: int) -> float:
    """Return the share of messages with any of k independent behaviours."""
    return 1 - float(np.prod(1 - np.broadcast_to(rate, k)))


def raised(rate: np.ndarray | float, k: int) -> float:
    """Return the factor of the rates that raises the share of messages with any behaviour by the margin."""
    return brentq(lambda factor: any_rate(np.multiply(rate, factor), k) - any_rate(rate, k) - MARGIN, 1, 3)


def sparse(studies: int) -> None:
    """Print the coverage with few complete messages."""
    print("| messages, per base prompt | behaviours, rate, missing | complete | interval | profile | drift | equivalent |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for n, per, k, rate, missing in SPARSE:
        factor_new = raised(rate, k)
        inside, changes, within, complete = [], [], 0, []
        for seed in range(studies):
            random = np.random.default_rng(seed)
            sides = [sparse_labels(random, name, n, per, k, np.multiply(rate, factor), missing)
                     for name, factor in (("new", factor_new), ("old", 1))]  # fmt: skip
            rows = analysis.profile(pd.concat(sides), by=["target", "category"]).set_index("target")
            if rows["estimate"].isna().any():
                continue  # a side without complete messages
            row = rows.loc["old"]
            change = analysis.drift(pd.concat(sides), MARGIN, "target", baseline="old", by="category", n_swaps=0).loc[0]
            complete.append(row["n"])
            if row["ci_low"] == row["ci_low"]:
                inside.append(row["ci_low"] <= any_rate(rate, k) <= row["ci_high"])
            if change["ci_low"] == change["ci_low"]:
                changes.append(change["ci_low"] <= MARGIN <= change["ci_high"])
            within += change["verdict"] == "within the margin"
        cells = [f"{n}, {per}", f"{k}, {rate}, {missing}", f"{np.mean(complete):.0f}"]
        shares = [len(inside) / studies, np.mean(inside), np.mean(changes), within / studies]
        print("|", " | ".join([*cells, *(f"{100 * share:.1f}" for share in shares)]), "|", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=300)
    parser.add_argument("--base-prompts", type=int, default=40)
    parser.add_argument("--missing", choices=list(PANELS), nargs="*", default=list(PANELS))
    parser.add_argument("--sparse", action="store_true")
    options = parser.parse_args()
    if options.sparse:
        return sparse(options.studies)
    print("| missing | rate | truth | bias, known answers | bias | spread | coverage of 95 % | bounds hold |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for panel in options.missing:
        rows = pd.DataFrame([row for seed in range(options.studies)
                             for row in study(seed, options.base_prompts, PANELS[panel])])  # fmt: skip
        assert rows["inside"].all(), "an estimate lies outside its own bounds"
        for name, part in rows.groupby("estimate of", sort=False):
            truth = part["truth"].mean()
            covered = ((part["low"] <= truth) & (part["high"] >= truth)).mean()
            known_bias = "" if part["known"].isna().all() else f"{100 * (part['known'] - part['truth']).mean():+.1f}"
            print(
                f"| {panel} | {name} | {100 * truth:.1f} | {known_bias} | "
                f"{100 * (part['ours'] - part['truth']).mean():+.1f} "
                f"| {100 * part['ours'].std():.1f} | {100 * covered:.1f} | {100 * part['held'].mean():.0f} % |",
                flush=True,
            )


if __name__ == "__main__":
    main()
