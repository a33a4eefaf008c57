"""Judges, which decide which behaviours a message shows."""
# Written by docs/subpackages.py: change its list, not this file.
from anthrokit.core.errors import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    ["any_messages", "families", "grammar", "jobs", "judges", "log_formats", "offline", "persona_checks", "released", "verdicts"],
    {
        "any_messages": ["import_messages", "import_report", "judge_table"],
        "families": ["family_patterns", "labelled_family_messages"],
        "grammar": ["GrammarJudge", "PatternJudge"],
        "jobs": ["ajudge", "estimate", "judge"],
        "judges": ["Judge", "LLMJudge", "LocalJudge", "PromptJudge", "PronounCounter", "TogetherJudge", "rate_many"],
        "offline": ["ClassifierJudge", "StudentJudge", "labelled_messages", "offline_panel", "offline_quality", "quality"],
        "persona_checks": ["judge_user_turns"],
        "released": ["Released", "read_released"],
        "verdicts": ["Rating"],
    },
)
