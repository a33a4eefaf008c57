"""Run notebooks and save their outputs, so that the site and a reader of the files see what the code gives today.

python docs/outputs.py [NOTEBOOK …]    by default all of nbs/ but the papers' (`make figures` runs those)

Cells that begin with `#| eval: false` keep the outputs they have. A cell's outputs are replaced only if they differ in more than
addresses, temporary paths and seconds.
"""

import copy
import json
import re
import sys
from pathlib import Path

import nbclient
import nbformat

ROOT = Path(__file__).resolve().parent.parent
CHANGES_BY_ITSELF = re.compile(r" at 0x[0-9a-f]+|/tmp/\w+|127\.0\.0\.1:\d+|[\d.]+ ?m?s\b|\"execution_count\": \w+")


def without_root(value):
    """Return outputs with paths relative to the repository."""
    if isinstance(value, dict):
        return type(value)({name: without_root(one) for name, one in value.items()})
    if isinstance(value, list):
        return [without_root(one) for one in value]
    return value.replace(f"{ROOT}/", "") if isinstance(value, str) else value


def lasting(outputs) -> str:
    """Return outputs as text without addresses, paths and seconds."""
    return CHANGES_BY_ITSELF.sub("", json.dumps(outputs, sort_keys=True))


def renew(path: Path) -> list[int]:
    """Run a notebook, save the outputs that changed, and return the numbers of their cells."""
    notebook = nbformat.read(path, as_version=4)
    fresh = copy.deepcopy(notebook)
    runs = [cell.cell_type == "code" and not cell.source.startswith("#| eval: false") for cell in fresh.cells]
    fresh.cells = [cell for cell, run in zip(fresh.cells, runs, strict=True) if run]
    nbclient.NotebookClient(fresh, timeout=900, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}).execute()
    changed, new = [], iter(fresh.cells)
    for number, (cell, run) in enumerate(zip(notebook.cells, runs, strict=True)):
        outputs = without_root(next(new).outputs) if run else None
        if run and lasting(outputs) != lasting(cell.outputs):
            cell.outputs = outputs
            changed.append(number)
    if changed:
        nbformat.write(notebook, path)
    return changed


if __name__ == "__main__":
    paths = map(Path, sys.argv[1:]) if sys.argv[1:] else sorted((ROOT / "nbs").rglob("*.ipynb"))
    for one in paths:
        if not {".ipynb_checkpoints", "papers"} & {*one.parts} or sys.argv[1:]:
            print(one, *renew(one.resolve()))
