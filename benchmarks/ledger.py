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
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DIALOGUES, TURNS, JUDGES, SAMPLES = 96, 5, 3, 3
WORDS = (
    "the message says that it feels and that is a claim about itself which a reader would take as one".split()
)
READINGS = {
    "open": "pass",
    "what is missing": "run.missing()",
    "summary": "run.summary()",
    "usage": "run.usage()",
    "labels()": "run.labels()",
    "ratings()": "run.ratings()",
    "export": "import tempfile\nwith tempfile.TemporaryDirectory() as folder:\n    run.export(folder)",
}


def rows(target: int, behaviours: list[str], chance: random.Random):
    """Ratings and calls of a target, those of one message and judge together."""
    for dialogue, turn, judge in itertools.product(range(DIALOGUES), range(1, TURNS + 1), range(JUDGES)):
        ratings, calls, name = [], [], f"provider/judge-model-{judge + 1}"
        for behaviour, sample in itertools.product(behaviours, range(1, SAMPLES + 1)):
            verdict, why = chance.random() < 0.2, " ".join(chance.choices(WORDS, k=20))
            key = {
                "dialogue_id": f"{target:08x}{dialogue:08x}",
                "turn": turn,
                "behaviour": behaviour,
                "judge": name,
            }
            raw = f"{why}. Answer: {'Yes' if verdict else 'No'}"
            said = {"verdict": verdict, "score": None, "explanation": why, "raw": raw, "status": "ok"}
            ratings.append({**key, "sample": sample, **said})
            unit = f"{key['dialogue_id']}/{turn}/{behaviour}/{name}/{sample}"
            call = {"unit": unit, "purpose": "judge", "model": name, "served_model": name, "tokens_in": 700}
            call |= {"tokens_out": 40, "cost": 0.0005, "seconds": 1.0, "attempts": 1, "status": "ok"}
            calls.append({**call, "at": "2026-11-23T10:00:00Z"})
        yield ratings, calls


def make(folder: Path, targets: int) -> dict[str, float]:
    """A ledger with its ratings; how long they took."""
    from anthrokit.core import Run
    from anthrokit.core.run import add_prompts
    from anthrokit.simulation import Taxonomy, load_prompts

    behaviours, chance = list(Taxonomy.load().judged), random.Random(1)
    with Run(folder) as run:
        prompts = add_prompts(run, load_prompts().iloc[::10])
        judges = [f"provider/judge-model-{judge + 1}" for judge in range(JUDGES)]
        listed = {
            "samples": SAMPLES,
            "counted": False,
            "behaviours": json.dumps(behaviours),
            "settings": "{}",
        }
        run.ledger.write(
            "judges", [{"judge": one, "position": n, **listed, "hash": one} for n, one in enumerate(judges)]
        )
        for target in range(targets):
            ids = [f"{target:08x}{dialogue:08x}" for dialogue in range(DIALOGUES)]
            about = {
                "target": f"provider/target-{target}",
                "user": "provider/user",
                "repeat": 1,
                "turns": TURNS,
            }
            there = zip(ids, prompts["prompt_id"], strict=True)
            run.ledger.write(
                "dialogues",
                [
                    {"dialogue_id": one, "prompt_id": prompt, **about, "status": "done"}
                    for one, prompt in there
                ],
            )
            said = itertools.product(ids, range(1, TURNS + 1), ("user", "assistant"))
            text = " ".join(chance.choices(WORDS, k=150))
            run.ledger.write(
                "messages",
                [
                    {"dialogue_id": one, "turn": turn, "role": role, "content": text}
                    for one, turn, role in said
                ],
            )
        start, written = time.perf_counter(), 0
        for target in range(targets):
            for ratings, calls in rows(target, behaviours, chance):
                run.ledger.write_together([("ratings", ratings), ("calls", calls)])
                written += len(ratings)
        return {"ratings written a second": written / (time.perf_counter() - start)}


def read(folder: Path, reading: str) -> dict[str, float]:
    """Seconds and the peak memory of one way to read a ledger."""
    from anthrokit.core import Run

    start = time.perf_counter()
    with Run(folder) as run:
        exec(READINGS[reading], {"run": run})
        seconds = time.perf_counter() - start
    return {"seconds": seconds, "peak GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2}


def apart(*arguments: str) -> dict[str, float]:
    """The same script in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--targets", type=int, nargs="+", default=[2, 10, 100])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--make", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--read", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.make:
        print(json.dumps(make(given.folder, given.make)))
        return
    if given.read:
        print(json.dumps(read(given.folder, given.read)))
        return
    with tempfile.TemporaryDirectory() as own:
        for targets in given.targets:
            folder = (given.folder or Path(own)) / f"{targets}-targets"
            shutil.rmtree(folder, ignore_errors=True)
            made = apart("--folder", str(folder), "--make", str(targets))
            size = sum(file.stat().st_size for file in folder.glob("ledger.sqlite*")) / 1e9
            count = targets * DIALOGUES * TURNS * JUDGES * SAMPLES * 13
            print(f"{count:,} ratings and calls: {size:.2f} GB", flush=True)
            for what, value in made.items():
                print(f"    {what:<24} {value:10,.0f}", flush=True)
            for reading in READINGS:
                found = apart("--folder", str(folder), "--read", reading)
                print(
                    f"    {reading:<24} {found['seconds']:8.1f} s  {found['peak GB']:6.2f} GB at its peak",
                    flush=True,
                )


if __name__ == "__main__":
    main()
