"""Whether the client keeps four servers busy, of which one dies.

    python benchmarks/servers.py [--places 64] [--seconds 2.0] [--messages 90] [--in-flight 320]

Each server answers so many requests at once (`places`) and lets the others wait, as vLLM does. The time of an answer is
drawn from a log-normal distribution with the given median and a sigma of 0.4. The fourth server is killed when a third
of the judgments are saved. Each server adds up the seconds in which its places were taken. The first and the last
five answer times are left out: the client begins with few calls, and at the end no more are left.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]


def serve(places: int, seconds: float) -> None:
    """Serve until killed; `/busy` tells the seconds in which places were taken, summed over the places."""
    from aiohttp import web

    free, chance = asyncio.Semaphore(places), random.Random(os.getpid())
    state = {"taken": 0, "sum": 0.0, "at": time.monotonic()}
    answer = {"model": "judge", "usage": {"prompt_tokens": 700, "completion_tokens": 20}}
    answer["choices"] = [{"message": {"content": "Reason: it says so.\nVerdict: Yes"}, "finish_reason": "stop"}]

    def count(change: int) -> float:
        now = time.monotonic()
        state["sum"] += state["taken"] * (now - state["at"])
        state["taken"], state["at"] = state["taken"] + change, now
        return state["sum"]

    async def complete(request: web.Request) -> web.Response:
        prompt = (await request.json())["messages"][-1]["content"]
        code = prompt.rpartition("Verdict ")[2].partition(":")[0]
        async with free:
            count(1)
            try:
                await asyncio.sleep(seconds * chance.lognormvariate(0, 0.4))
            finally:
                count(-1)
        text = answer["choices"][0]["message"]["content"].replace("Verdict", f"Verdict {code}")
        return web.json_response(answer | {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})

    async def busy(_: web.Request) -> web.Response:
        return web.json_response(count(0))

    async def main() -> None:
        app = web.Application()
        app.add_routes([web.post("/v1/chat/completions", complete), web.get("/busy", busy)])
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        print(f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}", flush=True)
        await asyncio.Event().wait()

    asyncio.run(main())


def start(places: int, seconds: float) -> tuple[subprocess.Popen, str]:
    command = [sys.executable, __file__, "--serve", "--places", str(places), "--seconds", str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def busy(address: str) -> float | None:
    """Return the busy seconds of a server; None if it is dead."""
    try:
        with urllib.request.urlopen(f"{address}/busy", timeout=10) as response:
            return json.load(response)
    except OSError:
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--places", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=2.0, help="median time of an answer")
    parser.add_argument("--messages", type=int, default=90, help="each is judged 156 times")
    parser.add_argument("--in-flight", type=int, default=320)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.places, options.seconds)
        return
    from judging import make_run, run_behaviours

    from anthrokit.judging import LLMJudge, judge
    from anthrokit.models import LLM

    servers = [start(options.places, options.seconds) for _ in range(4)]
    addresses = [address for _, address in servers]
    settings = {"api_base": [f"{one}/v1" for one in addresses], "api_key": "none", "timeout": 60}
    llm = LLM("openai/judge", max_concurrency=options.in_flight, transport="lean", temperature=0.7, **settings)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; 4 servers of {options.places} places")
    with tempfile.TemporaryDirectory() as folder:
        run = make_run(Path(folder) / "run", options.messages)
        work = judge(run, [LLMJudge(llm)], behaviours=run_behaviours(), samples=12, wait=False)
        total, edge, samples, killed = work.progress["total"], 5 * options.seconds, [], None
        start_at = time.monotonic()
        while not work.done:
            done = work.progress["done"]
            if killed is None and done > total / 3:
                servers[3][0].kill()
                killed = time.monotonic()
            samples.append((time.monotonic(), done, [busy(one) for one in addresses]))
            threading.Event().wait(0.5)
        end = time.monotonic()
        ratings = work.result().ratings()
        report = {"before the fourth died": (start_at + edge, killed, 4), "after": (killed + edge, end - edge, 3)}
        for what, (first, last, count) in report.items():
            inside = [one for one in samples if first <= one[0] <= last and all(s is not None for s in one[2][:count])]
            (t0, n0, b0), (t1, n1, b1) = inside[0], inside[-1]
            share = [(b1[n] - b0[n]) / (options.places * (t1 - t0)) for n in range(count)]
            ideal = "  ".join(f"{one:.1%}" for one in share)
            print(f"{what:24} {t1 - t0:5.1f} s  {(n1 - n0) / (t1 - t0):6.1f} judgments/s  places taken: {ideal}")
        print(f"{(ratings['status'] == 'ok').sum():,} of {len(ratings):,} ratings ok in {end - start_at:.0f} s")
    for process, _ in servers:
        process.kill()


if __name__ == "__main__":
    main()
