"""The engine without a server: attempts, steps, jobs that go on, executors, cost estimates."""

import asyncio
import functools
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor

import pandas as pd
import pytest
from judged import KEYS, make_run

from anthrokit.core import SetupError
from anthrokit.judging import LLMJudge, estimate, judge
from anthrokit.models import LLM, Completion
from anthrokit.models.executors import ExecutorPool
from anthrokit.simulation import simulate
from anthrokit.work import MAX_ATTEMPTS, OwnCodeError, Request, ask, run_steps

REFUSED = "d0001"  # the model refuses to judge this dialogue's message


class Instant(LLM):
    """A model that answers at once, without a server."""

    calls = 0

    def prepare(self):
        return self

    async def acomplete(self, messages, **parameters):
        type(self).calls += 1
        text = messages[-1]["content"]
        if "I think 1." in text:
            return Completion(None, "refused", finish_reason="content_filter")
        code = text.rpartition("Verdict ")[2].partition(":")[0]
        return Completion(f"Reason: it thinks.\nVerdict {code}: {'Yes' if 'I think 2.' in text else 'No'}")


def panel(*names):
    """Return judges with models of their own."""
    return [LLMJudge(Instant(f"openai/{name}", price=(1, 4)), name=name, structured=False) for name in names]


def attempts_of(*responses, **settings):
    """Return the requests of `ask` and what it returns, if a model gives these responses."""
    steps, requests = ask(Request(LLM("openai/m"), [], "u", "tag", {"seed": 10}), int, **settings), []
    requests.append(next(steps))
    try:
        for response in responses:
            requests.append(steps.send(response if isinstance(response, Completion) else Completion(response)))
    except StopIteration as end:
        return requests, end.value
    raise AssertionError("it asks for more")


def test_attempts():
    requests, (row, value) = attempts_of("seven", "7")
    assert (row["status"], row["attempts"], value) == ("ok", 2, 7)
    assert [one.parameters["seed"] for one in requests] == [10, 11]
    assert [message["role"] for message in requests[1].messages] == ["assistant", "user"]  # the response, and what is wrong
    requests, (row, value) = attempts_of(*["seven"] * MAX_ATTEMPTS)
    assert (row["status"], row["attempts"], value) == ("unparsed", MAX_ATTEMPTS, None) and "invalid literal" in row["error"]
    for silent in (None, lambda problem: None):
        requests, (row, _) = attempts_of("seven", "7", retry_message=silent)
        assert requests[0].messages == requests[1].messages and row["status"] == "ok"


def test_own_code_raises_after_a_response():
    def retry_message(problem):
        raise OwnCodeError("why")

    _, (row, value) = attempts_of("seven", retry_message=retry_message)
    assert (row["status"], row["attempts"], row["error"], row["raw"], value) == ("failed", 1, "why", None, None)


@pytest.mark.parametrize("status", ["failed", "refused"])
def test_no_attempt_after(status):
    _, (row, value) = attempts_of(Completion(None, status, error="why"))
    assert (row["status"], row["attempts"], row["error"], value) == (status, 1, "why", None)


def test_one_attempt():
    """The released protocol sends each request once, whatever the response."""
    for response in ("", "seven"):
        requests, (row, value) = attempts_of(response, max_attempts=1)
        assert (len(requests), row["status"], row["attempts"], value) == (1, "unparsed", 1, None)


@pytest.mark.parametrize("empty", [MAX_ATTEMPTS - 1, MAX_ATTEMPTS])
def test_empty_answers_of_a_target(empty, tmp_path):
    class Quiet(Instant):
        calls = 0

        async def acomplete(self, messages, **parameters):
            type(self).calls += 1
            return Completion(None, "empty") if self.calls <= empty else Completion("Hello.")

    prompts = pd.DataFrame({"prompt_id": ["p"], "base_id": ["p"], "first_message": ["Hi"]})
    with simulate(prompts, Quiet("openai/t"), Instant("openai/u"), turns=1, run=tmp_path / "run", progress=False) as run:
        [dialogue] = run.dialogues().to_dict("records")
    assert Quiet.calls == MAX_ATTEMPTS
    assert dialogue["status"] == ("done" if empty < MAX_ATTEMPTS else "failed")
    assert empty < MAX_ATTEMPTS or dialogue["reason"].endswith("every attempt gave an empty answer")


def test_truncated_responses():
    cut = Completion("7", "truncated")
    _, (row, _) = attempts_of(cut, max_attempts=1)
    assert (row["status"], row["error"]) == ("unparsed", "cut off by the token limit")
    assert attempts_of(cut, max_attempts=1, read_truncated=True)[1][1] == 7


def test_order_of_steps():
    order = []

    async def send(request):
        order.append(request.unit)
        await asyncio.sleep(0)
        order.append(request.unit.upper())
        return Completion(request.unit)

    def part(unit):
        completion = yield Request(None, [], unit, "tag")
        return completion.content

    def unit():
        side_by_side = yield [part("a"), part("b")]
        first_alone = yield (part("c"), part("d"), part("e"))
        eight = yield functools.partial(pow, 2, 3)
        return side_by_side, first_alone, eight

    assert asyncio.run(run_steps(unit(), send)) == (["a", "b"], ["c", "d", "e"], 8)
    assert order == ["a", "b", "A", "B", "c", "C", "d", "e", "D", "E"]


def test_error_in_a_part():
    ended = []

    async def send(request):
        await asyncio.sleep(0.01 * (request.unit == "slow"))
        if request.unit == "bad":
            raise SetupError("wrong key")
        ended.append(request.unit)

    def unit():
        try:
            yield [Request(None, [], name, "tag") for name in ("bad", "slow")]
        finally:
            ended.append("closed")

    with pytest.raises(SetupError, match="wrong key"):
        asyncio.run(run_steps(unit(), send))
    assert ended == ["slow", "closed"]  # the other part has ended before the error is raised


def test_job_goes_on(tmp_path):
    Instant.calls = 0
    judge_run = functools.partial(judge, behaviours=["empathy"], samples=2, progress=False)
    with make_run(tmp_path / "run", 4) as run:
        judge_run(run, panel("a"))
        assert Instant.calls == 8
        judge_run(run, panel("a", "b"))
        assert Instant.calls == 16  # of the new judge alone
        ratings = run.ratings()
        assert ratings.groupby("status").size().to_dict() == {"ok": 12, "refused": 4}
        assert set(ratings.query("status == 'refused'")["dialogue_id"]) == {REFUSED} and ratings["attempts"].eq(1).all()
        judge_run(run, panel("a"), retry=["refused"])
        assert Instant.calls == 18
        assert run.labels().set_index("dialogue_id")["label"].dropna().to_dict() == {"d0000": False, "d0002": True, "d0003": False}


class Broken(ThreadPoolExecutor):
    """An executor that loses its workers."""

    def submit(self, function, *arguments):
        lost = Future()
        lost.set_exception(BrokenExecutor("a worker died"))
        return lost


def test_executor_gives_the_same_ratings(tmp_path):
    frames = []
    with ThreadPoolExecutor(2) as threads:
        for place, on in (("here", None), ("there", threads)):
            with make_run(tmp_path / place, 5) as run:
                judge(run, panel("a", "b"), behaviours=["empathy", "agency"], on=on, progress=False)
                frames.append(run.ratings().sort_values(KEYS, ignore_index=True))
    assert frames[0].equals(frames[1]) and len(frames[0]) == 60
    with make_run(tmp_path / "lost", 2) as run, pytest.raises(SetupError, match="lost with its worker, twice"):
        judge(run, panel("a"), behaviours=["empathy"], on=Broken(), progress=False)


def test_executor_limits():
    with ThreadPoolExecutor(3) as threads:
        assert ExecutorPool(threads).shards == 3 and ExecutorPool(threads, shards=5, calls=10).places == 100
        assert ExecutorPool(threads).map(max, [(1, 2), (5, 3)]) == [2, 5]
        with pytest.raises(SetupError, match="has a key"):
            ExecutorPool(threads).reject_keys([LLM("openai/m", api_key="sk-0123456789abcdefgh")])
    with pytest.raises(ValueError, match="pass an executor"):
        ExecutorPool(4)


def test_estimate(tmp_path):
    with make_run(tmp_path / "run", 4) as run:
        before = run.ledger.version
        table = estimate(judges=panel("a", "b"), run=run, behaviours=["empathy", "agency"], samples=3)
        assert run.ledger.version == before and run.ratings().empty  # nothing is written
        rows, total = table[:-1], table.iloc[-1]
        assert rows["calls"].tolist() == [24, 24] and total["calls"] == 48  # 4 messages, 2 behaviours, 3 samples
        assert total["cost"] == pytest.approx(rows["cost"].sum()) and 0 < total["cost"] < total["cost_most"]
        a_call = rows.iloc[0]
        assert a_call["cost"] == pytest.approx((a_call["tokens_in"] + 4 * a_call["tokens_out"]) / 1e6)  # prices are for a million tokens
        judge(run, panel("a"), behaviours=["empathy", "agency"], samples=3, progress=False)
        rest = estimate(judges=panel("a", "b"), run=run, behaviours=["empathy", "agency"], samples=3)
        assert rest.iloc[-1]["calls"] == 24 and rest.set_index("name").loc["a", "done"] == 24


def test_estimate_of_adaptive_sampling(tmp_path):
    with make_run(tmp_path / "run", 2) as run:
        table = estimate(judges=panel("a", "b", "c"), run=run, behaviours=["empathy"], samples=3, sampling="adaptive")
    assert table["calls_least"].tolist()[:3] == [4, 4, 0]  # two samples decide a mode, and two judges a label
    assert table["calls"].tolist()[:3] == [6, 6, 6]
