"""The emergence panel in JupyterLab, in a real browser: each control is used, and what is shown is looked at."""

import hostile
import pytest
from browser import everywhere
from test_panels import unharmed

from anthrokit import analysis, demo_run

# What a busy machine shows too late is asked for again, twice at most; a page that is wrong stays wrong.
pytestmark = pytest.mark.flaky(reruns=2, only_rerun=["TimeoutError", "AssertionError"])

CELL = "from anthrokit import EmergencePanel\npanel = EmergencePanel({!r})\npanel"
AT_RISK = """svg => [...svg.querySelectorAll('g[data-line]')].map(line => {
  const texts = [];
  for (let next = line.nextElementSibling; next && next.tagName === 'text'; next = next.nextElementSibling)
    texts.push(next.textContent);
  return [line.dataset.line, texts.slice(1).map(Number)]
})"""


@pytest.fixture
def labels(tmp_path):
    with demo_run(tmp_path / "demo") as run:
        return run.labels()


@pytest.fixture
def emergence(open_notebook, tmp_path, labels):
    notebook = open_notebook([CELL.format(str(tmp_path / "demo"))])
    notebook.panels.first.get_by_role("img").first.wait_for()
    return notebook


def at_risk(panel):
    "The numbers under the axis of the first picture, by line."
    return dict(panel.locator("svg").first.evaluate(AT_RISK))


def behind(labels, turn, **where):
    "The dialogues in which it first occurs at a turn."
    first = analysis.first_occurrences(labels)
    for name, value in where.items():
        first = first[first[name] == value]
    return first.loc[first["first_turn"] == turn, "dialogue_id"].tolist()


def listed(panel):
    "The ids of the dialogues listed."
    options = panel.get_by_label("Dialogues", exact=True).locator("option").all_inner_texts()
    return [text.split("\xa0·")[0] for text in options]


def test_curves_follow_the_controls(emergence, labels):
    panel, page = emergence.panels.first, emergence.page
    status = panel.get_by_role("status")
    expected = analysis.emergence(labels, "category", variant="all").groupby("category")["n_at_risk"].agg(list)
    assert at_risk(panel) == {name.capitalize(): numbers for name, numbers in expected.items()}
    assert "Personhood: turn 1:" in panel.get_by_role("img").first.get_attribute("aria-label")

    panel.get_by_role("checkbox", name="Personhood").uncheck()
    page.wait_for_function("document.querySelectorAll('.anthrokit g[data-line]').length === 3")
    assert "Personhood" not in at_risk(panel)
    panel.get_by_role("combobox", name="What occurs", exact=True).select_option("any behaviour")
    status.get_by_text("first occurs at turn 1: Any behaviour").wait_for()
    panel.get_by_role("combobox", name="What occurs", exact=True).select_option("behaviours")
    panel.get_by_role("checkbox", name="Emotions").wait_for()
    assert panel.get_by_role("checkbox").count() == 14
    for _ in range(4):
        panel.get_by_role("checkbox", checked=True).first.uncheck()
    panel.get_by_text("There is nothing to draw").wait_for()
    panel.get_by_role("checkbox", name="Validation").check()
    status.get_by_text("first occurs at turn 1: Validation").wait_for()
    assert [*at_risk(panel)] == ["Validation"]

    panel.get_by_role("combobox", name="Domain", exact=True).select_option("friendship")
    part = analysis.emergence(labels.query("behaviour == 'validation' and domain == 'friendship'"))
    page.wait_for_function("document.querySelector('.anthrokit g[data-line] + text + text').textContent === '4'")
    assert at_risk(panel) == {"Validation": part["n_at_risk"].tolist()}
    panel.get_by_role("combobox", name="Domain", exact=True).select_option("all")
    panel.get_by_role("combobox", name="Split by", exact=True).select_option("domain")
    panel.get_by_role("heading", name="Validation").wait_for()
    page.wait_for_function("document.querySelectorAll('.anthrokit g[data-line]').length === 4")
    assert [*at_risk(panel)] == sorted(labels["domain"].unique())
    table = panel.get_by_role("table").first
    assert not table.is_visible()
    panel.get_by_text("These numbers as tables").click()
    row = analysis.snowball(labels.query("behaviour == 'validation'"), ["behaviour", "domain"]).set_index("domain")
    assert table.get_by_role("row").count() == 1 + 4 * 5
    contrast = panel.get_by_role("table").nth(1).get_by_role("row").filter(has_text="friendship")
    assert f"{100 * row.loc['friendship', 'after_yes']:.0f}" in contrast.inner_text().split("\t")


@everywhere
def test_a_point_lists_its_dialogues(emergence, labels):
    panel = emergence.panels.first
    status, about = panel.get_by_role("status"), {"behaviour": "validation", "domain": "general planning"}
    panel.get_by_role("combobox", name="What occurs", exact=True).select_option("behaviours")
    panel.get_by_role("combobox", name="Split by", exact=True).select_option("domain")
    panel.get_by_role("combobox", name="Line", exact=True).select_option("Validation · general planning")
    status.get_by_text("turn 1: Validation · general planning").wait_for()
    found = {turn: behind(labels, turn, **about) for turn in range(1, 6)}
    chosen = max(found, key=lambda turn: len(found[turn]) * (turn > 1))
    panel.locator("g[data-line='general planning'] circle.ak-ring").wait_for()
    one = "document.querySelectorAll('.anthrokit circle.ak-ring').length === 1"
    emergence.page.wait_for_function(one)
    panel.get_by_role("button", name=f"turn {chosen}: {len(found[chosen])}", exact=True).click()
    status.get_by_text(f"Dialogue 1 of {len(found[chosen])} where it first occurs at turn {chosen}").wait_for()
    assert listed(panel) == found[chosen]
    panel.get_by_role("button", name="turn 1:").click()
    status.get_by_text(f"Dialogue 1 of {len(found[1])} where it first occurs at turn 1").wait_for()
    assert listed(panel) == found[1] and len(found[1]) > 1
    listing = panel.get_by_label("Dialogues", exact=True)
    listing.select_option(index=1)
    status.get_by_text(f"Dialogue 2 of {len(found[1])}").wait_for()
    opened = panel.locator(".ak-message.ak-assistant").first
    assert opened.locator("summary", has_text="★ validation").count() == 1
    panel.get_by_role("button", name="Previous").click()
    status.get_by_text(f"Dialogue 1 of {len(found[1])}").wait_for()
    panel.get_by_role("button", name="never:").click()
    status.get_by_text("where it never occurs").wait_for()


def test_place_and_refresh(emergence, tmp_path, labels):
    panel = emergence.panels.first
    status, place = panel.get_by_role("status"), panel.get_by_label("Place")
    place.fill("of=behaviour&show=emotions&by=scenario&turn=never")
    place.press("Enter")
    status.get_by_text("where it never occurs: Emotions").wait_for()
    assert panel.get_by_role("checkbox", name="Emotions").is_checked()
    assert panel.get_by_role("combobox", name="Split by", exact=True).input_value() == "scenario"
    place.fill("show=humour")
    place.press("Enter")
    status.get_by_text("there is no 'humour' to show").wait_for()
    place.fill("")
    place.press("Enter")
    status.get_by_text("turn 1: Physical embodiment").wait_for()
    assert at_risk(panel)["Personhood"][0] == 16
    with demo_run(tmp_path / "demo") as run:
        gone = (labels["dialogue_id"].iloc[0],)
        for table in ("ratings", "messages", "dialogues"):
            run.write_all((f"DELETE FROM {table} WHERE dialogue_id = ?",), gone)
    panel.get_by_role("button", name="Refresh").click()
    panel.locator("svg g[data-line='Personhood'] + text + text", has_text="15").wait_for()


def test_emergence_panel_looks(emergence):
    "Light and dark, wide and narrow; nothing is cut off. The screenshots are for people to look at."
    panel = emergence.panels.first
    emergence.screenshot("emergence_light")
    panel.get_by_role("combobox", name="What occurs", exact=True).select_option("behaviours")
    panel.get_by_role("combobox", name="Split by", exact=True).select_option("domain")
    panel.get_by_role("heading", name="Validation").wait_for()
    panel.get_by_text("These numbers as tables").click()
    emergence.theme("JupyterLab Dark")
    emergence.width(900)
    assert emergence.overflowing() == []
    pictures = [svg.bounding_box() for svg in panel.locator("svg").all()]
    assert pictures[0]["y"] == pictures[1]["y"], "the contrast stands beside the curves"
    emergence.screenshot("emergence_dark_900")
    for theme in ("Dark", "Light"):
        emergence.theme(f"JupyterLab {theme}")
        assert [one for one in emergence.contrasts() if one[0] < 4.5] == []


def test_emergence_panel_by_keyboard(emergence):
    "Tab reaches every control in reading order, each with a name; keys choose a turn and a dialogue."
    names = emergence.tab_order()
    wanted = ["Target", "Domain", "What occurs", "Split by", "Physical embodiment", "Personhood", "Internal states"]
    assert names[: len(wanted) + 3] == [*wanted, "Relationship building", "Refresh", "Place"]
    rest = ["These numbers as tables", "Line", "Dialogue", "Listed", "Dialogues"]
    assert [name for name in names if name in rest] == rest
    assert [name for name in names if name.startswith("turn ")][1] == "turn 2: 0"
    panel = emergence.panels.first
    panel.get_by_role("button", name="Next").press("Enter")
    panel.get_by_role("status").get_by_text("Dialogue 2 of 2").wait_for()
    panel.get_by_role("button", name="never:").press("Space")
    panel.get_by_role("status").get_by_text("Dialogue 1 of 14").wait_for()
    panel.get_by_role("spinbutton", name="Dialogue").fill("3")
    panel.get_by_role("spinbutton", name="Dialogue").press("Enter")
    panel.get_by_role("status").get_by_text("Dialogue 3 of 14").wait_for()


@pytest.mark.parametrize("by", ["scenario", "target"])
def test_hostile_names_as_lines(open_notebook, tmp_path, by):
    hostile.write(tmp_path / "run").close()
    start = "import hostile\n"
    start += f"from anthrokit import Run, EmergencePanel\nrun = Run({str(tmp_path / 'run')!r})\n"
    start += f"EmergencePanel(run.labels().assign(label=True), state='of=behaviour&by={by}')"
    notebook = open_notebook([start], width=900)
    panel = notebook.panels.first
    panel.get_by_role("img").first.wait_for()
    panel.get_by_text("These numbers as tables").click()
    for box in panel.get_by_role("checkbox").all()[4:10]:
        box.check()
    panel.get_by_text("Not drawn, since").wait_for()
    for option in panel.get_by_role("combobox", name="Line", exact=True).locator("option").all()[:12]:
        panel.get_by_role("combobox", name="Line", exact=True).select_option(option.get_attribute("value"))
        unharmed(notebook.page)
    assert notebook.overflowing(".jp-OutputArea-output") == [] and not notebook.dialogs
    notebook.screenshot(f"hostile_emergence_{by}")
