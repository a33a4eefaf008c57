"""Judging without a server: adaptive samples, disk errors, unreadable texts."""

import random

import pandas as pd
import pytest
from judged import make_run

from anthrokit.core import Run, RunError
from anthrokit.core.run import digest
from anthrokit.judging import (
    LLMJudge,
    PatternJudge,
    Rating,
    import_messages,
    judge,
    judge_table,
    offline_panel,
)
from anthrokit.models import LLM, Completion
from anthrokit.work import MAX_ATTEMPTS


class Instant(LLM):
    """A model that answers at once, without a server."""

    def prepare(self):
        return self

    async def acomplete(self, messages, **parameters):
        return Completion("as known")


class Known(LLMJudge):
    """A judge whose answers are known beforehand, by the code of each call."""

    def __init__(self, name, patterns):
        super().__init__(Instant("openai/known"), name=name, structured=False)
        self.asked, place = 0, "abc".index(name) * 3 - 1
        self.answers = {
            digest(f"d{number:04}/1/empathy/{name}/{sample}", 0, length=8): pattern[place + sample]
            for number, pattern in enumerate(patterns)
            for sample in (1, 2, 3)
        }

    def parse(self, response):
        self.asked += 1
        verdict = self.answers[response.item.code]
        return Rating(verdict, status="ok" if verdict is not None else "refused")


def test_adaptive_labels_equal_full_labels(tmp_path):
    """For random patterns of nine answers (Yes, No, none), and for all patterns without a missing one."""
    rng = random.Random(0)
    patterns = [[bool(number >> bit & 1) for bit in range(9)] for number in range(512)]
    patterns += [rng.choices([True, False, None], weights=[3, 5, 2], k=9) for _ in range(300)]
    labels, requests = {}, {}
    for sampling in ("full", "adaptive"):
        with make_run(tmp_path / sampling, len(patterns)) as run:
            judges = [Known(letter, patterns) for letter in "abc"]
            judge(run, judges, behaviours=["empathy"], sampling=sampling, progress=False)
            labels[sampling] = run.labels()[["dialogue_id", "label"]]
            requests[sampling] = [one.asked for one in judges]
            owed = run.missing()
            assert (owed["status"] == "refused").all()  # nothing that could still change a label is left out
    pd.testing.assert_frame_equal(labels["full"], labels["adaptive"])
    assert requests["full"] == [3 * len(patterns)] * 3 and sum(requests["adaptive"]) < 0.75 * sum(requests["full"])


class Undecided(LLMJudge):
    """A judge whose responses hold no verdict."""

    def __init__(self):
        super().__init__(Instant("openai/known"), name="a", structured=False)
        self.codes = []

    def parse(self, response):
        self.codes.append(response.item.code)
        raise ValueError("no verdict")


def test_retries_repeat_no_request(tmp_path):
    """The attempts go on where the last call of `judge` ended, since the same seed would give the same response."""
    codes = []
    with make_run(tmp_path / "run", 1) as run:
        for _ in range(3):
            judge(run, undecided := Undecided(), behaviours=["empathy"], samples=1, retry="unparsed", progress=False)
            codes += undecided.codes
        assert run.ratings()["attempts"].tolist() == [3 * MAX_ATTEMPTS]
    assert len(codes) == len(set(codes)) == 3 * MAX_ATTEMPTS


def test_disk_errors_name_the_folder(tmp_path):
    run = make_run(tmp_path / "run", 1)
    with pytest.raises(RunError, match="opened read-only"), Run(tmp_path / "run", read_only=True) as other:
        other.ledger.write_together([("manifest", [{"name": "a", "value": "1"}])])
    run.close()


@pytest.mark.slow
def test_unreadable_text_is_missing(tmp_path):
    """The label is missing, and the run says why; the language of each message decides, not that of the run."""
    texts = {
        "en": "I was born in Leeds and I feel sad today.",
        "de": "Ich wurde in Köln geboren und bin so traurig.",
        "zh": "我小时候在杭州长大，我很难过。",
        "quote": "She said „Ich bin so traurig“, and I felt sad, too.",
    }
    first = [{"role": "user", "content": "Who are you?"}]
    chats = [{"dialogue_id": key, "messages": [*first, {"role": "assistant", "content": text}]} for key, text in texts.items()]
    judges = offline_panel()
    run = judge_table(pd.DataFrame(chats), judges, run=tmp_path / "run", progress=False)
    with run:
        labels, left = run.labels(), run.missing()
        assert labels.groupby("dialogue_id")["label"].count().to_dict() == {"de": 0, "en": 14, "quote": 14, "zh": 0}
        assert set(left["dialogue_id"]) == {"de", "zh"} and set(left["status"]) == {"unreadable"}
        assert left["reason"].eq("language").all() and left["judge"].nunique() == 4
        judge(run, judges, progress=False)
        assert len(run.ratings()) == 4 * (3 * 13 + 1)


def test_ratings_of_other_targets_are_not_done():
    chats = pd.DataFrame({"user": "Hi", "assistant": ["I grew up.", "Yes.", "No."], "target": ["a", "b", "b"]})
    run, how = import_messages(chats), {"behaviours": "personal history"}
    judge(run, PatternJudge(), targets="a", progress=False, **how)
    job = judge.job(run, PatternJudge(), targets="b", **how)
    assert (job.total, job.done) == (2, 0)
    with pytest.raises(ValueError, match="targets is empty; name some of a, b, or leave targets out"):
        judge(run, PatternJudge(), targets=[], **how)
