"""Run notebooks and save their outputs, so that the site and a reader of the files see what the code gives today.

python docs/outputs.py [NOTEBOOK …]    by default all of nbs/ but the papers' (`make figures` runs those)

Cells that begin with `#| eval: false` keep the outputs they have. A cell's outputs are replaced only if they differ in more than
addresses, times and temporary paths.
"""

import copy
import json
import re
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import nbclient
import nbformat

ROOT = Path(__file__).resolve().parent.parent
CHANGES_BY_ITSELF = re.compile(
    r" at 0x[0-9a-f]+|\bT_[0-9a-f]{5}|/tmp/\w+/|127\.0\.0\.1:\d+|\b[\d.]+ ?m?s\b|\d{4}-\d\d-\d\dT[\d:+]+"
    r"|\"execution_count\": \w+|\"model_id\": \"\w+"
)


def portable(value):
    """Return outputs without temporary folders, this repository's path, warnings, and widgets, which a file can't show."""
    if isinstance(value, dict):
        return type(value)({name: portable(one) for name, one in value.items()})
    if isinstance(value, list):
        return [portable(one) for one in value if not (isinstance(one, dict) and is_passing(one))]
    return re.sub(r"/tmp/\w+/", "", value.replace(f"{ROOT}/", "")) if isinstance(value, str) else value


def is_passing(output) -> bool:
    """Return whether an output is a line of stderr or has nothing but a widget."""
    data = output.get("data", {"text/plain": "a stream"})
    return output.get("name") == "stderr" or not any(data[name] for name in data if not name.startswith("application/vnd.jupyter.widget"))


def lasting(outputs) -> str:
    """Return outputs as text without what differs from run to run."""
    return CHANGES_BY_ITSELF.sub("", json.dumps(outputs, sort_keys=True))


@contextmanager
def no_runs(folder: Path):
    """Set the folder's runs aside while a notebook runs, because it would resume them; remove those that it makes."""
    runs, aside = folder / "runs", Path(tempfile.mkdtemp(dir=folder)) / "runs"
    try:
        if runs.exists():
            runs.rename(aside)
        yield
    finally:
        shutil.rmtree(runs, ignore_errors=True)
        if aside.exists():
            aside.rename(runs)
        aside.parent.rmdir()


def renew(path: Path) -> list[int]:
    """Run a notebook, save the outputs that changed, and return the numbers of their cells."""
    notebook = nbformat.read(path, as_version=4)
    fresh = copy.deepcopy(notebook)
    runs = [cell.cell_type == "code" and not cell.source.startswith("#| eval: false") for cell in fresh.cells]
    fresh.cells = [cell for cell, run in zip(fresh.cells, runs, strict=True) if run]
    with no_runs(path.parent):
        nbclient.NotebookClient(fresh, timeout=900, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}).execute()
    changed, new = [], iter(fresh.cells)
    for number, (cell, run) in enumerate(zip(notebook.cells, runs, strict=True)):
        outputs = portable(next(new).outputs) if run else None
        if run and lasting(outputs) != lasting(cell.outputs):
            cell.outputs = outputs
            changed.append(number)
    if changed:
        nbformat.write(notebook, path)
    return changed


if __name__ == "__main__":
    paths = [Path(name).with_suffix(".ipynb") for name in sys.argv[1:]] if sys.argv[1:] else sorted((ROOT / "nbs").rglob("*.ipynb"))
    for one in paths:
        if not {".ipynb_checkpoints", "papers"} & {*one.parts} or sys.argv[1:]:
            print(one, *renew(one.resolve()))
