"""Speed and memory of AnthroScore on this machine: a table a question.

    python benchmarks/anthroscore.py                    the encoder and the parser
    python benchmarks/anthroscore.py --stream 100000    memory over that many texts

The encoder is a RoBERTa-base with random weights: speed doesn't depend on the weights, the scores mean
nothing. The authors' algorithm is written anew here from its description: a sentence at a time, every logit
at every position, a softmax in NumPy, the vocabulary looked up for each pronoun. Texts are the 50 papers that
the authors published (ANTHROKIT_DATA), else the project's own sentences, repeated.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import os
import re
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import torch
import transformers
from tokenizers import ByteLevelBPETokenizer

from anthrokit.anthroscore import mentions
from anthrokit.anthroscore import scoring as score
from anthrokit.anthroscore.mentions import get_protocol
from anthrokit.core import Run
from anthrokit.models.english import SPACY_MODEL

HERE = Path(__file__).parent
RELEASED = get_protocol("released")
TERMS = {"human": RELEASED.human, "nonhuman": RELEASED.nonhuman}
ENTITIES = ["system", "model", "chatbot", "assistant", "program", "robot", "machine", "agent"]


def corpus() -> list[str]:
    """Texts of some hundred characters."""
    published = Path(os.environ.get("ANTHROKIT_DATA", "data/public")) / "anthroscore" / "acl_50.csv"
    if published.exists():
        whole = pd.read_csv(published)["full_text"].dropna().str.cat(sep=" ")
        pieces = re.findall(r".{300,700}?[.] (?=[A-Z])", " ".join(whole.split()))
        return [piece.strip() for piece in pieces]
    sanity = pd.read_csv(HERE.parent / "data/anthroscore/sanity.csv")["sentence"]
    described = pd.read_csv(HERE.parent / "data/anthroscore/descriptions.csv")["text"]
    return [*sanity, *described] * 10


def roberta(folder: Path, texts: list[str], **size: int) -> tuple:
    """A RoBERTa with random weights, and a byte-level tokenizer of its vocabulary trained on the texts."""
    folder.mkdir()
    bpe = ByteLevelBPETokenizer()
    words = [*TERMS["human"], "Him", *TERMS["nonhuman"]]
    bpe.train_from_iterator(
        [*texts, *[f" {word} ({word} {word}" for word in words] * 200],
        vocab_size=50_265,
        show_progress=False,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
    )
    bpe.save_model(str(folder))
    vocabulary = json.loads((folder / "vocab.json").read_text())
    vocabulary |= {
        f"unused{i}": i for i in range(len(vocabulary), 50_265)
    }  # as large as RoBERTa's to look up in
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    tokenizer = transformers.RobertaTokenizer(vocab=f"{folder}/vocab.json", merges=f"{folder}/merges.txt")
    torch.manual_seed(1)
    config = transformers.RobertaConfig(
        vocab_size=50_265,
        max_position_embeddings=514,
        type_vocab_size=1,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        **size,
    )
    return transformers.RobertaForMaskedLM(config).eval(), tokenizer


def authors(model, tokenizer, masked: list[str], hoisted: bool) -> np.ndarray:
    """The authors' algorithm, bare tokens; the vocabulary looked up for every pronoun, or once."""
    words = [*TERMS["human"], *TERMS["nonhuman"]]
    once = [tokenizer.get_vocab()[word] for word in words] if hoisted else None
    made = []
    for text in masked:
        wanted = once or [tokenizer.get_vocab()[word] for word in words]
        ids = tokenizer.encode(text, return_tensors="pt")
        place = (ids.squeeze() == tokenizer.mask_token_id).nonzero()[0].item()
        with torch.no_grad():
            logits = model(ids)[0].squeeze()[place].numpy()
        exponent = np.exp(logits - logits.max())
        probability = (exponent / exponent.sum())[wanted]
        made.append(
            np.log(probability[: len(TERMS["human"])].sum())
            - np.log(probability[len(TERMS["human"]) :].sum())
        )
    return np.array(made)


def timed(work) -> tuple:
    """What the work gives, its seconds by the clock, and its seconds of processor time."""
    clock, processor = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - clock, time.process_time() - processor


def matrix_products(tokens: int = 512, repeats: int = 3) -> int:
    """The encoder's matrix products and nothing else, in blocks of that many tokens; the tokens it took."""
    shapes = [(768, 768)] * 4 + [(768, 3072), (3072, 768)]
    weights = [torch.randn(shape) for shape in shapes]
    inputs = {width: torch.randn(tokens, width) for width in (768, 3072)}
    with torch.inference_mode():
        for _ in range(repeats * 12):
            for weight in weights:
                inputs[weight.shape[0]] @ weight
    return tokens * repeats


def encoder(texts: list[str], limit: int, rounds: int, as_is: int) -> None:
    """The masked model: the authors' algorithm and ours, same weights, tokenizer and sentences.

    The variants take turns, round by round, so that whatever else the machine does falls on all of them; a
    round's sentences are of like length, as the batches of a long table are.
    """
    with tempfile.TemporaryDirectory() as folder:
        model, tokenizer = roberta(Path(folder) / "base", texts)
    sentences = score.mask_sentences(texts, ENTITIES, protocol="released", check_language=False)
    sentences = sentences[(sentences["status"] == "masked") & ~sentences["sentence"].str.contains("<mask>")]
    lengths = sentences["masked"].map(lambda text: len(tokenizer.encode(text)))
    sentences = sentences[lengths <= 512].head(limit)
    sentences = sentences.loc[lengths[sentences.index].sort_values().index]
    tokens = lengths[sentences.index].mean()
    precisions = ("float32", "bfloat16", "int8")
    scorers = {name: score.load_scorer((model, tokenizer), precision=name) for name in precisions}
    dynamic = torch.ao.quantization.quantize_dynamic(copy.deepcopy(model), {torch.nn.Linear}, dtype=torch.qint8)
    scorers["torch's dynamic int8"] = score.load_scorer((dynamic, tokenizer))

    def ours(part, name):
        return score.score_sentences(part, scorers[name], protocol="released")["score"].to_numpy(float)

    def variants(part):
        masked = part["masked"].tolist()
        yield (
            "authors' algorithm",
            as_is,
            lambda: authors(model, tokenizer, masked[:: len(masked) // as_is][:as_is], hoisted=False),
        )
        yield "  with the look-up hoisted", len(part), lambda: authors(model, tokenizer, masked, hoisted=True)
        for name in scorers:
            yield f"anthrokit, {name}", len(part), lambda name=name: ours(part, name)
        yield "the encoder's matrix products alone, float32", 3 * 512 / tokens, matrix_products

    for _, _, work in variants(sentences.head(as_is)):
        work()
    rows, scores = [], {}
    for part in np.array_split(np.arange(len(sentences)), rounds):
        for name, count, work in variants(sentences.iloc[part]):
            made, clock, processor = timed(work)
            rows.append((name, count, clock, processor))
            scores.setdefault(name, []).append(made)
    sums = pd.DataFrame(rows, columns=["what", "n", "clock", "processor"]).groupby("what", sort=False).sum()
    table = pd.DataFrame({"sentences/s": sums["n"] / sums["clock"]})
    hoisted = "  with the look-up hoisted"
    table["times as is"] = table["sentences/s"] / table["sentences/s"].iloc[0]
    table["times hoisted"] = table["sentences/s"] / table["sentences/s"][hoisted]
    table["processor ms/sentence"] = 1_000 * sums["processor"] / sums["n"]
    table["less than hoisted"] = table["processor ms/sentence"][hoisted] / table["processor ms/sentence"]
    print(
        f"\n{len(sentences)} sentences of {tokens:.1f} tokens in {rounds} rounds, "
        f"{torch.get_num_threads()} threads"
    )
    print(table.round(2).to_string())
    plain, exact = np.concatenate(scores[hoisted]), np.concatenate(scores["anthrokit, float32"])
    print(f"largest difference of a score, float32 to the authors': {np.abs(exact - plain).max():.1e}")
    share = table["sentences/s"]["anthrokit, float32"] / table["sentences/s"].iloc[-1]
    spent = table["processor ms/sentence"].iloc[-1] / table["processor ms/sentence"]["anthrokit, float32"]
    print(
        f"share of the limit that matrix products set, float32: {share:.0%} by the clock, "
        f"{spent:.0%} by the processor"
    )
    from scipy.stats import spearmanr

    for name in [*scorers][1:]:
        coarse = np.concatenate(scores[f"anthrokit, {name}"])
        print(f"rank correlation of {name} to float32: {spearmanr(coarse, exact).statistic:.4f}")


def parsing(texts: list[str]) -> None:
    """The parser: nlp(text) one by one with everything, and ours; the same masked sentences."""
    import spacy

    whole = spacy.load(SPACY_MODEL)
    entities = mentions.Entities(words=("system", "model"))
    rows = []
    with_entity = [text for text in texts if entities.regex.search(text)]
    for name, some in (("all texts", texts[:600]), ("only texts with an entity", with_entity[:300])):
        blocks = [" ".join(mentions.text_blocks(text)) for text in some]
        score.mask_sentences(some[:20], entities)

        def one_by_one(blocks=blocks):
            made = []
            for block in blocks:
                spans = mentions.find_mentions(list(whole(block).sents), entities, False)
                spans = [one for one in spans if one.chunk.root.dep_ in ("nsubj", "dobj")]
                made += [mentions.mention_row("", 0, mention, False)["masked"] for mention in spans]
            return made

        theirs, slow, _ = timed(one_by_one)
        ours, fast, _ = timed(lambda some=some: score.mask_sentences(some, entities, check_language=False))
        ours = ours.loc[ours["status"] == "masked", "masked"].tolist()
        share = sum(bool(entities.regex.search(text)) for text in some) / len(some)
        rows.append(
            (name, len(some), f"{share:.0%}", len(some) / slow, len(some) / fast, slow / fast, ours == theirs)
        )
    columns = [
        "what",
        "texts",
        "with entity",
        "one by one a second",
        "anthrokit a second",
        "times",
        "same sentences",
    ]
    print("\n" + pd.DataFrame(rows, columns=columns).round(2).to_string(index=False))


def streaming(count: int) -> None:
    """Memory while a run takes in that many texts, with a tiny model: what grows would grow here."""
    own = [*pd.read_csv(HERE.parent / "data/anthroscore/sanity.csv")["sentence"]]
    process = psutil.Process()
    with tempfile.TemporaryDirectory() as folder:
        size = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
        scorer = score.load_scorer(roberta(Path(folder) / "tiny", own, **size), batch_tokens=8_192)
        run = Run(Path(folder) / "run")
        texts = (
            (f"t{i}", f"{text} Case {i}x{i % 977} was filed.")
            for i, text in zip(range(count), itertools.cycle(own), strict=False)
        )
        print(f"{'texts':>9}  {'memory (MiB)':>12}  {'processor (s)':>13}  {'ledger (MiB)':>12}")
        for done in range(0, count, max(1, count // 10)):
            score.score_into(run, itertools.islice(texts, max(1, count // 10)), ENTITIES, scorer)
            ledger = sum(file.stat().st_size for file in (Path(folder) / "run").glob("ledger*"))
            memory, spent = process.memory_info().rss, sum(process.cpu_times()[:2])
            print(
                f"{done + count // 10:9,}  {memory / 2**20:12,.0f}  {spent:13,.0f}  {ledger / 2**20:12,.0f}",
                flush=True,
            )
        run.close()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--sentences", type=int, default=300, help="sentences for the encoder")
    arguments.add_argument("--rounds", type=int, default=5, help="rounds in which the variants take turns")
    arguments.add_argument(
        "--as-is", type=int, default=8, help="sentences a round for the authors' algorithm as it is"
    )
    arguments.add_argument("--threads", type=int, default=0, help="threads of torch; 0: as torch decides")
    arguments.add_argument("--only", choices=("encoder", "parser"), help="one part only")
    arguments.add_argument("--stream", type=int, default=0, help="texts for the memory test")
    options = arguments.parse_args()
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    if options.threads:
        torch.set_num_threads(options.threads)
    load = psutil.getloadavg()[0]
    print(f"{os.cpu_count()} cores, load of the last minute {load:.1f}, torch {torch.__version__}")
    if options.stream:
        streaming(options.stream)
    else:
        pieces = corpus()
        if options.only != "parser":
            encoder(pieces, options.sentences, options.rounds, options.as_is)
        if options.only != "encoder":
            parsing(pieces)
