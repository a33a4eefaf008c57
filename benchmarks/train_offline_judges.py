"""Learn what the offline judges "sentences" and "embeddings" know.

    python benchmarks/train_offline_judges.py [thresholds]

Writes data/offline_judges.safetensors: low-rank changes of the encoder, the classifiers of sentences, their calibration
and thresholds. Learns from data/written_sentences.csv, every second message of the tuning half, and the harder messages of
the tuning styles but seven; the other half and these seven styles calibrate and set the thresholds. The test half and the test
styles are for offline_judges.py alone. With "thresholds" only these are chosen again. Takes some fifteen minutes on one core;
the file that ships is what it made. Threads and processors change the last digits.
"""

import itertools
import random
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from safetensors.torch import load_file, save_file
from sklearn.linear_model import LogisticRegression
from torch.nn.functional import binary_cross_entropy_with_logits, dropout
from transformers import AutoModel, AutoTokenizer

from anthrokit.judging import offline
from anthrokit.judging.grammar import own_words
from anthrokit.models import fetch_model
from anthrokit.simulation import Taxonomy

OUT = Path(__file__).parent.parent / "data" / "offline_judges.safetensors"
RANK, EPOCHS, BATCH, RATE, LEAST_RECALL, LEAST_F1 = 16, 5, 32, 8e-4, 0.75, 0.74
HELD = ("commenter", "novelist", "recruiter", "roommate", "streamer", "therapist", "uncle")  # drawn by lot, one or two of each group
NAMES = list(Taxonomy.load().judged)


class LowRank(torch.nn.Module):
    """A layer that stays as it is, and a change of low rank that is learnt (Hu et al., 2022)."""

    def __init__(self, layer: torch.nn.Linear):
        super().__init__()
        self.layer = layer
        self.a = torch.nn.Parameter(torch.randn(RANK, layer.in_features) / layer.in_features**0.5)
        self.b = torch.nn.Parameter(torch.zeros(layer.out_features, RANK))

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return self.layer(states) + (states @ self.a.T) @ self.b.T


def changeable() -> tuple:
    """Tokenizer and encoder with a change in every layer."""
    folder = str(fetch_model("all-minilm-l6-v2"))
    model = AutoModel.from_pretrained(folder, dtype=torch.float32).requires_grad_(False)
    places = [
        (parent, name, layer)
        for block in model.encoder.layer
        for parent in block.modules()
        for name, layer in parent.named_children()
        if isinstance(layer, torch.nn.Linear)
    ]
    for parent, name, layer in places:
        setattr(parent, name, LowRank(layer))
    return AutoTokenizer.from_pretrained(folder), model


def read(tokenizer, model, texts: list[str], spans: list[list[tuple[int, int]]]) -> tuple:
    """A vector a sentence, and of which text and sentence it is."""
    tokens = tokenizer(
        texts, padding=True, truncation=True, max_length=256, return_tensors="pt", return_offsets_mapping=True
    )
    offsets = tokens.pop("offset_mapping")
    with torch.autocast("cpu", torch.bfloat16):
        states = model(**tokens).last_hidden_state
    real, vectors, places = offsets[:, :, 1] > offsets[:, :, 0], [], []
    for text, sentences in enumerate(spans):
        for number, (start, end) in enumerate(sentences):
            inside = real[text] & (offsets[text, :, 0] >= start) & (offsets[text, :, 0] < end)
            if inside.any():
                vectors.append(states[text][inside].float().mean(0))
                places.append((text, number))
    return torch.stack(vectors), places


def written() -> list[list[tuple[str, list[float]]]]:
    """The written messages: sentences and what each shows."""
    frame = offline.written_sentences()
    shows = frame["shows"].fillna("").str.split("; ")
    frame = frame.assign(truth=[[float(name in names) for name in NAMES] for names in shows])
    return [list(zip(part["text"], part["truth"], strict=True)) for _, part in frame.groupby("message_id")]


def labelled_whole(frame: pd.DataFrame) -> list[tuple]:
    """Messages labelled as a whole, as the judges read them: each sentence of one that shows nothing shows nothing."""
    made = []
    for text, truth in zip(map(own_words, frame["text"]), frame[NAMES].to_numpy(float).tolist(), strict=True):
        spans = offline.split_sentences(text)
        made.append((text, spans, [truth] * (1 if any(truth) else len(spans))))
    return made


def examples(messages: list, weak: list, chance: random.Random) -> list[tuple]:
    """One epoch: messages alone, joined to others, cut to one sentence; and those labelled as a whole."""
    made = []
    for message in messages:
        draw, sentences = chance.random(), list(message)
        if draw < 0.35:
            other = chance.choice(messages)
            sentences = sentences + other if chance.random() < 0.5 else other + sentences
        elif draw < 0.45:
            sentences = chance.choice(messages) + sentences + chance.choice(messages)
        elif draw < 0.6 and len(sentences) > 1:
            sentences = [chance.choice(sentences)]
        text, spans = "", []
        for sentence, _ in sentences:
            start, text = len(text), text + sentence + (" " if chance.random() < 0.92 else "\n")
            spans.append((start, len(text)))
        made.append((text, spans, [truth for _, truth in sentences]))
    return made + weak


def loss_of(logits: torch.Tensor, places: list, batch: list[tuple]) -> torch.Tensor:
    """Cross-entropy of each sentence; of the highest logit where only the message is labelled."""
    message_logits, wanted = [], []
    for text, (_, spans, truth) in enumerate(batch):
        rows = [row for row, place in enumerate(places) if place[0] == text]
        if len(truth) == len(spans):
            message_logits += [logits[row] for row in rows]
            wanted += [truth[places[row][1]] for row in rows]
        elif rows:
            message_logits.append(logits[rows].max(0).values)
            wanted.append(truth[0])
    soft = torch.tensor(wanted) * 0.96 + 0.01
    weight = torch.tensor(2.0)
    return binary_cross_entropy_with_logits(
        torch.stack(message_logits), soft, pos_weight=weight, reduction="sum"
    ) / len(message_logits)


def adapt(messages: list, weak: list) -> tuple:
    """The encoder's changes and the classifier of its sentences."""
    torch.manual_seed(0)
    chance = random.Random(0)
    tokenizer, model = changeable()
    head = torch.nn.Linear(384, len(NAMES))
    torch.nn.init.zeros_(head.weight)
    torch.nn.init.constant_(head.bias, -2.5)
    changes = [part for part in model.parameters() if part.requires_grad]
    steps = EPOCHS * (-(-(len(messages) + len(weak)) // BATCH) + 1)
    groups = [{"params": changes, "lr": RATE}, {"params": head.parameters(), "lr": 10 * RATE}]
    optimiser = torch.optim.AdamW(groups, weight_decay=0.01)
    pace = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, [RATE, 10 * RATE], total_steps=steps, pct_start=0.15
    )
    for epoch in range(EPOCHS):
        model.train()
        made = sorted(examples(messages, weak, chance), key=lambda one: len(one[0]) + 60 * chance.random())
        batches = [made[start : start + BATCH] for start in range(0, len(made), BATCH)]
        chance.shuffle(batches)
        total = 0.0
        for batch in batches:
            vectors, places = read(tokenizer, model, [one[0] for one in batch], [one[1] for one in batch])
            loss = loss_of(head(dropout(vectors, 0.1)), places, batch)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(changes, 1.0)
            optimiser.step()
            pace.step()
            total += loss.item()
        print(f"epoch {epoch + 1}: loss {total / len(batches):.2f}", flush=True)
    learnt = {name: part.detach().half() for name, part in model.named_parameters() if part.requires_grad}
    return learnt, head.weight.detach(), head.bias.detach()


def calibrated(logits: np.ndarray, rules_found: np.ndarray | None, truth: np.ndarray) -> np.ndarray:
    """Slope, weight of a finding of the grammar judge, and an intercept a behaviour."""
    columns = [logits.reshape(-1, 1), np.zeros((logits.size, 1)) if rules_found is None else rules_found.reshape(-1, 1)]
    fitted = LogisticRegression(max_iter=2000).fit(
        np.hstack([*columns, np.tile(np.eye(len(NAMES)), (len(logits), 1))]), truth.reshape(-1)
    )
    slope, finding, *own = fitted.coef_[0]
    return np.array([slope, finding, *(np.array(own) + fitted.intercept_[0])], dtype="float32")


def thresholds() -> tuple[float, float]:
    """Choose the thresholds with the panel's highest precision on the held-out styles at a recall of at least .75.

    Of those with nearly this precision (.01 less), choose the ones with the highest recall. F1 on the half of the tuning half that
    nothing was learnt from must be at least .74.
    Prints precision and recall on each style with thresholds chosen without it.
    """
    rules, (frozen, adapted), parts = offline.grammar_judge(), again(), []
    plain_half, harder = held_out()
    for messages in (harder, plain_half):
        texts = messages["text"].tolist()
        rules.read(texts)
        rules_found = np.array([[bool(rules.spans(text, name)) for name in NAMES] for text in texts])
        scores = [np.stack([judge.scores(texts, name, with_rules=False) for name in NAMES], 1) for judge in (adapted, frozen)]
        parts.append((rules_found, *scores, messages[NAMES].to_numpy(bool)))
    (*_, truth), (*_, plain_truth), grid = *parts, {}
    for pair in itertools.product(np.arange(0.3, 0.96, 0.05).round(2), np.arange(0.04, 0.4, 0.01).round(2)):
        panel, plain = (rules_found.astype(int) + (sure > pair[0]) + (like > pair[1]) >= 2 for rules_found, sure, like, _ in parts)
        if 2 * (plain & plain_truth).sum() >= LEAST_F1 * (plain.sum() + plain_truth.sum()):
            grid[pair] = panel

    def measures(panel: np.ndarray, rows: np.ndarray) -> tuple[float, float]:
        right = (panel & truth)[rows].sum()
        return right / panel[rows].sum(), right / truth[rows].sum()

    def best(rows: np.ndarray) -> tuple[float, float]:
        measures_by_pair = {pair: measures(panel, rows) for pair, panel in grid.items()}
        highest = max(precision for precision, recall in measures_by_pair.values() if recall >= LEAST_RECALL)
        return max((recall, pair) for pair, (precision, recall) in measures_by_pair.items() if precision > highest - 0.01)[1]

    unseen, everything = np.zeros_like(truth), np.ones(len(truth), dtype=bool)
    for style in harder["style"].unique():
        rows = (harder["style"] == style).to_numpy()
        unseen[rows] = grid[best(~rows)][rows]
    print("panel on left-out styles: precision {:.2f}, recall {:.2f}".format(*measures(unseen, everything)))
    return best(everything)


def set_thresholds() -> None:
    """Choose the thresholds and write them."""
    learnt = load_file(OUT)
    high, low = thresholds()
    save(learnt | {"sentences.threshold": torch.tensor([high]), "embeddings.threshold": torch.tensor([low])})
    print(f"thresholds: sentences {high:.2f}, embeddings {low:.2f}")


def classifiers(whole: list[tuple]) -> list[LogisticRegression]:
    """Classifiers of the frozen encoder's sentences; a message labelled as a whole shows what its likeliest sentence shows."""
    sentences = offline.written_sentences()
    shows, fitted = sentences["shows"].fillna("").str.split("; "), []
    vectors = offline.embed(sentences["text"])
    more = offline.embed([text[start:end] for text, spans, _ in whole for start, end in spans])
    message = np.repeat(np.arange(len(whole)), [len(spans) for _, spans, _ in whole])
    for place, name in enumerate(NAMES):
        written_truth, truth = [name in names for names in shows], np.zeros(len(more), dtype=bool)
        logits = LogisticRegression(max_iter=500).fit(vectors, written_truth).decision_function(more)
        likeliest = pd.Series(logits).groupby(message).idxmax()
        truth[likeliest[[bool(truths[0][place]) for _, _, truths in whole]]] = True
        fitted.append(LogisticRegression(max_iter=500).fit(np.vstack([vectors, more]), [*written_truth, *truth]))
    return fitted


def held_out() -> tuple[pd.DataFrame, pd.DataFrame]:
    """The messages that nothing was learnt from: half of the tuning half, and the harder ones of seven styles."""
    return offline.labelled_messages("tuning").iloc[::2], offline.labelled_messages("tuning", hard=True).query("style in @HELD")


def main() -> None:
    whole = labelled_whole(offline.labelled_messages("tuning", hard=True).query("style not in @HELD"))
    learnt, weight, bias = adapt(written(), labelled_whole(offline.labelled_messages("tuning").iloc[1::2]) + 2 * whole)
    learnt |= {"sentences.weight": weight, "sentences.bias": bias}
    fitted = classifiers(whole)
    learnt["embeddings.weight"] = torch.tensor(np.stack([one.coef_[0] for one in fitted])).float()
    learnt["embeddings.bias"] = torch.tensor([one.intercept_[0] for one in fitted]).float()
    for name in ("sentences", "embeddings"):
        learnt |= {f"{name}.calibration": torch.zeros(15), f"{name}.threshold": torch.tensor([0.5])}
    save(learnt)

    rules, (frozen, adapted), held = offline.grammar_judge(), again(), pd.concat(held_out())
    texts, truth = held["text"].tolist(), held[NAMES].to_numpy(bool)
    rules.read(texts)
    rules_found = np.array([[bool(rules.constructions(text, name)) for name in NAMES] for text in texts], dtype=float)
    learnt["sentences.calibration"] = torch.tensor(calibrated(adapted.logits(texts), None, truth))
    learnt["embeddings.calibration"] = torch.tensor(calibrated(frozen.logits(texts), rules_found, truth))
    save(learnt)
    set_thresholds()


def again() -> list:
    """The two judges with what was just saved: embeddings, sentences."""
    for cached in (offline.trained_weights, offline.adapted_encoder, offline.sentence_judge, offline.embedding_judge):
        cached.cache_clear()
    return [offline.embedding_judge(), offline.sentence_judge()]


def save(learnt: dict) -> None:
    """Write what was learnt."""
    save_file({name: part.float().contiguous() if "." in name and name.split(".")[0] in ("sentences", "embeddings")
               else part.contiguous() for name, part in learnt.items()}, OUT)  # fmt: skip


if __name__ == "__main__":
    set_thresholds() if sys.argv[1:] == ["thresholds"] else main()
