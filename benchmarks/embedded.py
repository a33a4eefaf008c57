"""Tokens a second of the embedded model: OpenVINO and transformers, with 1, 8 and 32 dialogues at once.

    python benchmarks/embedded.py [--rounds 3] [--tokens 80]

Both engines take turns in one process, so that what else the machine does meets both alike; of the rounds the median.
"""

import argparse
import asyncio
import statistics
import time

from anthrokit.models import Request, wait_for
from anthrokit.models.embedded import _ByOpenVINO, _ByTransformers, _Desk


def tokens_a_second(desk, requests):
    async def all_at_once():
        return await asyncio.gather(*map(desk.answer, requests))

    start = time.perf_counter()
    answers = wait_for(all_at_once())
    return sum(answer["tokens_out"] for answer in answers) / (time.perf_counter() - start)


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
    print(f"{'at once':>8}{'openvino':>12}{'transformers':>14}{'ratio':>8}   tokens/s, median of {asked.rounds}")
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
        fast, slow = (statistics.median(found[name]) for name in ("openvino", "transformers"))
        print(f"{count:>8}{fast:>12.0f}{slow:>14.0f}{fast / slow:>8.1f}", flush=True)


if __name__ == "__main__":
    main()
