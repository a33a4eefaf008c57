"""Whether the lean transport is LiteLLM's own call: what is sent and what is read, field by field, in every format."""

import json
from dataclasses import asdict, replace

import pytest
from aiohttp import web
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mock_openai import Server
from servers import served

from anthrokit.core import CallFailed, SetupError
from anthrokit.models import LLM
from anthrokit.models.transports import LEAN, import_litellm

OPENAI = ("openai/gpt-4o", "mistral/mistral-large-latest", "deepseek/deepseek-chat", "hosted_vllm/some-model")
ANTHROPIC, GEMINI, OLLAMA = ("anthropic/claude-sonnet-4-5",), ("gemini/gemini-2.5-pro",), ("ollama_chat/llama3.1",)
HELLO = [{"role": "user", "content": "Hello"}]


class Replay:
    """Answers every call with what it was told to, and keeps what came."""

    answer, came = (200, b"{}", {}), []

    @staticmethod
    async def respond(http):
        if http.method == "GET":  # 404 as at Anthropic's own address, which is given without /v1
            return web.json_response({"data": []}, status=404 if http.path == "/models" else 200)
        own = ("authorization", "x-api-key", "x-goog-api-key", "anthropic-version", "anthropic-beta", "x-own")
        sent = {name.lower(): value for name, value in http.headers.items() if name.lower() in own}
        if not http.path.endswith("/api/show"):  # which LiteLLM asks of an Ollama server beside
            Replay.came.append((http.raw_path, sent, await http.json()))
        status, body, headers = Replay.answer
        return web.Response(status=status, body=body, headers={"Content-Type": "application/json", **headers})


@pytest.fixture(scope="module")
def address():
    with served(Server(instead=Replay.respond)) as base:
        yield base.removesuffix("/v1")


def model(name, address, **more):
    path = {"anthropic": "", "gemini": f"/v1beta/models/{name.partition('/')[2]}", "ollama_chat": ""}
    base = address + path.get(name.partition("/")[0], "/v1")
    return LLM(name, api_base=base, api_key="k3y-0123456789", **{"max_retries": 0, "timeout": 20, **more})


def outcome(one, messages, **parameters):
    """What came of a call, but for the time it took."""
    try:
        return asdict(replace(one.complete(messages, **parameters), seconds=0.0))
    except (CallFailed, SetupError) as error:
        return type(error).__name__, str(error)


def both(name, address, answer, messages=HELLO, parameters=None, **more):
    """The outcomes by both transports, and what each sent."""
    Replay.answer, outcomes = answer, []
    for transport in ("lean", "litellm"):
        Replay.came.clear()
        one = model(name, address, transport=transport, **more).prepare()
        assert name.partition("/")[0] in LEAN  # other providers always use LiteLLM
        outcomes.append((outcome(one, messages, **(parameters or {})), list(Replay.came)))
    return outcomes


def openai_answer(message=None, finish="stop", usage=None, **more):
    message = {"role": "assistant", "content": "Yes.", **(message or {})}
    usage = {"prompt_tokens": 21, "completion_tokens": 9, "total_tokens": 30} if usage is None else usage
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "gpt-4o",
        "choices": [choice],
        "usage": usage,
    } | more


def anthropic_answer(content=None, reason="end_turn", usage=None, **more):
    content = [{"type": "text", "text": "Yes."}] if content is None else content
    usage = {"input_tokens": 21, "output_tokens": 9, **(usage or {})}
    response = {"id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_sequence": None}
    return response | {"content": content, "stop_reason": reason, "usage": usage} | more


def gemini_answer(parts=None, reason="STOP", usage=None, **more):
    usage = {"promptTokenCount": 21, "candidatesTokenCount": 9, "totalTokenCount": 30, **(usage or {})}
    candidate = {"content": {"role": "model", "parts": parts or [{"text": "Yes."}]}, "finishReason": reason, "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-2.5-pro"} | more


def ollama_answer(message=None, reason="stop", **more):
    message = {"role": "assistant", "content": "Yes.", **(message or {})}
    response = {"model": "llama3.1", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": True}
    return response | {"done_reason": reason, "prompt_eval_count": 21, "eval_count": 9} | more


THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk"}
CACHED = {
    "prompt_tokens": 2100,
    "completion_tokens": 9,
    "total_tokens": 2109,
    "prompt_tokens_details": {"cached_tokens": 2048},
}
ANSWERS = {
    OPENAI: {
        "plain": openai_answer(),
        "cut": openai_answer(finish="length"),
        "refused": openai_answer({"content": None, "refusal": "I can't help with that."}),
        "filtered": openai_answer({"content": ""}, "content_filter"),
        "empty": openai_answer({"content": None}),
        "thought": openai_answer({"reasoning_content": "Hm."}),
        "thought, otherwise": openai_answer({"reasoning": "Hm."}),
        "thought within": openai_answer({"content": "<think>Hm.</think>Yes."}),
        "cached": openai_answer(usage=CACHED),
        "thinking is paid": openai_answer(usage={**CACHED, "completion_tokens_details": {"reasoning_tokens": 5}}),
        "no usage": openai_answer(usage={}),
        "uncounted": {**openai_answer(), "usage": None},
        "nothing counted": openai_answer(usage={"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}),
        "absurd usage": openai_answer(usage={"prompt_tokens": 10**30, "completion_tokens": -5, "total_tokens": 1}),
        "dated model": openai_answer(model="gpt-4o-2024-11-20"),
        "unknown model": openai_answer(model="quick"),
        "other end": openai_answer(finish="eos"),
        "broke off": openai_answer(finish="error"),
        "no choices": openai_answer(choices=[]),
        "no finish": openai_answer(finish=None),
        "nothing": {},
        "an error": {"error": {"message": "Upstream failed", "code": 502}},
    },
    ANTHROPIC: {
        "plain": anthropic_answer(),
        "cut": anthropic_answer(reason="max_tokens"),
        "thought": anthropic_answer([THOUGHT, {"type": "text", "text": "Yes."}]),
        "two texts": anthropic_answer([{"type": "text", "text": "Yes"}, {"type": "text", "text": ", it does."}]),
        "refused": anthropic_answer([], "refusal"),
        "refused midway": anthropic_answer(reason="refusal"),
        "empty": anthropic_answer([]),
        "cached": anthropic_answer(usage={"cache_read_input_tokens": 2048, "cache_creation_input_tokens": 1024}),
        "stopped": anthropic_answer(reason="stop_sequence"),
        "dated model": anthropic_answer(model="claude-sonnet-4-5-20250929"),
        "unknown model": anthropic_answer(model="quick"),
        "nothing": {},
    },
    GEMINI: {
        "plain": gemini_answer(),
        "cut": gemini_answer(reason="MAX_TOKENS"),
        "thought": gemini_answer([{"text": "Hm.", "thought": True}, {"text": "Yes."}], usage={"thoughtsTokenCount": 6}),
        "refused": {**gemini_answer(), "candidates": [{"finishReason": "SAFETY", "index": 0}]},
        "recited": {**gemini_answer(), "candidates": [{"finishReason": "RECITATION", "index": 0}]},
        "blocked": {
            "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
            "usageMetadata": {"promptTokenCount": 21, "totalTokenCount": 21},
            "modelVersion": "gemini-2.5-pro",
        },
        "cached": gemini_answer(usage={"promptTokenCount": 2100, "cachedContentTokenCount": 2048}),
        "nothing said": {**gemini_answer(), "candidates": [{"finishReason": "STOP", "index": 0}]},
        "no candidates": {**gemini_answer(), "candidates": []},
        "other version": gemini_answer(modelVersion="gemini-2.5-pro-002"),
        "nothing": {},
    },
    OLLAMA: {
        "plain": ollama_answer(),
        "cut": ollama_answer(reason="length"),
        "thought": ollama_answer({"thinking": "Hm."}),
        "thought within": ollama_answer({"content": "<think>Hm.</think>Yes."}),
        "empty": ollama_answer({"content": ""}),
        "uncounted": {
            name: value for name, value in ollama_answer().items() if name not in ("eval_count", "prompt_eval_count")
        },
        "nothing": {},
    },
}
TABLE = [
    pytest.param(name, answer, id=f"{name.partition('/')[0]}: {what}")
    for names, answers in ANSWERS.items()
    for name in names
    for what, answer in answers.items()
]


@pytest.mark.parametrize(("name", "answer"), TABLE)
def test_responses_equal_litellm(address, name, answer):
    (lean, sent), (whole, sent_whole) = both(name, address, (200, json.dumps(answer).encode(), {}))
    assert sent == sent_whole
    if isinstance(whole, dict):
        assert lean == whole
    else:  # unreadable by either; tried again by either, each in its own words
        assert lean[0] == whole[0] == "CallFailed" and all(
            message.endswith("(after 1 attempt)") for _, message in (lean, whole)
        )


FELT, ANSWER = "The user seems lonely. I feel sad for them.", "This program has no feelings."
HARMONY = "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>{}"
TYPED = [{"type": "thinking", "thinking": [{"type": "text", "text": FELT}]}, {"type": "text", "text": ANSWER}]
QUIRKS = {  # what servers in public sent: the message or body, and the status, content and reasoning that it means
    "reasoning in vLLM's field": ({"content": ANSWER, "reasoning": FELT}, "ok", ANSWER, FELT),
    "only reasoning": ({"content": None, "reasoning": FELT}, "empty", None, FELT),
    "no content at all": ({"content": "", "reasoning_content": FELT}, "empty", None, FELT),
    "Magistral's parts": ({"content": TYPED}, "ok", ANSWER, FELT),
    "a text part": ({"content": TYPED[1:]}, "ok", ANSWER, None),
    "a string part": ({"content": [ANSWER]}, "ok", ANSWER, None),
    "an untyped part": ({"content": [{"text": ANSWER}]}, "ok", ANSWER, None),
    "an output_text part": ({"content": [{"type": "output_text", "text": ANSWER}]}, "ok", ANSWER, None),
    "only a thinking part": ({"content": TYPED[:1]}, "empty", None, FELT),
    "[THINK]": ({"content": f"[THINK]{FELT}[/THINK]{ANSWER}"}, "ok", ANSWER, FELT),
    "harmony": ({"content": HARMONY.format(FELT, ANSWER)}, "ok", ANSWER, FELT),
    "harmony, stripped": ({"content": f"analysis{FELT}assistantfinal{ANSWER}"}, "ok", ANSWER, FELT),
    "opened by the prompt": ({"content": f"{FELT}</think>\n{ANSWER}"}, "ok", ANSWER, FELT),
    "opened by the prompt, without thoughts": ({"content": f"</think>\n\n{ANSWER}"}, "ok", ANSWER, None),
    "<Think >": ({"content": f"<Think >{FELT}</Think>\n{ANSWER}"}, "ok", ANSWER, FELT),
    "kimi": ({"content": f"◁think▷{FELT}◁/think▷{ANSWER}"}, "ok", ANSWER, FELT),
    "cut while thinking": ({"content": f"<seed:think>{FELT}"}, "empty", None, FELT),
    "two blocks": ({"content": f"<think>{FELT}</think>\n<think>{FELT}</think>{ANSWER}"}, "ok", ANSWER, f"{FELT}\n{FELT}"),
    "quoted": ({"content": "Put `<think>` first."}, "ok", "Put `<think>` first.", None),
    "legacy text": ({"choices": [{"text": ANSWER, "index": 0, "finish_reason": "stop"}]}, "ok", ANSWER, None),
    "choices out of order": (
        {"choices": [{"index": 1, "message": {"content": "B"}}, {"index": 0, "message": {"content": "A"}}]},
        "ok",
        "A",
        None,
    ),
    "Azure's filter": (
        {"choices": [{"index": 0, "finish_reason": "content_filter", "message": {"role": "assistant"}}]},
        "refused",
        None,
        None,
    ),
    "blank": ({"content": " \u200b\n"}, "empty", None, None),
}


@pytest.mark.parametrize("transport", ["lean", "litellm"])
@pytest.mark.parametrize("name", [*OPENAI, "openrouter/a/model", "groq/some-model"])
@pytest.mark.parametrize("quirk", QUIRKS)
def test_server_quirks(address, name, quirk, transport):
    sent, *expected = QUIRKS[quirk]
    body = openai_answer(**sent) if "choices" in sent else openai_answer(sent)
    Replay.answer = 200, json.dumps(body).encode(), {}
    answer = model(name, address, transport=transport).complete(HELLO)
    assert [answer.status, answer.content, answer.reasoning] == expected


STOPS = {
    "ok": ("stop", "eos", "eos_token", "end_turn", "stop_sequence", None, "COMPLETE"),
    "truncated": ("length", "max_tokens", "MAX_TOKENS", "model_length", "max_output_tokens", "pause_turn", "incomplete"),
    "refused": ("content_filter", "refusal", "SAFETY", "sensitive", "guardrail_intervened"),
}


@pytest.mark.parametrize("transport", ["lean", "litellm"])
def test_stop_reasons_agree(address, transport, caplog):
    one = model("openai/gpt-4o", address, transport=transport)
    for status, reasons in STOPS.items():
        for reason in reasons:
            Replay.answer = 200, json.dumps(openai_answer(finish=reason)).encode(), {}
            assert one.complete(HELLO).status == status, reason
    assert not [record for record in caplog.records if "table of stop reasons" in record.message]
    for reason in ("error", "network_error", "insufficient_system_resource"):
        Replay.answer = 200, json.dumps(openai_answer(finish=reason)).encode(), {}
        with pytest.raises(CallFailed, match="broke off"):
            one.complete(HELLO)
    Replay.answer = 200, json.dumps(openai_answer(finish=f"odd-{transport}")).encode(), {}
    answer = one.complete(HELLO)
    assert (answer.status, answer.finish_reason) == ("ok", f"odd-{transport}")
    assert any(f"odd-{transport}" in record.message for record in caplog.records)


@pytest.mark.parametrize("transport", ["lean", "litellm"])
@pytest.mark.parametrize(
    ("name", "answer", "status"),
    [
        ("anthropic/claude-sonnet-4-5", anthropic_answer(reason="model_context_window_exceeded"), "truncated"),
        ("anthropic/claude-sonnet-4-5", anthropic_answer(reason="pause_turn"), "truncated"),
        ("anthropic/claude-sonnet-4-5", anthropic_answer(reason="stop_sequence"), "ok"),
        ("gemini/gemini-2.5-pro", gemini_answer(reason="MAX_TOKENS"), "truncated"),
        ("gemini/gemini-2.5-pro", gemini_answer(reason="SPII"), "refused"),
        ("ollama_chat/llama3.1", ollama_answer(reason="length"), "truncated"),
        ("ollama_chat/llama3.1", ollama_answer({"content": ""}, reason="load"), "empty"),
        ("zai/glm-4.6", openai_answer(finish="model_context_window_exceeded"), "truncated"),
        ("openrouter/a/model", openai_answer(finish="model_length"), "truncated"),
    ],
)
def test_other_stop_reasons(address, name, answer, status, transport):
    Replay.answer = 200, json.dumps(answer).encode(), {}
    assert model(name, address, transport=transport).complete(HELLO).status == status


@pytest.mark.parametrize(("tokens", "reason", "status"), [(4, "MAX_TOKENS", "truncated"), (3, "COMPLETE", "ok")])
def test_hidden_truncation(address, tokens, reason, status):
    """LiteLLM states "stop" for every answer of Cohere, and does not hand on its body."""
    usage = {"tokens": {"input_tokens": 21, "output_tokens": tokens}}
    message = {"role": "assistant", "content": [{"type": "text", "text": "A walk in the"}]}
    body = {"id": "x", "finish_reason": reason, "message": message, "usage": usage}
    Replay.answer = 200, json.dumps(body).encode(), {}
    one = LLM("cohere_chat/command-a", api_base=f"{address}/v2/chat", api_key="k3y-0123456789", max_tokens=4)
    assert one.complete(HELLO).status == status
    assert LLM("cohere_chat/command-a", api_base=f"{address}/v2/chat", api_key="k3y-0123456789").complete(HELLO).status == "ok"


TOO_LONG = "The number of tokens to keep from the initial prompt is greater than the context length. Load the model anew"
IN_200 = [  # the body of a 200 response, what the error says, and how often it is asked
    ({"error": TOO_LONG}, "longer than the model's context", 1),
    ({"error": {"message": "Provider returned error", "code": 502}, "user_id": "u"}, "502: Provider returned error", 2),
    ({"error": {"message": "Rate limited upstream", "code": 429}}, "429: Rate limited upstream", 2),
    ({"error": "The model is loading"}, "error in a 200 response: The model is loading", 2),
    ({"object": "error", "message": TOO_LONG, "code": 400}, "longer than the model's context", 1),
    (openai_answer({"content": "I am"}, "error") | {"error": {"message": "upstream died"}}, "upstream died", 2),
    ({"error": {"message": "Bad key", "code": "invalid_api_key"}}, "rejects the key", 1),
    ({"object": "error", "message": "The model `x` does not exist.", "code": 404}, "there is no model", 1),
    ({"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}, "choices": None}, "asks for payment", 1),
]


BY_ALL = [("openai/gpt-4o", "lean"), *((name, "litellm") for name in ("openai/gpt-4o", "gemini/gemini-2.5-pro"))]
BY_ALL += [(f"{provider}/m", "lean") for provider in ("lm_studio", "openrouter", "together_ai", "groq", "fireworks_ai")]


@pytest.mark.parametrize(("name", "transport"), BY_ALL)
@pytest.mark.parametrize(("body", "says", "times"), IN_200, ids=str)
def test_error_in_a_200_response(address, body, says, times, name, transport, monkeypatch):
    monkeypatch.setattr("anthrokit.models.llm.pause_before_next", lambda *_: 0.0)
    Replay.answer = 200, json.dumps(body).encode(), {}
    Replay.came.clear()
    with pytest.raises((CallFailed, SetupError), match=says):
        model(name, address, max_retries=1, transport=transport).complete(HELLO)
    assert len(Replay.came) == times


@pytest.mark.parametrize(("name", "transport"), BY_ALL[:2] + BY_ALL[3:])
@pytest.mark.parametrize("error", [None, {}, {"message": "", "code": ""}, {"code": 0, "message": "success"}])
def test_empty_error_beside_an_answer(address, error, name, transport):
    Replay.answer = 200, json.dumps(openai_answer() | {"error": error}).encode(), {}
    Replay.came.clear()
    assert model(name, address, transport=transport).complete(HELLO).content == "Yes."
    assert len(Replay.came) == 1


@pytest.mark.parametrize(("name", "transport"), [("openai/gpt-4o", "lean"), ("openai/gpt-4o", "litellm"), BY_ALL[4]])
def test_stream_with_two_choices(address, name, transport):
    def piece(index, text, finish=None):
        choice = {"index": index, "delta": {"content": text}, "finish_reason": finish}
        return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    pieces = [piece(1, "No"), piece(0, "Ye"), piece(1, "w"), piece(0, "s.", "stop"), piece(1, "", "stop")]
    stream = "".join(f"data: {json.dumps(one)}\n\n" for one in pieces) + "data: [DONE]\n\n"
    Replay.answer = 200, stream.encode(), {"Content-Type": "text/event-stream"}
    assert model(name, address, transport=transport).complete(HELLO, show=str).content == "Yes."


def test_long_headers(address, monkeypatch):
    """An answer whose head can't be read may be billed."""
    monkeypatch.setattr("anthrokit.models.llm.pause_before_next", lambda *_: 0.0)
    Replay.answer = 200, json.dumps(openai_answer()).encode(), {"X-Debug": "a" * 9_000}
    assert model("openai/gpt-4o", address).complete(HELLO).content == "Yes."
    Replay.answer = 200, json.dumps(openai_answer()).encode(), {"X-Debug": "a" * 90_000}
    with pytest.raises(CallFailed, match="a response that is not valid HTTP"):
        model("openai/gpt-4o", address, max_retries=1).complete(HELLO)


@pytest.mark.parametrize("before", [b"\n\n\n", b": keep-alive\n\n", b": OPENROUTER PROCESSING\n\n: again\n\n"])
def test_keep_alive_events(address, before):
    Replay.answer = 200, before + json.dumps(openai_answer()).encode(), {}
    assert model("openai/gpt-4o", address).complete(HELLO).content == "Yes."


ERRORS = [
    (400, {"error": {"message": "Invalid value in messages", "type": "invalid_request_error"}}, {}),
    (400, {"error": {"message": "The response was filtered by the content policy."}}, {}),
    (
        400,
        {"type": "error", "error": {"type": "invalid_request_error", "message": "Your credit balance is too low"}},
        {},
    ),
    (400, {"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}, {}),
    (400, {"error": {"message": "prompt is too long: 208310 tokens > 200000 maximum"}}, {}),
    (401, {"error": {"message": "Incorrect API key provided"}}, {}),
    (402, {"error": {"message": "Insufficient Balance"}}, {}),
    (403, {"error": {"message": "Permission denied"}}, {}),
    (404, {"error": {"message": "The model does not exist"}}, {}),
    (413, {"error": {"message": "Request too large"}}, {}),
    (429, {"error": {"message": "Rate limit reached"}}, {}),
    (429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}, {}),
    (500, {"error": {"message": "The server had an error"}}, {}),
    (503, {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}, {}),
    (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, {}),
]


@pytest.mark.parametrize("name", OPENAI[:2] + ANTHROPIC + GEMINI + OLLAMA)
def test_errors_equal_litellm(address, name):
    for status, body, headers in ERRORS:
        (lean, _), (whole, _) = both(name, address, (status, json.dumps(body).encode(), headers))
        if isinstance(whole, dict):
            assert lean["status"] == whole["status"] == "refused"
            continue
        assert lean[0] == whole[0], (status, body)
        assert str(lean[1]).partition(":")[0] == str(whole[1]).partition(":")[0], (status, body)


SAID = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=60).filter(str.strip)
TURNS = st.lists(SAID, min_size=1, max_size=5).map(
    lambda said: [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(said)]
)
PARAMETERS = st.fixed_dictionaries(
    {},
    optional={
        "temperature": st.sampled_from([0.0, 0.7]),
        "max_tokens": st.integers(1, 500),
        "seed": st.integers(0, 9**9),
    },
)


@pytest.mark.parametrize(
    "name", OPENAI + ANTHROPIC + GEMINI + OLLAMA + ("openai/o3-mini", "openai/gpt-5", "ollama/llama3.1")
)
def test_requests_equal_litellm(address, name):
    """Any dialogue with any parameters: the same address, key and body."""
    Replay.answer = 200, b"{}", {}
    ways = [model(name, address, transport=transport) for transport in ("lean", "litellm")]

    @settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
    @given(TURNS, st.none() | SAID, PARAMETERS)
    def same(turns, system, parameters):
        messages = ([{"role": "system", "content": system}] if system else []) + turns
        sent = []
        for way in ways:
            Replay.came.clear()
            outcome(way, messages, **parameters)
            sent.append(Replay.came[:1])
        assert sent[0] == sent[1] and sent[0]

    same()


SCHEMA = {
    "type": "json_schema",
    "json_schema": {
        "name": "verdict",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"verdict": {"type": "string"}},
            "required": ["verdict"],
            "additionalProperties": False,
        },
    },
}


@pytest.mark.parametrize("name", OPENAI + ANTHROPIC + GEMINI + OLLAMA)
def test_extra_options(address, name):
    answers = {"anthropic": anthropic_answer(), "gemini": gemini_answer(), "ollama_chat": ollama_answer()}
    answer = 200, json.dumps(answers.get(name.partition("/")[0], openai_answer())).encode(), {}
    for more, parameters in (
        ({"extra_headers": {"X-Own": "1"}}, {}),
        ({"extra_body": {"top_k": 4}}, {}),
        ({"stop": ["END"]}, {"response_format": SCHEMA, "seed": 3}),
    ):
        (lean, sent), (whole, sent_whole) = both(name, address, answer, parameters=parameters, **more)
        assert (lean, sent) == (whole, sent_whole), more


def test_schema_by_tool_call(address):
    used = {"type": "tool_use", "id": "t", "name": "json_tool_call", "input": {"verdict": "Yes"}}
    answer = 200, json.dumps(anthropic_answer([used], "tool_use")).encode(), {}
    (lean, _), (whole, _) = both(
        "anthropic/claude-3-haiku-20240307", address, answer, parameters={"response_format": SCHEMA}
    )
    assert lean == whole and json.loads(lean["content"]) == {"verdict": "Yes"}


@pytest.mark.parametrize(
    ("name", "answer", "tier", "price"),
    [
        ("openai/gpt-5", {"service_tier": "flex"}, "flex", "_flex"),
        ("openai/gpt-5", {}, "flex", "_flex"),
        ("openai/gpt-5", {"service_tier": "default"}, "flex", ""),
        ("openai/gpt-5", {"service_tier": "priority"}, "auto", "_priority"),
        ("openai/gpt-5", {"service_tier": "priority"}, None, "_priority"),
        ("openai/gpt-5", {"service_tier": ["flex"]}, None, ""),
        ("gemini/gemini-2.5-flash", {}, "flex", "_flex"),
    ],
)
def test_service_tier_cost(address, name, answer, tier, price):
    """By what the provider says it was answered in, else by what was asked for; so is what a call is reckoned to take."""
    plain = name.partition("/")[2]
    response = gemini_answer(modelVersion=plain) if "gemini" in name else openai_answer(model=plain)
    replay, settings = (200, json.dumps({**response, **answer}).encode(), {}), {"service_tier": tier} if tier else {}
    (lean, sent), (whole, sent_whole) = both(name, address, replay, **settings)
    table = import_litellm().model_cost[plain if "gpt" in name else name]
    cost = 21 * table[f"input_cost_per_token{price}"] + 9 * table[f"output_cost_per_token{price}"]
    assert lean == whole and sent == sent_whole and lean["cost"] == pytest.approx(cost)
    assert model(name, address, service_tier="flex").prices()[0] < model(name, address).prices()[0]


def test_litellm_callbacks(address, monkeypatch):
    """Requests go LiteLLM's way as soon as somebody wants its log."""
    from anthrokit.models import transports

    went = []
    monkeypatch.setattr(transports, "_has_listeners", lambda _: True)
    monkeypatch.setattr(transports, "_by_litellm", lambda ready, request, show=None: went.append(request) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model("openai/gpt-4o", address).complete("Hello")
    assert went[0]["messages"] == HELLO


def test_absurd_parts_of_tokens_have_no_price_of_their_own(address):
    usage = {"prompt_tokens": 21, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 10**9}}
    Replay.answer = 200, json.dumps(openai_answer(usage=usage)).encode(), {}
    assert (model("openai/gpt-4o", address).complete(HELLO).cost or 0) < 0.001


def test_no_redirect_is_followed(address):
    """The other address would receive the key."""
    Replay.answer = 307, b"", {"Location": f"{address}/other"}
    Replay.came.clear()
    with pytest.raises(SetupError, match=r"redirects to .*/other. Give its address as api_base"):
        model("anthropic/claude-sonnet-4-5", address).complete(HELLO)
    assert {path for path, *_ in Replay.came} == {"/v1/messages"}
