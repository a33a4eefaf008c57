"""Prompt caching: order of calls, marks of prefixes, recorded and estimated cached tokens."""

import json
import random
import urllib.request

import pytest
from servers import mock_server

from anthrokit.core import Run
from anthrokit.heartbench import RubricJudge, bundled_answers, load_cases
from anthrokit.heartbench.answers import add_answers
from anthrokit.judging import LLMJudge, TogetherJudge, judge
from anthrokit.models import LLM
from anthrokit.models.transports import CachedPrefix, RequestTranslator
from anthrokit.simulation import Taxonomy, simulate
from anthrokit.work import estimate_jobs

WORDS = "I you we feel think plan trip friend gift talk week work lovely quiet small idea good often maybe".split()
MODELS = ("openai/gpt-4o", "deepseek/deepseek-chat", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-pro")
BEHAVIOURS = ["empathy", "validation", "emotions"]


@pytest.fixture(scope="module")
def address():
    """Return the URL of a server that caches prefixes of prompts."""
    with mock_server("--cache", "--latency", 0.01) as base:
        yield base


def model(name, address, **settings):
    base = address.removesuffix("/v1")
    paths = {"anthropic": base, "gemini": f"{base}/v1beta/models/{name.partition('/')[2]}"}
    where = {"api_base": paths.get(name.partition("/")[0], address), "api_key": "none"}
    return LLM(name, **{**where, "max_concurrency": 4, **settings})


@pytest.fixture
def run(tmp_path):
    """Return a run with two unjudged dialogues of four long turns."""
    rng = random.Random(3)
    with Run(tmp_path / "run") as run:
        run.ledger.write("prompts", [{"prompt_id": "p", "base_id": "b", "first_message": "Hello"}])
        about = {"target": "t", "prompt_id": "p", "repeat": 1, "turns": 4, "status": "done"}
        run.ledger.write("dialogues", [{"dialogue_id": f"d{n}", **about} for n in range(2)])
        rows = [
            {"dialogue_id": f"d{n}", "turn": turn, "role": role, "content": " ".join(rng.choices(WORDS, k=600))}
            for n in range(2)
            for turn in range(1, 5)
            for role in ("user", "assistant")
        ]
        run.ledger.write("messages", rows)
        yield run


def judge_usage(run, one, **how):
    """Return the estimate and the recorded usage of one judge's calls."""
    how = {"behaviours": BEHAVIOURS, "samples": 2, **how}
    plan = estimate_jobs([judge.job(run, [one], **how)]).iloc[0]
    judge(run, [one], **how, progress=False)
    usage = run.usage("model").iloc[0]
    assert usage["calls"] == plan["calls"] and usage["failed"] == 0
    return plan, usage


@pytest.mark.parametrize("name", MODELS)
def test_questions_share_the_message(run, address, name):
    one = LLMJudge(model(name, address), context="dialogue", message_first=True, structured=False)
    plan, usage = judge_usage(run, one)
    assert usage["calls"] == 48 and usage["tokens_cached"] > 0.5 * usage["tokens_in"]
    assert plan["tokens_cached"] == pytest.approx(usage["tokens_cached"], rel=0.35)  # a token is not always four characters
    assert plan["cost_cached"] < 0.75 * plan["cost"]
    assert usage["cost"] < 0.75 * (usage["tokens_in"] * one.llm.prices()[0] + usage["tokens_out"] * one.llm.prices()[1])


def test_paper_prompt_shares_little(run, address):
    plan, usage = judge_usage(run, LLMJudge(model("anthropic/claude-sonnet-4-5", address), context="dialogue"))
    assert plan["tokens_cached"] == usage["tokens_cached"] == 0 and plan["cost_cached"] == plan["cost"]


def cached_tokens(address):
    """Return the tokens that the server has read from its cache and written to it."""
    stats = json.loads(urllib.request.urlopen(f"{address.removesuffix('/v1')}/stats").read())
    return stats.get("tokens_read", 0), stats.get("tokens_written", 0)


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        (LLMJudge, {"samples": 1, "behaviours": "empathy"}),  # one question per message
        (LLMJudge, {"sampling": "adaptive"}),  # samples are requested independently
        (TogetherJudge, {"samples": 1}),  # eight concurrent calls
    ],
)
def test_unused_prefix_is_not_marked(run, address, kind, how):
    claude, before = model(MODELS[2], address, max_concurrency=16), cached_tokens(address)
    one = kind(claude, context="dialogue", structured=False, **({"message_first": True} if kind is LLMJudge else {}))
    plan = estimate_jobs([judge.job(run, [one], **{"behaviours": BEHAVIOURS, **how})]).iloc[0]
    judge(run, [one], **{"behaviours": BEHAVIOURS, **how}, progress=False)
    one.rate("word " * 3000, Taxonomy.load()["empathy"])
    assert cached_tokens(address) == before and plan["tokens_cached"] == 0 and plan["cost_cached"] == plan["cost"]


@pytest.mark.parametrize(("name", "tokens"), [(MODELS[0], 32), (MODELS[2], 12)])  # and the length of its answers
def test_turns_share_earlier_turns(tmp_path, address, name, tokens):
    one, rng = model(name, address, max_tokens=tokens), random.Random(3)
    both = {"target": one, "user": one, "run": tmp_path / "run", "progress": False}
    settings = {"prompts": [" ".join(rng.choices(WORDS, k=number)) for number in (700, 1200)], "turns": 20}
    before = cached_tokens(address)
    plan = estimate_jobs([simulate.job(**settings, target=one, user=one, run=tmp_path / "planned")]).set_index("purpose")
    with simulate(**settings, **both) as run:
        usage, messages, dialogues = run.usage("purpose").set_index("purpose"), run.messages(), run.dialogues()
        read, written = (after - start for after, start in zip(cached_tokens(address), before, strict=True))
    ends = []  # of each model's prompts in each dialogue: the tokens that the server counts
    for row in dialogues.to_dict("records"):
        contents = messages[messages["dialogue_id"] == row["dialogue_id"]]
        contents = contents.sort_values(["turn", "role"], ascending=[True, False])["content"]
        lengths = contents.str.len().cumsum().tolist()
        template = len(row["system_user"]) + len("(The chat window is open.)")
        ends += [[length // 4 for length in lengths[0::2]], [(template + length) // 4 for length in lengths[1:-1:2]]]
    assert [len(prompts) for prompts in ends] == [20, 19, 20, 19]
    assert any(prompts[0] < 1024 < prompts[-2] for prompts in ends)
    expected = sum(end for prompts in ends for end in prompts[:-1] if end >= 1024)
    if name.startswith("anthropic"):
        assert usage["tokens_cached"].sum() == read == expected
        assert written == sum(prompts[-2] for prompts in ends)  # once each; nothing of the last request
    else:
        assert usage["tokens_cached"].sum() == pytest.approx(expected, rel=0.15)  # in blocks, and shared by dialogues
    assert plan.loc["all", "tokens_cached"] == pytest.approx(usage["tokens_cached"].sum(), rel=0.35)
    assert (plan["cost_cached"] < plan["cost"]).all()
    plain = sum(usage[f"tokens_{way}"].sum() * price for way, price in zip(("in", "out"), one.prices(), strict=True))
    assert usage["cost"].sum() < 0.7 * plain


def test_last_turns_are_not_marked(tmp_path, address):
    claude, before = model(MODELS[2], address), cached_tokens(address)
    for number, (start, turns) in enumerate([("Hello.", 5), ("Hello again, dear. " * 400, 1)]):
        simulate([start], claude, claude, run=tmp_path / str(number), turns=turns, progress=False)
    simulate([start], claude, claude, run=tmp_path / "1", turns=2, progress=False)  # after the cache has expired
    assert cached_tokens(address) == before


def test_together_judge_shares_definitions(run, address):
    one = TogetherJudge(model("openai/gpt-4o", address), context="user", structured=False)
    plan = estimate_jobs([judge.job(run, [one], samples=2)]).iloc[0]
    judge(run, [one], samples=2, progress=False)
    assert plan["tokens_cached"] > 0 and run.usage("model")["tokens_cached"][0] > 0


def test_mark_is_not_part_of_the_request():
    wire = RequestTranslator({"model": "anthropic/claude-sonnet-4-5", "api_key": "none", "max_tokens": 50})
    long = "A long dialogue. " * 300
    question = CachedPrefix(long, "Is it kind?")
    bodies = []
    for text in (question, str(question)):
        request = {"messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": text}]}
        bodies.append(json.loads(wire.encode(wire.form(request), request)))
    marked, plain = ([block for block in body["messages"][0]["content"]] for body in bodies)
    assert [block["text"] for block in marked] == [long, "Is it kind?"]
    assert marked[0]["cache_control"] == {"type": "ephemeral"} and "cache_control" not in marked[1]
    assert plain == [{"type": "text", "text": str(question)}]
    assert {**bodies[0], "messages": 0} == {**bodies[1], "messages": 0}


def test_short_prefixes_and_repeated_texts():
    wire = RequestTranslator({"model": "anthropic/claude-sonnet-4-5", "api_key": "none", "max_tokens": 50})

    def sent(*texts):
        roles = ["system", "user", "assistant", "user", "assistant", "user"]
        request = {"messages": [{"role": role, "content": text} for role, text in zip(roles, texts, strict=True)]}
        return wire.encode(wire.form(request), request)

    short, long = ("Go on.", "Be kind.", "Go on.", "Well.", "Go on."), "A long story. " * 400
    marked = ("Be brief.", *short[:2], CachedPrefix("Go on."), "Well.", CachedPrefix("Go on."))
    assert sent(*marked) == sent(*map(str, marked))
    for place in (3, 5):
        texts = [long.strip(), *short]
        texts[place] = CachedPrefix(texts[place])
        blocks = [message["content"] for message in json.loads(sent(*texts))["messages"]]
        assert [place for place, [block] in enumerate(blocks, 1) if "cache_control" in block] == [place]
        assert [block["text"] for [block] in blocks] == list(short)


@pytest.mark.parametrize("name", MODELS[2:])
def test_rubric_samples_share_the_case(tmp_path, address, name):
    before = cached_tokens(address)
    with Run(tmp_path / "run") as run:
        cases = load_cases("bundled")
        answers = bundled_answers()
        answers["content"] = answers["content"] + " " + "and so on " * 900
        add_answers(run, cases, answers)
        one = RubricJudge(model(name, address), max_attempts=1, structured=False)
        judge(run, one, samples=3, progress=False)
        usage = run.usage("model").iloc[0]
        assert usage["tokens_cached"] == pytest.approx(2 / 3 * usage["tokens_in"], rel=0.1)
        if name.startswith("anthropic"):
            after = cached_tokens(address)
            assert after[0] - before[0] == usage["tokens_cached"]
            judge(run, one, samples=4, progress=False)  # one more, whose prefix no other call has
            assert cached_tokens(address) == after
