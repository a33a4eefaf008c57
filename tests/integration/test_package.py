"""What is installed is whole: the wheel carries the data, imports are light, extras are named."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from filelock import FileLock
from kernels import run_notebook, wait
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
TUTORIALS = sorted(path.stem for path in (ROOT / "nbs" / "tutorials").glob("*.ipynb"))
TUTORIALS += sorted(f"papers/{path.stem}" for path in (ROOT / "nbs" / "papers").glob("*.ipynb"))
TUTORIALS = [
    pytest.param(name, marks=pytest.mark.public_data)
    if name in ("papers/heartbench", "papers/perception", "prevalence")
    else name
    for name in TUTORIALS
]
HEAVY = ("torch", "transformers", "litellm", "spacy", "pandas", "sklearn", "statsmodels", "matplotlib")
LOAD_ALL = """
import importlib, pkgutil, sys
import anthrokit
from anthrokit.core import data_path
assert "site-packages" in anthrokit.__file__, anthrokit.__file__
for module in pkgutil.walk_packages(anthrokit.__path__, "anthrokit."):
    if module.name.endswith("._modidx"):
        continue
    try:
        importlib.import_module(module.name)
    except ImportError as error:  # the modules that are nothing without their extra
        assert module.name in ("anthrokit.io.inspect_logs", "anthrokit.io.petri", "anthrokit.io.scout"), error
        assert "pip install 'anthrokit[inspect]'" in str(error), error
assert len(anthrokit.load_prompts()) == 960
assert len(anthrokit.simulation.load_scenarios()) == 8
assert len(anthrokit.Taxonomy.load()) == 14
from anthrokit.judging import offline
assert len(offline.labelled_messages()) == 1092
assert len(offline.offline_quality()) == 56
assert len(offline.grammar_judge().behaviours) == 13
assert len(offline.written_sentences()) > 4000
run = anthrokit.demo_run()
assert len(run.messages()) == 160 and len(run.labels()) == 80 * 14
files = {path for path in data_path().rglob("*") if path.is_file() and path.suffix != ".pyc"}  # which pip makes
files = {str(path.relative_to(data_path())) for path in files}
assert files == set(sys.argv[1:]), files ^ set(sys.argv[1:])
assert "torch" not in sys.modules
print("all loaded")
"""
MISSING = """
from anthrokit import anthroscore, demo_run
from anthrokit.io import chats
from anthrokit.judging import offline
from anthrokit.simulation import Taxonomy
from anthrokit.cli import main
from anthrokit.models import LLM

for extra, work in {
    "local": lambda: LLM("local/smollm2-135m-instruct").prepare(),
    "offline": lambda: offline.GrammarJudge().rate_many(["Hello"], Taxonomy.load()["empathy"]),
    "offline ": lambda: offline.embedding_judge(),
    "anthroscore": lambda: anthroscore.load_scorer("roberta-base"),
    "anthroscore ": lambda: anthroscore.mask_sentences(["The system works."]),
    "datasets": lambda: chats.to_datasets(demo_run()),
}.items():
    try:
        work()
    except (RuntimeError, ValueError, ImportError) as error:
        assert f"pip install 'anthrokit[{extra.strip()}]'" in str(error), error
    else:
        raise AssertionError(f"{extra} without its libraries")
assert main(["lab", "elsewhere"]) == 1
"""
STUDY = """
import sys
from anthrokit.cli import main

url = sys.argv[1]
for arguments in (
    ["simulate", "r", "--target", f"openai/t@{url}", "--user", f"openai/u@{url}", "--dialogues", "8"],
    ["judge", "r", "--judges", f"openai/j@{url}", "--samples", "1", "--behaviours", "empathy"],
    ["report", "r"],
):
    assert main([*arguments, "--quiet"]) == 0, arguments
"""


@pytest.fixture(scope="session")
def wheel(shared, tmp_path_factory):
    """The wheel, made from the source distribution as an installer would; in a copy, for others import this tree."""
    folder = shared / "dist"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            copy = tmp_path_factory.mktemp("source")
            listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
            for name in subprocess.run(
                listed, cwd=ROOT, capture_output=True, text=True, check=True
            ).stdout.split("\0"):
                if name and (ROOT / name).exists():
                    (copy / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(ROOT / name, copy / name)
            build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", f"{folder}.part", copy]
            subprocess.run(build, check=True, capture_output=True)
            Path(f"{folder}.part").rename(folder)
    assert len(list(folder.glob("*.tar.gz"))) == 1
    return next(folder.glob("*.whl"))


def required_distributions(requirements):
    """The installed distributions that these requirements ask for, and those ask for in turn."""
    distributions, queue = {}, [(Requirement(one), "") for one in requirements]
    while queue:
        one, extra = queue.pop()
        if one.marker is None or one.marker.evaluate({"extra": extra}):
            distribution = metadata.distribution(one.name)
            assert one.specifier.contains(distribution.version, prereleases=True), (one, distribution.version)
            for extra in {"", *one.extras} - distributions.setdefault(distribution.name, (distribution, set()))[1]:
                distributions[distribution.name][1].add(extra)
                queue += [(Requirement(more), extra) for more in distribution.requires or []]
    return [distribution for distribution, _ in distributions.values()]


def install(wheel, folder):
    """An environment with the wheel and what it asks for, taken from the one that runs the tests; its Python."""
    venv.create(folder, with_pip=False)
    python, packages = folder / "bin" / "python", next(folder.glob("lib/*/site-packages"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "--python", python]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", wheel], check=True, env=clean())
    (metadata_folder,) = packages.glob("anthrokit-*.dist-info")
    for distribution in required_distributions(metadata.PathDistribution(metadata_folder).requires):
        for top in {file.parts[0] for file in distribution.files} - {"..", "__pycache__"}:
            if not (packages / top).exists():
                (packages / top).symlink_to(distribution.locate_file(top))
    check = subprocess.run([*pip, "check"], capture_output=True, text=True, env=clean())
    assert check.returncode == 0, check.stdout
    return python


def clean(**more):
    """The environment without what leads back to this repository."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "JUPYTER_PATH")}
    return environment | more


def test_light_import():
    code = f"import anthrokit, sys; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.slow
def test_wheel_in_clean_environment(wheel, server, tmp_path):
    """Core alone: no torch, everything loads, a study through an API works, what is missing names its extra."""
    python, here = install(wheel, tmp_path / "venv"), {"cwd": tmp_path, "env": clean()}
    tracked = subprocess.run(
        ["git", "ls-files", "data"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    names = [name.removeprefix("data/") for name in tracked]
    done = subprocess.run([python, "-c", LOAD_ALL, *names], capture_output=True, text=True, **here)
    assert "all loaded" in done.stdout, done.stderr
    result = subprocess.run([python, "-c", MISSING], capture_output=True, text=True, **here)
    assert result.returncode == 0 and "pip install 'anthrokit[lab]'" in result.stderr, result.stderr
    command, url = tmp_path / "venv" / "bin" / "anthrokit", server()
    version = subprocess.run([command, "--version"], capture_output=True, text=True, env=clean())
    assert version.stdout.startswith("anthrokit 0.")
    done = subprocess.run([python, "-c", STUDY, url], capture_output=True, text=True, **here)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "r" / "report.html").stat().st_size > 10_000


@pytest.fixture(scope="session")
def elsewhere(wheel, shared):
    """An environment that has the wheel, and all other libraries from the one that runs the tests; its Python.

    The tutorials, as the wheel brings them, lie beside it.
    """
    folder = shared / "elsewhere"
    with FileLock(f"{folder}.lock"):
        if not (shared / "mine").exists():
            venv.create(folder, clear=True, with_pip=False)
            packages = next(folder.glob("lib/*/site-packages"))
            zipfile.ZipFile(wheel).extractall(packages)
            (packages / "rest.pth").write_text(sysconfig.get_path("purelib") + "\n")
            copy = "from anthrokit.cli import copy_tutorials; copy_tutorials('copied')"
            subprocess.run(
                [folder / "bin" / "python", "-c", copy], cwd=shared, env=clean(), check=True, capture_output=True
            )
            (shared / "copied").rename(shared / "mine")
    return folder / "bin" / "python"


@pytest.mark.slow
@pytest.mark.parametrize("name", TUTORIALS)
def test_tutorials_on_the_wheel(name, elsewhere, shared, tmp_path, monkeypatch, request):
    """On kernels of its environment, which are told nothing of this repository."""
    if name in ("papers/perception", "prevalence"):
        request.getfixturevalue("public_data")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setenv("JUPYTER_PATH", wait(shared / "wheel"))
    path = shutil.copytree(shared / "mine", tmp_path / "mine") / f"{name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    where = f"import anthrokit; assert anthrokit.__file__.startswith({str(elsewhere.parents[1])!r}), anthrokit.__file__"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(where))
    run_notebook(notebook, path.parent)
    if name.startswith("papers/"):  # its pictures lie beside it
        require_same_data(path.parent / "figures" / path.stem, ROOT / "figures" / path.stem)


def require_same_data(folder, committed):
    """Compare the data files of figures: every picture has one, and a fresh run gives what is committed."""
    names = {file.name for file in committed.glob("*.csv")}
    assert {file.name for file in folder.glob("*.csv")} == names
    assert {file.stem for file in committed.glob("*.png")} == {name.removesuffix(".csv") for name in names}
    for name in names:
        pd.testing.assert_frame_equal(pd.read_csv(folder / name), pd.read_csv(committed / name), rtol=1e-4, obj=name)
