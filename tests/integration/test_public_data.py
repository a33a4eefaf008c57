"""Public data: the prompt set, people's ratings, and chat logs whose messages are counted without anthrokit."""

import json
import os
import re
from itertools import groupby
from pathlib import Path

import pytest
from servers import served_folder

from anthrokit.core import TableError
from anthrokit.judging.any_messages import read_messages
from anthrokit.simulation import prompts


@pytest.fixture
def web(tmp_path):
    (tmp_path / "www").mkdir()
    with served_folder(tmp_path / "www") as address:
        yield tmp_path / "www", f"{address}/first_turns.csv"


def test_anthrobench_prompts(public_data):
    frame = prompts.load_prompts("anthrobench")
    assert len(frame) == 960 and frame["base_id"].nunique() == 120 and frame["scenario"].nunique() == 8
    assert (frame.groupby("base_id").size() == 8).all()
    assert set(frame["behaviour"]) == set(prompts.load_prompts()["behaviour"])
    assert frame.groupby("domain")[["empathy", "professionalism"]].first().to_dict("index") == {
        row.domain: {"empathy": row.empathy, "professionalism": row.professionalism}
        for row in prompts.load_scenarios().drop_duplicates("domain").itertuples()
    }


def test_prompts_differ_from_published(public_data):
    ours, public = prompts.load_prompts(), prompts.load_prompts("anthrobench")
    assert not set(ours["base_prompt"].str.lower()) & set(public["base_prompt"].str.lower())
    assert not set(ours["first_message"]) & set(public["first_message"])


def test_download_is_checked_once(public_data, web, tmp_path, monkeypatch):
    folder, url = web
    monkeypatch.delenv("ANTHROKIT_DATA")
    monkeypatch.setenv("ANTHROKIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(prompts.ANTHROBENCH, "url", url)
    (folder / "first_turns.csv").write_text("another file")
    with pytest.raises(TableError, match="its checksum is another"):
        prompts.load_prompts("anthrobench")
    (folder / "first_turns.csv").write_bytes((public_data / "anthrobench" / "first_turns.csv").read_bytes())
    assert len(prompts.load_prompts("anthrobench")) == 960
    (folder / "first_turns.csv").unlink()
    assert len(prompts.load_prompts("anthrobench")) == 960  # from the cache


def test_offline_hint(tmp_path, monkeypatch):
    monkeypatch.delenv("ANTHROKIT_DATA", raising=False)
    monkeypatch.setenv("ANTHROKIT_CACHE", str(tmp_path))
    monkeypatch.setitem(prompts.ANTHROBENCH, "url", "http://127.0.0.1:9/first_turns.csv")
    with pytest.raises(
        TableError, match="can't be downloaded from .* save it as .* set ANTHROKIT_DATA"
    ):
        prompts.load_prompts("anthrobench")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("prompt_id,opening\n1,hi\n", "needs the column(s) first_message"),
        (
            "prompt_id,base_id,first_message\n1,1,hi\n1,1,ho\n",
            "row 2, column prompt_id: '1' is already in row 1",
        ),
        ("prompt_id,base_id,first_message\n1,1,\n", "row 1, column first_message: is empty"),
        ("prompt_id,base_id,first_message\n1,1,caf\xe9\n", "line 2, byte 8 is not utf-8"),
        ("", "is not a CSV table"),
    ],
)
def test_malformed_prompt_files_raise(content, message, tmp_path):
    from anthrokit.simulation import simulate

    file = tmp_path / "mine.csv"
    file.write_bytes(content.encode("latin-1"))
    with pytest.raises(TableError, match="mine.csv") as refusal:
        simulate(file, run=tmp_path / "run")
    assert message in str(refusal.value) and not (tmp_path / "run").exists()


def test_adapted_encoder_on_people(public_data):
    from anthrokit.judging.offline import sentence_judge
    from anthrokit.validity import check_against_people, load_human_data
    from anthrokit.validity.human_data import dataset_behaviours

    data = load_human_data("robots_dont_cry")
    assert len(data) == 364 and data["truth"].sum() == 86
    table = check_against_people(data, [sentence_judge()], dataset_behaviours("robots_dont_cry"), n_resamples=50)
    estimates = table[table["judge"] == "sentences"].set_index("measure")["estimate"]
    assert estimates["AUC"] >= 0.8 and estimates["kappa"] > 0.4


def test_rankings_and_agreement(public_data):
    from anthrokit.validity.human_data import load_rankings
    from anthrokit.validity.perception import people_accuracy

    pairs, texts = load_rankings()
    assert (len(pairs), len(texts), pairs["person"].nunique(), pairs["cluster"].nunique()) == (8902, 1050, 297, 150)
    fitting = pairs[~pairs["test"]]
    agreement = people_accuracy(fitting).set_index("against")
    assert agreement.loc["another person", "estimate"] == pytest.approx(0.76, abs=0.02)
    assert set(pairs["more"]) | set(pairs["less"]) <= set(texts["item_id"])


def test_the_trials_means_turn_where_they_should(public_data):
    if not (public_data / "human" / "trial_attachment.jsonl").exists():
        pytest.skip("needs the trial's outcomes in ANTHROKIT_DATA/human")
    from anthrokit.validity import dose_response, turning_point
    from anthrokit.validity.dose_response import left_out_doses
    from anthrokit.validity.human_data import load_trial_outcomes

    trial = load_trial_outcomes()
    assert (len(trial), trial["person"].nunique()) == (67788, 3445)
    raw = dose_response(trial, by="outcome").set_index("outcome")["mean"].round(1)
    assert raw["perceived_sentience"].tolist() == [41.7, 45.5, 48.4, 53.0, 51.2]
    assert raw["connection"].tolist() == [45.6, 51.4, 58.9, 61.5, 55.7]
    turns = turning_point(trial, by="outcome").set_index("outcome")["turn"]
    assert set(turns[turns == "peak"].index) == {"connection", "understanding"}
    assert left_out_doses(trial, by="outcome")["inside"].all()


def test_sentences_answers_and_comfort_are_read_whole(public_data):
    from anthrokit.validity import load_human_data

    sentences = load_human_data("anthroset")
    assert (len(sentences), sentences["cluster"].nunique(), sentences["truth"].sum()) == (600, 562, 296)
    assert sentences["truth"].isna().sum() == 131 and sentences["category"].nunique() == 6
    answers = load_human_data("humanebench")
    assert (len(answers), answers["truth"].sum(), answers["people"].map(len).max()) == (48, 18, 4)
    comfort = load_human_data("robots_comfort")
    assert (len(comfort), comfort["truth"].sum()) == (364, 56)


@pytest.mark.slow
def test_anthroscore_reads_subjects_and_objects_of_anthroset(public_data):
    from anthrokit.anthroscore import load_scorer
    from anthrokit.validity import load_human_data
    from anthrokit.validity.human_data import check_anthroscore

    data = load_human_data("anthroset")
    data = data[data["category"].isin(["verb objects", "role function NPs", "genitive NPs"])]
    table = check_anthroscore(data, load_scorer("smollm2-135m-instruct")).set_index(["category", "measure"])
    counts = table.xs("accuracy", level="measure")[["n", "n_total"]]
    assert counts.loc["verb objects"].tolist() == [55, 123]
    assert counts.loc["role function NPs"].tolist() == [16, 70], "the protocol misses noun phrases"
    assert counts.loc["genitive NPs"].tolist() == [1, 60]
    objects = table.loc["verb objects"]
    assert objects["estimate"].to_dict() == pytest.approx({"AUC": 0.86, "accuracy": 0.62}, abs=0.02)
    assert objects.loc["AUC", "ci_low"] > 0.65 and objects.loc["accuracy", "ci_low"] < 0.5
    assert table["estimate"].isna().to_dict()["role function NPs", "AUC"], "all are positive"


def read_json(path):
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line] if path.suffix == ".jsonl" else json.loads(text)


def turns(messages, role="role", content="content", answers=("assistant",), skipped=("system",)):
    """Return (is it an answer, text) of each message."""
    chosen = [message for message in messages if message[role] not in skipped]
    return [(message[role] in answers, str(message[content] or "")) for message in chosen]


def sharegpt(path):
    skipped = ("function_call", "observation", "system")
    return [turns(row["conversations"], "from", "value", ("gpt",), skipped) for row in read_json(path)]


def alpaca(path):
    return [[(False, row["instruction"] + row["input"]), (True, row["output"])] for row in read_json(path)]


def preferences(path):
    """Only the two answers of a pair are judged, so those before them are neither."""
    rows = read_json(path)
    context = [[(is_answer and None, text) for is_answer, text in one] for one in sharegpt(path)]
    return [
        [*before, (True, row[side]["value"])]
        for before, row in zip(context, rows, strict=True)
        for side in ("chosen", "rejected")
    ]


def messages_of(path):
    return [turns(row["messages"]) for row in read_json(path)]


def labelled_texts(folder, answer, user):
    for path in folder.glob("*.txt"):
        parts = re.split(rf"(?m)^({answer}|{user})\s*[:：]", path.read_text(encoding="utf-8"))[1:]
        yield [(speaker == answer, text) for speaker, text in zip(parts[::2], parts[1::2], strict=True)]


def smile(folder):
    return [turns(read_json(path), answers=("counselor",)) for path in folder.glob("*.json")]


def esconv(path):
    return [turns(row["dialog"], "speaker", answers=("listener",)) for row in read_json(path)]


def spiral(path):
    def walk(value):
        if isinstance(value, dict) and "transcript" in value:
            yield turns(value["transcript"])
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        for one in inner:
            yield from walk(one)

    return walk(read_json(path))


def audit(path):
    file = read_json(path)
    rows = (file.get("results") or file.get("scenarios") or []) if isinstance(file, dict) else []
    return [turns(row["conversation"]) for row in rows if row.get("conversation")]


ROLES = {"counselor": "assistant", "client": "user", "心理咨询师": "assistant", "来访者": "user"}
LOGS = {  # repository: file or folder, and how its conversations are walked
    "lm-sys/FastChat": [("data/dummy_conversation.json", sharegpt)],
    "hiyouga/LLaMA-Factory": [
        ("data/alpaca_*_demo.json", alpaca),
        ("data/identity.json", alpaca),
        ("data/glaive_toolcall_*_demo.json", sharegpt),
        ("data/dpo_*_demo.json", preferences),
        ("data/kto_en_demo.json", messages_of),
    ],
    "CAS-SIAT-XinHai/CPsyCoun": [
        ("CPsyCounD/Data", lambda path: labelled_texts(path, "心理咨询师", "来访者"))
    ],
    "qiuhuachuan/smile": [("data", smile)],
    "thu-coai/Emotional-Support-Conversation": [("*ESConv.json", esconv)],
    "sam-paech/spiral-bench": [("res_v0.2/*.json", spiral)],
    "SpringCare/VERA-MH": [
        ("concept_paper_conversations/*/", lambda path: labelled_texts(path, "agent", "user"))
    ],
    "kelkalot/simpleaudit": [("examples/**/*.json", audit)],
}


@pytest.fixture
def public_logs(request):
    """Find files in clones of public repositories, each in a folder with its name."""
    folder = os.environ.get("ANTHROKIT_LOGS") or (os.environ.get("ANTHROKIT_DATA") or "") + "/logs"

    def find(repository, pattern):
        paths = sorted(Path(folder, repository.partition("/")[2]).glob(pattern))
        return paths or pytest.skip(f"needs a clone of {repository} in the folder that ANTHROKIT_LOGS names")

    return find


@pytest.mark.public_data
@pytest.mark.parametrize(
    ("repository", "pattern", "walk"), [(name, *one) for name, files in LOGS.items() for one in files]
)
def test_public_logs_are_read_whole(repository, pattern, walk, public_logs):
    """Stretches of answers, and of what users say, are as many as a walk through the file finds."""
    total = 0
    for path in public_logs(repository, pattern):
        conversations = list(walk(path))
        stretches = [
            is_answer
            for one in conversations
            for is_answer, group in groupby(one, lambda turn: turn[0])
            if any(text.strip() for _, text in group)
        ]
        if conversations:
            table, total = read_messages(path, roles=ROLES), total + len(stretches)
            has_user = table["user"].fillna("").str.strip() != ""
            counted = {"answers": stretches.count(True), "users": stretches.count(False)}
            assert {"answers": table["judged"].sum(), "users": has_user.sum()} == counted, path
    assert total


@pytest.mark.public_data
@pytest.mark.parametrize("name", ["en_100_tree", "en_100_message"])
def test_public_trees_are_read_whole(name, public_logs):
    """Every answer of OASST's trees is judged once, after the prompt at the root."""
    (path,) = public_logs("LAION-AI/Open-Assistant", f"model/model_eval/manual/data/{name}.jsonl")
    roots = [row.get("prompt", row) for row in read_json(path)]

    def answers(node):
        return (node["role"] == "assistant") + sum(map(answers, node["replies"]))

    table = read_messages(path)
    assert table["judged"].sum() == sum(map(answers, roots)) > 0
    assert set(table["opening"]) == {root["text"] for root in roots}
