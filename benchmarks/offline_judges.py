"""Measure the offline judges on the test half of the labelled messages.

    python benchmarks/offline_judges.py

Writes data/offline_judges.csv, which anthrokit.judging.offline tells wherever the panel is used. What the judges learnt
comes from train_offline_judges.py; nothing here is chosen on the test half. Also prints how long 1,000 messages take.
"""

import time
from pathlib import Path

import numpy as np
import pandas as pd

from anthrokit.judging import offline
from anthrokit.simulation import Taxonomy

OUT = Path(__file__).parent.parent / "data" / "offline_judges.csv"


def main() -> None:
    taxonomy, test = Taxonomy.load(), offline.labelled_messages("test")
    panel = [offline.grammar_judge(), offline.embedding_judge(), offline.sentence_judge()]
    rows, verdicts = [], {}
    for behaviour in taxonomy.judged:
        votes = np.zeros(len(test), dtype=int)
        for judge in panel:
            ratings = judge.rate_many(test["text"].tolist(), taxonomy[behaviour])
            said = np.array([rating.verdict for rating in ratings])
            scores = np.array([rating.score for rating in ratings])
            verdicts[judge.name, behaviour], votes = said, votes + said
            threshold = getattr(judge, "threshold", 0.0)
            measured = offline.quality(said, test[behaviour], scores)
            rows.append({"judge": judge.name, "behaviour": behaviour, "threshold": threshold, **measured})
        verdicts["panel", behaviour] = votes >= 2
        measured = offline.quality(votes >= 2, test[behaviour], votes)
        rows.append({"judge": "panel", "behaviour": behaviour, "threshold": 2.0, **measured})
    truth = np.concatenate([test[behaviour] for behaviour in taxonomy.judged])
    for judge in (*(judge.name for judge in panel), "panel"):
        pooled = np.concatenate([verdicts[judge, behaviour] for behaviour in taxonomy.judged])
        rows.append(
            {"judge": judge, "behaviour": "all", "threshold": np.nan, **offline.quality(pooled, truth)}
        )
    pd.DataFrame(rows).round(4).to_csv(OUT, index=False)
    shown = ["judge", "behaviour", "n", "n_positive", "precision", "recall", "f1", "auc"]
    print(pd.DataFrame(rows)[shown].round(2).to_string())
    time_them(taxonomy, panel)


def time_them(taxonomy: Taxonomy, panel: list) -> None:
    """Seconds for 1,000 messages that no judge has seen, all behaviours, models loaded."""
    texts = [
        f"{number}. {text}" for number, text in enumerate(offline.labelled_messages()["text"].head(1000))
    ]
    for judge in panel:
        start, processor = time.perf_counter(), time.process_time()
        for behaviour in taxonomy.judged:
            judge.rate_many(texts, taxonomy[behaviour])
        seconds = time.perf_counter() - start
        print(f"{judge.name}: {seconds:.1f} s ({time.process_time() - processor:.1f} s of processor time)")


if __name__ == "__main__":
    main()
