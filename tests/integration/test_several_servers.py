"""A model at several addresses, of which one fails; and the first check of servers that answer oddly."""

import asyncio
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from anthrokit.core import SetupError
from anthrokit.models import LLM
from anthrokit.models.loop import wait_for

CHAT = {"model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]}


class Odd(BaseHTTPRequestHandler):
    """A server whose class attributes say how it answers."""

    protocol_version, status, seconds, check = "HTTP/1.1", 200, 0.0, None

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.check is None:
            self.send(200)
        else:
            self.close_connection = True
            self.check()

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        status, seconds = self.status, self.seconds
        time.sleep(seconds)
        self.send(status)

    def send(self, status, headers=()):
        data = json.dumps(CHAT if status == 200 else {"error": {"message": "engine queue is full"}}).encode()
        self.send_response(status)
        for name, value in (("Content-Type", "application/json"), ("Content-Length", len(data)), *headers):
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)


class Quiet(ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 100

    def handle_error(self, *_):  # the client has gone
        pass


@pytest.fixture
def start():
    """Start a server with these attributes; return its handler and its address."""
    servers = []

    def one(**how):
        handler = type("Handler", (Odd,), how)
        servers.append(Quiet(("127.0.0.1", 0), handler))
        threading.Thread(target=servers[-1].serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return handler, f"http://127.0.0.1:{servers[-1].server_port}/v1"

    yield one
    for server in servers:
        server.shutdown()
        server.server_close()


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
        leaving.status, leaving.seconds = 503, 0.0  # those under way end well
        later = [one.acomplete(f"Later {number}") for number in range(60)]
        return await asyncio.gather(*first, *later)

    assert {answer.status for answer in wait_for(both())} == {"ok"}


def drip(handler):
    """Send a body without end."""
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b" ")
        time.sleep(0.2)


def mislabel(handler):
    """Send a body that is not compressed as the header says."""
    handler.send(200, [("Content-Encoding", "gzip")])


def close(handler):
    """Close the connection without a response, as some servers do for an unknown path."""


def test_endless_headers(start):
    """A server whose headers never end is one that doesn't answer."""

    def drip_headers(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
        while True:
            handler.wfile.write(b"a")
            time.sleep(0.2)

    with pytest.raises(SetupError, match=r"no server answers at .* \(TimeoutError\)"):
        LLM("openai/m", api_base=start(check=drip_headers)[1]).complete("Hello")


@pytest.mark.parametrize("check", [drip, mislabel, close])
def test_first_check(start, check):
    """Only whether a server answers matters, not the body of its list of models."""
    started = time.monotonic()
    assert LLM("openai/m", api_base=start(check=check)[1]).complete("Hello").content == "Hi"
    assert time.monotonic() - started < 60
