"""anthrokit: measure anthropomorphism in language models, from notebooks.

`import anthrokit as ak` gives what a study needs; the rooms below hold the rest, such as `ak.analysis.factor_model`.

    core         what every stage stands on: tables, votes, runs, errors
    models       every model behind one call: limits, retries, budgets, batches
    work         one engine for all that is paid for or slow
    simulation   behaviours, prompts, and dialogues between two models
    judging      judges say which behaviours a message shows
    anthroscore  implicit anthropomorphism of a text
    analysis     from labels to answers: profiles, emergence, comparisons, agreement
    validity     people's labels, the accuracy of judges, corrected rates
    figures      one function a figure
    heartbench   counselling cases, answers, rubric judges, scores
    study        people chat with a system and judge it: conditions, gateway, questionnaires, outcomes
    panels       a run to look at and to label, in the notebook
    io           files of other tools, in and out
    report       one HTML file a run
    cli          the command line

Names are loaded when they are first used, so that `import anthrokit` takes no time. This module is written by hand;
those of the rooms are made from their notebooks.
"""
import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "analysis", "anthroscore", "cli", "core", "figures", "heartbench", "io", "judging", "models", "panels", "report",
        "simulation", "study", "validity", "work",
    ],
    submod_attrs={
        "core": ["BudgetReached", "Run", "RunError", "SetupError", "label"],
        "models": ["LLM", "Budget", "doctor"],
        "simulation": [
            "Behaviour", "Taxonomy", "asimulate", "contextualise", "load_prompts", "sample_prompts", "simulate",
        ],
        "judging": [
            "LLMJudge", "TogetherJudge", "ajudge", "estimate", "import_messages", "judge", "judge_table", "offline_panel",
        ],
        "analysis": ["agreement", "compare", "compare_pairs", "emergence", "profile", "snowball"],
        "validity": ["corrected_rates", "draw_annotation_sample", "judge_accuracy"],
        "figures": ["plot_differences", "plot_emergence", "plot_profile", "plot_snowball"],
        "study": ["plan"],
        "panels": ["AnnotationPanel", "BallotPanel", "DialoguePanel", "DisagreementPanel", "EmergencePanel", "RubricPanel"],
        "io": [
            "read_anthrobench", "to_datasets", "write_anthrobench", "write_openai",
        ],
        "report": ["demo_run", "write_report"],
    },
)
