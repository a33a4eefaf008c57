"""What is loaded when it is first used may be used by many threads, and by many processes, at once."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

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
def test_eight_threads_use_it_first_at_once(what):
    if what in NEEDED and not find_spec(NEEDED[what]):
        pytest.skip(f"{NEEDED[what]} is not installed")
    process = start(THREADS.format(use=USES[what]))
    out, err = process.communicate(timeout=600)
    assert out.endswith("used\n"), err
