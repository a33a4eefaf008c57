"""Fit the bundled scales of perception, and measure them.

    python benchmarks/perception.py [--cache FOLDER] [--judges MODEL …]   fits, and cross-validates on fitting prompts
    python benchmarks/perception.py --choose [--cache FOLDER]             cross-validates the choice among scales, too
    python benchmarks/perception.py --coverage                            simulates the intervals of perceived_means

The first writes data/perception.csv and data/perception_encoder.csv (coefficients), data/perception_labels.csv (the panel's
labels of the ranked answers) and the rows of data/perception_accuracy.csv on fitting prompts; with --judges it only prints how
well other judges do. The third writes data/perception_coverage.csv in about five minutes. The rankings of test prompts were used
once, for the scale of the offline judges; no option uses them again. The offline judges need two minutes for the 1,050 answers
on one core; with --cache their scores are saved and reused.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from anthrokit.judging import LLMJudge
from anthrokit.judging.offline import embedding_judge, grammar_judge, sentence_judge
from anthrokit.simulation import Taxonomy
from anthrokit.validity.human_data import load_rankings
from anthrokit.validity.perception import (
    accuracy_gain,
    encode,
    fit_perception,
    held_out_values,
    judge_labels,
    judge_scores,
    people_accuracy,
    perceived_means,
    perception_values,
    ranking_accuracy,
    style_features,
)

DATA = Path(__file__).parent.parent / "data"
FITTING = "fitting, cross-validated"


def rated(texts: pd.DataFrame, rate, judges: Sequence, cache: Path | None) -> pd.DataFrame:
    """Return scores or labels of the ranked answers, saved in a folder if there is one."""
    path = None if cache is None else cache / f"{rate.__name__}.parquet"
    if path is None or not path.exists():
        table = rate(texts["message"].tolist(), judges)
        if path is None:
            return table.set_axis(texts["item_id"])
        table.set_axis(["|".join(name) for name in table], axis=1).to_parquet(path)
    table = pd.read_parquet(path)
    table.columns = pd.MultiIndex.from_tuples([tuple(name.split("|")) for name in table])
    return table.set_axis(texts["item_id"])


def quantities(
    texts: pd.DataFrame, scores: pd.DataFrame, labels: pd.DataFrame, encoded: pd.DataFrame
) -> tuple[dict, dict]:
    """Return what is fitted to rankings, and what orders answers without a fit."""
    style = style_features(texts["message"]).set_axis(texts["item_id"])
    style.columns = pd.MultiIndex.from_product([["style"], style.columns])
    fitted = {
        "scale of the sentence encoder": encoded,
        "scale of the offline judges": scores,
        "scale of the panel's labels": labels,
        "scale of six style features": style,
        "scale of labels and style": labels.join(style),
    }
    plain = {
        "mean rank of all offline judges": scores.rank().mean(axis=1),
        "mean rank of embeddings and grammar": scores["embeddings and grammar"].rank().mean(axis=1),
        "dose of the steering": texts.set_index("item_id")["dose"],
    }
    return fitted, plain


def accuracy(values: dict[str, pd.Series], pairs: pd.DataFrame, prompts: str) -> pd.DataFrame:
    """Return the accuracy of each quantity and of people."""
    parts = [ranking_accuracy(one, pairs).assign(ordered_by=name) for name, one in values.items()]
    people = people_accuracy(pairs)
    parts.append(people.drop(columns="against").assign(ordered_by="one person, by " + people["against"]))
    table = pd.concat(parts, ignore_index=True)
    table.insert(0, "ordered_by", table.pop("ordered_by"))
    return table.assign(prompts=prompts).round(4)


def save_accuracy(table: pd.DataFrame) -> None:
    """Replace the rows of these prompts."""
    path = DATA / "perception_accuracy.csv"
    others = pd.read_csv(path).query("prompts not in @table.prompts.unique()")
    pd.concat([others, table]).sort_values("prompts", ascending=False, kind="stable").to_csv(path, index=False)
    print(table.to_string())


def fit(
    texts: pd.DataFrame, fitting: pd.DataFrame, scores: pd.DataFrame, labels: pd.DataFrame, encoded: pd.DataFrame
) -> None:
    """Write the coefficients, the labels, and the accuracy on prompts left out in turn."""
    scales = [fit_perception(scores, fitting), fit_perception(labels, fitting)]
    pd.concat(scales).round(5).to_csv(DATA / "perception.csv", index=False)
    fit_perception(encoded, fitting, n_resamples=40).round(4).to_csv(DATA / "perception_encoder.csv", index=False)
    labels["panel"].astype(int).to_csv(DATA / "perception_labels.csv")
    fitted, plain = quantities(texts, scores, labels, encoded)
    held = {name: held_out_values(table, fitting) for name, table in fitted.items()}
    save_accuracy(accuracy({**held, **plain}, fitting, FITTING))
    style = held["scale of six style features"]
    for name in [*list(held)[:3], "scale of labels and style"]:
        print(name, "beyond style", accuracy_gain(held[name], style, fitting).round(4).to_dict("records"))
    gain = accuracy_gain(held["scale of the sentence encoder"], held["scale of the offline judges"], fitting)
    print("encoder beyond judges", gain.round(4).to_dict("records"))


def choose(fitting: pd.DataFrame, fitted: dict[str, pd.DataFrame]) -> None:
    """Print the accuracy of the choice among scales: on each tenth of the prompts, that of the best one on the others."""
    codes, values, baseline = pd.factorize(fitting["cluster"])[0], [], []
    for fold in range(10):
        others, held = fitting[codes % 10 != fold], fitting[codes % 10 == fold]
        inner = {name: held_out_values(table, others, folds=3) for name, table in fitted.items()}
        accuracies = {name: ranking_accuracy(one, others)["estimate"].item() for name, one in inner.items()}
        best, items = max(accuracies, key=accuracies.__getitem__), pd.unique(held[["more", "less"]].to_numpy().ravel())
        for name, parts in ((best, values), ("scale of the offline judges", baseline)):
            model = fit_perception(fitted[name], others, n_resamples=0)
            parts.append(perception_values(fitted[name].loc[items], model)["coefficient"])
        print(fold, best, {name: round(one, 4) for name, one in accuracies.items()}, flush=True)
    chosen, judges = pd.concat(values), pd.concat(baseline)
    print(ranking_accuracy(chosen, fitting).round(4).to_string())
    print(accuracy_gain(chosen, judges, fitting).round(4).to_string())


RATES = {"empathy": 0.35, "validation": 0.4, "emotions": 0.12, "desires": 0.1, "relatability": 0.12, "agency": 0.05}
TARGETS = {  # rates of the behaviours in targets that people find like the ranked answers, colder, or warmer
    "as the ranked answers": tuple(RATES.values()),
    "colder": (0.1, 0.12, 0.03, 0.03, 0.03, 0.02),
    "warmer": (0.6, 0.7, 0.3, 0.25, 0.3, 0.1),
    "much warmer": (0.8, 0.85, 0.5, 0.45, 0.5, 0.2),
}
EFFECTS = np.array([0.74, 0.91, 0.82, 0.61, 0.61, 0.0])
ERRORS = {"A": (0.85, 0.95), "B": (0.65, 0.90)}  # sensitivity and specificity of the panel in two targets


def clustered_labels(random: np.random.Generator, rates: np.ndarray, clusters: int, size: int, icc: float) -> np.ndarray:
    """Draw true labels of messages × behaviours that are alike within base prompts."""
    worth = 1 / icc - 1
    shares = random.beta(rates * worth, (1 - rates) * worth, (clusters, len(rates)))
    return random.random((clusters * size, len(rates))) < np.repeat(shares, size, axis=0)


def misjudge(random: np.random.Generator, truth: np.ndarray, sensitivity: float, specificity: float) -> np.ndarray:
    """Draw the panel's labels of true labels."""
    return np.where(truth, random.random(truth.shape) < sensitivity, random.random(truth.shape) > specificity)


def calibration(random: np.random.Generator, n_resamples: int) -> pd.DataFrame:
    """Simulate rankings of four of seven answers to each of 100 prompts by ten people, and fit a scale of labels."""
    truth = clustered_labels(random, np.array(list(RATES.values())), 100, 7, 0.1)
    names = [f"{prompt} {answer}" for prompt in range(100) for answer in range(7)]
    scores = pd.DataFrame(truth.astype(float), names, pd.MultiIndex.from_product([["panel"], RATES]))
    rows = []
    for prompt in range(100):
        for person in range(10):
            four = prompt * 7 + random.choice(7, 4, replace=False)
            order = four[np.argsort(-(truth[four] @ EFFECTS + random.gumbel(size=4)))]
            rows += [(prompt, person, names[order[i]], names[order[j]]) for i in range(4) for j in range(i + 1, 4)]
    pairs = pd.DataFrame(rows, columns=["cluster", "person", "more", "less"])
    return fit_perception(scores, pairs, n_resamples=n_resamples)


def judged_study(
    random: np.random.Generator, rates: Sequence[float], people: int, clusters: int = 60, size: int = 10
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Simulate the labels of two targets with equal true rates, and people's labels of some messages."""
    parts = []
    for target, errors in ERRORS.items():
        truth = clustered_labels(random, np.array(rates), clusters, size, 0.1)
        verdicts, keys = misjudge(random, truth, *errors), np.arange(clusters * size)
        for place, name in enumerate(RATES):
            part = {"target": target, "dialogue_id": [f"{target}{key}" for key in keys], "turn": 1, "behaviour": name}
            part |= {"base_id": (keys // size).astype(str), "label": verdicts[:, place], "truth": truth[:, place]}
            parts.append(pd.DataFrame(part))
    labels = pd.concat(parts, ignore_index=True)
    drawn = labels.groupby(["target", "behaviour"]).sample(people, random_state=int(random.integers(2**31)))
    drawn = drawn.rename(columns={"truth": "verdict"})[["dialogue_id", "turn", "behaviour", "base_id", "verdict"]]
    return labels.drop(columns="truth"), drawn


def coverage(numbers: Sequence[int], people: int = 150, n_resamples: int = 40) -> pd.DataFrame:
    """Simulate whether the intervals of mean perceived scores contain the true mean: one row for each interval."""
    rows = []
    for number in numbers:
        random = np.random.default_rng(number)
        model = calibration(random, n_resamples)
        true = {name: float(EFFECTS @ (np.array(rates) - model["centre"].to_numpy())) for name, rates in TARGETS.items()}
        studies = {name: judged_study(random, rates, people) for name, rates in TARGETS.items()}
        labels, drawn = (
            pd.concat([study[part].assign(rates=name, dialogue_id=name + study[part]["dialogue_id"]) for name, study in studies.items()])
            for part in (0, 1)
        )
        for kind, sample in (("panel only", None), ("prediction-powered", drawn.drop(columns="rates"))):
            if sample is None and number % 8:
                continue
            means = perceived_means(labels, sample, ["rates", "target"], model=model)
            truth = means["rates"].map(true)
            inside = truth.between(means["ci_low"], means["ci_high"])
            means = means.assign(labels=kind, true=truth, coverage=inside, width=means["ci_high"] - means["ci_low"])
            rows.append(means.assign(bias=means["estimate"] - truth))
    return pd.concat(rows)[["rates", "labels", "target", "true", "coverage", "width", "bias"]]


def save_coverage(rows: pd.DataFrame) -> None:
    """Write and print the mean over studies."""
    groups = rows.groupby(["rates", "labels", "target"], sort=False)
    table = groups.mean().join(groups.size().rename("intervals")).round(4).reset_index()
    table.to_csv(DATA / "perception_coverage.csv", index=False)
    print(table.to_string())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cache", type=Path, help="a folder for the judges' scores and labels")
    parser.add_argument("--judges", nargs="+", help="LLM judges, cross-validated beside the offline judges")
    parser.add_argument("--choose", action="store_true")
    parser.add_argument("--coverage", action="store_true")
    options = parser.parse_args()
    if options.coverage:
        save_coverage(coverage(range(200)))
        return
    pairs, texts = load_rankings()
    fitting = pairs[~pairs["test"]]
    if options.judges:
        scores = judge_scores(texts["message"].tolist(), [LLMJudge(name) for name in options.judges])
        values = held_out_values(scores.set_axis(texts["item_id"]), fitting, penalty=1)
        print(ranking_accuracy(values, fitting).round(3).to_string())
        return
    judges = [grammar_judge(), embedding_judge(), sentence_judge()]
    scores, labels = (rated(texts, rate, judges, options.cache) for rate in (judge_scores, judge_labels))
    taxonomy = Taxonomy.load()
    labels = labels[[("panel", name) for name in (*taxonomy.judged, *taxonomy.counted)]]
    encoded = encode(texts["message"].tolist()).set_axis(texts["item_id"])
    if options.choose:
        choose(fitting, quantities(texts, scores, labels, encoded)[0] | {"encoder and judges": encoded.join(scores)})
    else:
        fit(texts, fitting, scores, labels, encoded)


if __name__ == "__main__":
    main()
