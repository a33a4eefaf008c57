"""All regular expressions of the package, and how their processor time grows with the length of hostile texts."""

import ast
import importlib
import pkgutil
import re
import time
from collections import deque
from pathlib import Path

import anthrokit

PACKAGE = Path(anthrokit.__file__).parent
# methods that try a pattern at one place of a text; all others try it at every place
ANCHORED = {"match", "fullmatch"}
UNITS = (
    " ", "\n", "\t", "a", "A", "1", "-", "_", ".", "*", '"', "'", "(", "[", "{", "<", "/", "#", "=", ",",
    "`", "|", "+", "://", "::", "a ", "a.", "a-", "a,", "a\n", "a@", "@", "1.", "1,", "1)", "sk-", "I ",
    "not ", "I'm ", "\n\n", ". ", "。", "我", "é", "’", "“", "…", "<a", "- ", "\\", "a=", " :", "&",
    "http://",
)  # fmt: skip


def in_value(value, depth=0):
    """Yield the compiled patterns of a value; up to three levels deep in dicts, lists, tuples and sets."""
    if isinstance(value, re.Pattern):
        yield from [value] if isinstance(value.pattern, str) else []
    elif depth < 3 and isinstance(value, dict | list | tuple | set | frozenset):
        for part in [*value.values()] if isinstance(value, dict) else [*value]:
            yield from in_value(part, depth + 1)


def in_code(tree):
    """Yield (line, method, pattern) for each call of a function of re with a literal pattern."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        of_re, literal = getattr(node.func.value, "id", "") == "re", getattr(node.args[0], "value", None)
        if of_re and isinstance(literal, str) and node.func.attr not in ("escape", "compile"):
            others = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
            flags = 0
            for name in re.findall(r"re\.([A-Z]+)", " ".join(map(ast.unparse, others))):
                flags |= getattr(re, name)
            yield node.lineno, node.func.attr, re.compile(literal, flags)


def all_patterns():
    """Yield (place, pattern, whether it is only tried at one place of a text): module-level ones and literals in calls."""
    sources = {path: path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    seen = set()
    for path, source in sources.items():
        for line, method, pattern in in_code(ast.parse(source)):
            yield f"{path.relative_to(PACKAGE.parent)}:{line}", pattern, method in ANCHORED
    for module in pkgutil.walk_packages(anthrokit.__path__, "anthrokit."):
        if module.name.endswith(("_modidx", "__main__")):
            continue
        loaded = importlib.import_module(module.name)
        code = sources[Path(loaded.__file__)]  # another module may have another pattern of the same name
        for name, value in vars(loaded).items():
            methods = set(re.findall(rf"\b{name}(?:\[\w+\])?\.(\w+)\(", code))
            for pattern in {*in_value(value)} - seen:
                seen.add(pattern)
                yield f"{module.name}.{name}", pattern, bool(methods) and methods <= ANCHORED


def hostile_units(pattern):
    """Return short texts whose repetition may cost a pattern much time: usual ones, and words that it holds itself."""
    words = re.findall(r"[A-Za-z\u4e00-\u9fff]{2,}[-_]?", re.sub(r"\\.", " ", pattern.pattern))[:16]
    return dict.fromkeys([*UNITS, *(word + end for word in words for end in ("", " ", "-", " a"))])


def matcher(pattern, anchored):
    """Return the function of a text that tries a pattern as the package does."""
    return pattern.match if anchored else lambda text: deque(pattern.finditer(text), maxlen=0)


def seconds(work, text):
    """Return the processor time that a function takes for a text."""
    start = time.process_time()
    work(text)
    return time.process_time() - start


def growth(work, unit, size=4_000):
    """Return how much longer a text four times as long takes: about 4 if time is linear, about 16 if it is quadratic.

    Returns 1.0 if the time is too short to be measured; a quadratic function is slow enough at this size. The text ends
    in a character that hardly any pattern expects, so that a pattern has to try all its ways.
    """
    short, long = (unit * (n // len(unit)) + "\0" for n in (size, 4 * size))
    if seconds(work, short) < 0.001:
        return 1.0
    return seconds(work, long) / min(seconds(work, short) for _ in range(3))
