"""anthrokit: measure anthropomorphism in language models, from notebooks.

Names are loaded when they are first used, so that `import anthrokit` takes no time. This is the one
module that is written by hand; all others are exported from nbs/.
"""
import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "annotations", "anthrobench_files", "anthroscore", "any_messages", "behaviours", "chat_formats", "cli", "figures",
        "heartbench", "heartbench_build", "heartbench_results", "judge", "llm", "local", "offline",
        "panels", "prompts", "report", "simulate", "stats", "store", "tables", "validity",
    ],
    submod_attrs={
        "annotations": ["Annotations"],
        "anthrobench_files": ["anthrobench_losses", "read_anthrobench", "write_anthrobench"],
        "any_messages": ["compare_pairs", "judge_table"],
        "behaviours": ["Behaviour", "Taxonomy"],
        "chat_formats": ["read_openai", "read_sharegpt", "to_datasets", "write_openai", "write_sharegpt"],
        "judge": ["LLMJudge", "Rating", "TogetherJudge", "ajudge"],
        "llm": ["LLM", "Budget", "BudgetReached", "SetupError"],
        "offline": ["StudentJudge", "offline_panel"],
        "panels.dialogue": ["DialoguePanel"],
        "panels.disagreement": ["DisagreementPanel"],
        "panels.emergence": ["EmergencePanel"],
        "panels.rubric": ["RubricPanel"],
        "panels.annotation": ["AnnotationPanel"],
        "prompts": ["contextualise", "load_prompts", "load_scenarios", "sample_prompts"],
        "report": ["demo_run", "profile_table", "write_report"],
        "simulate": ["asimulate"],
        "store": ["Run", "StoreError"],
        "tables": ["TableError", "read_table"],
        "validity": ["annotate", "judge_accuracy", "read_annotations"],
    },
)
