"""First use of everything that is loaded lazily: by eight threads, and by four processes with empty caches, at once."""

import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest

from anthrokit.core.files import cache_folder

THREADS = """
import threading, traceback
use = lambda: ({use})
start, errors = threading.Barrier(8), []

def first():
    start.wait()
    try:
        use()
    except BaseException:
        errors.append(traceback.format_exc())

threads = [threading.Thread(target=first) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert not errors, errors[0]
print("used")
"""
MAKE = """
import time
from anthrokit.models.embedded import _cached_folder

def make(workshop):
    print("made")
    (workshop / "model").mkdir()
    for number in range(20):
        (workshop / "model" / f"part-{number}").write_text("weights")
        time.sleep(0.01)
    return workshop / "model"

assert len(list(_cached_folder("a-model", make).iterdir())) == 21
"""
ASK = "__import__('anthrokit').LLM('local/smollm2-135m-instruct').complete('Hi', max_tokens=2)"
USES = {
    "the package": "[getattr(__import__('anthrokit'), name) for name in __import__('anthrokit').__all__]",
    "OpenVINO": "__import__('anthrokit.models.embedded', fromlist=['_']).import_openvino()",
    "torch": "__import__('anthrokit.models.embedded', fromlist=['_']).load_embedded()",
    "the embedded model": ASK,
    "the encoder": "__import__('anthrokit.judging.offline', fromlist=['_'])._encoder()",
    "the adapted encoder": "__import__('anthrokit.judging.offline', fromlist=['_'])._adapted()",
    "spaCy": "__import__('anthrokit.models.english', fromlist=['_']).english_pipeline()('I think so.')",
    "LiteLLM": "__import__('anthrokit').LLM('openai/m', api_key='none').prepare()",
    "fonts": "__import__('anthrokit').plot_profile(__import__('anthrokit').profile(__import__('anthrokit').demo_run().labels()))",
}
NEEDED = {"OpenVINO": "openvino_genai", "torch": "torch", "the embedded model": "torch", "spaCy": "spacy"}
NEEDED |= dict.fromkeys(["the encoder", "the adapted encoder"], "torch")


def start(code):
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
@pytest.mark.parametrize("what", USES)
def test_first_use_by_threads(what):
    if what in NEEDED and not find_spec(NEEDED[what]):
        pytest.skip(f"{NEEDED[what]} is not installed")
    process = start(THREADS.format(use=USES[what]))
    out, err = process.communicate(timeout=600)
    assert out.endswith("used\n"), err


@pytest.fixture
def empty_caches(tmp_path, monkeypatch):
    """Make every cache empty, except for the files of models that were fetched before."""
    fetched = [folder for folder in cache_folder().glob("*/") if (folder / "hashes.json").is_file()]
    for name in ("ANTHROKIT_CACHE", "MPLCONFIGDIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for folder in fetched:
        if "openvino" not in folder.name:  # converted from a fetched file: each process needs it converted
            shutil.copytree(folder, tmp_path / "ANTHROKIT_CACHE" / folder.name)


def use_in_four_processes(code):
    """Run code in four fresh interpreters at once. Return their outputs and errors."""
    processes = [start(f'{code}\nprint("used")') for _ in range(4)]
    return [process.communicate(timeout=600) for process in processes]


@pytest.mark.slow
@pytest.mark.parametrize("what", USES)
def test_first_use_by_processes(what, empty_caches):
    if what in NEEDED and not find_spec(NEEDED[what]):
        pytest.skip(f"{NEEDED[what]} is not installed")
    for out, err in use_in_four_processes(USES[what]):
        assert out.endswith("used\n"), err


def test_model_folder_made_once(empty_caches):
    outputs = use_in_four_processes(MAKE)
    assert all(out.endswith("used\n") for out, _ in outputs), outputs
    assert sum(out.count("made") for out, _ in outputs) == 1
