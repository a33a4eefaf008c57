"""The emergence panel in JupyterLab, in a real browser: each control is used, and what is shown is looked at."""

import hostile
import pytest
from browser import everywhere, filters, says, seen, unharmed

from anthrokit import analysis, demo_run

CELL = "from anthrokit import EmergencePanel\npanel = EmergencePanel({!r})\npanel"


@pytest.fixture
def labels(tmp_path):
    with demo_run(tmp_path / "demo") as run:
        return run.labels()


@pytest.fixture
def emergence(open_notebook, tmp_path, labels):
    notebook = open_notebook([CELL.format(str(tmp_path / "demo"))])
    notebook.panels.first.locator(".ak-plot").wait_for()
    return notebook


def behind(labels, turns, **where):
    """The dialogues in which it first occurs at some turns."""
    first = analysis.first_occurrences(labels)
    for name, value in where.items():
        first = first[first[name] == value]
    return first.loc[first["first_turn"].isin(turns), "dialogue_id"].tolist()


def pressed(panel, group):
    """What is chosen among the buttons of a group."""
    return panel.get_by_role("group", name=group, exact=True).locator("[aria-pressed=true]")


def test_filters(emergence, labels):
    panel = emergence.panels.first
    common = labels.groupby("behaviour")["label"].sum().nlargest(4).index
    seen(panel.locator(".ak-point")).to_have_count(4 * 5)
    seen(pressed(panel, "Line")).to_contain_text(common[0].capitalize())
    table = analysis.emergence(labels[labels["behaviour"].isin(common)], "behaviour")
    row = table[(table["behaviour"] == "validation") & (table["turn"] == 3)].iloc[0]
    description = f"validation, turn 3: {100 * row['estimate']:.0f} % by then"
    seen(panel.locator(f".ak-point[title^='{description}']")).to_have_count(1)

    contrast = analysis.snowball(labels, "behaviour", odds=False).set_index("behaviour").loc["validation"]
    row = panel.get_by_role("row").filter(has_text="Validation").first
    for share, n in (("after_no", "n_after_no"), ("after_yes", "n_after_yes")):
        seen(row.get_by_text(f"{100 * contrast[share]:.0f} % of {contrast[n]:.0f}", exact=True)).to_be_visible()
    places = [mark.get_attribute("style") for mark in row.locator(".ak-shares i").all()]
    assert [place.partition(";")[0] for place in places] == [f"--ak-at: {round(contrast[one], 3)}" for one in ("after_no", "after_yes")]
    seen(row.locator(".ak-shares")).to_be_visible()
    emergence.width(420)  # too narrow for both shares to be drawn
    seen(row.locator(".ak-shares")).to_be_hidden()
    emergence.width(1200)

    form = filters(panel)
    boxes = [form.get_by_label(name.capitalize(), exact=True) for name in common]
    boxes[1].hover()
    panel.page.mouse.down()
    boxes[0].evaluate("box => box.click()")
    seen(panel.locator(".ak-point")).to_have_count(3 * 5)  # the form is drawn again during a click
    panel.page.mouse.up()
    seen(boxes[1]).not_to_be_checked()
    for box in boxes:
        box.uncheck()
    seen(panel.get_by_text("There is nothing to draw")).to_be_visible()
    form.get_by_label("Internal states").check()
    seen(panel.locator(".ak-point")).to_have_count(5)
    seen(panel.locator(".ak-chip")).to_have_text(["Show: Internal states ×"])
    form.get_by_label("Domain").select_option("friendship")
    selected = labels[(labels["category"] == "internal states") & (labels["domain"] == "friendship")]
    at_risk = selected["dialogue_id"].nunique()
    seen(panel.locator(f".ak-point[title*='of {at_risk} at risk']").first).to_be_attached()
    form.get_by_label("Domain").select_option("")
    form.get_by_label("Split by").select_option("domain")
    rows = panel.get_by_role("group", name="Line", exact=True).get_by_role("button")
    seen(rows).to_have_count(labels["domain"].nunique())

    table = panel.locator("details").get_by_role("table")
    seen(table).not_to_be_visible()
    panel.get_by_text("The numbers of the curves as a table").click()
    seen(table.get_by_role("row")).to_have_count(1 + labels["domain"].nunique() * 5)


def test_selection_during_a_running_cell(emergence, labels, tmp_path):
    """The kernel takes the first three from its main thread, once that is free, and the last from a thread beside it."""
    panel, go = emergence.panels.first, tmp_path / "go"
    form, common = filters(panel), labels.groupby("behaviour")["label"].sum().nlargest(4).index
    boxes = [form.get_by_label(name.capitalize(), exact=True) for name in common]
    cell = f"import pathlib, time\nwhile not pathlib.Path({str(go)!r}).exists(): time.sleep(0.01)"
    emergence.execute(cell)
    for box in boxes[:3]:
        box.uncheck()
    go.touch()
    panel.locator(".ak-chip").wait_for()
    boxes[3].uncheck()
    seen(panel.get_by_text("There is nothing to draw")).to_be_visible()
    emergence.page.wait_for_timeout(1000)  # what was overtaken would be done now
    seen(panel.get_by_text("There is nothing to draw")).to_be_visible()


@everywhere
def test_dialogues_of_a_point(emergence, labels):
    panel, page = emergence.panels.first, emergence.page
    panel.get_by_role("button", name="Validation", exact=True).click()
    dialogues = {turn: behind(labels, [turn], behaviour="validation") for turn in range(1, 6)}
    turns = panel.get_by_role("group", name="First occurs at")
    for turn in (1, 2):
        turns.get_by_role("button", name=f"turn {turn}: {len(dialogues[turn])}", exact=True).click()
        says(panel, f"{len(dialogues[turn])} dialogues where Validation first occurs at turn {turn}")
        seen(panel.locator(".ak-row")).to_have_count(len(dialogues[turn]))
    panel.locator(".ak-point[title^='validation, turn 1:']").click()
    says(panel, "first occurs at turn 1")
    seen(panel.locator(".ak-point[aria-pressed=true]")).to_have_count(1)
    seen(panel.get_by_role("heading", name="Does one occurrence make the next likelier?")).to_be_visible()
    panel.locator(".ak-row").first.click()
    seen(panel.locator("summary.ak-lit", has_text="★ validation")).to_be_in_viewport()
    panel.get_by_role("button", name="Next").click()
    seen(panel.locator(".ak-place")).to_have_text(f"2 / {len(dialogues[1])}")
    turns.get_by_role("button", name="never:").click()
    says(panel, "where Validation never occurs")

    plot = panel.locator(".ak-plot")
    plot.scroll_into_view_if_needed()
    box, stops = plot.bounding_box(), plot.evaluate("plot => JSON.parse(plot.dataset.brush)")
    across = [box["x"] + box["width"] * place / 100 for place, turn in stops if turn in (2, 4)]
    page.mouse.move(across[0] - 12, box["y"] + box["height"] - 8)  # below the points
    page.mouse.down()
    page.mouse.move(across[1] + 12, box["y"] + box["height"] - 40, steps=4)
    seen(panel.locator(".ak-band")).to_be_visible()
    page.mouse.up()
    some = behind(labels, [2, 3, 4], behaviour="validation")
    says(panel, f"{len(some)} dialogues where Validation first occurs at turns 2 to 4")


def test_state_and_refresh(open_notebook, tmp_path, labels):
    state = {"show": ["emotions"], "by": "scenario", "turns": "never"}
    code = CELL.format(str(tmp_path / "demo"))
    notebook = open_notebook([code.replace(")\npanel", f", state={state!r})\npanel")])
    panel = notebook.panels.first
    says(panel, "never occurs")
    with demo_run(tmp_path / "demo") as run:
        removed = (labels["dialogue_id"].iloc[0],)
        for table in ("ratings", "messages", "dialogues"):
            run.ledger.write_all((f"DELETE FROM {table} WHERE dialogue_id = ?",), removed)
    panel.get_by_role("button", name="Remove Split by: scenario").click()
    panel.get_by_role("button", name="Refresh").click()
    seen(panel.locator(".ak-point[title*='of 15 at risk']").first).to_be_attached()


BROKEN = """() => [...document.querySelectorAll('.ak-numbers td:first-child')].flatMap(cell => {
  const range = document.createRange(), text = cell.firstChild;
  return [...(text?.data ?? '').matchAll(/[\\w.]+/g)].filter(word => {
    range.setStart(text, word.index);
    range.setEnd(text, word.index + word[0].length);
    return range.getClientRects().length > 1;
  }).map(word => word[0]);
})"""


def test_long_names_of_targets(open_notebook):
    start = "from anthrokit import EmergencePanel, analysis\n"
    start += "names = [f'anthropic/claude-sonnet-4-5-20250929-thinking-{one}' for one in ('high', 'low')]\n"
    start += "labels = analysis.simulate_labels([*names, 'google/gemini-3-pro'], base_prompts=4, seed=2)\n"
    start += "labels = labels[(labels['target'] != names[0]) | (labels['turn'] < 4)]\n"
    start += "EmergencePanel(labels, state={'by': 'target', 'line': 'validation'})"
    notebook = open_notebook([start], width=1280)
    panel = notebook.panels.first
    ends = [text.split("\n") for text in panel.locator(".ak-ends > span").all_inner_texts()]
    assert sorted(end[1][-4:] for end in ends) == ["-low", "-pro", "high"]
    assert [end[1][-4:] for end in ends if "by turn 3" in end[-1]] == ["high"]
    cut = "ends => ends.filter(end => end.scrollWidth > end.clientWidth).length"
    assert panel.locator(".ak-ends i:nth-child(2)").evaluate_all(cut) == 0
    for width in (1280, 420):
        notebook.width(width)
        assert notebook.page.evaluate(BROKEN) == []
        assert notebook.overflowing(".jp-OutputArea-output") == []


def test_hostile_names(open_notebook, tmp_path):
    hostile.write(tmp_path / "run").close()
    start = "import hostile\n"
    start += f"from anthrokit import Run, EmergencePanel\nrun = Run({str(tmp_path / 'run')!r})\n"
    start += "labels = run.labels().assign(label=True)\nnames = [*labels['behaviour'].unique()[:10]]\n"
    start += "EmergencePanel(labels, state={'show': names, 'by': 'scenario'})"
    notebook = open_notebook([start], width=900)
    panel = notebook.panels.first
    panel.locator(".ak-plot").wait_for()
    seen(panel.get_by_text("Not drawn, because")).to_be_visible()
    panel.get_by_text("The numbers of the curves as a table").click()
    lines = panel.get_by_role("group", name="Behaviour", exact=True).get_by_role("button")
    for number in range(lines.count()):
        lines.nth(number).click()
        seen(lines.nth(number)).to_have_attribute("aria-pressed", "true")
        unharmed(notebook.page)
    assert notebook.overflowing(".jp-OutputArea-output") == [] and not notebook.dialogs
    notebook.screenshot("hostile_emergence")
