"""A study's design, from the call that names it to everything that goes by it."""

import pytest

import anthrokit as ak
from anthrokit.analysis import compare, emergence, factor_model, first_occurrences, profile
from anthrokit.core import Run, read_frame
from anthrokit.core.run import metadata_rows
from anthrokit.panels.source import RunSource


@pytest.fixture
def run(tmp_path):
    """The demonstration run, half of each base prompt's dialogues warm, half plain; two temperatures."""
    run = ak.demo_run(tmp_path / "demo")
    run.ledger.write_all(["UPDATE prompts SET base_id = 'b' || (rowid % 4)"])
    dialogues = run.dialogues().sort_values(["base_id", "prompt_id"])["dialogue_id"].tolist()
    for place, (prompt, heat) in enumerate((("warm", 0.2), ("plain", 0.2), ("warm", 1.0), ("plain", 1.0))):
        design = {"prompt": prompt, "heat": heat}
        run.ledger.write("metadata", metadata_rows((key, design) for key in dialogues[place::4]))
    return run


def test_analyses_by_design(run):
    labels = run.labels()
    assert set(labels["prompt"]) == {"warm", "plain"} and labels["heat"].dtype == float
    shares = profile(labels, by=["prompt", "heat", "behaviour"])
    assert len(shares) == 4 * 14 and shares["n"].sum() == labels["label"].notna().sum()
    assert set(profile(labels, by=["prompt", "category"])["prompt"]) == {"warm", "plain"}
    curves = emergence(labels, by=["prompt", "behaviour"])
    assert set(curves["prompt"]) == {"warm", "plain"} and "n_targets" in curves
    assert first_occurrences(labels)["prompt"].notna().all()
    one = compare(labels, "prompt", baseline="plain")
    assert set(zip(one["a"], one["b"], strict=True)) == {("warm", "plain")}
    assert compare(labels, "heat", by="category")["a"].unique().tolist() == [0.2]
    model = factor_model(labels, ["prompt", "heat"], by="category", interactions=True)
    assert {"prompt × heat"} < set(model["term"])


def test_export_of_design(run, tmp_path):
    export = run.export(tmp_path / "export")
    again = Run.restore(export, tmp_path / "again")
    assert again.labels()["prompt"].tolist() == run.labels()["prompt"].tolist()
    assert again.dialogues().equals(run.dialogues())
    dictionary = (export / "dictionary.csv").read_text()
    assert '"labels","prompt","str","column of the design' in dictionary and '"votes","judge","str"' in dictionary


@pytest.mark.slow
def test_figures_and_report(run, tmp_path):
    shares = profile(run, by=["target", "prompt", "behaviour"])
    ax = ak.figures.plot_profile(shares, order=["warm", "plain"], labels={"plain": "No system prompt"})
    legend = [text.get_text().split(":")[0] for text in ax.get_legend().get_texts()]
    assert [one.split(" · ")[-1] for one in legend] == ["Warm", "No system prompt"]
    assert len(ak.figures.plot_emergence(emergence(run, by=["prompt", "category"]))) == 2
    page = ak.write_report(run, tmp_path / "report.html", dialogues=1).read_text()
    assert "Side by side" in page and "plain minus warm" in page and "0.2 minus 1.0" in page


def test_panel_filters(run):
    source = RunSource(run)
    assert source.design == ["prompt", "heat"]
    panel = ak.DialoguePanel(run, state={"prompt": "warm", "heat": "0.2"})
    assert len(panel.items) == 4
    curves = ak.EmergencePanel(run, state={"by": "prompt", "line": "validation"})
    assert {"warm", "plain"} <= set(curves.static_html().replace(">", " ").replace("<", " ").split())


def test_column_names_in_panels(run):
    for name in ("text", "group", "flag", "behaviours"):
        run.ledger.write_all(["INSERT INTO metadata SELECT dialogue_id, ?, value FROM metadata WHERE name = 'prompt'"], [name])
    for panel in (ak.DialoguePanel(run), ak.EmergencePanel(run), ak.DisagreementPanel(run)):
        assert panel.static_html()


def test_columns_from_logs(tmp_path):
    dialogues = [
        {"id": f"{model}{number}", "model": model, "month": month, "messages": [
            {"role": "user", "content": f"Are you there, {number}?"},
            {"role": "assistant", "content": "I feel so happy!" if model == "a" else "Yes."},
        ]}
        for model in "ab" for number, month in enumerate(("May", "June", "May", "June"))
    ]
    run = ak.judge_table(write_dialogues(tmp_path, dialogues), run=tmp_path / "run", progress=False)
    labels = run.labels()
    assert set(labels["month"]) == {"May", "June"}
    assert set(labels["target"]) == {"a", "b"} and set(compare(labels)["a"]) == {"a"}


def write_dialogues(folder, dialogues):
    import json

    path = folder / "logs.json"
    path.write_text(json.dumps(dialogues))
    return path


def test_columns_named_as_those_of_the_votes(run, tmp_path):
    """The table of votes has the columns judge and vote; a file's metadata may have them, too."""
    before = read_frame(run.export(tmp_path / "before") / "votes.csv")
    key = run.dialogues()["dialogue_id"][0]
    run.ledger.write("metadata", metadata_rows([(key, {"vote": "x", "judge": "y"})]))
    assert read_frame(run.export(tmp_path / "export") / "votes.csv").equals(before)
