"""The three families of the paper's judges, each in its own wire format: OpenAI's, Anthropic's, Gemini's."""

import pytest
from servers import mock_server

import anthrokit as ak
from anthrokit.core import SetupError
from anthrokit.core.run import usage_totals


@pytest.fixture(scope="module")
def families():
    """Makes models of a server that speaks Anthropic's and Gemini's formats."""
    with mock_server() as address:
        base = address.removesuffix("/v1")

        def model(name, **settings):
            family, _, short = name.partition("/")
            place = base if family == "anthropic" else f"{base}/v1beta/models/{short}"
            settings = {"api_key": "k3y-0123456789", "max_tokens": 100, "max_retries": 2, **settings}
            return ak.LLM(name, api_base=place, **settings)

        yield model


SAID, THOUGHT = "I would love that. I felt so happy last summer.", "The person wants to chat."


@pytest.mark.parametrize(
    ("name", "status", "content", "reasoning", "tokens", "attempts"),
    [
        ("anthropic/plain", "ok", SAID, None, (21, 9), 1),
        ("anthropic/thinker", "ok", SAID, THOUGHT, (21, 9), 1),
        ("anthropic/refuser", "refused", None, None, (21, 9), 1),
        ("anthropic/cut", "truncated", SAID, None, (21, 9), 1),
        ("anthropic/first-529", "ok", SAID, None, (21, 9), 2),
        ("anthropic/first-429", "ok", SAID, None, (21, 9), 2),
        ("gemini/plain", "ok", SAID, None, (21, 9), 1),
        ("gemini/thinker", "ok", SAID, THOUGHT, (21, 15), 1),
        ("gemini/refuser", "refused", None, None, (21, 9), 1),
        ("gemini/blocked", "refused", None, None, (21, 0), 1),
        ("gemini/cut", "truncated", SAID, None, (21, 9), 1),
        ("gemini/first-503", "ok", SAID, None, (21, 9), 2),
        ("gemini/first-429", "ok", SAID, None, (21, 9), 2),
    ],
)
def test_provider_formats(families, name, status, content, reasoning, tokens, attempts):
    answer = families(name).complete("Hello")
    outcome = (answer.status, answer.content, answer.reasoning, (answer.tokens_in, answer.tokens_out), answer.attempts)
    assert outcome == (status, content, reasoning, tokens, attempts)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("anthropic/always-401", "rejects the key .401.: invalid x-api-key"),
        ("anthropic/always-400", "asks for payment .400.: credit balance is too low"),
        ("gemini/always-400", "rejects the key .400.: API key not valid"),
    ],
)
def test_permanent_errors_stop(families, name, message):
    with pytest.raises(SetupError, match=message):
        families(name).complete("Hello")


def test_study_with_three_providers(families, server, tmp_path):
    """Target, user and judges of three families; a judge that refuses is missing, never No; every token is in the books."""
    target, user = families("anthropic/thinker-target"), families("gemini/thinker-user")
    prompts = ak.load_prompts().head(3)
    run = ak.simulate(prompts, target, user, run=tmp_path / "run", turns=2, progress=False)
    spoken = run.messages().query("role == 'assistant'")
    assert len(spoken) == 6 and set(spoken["reasoning"]) == {THOUGHT} and set(spoken["content"]) == {SAID}
    assert usage_totals(run)[1] == 6 * 30 + 3 * 36  # three of the user's messages are the prompts' own
    judges = [
        ak.LLMJudge(ak.LLM("openai/judge", api_base=server())),
        ak.LLMJudge(families("anthropic/judge")),
        ak.LLMJudge(families("gemini/thinker-judge")),
        ak.LLMJudge(families("gemini/refuser-judge")),
        ak.LLMJudge(families("anthropic/refuser-judge")),
    ]
    ak.judge(run, judges, behaviours=["empathy", "desires"], samples=1, progress=False)
    ratings = run.ratings().groupby("judge")["status"].agg(["size", "unique"])
    assert set(ratings["size"]) == {12}
    for judge in judges:
        assert list(ratings.loc[judge.name, "unique"]) == ["refused" if "refuser" in judge.name else "ok"]
    verdicts = run.ratings().groupby("judge")["verdict"]
    assert verdicts.apply(lambda one: one.isna().all())["gemini/refuser-judge"]
    assert verdicts.apply(lambda one: one.eq(True).all())["anthropic/judge"]
