"""The released protocol in a run: without the authors' package, and with packages of its two shapes."""

import json
import sys

import pandas as pd
import pytest

from anthrokit.judging import LLMJudge, Released, import_messages, judge
from anthrokit.models import LLM

CLASSIFIER = """
class LLMClassifier:
    def __init__(self, classifier_llm_config, cue_name, cue_definition_text=None, cue_examples_list=None):
        self.text = cue_definition_text
    def rate_turn_messages(self, cue, assistant_turn_message, user_turn_message):
        prompt = f"verdict on {self.text}: {user_turn_message} / {assistant_turn_message}"
        return 1, self.llm_client.generate([{"role": "user", "content": prompt}])
"""
DEFINED = {"emotions": {"definition": "moods", "examples": []}, "personal pronoun use": {}}
CHAT = pd.DataFrame({"user": ["How was it?", "Why?"], "assistant": ["I loved it.", "It moved me."]})


@pytest.fixture(params=["current", "older"])
def package(request, tmp_path):
    """The interface of the authors' package, its definitions where they are now or where they were until May 2025."""
    folder = tmp_path / "packages" / "anthro_benchmark" / "classifier"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("")
    (folder / "__init__.py").write_text(CLASSIFIER)
    if request.param == "current":
        (folder / "cue_definitions.py").write_text(f"CUE_DEFINITIONS = {DEFINED}")
    else:
        (folder / "cues.json").write_text(json.dumps(DEFINED))
        (folder / "rating.py").write_text(f"DEFAULT_CUE_DETAILS_FILE = {str(folder / 'cues.json')!r}")
    yield folder.parent.parent
    for name in [name for name in sys.modules if name.startswith("anthro_benchmark")]:
        del sys.modules[name]


def prompts_and_settings(run, one, monkeypatch):
    """Judge a run; return the prompts and the judge's saved settings."""
    prompts, request = [], one.request

    def record(*arguments):
        messages = request(*arguments)
        prompts.append(messages[0]["content"])
        return messages

    monkeypatch.setattr(one, "request", record)
    judge(run, [one], samples=3, behaviours="emotions", progress=False)
    assert run.ratings()["status"].eq("ok").all() and len(run.ratings()) == 6
    return set(prompts), json.loads(run.query("SELECT settings FROM judges")["settings"][0])


def imported(server, tmp_path):
    """Return a run with two messages, and a model to judge them."""
    model = LLM("openai/judge", api_base=server())
    run = import_messages(CHAT, tmp_path / "run")
    return run, model


def test_with_inspect_package(server, tmp_path, monkeypatch, package):
    """The package's prompts are used, installed or as a checkout."""
    run, model = imported(server, tmp_path)
    checkout = LLMJudge(model, protocol=Released(package))
    monkeypatch.syspath_prepend(str(package))
    installed = LLMJudge(model, protocol="released")
    assert checkout.settings == installed.settings and installed.settings["wording"] == "anthro_benchmark"
    prompts, settings = prompts_and_settings(run, installed, monkeypatch)
    assert prompts == {"verdict on moods: How was it? / I loved it.", "verdict on moods: Why? / It moved me."}
    assert settings["protocol"] == "released"


def test_without_inspect_package(server, tmp_path, monkeypatch):
    """Without the package, anthrokit's prompts are used, and the settings say so."""
    run, model = imported(server, tmp_path)
    prompts, settings = prompts_and_settings(run, LLMJudge(model, protocol="released"), monkeypatch)
    assert len(prompts) == 2 and all("semicolon" in text for text in prompts)
    assert any("How was it?" in text and "I loved it." in text for text in prompts)
    assert (settings["protocol"], settings["wording"]) == ("released", "ours")
