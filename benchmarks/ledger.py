"""How large a ledger gets, and how long it takes to write, open and read.

    python benchmarks/ledger.py [--targets 2 10 100] [--folder /tmp/ledgers]

A target has 96 dialogues of 5 turns; each message is asked about 13 behaviours by 3 judges, 3 times: 56,160 ratings
and as many calls. Made synthetically, with explanations and raw answers as long as judges give them. Each size is made
in one process and read in others, so that the peak memory of each reading is its own. Rows
are written the way that results take, a transaction for each message and judge.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import resource
import shutil
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

DIALOGUES, TURNS, JUDGES, SAMPLES = 96, 5, 3, 3
WORDS = (
    "the message says that it feels and that is a claim about itself which a reader would take as one".split()
)


def export(run) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run.export(folder)


READINGS = {
    "open": lambda run: None,
    "what is missing": lambda run: run.missing(),
    "summary": lambda run: run.summary(),
    "usage": lambda run: run.usage(),
    "labels()": lambda run: run.labels(),
    "ratings()": lambda run: run.ratings(),
    "export": export,
}


def rows(target: int, behaviours: list[str], chance: random.Random):
    """Ratings and calls of a target, those of one message and judge together."""
    for dialogue, turn, judge in itertools.product(range(DIALOGUES), range(1, TURNS + 1), range(JUDGES)):
        ratings, calls, name = [], [], f"provider/judge-model-{judge + 1}"
        for behaviour, sample in itertools.product(behaviours, range(1, SAMPLES + 1)):
            verdict, why = chance.random() < 0.2, " ".join(chance.choices(WORDS, k=20))
            key = {"dialogue_id": f"{target:08x}{dialogue:08x}", "turn": turn, "behaviour": behaviour, "judge": name}
            raw = f"{why}. Answer: {'Yes' if verdict else 'No'}"
            result = {"verdict": verdict, "score": None, "explanation": why, "raw": raw, "status": "ok"}
            ratings.append({**key, "sample": sample, **result})
            unit = f"{key['dialogue_id']}/{turn}/{behaviour}/{name}/{sample}"
            call = {"unit": unit, "purpose": "judge", "model": name, "served_model": name, "tokens_in": 700}
            call |= {"tokens_out": 40, "cost": 0.0005, "seconds": 1.0, "attempts": 1, "status": "ok"}
            calls.append({**call, "at": "2026-11-23T10:00:00Z"})
        yield ratings, calls


def make(folder: Path, targets: int) -> float:
    """A ledger with its ratings; how many were written in a second."""
    from anthrokit.core import Run
    from anthrokit.core.run import add_prompts
    from anthrokit.simulation import Taxonomy, load_prompts

    behaviours, chance = list(Taxonomy.load().judged), random.Random(1)
    with Run(folder) as run:
        prompts = add_prompts(run, load_prompts().iloc[::10])
        names = [f"provider/judge-model-{judge + 1}" for judge in range(JUDGES)]
        listed = {"samples": SAMPLES, "counted": False, "behaviours": json.dumps(behaviours), "settings": "{}"}
        run.ledger.write("judges", [{"judge": name, "position": n, **listed, "hash": name} for n, name in enumerate(names)])
        for target in range(targets):
            ids = [f"{target:08x}{dialogue:08x}" for dialogue in range(DIALOGUES)]
            about = {"target": f"provider/target-{target}", "user": "provider/user", "repeat": 1, "turns": TURNS, "status": "done"}
            pairs = zip(ids, prompts["prompt_id"], strict=True)
            run.ledger.write("dialogues", [{"dialogue_id": one, "prompt_id": prompt, **about} for one, prompt in pairs])
            turns = itertools.product(ids, range(1, TURNS + 1), ("user", "assistant"))
            text = " ".join(chance.choices(WORDS, k=150))
            messages = [{"dialogue_id": one, "turn": turn, "role": role, "content": text} for one, turn, role in turns]
            run.ledger.write("messages", messages)
        start, written = time.perf_counter(), 0
        for target in range(targets):
            for ratings, calls in rows(target, behaviours, chance):
                run.ledger.write_together([("ratings", ratings), ("calls", calls)])
                written += len(ratings)
        return written / (time.perf_counter() - start)


def read(folder: Path, reading: str) -> tuple[float, float]:
    """Seconds and the peak memory, in GB, of one way to read a ledger."""
    from anthrokit.core import Run

    start = time.perf_counter()
    with Run(folder) as run:
        READINGS[reading](run)
        seconds = time.perf_counter() - start
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


def apart(work: Callable, *arguments):
    """Work in a process of its own, whose peak memory is its own."""
    with ProcessPoolExecutor(1, get_context("spawn")) as processes:
        return processes.submit(work, *arguments).result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", type=int, nargs="+", default=[2, 10, 100])
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as own:
        for targets in options.targets:
            folder = (options.folder or Path(own)) / f"{targets}-targets"
            shutil.rmtree(folder, ignore_errors=True)
            written = apart(make, folder, targets)
            size = sum(file.stat().st_size for file in folder.glob("ledger.sqlite*")) / 1e9
            count = targets * DIALOGUES * TURNS * JUDGES * SAMPLES * 13
            print(f"{count:,} ratings and calls: {size:.2f} GB", flush=True)
            print(f"    {'ratings written a second':<24} {written:10,.0f}", flush=True)
            for reading in READINGS:
                seconds, peak = apart(read, folder, reading)
                print(f"    {reading:<24} {seconds:8.1f} s  {peak:6.2f} GB at its peak", flush=True)


if __name__ == "__main__":
    main()
