"""Gateways as processes that can be killed and started again at once: forks of one that has imported all they need."""

import os
import signal
import socket
import time
import urllib.request

from forks import Fork


def _serve(folder, port, environment):
    os.environ.update(environment)
    from anthrokit.study import serve

    serve(folder, port=port)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Served:
    """A gateway process."""

    def __init__(self, study, environment=None, port=None):
        self.study, self.port, self.environment = study, port or free_port(), environment or {}
        self.url, self.process = f"http://127.0.0.1:{self.port}", None
        self.start()

    def start(self):
        self.process = Fork(_serve, self.study.folder, self.port, self.environment)
        for _ in range(6000):
            assert self.process.poll() is None, "the gateway did not start"
            try:
                with urllib.request.urlopen(f"{self.url}/alive", timeout=5):
                    return
            except OSError:
                time.sleep(0.05)
        raise TimeoutError("the gateway does not answer")

    def stop(self):
        """Send SIGTERM; return the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait()

    def kill(self):
        """Kill -9."""
        self.process.kill()
