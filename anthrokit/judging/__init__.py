"""Judges, which decide which behaviours a message shows."""
# Written by docs/subpackages.py: change its list, not this file.
import lazy_loader

_NAMES = {
    "any_messages": ["import_messages", "import_report", "judge_table"],
    "families": ["family_patterns", "labelled_family_messages"],
    "grammar": ["GrammarJudge", "PatternJudge"],
    "jobs": ["ajudge", "estimate", "judge"],
    "judges": ["Judge", "LLMJudge", "LocalJudge", "PromptJudge", "PronounCounter", "TogetherJudge", "rate_many"],
    "offline": ["ClassifierJudge", "StudentJudge", "labelled_messages", "offline_panel", "offline_quality", "quality"],
    "persona_checks": ["judge_user_turns"],
    "released": ["Released", "read_released"],
    "verdicts": ["Rating"],
}
_load, __dir__, _ = lazy_loader.attach(
    __name__,
    submodules=["any_messages", "families", "grammar", "jobs", "judges", "log_formats", "offline", "persona_checks", "released", "verdicts"],
    submod_attrs=_NAMES,
)
__all__ = sorted(name for names in _NAMES.values() for name in names)


def __getattr__(name):
    try:
        return _load(name)
    except AttributeError:
        if name.startswith("_"):
            raise
    from anthrokit.core.errors import missing_attribute

    raise AttributeError(missing_attribute(__name__, name))
