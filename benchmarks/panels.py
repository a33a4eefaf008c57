"""How long each panel takes to appear and to follow its controls, and how much it sends to the browser.

    python benchmarks/panels.py [--base-prompts 120] [--clock wall]

A study of one target is made in memory: 960 dialogues x 5 turns x 14 behaviours x 9 ratings, with messages and
reasons, and for the rubric panel the 296 cases of a HeartBench with 4 models and 3 judges. Then each panel is made
and shown, and every filter of it is used. Times are of the kernel: what the browser waits for before
it can draw; on a machine with other work, --clock processor leaves the others out. Bytes are what the widgets'
messages hold, as JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from unittest import mock

import comm
import ipywidgets as widgets
import numpy as np
import pandas as pd

JUDGES, SAMPLES, MODELS, CASES, CRITERIA = 3, 3, 4, 296, 16
WORDS = "I am glad you told me this and it makes sense that the week felt long so let us look at it together".split()


def make_study(base_prompts: int = 120) -> dict[str, pd.DataFrame]:
    """Messages, ratings and labels of one target: eight dialogues of five turns a base prompt."""
    from anthrokit import analysis

    random = np.random.default_rng(1)
    labels = analysis.simulate_labels(1, base_prompts=base_prompts, carry_over=0.3, judges=JUDGES, seed=1)
    labels = labels.drop(columns="truth")
    texts = [" ".join(random.choice(WORDS, 60)) for _ in range(500)]
    key = labels[["dialogue_id", "turn", "behaviour"]]
    parts = []
    for judge in range(JUDGES):
        for sample in range(1, SAMPLES + 1):
            verdict = labels[f"synthetic judge {judge + 1}"].mask(random.random(len(key)) < 0.02)
            status = np.where(verdict.isna(), "refused", "ok")
            reasons = np.array(texts)[random.integers(0, len(texts), len(key))]
            rating = {"judge": f"synthetic judge {judge + 1}", "sample": sample, "verdict": verdict}
            parts.append(key.assign(**rating, explanation=reasons, status=status))
    turns = labels.drop_duplicates(["dialogue_id", "turn"])
    about = ["target", "dialogue_id", "prompt_id", "turn"]
    messages = pd.concat([turns[about].assign(role=role) for role in ("user", "assistant")])
    messages = messages.sort_values(["dialogue_id", "turn", "role"], ascending=[True, True, False])
    ratings = pd.concat(parts).sort_values([*key, "judge", "sample"], ignore_index=True)
    messages["content"] = np.array(texts)[random.integers(0, len(texts), len(messages))]
    return {"messages": messages, "ratings": ratings, "labels": labels}


def make_rubrics(n_cases: int = CASES) -> dict[str, object]:
    """Cases of the shape of HeartBench with the answers of some models and the verdicts of some judges."""
    from anthrokit.heartbench import Case, Cases, Criterion
    from anthrokit.heartbench.cases import load_abilities

    random, abilities = np.random.default_rng(2), load_abilities()["ability"].tolist()
    text = " ".join(WORDS)
    cases = []
    for number in range(n_cases):
        chosen = random.choice(abilities, CRITERIA - 1)
        criteria = [
            Criterion(k + 1, name, float(random.integers(1, 6)), text) for k, name in enumerate(chosen)
        ]
        dialogue = tuple((("user", "helper")[turn % 2], text) for turn in range(7))
        difficulty, scene = ("normal", "hard")[number % 2], f"scene {number % 5}"
        other = Criterion(CRITERIA, "Other", None, text)
        cases.append(Case(f"case {number}", dialogue, (*criteria, other), difficulty, scene))
    index = pd.MultiIndex.from_product(
        [
            [f"model {k}" for k in range(MODELS)],
            [case.case_id for case in cases],
            range(1, CRITERIA + 1),
            [f"judge {k}" for k in range(JUDGES)],
        ],
        names=["target", "case_id", "criterion", "judge"],
    )
    ratings = index.to_frame(index=False).assign(sample=1, reason=text)
    ratings["verdict"] = pd.array(random.random(len(ratings)) < 0.5, dtype="boolean")
    ratings.loc[ratings["criterion"] == CRITERIA, "verdict"] = False
    answers = ratings[["target", "case_id"]].drop_duplicates().assign(content=" ".join([text] * 8))
    return {"cases": Cases(cases), "ratings": ratings, "answers": answers}


def uses(panel, most: int = 3) -> list[tuple[str, dict]]:
    """What a reader does: every filter set to so many values and back, and steps through the list."""
    filters = []
    for one in panel.filters:
        if one.kind == "choice":
            values = [value for value, _ in one.options if value != one.usual][:most]
        else:
            values = {"text": ["glad"], "tick": [True], "many": [[one.options[0][0]]] if one.options else []}
            values = values.get(one.kind, [])
        for value in [*values, one.usual] if values else []:
            filters.append((one.label, {"act": "choose", "value": {one.name: value}}))
    filters += [("next", {"act": "step", "value": 1})] * most
    return [*filters, ("scroll", {"act": "rows", "value": 100})]


CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}


def measure(make, clock: str = "wall", most: int = 3) -> pd.DataFrame:
    """Milliseconds and bytes of a panel's first paint, and of the uses of each of its filters."""
    now, rows, sent = CLOCKS[clock], [], []

    def publish_msg(comm, msg_type, data=None, metadata=None, buffers=None, **keys) -> None:
        sent.append(len(json.dumps([data, metadata], default=str).encode()))  # the encoding is part of the time

    def timed(what: str, act) -> None:
        sent.clear()
        began = now()
        html = act()
        took = 1000 * (now() - began)
        rows.append({"what": what, "ms": took, "bytes": sum(sent) + len(str(html or "").encode())})

    def first_paint():
        panels.append(make())
        return panels[0]._repr_mimebundle_()

    panels: list[widgets.Widget] = []
    with mock.patch.object(comm.DummyComm, "publish_msg", publish_msg):
        timed("first paint", first_paint)
        for what, content in uses(panels[0], most):
            timed(what, lambda content=content: panels[0].receive(content))
        panels[0].close()
    return pd.DataFrame(rows)


def summary(times: pd.DataFrame) -> pd.DataFrame:
    """A row a control: how often it was used, milliseconds (median and longest), most bytes."""
    parts = times.groupby("what", sort=False)
    times = parts["ms"].agg(uses="size", median="median", longest="max")
    return times.assign(bytes=parts["bytes"].max()).round({"median": 0, "longest": 0}).astype(int)


def panels(base_prompts: int = 120, n_cases: int = CASES) -> dict[str, object]:
    """What makes each panel, by its name; the data are in memory."""
    import anthrokit
    from anthrokit.panels.rubric import Rubrics
    from anthrokit.panels.source import RunSource

    study = make_study(base_prompts)
    source, rubrics = RunSource(study), Rubrics(make_rubrics(n_cases))
    answers = study["messages"].query("role == 'assistant'").head(280).rename(columns={"content": "message"})
    sheet = answers.assign(behaviour="empathy")[["dialogue_id", "turn", "behaviour", "message"]]
    return {
        "DialoguePanel": lambda: anthrokit.DialoguePanel(source),
        "DisagreementPanel": lambda: anthrokit.DisagreementPanel(source),
        "EmergencePanel": lambda: anthrokit.EmergencePanel(source),
        "RubricPanel": lambda: anthrokit.RubricPanel(rubrics),
        "AnnotationPanel": lambda: anthrokit.AnnotationPanel(sheet, annotator="Ada"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--base-prompts", type=int, default=120)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    options = parser.parse_args()
    made = panels(options.base_prompts)
    measure(made["DialoguePanel"])  # imports and first compilations are no panel's own
    tables = {name: summary(measure(make, options.clock)) for name, make in made.items()}
    print(f"milliseconds of the kernel by the {options.clock} clock, and bytes sent")
    print(pd.concat(tables, names=["panel", "what"]).to_string())


if __name__ == "__main__":
    main()
