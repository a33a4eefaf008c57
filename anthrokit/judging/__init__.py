"""Judges say which behaviours a message shows."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "any_messages": ["Source", "import_messages", "import_report", "judge_table", "paired_turns", "read_messages"],
        "families": ["family_patterns", "family_quality", "labelled_family_messages"],
        "grammar": ["GrammarJudge", "PatternJudge", "Reading", "load_grammar", "parse_texts"],
        "jobs": ["Items", "RatingUnit", "ajudge", "as_judges", "asked", "asked_alike", "estimate", "judge", "rated", "run_taxonomy"],
        "judges": ["CONTEXTS", "Item", "JUDGE_TEMPLATE", "Judge", "LLMJudge", "LocalJudge", "PASSAGE_FIRST_TEMPLATE", "PromptJudge", "PronounCounter", "Response", "TOGETHER_TEMPLATE", "TogetherJudge", "judge_prompt", "rate_many", "together_prompt"],
        "log_formats": ["FORMATS", "Format", "IDS", "Log", "read_log"],
        "offline": ["ClassifierJudge", "StudentJudge", "embed", "embedding_judge", "grammar_judge", "labelled_messages", "offline_panel", "offline_quality", "quality", "quality_note", "sentence_judge", "written_sentences"],
        "persona_checks": ["USER_BREAKS", "USER_TURN_TEMPLATE", "echoes", "judge_user_turns", "persona_verdicts", "swap_user_turns", "user_turn_judge"],
        "released": ["CUES", "Released", "read_released"],
        "verdicts": ["Rating", "parse_verdict", "parse_verdicts"],
    },
)
