"""How fast a study is judged and simulated, at what cost in processor time and memory.

    python benchmarks/judging.py [--seconds 8] [--concurrency 16 64 256] [--latency 0.05 0.2 1.0] [--rounds 3]
                                 [--families openai anthropic gemini] [--full-size]
                                 [--kinds aiohttp bare judge lean simulate openai inspect deepeval inspect_turns …] [--peers PYTHON]

A mock server (tests/mock_openai.py) answers on one processor in the family's wire format, the client runs on another.
For each family, concurrency and latency, one process each (so that peak memory is its own) measures

    aiohttp     a bare loop of aiohttp on bodies made beforehand, which reads the JSON and nothing else (OpenAI's format):
                what the wire allows
    bare        a bare loop of litellm.acompletion on prompts made beforehand: what LiteLLM itself allows
    judge       anthrokit.judge.judge through LiteLLM, everything in the ledger
    lean        the same by the lean transport
    simulate    anthrokit.simulate by the lean transport: dialogues of five turns, nine calls each after a given first
                message, everything in the ledger

and, where --kinds names them, by the Python that --peers names: one with the packages that they need and what anthrokit
needs (LiteLLM and Inspect AI ask for different versions of openai),

    openai      a bare loop of openai.AsyncOpenAI, on the same prompts
    inspect     an evaluation of Inspect AI that asks the model once for each of the prompts, with its log
    deepeval    an evaluation of DeepEval whose metric (GEval) asks the model once for each, through AsyncOpenAI
    inspect_turns, deepeval_turns
                the same dialogues: a solver of Inspect AI that calls a model for either side; DeepEval's ConversationSimulator

and once per latency the sequential loop: one call of litellm.completion after another. The kinds take turns, as
many times as there are rounds, and medians are shown: of the numbers, and of their ratios within a round, since a
machine is not as fast at one minute as at the next. `ideal` is concurrency / latency; `561,600` is the
time that many judgments would take. With --full-size one run
of 4,800 messages x 13 behaviours x 3 judges x 3 samples is really judged by the lean transport, without latency.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from statistics import median

TURNS = 5
CALLS = 2 * TURNS - 1  # of a dialogue whose first message is given
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
FULL = 561_600


def make_run(folder: Path, messages: int):
    """A run of synthetic messages of about the length of the study's answers."""
    import random

    from anthrokit.core import Run

    random.seed(0)
    words = "I you we feel think plan trip friend gift talk week work lovely quiet small idea good often maybe".split()
    run = Run(folder)
    run.ledger.write("prompts", [{"prompt_id": "p", "base_id": "b", "first_message": "Hello"}])
    settings = {"target": "synthetic", "repeat": 1, "turns": 5, "status": "done"}
    dialogues = range(-(-messages // 5))
    run.ledger.write("dialogues", [{"dialogue_id": f"d{n:05}", "prompt_id": "p", **settings} for n in dialogues])
    rows = [
        {"dialogue_id": f"d{n // 5:05}", "turn": n % 5 + 1, "role": "assistant"}
        | {"content": " ".join(random.choices(words, k=200))}
        for n in range(messages)
    ]
    run.ledger.write("messages", rows)
    return run


def address(family: str, base: str) -> str:
    """Where the server speaks a family's format."""
    return base.removesuffix("/v1") if family == "anthropic" else base


def model(family: str, name: str, base: str, concurrency: int, **settings):
    from anthrokit.models import LLM

    settings = {"api_key": "none", "max_concurrency": concurrency, "temperature": 0.7, **settings}
    return LLM(f"{family}/{name}", api_base=address(family, base), **settings)


async def loop(call: Callable[[int], Awaitable[object]], concurrency: int, count: int) -> dict:
    """Make `count` calls, so many in flight, after one that isn't counted."""
    await call(0)
    start, before = time.perf_counter(), time.process_time()
    numbers = iter(range(count))

    async def worker() -> None:
        for number in numbers:
            await call(number)

    await asyncio.gather(*(worker() for _ in range(concurrency)))
    return {"n": count, "seconds": time.perf_counter() - start, "cpu": time.process_time() - before}


def judge_requests(count: int) -> list[list[dict]]:
    """What a judge is asked, as chat messages."""
    from anthrokit.judging.judges import judge_prompt
    from anthrokit.simulation import Taxonomy

    behaviour = Taxonomy.load()["empathy"]
    return [[{"role": "user", "content": judge_prompt("word " * 200 + str(n), behaviour)}] for n in range(count)]


def wire(family: str, base: str, concurrency: int, count: int) -> dict:
    """A loop of aiohttp and nothing else: the same bodies, and of the response its text."""
    import aiohttp

    shared = {"model": "judge", "temperature": 0.7, "max_tokens": 300}
    bodies = [json.dumps(shared | {"messages": one, "seed": n}) for n, one in enumerate(judge_requests(count))]
    headers = {"Content-Type": "application/json", "Authorization": "Bearer none"}

    async def timed() -> dict:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), headers=headers) as session:

            async def call(number: int) -> str:
                async with session.post(f"{base}/chat/completions", data=bodies[number]) as response:
                    return json.loads(await response.read())["choices"][0]["message"]["content"]

            return await loop(call, concurrency, count)

    return asyncio.run(timed())


def prepared_litellm(family: str, base: str) -> tuple:
    """LiteLLM, and how its calls reach the server."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm

    litellm.suppress_debug_info = True
    return litellm, {"model": f"{family}/judge", "api_base": address(family, base), "api_key": "none", "drop_params": True}


def bare(family: str, base: str, concurrency: int, count: int) -> dict:
    """A loop of litellm.acompletion and nothing else."""
    litellm, shared = prepared_litellm(family, base)
    requests = judge_requests(count)
    shared |= {"temperature": 0.7, "max_tokens": 300, "timeout": 120}
    return asyncio.run(loop(lambda n: litellm.acompletion(messages=requests[n], seed=n, **shared), concurrency, count))


def client(base: str):
    """A client of the openai package that asks once and returns the text."""
    from openai import AsyncOpenAI

    openai = AsyncOpenAI(base_url=base, api_key="none", timeout=120)

    async def ask(messages: list[dict], seed: int | None = None) -> str:
        settings = {"temperature": 0.7, "max_tokens": 300, "seed": seed}
        done = await openai.chat.completions.create(model="judge", messages=messages, **settings)
        return done.choices[0].message.content

    return ask


def openai_loop(base: str, concurrency: int, count: int) -> dict:
    """A loop of AsyncOpenAI and nothing else."""
    requests, ask = judge_requests(count), client(base)
    return asyncio.run(loop(lambda n: ask(requests[n], n), concurrency, count))


def evaluated(evaluate: Callable[[list[str]], object], prompts: list[str], calls: int = 1) -> dict:
    """Time an evaluation of prompts, so many calls each, after one of a single prompt, which loads what is needed."""
    evaluate(prompts[:1])
    start, before = time.perf_counter(), time.process_time()
    evaluate(prompts)
    return {"n": calls * len(prompts), "seconds": time.perf_counter() - start, "cpu": time.process_time() - before}


def judge_prompts(count: int) -> list[str]:
    """What a judge is asked, as texts."""
    return [request[0]["content"] for request in judge_requests(count)]


def first_messages(count: int) -> list[str]:
    """First messages of dialogues that take so many calls."""
    return [f"I have a question about my garden, number {n}." for n in range(-(-count // CALLS))]


def exchanged(dialogue: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The user model's view of a dialogue: a role, and the messages with exchanged roles."""
    other = {"user": "assistant", "assistant": "user"}
    return [("system", "You are a person who asks a chatbot."), *((other[role], text) for role, text in dialogue)]


def inspect_evaluation(base: str, concurrency: int, prompts: list[str], calls: int = 1) -> dict:
    """Inspect AI: a task whose solver generates one answer for each sample, or simulates a dialogue."""
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, get_model
    from inspect_ai.solver import generate, solver

    model = get_model("openai-api/mock/judge", base_url=base, api_key="none")
    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}

    @solver
    def dialogue():
        async def solve(state, generate):
            state = await generate(state)
            for _ in range(TURNS - 1):
                view = exchanged([(message.role, message.text) for message in state.messages])
                completion = await model.generate([kinds[role](content=text) for role, text in view])
                state.messages.append(ChatMessageUser(content=completion.completion))
                state = await generate(state)
            return state

        return solve

    def evaluate(prompts: list[str]) -> None:
        task = Task(dataset=[Sample(input=prompt) for prompt in prompts], solver=generate() if calls == 1 else dialogue())
        places = {"max_connections": concurrency, "max_samples": concurrency}
        with tempfile.TemporaryDirectory() as folder:
            (log,) = eval(task, model=model, log_dir=folder, display="none", max_tokens=300, **places)
            complete = [len(sample.messages) for sample in log.samples or ()] == [calls + 1] * len(prompts)
        if log.status != "success" or not complete:
            raise RuntimeError(f"Inspect's evaluation ended with the status {log.status}: {log.error}")

    return evaluated(evaluate, prompts, calls)


def deepeval_model(base: str, fields: Callable[[str], dict]):
    """A model of DeepEval that asks once through AsyncOpenAI, and puts the text into the wanted fields."""
    from deepeval.models import DeepEvalBaseLLM

    ask = client(base)  # each evaluation has an event loop of its own

    class Model(DeepEvalBaseLLM):
        def load_model(self):
            return None

        def get_model_name(self) -> str:
            return "judge"

        def generate(self, prompt: str, schema=None):
            raise NotImplementedError("the evaluation is asynchronous")

        async def a_generate(self, prompt: str, schema):
            return schema(**fields(await ask([{"role": "user", "content": prompt}])))

    return Model()


def deepeval_evaluation(base: str, concurrency: int, prompts: list[str]) -> dict:
    """DeepEval: GEval with given steps, which asks once for each test case."""
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, DisplayConfig
    from deepeval.metrics import GEval
    from deepeval.test_case import LLMTestCase, SingleTurnParams

    def run(prompts: list[str]) -> None:
        judge = deepeval_model(base, lambda text: {"score": 1, "reason": text})
        steps = ["Decide whether the answer shows empathy."]
        parts = [SingleTurnParams.ACTUAL_OUTPUT]
        metric = GEval("Empathy", evaluation_steps=steps, evaluation_params=parts, model=judge)
        cases = [LLMTestCase(input="Hello", actual_output=prompt) for prompt in prompts]
        shown = DisplayConfig(show_indicator=False, print_results=False)
        how = AsyncConfig(max_concurrent=concurrency)
        results = evaluate(cases, [metric], async_config=how, display_config=shown).test_results
        if len(results) != len(prompts) or any(result.metrics_data[0].error for result in results):
            raise RuntimeError("DeepEval did not score every test case")

    return evaluated(run, prompts)


def deepeval_simulation(base: str, concurrency: int, prompts: list[str]) -> dict:
    """DeepEval: dialogues of its ConversationSimulator, whose target is asked through AsyncOpenAI."""
    from deepeval.dataset import ConversationalGolden
    from deepeval.simulator import ConversationSimulator
    from deepeval.test_case import Turn

    def run(prompts: list[str]) -> None:
        ask, user = client(base), deepeval_model(base, lambda text: {"simulated_input": text})

        async def target(turns: list) -> Turn:
            content = await ask([{"role": turn.role, "content": turn.content} for turn in turns])
            return Turn(role="assistant", content=content)

        goldens = [
            ConversationalGolden(scenario="A person asks a chatbot.", turns=[Turn(role="user", content=prompt)])
            for prompt in prompts
        ]
        simulator = ConversationSimulator(target, simulator_model=user, max_concurrent=concurrency)
        made = simulator.simulate(goldens, max_user_simulations=TURNS - 1)
        if any(len(case.turns) != 2 * TURNS for case in made) or len(made) != len(prompts):
            raise RuntimeError("DeepEval's dialogues do not have all messages")

    return evaluated(run, prompts, CALLS)


PEERS = {
    "openai": openai_loop,
    "inspect": lambda base, places, count: inspect_evaluation(base, places, judge_prompts(count)),
    "deepeval": lambda base, places, count: deepeval_evaluation(base, places, judge_prompts(count)),
    "inspect_turns": lambda base, places, count: inspect_evaluation(base, places, first_messages(count), CALLS),
    "deepeval_turns": lambda base, places, count: deepeval_simulation(base, places, first_messages(count)),
}


def sequential(family: str, base: str, concurrency: int, count: int) -> dict:
    """One call after another, as the authors' code makes them."""
    litellm, call = prepared_litellm(family, base)

    def run(prompts: list[str]) -> None:
        for number, prompt in enumerate(prompts):
            litellm.completion(messages=[{"role": "user", "content": prompt}], seed=number, **call)

    return evaluated(run, ["word " * 300 + "\nVerdict:"] * count)


def judged(family: str, base: str, concurrency: int, count: int, **settings) -> dict:
    """anthrokit.judge: four judges, among whom the places divide evenly, on a run of its own."""
    from anthrokit.judging import LLMJudge, judge

    with tempfile.TemporaryDirectory() as folder:
        run = make_run(Path(folder) / "run", max(1, round(count / (13 * 4 * 3))))
        places = max(1, concurrency // 4)
        judges = [LLMJudge(model(family, f"judge-{n}", base, places, **settings)) for n in range(4)]
        for one in judges:
            one.llm.complete("Hello")
        start, before = time.perf_counter(), time.process_time()
        judge(run, judges, behaviours=run_behaviours(), progress=False)
        seconds, cpu = time.perf_counter() - start, time.process_time() - before
        n = run.ledger.rows("SELECT COUNT(*) FROM ratings WHERE status = 'ok'")[0][0]
        run.close()
    return {"n": n, "seconds": seconds, "cpu": cpu}


def simulated(family: str, base: str, concurrency: int, count: int) -> dict:
    """anthrokit.simulate: dialogues of a target and a user, both at the server."""
    from anthrokit.simulation import simulate

    target, user = (model(family, name, base, concurrency, transport="lean") for name in ("target", "user"))

    def run(prompts: list[str]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            made = simulate(prompts, target, user, run=f"{folder}/run", turns=TURNS, progress=False)
            if len(made.messages()) != 2 * TURNS * len(prompts):
                raise RuntimeError("the dialogues do not have all messages")
            made.close()

    return evaluated(run, first_messages(count), CALLS)


def run_behaviours() -> list[str]:
    from anthrokit.simulation import Taxonomy

    return Taxonomy.load().judged


KINDS = {  # what anthrokit's own Python measures
    "sequential": sequential,
    "aiohttp": wire,
    "bare": bare,
    "judge": partial(judged, transport="litellm"),
    "lean": partial(judged, transport="lean"),
    "simulate": simulated,
}


def one(options) -> None:
    """What a process of its own measures."""
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) > 1:
        os.sched_setaffinity(0, set(processors[:-1]))
    ((family,), (concurrency,)) = options.families, options.concurrency
    if options.one in PEERS:
        result = PEERS[options.one](options.base, concurrency, options.count)
    else:
        result = KINDS[options.one](family, options.base, concurrency, options.count)
    result["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result))


def measure(kind: str, family: str, base: str, concurrency: int, count: int, peers: str = sys.executable) -> dict:
    python = peers if kind in PEERS else sys.executable
    command = [python, __file__, "--one", kind, "--base", base, "--concurrency", str(concurrency)]
    command += ["--count", str(count), "--families", family]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def serve(latency: float) -> tuple[subprocess.Popen, str]:
    processors = sorted(os.sched_getaffinity(0))
    process = subprocess.Popen(
        [sys.executable, str(HERE.parent / "tests" / "mock_openai.py"), "--latency", str(latency), "--quick"],
        stdout=subprocess.PIPE,
        text=True,
    )
    base = process.stdout.readline().strip()
    if len(processors) > 1:
        os.sched_setaffinity(process.pid, {processors[-1]})
    return process, base


def duration(seconds: float) -> str:
    hours = seconds / 3600
    return f"{hours / 24:.1f} days" if hours > 48 else f"{hours:.1f} h" if hours > 1 else f"{hours * 60:.0f} min"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=8.0, help="how long each measurement takes, about")
    parser.add_argument("--concurrency", type=int, nargs="+", default=[16, 64, 256])
    parser.add_argument("--latency", type=float, nargs="+", default=[0.05, 0.2, 1.0])
    parser.add_argument("--kinds", nargs="+", default=["aiohttp", "bare", "judge", "lean"])
    parser.add_argument("--peers", default=sys.executable, help="the Python of openai, inspect and deepeval")
    parser.add_argument("--families", nargs="+", default=["openai", "anthropic", "gemini"])
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured, in turn")
    parser.add_argument("--full-size", action="store_true")
    for hidden in ("--one", "--base"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one(options)
        return
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    head = "latency  in flight  family     what            n      calls/s  of ideal  x bare  x sequential  ms CPU  "
    print(head + "x bare  MB peak  561,600")
    for latency in options.latency:
        for family in options.families:
            process, base = serve(latency)
            first = measure("sequential", family, base, 1, max(5, int(options.seconds / (latency + 0.01))))
            slow = first["n"] / first["seconds"]
            tell(latency, 1, family, "sequential", [{"sequential": first}], slow)
            for concurrency in options.concurrency:
                counts = {kind: count_of(kind, concurrency, latency, options.seconds) for kind in options.kinds}
                rounds = [
                    {kind: measure(kind, family, base, concurrency, n, options.peers) for kind, n in counts.items()}
                    for _ in range(options.rounds)
                ]
                for kind in options.kinds:
                    tell(latency, concurrency, family, kind, rounds, slow)
            process.kill()
            process.wait()
    if options.full_size:
        process, base = serve(0.0)
        tell(0.0, 64, "openai", "full size", [{"full size": measure("lean", "openai", base, 64, FULL)}], None)
        process.kill()


def count_of(kind: str, concurrency: int, latency: float, seconds: float) -> int:
    """Calls enough for a measurement of about that many seconds, and for ten of each place in flight."""
    most = {"aiohttp": 2000, "lean": 2000, "simulate": 1000, "openai": 300, "bare": 300, "judge": 300}.get(kind, 50)
    speed = min(concurrency / latency, most) if latency else most
    return max(156, (2 if most == 50 else 10) * concurrency * (CALLS if kind.endswith("turns") else 1), int(speed * seconds))


def tell(latency: float, concurrency: int, family: str, kind: str, rounds: list[dict], slow: float | None) -> None:
    """One line of the table: medians over rounds."""

    def rate(result: dict) -> float:
        return result["n"] / result["seconds"]

    def cost(result: dict) -> float:
        return 1000 * result["cpu"] / result["n"]

    middle = [one[kind] for one in rounds]
    speed = median(rate(result) for result in middle)
    ideal = f"{speed / (concurrency / latency):.0%}" if latency else ""
    faster = times = ratio = ""
    if "bare" in rounds[0]:
        faster = f"{median(rate(one[kind]) / rate(one['bare']) for one in rounds):.1f}"
        ratio = f"{median(cost(one[kind]) / cost(one['bare']) for one in rounds):.2f}"
    if slow:
        times = f"{speed / slow:.1f}"
    print(
        f"{latency:7.2f}  {concurrency:9}  {family:9}  {kind:10} {middle[0]['n']:6}  {speed:11.1f}  "
        f"{ideal:>8}  {faster:>6}  {times:>12}  "
        f"{median(cost(found) for found in middle):6.2f}  {ratio:>6}  "
        f"{max(found['memory'] for found in middle):7.0f}  {duration(FULL / speed)}",
        flush=True,
    )


if __name__ == "__main__":
    main()
