"""Pages of the documentation site in a browser."""

from pathlib import Path

import pytest
from browser import CONTRASTS, seen

ROOT = Path(__file__).parents[2]


LOOKED_AT = (
    "index.html",
    "chapters/05_judging/06_jobs.html",
    "chapters/06_anthroscore/02_scoring.html",
    "chapters/09_figures/02_profiles.html",
    "chapters/12_panels/03_dialogue.html",
    "chapters/15_cli.html",
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
