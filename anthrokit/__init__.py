"""anthrokit: measure anthropomorphism in language models, from notebooks.

Names are loaded when they are first used, so that `import anthrokit` takes no time. This is the one
module that is written by hand; all others are exported from nbs/.
"""
import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "any_messages", "anthroscore", "batches", "behaviours", "cli", "figures", "heartbench", "heartbench_build",
        "heartbench_results", "judge", "llm", "local", "offline", "prompts", "report", "simulate", "stats", "store",
        "tables", "validity",
    ],
    submod_attrs={
        "any_messages": ["compare_pairs", "judge_table"],
        "batches": ["Batch"],
        "behaviours": ["Behaviour", "Taxonomy"],
        "judge": ["LLMJudge", "Rating", "TogetherJudge", "ajudge"],
        "llm": ["LLM", "Budget", "BudgetReached", "SetupError"],
        "offline": ["StudentJudge", "offline_panel"],
        "prompts": ["contextualise", "load_prompts", "load_scenarios", "sample_prompts"],
        "report": ["demo_run", "profile_table", "write_report"],
        "simulate": ["asimulate"],
        "store": ["Run", "StoreError"],
        "tables": ["TableError", "read_table"],
        "validity": ["annotate", "judge_accuracy", "read_annotations"],
    },
)
