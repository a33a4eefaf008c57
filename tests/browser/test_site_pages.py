"""Pages of the documentation site in a browser."""

from pathlib import Path

import pytest
from browser import CONTRASTS, seen
from servers import served_folder

ROOT = Path(__file__).parents[2]


LOOKED_AT = (
    "index.html",
    "chapters/05_judging/06_jobs.html",
    "chapters/06_anthroscore/02_scoring.html",
    "chapters/09_figures/02_profiles.html",
    "chapters/12_panels/03_dialogue.html",
    "chapters/16_cli.html",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(site, browser, scheme):
    page = browser.new_context(color_scheme=scheme).new_page()
    for name in LOOKED_AT:
        page.goto((site / name).as_uri())
        dark = page.locator("html.quarto-dark")
        seen(dark).to_have_count(int(scheme == "dark"))
        faint = [one for one in page.evaluate(CONTRASTS.replace(".anthrokit *", "body *")) if one[0] < 4.5]
        assert not faint, (name, faint)
    page.locator(".quarto-color-scheme-toggle").click()
    seen(dark).to_have_count(int(scheme == "light"))


def test_landing_page_shows_code_and_a_legible_figure_and_the_api_page_is_short(site, browser):
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto((site / "index.html").as_uri())
    picture = page.locator("main img").first
    width, natural = picture.evaluate("one => [one.getBoundingClientRect().width, one.naturalWidth]")
    assert 8 / 72 * 200 * width / natural >= 9  # tick labels of 8 points, drawn at 200 pixels an inch
    assert picture.bounding_box()["y"] > page.locator("main pre", has_text="demo_run").bounding_box()["y"]
    page.goto((site / "chapters" / "api.html").as_uri())
    assert page.evaluate("document.documentElement.scrollHeight") < 5000


FOUND = {
    "custom behavior": "own_behaviour.html",
    "price": "llm.html#prices",
    "vllm": "questions.html#how-do-i-use-vllm",
    "resume": "questions.html#how-do-i-resume",
}


def test_search(site, browser):
    with served_folder(site) as address:
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.goto(f"{address}/index.html")
        box = page.get_by_placeholder("Search").first
        box.click()
        for words, found in FOUND.items():
            box.fill("")
            box.type(words)
            results = page.locator(f'[class*=search] a[href*="{found}"], [id*=search] a[href*="{found}"]')
            seen(results.first).to_be_visible()
