"""Measure the coverage of rates in a log, and how fast a log is screened.

Run `python benchmarks/log_prevalence.py` (about ten minutes on one core), with `speed` for the screening rate alone, or with
`judges` for the widths of intervals with two bundled screening judges: 100 draws at their AUC, .905 for "words", .974 for "sentences".

A simulated log has users with 1 to 60 conversations, whose rates differ (a normal deviate on the logit scale). The
screening score is a normal deviate, shifted by the distance between messages with and without the behaviour: 2 for a
fair screening judge (AUC .92), 1 for a poor one (.76). The truth is the rate in a log of 100,000 users: of messages,
and of conversations and users with at least one.
"""

import itertools
import sys
import time

import numpy as np
import pandas as pd
from scipy.stats import norm

from anthrokit.validity.correction import recover_rate
from anthrokit.validity.log_prevalence import UNITS, chances_of, group_parts, strata_of

DRAWS = 1000


def simulate_log(users, rate_logit, shift, spread, rng):
    conversations = np.minimum(rng.geometric(0.3, users) + rng.poisson(rng.lognormal(0, 1, users)), 60)
    user = np.repeat(np.arange(users), conversations)
    turns = rng.geometric(0.4, len(user))
    conversation = np.repeat(np.arange(len(user)), turns)
    user = user[conversation]
    logit = rate_logit + rng.normal(0, spread, users)[user]
    truth = rng.random(len(user)) < 1 / (1 + np.exp(-logit))
    score = 1 / (1 + np.exp(3.5 - shift * truth - rng.normal(0, 1, len(user))))
    turn = np.arange(len(user)) - np.searchsorted(conversation, conversation) + 1
    names = {"dialogue_id": pd.Series(conversation).astype("str"), "turn": turn, "user": pd.Series(user).astype("str")}
    return pd.DataFrame({**names, "score b": score, "truth": truth})


def true_rates(log):
    return {
        "message": log["truth"].mean(),
        "conversation": log.groupby("dialogue_id", sort=False)["truth"].any().mean(),
        "user": log.groupby("user", sort=False)["truth"].any().mean(),
    }


def intercept(rate, spread):
    """Return the intercept at which the mean rate over users is `rate`."""
    deviates, low, high = np.random.default_rng(0).normal(0, spread, 200_000), -20.0, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if (1 / (1 + np.exp(-middle - deviates))).mean() > rate else (middle, high)
    return middle


def estimate(table, users):
    """Return the row that `prevalence` gives for a table of units."""
    group = group_parts(table, users, 0.95)
    limits = recover_rate(group["rate"], group["parts"], group["influences"]) if "parts" in group else [np.nan] * 3
    return dict(zip(("estimate", "ci_low", "ci_high"), limits, strict=True)) | {"n": group["n"]}


def coverage(rate, budget, shift, spread=1.0, users=2000, draws=DRAWS):
    rng, logit = np.random.default_rng(round(rate * 1e5) + budget), intercept(rate, spread)
    truth = true_rates(simulate_log(100_000, logit, shift, spread, rng))
    rows = []
    for _ in range(draws):
        log = simulate_log(users, logit, shift, spread, rng)
        user = log["user"].astype(int).to_numpy()
        starts = {"message": np.arange(len(log)), "user": np.flatnonzero(np.diff(user, prepend=-1))}
        starts["conversation"] = np.flatnonzero(log["turn"] == 1)
        for per, start in starts.items():
            score, shows = (np.maximum.reduceat(log[name].to_numpy(), start) for name in ("score b", "truth"))
            chance = chances_of(score[:, None], np.diff(start, append=len(log)).astype(float), budget)
            labelled = rng.random(len(start)) < chance
            weight, y = np.where(labelled, 1 / chance, np.nan), np.where(labelled, shows, np.nan)
            table = pd.DataFrame({"user": user[start], "stratum": strata_of(score), "weight": weight, "y": y})
            rows.append({"per": per, "messages": len(log), **estimate(table, pd.RangeIndex(users))})
    table = pd.DataFrame(rows)
    table["truth"] = table["per"].map(truth)
    table["below"], table["above"] = table["ci_high"] < table["truth"], table["ci_low"] > table["truth"]
    table = table.assign(width=table["ci_high"] - table["ci_low"], covered=~(table["below"] | table["above"]))
    missing = table["estimate"].isna().groupby(table["per"]).mean()
    mean = table.dropna(subset="ci_low").groupby("per")[["truth", "estimate", "covered", "below", "above", "width", "n"]].mean()
    mean.insert(0, "messages", table["messages"].mean())
    return mean.assign(missing=missing).reindex(UNITS).reset_index()


def screening_rate():
    from anthrokit import demo_run
    from anthrokit.judging import rate_many
    from anthrokit.judging.offline import sentence_judge
    from anthrokit.simulation import Taxonomy

    messages = demo_run().messages()
    texts = messages.loc[messages["role"] == "assistant", "content"].dropna().tolist()
    judge, taxonomy = sentence_judge(), Taxonomy.load()
    judge.rate_many(["Warm up."], taxonomy["empathy"])
    texts = [f"{text} ({number})" for number in range(3) for text in texts][:900]
    begun = time.process_time()
    for name in taxonomy.judged:
        rate_many(judge, texts, taxonomy[name])
    seconds = time.process_time() - begun
    length = np.mean([len(text) for text in texts])
    hours = 1e6 / (len(texts) / seconds) / 2 / 3600
    print(
        f"{len(texts)} messages of {length:.0f} characters, 13 behaviours: {len(texts) / seconds:.0f} messages per second of "
        f"processor. Extrapolated to a million messages on two cores: {hours:.1f} hours."
    )


if __name__ == "__main__":
    if "speed" in sys.argv:
        screening_rate()
        raise SystemExit
    pd.options.display.width = 160
    if "judges" in sys.argv:
        for auc in (0.905, 0.974):
            print(f"\nrate 0.005, 1000 labels a unit, AUC {auc}, 100 draws")
            print(coverage(0.005, 1000, np.sqrt(2) * norm.ppf(auc), draws=100).round(4).to_string(index=False), flush=True)
        raise SystemExit
    for rate, budget, shift in itertools.product((0.002, 0.005, 0.02), (1000,), (2, 1)):
        print(f"\nrate {rate}, {budget} labels a unit, shift {shift}, {DRAWS} draws")
        print(coverage(rate, budget, shift).round(4).to_string(index=False), flush=True)
    screening_rate()
