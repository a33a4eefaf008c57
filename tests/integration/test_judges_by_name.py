"""Judges given by the name of a model, wherever a function takes judges: real requests to a server on localhost."""

import tempfile
from importlib.util import find_spec

import pandas as pd
import pytest

import anthrokit as ak
from anthrokit.validity import align, check_against_people, perceived
from anthrokit.validity.judge_biases import style_effects

BEHAVIOURS = ["emotions", "desires"]


@pytest.fixture
def name(server, monkeypatch):
    """The name of a model at a server that answers as the prompt asks."""
    monkeypatch.setenv("OPENAI_API_BASE", server())
    monkeypatch.setenv("OPENAI_API_KEY", "none-needed")
    return "openai/by-name"


@pytest.fixture
def people():
    messages = ak.demo_run().messages().query("role == 'assistant'").head(24)
    truth = [len(text) % 2 == 0 for text in messages["content"]]
    cells = {"item_id": range(24), "cluster": [f"c{number // 2}" for number in range(24)], "user": None}
    return pd.DataFrame(cells | {"message": messages["content"].to_list(), "truth": truth, "people": [[one] * 3 for one in truth]})


def test_perceived_scores(name):
    table = perceived(["I feel so sad today.", "Turn left at the corner.", "I want to meet you."], judges=name)
    assert table["estimate"].notna().all() and set(table["scale"]) == {"labels"}
    assert table["estimate"].nunique() > 1


def test_style_effects(name):
    table = style_effects(name)
    assert table["estimate"].notna().any() and set(table["judge"]) == {name}


def test_check_against_people(name, people):
    table = check_against_people(people, name, BEHAVIOURS, n_resamples=20)
    assert name in set(table["judge"]) and table["estimate"].notna().any()


def test_align(name, people):
    judge = align(name, people.drop(columns="people"), "emotions", n_resamples=20)
    assert set(judge.split["split"]) >= {"tuning", "test"} and judge.report["n"].max() > 0


@pytest.mark.skipif(find_spec("inspect_scout") is None, reason="needs Scout")
def test_scout_with_a_model_as_judge(server, monkeypatch):
    """The provider of anthrokit for Inspect needs no openai >= 3.4, which LiteLLM does not allow."""
    from inspect_ai.model import get_model
    from inspect_scout import scan, transcripts_from

    from anthrokit.io import read_scan, scanners, write_inspect

    model = get_model("anthrokit/openai/judge", base_url=server(), api_key="none")
    with tempfile.TemporaryDirectory() as folder, ak.demo_run() as run:
        log = write_inspect(run, f"{folder}/logs/demo.eval")
        options = {"scans": f"{folder}/scans", "display": "none", "max_processes": 1, "model_roles": {"judge": model}}
        status = scan(scanners(BEHAVIOURS, samples=1), transcripts_from(f"{folder}/logs"), **options)
        ratings = read_scan(status.location, log).ratings().query("behaviour in @BEHAVIOURS")
        ratings = ratings[~ratings["judge"].isin(run.judges()["judge"])]  # without those of the log
    assert status.complete and len(ratings) == 2 * 80 and ratings["verdict"].notna().mean() > 0.9
