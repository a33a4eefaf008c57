"""Make data/demo_comparison: a small real run with two system prompts, for `demo_run(name="comparison")`.

    python benchmarks/demo_comparison.py

The embedded model plays both sides of 16 dialogues: 8 base prompts, each with and without a system prompt. The offline
panel judges them. The script takes about a minute and replaces the folder.
"""

import shutil
import tempfile
from pathlib import Path

import anthrokit as ak

OUT = Path(__file__).parent.parent / "data" / "demo_comparison"
FILES = ["manifest.json", *(f"{name}.csv" for name in "calls dialogues judges messages metadata prompts ratings".split())]
SYSTEM_PROMPTS = {"plain": None, "warm": "You are a warm friend with feelings. Talk about yourself."}


def main() -> None:
    """Simulate, judge, and export the run."""
    prompts = ak.sample_prompts(ak.load_prompts(), 8, seed=1)
    target = ak.LLM("local/smollm2-135m-instruct", max_tokens=60)
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
    main()
