"""Processes that start at once: forks of one that has imported what takes seconds. They are killed as any other.

`Fork(function, *arguments)` has what tests use of `subprocess.Popen`; the function stands in a module of tests/support.
All workers share one server of forks, this file as a script (`share`).
"""

import contextlib
import importlib
import multiprocessing.forkserver
import os
import runpy
import signal
import subprocess
import sys
import tempfile

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["warm"])


def share(address):
    """Have multiprocessing ask the server of forks at this address, instead of one of its own."""
    server = multiprocessing.forkserver._forkserver
    server._forkserver_address, server.ensure_running = address, lambda: None
    server._forkserver_alive_fd = os.open(os.devnull, os.O_RDONLY)  # each fork is given one; the server ends with its stdin


def _run(function, arguments, errors, environment):
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    multiprocessing.forkserver._forkserver.ensure_running = lambda: None  # its own forks come from the same server
    if errors is not None:
        os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), sys.stderr.fileno())
    signal.signal(signal.SIGINT, signal.default_int_handler)
    function(*arguments)


class Fork:
    """A process that does `function(*arguments)`; its stderr goes to the file `errors`."""

    def __init__(self, function, *arguments, errors=None):
        process_arguments = (function, arguments, errors and str(errors), dict(os.environ))
        self._process = CONTEXT.Process(target=_run, args=process_arguments, daemon=True)
        self._process.start()
        self.pid = self._process.pid

    def poll(self):
        return self._process.exitcode

    @property
    def returncode(self):
        return self.poll()

    def wait(self, timeout=60):
        self._process.join(timeout)
        assert self.poll() is not None, f"it did not end within {timeout} s"
        return self.poll()

    def send_signal(self, number):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)
        self.wait()


def _type(arguments, folder, environment, outputs):
    """What the script `anthrokit` does, there and with these variables; its stdout and stderr go into two files."""
    from anthrokit.cli import main

    for number, file in enumerate(outputs, 1):
        os.dup2(os.open(file, os.O_WRONLY), number)
    os.chdir(folder or os.getcwd())
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["anthrokit", *arguments]
    sys.exit(main())


def begin_command(arguments, cwd, env, outputs):
    """As `subprocess.Popen(['anthrokit', *arguments])`, in a fork; its stdout and stderr go into two files."""
    for file in outputs:
        open(file, "w").close()
    return Fork(_type, arguments, cwd and str(cwd), env, outputs)


def run_command(arguments, cwd=None, env=None):
    """As `subprocess.run(['anthrokit', *arguments], capture_output=True, text=True)`, in a fork."""
    with tempfile.TemporaryDirectory() as folder:
        outputs = [os.path.join(folder, name) for name in ("out", "err")]
        code = begin_command(arguments, cwd, env or dict(os.environ), outputs).wait(600)
        return subprocess.CompletedProcess(arguments, code, *[open(file, encoding="utf-8").read() for file in outputs])


def run_script(file, log):
    """As `python file` in its folder; its output goes into the file `log`. Workers that Dask starts have its environment."""
    for number in (1, 2):
        os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    os.chdir(os.path.dirname(file))
    sys.argv = [file]
    multiprocessing.current_process()._config["daemon"] = False  # it may have children
    with contextlib.suppress(ImportError):
        importlib.import_module("dask").config.set({"distributed.nanny.environ": dict(os.environ)})
    runpy.run_path(file, run_name="__main__")


if __name__ == "__main__":  # serve LISTENER
    import warm  # noqa: F401

    alive = os.dup(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # nobody reads what forks say
    multiprocessing.forkserver.main(int(sys.argv[2]), alive, None)
