"""The mock server, as a process of its own or in a thread of this one."""

import asyncio
import contextlib
import queue
import sys
import threading
from pathlib import Path

from aiohttp import web
from forks import CONTEXT, Fork

sys.path.append(str(Path(__file__).parents[1]))
import mock_openai


@contextlib.contextmanager
def mock_server(*arguments):
    """Start tests/mock_openai.py with these arguments; its base URL."""
    receiver, sender = CONTEXT.Pipe(duplex=False)
    process = Fork(mock_openai.main, [str(argument) for argument in arguments], sender.send)
    sender.close()
    try:
        with receiver:
            yield receiver.recv()
    finally:
        process.kill()


@contextlib.contextmanager
def served(server):
    """Start a `mock_openai.Server` in a thread of this process, so that a test can change and read it; its base URL."""
    runner, address = asyncio.Runner(), queue.Queue()
    loop = runner.get_loop()

    def run():
        with runner, contextlib.suppress(asyncio.CancelledError):
            runner.run(mock_openai.serve(server, 0, False, address.put))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield address.get(timeout=60)
    finally:
        tasks = asyncio.all_tasks(loop)  # the server, and responses without end
        loop.call_soon_threadsafe(lambda: [task.cancel() for task in tasks])
        thread.join()


@contextlib.contextmanager
def served_folder(folder):
    """Serve the files of a folder; the address of the folder."""

    async def file(http):
        path = folder / http.path.lstrip("/")
        return web.FileResponse(path) if path.is_file() else None

    with served(mock_openai.Server(instead=file)) as base:
        yield base.removesuffix("/v1")
