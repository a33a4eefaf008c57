"""Measure what a judge's prompt changes: what is shown besides the message, and positive examples.

    python benchmarks/judge_prompts.py

Writes data/judge_prompts.csv, which nbs/08_validity/04_panel_checks.ipynb shows. The model at hand is the embedded
one, which can't write a verdict; its answer is the log-odds of Yes against No as the next words. About 5 minutes.
For a model that can judge, the section on exchanges of nbs/08_validity/04_panel_checks.ipynb asks the same in earnest.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from anthrokit.core import data_path
from anthrokit.judging import labelled_messages, quality
from anthrokit.judging.judges import CONTEXTS, Item, judge_prompt
from anthrokit.models import DEFAULT_MODEL, load_embedded
from anthrokit.simulation import Taxonomy
from anthrokit.validity.panel_checks import labelled_exchanges

OUT = Path(__file__).parent.parent / "data" / "judge_prompts.csv"
taxonomy = Taxonomy.load().with_present()


def log_odds(passage: Item, behaviour: str, **options) -> float:
    """Log-odds that the model answers Yes and not No."""
    prompt = judge_prompt(passage, taxonomy[behaviour], **options)
    prompt = prompt[: prompt.rindex("Answer in exactly this form")] + "Answer Yes or No."
    model, tokenizer = load_embedded()
    import torch

    prompt_text = tokenizer.apply_chat_template(
        [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True
    )
    [yes], [no] = (tokenizer(word, add_special_tokens=False)["input_ids"] for word in ("Yes", "No"))
    with torch.inference_mode():
        tokens = tokenizer(prompt_text, return_tensors="pt", add_special_tokens=False)["input_ids"]
        scores = model(tokens, logits_to_keep=1).logits[0, -1].float()
    return float(scores[yes] - scores[no])


def share(name: str, hits: np.ndarray) -> dict[str, float]:
    low, high = proportion_confint(hits.sum(), len(hits), method="wilson")
    return {name: hits.mean(), f"{name}_low": low, f"{name}_high": high, f"n_{name}": len(hits)}


def row(what: str, options: str, scores: pd.Series, truth: pd.Series) -> dict:
    measured = quality(scores > 0, truth, scores)
    measures = {name: measured[name] for name in ("n", "auc", "auc_low", "auc_high")}
    measures |= share("yes_to_present", (scores > 0)[truth].to_numpy())
    measures |= share("yes_to_absent", (scores > 0)[~truth].to_numpy())
    measures |= {"log_odds_present": scores[truth].mean(), "log_odds_absent": scores[~truth].mean()}
    return {"model": DEFAULT_MODEL, "compared": what, "shown": options, **measures}


def main() -> None:
    rows, exchanges = [], labelled_exchanges()
    for context in CONTEXTS[:2]:  # one exchange each: the dialogue is the user's message
        scores = pd.Series(
            [
                log_odds(Item(one.assistant, (("user", one.user),)), one.behaviour, context=context)
                for one in exchanges.itertuples()
            ]
        )
        wide = exchanges.assign(score=scores).pivot(index="pair", columns="label", values="score")
        rows.append(row("context", context, scores, exchanges["label"]))
        rows[-1] |= share("told_apart", (wide[True] > wide[False]).to_numpy())
        print(rows[-1], flush=True)
    few = labelled_messages("test").groupby(["focus", "kind"]).head(6).reset_index(drop=True)
    for present in (False, True):
        scores = pd.Series(
            [log_odds(Item(one.text), one.focus, present=present) for one in few.itertuples()]
        )
        rows.append(row("examples", "both" if present else "negative only", scores, few["kind"] == "positive"))
        print(rows[-1], flush=True)
    pd.DataFrame(rows).round(4).to_csv(OUT, index=False)
    print(data_path("judge_prompts.csv").name)


if __name__ == "__main__":
    main()
