"""What servers receive is what the public prompt functions say, once, in every kind of call and by every way there."""

import re
from collections import Counter
from dataclasses import replace

import mock_openai
import pytest
from servers import served

from anthrokit.core import Run, SetupError
from anthrokit.heartbench import RubricJudge, bundled_answers, load_cases
from anthrokit.heartbench.answers import add_answers, add_cases, answer_prompt
from anthrokit.heartbench.building import draft_criteria, draft_prompt
from anthrokit.heartbench.judging import case_item, rubric_prompt
from anthrokit.judging import LLMJudge, Released, TogetherJudge, judge
from anthrokit.judging.judges import PASSAGE_FIRST_TEMPLATE, Item, judge_prompt, together_prompt
from anthrokit.models import LLM, Batch
from anthrokit.simulation import Taxonomy, load_prompts, simulate
from anthrokit.simulation.dialogues import (
    RELEASED_TARGET_PROMPT,
    RELEASED_USER_TEMPLATE,
    swap_roles,
    user_system_prompt,
)

REQUESTS = []  # model, messages as role and text, all that was sent
TAXONOMY = Taxonomy.load().with_present()
BEHAVIOURS = ["empathy", "personal history"]
WAYS = ("lean", "litellm", "batch")
MODELS = ("openai/gpt-4o", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-pro")


def as_openai(body):
    return [(one["role"], one["content"]) for one in body["messages"]]


def as_anthropic(body):
    messages = [("system", body["system"])] if body.get("system") else []
    messages += [(one["role"], one["content"]) for one in body["messages"]]
    return [(role, "".join(block["text"] for block in blocks)) for role, blocks in messages]


def as_gemini(body):
    system = body.get("system_instruction") or body.get("systemInstruction")
    messages = [("system", system["parts"])] if system else []
    messages += [({"model": "assistant"}.get(one["role"], one["role"]), one["parts"]) for one in body["contents"]]
    return [(role, "".join(part["text"] for part in parts)) for role, parts in messages]


class Families(mock_openai.Families):
    def anthropic(self, model, body):
        REQUESTS.append((model, as_anthropic(body), body))
        return super().anthropic(model, body)

    def gemini(self, model, body):
        REQUESTS.append((model, as_gemini(body), body))
        return super().gemini(model, body)


class Server(mock_openai.Server):
    def __init__(self):
        super().__init__()
        self.families = Families(self)

    def answer(self, request):
        REQUESTS.append((request["model"], as_openai(request), request))
        return super().answer(request)


@pytest.fixture(scope="module")
def addresses():
    """Return the addresses of a server in this process that records requests in the three formats."""
    with served(Server()) as openai:
        base = openai.removesuffix("/v1")
        yield {"openai": openai, "anthropic": base, "gemini": f"{base}/v1beta"}


@pytest.fixture(autouse=True)
def clear_requests(monkeypatch):
    """Mark prefixes of any length: marks must not change the content of a request."""
    monkeypatch.setattr("anthrokit.models.transports.guess_tokens", lambda texts: 10**6)
    REQUESTS.clear()


@pytest.fixture(params=WAYS)
def way(request):
    return request.param


@pytest.fixture
def model(addresses, way):
    """Return a function: model('openai/gpt-4o') is a model with the tested kind of calls."""

    def one(model, **more):
        family, _, plain = model.partition("/")
        base = addresses[family] + (f"/models/{plain}" if family == "gemini" and way != "batch" else "")
        transport = "litellm" if way == "litellm" else "lean"
        return LLM(model, api_base=base, api_key="k3y-0123456789", transport=transport, max_retries=0, **more)

    return one


def how(way):
    return {"progress": False} | ({"batch": Batch(poll=0.05)} if way == "batch" else {})


def judged_run(folder):
    run = Run(folder)
    run.ledger.write("prompts", [{"prompt_id": "p", "base_id": "b", "first_message": "Hello {name}!"}])
    about = {"target": "t", "prompt_id": "p", "repeat": 1, "turns": 2, "status": "done"}
    run.ledger.write("dialogues", [{"dialogue_id": "d", **about}])
    messages = [(1, "user", 'Hello {name}! "Been\\gone?"'), (1, "assistant", "I was\nborn in Leeds. {question}")]
    messages += [(2, "user", " Grüße, 你好 "), (2, "assistant", "😀 That sounds hard.\n")]
    names = ("turn", "role", "content")
    run.ledger.write("messages", [{"dialogue_id": "d", **dict(zip(names, one, strict=True))} for one in messages])
    before = [(role, text) for _, role, text in messages]
    return run, [Item(messages[1][2], (*before[:1],)), Item(messages[3][2], (*before[:3],))]


def without_code(text):
    code = re.search(r'(?:<<<MESSAGE |"code": "|Verdict )([0-9a-f]{8})', text)
    return text.replace(code[1], "00000000") if code else text


OWN = "Is {name} there? {definition}\n{question}\n{history}\n---\n{message}\n{form}"
JUDGES = {
    "default": {},
    "alone": {"context": "none"},
    "dialogue": {"context": "dialogue"},
    "examples": {"present": True},
    "message first": {"message_first": True, "context": "dialogue"},
    "no schema": {"structured": False},
    "own words": {"template": OWN},
    "released": {"protocol": Released("ours")},
    "together": None,
}


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, MODELS[0]) for kind in JUDGES]
    + [(kind, name) for name in MODELS[1:] for kind in ("default", "message first", "together")],
)
def test_judge_prompt(model, way, tmp_path, kind, name):
    settings = JUDGES[kind]
    llm = model(name, max_tokens=100)
    one = TogetherJudge(llm) if settings is None else LLMJudge(llm, **settings)
    one.max_attempts = 1
    run, items = judged_run(tmp_path / "run")
    with run:
        judge(run, [one], taxonomy=TAXONOMY, behaviours=BEHAVIOURS, samples=2, **how(way))
    behaviours = [TAXONOMY[name] for name in BEHAVIOURS]
    if kind == "together":
        wanted = [together_prompt(item, behaviours) for item in items]
    elif kind == "released":
        wanted = [one.released.prompt(p.text, b, p.user) for p in items for b in behaviours]
    else:
        options = {
            name: value for name, value in settings.items() if name in ("context", "present", "template")
        }
        if kind == "message first":
            options["template"] = PASSAGE_FIRST_TEMPLATE
        options["structured"] = one.structured
        wanted = [judge_prompt(p, b, **options) for p in items for b in behaviours]
    requests = Counter(tuple((role, without_code(text)) for role, text in messages) for _, messages, _ in REQUESTS)
    assert requests == Counter({(("user", str(text)),): 2 for text in wanted})
    if name == MODELS[0]:
        assert all(
            bool(body.get("response_format")) == (not one.released and one.structured) for *_, body in REQUESTS
        )


@pytest.mark.parametrize("protocol", ["paper", "released"])
@pytest.mark.parametrize("name", MODELS)
def test_dialogue_messages(model, way, tmp_path, name, protocol):
    prompts = load_prompts().head(2)
    target, user = model(name, name="target"), model(name, name="user", temperature=0.5, max_tokens=50)
    released = protocol == "released"
    settings = {"protocol": protocol} if released else {"system_target": "Be brief.\n", "persona": "A baker. {domain}"}
    with simulate(prompts, target, user, run=tmp_path / "run", turns=3, **settings, **how(way)) as run:
        messages = run.messages()
    wanted = Counter()
    for (_, prompt), (_, dialogue) in zip(prompts.iterrows(), messages.groupby("prompt_id", sort=False), strict=True):
        assert dialogue["prompt_id"].iloc[0] == prompt["prompt_id"]
        history = dialogue[["role", "content"]].to_dict("records")
        template = RELEASED_USER_TEMPLATE if released else None
        system = user_system_prompt(prompt, template, persona=settings.get("persona"))
        system_target = settings.get("system_target", RELEASED_TARGET_PROMPT)
        for place, message in enumerate(history):
            if message["role"] == "user" and place:
                request = swap_roles(history[released:place], system, opening=not released)
            elif place:
                request = [{"role": "system", "content": system_target}, *history[:place]]
            else:
                continue
            wanted[tuple((one["role"], one["content"]) for one in request)] += 1
    assert Counter(tuple(messages) for _, messages, _ in REQUESTS) == wanted and wanted.total() == 10


@pytest.mark.parametrize(("name", "style"), [(MODELS[0], "transcript"), *((name, "chat") for name in MODELS)])
def test_case_messages(model, way, tmp_path, name, style):
    cases = load_cases("bundled")
    with Run(tmp_path / "run") as run:
        simulate(add_cases(run, cases, style), model(name), run=run, turns=1, **how(way))
    wanted = [tuple((one["role"], one["content"]) for one in answer_prompt(case, style)) for case in cases]
    assert Counter(tuple(messages) for _, messages, _ in REQUESTS) == Counter(wanted)


RUBRICS = {
    "default": (1, {}),
    "samples": (3, {}),
    "shuffled": (2, {"shuffle": True}),
    "one by one": (1, {"criteria_per_call": 1}),
}


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, MODELS[0]) for kind in RUBRICS] + [("samples", name) for name in MODELS[1:]]
)
def test_rubric_judge_messages(model, way, tmp_path, kind, name):
    cases, answers = load_cases("bundled"), bundled_answers().head(1 if kind == "one by one" else 3)
    samples, settings = RUBRICS[kind]
    one = RubricJudge(model(name), max_attempts=1, **settings)
    with Run(tmp_path / "run") as run:
        add_answers(run, cases, answers)
        judge(run, one, samples=samples, **how(way))
    wanted, mark = Counter(), re.compile(r"v-\w{12}")
    for row in answers.itertuples():
        case = cases[row.case_id]
        for sample in range(1, samples + 1):
            order = one.order(case_item(case, row.content, row.target, sample), case.criteria)
            size = settings.get("criteria_per_call", len(order))
            for part in (order[start : start + size] for start in range(0, len(order), size)):
                messages = rubric_prompt(replace(case, criteria=tuple(part)), row.content, mark="v-" + "0" * 12)
                wanted[tuple((message["role"], message["content"]) for message in messages)] += 1
    requests = Counter(
        tuple((role, mark.sub("v-" + "0" * 12, text)) for role, text in messages) for _, messages, _ in REQUESTS
    )
    assert requests == wanted
    assert all(len(set(mark.findall(messages[-1][1]))) == 1 for _, messages, _ in REQUESTS)


def test_criteria_writer_messages(model, way, tmp_path):
    cases = [*load_cases("bundled")][:2]
    answers = bundled_answers()
    draft_criteria(cases, answers, model=model("openai/drafter"), run=tmp_path / "run", max_attempts=1, **how(way))
    texts = [
        dict(answers[answers["case_id"] == one.case_id].sort_values("target")[["target", "content"]].values)
        for one in cases
    ]
    wanted = [draft_prompt(case, answer_texts)[0]["content"] for case, answer_texts in zip(cases, texts, strict=True)]
    assert sorted(messages[0][1] for _, messages, _ in REQUESTS) == sorted(wanted) and len(REQUESTS) == 2


def test_settings_of_two_models(model, addresses, way, tmp_path):
    """A target and a user, and two judges, of one model with different settings."""
    cool, warm = (model(MODELS[0], temperature=value) for value in (0.1, 0.9))
    with simulate(load_prompts().head(1), cool, warm, run=tmp_path / "run", turns=2, **how(way)) as run:
        temperatures = Counter((messages[0][0], body["temperature"]) for _, messages, body in REQUESTS)
        assert temperatures == {("user", 0.1): 2, ("system", 0.9): 1}
        REQUESTS.clear()
        judge(
            run,
            [LLMJudge(cool, name="a"), LLMJudge(warm, name="b")],
            behaviours="empathy",
            samples=1,
            **how(way),
        )
        assert Counter(body["temperature"] for *_, body in REQUESTS) == {0.1: 2, 0.9: 2}
        if way == "batch":
            elsewhere = LLM(MODELS[0], api_base=addresses["openai"], api_key="an0ther-k3y")
            judges = [LLMJudge(cool, name="a"), LLMJudge(elsewhere, name="c")]
            with pytest.raises(SetupError, match="two models are called openai/gpt-4o in one batch"):
                judge(run, judges, behaviours="agency", samples=1, **how(way))
