"""Every notebook runs from top to bottom; the tests inside them are the tests of the modules.

Cells marked `#| eval: false` are left out, as nbdev does: they show public data or the speed of a machine.
The tutorials and the papers' notebooks run on the wheel, in test_package.py.
"""

from pathlib import Path

import nbclient
import nbformat
import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted(
    path
    for path in (ROOT / "nbs").rglob("*.ipynb")
    if not {".ipynb_checkpoints", "papers", "tutorials"} & set(path.parts)
)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.relative_to(ROOT / "nbs").as_posix())
def test_notebook(path, kernels):
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [cell for cell in notebook.cells if not cell.source.startswith("#| eval: false")]
    place = {"metadata": {"path": str(path.parent)}}
    nbclient.NotebookClient(notebook, timeout=900, kernel_name="python3", resources=place).execute()
