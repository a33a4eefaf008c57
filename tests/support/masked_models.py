"""Small masked language models with random weights, in folders."""

from pathlib import Path
from string import ascii_lowercase

import pytest

PRONOUNS = "he she her him He She Her Him it its It Its".split()
WORDS = [*PRONOUNS, *"you we us You We Us I i the bot system was kind and I liked said a".split()]
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
KINDS = {"bert": ("Bert", SMALL), "distilbert": ("DistilBert", {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64})}


def roberta_folder(folder: Path, seed: int = 1, positions: int = 130) -> Path:
    """A small RobertaForMaskedLM with random weights and a byte-level tokenizer, saved."""
    torch, transformers = map(pytest.importorskip, ("torch", "transformers"))
    from tokenizers import ByteLevelBPETokenizer

    folder.mkdir(parents=True)
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator(
        [f'{word} ("{word} {word}' for word in WORDS] * 50,
        vocab_size=500,
        min_frequency=1,
        show_progress=False,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
    )
    bpe.save_model(str(folder))
    tokenizer = transformers.RobertaTokenizer(vocab=f"{folder}/vocab.json", merges=f"{folder}/merges.txt")
    torch.manual_seed(seed)
    transformers.RobertaForMaskedLM(
        transformers.RobertaConfig(
            vocab_size=len(tokenizer),
            max_position_embeddings=positions,
            type_vocab_size=1,
            pad_token_id=1,
            bos_token_id=0,
            eos_token_id=2,
            initializer_range=0.4,
            **SMALL,
        )
    ).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def bert_folder(folder: Path, kind: str = "bert") -> Path:
    """A small BertForMaskedLM or DistilBertForMaskedLM with a WordPiece vocabulary, saved."""
    torch, transformers = map(pytest.importorskip, ("torch", "transformers"))
    folder.mkdir(parents=True)
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = dict.fromkeys([*special, *WORDS, *ascii_lowercase, ".", ",", *(f"##{letter}" for letter in ascii_lowercase)])
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = transformers.BertTokenizer(vocab=vocabulary, do_lower_case=False)
    torch.manual_seed(3)
    name, size = KINDS[kind]
    config = getattr(transformers, f"{name}Config")(
        vocab_size=len(tokenizer), max_position_embeddings=128, initializer_range=0.4, **size
    )
    getattr(transformers, f"{name}ForMaskedLM")(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
