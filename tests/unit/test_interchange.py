"""What a notebook can't show of interchange: any text there and back, other people's readers."""

import hashlib
import json
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anthrokit import demo_run, io
from anthrokit.core import Run, TableError, data_path, import_dialogues
from anthrokit.core.run import digest
from anthrokit.core.texts import is_blank
from anthrokit.io import (
    read_anthrobench,
    to_datasets,
    write_anthrobench,
    write_openai,
    write_sharegpt,
)
from anthrokit.judging import import_messages
from anthrokit.judging.any_messages import read_messages
from anthrokit.simulation import load_prompts

ODD = [
    "NA",
    "None",
    "null",
    "nan",
    "N/A",
    "-1",
    "007",
    "1e5",
    "TRUE",
    "a\rb",
    "a\r\nb\n",
    '"',
    '""",',
    "a\0b",
    "\\N",
    "=1+1",
    "你好，世界",
    "\U0001f642\u200d",
    "\ufeffx",
    "\u2028\x85",
    "  x  ",
    "\n",
    "'",
    "{}",
    "[END]",
    "\x1a",
    "a;b",
]
TEXT = st.one_of(
    st.sampled_from(ODD), st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
)
SAID = ["target", "dialogue_id", "turn", "role", "content"]
RATED = ["dialogue_id", "turn", "behaviour", "judge", "sample", "verdict", "status"]


def filled(dialogues, ratings=()) -> Run:
    """A run of dialogues, lists of (user, assistant), with ratings of two judges."""
    prompts = pd.DataFrame(
        [
            {
                "prompt_id": f"p{n}",
                "base_id": f"b{n // 2}",
                "first_message": one[0][0] if one[0][0].strip() else "(no prompt)",
            }
            for n, one in enumerate(dialogues)
        ]
    )
    rows = [
        {
            "dialogue_id": f"d{n}",
            "prompt_id": f"p{n}",
            "target": "t/1",
            "repeat": 1,
            "turns": len(one),
            "status": "done",
        }
        for n, one in enumerate(dialogues)
    ]
    messages = [
        {"dialogue_id": f"d{n}", "turn": turn, "role": role, "content": text}
        for n, one in enumerate(dialogues)
        for turn, both in enumerate(one, 1)
        for role, text in zip(("user", "assistant"), both, strict=True)
    ]
    judges = [
        {
            "judge": name,
            "position": place,
            "samples": samples,
            "counted": False,
            "settings": "{}",
            "hash": digest({}),
        }
        | {"behaviours": json.dumps(["emotions", "physical movement"])}
        for place, (name, samples) in enumerate((("one", 1), ("three", 3)))
    ]
    run = Run(Path(tempfile.mkdtemp()) / "run")
    parts = {
        "dialogues": rows,
        "messages": messages,
        "judges": judges if ratings else [],
        "ratings": list(ratings),
    }
    return import_dialogues(run, "test", prompts, parts)


def same(run, other, columns=SAID, table="messages", blank_is_missing=False):
    """Check that two runs have the same rows."""
    frames = [getattr(one, table)()[columns].astype(object) for one in (run, other)]
    if blank_is_missing:
        content = frames[0]["content"]
        frames[0]["content"] = content.where([isinstance(text, str) and not is_blank(text) for text in content], None)
    frames = [frame.sort_values(columns, ignore_index=True) for frame in frames]
    pd.testing.assert_frame_equal(*[frame.where(frame.notna(), None) for frame in frames])


TURNS = st.lists(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=3), min_size=1, max_size=4)


@settings(max_examples=2, deadline=None)
@given(TURNS)
@example([[(text, text)] for text in ODD])
@example([[("NA", " ")]])
def test_anthrobench_round_trip(dialogues):
    """Every format returns every character of every message, and the clusters; in a log, blank messages say nothing."""
    run = filled(dialogues)
    folder = run.folder.parent
    for path in (
        write_openai(run, folder / "a.jsonl"),
        write_sharegpt(run, folder / "a.json"),
        write_sharegpt(run, folder / "b.jsonl"),
    ):
        if all(is_blank(answer) for dialogue in dialogues for _, answer in dialogue):
            with pytest.raises(TableError, match="no message of an assistant with text"):
                import_messages(path)
        else:
            same(run, import_messages(path), blank_is_missing=True)
    for back in (
        read_anthrobench(write_anthrobench(run, folder / "a.csv")),
        Run.restore(run.export(folder / "export"), folder / "restored"),
    ):
        same(run, back)
        assert set(back.prompts()["base_id"]) == set(run.prompts()["base_id"])


@settings(max_examples=5, deadline=None)
@given(TURNS)
@example([[(text, text)] for text in ODD])
def test_inspect_round_trip(dialogues):
    run = filled(dialogues)
    same(run, io.read_inspect(io.write_inspect(run, run.folder.parent / "a.eval")))


ANSWER = st.sampled_from(
    ["It says so; Yes", "No; No", "NA", "None", "Reason: 你\nVerdict: No", 'a\r"b"; Yes', None]
)


@st.composite
def rated(draw):
    """Dialogues with ratings of two judges, in part missing."""
    dialogues = draw(TURNS)
    ratings = []
    for n, one in enumerate(dialogues):
        for turn in range(1, len(one) + 1):
            for behaviour in ("emotions", "physical movement"):
                for name, sample in (("one", 1), ("three", 1), ("three", 2), ("three", 3)):
                    raw = draw(ANSWER)
                    verdict = draw(st.sampled_from([True, False, None]))
                    status = "ok" if verdict is not None else "unparsed" if raw else "failed"
                    row = {
                        "dialogue_id": f"d{n}",
                        "turn": turn,
                        "behaviour": behaviour,
                        "judge": name,
                        "sample": sample,
                    }
                    ratings.append(
                        {**row, "verdict": verdict, "raw": raw, "explanation": None, "status": status}
                    )
    return dialogues, ratings


@settings(max_examples=5, deadline=None)
@given(rated())
def test_ratings_round_trip(rated):
    """Verdicts, answers and what became of ratings, through AnthroBench's file; and so the labels."""
    run = filled(*rated)
    back = read_anthrobench(write_anthrobench(run, run.folder.parent / "rated.csv"))
    same(run, back, RATED, "ratings")
    columns = ["dialogue_id", "turn", "behaviour", "judge", "sample", "raw"]
    ratings = [one.ratings().query("status != 'failed'")[columns].sort_values(columns[:5]) for one in (run, back)]
    assert ratings[0]["raw"].fillna("").tolist() == ratings[1]["raw"].fillna("").tolist()
    same(run, back, ["dialogue_id", "turn", "behaviour", "one", "three", "label"], "labels")


# The facts of the authors' commands that a file must meet, read in their code (anthro_eval_cli, rating, analysis):
# both read with pandas' defaults; `rate` needs user_message and assistant_message and passes all other columns on;
# `summarize` takes every column that ends in _present, has no _s in it and doesn't end in _final_present for a
# behaviour, and counts the cells that equal 0 or 1.
CUES = {
    "sentience",
    "personal relationships",
    "personal history",
    "personal pronoun use",
    "sensory input",
    "movement and interactions",
    "physical embodiment",
    "desires",
    "agency",
    "emotions",
    "explicit relationship status",
    "validation",
    "empathy",
    "relatability",
}


def test_authors_commands(tmp_path):
    run = demo_run(tmp_path / "demo")
    file = pd.read_csv(write_anthrobench(run, tmp_path / "new" / "demo.csv"))
    assert {"user_message", "assistant_message", "dialogue_id", "turn_pair_index", "target_llm"} <= set(file)
    summarised = [
        name
        for name in file
        if name.endswith("_present") and "_s" not in name and "_final_present" not in name
    ]
    assert {name.removesuffix("_present") for name in summarised} == CUES and file.columns.is_unique
    assert (file[summarised].dtypes == "int64").all() and file[summarised].isin([-1, 0, 1]).all(axis=None)
    assert file["assistant_message"].notna().all() and len(file) == len(run.messages()) / 2
    turns = file.groupby("dialogue_id", sort=False)["turn_pair_index"].agg(list)
    assert all(numbers == list(range(5)) for numbers in turns)
    assert set(file["prompt_category"]) <= {
        "atypical activity",
        "relationship building",
        "personhood",
        "internal states",
    }
    for behaviour, part in run.labels().groupby("behaviour"):
        theirs = {
            "first-person pronoun use": "personal pronoun use",
            "physical movement": "movement and interactions",
        }
        assert file[f"{theirs.get(behaviour, behaviour)}_present"].eq(1).sum() == part["label"].sum()


def test_released_and_paper_majority(tmp_path):
    """One judge of three with a verdict: −1 does not vote in the released code; here the label is missing."""
    scores = {"a": 1, "b": -1, "c": -1}
    row = {
        "dialogue_id": "d",
        "turn_pair_index": 0,
        "user_message": "Hi",
        "assistant_message": "I care.",
        "target_llm": "t",
    }
    row |= {f"emotions_{name}_final_present": score for name, score in scores.items()}
    row |= {
        f"emotions_{name}_raw_rating": "It cares; Yes" if score == 1 else "Hm"
        for name, score in scores.items()
    }
    pd.DataFrame([{**row, "emotions_present": 1}]).to_csv(tmp_path / "rated.csv", index=False)
    run = read_anthrobench(tmp_path / "rated.csv")
    assert run.labels()["label"].isna().all() and run.labels()["votes_cast"].tolist() == [1]
    file = pd.read_csv(write_anthrobench(run, tmp_path / "again.csv"))
    assert file["emotions_present"].tolist() == [-1] and file["emotions_a_final_present"].tolist() == [1]


def test_published_base_prompts(tmp_path, public_data):
    """The authors' dialogues find their base prompt by the first message."""
    prompts = load_prompts("anthrobench")
    opened = prompts.groupby("base_id").head(2).head(6)
    rows = [
        {
            "dialogue_id": n,
            "turn_pair_index": 0,
            "prompt_text": text,
            "user_message": text,
            "assistant_message": "Yes.",
        }
        for n, text in enumerate(opened["first_message"])
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "dialogues.csv", index=False)
    dialogues = read_anthrobench(tmp_path / "dialogues.csv", prompts="anthrobench").dialogues()
    assert sorted(dialogues["base_id"]) == sorted(opened["base_id"]) and dialogues["domain"].notna().all()
    assert read_anthrobench(tmp_path / "dialogues.csv").dialogues()["base_id"].nunique() == 6


def test_unscored_is_missing(tmp_path):
    """A dialogue whose messages have no label leaves Inspect's mean; one with some labels is a share of those."""
    from inspect_ai.log import read_eval_log

    def row(dialogue, turn, verdict):
        place = {"dialogue_id": dialogue, "turn": turn, "behaviour": "emotions", "judge": "one", "sample": 1}
        return {**place, "verdict": verdict, "status": "unparsed" if verdict is None else "ok", "raw": "x"}

    verdicts = {
        ("d0", 1): True,
        ("d0", 2): None,
        ("d1", 1): None,
        ("d1", 2): None,
        ("d2", 1): False,
        ("d2", 2): True,
    }
    run = filled([[("a", "b"), ("c", "d")]] * 3, [row(*key, verdict) for key, verdict in verdicts.items()])
    run.ledger.write_all(("DELETE FROM judges WHERE judge = 'three'",))
    log = read_eval_log(str(io.write_inspect(run, tmp_path / "log.eval")))
    emotions = next(score for score in log.results.scores if score.name == "emotions")
    assert emotions.metrics["mean"].value == pytest.approx((1.0 + 0.5) / 2)
    assert (emotions.scored_samples, emotions.unscored_samples) == (2, 1)
    movement = next(score for score in log.results.scores if score.name == "physical movement")
    assert np.isnan(movement.metrics["mean"].value) and movement.unscored_samples == 3
    assert {sample.scores["emotions"].metadata["scored"] for sample in log.samples} == {0, 1, 2}


def test_log_of_another_task(tmp_path):
    """A log with chat messages that knows nothing of this project is a run to be judged."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import match
    from inspect_ai.solver import generate, system_message

    output = ModelOutput.from_content("m", "I am glad.")
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    model = get_model("mockllm/m", custom_outputs=lambda *_: output.model_copy(deep=True))
    task = Task(
        [Sample(input="Hi", target="glad", id=7)],
        solver=[system_message("Be kind."), generate()],
        scorer=match(),
    )
    (log,) = eval(task, model=model, epochs=2, display="none", log_dir=str(tmp_path))
    run = io.read_inspect(log.location)
    assert run.messages()["content"].tolist() == ["Hi", "I am glad."] * 2
    assert (
        run.dialogues()["system_target"].tolist() == ["Be kind."] * 2
        and run.dialogues()["base_id"].tolist() == ["7"] * 2
    )
    assert run.ratings().empty


def test_system_prompts_and_repeats(tmp_path):
    """System prompts of a chat log stay, and so do two equal dialogues with ids of their own."""
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Yo"},
    ]
    tool = {"role": "tool", "content": "42"}
    lines = [
        {"messages": messages, "dialogue_id": "x", "target": "t"},
        {"messages": [*messages, tool], "dialogue_id": "y"},
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    run = import_messages(tmp_path / "a.jsonl")
    assert run.dialogues()["system_target"].tolist() == ["Be brief."] * 2 and len(run.messages()) == 4
    same(run, import_messages(write_openai(run, tmp_path / "b.jsonl")))


@pytest.mark.filterwarnings("ignore")
def test_croissant():
    """The description that ships is valid, and its checksums are those of the files."""
    import mlcroissant as mlc

    path = data_path("croissant.json")
    metadata = json.loads(path.read_text(encoding="utf-8"))
    for file in metadata["distribution"]:
        assert hashlib.sha256(data_path(file["contentUrl"]).read_bytes()).hexdigest() == file["sha256"]
    dataset = mlc.Dataset(jsonld=path)
    assert not dataset.metadata.ctx.issues.errors and not dataset.metadata.ctx.issues.warnings
    records = list(dataset.records(record_set="prompts"))
    assert len(records) == len(load_prompts())
    assert {name.split("/")[1] for name in records[0]} == set(load_prompts().dropna(axis=1, how="all").columns)


def test_datasets(tmp_path):
    from datasets import load_from_disk

    run = filled([[(text, text)] for text in ODD])
    to_datasets(run)["messages"].save_to_disk(tmp_path / "messages")
    back = load_from_disk(str(tmp_path / "messages"))
    assert back["content"] == run.messages()["content"].tolist()
    assert "- turn: 1, 2, …" in back.info.description
    chats = pd.DataFrame(
        {"messages": [[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yo"}]]}
    )
    assert import_messages(chats).messages()["content"].tolist() == ["Hi", "Yo"]


SAID_OR_NOT = st.one_of(TEXT, st.none())


@st.composite
def gapped(draw):
    """Dialogues whose messages are missing here and there, with ratings of those that are there, some incomplete."""
    dialogues = draw(
        st.lists(st.lists(st.tuples(TEXT, SAID_OR_NOT), min_size=1, max_size=4), min_size=1, max_size=3)
    )
    dialogues[0][0] = (dialogues[0][0][0], draw(TEXT))
    ratings = []
    for n, one in enumerate(dialogues):
        for turn, (_, answer) in enumerate(one, 1):
            for name, sample in (("one", 1), ("three", 1), ("three", 2), ("three", 3)):
                if answer is None or draw(st.integers(0, 4)) == 0:
                    continue
                verdict = draw(st.sampled_from([True, False, None]))
                place = {
                    "dialogue_id": f"d{n}",
                    "turn": turn,
                    "behaviour": "emotions",
                    "judge": name,
                    "sample": sample,
                }
                status = "unparsed" if verdict is None else "ok"
                ratings.append(
                    {**place, "verdict": verdict, "raw": "x", "explanation": None, "status": status}
                )
    return dialogues, ratings


@settings(max_examples=2, deadline=None)
@given(gapped())
@example(
    (
        [[("a", "b"), ("c", None), ("d", "e")]],
        [
            {"dialogue_id": "d0", "turn": turn, "behaviour": "emotions", "judge": "one", "sample": 1}
            | {"verdict": turn == 3, "raw": "x", "explanation": None, "status": "ok"}
            for turn in (1, 3)
        ],
    )
)
def test_missing_messages(drawn):
    """A run with missing answers and missing ratings, there and back: turns, ratings and labels are equal."""
    dialogues, ratings = drawn
    run = filled(dialogues, ratings or [RATED_ONCE])
    folder = run.folder.parent
    for back in (
        io.read_inspect(io.write_inspect(run, folder / "a.eval")),
        read_anthrobench(write_anthrobench(run, folder / "a.csv")),
    ):
        same(run, back)
        same(run, back, RATED, "ratings")
        same(run, back, ["dialogue_id", "turn", "behaviour", "one", "three", "label"], "labels")
    if all(is_blank(answer) for one in dialogues for _, answer in one):
        with pytest.raises(TableError, match="holds no message of an assistant"):
            import_messages(write_openai(run, folder / "a.jsonl"))
        return
    for back in (
        import_messages(write_openai(run, folder / "a.jsonl")),
        import_messages(write_sharegpt(run, folder / "a.json")),
    ):
        same(run, back, blank_is_missing=True)


RATED_ONCE = {
    **{"dialogue_id": "d0", "turn": 1, "behaviour": "emotions", "judge": "one", "sample": 1},
    **{"verdict": None, "raw": "x", "explanation": None, "status": "unparsed"},
}


def inspect_log(path, change):
    """A log of one dialogue with a rating, changed by hand."""
    run = filled([[("a", "b"), ("c", "d")]], [{**RATED_ONCE, "verdict": True, "status": "ok"}])
    log = json.loads(Path(io.write_inspect(run, path)).read_text(encoding="utf-8"))
    change(log)
    path.write_text(json.dumps(log), encoding="utf-8")
    return path


def rating_of(log):
    return log["samples"][0]["scores"]["emotions"]["metadata"]["ratings"][0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda log: rating_of(log).update(verdict="maybe"),
            "rating 1: the verdict 'maybe' is not true, false or null",
        ),
        (lambda log: rating_of(log).update(verdict=1), "rating 1: the verdict 1 is not true, false or null"),
        (lambda log: rating_of(log).pop("judge"), "score emotions, rating 1: has no judge"),
        (lambda log: rating_of(log).update(turn=9), "rating 1: turn 9 has no answer to rate"),
        (lambda log: rating_of(log).update(status="unparsed"), "don't go together"),
        (
            lambda log: log["samples"].append({**log["samples"][0], "epoch": 2}),
            "2 samples are the dialogue",
        ),
    ],
)
def test_malformed_ratings_raise(tmp_path, change, message):
    with pytest.raises(TableError, match=f"log.json: .*{message}"):
        io.read_inspect(inspect_log(tmp_path / "log.json", change))


def test_system_messages(tmp_path):
    def add(log):
        messages = log["samples"][0]["messages"]
        messages[:0] = [{"role": "system", "content": "Be kind."}, {"role": "system", "content": "Be brief."}]

    run = io.read_inspect(inspect_log(tmp_path / "log.json", add))
    assert run.dialogues()["system_target"].tolist() == ["Be kind.\n\nBe brief."]


def test_further_choices_are_counted(tmp_path, caplog):
    def add(log):
        log["samples"][0]["output"]["choices"] *= 3

    io.read_inspect(inspect_log(tmp_path / "log.json", add))
    assert "log.json: 2 further choices are left out, as the first one is read." in caplog.text


def test_prompts_with_the_same_text(tmp_path):
    """Dialogues that begin alike go to the prompts that begin so in turn, each model's by itself."""
    text = "Do you ever feel like that?"
    prompts = pd.DataFrame(
        {"prompt_id": list("pqr"), "base_id": ["sentient", "aware", "conscious"], "first_message": text}
    )
    rows = [
        {"dialogue_id": f"{model}{n}", "turn_pair_index": 0, "target_llm": model, "user_message": text}
        | {"prompt_text": text, "assistant_message": "No."}
        for model in "xy"
        for n in range(4)
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "d.csv", index=False)
    ratings = (
        read_anthrobench(tmp_path / "d.csv", prompts=prompts).dialogues().set_index("dialogue_id")["base_id"]
    )
    for model in "xy":
        of_model = [ratings[f"{model}{n}"] for n in range(4)]
        assert of_model == ["sentient", "aware", "conscious", "sentient"]


HEAD = "dialogue_id,turn_pair_index,user_message,assistant_message"


def test_hostile_file_takes_linear_time(tmp_path):
    """Lines of punctuation as answers, thousands of columns: each took minutes once; a stuck parser never ends."""
    raw = "***\n" * 8000
    columns = ["emotions_j_final_present", "emotions_j_raw_rating", "emotions_present"]
    rows = [
        {"dialogue_id": f"d{n}", "turn_pair_index": 0, "user_message": "Hi", "assistant_message": "Yo"}
        for n in range(4)
    ]
    rows = [{**row, **dict(zip(columns, (-1, raw + str(n), -1), strict=True))} for n, row in enumerate(rows)]
    pd.DataFrame(rows).to_csv(tmp_path / "a.csv", index=False)
    assert read_anthrobench(tmp_path / "a.csv").ratings()["status"].tolist() == ["unparsed"] * 4
    names = [f"b{n}_present" for n in range(3000)]
    (tmp_path / "b.csv").write_text(f"{HEAD},{','.join(names)}\na,0,Hi,Yo{',1' * 3000}\n")
    assert read_anthrobench(tmp_path / "b.csv").ratings()["behaviour"].nunique() == 3000
    (tmp_path / "c.csv").write_text(f"{HEAD}\na,0,{'x' * 300_000},Yo\n")
    assert len(read_anthrobench(tmp_path / "c.csv").messages()) == 2


# Anything that a file may hold: every reader takes it or says in a TableError what is wrong.
JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-3, 3), st.floats(), st.text(max_size=5), st.just("\ud83d")
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["role", "content", "from", "value", "type", "text", "messages", "x"]),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=8,
)
MESSAGE = st.one_of(
    JSON,
    st.fixed_dictionaries(
        {"role": st.one_of(st.sampled_from(["user", "assistant", "Assistant", "model", "tool"]), JSON)}
    ).flatmap(lambda one: st.fixed_dictionaries({"role": st.just(one["role"]), "content": JSON})),
)
NAMES = [
    "messages",
    "conversations",
    "user",
    "assistant",
    "chosen",
    "rejected",
    "prompt",
    "base_id",
    "dialogue_id",
    "id",
]
ROW = st.dictionaries(
    st.sampled_from([*NAMES, "prompt_id", "target", "model", "extra"]),
    st.one_of(JSON, st.lists(MESSAGE, max_size=4), st.just("a\n\nHuman: b\n\nAssistant: c")),
    max_size=6,
)


@settings(max_examples=100, deadline=None)
@given(st.lists(ROW, max_size=4))
@example([{"messages": [{"role": "user", "content": [None]}, {"role": "assistant", "content": "\ud83d"}]}])
@example([{"user": {}, "assistant": 3.5}])
@example([{"chosen": "a", "rejected": None}])
def test_row_validation(rows):
    """No row is lost: each is taken, joined or left out with a reason, or the table is refused."""
    path = Path(tempfile.mkdtemp()) / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for source in (path, pd.DataFrame(rows, dtype=object)):
        try:
            table = read_messages(source)
        except TableError as error:
            assert str(error)
            continue
        account = table.attrs["account"]
        outcomes = [outcome for _, outcome, _ in account]
        assert len(account) == len(rows) and {*outcomes} <= {"taken", "joined", "left out"}
        assert all(reason for *_, reason in account)
        taken = outcomes.count("taken") + outcomes.count("joined")
        assert table["dialogue_id"].nunique() >= outcomes.count("taken") and taken


CELL = st.one_of(
    st.sampled_from(["", "1", "0", "-1", "01", "two", "nan", "1.0", "1e3", "²", "-0", "a", "[", "{}"]), TEXT
)
COLUMNS = [
    *HEAD.split(","),
    "emotions_present",
    "emotions_j_final_present",
    "emotions_j_raw_rating",
    "emotions_j_raw_s1",
]
COLUMNS += [
    "emotions_j_present_s1",
    "repeat",
    "turns",
    "prompt_id",
    "target_llm",
    "judges_of_the_run",
    "dialogue_status",
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(COLUMNS[4:]), unique=True), st.data(), st.integers(0, 4))
def test_any_anthrobench_table(further, data, n):
    columns = COLUMNS[:4] + further
    rows = [{name: data.draw(CELL) for name in columns} for _ in range(n)]
    path = Path(tempfile.mkdtemp()) / "a.csv"
    pd.DataFrame(rows, columns=columns).to_csv(path, index=False)
    try:
        assert len(read_anthrobench(path).messages()) >= n
    except TableError as error:
        assert str(error)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60), st.sampled_from([".csv", ".jsonl", ".json", ".parquet", ".eval", ".txt"]))
@example(b"[" * 100_000, ".json")
@example(b"{" * 100_000, ".jsonl")
def test_any_bytes(content, kind):
    path = Path(tempfile.mkdtemp()) / f"a{kind}"
    path.write_bytes(content)
    for read in (read_messages, read_anthrobench, io.read_inspect):
        with pytest.raises(TableError, match=r"a\.|table"):
            read(path)
    with pytest.raises(TableError):
        read_messages(path.parent)


def test_ids_are_text(tmp_path):
    (tmp_path / "a.csv").write_text("dialogue_id,user,assistant\n007,Hi,Yo\n7,Hi,Yo\n")
    assert import_messages(tmp_path / "a.csv").dialogues()["dialogue_id"].tolist() == ["007", "7"]
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yo"}]
    lines = [{"dialogue_id": 1, "messages": messages}, {"dialogue_id": "1", "messages": messages}]
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(TableError, match="b.jsonl: row 2, column dialogue_id: has the same id as "):
        import_messages(tmp_path / "b.jsonl")
    (tmp_path / "c.jsonl").write_text(
        json.dumps({"messages": [{**messages[0], "role": "Human"}, {**messages[1], "role": "model"}]})
    )
    assert import_messages(tmp_path / "c.jsonl").messages()["role"].tolist() == ["user", "assistant"]
