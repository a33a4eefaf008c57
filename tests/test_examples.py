"""The Examples of every public docstring run as they stand. `python tests/test_examples.py` lists names without any."""

import doctest
import importlib
import inspect
import pkgutil
import sys

import pytest

import anthrokit

# What a module's examples need that not every install has.
EXTRAS = {
    "anthrokit.io.inspect_logs": "inspect_ai",
    "anthrokit.io.petri": "inspect_ai",
    "anthrokit.anthroscore.mentions": "spacy",
}
HEAVY = {"anthrokit.models.embedded", "anthrokit.judging.offline", "anthrokit.anthroscore.scoring"}
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(anthrokit.__path__, "anthrokit.")
    if not module.ispkg and not module.name.endswith("._modidx")
)


def public(module):
    "The functions and classes that a module lists, and the classes' public methods."
    for name in getattr(module, "__all__", []):
        one = getattr(module, name)
        if (inspect.isfunction(one) or inspect.isclass(one)) and one.__module__ == module.__name__:
            yield name, one


def examples(module):
    "The examples of a module's public names, methods included, and of no other."
    finder = doctest.DocTestFinder(recurse=True, exclude_empty=True)
    for name, one in public(module):
        for test in finder.find(one, f"{module.__name__}.{name}", module=False, globs={**vars(module)}):
            if test.examples and not any(part.startswith("_") for part in test.name.split(".")):
                yield test


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in HEAVY else name for name in MODULES]
)
def test_examples_run(name, tmp_path, monkeypatch):
    if name in EXTRAS:
        pytest.importorskip(EXTRAS[name])
    monkeypatch.chdir(tmp_path)
    told, options = [], doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    for test in examples(importlib.import_module(name)):
        doctest.DocTestRunner(optionflags=options, verbose=False).run(test, out=told.append)
    assert not told, "".join(told)


def without():
    "Public functions and classes without an example."
    for name in MODULES:
        module = importlib.import_module(name)
        for one, value in public(module):
            if not any(test.examples for test in doctest.DocTestFinder().find(value, one, module=False)):
                yield f"{name.removeprefix('anthrokit.')}.{one}"


if __name__ == "__main__":
    sys.stdout.write("\n".join(without()) + "\n")
