"""The README, pages, tutorials and tasks: length, links, pictures, outputs."""

import json
import re
from pathlib import Path

import pytest

from anthrokit.cli import app

ROOT = Path(__file__).parents[2]


def test_commands_in_chapter_table():
    cells = json.loads((ROOT / "nbs" / "16_cli.ipynb").read_text(encoding="utf-8"))["cells"]
    documented = re.findall(r"^\| `anthrokit (\w+)[^|]*", "".join(cells[0]["source"]), re.M)
    documented += re.findall(r"`(\w+)`", re.search(r"^\| `anthrokit split.*?\|", "".join(cells[0]["source"]), re.M)[0])
    assert {name for name in app if not name.startswith("-")} == set(documented)


def test_readme_length():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 90


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_repository_links(page):
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), link


@pytest.mark.parametrize("path", sorted((ROOT / "nbs" / "tutorials").glob("*.ipynb")), ids=lambda path: path.stem)
def test_tutorial_opening(path):
    """In the notebook itself, which is read without the site; `docs/opening.py` puts the picture there."""
    title = json.loads(path.read_text(encoding="utf-8"))["cells"][0]
    text, picture = "".join(title["source"]), title["attachments"]["opening.png"]["image/png"]
    assert re.search(r"^> \*Runs in about \d+ (seconds|minutes)\b", text, re.M)
    assert re.search(r"^!\[[^\]]{20,}\]\(attachment:opening\.png\)$", text, re.M)
    assert picture.startswith("iVBORw0KGgo") and len(picture) > 10_000


@pytest.mark.parametrize("path", sorted((ROOT / "nbs").rglob("*.ipynb")), ids=lambda path: path.stem)
def test_stored_outputs_are_clean(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    outputs = json.dumps([cell.get("outputs", []) for cell in notebook["cells"]])
    assert not re.search(r"Warning: |/ipykernel_\d|\"/(?:home|root|Users)/", outputs)
    assert "widgets" not in notebook["metadata"], "delete metadata.widgets: the pictures in the outputs say the same"


@pytest.mark.parametrize("path", sorted((ROOT / "nbs" / "tasks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_task_length_and_figure(path):
    """That it runs, test_notebooks.py shows; a page has about ten lines of work, and the figure they end in."""
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    lines = [line for cell in cells for line in "".join(cell["source"]).splitlines()]
    assert len([line for line in lines if line.strip() and "import " not in line]) <= 20
    assert any("image/png" in output.get("data", {}) for output in cells[-1]["outputs"])
