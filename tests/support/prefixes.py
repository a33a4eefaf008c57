"""The prefixes of requests that a provider has cached, counted as providers document it.

A prefix is cached once its request has been answered. It counts from a least length on, in blocks.
OpenAI, Gemini and DeepSeek cache all prefixes, Anthropic those that end at a mark, which are paid for when they are
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
        self.hashes: set[bytes] = set()

    def _prefixes(self, text: str) -> list[tuple[int, bytes]]:
        """Tokens and hash of every whole block's end, from the least length on; blocks of one token are taken as 16."""
        step = max(self.block, 16)
        ends = range(step, len(text) // CHARACTERS + 1, step)
        return [(end, digest(text[: end * CHARACTERS])) for end in ends if end >= self.least]

    def read(self, text: str) -> int:
        """Return the cached tokens of a request."""
        return max((end for end, prefix in self._prefixes(text) if prefix in self.hashes), default=0)

    def save(self, text: str) -> None:
        """Cache the prefixes of an answered request."""
        self.hashes.update(prefix for _, prefix in self._prefixes(text))

    def marked(self, blocks: list[dict]) -> list[tuple[int, bytes]]:
        """Tokens and hash of what stands before each mark."""
        text, marks = "", []
        for block in blocks:
            text += block.get("text", "")
            if block.get("cache_control") and len(text) // CHARACTERS >= self.least:
                marks.append((len(text) // CHARACTERS, digest(text)))
        return marks
