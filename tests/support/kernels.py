"""Kernels that start at once: forks of one process that has imported what notebooks import.

A kernel of its own takes two to five seconds of a processor until pandas and anthrokit are imported, and the tests
start a hundred of them. `ForkedKernels(folder)` makes a kernelspec *python3* in a folder for JUPYTER_PATH. What Jupyter
starts and kills is a small process that asks the server for a fork; it ends when the fork ends, and the fork with it.
The process that starts all workers starts the servers, each one for all workers; they end when it ends, killed or not.
"""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

INLINE = "module://matplotlib_inline.backend_inline"
WARM = """
anthrokit.analysis anthrokit.core anthrokit.figures anthrokit.heartbench anthrokit.judging anthrokit.models
anthrokit.panels anthrokit.report anthrokit.simulation anthrokit.validity anywidget ipykernel.debugger ipykernel.ipkernel
ipykernel.kernelapp ipywidgets IPython.core.oinspect IPython.extensions.storemagic litellm.litellm_core_utils.default_encoding
matplotlib.pyplot pandas.io.formats.style pdb pingouin pooch pyarrow.parquet pytest scipy.stats
seaborn sklearn.linear_model spacy statsmodels.api tornado.platform.asyncio
transformers.models.llama.modeling_llama transformers.models.bert.modeling_bert
""".split()


class Server:
    """Its process, which begins `python script serve LISTENER` when one first asks; that Python need not be there before."""

    def __init__(self, folder: Path, script: str, python: Path | str = sys.executable, env: dict[str, str] | None = None):
        folder.mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", __file__, "listen", address(folder), script, python],
            env=(env or dict(os.environ)) | {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "TMPDIR": str(folder)},
            stdin=subprocess.PIPE,  # it ends with the process that holds the other end
            stdout=subprocess.PIPE,
            stderr=(folder / "log").open("wb"),
        )
        assert self.process.stdout.readline() == b"listening\n", "the server of processes ended"

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class ForkedKernels(Server):
    """The server of kernels, and its kernelspec."""

    def __init__(self, folder: Path, python: Path | str = sys.executable, env: dict[str, str] | None = None):
        super().__init__(folder, __file__, python, (env or dict(os.environ)) | {"MPLBACKEND": INLINE})
        spec = {
            "argv": [sys.executable, "-I", "-S", __file__, "kernel", address(folder), "-f", "{connection_file}"],
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "metadata": {"debugger": True},
        }
        (folder / "jupyter" / "kernels" / "python3").mkdir(parents=True)
        (folder / "jupyter" / "kernels" / "python3" / "kernel.json").write_text(json.dumps(spec))


def address(folder: Path) -> str:
    """Where the server of that folder listens."""
    return str(folder / "socket")


def wait(folder: Path) -> str:
    """Until the server of that folder has imported all; its folder for JUPYTER_PATH."""
    with socket.socket(socket.AF_UNIX) as asking, contextlib.suppress(ConnectionError, TimeoutError):
        asking.settimeout(600)
        asking.connect(address(folder))
        asking.shutdown(socket.SHUT_WR)
        if asking.recv(5) == b"ready":
            return str(folder / "jupyter")
    log = (folder / "log").read_text()
    raise RuntimeError(f"the server of kernels ended, or isn't ready after ten minutes: {log}")


def run_notebook(notebook, folder: Path) -> None:
    """Run a notebook in that folder, on a kernel that is killed at the end."""
    import nbclient

    how = {"timeout": 900, "kernel_name": "python3", "shutdown_kernel": "immediate"}
    nbclient.NotebookClient(notebook, resources={"metadata": {"path": str(folder)}}, **how).execute()


def import_all() -> None:
    import gc
    import importlib

    gc.disable()
    for name in WARM:
        room = importlib.import_module(name)
        if name.startswith("anthrokit"):  # names are loaded when they are first used
            for one in dir(room):
                with contextlib.suppress(ImportError):  # an extra is not installed
                    getattr(room, one)
    from matplotlib import pyplot

    from anthrokit import report
    from anthrokit.models.english import english_pipeline

    pyplot._REPL_DISPLAYHOOK = pyplot._ReplDisplayHook.IPYTHON  # or each figure is drawn once more, before it is shown
    report.demo_files()
    english_pipeline()
    assert threading.active_count() == 1, threading.enumerate()  # a fork has no other thread
    gc.collect()
    gc.freeze()  # no fork looks through it for garbage, which would copy its every page
    gc.set_threshold(10_000, 20)
    gc.enable()


def listen(address: str, script: str, python: str) -> None:
    """Be the server, by that script on that Python, when one first asks."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen(16)
        sys.stdout.write("listening\n")
        sys.stdout.flush()
        asked_for(listening)
        listening.set_inheritable(True)
        os.execv(python, [python, script, "serve", str(listening.fileno())])


def asked_for(listening: socket.socket) -> None:
    """Until one asks; the end, when the process that started this one has ended."""
    if 0 in select.select([listening, 0], [], [])[0]:
        sys.exit()


def serve(listener: str) -> None:
    """Fork a kernel for each that asks."""
    import_all()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(fileno=int(listener)) as listening:
        listening.set_inheritable(False)
        while True:
            asked_for(listening)
            asking, _ = listening.accept()
            if os.fork() == 0:
                listening.close()
                become_kernel(asking)
            asking.close()


def become_kernel(asking: socket.socket) -> None:
    """Be the kernel that was asked for, until the process that asked ends."""
    import tempfile

    import numpy as np

    line = asking.makefile("r").readline()
    if not line:
        asking.sendall(b"ready")
        os._exit(0)
    wanted = json.loads(line)
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)  # nobody reads the server's pipe, which fills up after a hundred
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(wanted["environment"])
    tempfile.tempdir = None  # the server's; the kernel has one of its own in TMPDIR
    os.chdir(wanted["folder"])
    np.random.seed()  # noqa: NPY002  (the state that the fork has in common with all others)
    asking.sendall(f"{os.getpid()}\n".encode())

    def end_with_it() -> None:
        asking.recv(1)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=end_with_it, daemon=True).start()
    os.environ.pop("JPY_PARENT_PID", None)  # it isn't our parent, whose end would be ours
    sys.argv = ["ipykernel_launcher.py", *wanted["arguments"]]
    sys.path[:] = [place for place in sys.path if Path(place) != Path(__file__).parent]
    further = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:0] = [path for path in further if path and path not in sys.path]
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()
    os._exit(0)


def kernel(address: str, *arguments: str) -> None:
    """What Jupyter takes for the kernel."""
    wanted = {"arguments": arguments, "folder": os.getcwd(), "environment": dict(os.environ)}
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(address)
        asking.sendall(json.dumps(wanted).encode() + b"\n")
        process = int(asking.makefile("r").readline())
        signal.signal(signal.SIGINT, lambda *_: os.kill(process, signal.SIGINT))
        asking.recv(1)


if __name__ == "__main__":
    {"listen": listen, "serve": serve, "kernel": kernel}[sys.argv[1]](*sys.argv[2:])
