"""Measure the offline judges on the test half of the labelled messages, and set the likelihood judge's thresholds.

    python benchmarks/offline_judges.py

Thresholds come from the tuning half alone (the likelihood judge's from a third of it). Writes
data/offline_judges.csv, which anthrokit.judging.offline tells wherever the panel is
used. Takes about 20 minutes on one core, nearly all of it for the likelihood ratio.
"""

import time
from pathlib import Path

import numpy as np
import pandas as pd

from anthrokit.judging import offline
from anthrokit.simulation import Taxonomy

OUT = Path(__file__).parent.parent / "data" / "offline_judges.csv"


def main() -> None:
    taxonomy = Taxonomy.load()
    tuning, test = offline.labelled_messages("tuning"), offline.labelled_messages("test")
    patterns, likelihood, embeddings = (
        offline.PatternJudge(),
        offline.LikelihoodJudge(),
        offline.embedding_judge(),
    )
    third = tuning.iloc[::3]  # the likelihood ratio is slow, and one threshold needs no more
    rows, verdicts = [], {}

    def enter(
        judge: str, behaviour: str, threshold: float, said: np.ndarray, scores: np.ndarray | None
    ) -> None:
        verdicts[judge, behaviour] = said
        rows.append(
            {
                "judge": judge,
                "behaviour": behaviour,
                "threshold": threshold,
                **offline.quality(said, test[behaviour], scores),
            }
        )

    for behaviour in taxonomy.judged:
        start = time.perf_counter()
        ratings = [patterns.rate(text, taxonomy[behaviour]) for text in test["text"]]
        enter(
            patterns.name,
            behaviour,
            0.0,
            np.array([rating.verdict for rating in ratings]),
            np.array([rating.score for rating in ratings]),
        )
        threshold = offline.best_threshold(
            likelihood.scores(third["text"].tolist(), behaviour), third[behaviour]
        )
        scores = likelihood.scores(test["text"].tolist(), behaviour)
        enter(likelihood.name, behaviour, threshold, scores > threshold, scores)
        scores = embeddings.scores(test["text"].tolist(), behaviour)
        threshold = embeddings._thresholds[behaviour]
        enter(embeddings.name, behaviour, threshold, scores > threshold, scores)
        votes = sum(
            verdicts[judge.name, behaviour].astype(int) for judge in (patterns, likelihood, embeddings)
        )
        enter("panel", behaviour, 2.0, votes >= 2, votes)
        print(f"{behaviour}: {time.perf_counter() - start:.0f} s", flush=True)
    truth = np.concatenate([test[behaviour] for behaviour in taxonomy.judged])
    for judge in (patterns.name, likelihood.name, embeddings.name, "panel"):
        pooled = np.concatenate([verdicts[judge, behaviour] for behaviour in taxonomy.judged])
        rows.append(
            {"judge": judge, "behaviour": "all", "threshold": np.nan, **offline.quality(pooled, truth)}
        )
    pd.DataFrame(rows).round(4).to_csv(OUT, index=False)
    print(
        pd.DataFrame(rows)[["judge", "behaviour", "n", "n_positive", "precision", "recall", "f1", "auc"]]
        .round(2)
        .to_string()
    )


if __name__ == "__main__":
    main()
