"""The documentation site, built once: pages, links, anchors, the API page."""

import inspect
import json
import re
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import anthrokit

ROOT = Path(__file__).parents[2]
SUBPACKAGES = [path.parent.name for path in (ROOT / "anthrokit").glob("*/__init__.pyi")]


def test_pages_exist(site):
    notebooks = [path.relative_to(ROOT / "nbs") for path in (ROOT / "nbs").rglob("*.ipynb")]
    expected = {
        Path("chapters") / path.with_suffix(".html")
        for path in notebooks
        if path.name != "index.ipynb" and not any(part.startswith((".", "_")) for part in path.parts)
    }
    expected |= {Path("chapters/about") / f"{path.stem}.html" for path in (ROOT / "docs").glob("*.md")}
    expected |= {Path("index.html"), Path("chapters/benchmarks.html"), Path("chapters/api.html")}
    expected |= {Path(f"chapters/api/{subpackage}.html") for subpackage in SUBPACKAGES}
    assert {path.relative_to(site) for path in site.rglob("*.html")} == expected
    sidebar = (site / "index.html").read_text(encoding="utf-8")
    assert not [page for page in expected if f'href="{page.as_posix()}"' not in sidebar]
    titles = [re.search("<title>(.*?)</title>", page.read_text(encoding="utf-8"))[1] for page in site.rglob("*.html")]
    assert not [title for title, n in Counter(titles).items() if n > 1]
    in_search = {
        entry["href"].split("#")[0]
        for entry in json.loads((site / "search.json").read_text(encoding="utf-8"))
    }
    assert {page.as_posix() for page in expected} <= in_search


def test_directives_hidden_and_pictures_shown(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        visible = re.sub(r"<[^>]+>", "", text)
        assert not re.search(r"#\| ?(export|hide|default_exp|eval)\b", visible), page
        for picture in re.findall(r'<img[^>]+src="([^"]+)"', text):
            assert picture.startswith("data:image/") or (page.parent / picture).is_file(), (page, picture)
        undescribed = [one for one in re.findall("<img[^>]+>", text) if not re.search(' alt="[^"]{20,}"', one)]
        assert not undescribed, f"{page}: say in each cell what its picture shows: #| fig-alt: ..."
        assert 'class="math' not in text and page.stat().st_size < 3_000_000, page
        external = re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', text)
        assert not external, (page, external)  # pages load nothing from other servers


def test_folded_code(site):
    page = (site / "chapters" / "05_judging" / "02_judges.html").read_text(encoding="utf-8")
    head = page.index('id="judge_prompt"')
    visible = re.sub(r"<[^>]+>", "", page[head : page.index("<details", head)])
    assert "judge_prompt(" in visible and "Parameters" in visible and "Source" in visible
    outside = re.sub(r"<details.*?</details>", "", page, flags=re.S)
    assert "from ..core import" not in re.sub(r"<[^>]+>", "", page)
    assert "cell-code" in outside and '<span class="st">' in outside
    assert "/blob/main/anthrokit/judging/judges.py#L" in page
    assert "def judge_identity" not in re.sub(r"<[^>]+>", "", outside)  # private helpers are folded too
    helpers = page[page.index("<summary>Helpers: judge_identity") :].partition("</details>")[0]
    assert "/blob/main/anthrokit/judging/judges.py#L" in helpers


def test_methods_and_shared_parameters(site):
    runs = re.sub(r"<[^>]+>", "", (site / "chapters" / "01_core" / "04_run.html").read_text(encoding="utf-8"))
    labels_method = runs.partition("Run.labels")[2].partition("Run.annotations")[0]
    assert "What methods take and return" in runs and "The panel: names of judges of this run" in labels_method
    figures = (site / "chapters" / "09_figures" / "02_profiles.html").read_text(encoding="utf-8")
    parameters = re.sub(r"<[^>]+>", "", figures.partition('id="plot_profile"')[2].partition("Source")[0])
    assert "palette" in parameters and "style" in parameters and "Returns" in parameters


def test_links_from_descriptions(site):
    tables = (site / "chapters" / "05_judging" / "07_any_messages.html").read_text(encoding="utf-8")
    assert re.search(r'href="[^"]*07_any_messages.html#import_messages"><code>import_messages', tables)
    figures = (site / "chapters" / "09_figures" / "04_turns.html").read_text(encoding="utf-8")
    assert re.search(r'href="[^"]*07_analysis/04_timing.html#emergence"><code>analysis.emergence', figures)
    scoring = (site / "chapters" / "06_anthroscore" / "02_scoring.html").read_text(encoding="utf-8")
    assert not re.search(r"16_cli.html#anthroscore", scoring.partition("<main")[2])  # not the command of that name


def test_unique_anchors_and_links(site):
    """Each id outside SVG pictures is unique, and each link to an id has its target."""
    texts = {page: page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    pages = {page: re.sub(r"<svg.*?</svg>", "", text, flags=re.S) for page, text in texts.items()}
    anchors = {page: re.findall(r'<[^>]+\sid="([^"]+)"', text) for page, text in pages.items()}
    for page, text in pages.items():
        duplicates = [one for one, n in Counter(anchors[page]).items() if n > 1]
        assert not duplicates, (page, duplicates)
        for link, anchor in re.findall(r'href="([^":#]*)#([^"]+)"', text):
            target = (page.parent / unquote(link)).resolve() if link else page
            assert unquote(anchor) in anchors[target], (page, link, anchor)


def test_public_names_on_api_pages(site):
    """The top-level names on the first page, those of each subpackage on its own, and no helper."""

    def listed(page):
        return re.findall(r'<td>\s*<a href="[^"]+"><code>(\w+)</code>', (site / "chapters" / page).read_text(encoding="utf-8"))

    top = [name for name in anthrokit.__all__ if not inspect.ismodule(getattr(anthrokit, name))]
    assert sorted(listed("api.html")) == sorted(top)
    for name in SUBPACKAGES:
        stub = (ROOT / "anthrokit" / name / "__init__.pyi").read_text(encoding="utf-8")
        documented = {*listed(f"api/{name}.html")}
        assert {*getattr(anthrokit, name).__all__} <= documented <= {*re.findall(r" as (\w+)$", stub, re.M)}, name


def test_benchmark_tables(site):
    """The page collects the tables of the notebooks; a renamed heading fails the build."""
    page = (site / "chapters" / "benchmarks.html").read_text(encoding="utf-8")
    assert page.count("<table") >= 6 and "561,600" in page and "coverage" in page
