"""Tokens a second of the embedded model: OpenVINO and transformers, with 1, 8 and 32 dialogues at once.

    python benchmarks/embedded.py [--rounds 3] [--tokens 80]

Both engines take turns in one process, so that what else the machine does meets both alike; of the rounds the median.
On a machine that does other work besides, look at the tokens a second of processor time.
"""

import argparse
import asyncio
import statistics
import time

from anthrokit.models.embedded import Request, _ByOpenVINO, _ByTransformers, _Desk
from anthrokit.models.loop import wait_for


def tokens_a_second(desk, requests):
    async def all_at_once():
        return await asyncio.gather(*map(desk.answer, requests))

    start = time.perf_counter(), time.process_time()
    answers = wait_for(all_at_once())
    tokens = sum(answer["tokens_out"] for answer in answers)
    return tokens / (time.perf_counter() - start[0]), tokens / (time.process_time() - start[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=80)
    asked = parser.parse_args()
    desks = {}
    for name, engine in (("openvino", _ByOpenVINO), ("transformers", _ByTransformers)):
        start = time.perf_counter()
        desks[name] = _Desk(name, engine())
        print(f"{name}: loaded in {time.perf_counter() - start:.1f} s", flush=True)
    print("tokens a second, and a second of processor time; the ratios of both")
    print(f"{'at once':>8}{'openvino':>18}{'transformers':>18}{'ratios':>14}")
    for count in (1, 8, 32):
        found = {name: [] for name in desks}
        for number in range(asked.rounds):
            for name, desk in desks.items():
                requests = [
                    Request(
                        [{"role": "user", "content": f"Give me {100 * number + one} ideas for a gift."}],
                        seed=one,
                        max_tokens=asked.tokens,
                    )
                    for one in range(count)
                ]
                found[name].append(tokens_a_second(desk, requests))
        fast, slow = ([statistics.median(one) for one in zip(*found[name], strict=True)] for name in desks)
        cells = [f"{wall:.0f} {processor:.0f}" for wall, processor in (fast, slow)]
        ratios = " ".join(f"{quick / other:.1f}" for quick, other in zip(fast, slow, strict=True))
        print(f"{count:>8}{cells[0]:>18}{cells[1]:>18}{ratios:>14}", flush=True)


if __name__ == "__main__":
    main()
