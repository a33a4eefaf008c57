"""What is of a wrong kind is refused where it is given, in a sentence that names what is wanted."""

import pandas as pd
import pytest

import anthrokit as ak
from anthrokit import anthroscore, heartbench, io, judging, simulation, study, validity
from anthrokit.core import TableError
from anthrokit.judging import LLMJudge

FRAME = pd.DataFrame({"a": [1]})
A_RUN = r"a run, opened with Run\(folder\), not str"
CALLS = {
    "template": (lambda: LLMJudge("openai/gpt-4o", template=5), "a template: a text with .*, not int"),
    "taxonomy": (lambda: ak.Taxonomy("path"), r"behaviours \(Taxonomy.load\(path\) reads .*, not str"),
    "behaviour": (lambda: ak.Taxonomy([1]), "behaviours .*, not int"),
    "anthrobench": (lambda: io.read_anthrobench(5), "the path of a table.s file, not int"),
    "panel": (lambda: ak.AnnotationPanel(None), "a run, the folder of one, or a sheet .*, not NoneType"),
    "chats": (lambda: io.write_openai("path", "out.jsonl"), A_RUN),
    "stored scores": (lambda: anthroscore.stored_scores("path"), A_RUN),
    "stored summary": (lambda: anthroscore.stored_summary("path"), A_RUN),
    "scale": (lambda: anthroscore.scoring.check_scale(5), r"the scores table is a DataFrame, not int; score_texts"),
    "summary": (lambda: anthroscore.summarise(5), r"the scores table is a DataFrame, not int; score_texts"),
    "texts": (lambda: anthroscore.score(5), "a text, or a list, .* of texts, not int"),
    "tone": (lambda: anthroscore.score_tone(5), "a text, or a list, .* of texts, not int"),
    "conditions": (lambda: study.show_conditions("path"), r"load_conditions\(path\) reads them, not str"),
    "cases of": (lambda: heartbench.answers.run_cases("path"), A_RUN),
    "drafts": (lambda: heartbench.building.collect_drafts("path"), A_RUN),
    "golden": (lambda: heartbench.golden("path"), "the expert votes table is a DataFrame, not str"),
    "cases": (lambda: heartbench.Cases("path"), r"cases \(load_cases\(path\) reads .*, not str"),
    "judge": (lambda: heartbench.RubricJudge(5), "a model is named by a LiteLLM string, .*, not 5"),
    "abilities": (lambda: heartbench.results.wide_scores(5), r"a table of scores, as target_scores\(\) gives it, not int"),
    "words": (lambda: heartbench.mean_words(FRAME), r"needs the column\(s\) target, content. It has: a"),
    "names": (lambda: heartbench.cases.ability_names(FRAME), r"needs the column\(s\) ability, ability_zh"),
    "criteria": (lambda: heartbench.experts.criteria_sheet(FRAME), "the path of a .jsonl or .json file .*, not DataFrame"),
    "personal": (lambda: heartbench.rewriting.find_personal(5), r"cases \(load_cases\(path\) reads .*, not int"),
    "cases needed": (lambda: heartbench.gold_standard.cases_needed("x"), "agreement is a number between 0.8 and 1, not 'x'"),
    "bar": (lambda: heartbench.gold_standard.agreement_bar("x"), "cases is a number of 1 or more, not 'x'"),
}

TABLES = {
    "radar": lambda: heartbench.plot_radar(FRAME),
    "golden": lambda: heartbench.expert_agreement(FRAME, heartbench.bundled_verdicts()),
    "disagreements": lambda: heartbench.results.expert_disagreements(FRAME, heartbench.bundled_verdicts()),
    "order": lambda: heartbench.rubric_judges.position_effect(FRAME),
    "decisions": lambda: heartbench.experts.apply_decisions(heartbench.load_cases("bundled"), FRAME),
    "drafts": lambda: heartbench.building.add_drafts(heartbench.load_cases("bundled"), FRAME),
    "words": lambda: heartbench.answers.add_word_counts(FRAME),
    "answers": lambda: heartbench.released.write_released_answers(heartbench.load_cases("bundled"), FRAME, "nowhere"),
    "scores": lambda: heartbench.target_scores(FRAME),
    "echoes": lambda: judging.persona_checks.echoes(FRAME),
    "breaks": lambda: simulation.persona_breaks(FRAME),
    "labels": lambda: ak.profile(FRAME),
    "answers from elsewhere": lambda: heartbench.answers.add_answers(None, heartbench.load_cases("bundled"), FRAME),
    "contrasting answers": lambda: heartbench.building.draft_criteria([], FRAME, model="openai/gpt-4o", run="nowhere"),
    "saturated": lambda: heartbench.building.drop_saturated(heartbench.load_cases("bundled"), FRAME),
    "hard": lambda: heartbench.building.mark_difficulty(heartbench.load_cases("bundled"), FRAME),
    "mock": lambda: heartbench.experts.mock_report(FRAME),
    "verdicts": lambda: heartbench.cases.add_criteria(FRAME, heartbench.load_cases("bundled")),
    "drawn": lambda: heartbench.gold_standard.golden_progress(FRAME, FRAME, heartbench.load_cases("bundled"), experts=3),
    "agreement by": lambda: heartbench.expert_agreement(FRAME, FRAME, "kind"),
    "queues": lambda: validity.annotators.annotation_progress(FRAME, FRAME),
    "items": lambda: validity.annotations.add_texts(None, FRAME),
    "ratings": lambda: validity.panel_sensitivity(FRAME),
    "turns": lambda: judging.persona_checks.swap_user_turns(FRAME),
    "prompts": lambda: simulation.prompts.most_similar(FRAME),
}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_type_raises(name):
    call, words = CALLS[name]
    with pytest.raises((TypeError, ValueError), match=words):
        call()


@pytest.mark.parametrize("name", TABLES)
def test_wrong_table_raises(name):
    with pytest.raises(TableError, match=r"table needs the column\(s\) .*\. It has: a"):
        TABLES[name]()


def test_file_instead_of_folder_raises(tmp_path):
    (tmp_path / "file").write_text("taken")
    with pytest.raises(ak.RunError, match=r"demo\.jsonl can't be written: .* name another place"):
        io.write_openai(ak.demo_run(), tmp_path / "file" / "demo.jsonl")


def test_a_wrong_kind_of_value_is_named_with_what_to_give():
    run, empty = ak.demo_run(), pd.DataFrame()
    labels = run.labels()
    cases = [
        (lambda: ak.profile(run.messages()), "column.s. label.*run.labels.. makes it"),
        (lambda: ak.emergence(run.messages()), "column.s. label.*run.labels.. makes it"),
        (lambda: ak.compare(empty), "column.s. target, label.*run.labels.. makes it"),
        (lambda: ak.compare(labels.rename(columns={"domain": "domian"}), "domain"), "there is domian"),
        (lambda: ak.AnnotationPanel(labels), "message .run.messages.. has the texts.*pass the run"),
        (lambda: ak.profile("runs/nothere"), "runs/nothere holds no run and is not a Parquet file. Give a run"),
        (lambda: ak.judge("runs/nothere"), "runs/nothere holds no run; simulate makes one"),
        (lambda: ak.judge(labels), "this takes a run or the folder of a run"),
        (lambda: ak.figures.save(run, "x"), "save takes the Axes or the Figure that a figure function returned, not Run"),
        (lambda: ak.anthroscore.score(empty), "it has none. Name the column of texts"),
        (lambda: ak.sample_prompts(ak.load_prompts(), 0), "n is a whole number from 1 to 960, the number of prompts, not 0"),
        (lambda: ak.heartbench.load_cases("bundled")["en-hospital-joke"], "did you mean en-hospital-jokes"),
        (lambda: ak.heartbench.target_scores(empty), "verdicts.run. makes it"),
        (lambda: ak.study.check_conditions(1, 2), "needs run.$"),
    ]
    for call, message in cases:
        with pytest.raises((ak.core.TableError, ak.RunError, TypeError, ValueError, KeyError), match=message):
            call()
