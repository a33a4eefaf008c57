"""The beginnings of requests that a provider has at hand, counted as providers document it.

A beginning is there when the request that brought it has been answered, and counts from a least length on, in blocks.
OpenAI, Gemini and DeepSeek keep all of them; Anthropic those that end at a mark, which are paid for when they are
written. Four characters are a token.
"""

import hashlib

KINDS = {"openai": (1024, 128), "deepseek": (64, 64), "gemini": (2048, 1), "anthropic": (1024, 1)}  # least, block
CHARACTERS = 4


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


class Prefixes:
    def __init__(self, kind: str):
        self.least, self.block = KINDS[kind]
        self.there: set[bytes] = set()

    def _beginnings(self, text: str) -> list[tuple[int, bytes]]:
        """Tokens and hash of every whole block's end, from the least length on; blocks of one token are taken as 16."""
        step = max(self.block, 16)
        ends = range(step, len(text) // CHARACTERS + 1, step)
        return [(end, digest(text[: end * CHARACTERS])) for end in ends if end >= self.least]

    def read(self, text: str) -> int:
        """Tokens of a request that are at hand."""
        return max((end for end, known in self._beginnings(text) if known in self.there), default=0)

    def keep(self, text: str) -> None:
        """A request has been answered."""
        self.there.update(known for _, known in self._beginnings(text))

    def marked(self, blocks: list[dict]) -> list[tuple[int, bytes]]:
        """Tokens and hash of what stands before each mark."""
        text, found = "", []
        for block in blocks:
            text += block.get("text", "")
            if block.get("cache_control") and len(text) // CHARACTERS >= self.least:
                found.append((len(text) // CHARACTERS, digest(text)))
        return found
