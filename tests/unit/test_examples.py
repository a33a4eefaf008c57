"""The Examples of every public docstring run as they stand. `python tests/unit/test_examples.py` lists names without any."""

import doctest
import importlib
import inspect
import os
import pkgutil
import sys
from unittest.mock import patch

import matplotlib.pyplot as plt
import pytest

import anthrokit

# What a module's examples need that not every install has.
EXTRAS = {
    "anthrokit.io.inspect_logs": "inspect_ai",
    "anthrokit.io.petri": "inspect_ai",
    "anthrokit.anthroscore.mentions": "spacy",
}
HEAVY = "models.embedded judging.offline anthroscore.scoring viewer report validity.perception".split()
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(anthrokit.__path__, "anthrokit.")
    if not module.ispkg and not module.name.endswith("._modidx")
)


def public(module):
    """The functions and classes that a module lists, and the classes' public methods."""
    for name in getattr(module, "__all__", []):
        one = inspect.unwrap(getattr(module, name))  # of a function that keeps its results, the function
        if (inspect.isfunction(one) or inspect.isclass(one)) and one.__module__ == module.__name__:
            yield name, one


def examples(module):
    """The examples of a module's public names, methods included, and of no other."""
    finder = doctest.DocTestFinder(recurse=True, exclude_empty=True)
    for name, one in public(module):
        for test in finder.find(one, f"{module.__name__}.{name}", module=False, globs={**vars(module)}):
            if test.examples and not any(part.startswith("_") for part in test.name.split(".")):
                yield test


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name.removeprefix("anthrokit.") in HEAVY else name for name in MODULES]
)
def test_examples_run(name, tmp_path, monkeypatch):
    if name in EXTRAS:
        pytest.importorskip(EXTRAS[name])
    monkeypatch.chdir(tmp_path)
    failures, options = [], doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    with patch.dict(os.environ):  # an example may set a variable
        for test in examples(importlib.import_module(name)):
            doctest.DocTestRunner(optionflags=options, verbose=False).run(test, out=failures.append)
            plt.close("all")  # what an example draws
    assert not failures, "".join(failures)


def shows_itself(name, one, value):
    """Whether a public name has an example: run here, or, of a command and a twin for code that awaits, elsewhere."""
    if name == "anthrokit.cli" and "Examples: anthrokit " in (value.__doc__ or ""):
        return True  # test_cli parses them
    if inspect.iscoroutinefunction(value) and "for code that awaits" in (value.__doc__ or ""):
        return True
    return any(test.examples for test in doctest.DocTestFinder().find(value, one, module=False))


def without():
    """Functions and classes that a subpackage offers, without an example."""
    for name in MODULES:
        module = importlib.import_module(name)
        offered = getattr(sys.modules[name.rpartition(".")[0]], "__all__", module.__all__)
        for one, value in public(module):
            if one in offered and not shows_itself(name, one, value):
                yield f"{name.removeprefix('anthrokit.')}.{one}"


def test_every_name_has_an_example():
    assert not list(without())


def test_signature_defaults():
    """What Shift+Tab shows of a name has no page of text in it."""
    public_objects = [one for name in MODULES for one in public(importlib.import_module(name))]
    functions = {name: value for name, value in public_objects if inspect.isfunction(value)}
    functions |= {name: value.__init__ for name, value in public_objects if inspect.isfunction(getattr(value, "__init__", 0))}
    walls = [
        f"{name}({parameter.name}=…)"
        for name, function in functions.items()
        for parameter in inspect.signature(function).parameters.values()
        if len(repr(parameter.default)) > 120
    ]
    assert len(functions) > 400 and not walls


if __name__ == "__main__":
    sys.stdout.write("\n".join(without()) + "\n")
