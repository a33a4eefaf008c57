"""The disagreement panel in JupyterLab: each control is used, and what is shown is checked against the tables."""

import hostile
import pytest
from browser import everywhere

from anthrokit import Run, demo_run, judge_accuracy
from anthrokit.panels.disagreement import confusion, disagreement
from anthrokit.validity import Annotations

# What a busy machine shows too late is asked for again, twice at most; a page that is wrong stays wrong.
pytestmark = pytest.mark.flaky(reruns=2, only_rerun=["TimeoutError", "AssertionError"])

OPEN = "from anthrokit import DisagreementPanel, Run\npanel = DisagreementPanel({}, annotator={!r})\npanel"


def sampled_twice(folder):
    "The demonstration run with a second sample of each judge, which differs now and then, or is missing."
    run = demo_run(folder)
    second = run.ratings().assign(sample=2)
    turned, gone = second.index % 7 == 0, second.index % 31 == 0
    second.loc[turned, "verdict"] = ~second.loc[turned, "verdict"]
    second.loc[gone, "verdict"] = None
    second.loc[gone, ["status", "explanation"]] = ["unparsed", "no single Yes or No could be read"]
    run.write("ratings", second.astype(object).to_dict("records"))
    run.write_all(["UPDATE judges SET samples = 2"])
    return run


@pytest.fixture
def folder(tmp_path):
    sampled_twice(tmp_path / "run").close()
    return tmp_path / "run"


@pytest.fixture
def notebook(open_notebook, folder):
    notebook = open_notebook([OPEN.format(f"Run({str(folder)!r})", "")])
    notebook.panels.first.get_by_role("listbox").wait_for()
    return notebook


@pytest.fixture
def ratings(folder):
    with Run(folder, read_only=True) as run:
        return run.ratings()


def lines(panel):
    "The lines of the list, as text."
    return [" ".join(line.split()) for line in panel.get_by_role("listbox").get_by_role("option").all_inner_texts()]


def moved(notebook, before):
    "Wait until another message is in view than the one at this place."
    elsewhere = "before => [...document.querySelectorAll('.anthrokit input')].every(one => one.value !== before)"
    notebook.page.wait_for_function(elsewhere, arg=before)


def test_ranking_and_filters(notebook, ratings):
    panel = notebook.panels.first
    status, measured = panel.get_by_role("status"), disagreement(ratings)
    differ = measured[measured["between"] > 0]
    status.get_by_text(f"{len(differ):,} of {len(measured):,} messages and behaviours").wait_for()
    assert len(lines(panel)) == 50
    assert lines(panel)[0].startswith(f"1. between {differ['between'].max():.2f} ")

    panel.get_by_label("Ranked by").select_option("within judges")
    status.get_by_text(f"{(measured['within'] > 0).sum():,} of").wait_for()
    assert lines(panel)[0].startswith("1. between ")
    assert f"within {measured['within'].max():.2f}" in lines(panel)[0]
    panel.get_by_label("Ranked by").select_option("between judges")
    panel.get_by_label("Behaviour", exact=True).select_option("empathy")
    here = differ[differ["behaviour"] == "empathy"]
    status.get_by_text(f"{len(here):,} of {(measured['behaviour'] == 'empathy').sum():,} messages").wait_for()

    third = lines(panel)[2]
    panel.get_by_role("listbox").select_option(index=2)
    notebook.page.wait_for_function("document.querySelector('.anthrokit input[type=number]').value === '3'")
    shown = "text => document.querySelector('.ak-said:not(.ak-before)').innerText.replace(/\\s+/g, ' ').includes(text)"
    notebook.page.wait_for_function(shown, arg=third.rsplit(" · ", 1)[1][:30])
    earlier = panel.get_by_label("Place").input_value()
    panel.get_by_role("button", name="Next").click()
    notebook.page.wait_for_function("document.querySelector('.anthrokit select[size]').selectedIndex === 3")
    place = panel.get_by_label("Place").input_value()
    panel.get_by_role("button", name="Previous").click()
    notebook.page.wait_for_function("document.querySelector('.anthrokit select[size]').selectedIndex === 2")
    notebook.at(earlier)
    panel.get_by_label("Place").fill(place)
    panel.get_by_label("Place").press("Enter")
    notebook.page.wait_for_function("document.querySelector('.anthrokit select[size]').selectedIndex === 3")


def test_pairs_and_cells(notebook, ratings):
    panel = notebook.panels.first
    table = confusion(ratings, "patterns", "embeddings")
    both, same = table.iloc[:2, :2].to_numpy().sum(), table.iloc[0, 0] + table.iloc[1, 1]
    panel.get_by_role("button", name=f"patterns and embeddings: differ on {both - same} of {both}").click()
    panel.get_by_text(f"Both have a verdict on {both:,} of {table.to_numpy().sum():,}").wait_for()
    shown = panel.locator(".widget-gridbox button").all_inner_texts()
    assert [int(text.replace(",", "")) for text in shown] == table.to_numpy().flatten().tolist()

    cell = panel.locator(".widget-gridbox button").nth(2)
    assert cell.get_attribute("title") == "patterns: Yes; embeddings: no verdict. List these messages"
    cell.click()
    panel.get_by_role("status").get_by_text(f"{table.loc['Yes', 'no verdict']:,} of").wait_for()
    assert panel.get_by_label("Their verdicts").input_value() == "Yes, no verdict"
    pages = panel.locator(".ak-judge", has_text="embeddings")
    assert pages.locator(".ak-badge").count() == 2  # one Yes and one No, or none that can be read
    cell.click()
    panel.get_by_label("Their verdicts").select_option("Yes, Yes")
    panel.get_by_role("status").get_by_text(f"{table.loc['Yes', 'Yes']:,} of").wait_for()
    notebook.screenshot("disagreement_pair_light")
    panel.get_by_label("Judges", exact=True).select_option("all")
    panel.get_by_role("button", name="patterns and embeddings").wait_for()
    assert panel.get_by_label("Their verdicts").is_disabled()


@everywhere
def test_deciding(notebook, folder, ratings):
    panel = notebook.panels.first
    status, note = panel.get_by_role("status"), panel.get_by_label("Note")
    panel.get_by_role("button", name="Yes", exact=True).click()
    status.get_by_text("Write your name first").wait_for()
    panel.get_by_label("Your name").fill("Ada <b>Lovelace</b>")
    note.fill("speaks of <i>itself</i>")
    panel.get_by_role("button", name="Yes", exact=True).click()
    status.get_by_text("Kept: Yes, by Ada <b>Lovelace</b>.").wait_for()
    assert panel.get_by_role("cell", name="speaks of <i>itself</i>").is_visible() and note.input_value() == ""
    assert lines(panel)[0].startswith("1. ✓ ")
    with Run(folder, read_only=True) as run:  # while the notebook has it open
        kept = run.annotations()
    assert kept[["annotator", "verdict", "note"]].values.tolist() == [
        ["Ada <b>Lovelace</b>", True, "speaks of <i>itself</i>"]
    ]

    panel.get_by_role("button", name="No", exact=True).click()
    status.get_by_text("Kept: No").wait_for()
    panel.get_by_role("button", name="Take back").click()
    status.get_by_text("Taken back.").wait_for()
    assert panel.get_by_role("cell", name="speaks of <i>itself</i>").is_visible()
    panel.get_by_label("My verdicts").select_option("still to give")
    left = (disagreement(ratings)["between"] > 0).sum() - 1
    status.get_by_text(f"{left:,} of").wait_for()
    for number, verdict in enumerate(("No", "No", "No", "Can't tell"), 1):
        panel.get_by_role("button", name=verdict, exact=True).click()
        status.get_by_text(f"{left - number:,} of").wait_for()
    panel.get_by_label("My verdicts").select_option("given")
    status.get_by_text("5 of").wait_for()
    panel.get_by_role("button", name="Take back").click()
    status.get_by_text("Taken back.").wait_for()
    assert len(lines(panel)) == 4
    with Run(folder, read_only=True) as run:
        assert len(run.annotations()) == 4 and len(run.annotations(history=True)) == 6
        accuracy = judge_accuracy(run, run.annotations(), by="judge")
    assert (accuracy["n_total"] == 3).all()  # one of four can't be told


def test_run_at_work_elsewhere(open_notebook, folder):
    "A run that another process works on can be looked at; verdicts go to a file, where one is named."
    with Run(folder) as run:
        cells = [
            "from anthrokit import DisagreementPanel",
            f"DisagreementPanel({str(folder)!r}, annotator='Bo')",
            f"DisagreementPanel({str(folder)!r}, annotator='Bo', path={str(folder.parent / 'bo.csv')!r})",
        ]
        notebook = open_notebook(cells)
        closed, beside = notebook.panels.nth(0), notebook.panels.nth(1)
        closed.get_by_text("can't be kept: this run is open for reading only").wait_for()
        assert closed.get_by_role("button", name="Yes", exact=True).is_disabled()
        beside.get_by_role("button", name="Yes", exact=True).click()
        beside.get_by_role("status").get_by_text("Kept: Yes, by Bo").wait_for()
        assert Annotations(run).add(folder.parent / "bo.csv") == 1
        assert run.annotations()["annotator"].tolist() == ["Bo"]


def test_looks(notebook):
    notebook.screenshot("disagreement_light")
    panel = notebook.panels.first
    panel.get_by_label("Judges", exact=True).select_option("patterns and embeddings")
    panel.locator(".widget-gridbox button").nth(1).click()
    panel.get_by_label("Your name").fill("Ada")
    panel.get_by_label("Note").fill("a greeting, not a feeling")
    panel.get_by_role("button", name="No", exact=True).click()
    panel.get_by_text("Kept: No").wait_for()
    notebook.theme("JupyterLab Dark")
    notebook.width(900)
    assert notebook.overflowing() == []
    notebook.screenshot("disagreement_dark_900")


@pytest.mark.parametrize("filters", ["", "Yes, Yes", "no verdict, no verdict"])
def test_hostile_texts(open_notebook, tmp_path, filters):
    "Messages, reasons, names and notes that try to run, in every place of the panel."
    with hostile.write(tmp_path / "run") as run:
        ids = run.query("SELECT DISTINCT dialogue_id, turn, behaviour FROM ratings")
        notes = [hostile.PAYLOADS[number % 50] for number in range(len(ids))]
        Annotations(run).add(ids.assign(verdict=True, annotator=notes, note=notes))
    code = f"from anthrokit import DisagreementPanel\npanel = DisagreementPanel({str(tmp_path / 'run')!r})\n"
    if filters:
        code += "panel.filters['pair'].value = next(iter(panel.pairs))\n"
        code += f"panel.filters['verdicts'].value = {filters!r}\n"
    notebook = open_notebook([code + "panel"], width=900)
    panel, seen = notebook.panels.first, 0
    while True:
        seen += 1
        assert notebook.page.evaluate("window.__hacked") is None
        assert notebook.page.locator(".jp-OutputArea-output [data-hostile]").count() == 0
        following = panel.get_by_role("button", name="Next")
        if following.is_disabled() or seen == 60:
            break
        before = panel.get_by_label("Place").input_value()
        following.click()
        moved(notebook, before)
    assert seen > (50 if not filters else 5)
    assert notebook.overflowing(".jp-OutputArea-output") == [] and not notebook.dialogs
    notebook.screenshot(f"disagreement_hostile{len(filters)}")
