"""Tokens a second of the embedded model with 1, 8 and 32 dialogues at once.

    python benchmarks/embedded.py [--rounds 3] [--tokens 80]

On a machine that does other work besides, look at the tokens a second of processor time.
"""

import argparse
import asyncio
import statistics
import time

from anthrokit.models.embedded import answer_here
from anthrokit.models.loop import wait_for


def tokens_a_second(questions, tokens):
    async def all_at_once():
        requests = [([{"role": "user", "content": text}], {"seed": seed, "max_tokens": tokens}) for seed, text in enumerate(questions)]
        return await asyncio.gather(*(answer_here(*one) for one in requests))

    start = time.perf_counter(), time.process_time()
    answers = wait_for(all_at_once())
    made = sum(answer["tokens_out"] for answer in answers)
    return made / (time.perf_counter() - start[0]), made / (time.process_time() - start[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=80)
    options = parser.parse_args()
    tokens_a_second(["Hello"], 2)  # loads the model
    print(f"{'at once':>8}{'a second':>12}{'a second of processor':>24}")
    for count in (1, 8, 32):
        rates = [
            tokens_a_second([f"Give me {100 * number + one} ideas for a gift." for one in range(count)], options.tokens)
            for number in range(options.rounds)
        ]
        wall, processor = (statistics.median(column) for column in zip(*rates, strict=True))
        print(f"{count:>8}{wall:>12.0f}{processor:>24.0f}", flush=True)


if __name__ == "__main__":
    main()
