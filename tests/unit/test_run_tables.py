"""Runs without a server: exports, parts, the bundled run."""

import contextlib
import sqlite3

import pandas as pd
import pytest

from anthrokit import analysis, demo_run, figures
from anthrokit.analysis.interrater import missingness
from anthrokit.core import Run, RunError, merge, split, tables
from anthrokit.core.run import add_prompts, bind, usage_totals
from anthrokit.judging import GrammarJudge, PatternJudge, import_messages, judge, judge_table, offline_panel
from anthrokit.models import LLM
from anthrokit.simulation import load_prompts, simulate
from anthrokit.validity import draw_annotation_sample
from anthrokit.validity.annotations import Annotations, save_annotation_sample
from anthrokit.validity.judge_checks import sample_agreement


def test_mistyped_path_leaves_nothing(tmp_path):
    with Run(tmp_path / "nope") as run:
        assert run.labels().empty and run.missing().empty and repr(run) == "Run 'nope': nothing in it yet"
    with pytest.raises(RunError, match="nope holds no run"):
        Run(tmp_path / "nope", read_only=True)
    assert not (tmp_path / "nope").exists()
    with Run(tmp_path / "two") as one, Run(tmp_path / "two") as other:  # two cells, one run
        bind(one, seed=3)
        assert other.ledger.manifest_entry("seed") == 3
        bind(other, seed=3, turns=1)
        assert one.ledger.manifest_entry("turns") == 1
        own = {name for name in vars(Run) if not name.startswith("_")}  # beside those of the ledger
        assert {"labels", "missing", "export"} < own and len(own) <= 24


def test_formulas_are_escaped(tmp_path):
    """Texts that a spreadsheet would run stand escaped in the CSV files of an export, and come back."""
    texts = ["=HYPERLINK(1)", "+cmd|x", "-5", "@you", "\ttab", "\rreturn", "'=quoted", "007", "fine"]
    with Run(tmp_path / "run") as run:
        run.ledger.write("prompts", [{"prompt_id": "007", "base_id": "=b", "first_message": "Hi"}])
        dialogue = {"dialogue_id": "+1", "prompt_id": "007", "target": "@t", "repeat": 1, "turns": 9, "status": "done"}
        run.ledger.write("dialogues", [dialogue])
        turns = enumerate(texts, start=1)
        rows = [{"dialogue_id": "+1", "turn": turn, "role": "assistant", "content": text} for turn, text in turns]
        run.ledger.write("messages", rows)
        export, messages = run.export(tmp_path / "export"), run.messages().drop(columns="run")
    for file in export.glob("*.csv"):
        cells = pd.read_csv(file, dtype=str, keep_default_na=False, header=None).stack()
        assert not cells.str.match(r"[=+@\t\r]|-(?!\d)").any(), file
    with Run.restore(export, tmp_path / "again") as again:
        pd.testing.assert_frame_equal(again.messages().drop(columns="run"), messages)
        assert again.prompts()["prompt_id"].tolist() == ["007"]
    assert pd.read_parquet(export / "messages.parquet")["content"].tolist() == texts


def test_formulas_in_annotation_sheets(tmp_path):
    """The same of the sheet that people are given, and of the file that their verdicts are kept in."""
    texts = ["=HYPERLINK(1)", "+cmd|x", "@you", "fine"]
    table = {"dialogue_id": ["+1", "+2", "+3", "+4"], "user": "=1+1", "assistant": texts}
    with import_messages(pd.DataFrame(table), tmp_path / "run") as run:
        judge(run, PatternJudge(), behaviours=["emotions"], progress=False)
        sheet = draw_annotation_sample(run, n=4, path=tmp_path / "sheet.csv")
    annotations = Annotations(tmp_path / "kept.csv")
    annotations.add(tables.read_frame(tmp_path / "sheet.csv").assign(verdict="yes", annotator="=me"))
    for file in tmp_path.glob("*.csv"):
        cells = pd.read_csv(file, dtype=str, keep_default_na=False, header=None).stack()
        assert not cells.str.match(r"[=+@\t\r]|-(?!\d)").any(), file
    assert annotations.table()["annotator"].unique().tolist() == ["=me"]
    key = ["dialogue_id", "turn", "behaviour"]
    assert annotations.table()[key].values.tolist() == sheet[key].values.tolist()
    assert tables.read_frame(tmp_path / "sheet.csv")["message"].tolist() == sheet["message"].tolist()


def test_budget_split_and_merge(tmp_path):
    with Run(tmp_path / "run") as run:
        add_prompts(run, load_prompts().head(4))
        run.ledger.update_manifest(budget={"usd": 8.0, "tokens": 1000})
        call = {"unit": "x", "purpose": "target", "model": "m", "status": "ok", "at": "2026-01-01", "attempts": 1}
        run.ledger.write("calls", [{**call, "tokens_in": 150, "tokens_out": 50, "cost": 2.0}])
        parts = split(run, 2)
        assert [part.ledger.manifest_entry("budget") for part in parts] == [{"usd": 5.0, "tokens": 600}, {"usd": 3.0, "tokens": 400}]
        assert [usage_totals(part) for part in parts] == [(2.0, 200), (0.0, 0)]
        with pytest.raises(RunError, match="isn't empty. Pass another folder"):
            split(run, 2)
        with pytest.raises(RunError, match="has 4 prompts; it can't be split into 5"):
            split(run, 5, tmp_path / "five")
        parts[1].ledger.update_manifest(seed=3), parts[0].ledger.update_manifest(seed=4)
        with pytest.raises(RunError, match="was done with other settings than .*part-1: seed"):
            merge(parts, tmp_path / "together")
        parts[1].ledger.update_manifest(seed=4)
        with merge(parts, tmp_path / "together") as together:
            assert together.ledger.manifest_entry("budget") == {"usd": 8.0, "tokens": 1000} and usage_totals(together) == (2.0, 200)
            assert together.ledger.manifest_entry("part") is None
        with pytest.raises(ValueError, match="contains none of these prompts"):
            model = LLM("openai/m", price=(1, 1))
            simulate(load_prompts().tail(1), model, model, run=parts[0])


def test_duplicate_units_in_parts(tmp_path):
    """An answer goes before a failure, the first of two answers stays, and those that differ are named."""
    rating = {"dialogue_id": "d", "turn": 1, "judge": "j", "sample": 1}
    verdicts_by_part = {
        "one": {"agency": ("ok", True), "empathy": ("failed", None), "desires": ("ok", True)},
        "two": {"agency": ("ok", False), "empathy": ("ok", True), "desires": ("ok", True), "emotions": ("ok", False)},
    }
    for name, verdicts in verdicts_by_part.items():
        with Run(tmp_path / name) as run:
            add_prompts(run, load_prompts().head(1))
            rows = [{**rating, "behaviour": key, "status": s, "verdict": v} for key, (s, v) in verdicts.items()]
            run.ledger.write("ratings", rows)
    with merge([tmp_path / "one", tmp_path / "two"], tmp_path / "both") as run:
        saved = dict(run.ledger.rows("SELECT behaviour, verdict FROM ratings"))
        assert saved == {"agency": 1, "empathy": 1, "desires": 1, "emotions": 0}
        assert run.ledger.manifest_entry("merged")["unequal"] == ["ratings d/1/agency/j/1"]


def test_a_merged_dialogue_comes_whole_from_one_part(tmp_path):
    message = {"dialogue_id": "d", "content": "same", "role": "assistant"}
    dialogue = {"dialogue_id": "d", "prompt_id": "p", "target": "t", "repeat": 1, "turns": 3}
    for name, turns in {"one": 2, "two": 3}.items():
        with Run(tmp_path / name) as run:
            add_prompts(run, load_prompts().head(1))
            run.ledger.write("dialogues", [{**dialogue, "status": "done" if turns == 3 else "planned"}])
            run.ledger.write("messages", [{**message, "turn": 1}])
            run.ledger.write("messages", [{**message, "turn": turn, "content": name} for turn in range(2, turns + 1)])
            rating = {"dialogue_id": "d", "turn": 2, "judge": "j", "sample": 1, "status": "ok", "verdict": True}
            run.ledger.write("ratings", [{**rating, "behaviour": "agency"}] if name == "two" else [])
            note = {"dialogue_id": "d", "turn": 2, "behaviour": "agency", "annotator": name, "verdict": "yes", "at": "2026"}
            run.ledger.write("annotations", [note])
            sentences = [{"text_id": "d/2", "number": number, "sentence": name, "status": "scored"} for number in range(1, turns)]
            run.ledger.write("anthroscore_sentences", [{**row, "setting": "s"} for row in sentences])
            run.ledger.write("anthroscore_texts", [{"setting": "s", "text_id": "d/2", "hash": name, "position": 0}])
    with merge([tmp_path / "one", tmp_path / "two"], tmp_path / "both") as run:
        assert run.messages()["content"].tolist() == ["same", "one"] and run.ratings().empty
        assert run.ledger.rows("SELECT status FROM dialogues") == [("planned",)]
        assert run.ledger.rows("SELECT annotator FROM annotations") == [("one",)]
        assert run.ledger.rows("SELECT sentence FROM anthroscore_sentences") == [("one",)]
        assert "messages d/2/assistant" in run.ledger.manifest_entry("merged")["unequal"]
    with merge([tmp_path / "two", tmp_path / "one"], tmp_path / "other") as run:
        assert run.messages()["content"].tolist() == ["same", "two", "two"] and len(run.ratings()) == 1


def test_failed_merges_leave_no_folder(tmp_path, monkeypatch):
    with demo_run(tmp_path / "run") as run:
        parts = [part.folder for part in split(run, 2)]
    with contextlib.closing(sqlite3.connect(parts[1] / "ledger.sqlite")) as ledger:
        ledger.execute("DROP TABLE ratings")
    with pytest.raises(RunError, match=r"part-2 has no table ratings. Open it once with Run\(folder\)"):
        merge(parts, tmp_path / "both")
    Run(parts[1]).close()
    with monkeypatch.context() as patch, pytest.raises(TypeError):
        patch.setattr("anthrokit.core.maintenance.record_prompts", None)
        merge(parts, tmp_path / "both")
    merge(parts, tmp_path / "both").close()


def test_bundled_run_can_be_judged_again(tmp_path):
    with demo_run(tmp_path / "run") as run:
        options = {"behaviours": ["emotions", "first-person pronoun use"], "progress": False}
        judge(run, GrammarJudge(), **options)  # which has judged it
        assert len(run.ratings()) == 3200
        judge(run, PatternJudge(), **options)  # which has not; the pronouns are counted already
        assert len(run.ratings()) == 3200 + 80 and run.missing().empty


@pytest.mark.parametrize(("name", "ratings"), [("demo", 3200), ("comparison", 1920)])
def test_bundled_runs_are_of_the_present_offline_panel(tmp_path, name, ratings):
    """A change of the offline judges is followed by `python benchmarks/demo_runs.py judge`."""
    with demo_run(tmp_path / "run", name=name) as run:
        before = run.ratings(), run.summary()
        judge(run, offline_panel(), progress=False)
        pd.testing.assert_frame_equal(run.ratings(), before[0])
        assert run.summary() == before[1] and len(before[0]) == ratings and run.missing().empty


def _with_pyarrow(files):
    from pyarrow import dataset

    return dataset.dataset(files).to_table().num_rows


def _with_datasets(files):
    datasets = pytest.importorskip("datasets")
    return datasets.Dataset.from_parquet(files).num_rows


def _with_duckdb(files):
    duckdb = pytest.importorskip("duckdb")
    return duckdb.read_parquet(files, union_by_name=True).count("*").fetchall()[0][0]


def _with_polars(files):
    polars = pytest.importorskip("polars")
    return polars.scan_parquet(files).select(polars.len()).collect().item()


@pytest.fixture(scope="module")
def partitioned(tmp_path_factory):
    """A folder with three exports in parts, and the labels of each."""
    folder = tmp_path_factory.mktemp("partitioned")
    with demo_run() as run:
        for number in range(3):
            run.export(folder / f"run {number}", partition_by="behaviour")
        return folder, run.labels()


@pytest.mark.parametrize("read", [_with_pyarrow, _with_datasets, _with_duckdb, _with_polars])
def test_partitioned_labels_of_three_runs_are_one_table(read, partitioned, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    folder, labels = partitioned
    files = [str(file) for file in sorted(folder.glob("run */labels/*.parquet"))]
    assert len(files) == 3 * labels["behaviour"].nunique() and read(files) == 3 * len(labels)


@pytest.mark.parametrize("read", [_with_pyarrow, _with_datasets, _with_duckdb, _with_polars])
def test_levels_of_three_runs_are_one_column(read, tmp_path, monkeypatch):
    """Also levels that are whole in one run only, and those of a column that another table has."""
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    for number, temperature in enumerate([0, 0.5, 1]):
        rows = {"user": "Hi", "assistant": f"I felt sad {number}.", "temperature": temperature, "counted": 10 + number}
        with judge_table(pd.DataFrame([rows]), [PatternJudge()], samples=1, run=tmp_path / str(number)) as run:
            labels = pd.read_parquet(run.export(tmp_path / "all" / str(number)) / "labels.parquet")
        assert set(labels["temperature"]) == {temperature} and set(labels["counted"]) == {10 + number}
    assert read([str(file) for file in sorted(tmp_path.glob("all/*/labels.parquet"))]) == 3 * len(labels)
    rates = analysis.profile(tmp_path / "all", ["temperature", "behaviour"])
    assert rates["temperature"].unique().tolist() == [0, 0.5, 1]


def test_labels_in_parts_and_whole(tmp_path):
    """An export replaces the parts of the one before; a column that labels lack leaves no folder."""
    with demo_run() as run:
        run.export(tmp_path / "run 0", partition_by="behaviour")
        with pytest.raises(tables.TableError, match="model"):
            run.export(tmp_path / "wrong", partition_by="model")
        with pytest.raises(TypeError, match="the name of one column as partition_by, not list"):
            run.export(tmp_path / "wrong", partition_by=["target"])
        assert not (tmp_path / "wrong").exists()
        run.export(tmp_path / "run 0")
    assert not list(tmp_path.glob("run 0/labels/*.parquet")) and (tmp_path / "run 0" / "labels.parquet").is_file()


def test_folder_of_a_run_is_taken_as_the_run():
    """Estimates and figures take the folder of a run where they take a run."""
    run, pair = demo_run(), demo_run(name="comparison")
    for estimate in (analysis.profile, analysis.emergence, analysis.agreement, missingness, sample_agreement):
        pd.testing.assert_frame_equal(estimate(str(run.folder)), estimate(run))
    pd.testing.assert_frame_equal(analysis.compare(pair.folder, "prompt"), analysis.compare(pair, "prompt"))
    assert figures.plot_profile(str(run.folder)).get_xlabel() == figures.plot_profile(run).get_xlabel()
    with pytest.raises(TypeError, match="can't take 'runs/none' for frame"):
        figures.plot_profile("runs/none")
    with pytest.raises(RunError, match="open for reading only"):
        save_annotation_sample(run.folder, 3)


def test_export_leaves_files_that_no_export_wrote(tmp_path):
    (tmp_path / "messages.csv").write_text("mine")
    with demo_run() as run, pytest.raises(RunError, match="messages.csv, which no export wrote"):
        run.export(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["messages.csv"]


def test_export_leaves_the_tables_of_another_run(tmp_path):
    with demo_run() as run, demo_run(name="comparison") as other:
        for _ in range(2):  # an export of the same run is replaced
            messages = (run.export(tmp_path) / "messages.csv").read_bytes()
        with pytest.raises(RunError, match="holds the tables of another run, 'demo'"):
            other.export(tmp_path)
    assert (tmp_path / "messages.csv").read_bytes() == messages
