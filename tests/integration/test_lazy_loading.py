"""First use of everything that is loaded lazily: by processes of four threads at once, with empty caches."""

import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest

from anthrokit.core.files import cache_folder

USE = """
import threading

def repeat(use):
    start, errors = threading.Barrier(4), []

    def first():
        start.wait()
        try:
            use()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=first) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    for error in errors:
        raise error
"""
MAKE = """
import time
from anthrokit.models.embedded import cached_folder

def make(workshop):
    print("made")
    (workshop / "model").mkdir()
    for number in range(20):
        (workshop / "model" / f"part-{number}").write_text("weights")
        time.sleep(0.01)
    return workshop / "model"

assert len(list(cached_folder("a-model", make).iterdir())) == 21
"""
ASK = "__import__('anthrokit').LLM('local/smollm2-135m-instruct').complete('Hi', max_tokens=2)"
USES = {
    "OpenVINO": "__import__('anthrokit.models.embedded', fromlist=['_']).import_openvino()",
    "torch": "__import__('anthrokit.models.embedded', fromlist=['_']).load_embedded()",
    "the embedded model": ASK,
    "the encoder": "__import__('anthrokit.judging.offline', fromlist=['_']).embed(['I think so.'])",
    "the adapted encoder": "__import__('anthrokit.judging.offline', fromlist=['_']).adapted_encoder()",
    "spaCy": "__import__('anthrokit.models.english', fromlist=['_']).english_pipeline()('I think so.')",
    "LiteLLM": "__import__('anthrokit').LLM('openai/m', api_key='none').prepare()",
    "fonts": "__import__('anthrokit').plot_profile(__import__('anthrokit').profile(__import__('anthrokit').demo_run().labels()))",
    "the package": "[getattr(__import__('anthrokit'), name) for name in __import__('anthrokit').__all__]",
}
NEEDED = {"OpenVINO": "openvino_genai", "torch": "torch", "the embedded model": "torch", "spaCy": "spacy"}
NEEDED |= dict.fromkeys(["the encoder", "the adapted encoder"], "torch")


@pytest.fixture
def empty_caches(tmp_path, monkeypatch):
    """Make every cache empty, except for the files of models that were fetched before."""
    fetched = [folder for folder in cache_folder().glob("*/") if (folder / "hashes.json").is_file()]
    for name in ("ANTHROKIT_CACHE", "MPLCONFIGDIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for folder in fetched:
        if "openvino" not in folder.name:  # converted from a fetched file: each process needs it converted
            shutil.copytree(folder, tmp_path / "ANTHROKIT_CACHE" / folder.name)


def use_in_processes(*codes):
    """Run each code in a fresh interpreter, all at once. Return their outputs and errors."""
    commands = [[sys.executable, "-c", f'{code}\nprint("used")'] for code in codes]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    processes = [subprocess.Popen(command, text=True, **pipes) for command in commands]
    return [process.communicate(timeout=600) for process in processes]


@pytest.mark.slow
def test_first_use(empty_caches):
    """One object after the other, the package's names last: each use loads what no earlier one has.

    The second process uses those that write into a cache.
    """
    uses = {what: f"repeat(lambda: {use})\n" for what, use in USES.items() if find_spec(NEEDED.get(what, "anthrokit"))}
    cached = [use for what, use in uses.items() if what in ("torch", "the embedded model", "fonts")]
    for out, err in use_in_processes(*("".join([USE, *each]) for each in (uses.values(), cached))):
        assert out.endswith("used\n"), err


def test_model_folder_made_once(empty_caches):
    outputs = use_in_processes(*[MAKE] * 4)
    assert all(out.endswith("used\n") for out, _ in outputs), outputs
    assert sum(out.count("made") for out, _ in outputs) == 1
