"""Make data/demo_comparison, a small real run with two system prompts, or judge both bundled runs again.

    python benchmarks/demo_runs.py           simulate and judge `demo_run(name="comparison")`; takes about a minute
    python benchmarks/demo_runs.py judge     judge the texts of both bundled runs again, after a change of the judges
    python benchmarks/demo_runs.py replace   simulate one dialogue of `demo_run()` with another seed, then judge both again

The embedded model plays both sides of 16 dialogues: 8 base prompts, each with and without a system prompt. The offline
panel judges them. Judging again replaces the ratings and the judges of a run; its texts stay as they are.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

import pandas as pd

import anthrokit as ak

DATA = Path(__file__).parent.parent / "data"
OUT = DATA / "demo_comparison"
BUNDLED = {"demo": DATA / "demo_run", "comparison": OUT}
FILES = ["manifest.json", *(f"{name}.csv" for name in "calls dialogues judges messages metadata prompts ratings".split())]
MODEL = "local/smollm2-135m-instruct"
IN_GERMAN = "4121d29b7fd184b5"  # a dialogue of the demo that went over into German, which the offline judges don't read
SEED = 3  # the first with which both sides of it write English throughout and the user stays in its role
SYSTEM_PROMPTS = {"plain": None, "warm": "You are a warm friend with feelings. Talk about yourself."}


def replace_dialogue() -> None:
    """Give a dialogue of the demo the messages and calls of the same prompt and model with another seed; keep its id."""
    model, old = ak.LLM(MODEL, max_tokens=80), BUNDLED["demo"]
    with tempfile.TemporaryDirectory() as folder:
        with ak.Run.restore(old, Path(folder) / "demo") as run:
            prompts = run.dialogues().query("dialogue_id == @IN_GERMAN")[["prompt_id"]].merge(run.prompts())
        with ak.simulate(prompts, model, model, run=Path(folder) / "new", seed=SEED) as run:
            tables, new_id = run.export(Path(folder) / "tables"), run.dialogues()["dialogue_id"].item()
        for name, column, renewed in [
            ("messages", "dialogue_id", ["content", "finish_reason", "role_flip", "tokens_in", "tokens_out", "seconds"]),
            ("calls", "unit", ["tokens_in", "tokens_out", "seconds", "status", "at"]),
        ]:
            before, after = (pd.read_csv(file / f"{name}.csv", dtype=str, keep_default_na=False) for file in (old, tables))
            after[column] = after[column].str.replace(new_id, IN_GERMAN)
            rows, keys = before[column].str.startswith(IN_GERMAN), [column, *({"turn", "role"} & {*before})]
            after = before.loc[rows, keys].merge(after, validate="one_to_one")
            before.loc[rows, renewed] = after[renewed].to_numpy()
            before.to_csv(old / f"{name}.csv", index=False)


def judge_again(name: str) -> None:
    """Judge the texts of a bundled run with today's offline panel."""
    with tempfile.TemporaryDirectory() as folder:
        with ak.demo_run(Path(folder) / "run", name=name) as run:
            run.ledger.write_all(["DELETE FROM ratings", "DELETE FROM judges"])
        with ak.judge(Path(folder) / "run") as run:
            tables = run.export(Path(folder) / "tables")
        for file in ("judges.csv", "ratings.csv"):
            shutil.copyfile(tables / file, BUNDLED[name] / file)
        manifest = json.loads((tables / "manifest.json").read_text())
    (BUNDLED[name] / "manifest.json").write_text(json.dumps(manifest | {"run": name}, indent=2) + "\n")


def main() -> None:
    """Simulate, judge, and export the run."""
    prompts = ak.sample_prompts(ak.load_prompts(), 8, seed=1)
    target = ak.LLM(MODEL, max_tokens=60)
    with tempfile.TemporaryDirectory() as folder:
        for name, system in SYSTEM_PROMPTS.items():
            how = {"system_target": system, "design": {"prompt": name}, "turns": 3}
            run = ak.simulate(prompts, target, target, run=Path(folder) / "comparison", **how)
        with ak.judge(run):
            tables = run.export(Path(folder) / "tables")
            shutil.rmtree(OUT, ignore_errors=True)
            OUT.mkdir()
            for name in FILES:
                shutil.copyfile(tables / name, OUT / name)
            print(ak.compare(run, "prompt", baseline="plain")[["behaviour", "estimate", "ci_low", "ci_high"]])


if __name__ == "__main__":
    if sys.argv[1:] == ["replace"]:
        replace_dialogue()
    [judge_again(name) for name in BUNDLED] if sys.argv[1:] else main()
