"""Every notebook runs from top to bottom; the tests inside them are the tests of the modules.

Cells marked `#| eval: false` are left out, as nbdev does: they show public data or the speed of a machine.
The tutorials and the papers' notebooks run on the wheel, in test_package.py.
"""

from pathlib import Path

import nbformat
import pytest
from kernels import run_notebook

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted(
    path
    for path in (ROOT / "nbs").rglob("*.ipynb")
    if not {".ipynb_checkpoints", "papers", "tutorials"} & set(path.parts)
)


READS_PUBLIC_DATA = 'environ.get(\\"ANTHROKIT_DATA'  # as it stands in a notebook's file


def parameters():
    """Yield the notebooks; those that show more with the public data sets are marked public_data."""
    for path in NOTEBOOKS:
        marks = [pytest.mark.public_data] if READS_PUBLIC_DATA in path.read_text(encoding="utf-8") else []
        yield pytest.param(path, id=path.relative_to(ROOT / "nbs").as_posix(), marks=marks)


@pytest.mark.parametrize("path", list(parameters()))
def test_notebook(path, kernels):
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [cell for cell in notebook.cells if not cell.source.startswith("#| eval: false")]
    run_notebook(notebook, path.parent)
