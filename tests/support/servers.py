"""The mock server as a process of its own, for modules that share one or start several."""

import sys
from contextlib import contextmanager
from pathlib import Path

from forks import CONTEXT, Fork

sys.path.append(str(Path(__file__).parents[1]))
import mock_openai


@contextmanager
def mock_server(*arguments):
    """Start tests/mock_openai.py with these arguments; its base URL."""
    heard, tell = CONTEXT.Pipe(duplex=False)
    process = Fork(mock_openai.main, [str(argument) for argument in arguments], tell.send)
    tell.close()
    try:
        with heard:
            yield heard.recv()
    finally:
        process.kill()
