"""A model at several addresses, of which one fails; and the first check of servers that answer oddly."""

import asyncio
import time

import pytest
from aiohttp import web
from mock_openai import Server

from anthrokit.core import SetupError
from anthrokit.models import LLM
from anthrokit.models.loop import wait_for


@pytest.fixture
def start(serve):
    """start(status=429) serves a mock server whose calls have this status; the server and its address."""

    def one(status=200, seconds=0.0, check=None):
        async def oddly(http):
            if http.method == "GET":
                return check and await check(http)
            text = {"error": {"message": "engine queue is full"}}
            return web.json_response(text, status=server.status) if server.status != 200 else None

        server = Server(latency=seconds, instead=oddly)
        server.status = status
        return server, serve(server)

    return one


@pytest.mark.parametrize(("status", "seconds"), [(429, 0), (503, 0), (404, 0), (200, 60)])
def test_one_server_fails(start, status, seconds):
    """All calls are answered by the other server, and the failing one is left alone."""
    bad, good = start(status=status, seconds=seconds)[1], start()[1]
    one = LLM("openai/m", api_base=[bad, good], max_retries=0, timeout=1, max_concurrency=4)

    async def many(count):
        return await asyncio.gather(*(one.acomplete(f"Hello {number}") for number in range(count)))

    one.complete("Hello")
    started = time.monotonic()
    answers = wait_for(many(30))
    assert {answer.server for answer in answers} == {good} and sum(answer.attempts - 1 for answer in answers) < 12
    assert time.monotonic() - started < 55  # the hanging server answers after a minute
    failing, working = one.limiter.servers
    assert failing.failures >= 2 and working.failures == 0 and working.window == float("inf")


def test_no_server_has_the_model(start, capsys):
    """The run stops at once if every server says that it has no such model. No notice promises that others take its calls."""
    one = LLM("openai/m", api_base=[start(status=404)[1] for _ in range(2)], max_retries=5)
    with pytest.raises(SetupError, match="there is no model openai/m"):
        one.complete("Hello")
    assert one.limiter.servers[0].failures and one.limiter.servers[1].failures
    assert capsys.readouterr().err.count("The other servers take its calls meanwhile") == 1


def test_server_shuts_down(start):
    """Answers to old requests don't hide that a server rejects the new ones."""
    leaving, address = start(seconds=0.5)
    one = LLM("openai/m", api_base=[address, start(seconds=0.2)[1]], max_retries=1, max_concurrency=20)

    async def both():
        first = [asyncio.create_task(one.acomplete(f"Hello {number}")) for number in range(20)]
        await asyncio.sleep(0.3)
        leaving.status = 503  # those under way end well
        later = [one.acomplete(f"Later {number}") for number in range(60)]
        return await asyncio.gather(*first, *later)

    assert {answer.status for answer in wait_for(both())} == {"ok"}


async def drip(http):
    """Send a body without end."""
    response = web.StreamResponse()
    await response.prepare(http)
    while True:
        await response.write(b" ")
        await asyncio.sleep(0.2)


async def drip_headers(http):
    """Send headers without end."""
    http.transport.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while True:
        http.transport.write(b"a")
        await asyncio.sleep(0.2)


async def mislabel(_):
    """Send a body that is not compressed as the header says."""
    return web.Response(text='{"data": []}', headers={"Content-Encoding": "gzip"})


async def close(http):
    """Close the connection without a response, as some servers do for an unknown path."""
    http.transport.close()
    return web.Response()


def test_endless_headers(start):
    """A server whose headers never end is one that doesn't answer."""
    with pytest.raises(SetupError, match=r"no server answers at .* \(TimeoutError\)"):
        LLM("openai/m", api_base=start(check=drip_headers)[1]).complete("Hello")


@pytest.mark.parametrize("check", [drip, mislabel, close])
def test_first_check(start, check):
    """Only whether a server answers matters, not the body of its list of models."""
    started = time.monotonic()
    assert LLM("openai/m", api_base=start(check=check)[1]).complete("Hello").content
    assert time.monotonic() - started < 60
