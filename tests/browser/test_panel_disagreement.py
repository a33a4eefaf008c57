"""The disagreement panel in JupyterLab: each control is used, and what is shown is checked against the tables."""

import hostile
import pytest
from browser import filters, says, seen, walk

from anthrokit import Run, demo_run, judge_accuracy
from anthrokit.panels.disagreement import confusion, judge_disagreement
from anthrokit.validity.annotations import Annotations

OPEN = "from anthrokit import DisagreementPanel, Run\npanel = DisagreementPanel({}, annotator={!r})\npanel"


def sampled_twice(folder):
    """The demonstration run with a second sample of each judge, which differs now and then, or is missing."""
    run = demo_run(folder)
    second = run.ratings().assign(sample=2)
    flipped, missing = second.index % 7 == 0, second.index % 31 == 0
    second.loc[flipped, "verdict"] = ~second.loc[flipped, "verdict"]
    second.loc[missing, "verdict"] = None
    second.loc[missing, ["status", "explanation"]] = ["unparsed", "no single Yes or No could be read"]
    run.ledger.write("ratings", second.astype(object).to_dict("records"))
    run.ledger.write_all(["UPDATE judges SET samples = 2"])
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


def cells(panel, number):
    """What a line of the list says: between, within, share of Yes."""
    return panel.locator(".ak-row").nth(number).locator(".ak-cell")


def test_ranking_and_filters(notebook, ratings):
    panel, measured = notebook.panels.first, judge_disagreement(ratings)
    differ = measured[measured["between"] > 0]
    says(panel, f"{len(differ):,} of {len(measured):,} messages and behaviours")
    seen(cells(panel, 0).first).to_have_text(f"{differ['between'].max():.2f}")
    panel.get_by_role("button", name="within", exact=True).click()
    says(panel, f"{(measured['within'] > 0).sum():,} of")
    seen(cells(panel, 0).nth(1)).to_have_text(f"{measured['within'].max():.2f}")
    seen(panel.get_by_role("button", name="within ▾")).to_have_attribute("aria-pressed", "true")
    panel.get_by_role("button", name="between", exact=True).click()
    form = filters(panel)
    form.get_by_label("Behaviour", exact=True).select_option("empathy")
    here = differ[differ["behaviour"] == "empathy"]
    says(panel, f"{len(here):,} of {(measured['behaviour'] == 'empathy').sum():,} messages")
    third = panel.locator(".ak-row").nth(2)
    third.click()
    seen(panel.locator(".ak-judged")).to_contain_text(third.locator(".ak-row-note").inner_text()[:40])
    seen(panel.locator(".ak-place")).to_have_text(f"3 / {len(here)}")


def test_pairs_and_cells(notebook, ratings):
    panel = notebook.panels.first
    table = confusion(ratings, "embeddings and grammar", "sentences")
    both, same = table.iloc[:2, :2].to_numpy().sum(), table.iloc[0, 0] + table.iloc[1, 1]
    panel.get_by_role("button", name=f"embeddings and grammar | sentences: differ on {both - same} of {both}").click()
    seen(panel.get_by_text(f"Both have a verdict on {both:,} of {table.to_numpy().sum():,}")).to_be_visible()
    counts = panel.locator(".ak-matrix td button, .ak-matrix td .ak-quiet").all_inner_texts()
    assert [int(text.replace(",", "")) for text in counts] == table.to_numpy().flatten().tolist()

    cell = panel.get_by_title("embeddings and grammar: Yes; sentences: no verdict. List these messages")
    cell.click()
    says(panel, f"{table.loc['Yes', 'no verdict']:,} of")
    seen(cell).to_have_attribute("aria-pressed", "true")
    chips = ["Judges: embeddings and grammar | sentences ×", "Their verdicts: Yes, no verdict ×"]
    seen(panel.locator(".ak-chip")).to_have_text(chips)
    seen(panel.locator(".ak-judge", has_text="sentences").locator(".ak-yes-no")).to_have_count(2)
    cell.click()
    seen(panel.locator(".ak-chip")).to_have_count(1)
    panel.get_by_title("embeddings and grammar: Yes; sentences: Yes. List these messages").click()
    says(panel, f"{table.loc['Yes', 'Yes']:,} of")
    panel.get_by_role("button", name="Remove Judges: embeddings and grammar | sentences").click()
    seen(panel.get_by_role("button", name="embeddings and grammar | sentences")).to_be_visible()
    seen(panel.locator(".ak-chip")).to_have_count(0)


def test_deciding(notebook, folder, ratings):
    panel, keys = notebook.panels.first, notebook.page.keyboard
    note, name = panel.get_by_label("Note"), panel.get_by_label("Your name")
    panel.get_by_role("button", name="Yes y").click()
    says(panel, "Write your name first")
    name.fill("Ada <b>Lovelace</b>")
    name.press("Enter")
    seen(name).to_have_value("Ada <b>Lovelace</b>")
    note.fill("speaks of <i>itself</i>")
    panel.get_by_role("button", name="Yes y").click()
    says(panel, "Saved: Yes, by Ada <b>Lovelace</b>.")
    seen(panel.get_by_role("cell", name="speaks of <i>itself</i>")).to_be_visible()
    seen(note).to_have_value("")
    seen(panel.locator(".ak-row .ak-done")).to_have_text("✓")
    seen(panel.get_by_role("button", name="Yes y")).to_have_attribute("aria-pressed", "true")
    with Run(folder, read_only=True) as run:  # while the notebook has it open
        saved = run.annotations()
    assert saved[["annotator", "verdict", "note"]].values.tolist() == [
        ["Ada <b>Lovelace</b>", True, "speaks of <i>itself</i>"]
    ]

    panel.locator(".ak-page h4").first.click()
    keys.press("n")
    says(panel, "Saved: No")
    keys.press("z")
    says(panel, "Taken back.")
    seen(panel.get_by_role("cell", name="speaks of <i>itself</i>")).to_be_visible()
    filters(panel).get_by_label("My verdicts").select_option("open")
    left = (judge_disagreement(ratings)["between"] > 0).sum() - 1
    says(panel, f"{left:,} of")
    panel.locator(".ak-page h4").first.click()
    for number, key in enumerate("nnnu", 1):
        keys.press(key)
        says(panel, f"{left - number:,} of")
    filters(panel).get_by_label("My verdicts").select_option("given")
    says(panel, "5 of")
    panel.get_by_role("button", name="Undo z").click()
    says(panel, "Taken back.")
    seen(panel.locator(".ak-row")).to_have_count(4)
    with Run(folder, read_only=True) as run:
        assert len(run.annotations()) == 4 and len(run.annotations(history=True)) == 6
        accuracy = judge_accuracy(run, run.annotations(), by="judge")
    assert (accuracy["n_total"] == 3).all()  # one of four can't be told


def test_a_note_stays_with_its_message(notebook):
    """A note that isn't saved isn't saved with the next message; it outlives new data and orders of the list with its message in view."""
    panel = notebook.panels.first
    note = panel.get_by_label("Note")
    panel.get_by_role("button", name="Next").click()
    seen(panel.locator(".ak-place")).to_contain_text("2 / ")
    note.fill("about the second")
    panel.get_by_role("button", name="Refresh").click()
    panel.locator(".ak-row[aria-selected=true]").click()
    notebook.page.wait_for_timeout(1000)
    assert panel.get_attribute("aria-busy") is None, "an act that changes nothing is done, too"
    seen(note).to_have_value("about the second")
    panel.get_by_role("button", name="Previous").click()
    seen(panel.locator(".ak-place")).to_contain_text("1 / ")
    note.fill("about the first")
    panel.get_by_role("button", name="within", exact=True).click()
    seen(panel.get_by_role("button", name="within ▾")).to_be_visible()
    seen(note).to_have_value("about the first")
    place = panel.locator(".ak-place").inner_text()
    panel.get_by_role("button", name="Next").click()
    seen(panel.locator(".ak-place")).not_to_have_text(place)
    seen(note).to_have_value("")


def test_run_in_another_process(open_notebook, folder):
    """A run that another process works on can be looked at; verdicts go to a file, where one is named."""
    with Run(folder) as run:
        cells = [
            "from anthrokit import DisagreementPanel",
            f"DisagreementPanel({str(folder)!r}, annotator='Bo')",
            f"DisagreementPanel({str(folder)!r}, annotator='Bo', path={str(folder.parent / 'bo.csv')!r})",
        ]
        notebook = open_notebook(cells)
        closed, beside = notebook.panels.nth(0), notebook.panels.nth(1)
        seen(closed.get_by_text("can't be saved: this run is open for reading only")).to_be_visible()
        seen(closed.get_by_role("button", name="Yes y")).to_be_disabled()
        beside.get_by_role("button", name="Yes y").click()
        says(beside, "Saved: Yes, by Bo")
        assert Annotations(run).add(folder.parent / "bo.csv") == 1
        assert run.annotations()["annotator"].tolist() == ["Bo"]


def test_hostile_texts(open_notebook, tmp_path):
    """Messages, reasons, names and notes that try to run, in every place of the panel."""
    with hostile.write(tmp_path / "run") as run:
        ids = run.query("SELECT DISTINCT dialogue_id, turn, behaviour FROM ratings")
        notes = [hostile.PAYLOADS[number % 50] for number in range(len(ids))]
        Annotations(run).add(ids.assign(verdict=True, annotator=notes, note=notes))
    notebook = open_notebook([OPEN.format(repr(str(tmp_path / "run")), "")], width=900)
    panel = notebook.panels.first
    for cell in ("", "Yes, Yes", "no verdict, no verdict"):
        if cell:
            notebook.execute(f"panel.choose(pair=panel.filters[1].options[1][0], verdicts={cell!r})")
            seen(panel.locator(".ak-chip").last).to_contain_text(cell)
        walk(notebook, *((1, 5) if cell else (50, 60)))  # of a pair's messages, the first
        assert not notebook.dialogs
        notebook.screenshot(f"disagreement_hostile{len(cell)}")
