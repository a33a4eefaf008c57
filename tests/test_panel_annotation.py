"""The annotation panel in JupyterLab: keys, buttons, two people, and what happens when the kernel dies."""

import pytest

from anthrokit import Run, demo_run

OPEN = "from anthrokit import AnnotationPanel, Run\nrun = Run({!r})\npanel = AnnotationPanel(run, 2, annotator={!r})\npanel"


@pytest.fixture
def folder(tmp_path):
    demo_run(tmp_path / "run").close()
    return tmp_path / "run"


@pytest.fixture
def notebook(open_notebook, folder):
    notebook = open_notebook([OPEN.format(str(folder), "Ada")])
    notebook.panels.first.get_by_text("0 of").first.wait_for()
    return notebook


def test_looks(notebook):
    notebook.screenshot("annotation_light")
    notebook.theme("JupyterLab Dark")
    notebook.width(900)
    notebook.screenshot("annotation_dark_900")
    assert notebook.overflowing() == []
