"""Fit the bundled scale of perception, and measure it on the test prompts once.

    python benchmarks/perception.py [--scores scores.parquet]

Writes data/perception.csv (coefficients) and data/perception_accuracy.csv (accuracy on test prompts beside baselines).
The offline judges need about ten minutes for the 1,050 answers; with --scores their scores are saved and reused.
"""

import argparse
import re
from pathlib import Path

import numpy as np
import pandas as pd

from anthrokit.judging.offline import embedding_judge, grammar_judge, sentence_judge
from anthrokit.validity.human_data import load_rankings
from anthrokit.validity.perception import (
    fit_perception,
    judge_scores,
    people_accuracy,
    perception_values,
    ranking_accuracy,
)

DATA = Path(__file__).parent.parent / "data"
WARM = "feel love miss glad happy friend together heart hug dear care sorry wonderful warm".split()


def shallow(text: str) -> list[float]:
    """Return length, first persons, marks and warm words of a text."""
    words, lower = max(len(text.split()), 1), text.lower()
    own, shared = r"\b(i|i'm|i've|i'd|i'll|me|my|mine)\b", r"\b(we|us|our|let's)\b"
    counts = [len(re.findall(pattern, lower)) / words for pattern in (own, shared)]
    warm = sum(len(re.findall(rf"\b{word}", lower)) for word in WARM)
    return [np.log(words), *counts, text.count("?"), text.count("!"), warm]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scores", type=Path, help="a file for the judges' scores")
    path = parser.parse_args().scores
    pairs, texts = load_rankings()
    if path is not None and path.exists():
        scores = pd.read_parquet(path)
        scores.columns = pd.MultiIndex.from_tuples([tuple(name.split("|")) for name in scores])
    else:
        scores = judge_scores(texts["message"].tolist(), [grammar_judge(), embedding_judge(), sentence_judge()])
        if path is not None:
            scores.set_axis(["|".join(name) for name in scores], axis=1).to_parquet(path)
    scores = scores.set_axis(texts["item_id"])
    style = pd.DataFrame([shallow(text) for text in texts["message"]], index=scores.index)
    style.columns = pd.MultiIndex.from_product([["style"], style.columns.astype(str)])
    fitting, test = pairs[~pairs["test"]], pairs[pairs["test"]]
    model = fit_perception(scores, fitting)
    model.round(5).to_csv(DATA / "perception.csv", index=False)
    values = {
        "scale of the offline judges": perception_values(scores, model)["coefficient"],
        "mean rank of all offline judges": scores.rank().mean(axis=1),
        "mean rank of embeddings and grammar": scores["embeddings and grammar"].rank().mean(axis=1),
        "scale of six style features": perception_values(style, fit_perception(style, fitting, n_resamples=0))[
            "coefficient"
        ],
        "dose of the steering": texts.set_index("item_id")["dose"],
    }
    parts = [ranking_accuracy(one, test).assign(ordered_by=name) for name, one in values.items()]
    people = people_accuracy(test)
    parts.append(people.drop(columns="against").assign(ordered_by="one person, by " + people["against"]))
    table = pd.concat(parts, ignore_index=True)
    table.insert(0, "ordered_by", table.pop("ordered_by"))
    table.round(4).to_csv(DATA / "perception_accuracy.csv", index=False)
    print(table.round(3).to_string())


if __name__ == "__main__":
    main()
