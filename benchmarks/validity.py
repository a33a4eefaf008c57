"""How often do the intervals of `anthrokit.validity` and `study` hold the truth? Simulated studies with a known truth.

    python benchmarks/validity.py [--of curves turns effects preference components slope] [--repeats 200]

curves: `dose_response`, with limits at each dose; the means' limits are those of a smooth curve. turns: `turning_point`,
with the share of p-values below .05 and of intervals that hold the place of the turn. effects: `partial_effects` of
answers ranked by people, whose effects differ between prompts. preference: `self_preference` of two judges.
components: `variance_components`, with normal and with beta-distributed rates; it runs a fifth of the repetitions.
slope: `judged_and_perceived` without an effect.
"""

from __future__ import annotations

import argparse
import itertools

import numpy as np
import pandas as pd
from coverage import holds, show

from anthrokit.analysis import simulate_labels
from anthrokit.analysis.clustered import judge_columns
from anthrokit.study import judged_and_perceived
from anthrokit.validity import dose_response, turning_point
from anthrokit.validity.judge_biases import self_preference
from anthrokit.validity.perception import partial_effects
from anthrokit.validity.variance import FACTORS, variance_components

CURVES = {
    "no effect": lambda d: 0 * d,
    "0.3 d": lambda d: 0.3 * d,
    "step at 2": lambda d: (d >= 2) * 1.0,
    "min(d, 1)": lambda d: np.minimum(d, 1),
    "1 - exp(-2d)": lambda d: 1 - np.exp(-2 * d),
}
TURNS = {
    "min(2d, 2.5 - d/2)": (lambda d: np.minimum(2 * d, 2.5 - d / 2), 1.0),
    "-|d - 1.3|": (lambda d: -np.abs(d - 1.3), 1.3),
}


def graded(random, repeats: int, doses: int, people: int, curve, noise="normal") -> pd.DataFrame:
    """Studies with one answer of each person; their standard deviation is 1."""
    dose = np.tile(np.repeat(np.arange(float(doses)), people), repeats)
    error = random.normal(size=len(dose)) if noise == "normal" else random.exponential(size=len(dose)) - 1
    study = np.repeat(np.arange(repeats), doses * people)
    return pd.DataFrame({"study": study, "person": range(len(dose)), "dose": dose, "value": curve(dose) + error})


def curves(repeats: int) -> pd.DataFrame:
    """Lowest coverage at any dose of smooth and monotone curves, and the largest bias of the smooth one."""
    random, rows = np.random.default_rng(0), []
    cases = [(*case, "normal") for case in itertools.product(CURVES, (5, 7), (6, 40, 200))]
    cases += [("no effect", 4, people, noise) for people in (8, 15, 30) for noise in ("normal", "exponential")]
    for name, doses, people, noise in cases:
        row = {"true curve": name, "doses": doses, "people": people, "answers": noise}
        made = graded(random, repeats, doses, people, CURVES[name], noise)
        for shape in ("smooth", "monotone"):
            found = dose_response(made, by="study", shape=shape)
            truth = CURVES[name](found["dose"])
            row[shape] = pd.Series(holds(found, truth)).groupby(found["dose"]).mean().min()
            if shape == "smooth":
                row["bias"] = (found["estimate"] - truth).groupby(found["dose"]).mean().abs().max()
        rows.append(row)
    return pd.DataFrame(rows)


def turns(repeats: int) -> pd.DataFrame:
    """Share of p-values below .05, and of intervals that hold the place of the turn."""
    random, rows = np.random.default_rng(0), []
    both = {name: (curve, np.nan) for name, curve in CURVES.items()} | TURNS
    for (name, (curve, place)), doses, people in itertools.product(both.items(), (5, 7), (40, 200)):
        found = turning_point(graded(random, repeats, doses, people, curve), by="study")
        shown = found["turn"] != "not shown"
        inside = holds(found, place)[shown].mean() if shown.any() and place == place else np.nan
        case = {"true curve": name, "doses": doses, "people": people}
        rows.append({**case, "p < .05": found["p_value"].lt(0.05).mean(), "place held": inside})
    return pd.DataFrame(rows)


def effects(repeats: int) -> pd.DataFrame:
    """Odds ratios of a feature of four answers to a prompt, whose logarithms have the mean 1 and the standard deviation .5."""
    random, rows = np.random.default_rng(0), []
    for prompts, people, each in itertools.product((11, 15, 30), (8, 30), (1, 4, 8)):
        held = []
        for _ in range(repeats):
            feature, effect = random.random((prompts, 4)) < 0.5, random.normal(1, 0.5, prompts)
            pairs = []
            for prompt in range(prompts):
                for person in random.choice(people, each, replace=False):
                    value = effect[prompt] * feature[prompt] + random.gumbel(size=4)
                    order = np.argsort(-value)
                    pairs += [(prompt, person, f"{prompt} {a}", f"{prompt} {b}") for a, b in itertools.combinations(order, 2)]
            names = [f"{prompt} {answer}" for prompt in range(prompts) for answer in range(4)]
            table = pd.DataFrame({"present": feature.ravel().astype(float)}, names)
            pairs = pd.DataFrame(pairs, columns=["cluster", "person", "more", "less"])
            held.append(holds(partial_effects(table, pairs), np.e)[0])
        case = {"prompts": prompts, "people": people, "rankings of a prompt": each}
        rows.append({**case, "coverage": np.nanmean(held), "no interval": np.isnan(held).mean()})
    return pd.DataFrame(rows)


def preference(repeats: int) -> pd.DataFrame:
    """Four targets of two families, two neutral judges, and one of each family that turns a share of its family's Noes into Yes."""
    rows = []
    for share in (0.0, 0.15):
        held, estimates = [], []
        for seed in range(1000, 1000 + repeats):
            study = {"base_prompts": 100, "scenarios": 2, "turns": 2, "judges": 4, "missing": 0, "rates": {"empathy": 0.4}}
            labels = simulate_labels(["gpt-a", "gpt-b", "claude-a", "claude-b"], **study, seed=seed)
            names = ["gpt-judge", "claude-judge", "n1", "n2"]
            labels = labels.rename(columns=dict(zip(judge_columns(labels), names, strict=True)))
            labels["judges"], random, true = '["gpt-judge", "claude-judge", "n1", "n2"]', np.random.default_rng(seed), []
            for family in ("gpt", "claude"):
                own = labels["target"].str.startswith(family)
                labels[f"{family}-judge"] |= own & ~labels["truth"] & (random.random(len(labels)) < share)
                true.append(share * 0.96 * (1 - labels.loc[own, "truth"].mean()))  # a judge errs in 4 % without preference
            table, _ = self_preference(labels)
            held.append(holds(table, np.array(true)))
            estimates.append(table["estimate"])
        case = {"share": share, "coverage": np.nanmean(held), "intervals": np.isfinite(held).sum()}
        rows.append({**case, "mean estimate": np.mean(estimates)})
    return pd.DataFrame(rows)


def components(repeats: int) -> pd.DataFrame:
    """Components of the design of the notebook, and of 40 base prompts with 12 verdicts each, of beta-distributed rates."""
    true = {"base prompt": 0.012, "scenario": 0.003, "user": 0.004, "dialogue": 0.006, "message": 0.01, "judge": 0.004}
    true["judge × message"] = 0.008
    shape, found, parts = {"base_id": 20, "scenario": 4, "user": 4, "turn": 2, "judge": 4, "sample": 2}, [], []
    for seed in range(max(repeats // 5, 1)):
        random = np.random.default_rng(1000 + seed)
        table = pd.DataFrame(list(itertools.product(*map(range, shape.values()))), columns=list(shape))
        table["dialogue_id"], chance = table.groupby(["base_id", "scenario", "user"]).ngroup(), np.full(len(table), 0.5)
        for name, variance in true.items():
            level = table.groupby(list(FACTORS[name]), sort=False).ngroup().to_numpy()
            chance += random.normal(size=level.max() + 1)[level] * np.sqrt(variance)
        table["verdict"] = random.random(len(table)) < np.clip(chance, 0, 1)
        found.append(variance_components(table, n_resamples=150).assign(true=[*true.values(), 0.25 - sum(true.values())]))
    found = pd.concat(found)
    parts.append(found.assign(design="notebook", coverage=holds(found, found["true"])))
    for a, b in ((0.5, 4.5), (1, 1), (5, 5)):
        variance, mean = a * b / ((a + b) ** 2 * (a + b + 1)), a / (a + b)
        for seed in range(repeats):
            random = np.random.default_rng(seed)
            verdict = random.random(480) < random.beta(a, b, 40).repeat(12)
            table = pd.DataFrame({"base_id": np.repeat(np.arange(40), 12), "verdict": verdict})
            one = variance_components(table, factors={"base prompt": ("base_id",)}, n_resamples=200)
            one = one.assign(true=[variance, mean * (1 - mean) - variance], design=f"Beta({a}, {b})")
            parts.append(one.assign(coverage=holds(one, one["true"])))
    table = pd.concat(parts).groupby(["design", "component"], sort=False)
    limits = {"low": ("ci_low", "median"), "high": ("ci_high", "median")}
    return table.agg(true=("true", "first"), coverage=("coverage", "mean"), **limits, n=("coverage", "count")).reset_index()


def slope(repeats: int) -> pd.DataFrame:
    """A slope of 0: participants in two conditions, whose shares differ for two, three, five or all."""
    random, rows = np.random.default_rng(0), []
    for people, differ in itertools.product((10, 20, 40), (2, 3, 5, None)):
        held = []
        for _ in range(repeats):
            rate = np.zeros(people)
            chosen = random.permutation(people)[:differ]
            rate[chosen] = random.beta(2, 3, len(chosen))
            table = pd.DataFrame({"condition": np.tile(["high", "low"], people // 2), "rate of any behaviour": rate})
            held.append(holds(judged_and_perceived(table.assign(godspeed_anthropomorphism=random.normal(3, 0.7, people))), 0.0))
        shares = dict(zip(("alone", "within conditions"), np.nanmean(held, axis=0), strict=True))
        rows.append({"participants": people, "with a share above 0": differ or people, **shares})
    return pd.DataFrame(rows)


def main() -> None:
    by_name = {simulation.__name__: simulation for simulation in (curves, turns, effects, preference, components, slope)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--of", nargs="+", default=list(by_name), choices=by_name)
    parser.add_argument("--repeats", type=int, default=200)
    options = parser.parse_args()
    show([by_name[name] for name in options.of], options.repeats)


if __name__ == "__main__":
    main()
