"""The mock server as a process of its own, for modules that share one or start several."""

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "mock_openai.py"


@contextmanager
def mock_server(*arguments):
    """Start tests/mock_openai.py with these arguments; its base URL."""
    process = subprocess.Popen([sys.executable, SCRIPT, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
