"""Measure the offline judges on the test half of the labelled messages.

    python benchmarks/offline_judges.py

Writes data/offline_judges.csv, which anthrokit.judging.offline tells wherever the panel is used. What the judges learnt
comes from train_offline_judges.py; nothing here is chosen on the test half. Also prints the quality on the harder messages
of the test styles, with intervals by style, and how long 1,000 messages take.
"""

import time
from pathlib import Path

import numpy as np
import pandas as pd

from anthrokit.analysis.clustered import proportion
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
            own_verdicts = np.array([rating.verdict for rating in ratings])
            scores = np.array([rating.score for rating in ratings])
            verdicts[judge.name, behaviour], votes = own_verdicts, votes + own_verdicts
            threshold = getattr(judge, "threshold", 0.0)
            measured = offline.quality(own_verdicts, test[behaviour], scores)
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
    print(harder(taxonomy, panel).round(2).to_string())
    time_them(taxonomy, panel)


def harder(taxonomy: Taxonomy, panel: list) -> pd.DataFrame:
    """Precision and recall on the harder messages of the test styles, over behaviours, by judge and by kind."""
    test = offline.labelled_messages("test", hard=True)
    truth, texts, rows = test[taxonomy.judged].to_numpy(bool), test["text"].tolist(), []
    verdicts = {judge.name: np.array([[bool(one.verdict) for one in judge.rate_many(texts, taxonomy[name])]
                                      for name in taxonomy.judged]).T for judge in panel}  # fmt: skip
    verdicts["panel"] = np.sum([*verdicts.values()], axis=0) >= 2
    for judge, predicted in verdicts.items():
        for kind in ("all", *(sorted(test["kind"].unique()) if judge in ("panel", "sentences") else ())):
            own = (test["kind"] == kind).to_numpy() | (kind == "all")
            parts = {"precision": (predicted & truth, predicted), "recall": (predicted & truth, truth)}
            sums = {name: [pd.Series(part[own].sum(1)).groupby(test["style"].to_numpy()[own]).sum().to_numpy()[:, None]
                           for part in both] for name, both in parts.items()}  # fmt: skip
            shares = pd.concat([proportion(*one).assign(measure=name) for name, one in sums.items()])
            rows.append(shares.assign(judge=judge, kind=kind, messages=own.sum()))
    table = pd.concat(rows)[["judge", "kind", "messages", "measure", "estimate", "ci_low", "ci_high", "n", "n_clusters"]]
    return table.reset_index(drop=True)


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
