"""Write `__init__.py` and `__init__.pyi` of every subpackage: its public names, loaded on first use.

`make notebooks` runs this script after nbdev_export. PUBLIC lists the public names of each subpackage. Import other
functions from their modules: `from anthrokit.core.tables import check_table`.
"""

import ast
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE, NOTEBOOKS = ROOT / "anthrokit", ROOT / "nbs"
PUBLIC = {
    "core": """
        BudgetReached CallFailed Interrupted Run RunError SetupError TableError
        data_path forget_judges import_dialogues label label_messages list_columns merge public_file
        read_frame repair split write_frame
    """,
    "models": "Batch Budget Completion DEFAULT_MODEL ExecutorPool LLM RayExecutor doctor fetch_model load_embedded",
    "simulation": """
        Behaviour CHINESE_USER_TEMPLATE PUSHBACK Persona Taxonomy USER_TEMPLATE acontextualise asimulate check_personas contextualise
        family_prompts first_person_pronouns load_family load_personas load_prompts load_scenarios persona_breaks
        persona_prompts sample_prompts simulate
    """,
    "judging": """
        ChineseGrammarJudge ClassifierJudge GrammarJudge Judge LLMJudge LocalJudge PatternJudge PromptJudge PronounCounter Rating Released
        StudentJudge TogetherJudge ajudge estimate family_patterns import_messages import_report judge judge_table judge_user_turns
        labelled_chinese labelled_family_messages labelled_messages offline_panel offline_quality quality rate_many read_released
    """,
    "anthroscore": """
        AnthroScoreError Entities PROTOCOLS Protocol Scorer load_scorer mask_sentences preset score
        score_sentences score_tone stored_scores stored_summary summarise
    """,
    "analysis": """
        agreement carry_over compare compare_conditions compare_differences compare_pairs compare_versions
        dialogue_flips drift emergence factor_model first_occurrences first_turns flips holding kruskal_wallis
        late_behaviours late_share mirrored profile
        similarity simulate_labels snowball snowball_matrix
    """,
    "validity": """
        align check_against_people compare_prevalence compare_protocols corrected_rates dose_response
        draw_annotation_sample effective_votes item_response judge_accuracy labels_needed load_human_data
        panel_sensitivity partial_effects perceived perceived_means prediction_powered_differences prevalence
        rate_bounds read_annotations sample_agreement sample_log turning_point
    """,
    "figures": """
        plot_agreement plot_conditions plot_corrected plot_counts plot_differences plot_drift
        plot_emergence plot_emergence_curves plot_holding plot_late plot_odds
        plot_profile plot_ranks plot_scores plot_similarity plot_slopes plot_snowball plot_snowball_matrix
        save theme
    """,
    "heartbench": """
        Case Cases Criterion RubricJudge add_answers add_cases answers_of bundled_answers bundled_verdicts compare_targets
        expert_agreement golden leaderboard load_cases mean_words missing_scores plot_abilities plot_radar target_scores
        verdicts
    """,
    "study": """
        Client Condition Gateway Study StudyServer check_conditions compare_credibility draw_credibility_sheet erase
        init_study judged_and_perceived load_conditions outcomes plan scale_reliability score_scales search_study serve
        set_section show_conditions synthetic_responses
    """,
    "panels": """
        AnnotationPanel BallotPanel ChatPanel CouncilPanel DialoguePanel DisagreementPanel EmergencePanel RubricPanel
        dialogue_html
    """,
    "io": """
        anthrobench read_anthrobench read_inspect read_petri read_scan scanners to_datasets write_anthrobench
        write_every_eval_ever write_inspect write_openai write_preferences write_sharegpt
    """,
}
TEMPLATE = '''"""{title}"""
# Written by docs/subpackages.py, as the list of names in __init__.pyi.
from anthrokit.core.errors import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
'''


def defined_names(module: Path) -> list[str]:
    """Return the names that a module lists in `__all__`."""
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return ast.literal_eval(node.value)
    return []


def titles() -> dict[str, str]:
    """Return the line that `anthrokit/__init__.py` gives each subpackage, as a sentence."""
    lines = re.findall(r"^    (\w+) {2,}(\S.*)$", (PACKAGE / "__init__.py").read_text(encoding="utf-8"), re.M)
    return {name: f"{line[0].upper()}{line[1:]}." for name, line in lines}


def write_init(subpackage: Path) -> None:
    """Write `__init__.py` and `__init__.pyi` of a subpackage, or raise if a public name is defined nowhere or twice."""
    modules = sorted(path for path in subpackage.glob("*.py") if not path.name.startswith("_"))
    defined = {module.stem: defined_names(module) for module in modules}
    public = PUBLIC[subpackage.name].split()
    for name in public:
        homes = [stem for stem, names in defined.items() if name in names]
        if len(homes) != 1:
            raise SystemExit(f"docs/subpackages.py: {subpackage.name}.{name} is defined in {homes or 'no module'}")
    lines = [f"from . import {stem} as {stem}" for stem in defined if stem not in public]
    for stem, names in defined.items():
        lines += [f"from .{stem} import {name} as {name}" for name in sorted(set(names) & set(public))]
    (subpackage / "__init__.py").write_text(TEMPLATE.format(title=titles()[subpackage.name]), encoding="utf-8")
    (subpackage / "__init__.pyi").write_text("\n".join(lines) + "\n", encoding="utf-8")


def drop_widgets() -> None:
    """Delete the widget state of notebooks that show no widget: it holds each panel's whole script and style."""
    for path in NOTEBOOKS.rglob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        shown = {kind for cell in notebook["cells"] for out in cell.get("outputs", ()) for kind in out.get("data", ())}
        if "widgets" in notebook["metadata"] and "application/vnd.jupyter.widget-view+json" not in shown:
            del notebook["metadata"]["widgets"]
            path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    drop_widgets()
    for folder in sorted(path for path in PACKAGE.iterdir() if path.name in PUBLIC):
        write_init(folder)
