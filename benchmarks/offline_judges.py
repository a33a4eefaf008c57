"""Measure the offline judges on the test half of the labelled messages, and on the harder ones.

    python benchmarks/offline_judges.py

Writes data/offline_judges.csv, which anthrokit.judging.offline tells wherever the panel is used, and
data/offline_judges_hard.csv, by kind of message. What the judges learnt
comes from train_offline_judges.py; nothing here is chosen on the test half. Also prints how long 1,000 messages take.
"""

import time
from pathlib import Path

import numpy as np
import pandas as pd

from anthrokit.judging import offline
from anthrokit.simulation import Taxonomy

DATA = Path(__file__).parent.parent / "data"


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
    pd.DataFrame(rows).round(4).to_csv(DATA / "offline_judges.csv", index=False)
    shown = ["judge", "behaviour", "n", "n_positive", "precision", "recall", "f1", "auc"]
    print(pd.DataFrame(rows)[shown].round(2).to_string())
    measure_hard(taxonomy, panel)
    time_them(taxonomy, panel)


def measure_hard(taxonomy: Taxonomy, panel: list) -> None:
    """Measure the judges on the harder messages of the test styles, pooled over behaviours, by kind."""
    test, rows = offline.labelled_messages("test", hard=True), []
    verdicts = {
        judge.name: np.stack(
            [[rating.verdict is True for rating in judge.rate_many(test["text"], taxonomy[name])] for name in taxonomy.judged]
        )
        for judge in panel
    }
    verdicts["panel"] = sum(each.astype(int) for each in verdicts.values()) >= 2
    for kind in ("all", *sorted(test["kind"].unique())):
        chosen = np.ones(len(test), bool) if kind == "all" else (test["kind"] == kind).to_numpy()
        truth = test.loc[chosen, taxonomy.judged].to_numpy(bool).T.ravel()
        for name, said in verdicts.items():
            measured = offline.quality(said[:, chosen].ravel(), truth)
            rows.append({"judge": name, "kind": kind, "n_messages": int(chosen.sum()), **measured})
    frame = pd.DataFrame(rows).round(4)
    frame.to_csv(DATA / "offline_judges_hard.csv", index=False)
    print(frame[frame["kind"] == "all"].to_string())


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
