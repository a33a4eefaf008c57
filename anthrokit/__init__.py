"""anthrokit: measure anthropomorphism in language models, from notebooks.

`import anthrokit as ak` gives the names that most studies need. The subpackages below offer the rest, such as
`ak.analysis.factor_model`.

    core         runs, tables, votes and errors, which every stage uses
    models       every model behind one call: limits, retries, budgets, batches
    work         one engine for everything that is paid for or slow
    simulation   behaviours, prompts, and dialogues between two models
    judging      judges, which decide which behaviours a message shows
    anthroscore  implicit anthropomorphism of texts
    analysis     statistics of labels: profiles, emergence, comparisons, agreement
    validity     people's labels, the accuracy of judges, corrected rates
    figures      one function for each figure
    heartbench   counselling cases, answers, rubric judges, scores
    study        studies with people: conditions, gateway, questionnaires, outcomes
    panels       widgets to inspect and label a run in the notebook
    io           readers and writers of other tools' files
    report       one HTML file for each run
    cli          the command line

Names are loaded on first use, so that `import anthrokit` is fast. This module is written by hand;
docs/subpackages.py writes those of the subpackages.
"""
from anthrokit.core.errors import lazy_names

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    [
        "analysis", "anthroscore", "cli", "core", "figures", "heartbench", "io", "judging", "models", "panels", "report",
        "simulation", "study", "validity", "work",
    ],
    {
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
