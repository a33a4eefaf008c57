"""The documentation site: built in a copy, nothing ignored, no link broken, pages that a reader can use."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SMALLDOCS = Path(sys.executable).with_name("smalldocs")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    "The built site; the check's findings are part of it."
    copy = tmp_path_factory.mktemp("site")
    files = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "nbs", "docs", "figures", "_quarto.yml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for name in files:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy / name)
    checked = subprocess.run([SMALLDOCS, "check", copy], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    built = subprocess.run([SMALLDOCS, "render", "--strict", copy], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return copy / "_docs"


def test_every_chapter_and_page_is_there(site):
    notebooks = [path.relative_to(ROOT / "nbs") for path in (ROOT / "nbs").rglob("*.ipynb")]
    expected = {
        Path("chapters") / path.with_suffix(".html")
        for path in notebooks
        if path.name != "index.ipynb" and not any(part.startswith((".", "_")) for part in path.parts)
    }
    expected |= {path.relative_to(ROOT).with_suffix(".html") for path in (ROOT / "docs").glob("*.md")}
    expected |= {Path("index.html"), Path("chapters/benchmarks.html")}
    assert {path.relative_to(site) for path in site.rglob("*.html")} == expected
    sidebar = (site / "index.html").read_text(encoding="utf-8")
    assert not [page for page in expected if f'href="{page.as_posix()}"' not in sidebar]
    found = {entry["href"].split("#")[0] for entry in json.loads((site / "search.json").read_text(encoding="utf-8"))}
    assert {page.as_posix() for page in expected} <= found


def test_readers_see_no_directives_and_all_pictures(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        shown = re.sub(r"<[^>]+>", "", text)
        assert not re.search(r"#\| ?(export|hide|default_exp|eval)\b", shown), page
        for picture in re.findall(r'<img[^>]+src="([^"]+)"', text):
            assert picture.startswith("data:image/") or (page.parent / picture).is_file(), (page, picture)
        assert "https://fonts." not in text and page.stat().st_size < 3_000_000, page
    code = (site / "chapters" / "09_stats.html").read_text(encoding="utf-8")
    assert "cell-code" in code and '<span class="st">' in code


def test_benchmarks_are_the_chapters_own(site):
    "The page gathers what the chapters say; a heading that was renamed fails the build."
    page = (site / "chapters" / "benchmarks.html").read_text(encoding="utf-8")
    assert page.count("<table") >= 6 and "561,600" in page and "coverage" in page
