"""What a user sees of servers that are slow, silent or behind a router, and of models without a system role."""

import asyncio
import time

import pytest
from aiohttp import web
from mock_openai import Server

import anthrokit as ak
from anthrokit.core import CallFailed, Run, SetupError
from anthrokit.models import LLM, limits
from anthrokit.models.faults import Fault
from anthrokit.models.loop import wait_for
from anthrokit.models.meter import Meter, Request


class Plain(Server):
    """Says yes, records requests, and has the headers of a router."""

    def __init__(self, latency=0.0, system_role=True):
        super().__init__(latency, instead=self.respond)
        self.system_role, self.headers, self.came = system_role, {}, []

    def answer(self, _):
        return "Yes."

    async def respond(self, http):
        if http.method == "GET":
            return None
        body = await http.json()
        self.came.append(body)
        if not self.system_role and any(message["role"] == "system" for message in body["messages"]):
            return self.error(400, "System role not supported", "BadRequestError")
        return web.json_response(self.body_of(body, None), headers=self.headers) if self.headers else None


def test_concurrency_adapts(monkeypatch):
    pace, late = limits.Server(), Fault("timeout", "no answer within 120 seconds")
    pace.in_flight = 16
    for _ in range(16):  # the calls of one moment time out together
        pace.leave(0.0, False, late)
    assert pace.window == 8
    pace.in_flight, clock = 8, time.monotonic()
    monkeypatch.setattr(limits.time, "monotonic", lambda: clock + 2)  # a second window of timeouts
    pace.leave(0.0, False, late)
    monkeypatch.undo()
    assert pace.window == 4
    for _ in range(40):
        pace.enter()
        pace.leave(time.monotonic(), True, None)
    assert pace.window > 8


def test_slow_server_advice(serve, tmp_path, caplog, monkeypatch):
    """Timeouts are counted, reported with the remedy, and recorded as estimated calls."""
    monkeypatch.setattr("anthrokit.models.llm.pause_before_next", lambda *_: 0.0)
    slow = LLM("openai/slow", api_base=serve(Plain(0.5)), timeout=0.2, max_retries=2, max_concurrency=1)
    with Run(tmp_path / "run") as run:
        meter = Meter(run)
        with pytest.raises(CallFailed, match="no answer within 0.2 seconds .after 3 attempts"):
            wait_for(meter.call(Request(slow, slow.as_sent("Hello"), "u", "target")))
        assert slow.timed_out == 3
        statuses = [row[0] for row in run.ledger.rows("SELECT status FROM calls ORDER BY call")]
        assert statuses == ["estimated"] * 3 + ["failed"]
        assert meter.estimated == meter.tokens > 3000
        assert Meter(run).estimated == meter.estimated  # a later session knows it too
    [warning] = [record.message for record in caplog.records if "timed out" in record.message]
    for word in ("3 calls to openai/slow", "0.2 seconds", "max_tokens", "max_concurrency", "--timeout", "--concurrency"):
        assert word in warning


class SlowFirst(Plain):
    """Responds to its first request after five seconds."""

    async def respond(self, http):
        response = await super().respond(http)
        await asyncio.sleep(5 * (len(self.came) == 1))
        return response


def test_progress_line(serve, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("anthrokit.models.llm.pause_before_next", lambda *_: 0.0)
    slow = LLM("openai/slow", api_base=serve(SlowFirst()), timeout=1, max_tokens=50)
    ak.simulate(ak.load_prompts().head(1), target=slow, user=slow, run=tmp_path / "run", turns=1).close()
    line = capsys.readouterr().err
    assert " of them estimated" in line and " calls timed out (set a larger timeout" in line


@pytest.mark.parametrize("transport", ["lean", "litellm"])
def test_unreachable_host(transport, monkeypatch, caplog):
    """A provider's own address isn't tried beforehand; its first call must not retry for a minute."""
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")  # where nobody listens
    lost = LLM("openai/gpt-4o", api_key="sk-0123456789", transport=transport)
    start = time.monotonic()
    with pytest.raises(SetupError, match="no connection to the server of openai/gpt-4o.*Check the network"):
        lost.complete("Hello")
    assert time.monotonic() - start < 60  # seven seconds on an idle machine, and the import of LiteLLM
    assert any("The call is retried" in record.message for record in caplog.records)


def test_patience_with_a_known_server(serve, monkeypatch):
    monkeypatch.setattr("anthrokit.models.llm.pause_before_next", lambda *_: 0.0)
    one = LLM("openai/some-model", api_base=serve(Plain()))
    assert one.complete("Hello").content == "Yes."
    fault = Fault("unreachable", "connection refused")

    async def fails(*_):
        raise fault

    monkeypatch.setattr("anthrokit.models.transports.Endpoint.call", fails)
    with pytest.raises(CallFailed, match="after 7 attempts"):
        one.complete("Hello")


TALK = [{"role": "system", "content": "You are Ada."}, {"role": "user", "content": "Hello"}]


def test_no_system_role(serve):
    """The error names the option; with it the system text begins the first user message."""
    address = serve(plain := Plain(system_role=False))
    with pytest.raises(SetupError, match=r"System role not supported.*pass LLM\(…, system_role=False\)"):
        LLM("openai/gemma", api_base=address).complete(TALK)
    plain.came.clear()
    for transport in ("lean", "litellm"):
        one = LLM("openai/gemma", api_base=address, system_role=False, transport=transport)
        assert one.complete(TALK).content == "Yes."
        assert plain.came[-1]["messages"] == [{"role": "user", "content": "You are Ada.\n\nHello"}]
    assert one.complete([*TALK[:1], {"role": "assistant", "content": "Hi"}, TALK[1]]).content == "Yes."
    assert [message["role"] for message in plain.came[-1]["messages"]] == ["user", "assistant", "user"]


def test_persona_without_system_role(serve, tmp_path):
    """A whole simulation with a strict template, for the target and for the user model."""
    address = serve(plain := Plain(system_role=False))
    strict = [LLM(f"openai/{name}", api_base=address, system_role=False) for name in ("target", "user")]
    prompts = ak.load_prompts().head(1)
    run = ak.simulate(
        prompts, target=strict[0], user=strict[1], run=tmp_path / "run", turns=2, system_target="Be kind.", progress=False
    )
    assert run.dialogues()["status"].tolist() == ["done"]
    assert all(message["role"] != "system" for body in plain.came for message in body["messages"])
    assert any("Be kind." in body["messages"][0]["content"] for body in plain.came)


@pytest.mark.parametrize("transport", ["lean", "litellm"])
def test_served_model_behind_a_router(serve, transport, caplog):
    one = LLM("openai/judge-routed", api_base=serve(plain := Plain()), transport=transport)
    served = []
    for deployment in ("7f3a9c", "11bb22"):
        plain.headers = {"x-litellm-model-id": deployment, "x-litellm-response-cost": "0.002"}
        answer = one.complete("Hello")
        served.append(answer.served_model)
        assert answer.cost == 0.002
    assert served == ["judge-routed-2026 (7f3a9c)", "judge-routed-2026 (11bb22)"]
    assert sum("answered by a router" in record.message for record in caplog.records) >= 1
    plain.headers = {}
    assert one.complete("Hello").served_model == "judge-routed-2026"
