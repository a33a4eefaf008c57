"""The documentation site: built in a copy, nothing ignored, no link broken, pages that a reader can use."""

import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest
from browser import CONTRASTS, seen
from filelock import FileLock
from smalldocs.check import scan

from anthrokit.cli import app

ROOT = Path(__file__).parent.parent
SMALLDOCS = Path(sys.executable).with_name("smalldocs")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    "The built site: `smalldocs check` would build it once more for what the build and these pages tell."
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "site"  # one for all of its workers
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            build(tmp_path_factory.mktemp("copy")).rename(folder)
    return folder / "_docs"


def build(copy):
    "The copy with the site in it."
    parts = ("nbs", "docs", "figures", "anthrokit", "settings.ini", "_quarto.yml")
    files = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", *parts],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for name in files:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, copy / name)
    built = subprocess.run([SMALLDOCS, "render", "--strict", copy], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    unread = {path: scan(path.read_text(encoding="utf-8")) for path in copy.rglob("*.md")}
    assert unread and not any(unread.values()), unread
    return copy


def test_every_chapter_and_page_is_there(site):
    notebooks = [path.relative_to(ROOT / "nbs") for path in (ROOT / "nbs").rglob("*.ipynb")]
    expected = {
        Path("chapters") / path.with_suffix(".html")
        for path in notebooks
        if path.name != "index.ipynb" and not any(part.startswith((".", "_")) for part in path.parts)
    }
    expected |= {Path("chapters/about") / f"{path.stem}.html" for path in (ROOT / "docs").glob("*.md")}
    expected |= {Path("index.html"), Path("chapters/benchmarks.html"), Path("chapters/api.html")}
    assert {path.relative_to(site) for path in site.rglob("*.html")} == expected
    sidebar = (site / "index.html").read_text(encoding="utf-8")
    assert not [page for page in expected if f'href="{page.as_posix()}"' not in sidebar]
    titles = [re.search("<title>(.*?)</title>", page.read_text(encoding="utf-8"))[1] for page in site.rglob("*.html")]
    assert not [title for title, n in Counter(titles).items() if n > 1]
    found = {
        entry["href"].split("#")[0]
        for entry in json.loads((site / "search.json").read_text(encoding="utf-8"))
    }
    assert {page.as_posix() for page in expected} <= found


def test_readers_see_no_directives_and_all_pictures(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        shown = re.sub(r"<[^>]+>", "", text)
        assert not re.search(r"#\| ?(export|hide|default_exp|eval)\b", shown), page
        for picture in re.findall(r'<img[^>]+src="([^"]+)"', text):
            assert picture.startswith("data:image/") or (page.parent / picture).is_file(), (page, picture)
        untold = [one for one in re.findall("<img[^>]+>", text) if not re.search(' alt="[^"]{20,}"', one)]
        assert not untold, f"{page}: say in each cell what its picture shows: #| fig-alt: ..."
        assert 'class="math' not in text and page.stat().st_size < 3_000_000, page
        fetched = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', text)
        assert not fetched, (page, fetched)  # not by a reader without network, nor from anyone who would learn of it


def test_a_chapter_shows_signatures_and_work_and_folds_the_rest(site):
    page = (site / "chapters" / "05_judging" / "02_judges.html").read_text(encoding="utf-8")
    head = page.index('id="judge_prompt"')
    shown = re.sub(r"<[^>]+>", "", page[head : page.index("<details", head)])
    assert "judge_prompt(" in shown and "Parameters" in shown and "Source" in shown
    outside = re.sub(r"<details.*?</details>", "", page, flags=re.S)
    assert "from ..core import" not in re.sub(r"<[^>]+>", "", page)
    assert "cell-code" in outside and '<span class="st">' in outside
    assert "/blob/main/anthrokit/judging/judges.py#L" in page
    assert "def judge_identity" not in re.sub(r"<[^>]+>", "", outside)  # what a room keeps to itself is folded too
    helpers = page[page.index("<summary>Helpers: judge_identity") :].partition("</details>")[0]
    assert "/blob/main/anthrokit/judging/judges.py#L" in helpers


def test_methods_of_a_class_and_what_every_figure_takes_are_told(site):
    runs = re.sub(r"<[^>]+>", "", (site / "chapters" / "01_core" / "04_run.html").read_text(encoding="utf-8"))
    told = runs.partition("Run.labels")[2].partition("Run.annotations")[0]
    assert "What methods take and return" in runs and "The panel: names of judges of this run" in told
    figures = (site / "chapters" / "09_figures" / "02_profiles.html").read_text(encoding="utf-8")
    signature = re.sub(r"<[^>]+>", "", figures.partition('id="plot_profile"')[2].partition("</pre>")[0])
    assert "palette: Sequence[str]" in signature and "style: str" in signature


def test_what_is_told_of_a_name_leads_to_the_names_it_mentions(site):
    tables = (site / "chapters" / "05_judging" / "07_any_messages.html").read_text(encoding="utf-8")
    assert 'href="06_jobs.html#judge"><code>judge</code>' in tables
    figures = (site / "chapters" / "09_figures" / "04_turns.html").read_text(encoding="utf-8")
    assert re.search(r'href="[^"]*07_analysis/04_timing.html#emergence"><code>analysis.emergence', figures)
    talk = (site / "chapters" / "07_analysis" / "10_talk_about_the_system.html").read_text(encoding="utf-8")
    assert not re.search(r"15_cli.html#anthroscore", talk.partition("<main")[2])  # a room, not the command of its name


def test_no_page_gives_an_anchor_twice_and_every_link_finds_its_own(site):
    "Pictures drawn as SVG name their parts alike; what else has an id may be linked to."
    found = {page: page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    pages = {page: re.sub(r"<svg.*?</svg>", "", text, flags=re.S) for page, text in found.items()}
    anchors = {page: re.findall(r'<[^>]+\sid="([^"]+)"', text) for page, text in pages.items()}
    for page, text in pages.items():
        doubled = [one for one, n in Counter(anchors[page]).items() if n > 1]
        assert not doubled, (page, doubled)
        for link, anchor in re.findall(r'href="([^":#]*)#([^"]+)"', text):
            there = (page.parent / unquote(link)).resolve() if link else page
            assert unquote(anchor) in anchors[there], (page, link, anchor)


def test_every_public_name_is_on_the_api_page(site):
    import anthrokit

    page = (site / "chapters" / "api.html").read_text(encoding="utf-8")
    for name in anthrokit.__all__:
        if inspect.isfunction(one := getattr(anthrokit, name)) or inspect.isclass(one):
            assert f"<code>{name}</code>" in page, name
    for package in (anthrokit.heartbench, anthrokit.analysis, anthrokit.study):
        for name in package.__all__:
            if getattr(getattr(package, name), "__module__", "").startswith(package.__name__):
                assert f"<code>{name}</code>" in page, (package.__name__, name)
    assert "A value." not in page


def test_every_command_is_in_the_table_of_its_chapter():
    cells = json.loads((ROOT / "nbs" / "15_cli.ipynb").read_text(encoding="utf-8"))["cells"]
    told = re.findall(r"^\| `anthrokit (\w+)[^|]*", "".join(cells[0]["source"]), re.M)
    told += re.findall(r"`(\w+)`", re.search(r"^\| `anthrokit split.*?\|", "".join(cells[0]["source"]), re.M)[0])
    assert {name for name in app if not name.startswith("-")} == set(told)


def test_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 90


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere_in_the_repository(page):
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), link


@pytest.mark.parametrize("path", sorted((ROOT / "nbs" / "tutorials").glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_tutorial_opens_with_its_picture_and_running_time(path):
    "In the notebook itself, which is read without the site; `docs/opening.py` puts the picture there."
    title = json.loads(path.read_text(encoding="utf-8"))["cells"][0]
    text, picture = "".join(title["source"]), title["attachments"]["opening.png"]["image/png"]
    assert re.search(r"^> \*Runs in about \d+ (seconds|minutes)\b", text, re.M)
    assert re.search(r"^!\[[^\]]{20,}\]\(attachment:opening\.png\)$", text, re.M)
    assert picture.startswith("iVBORw0KGgo") and len(picture) > 10_000


@pytest.mark.parametrize("path", sorted((ROOT / "nbs").rglob("*.ipynb")), ids=lambda path: path.stem)
def test_outputs_hold_no_warning_no_path_of_a_machine_and_no_widget_state(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    told = json.dumps([cell.get("outputs", []) for cell in notebook["cells"]])
    assert not re.search(r"Warning: |/ipykernel_\d|\"/(?:home|root|Users)/", told)
    assert "widgets" not in notebook["metadata"], "delete metadata.widgets: the pictures in the outputs say the same"


@pytest.mark.parametrize("path", sorted((ROOT / "nbs" / "tasks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_task_is_short_and_ends_in_a_picture(path):
    "That it runs, test_notebooks.py shows; a page has about ten lines of work, and the figure they end in."
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    lines = [line for cell in cells for line in "".join(cell["source"]).splitlines()]
    assert len([line for line in lines if line.strip() and "import " not in line]) <= 20
    assert any("image/png" in output.get("data", {}) for output in cells[-1]["outputs"])


LOOKED_AT = (
    "index.html",
    "chapters/05_judging/06_jobs.html",
    "chapters/06_anthroscore/02_scoring.html",
    "chapters/09_figures/02_profiles.html",
    "chapters/12_panels/03_dialogue.html",
    "chapters/15_cli.html",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_read_in_light_and_in_dark(site, browser, scheme):
    page = browser.new_context(color_scheme=scheme).new_page()
    for name in LOOKED_AT:
        page.goto((site / name).as_uri())
        dark = page.locator("html.quarto-dark")
        seen(dark).to_have_count(int(scheme == "dark"))
        faint = [one for one in page.evaluate(CONTRASTS.replace(".anthrokit *", "body *")) if one[0] < 4.5]
        assert not faint, (name, faint)
    page.locator(".quarto-color-scheme-toggle").click()
    seen(dark).to_have_count(int(scheme == "light"))


def test_benchmarks_are_the_chapters_own(site):
    "The page gathers what the chapters say; a heading that was renamed fails the build."
    page = (site / "chapters" / "benchmarks.html").read_text(encoding="utf-8")
    assert page.count("<table") >= 6 and "561,600" in page and "coverage" in page
