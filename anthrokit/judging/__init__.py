"""Judges say which behaviours a message shows."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "any_messages": ["SPEAKERS", "Source", "as_text", "conversation", "import_messages", "judge_table", "metadata_rows", "paired_turns", "read_messages", "read_rows"],
        "families": ["family_patterns", "family_quality", "labelled_family_messages"],
        "grammar": ["GrammarJudge", "PatternJudge", "Reading", "SPACY_MODEL", "load_grammar", "readings"],
        "jobs": ["JudgingJob", "Messages", "RatingUnit", "ajudge", "as_taxonomy", "asked", "asked_alike", "check_judges", "estimate", "judge", "rate_many", "rated", "settle_item", "taxonomy_of"],
        "judges": ["CONTEXTS", "JUDGE_TEMPLATE", "Judge", "LLMJudge", "PASSAGE_FIRST_TEMPLATE", "Passage", "PronounCounter", "TOGETHER_TEMPLATE", "TogetherJudge", "judge_identity", "judge_prompt", "rate_once", "read_completion", "together_prompt"],
        "offline": ["ClassifierJudge", "StudentJudge", "best_threshold", "embed", "embedding_judge", "features", "grammar_judge", "labelled_messages", "offline_panel", "offline_quality", "quality", "quality_note", "sentence_judge", "split_sentences", "written_sentences"],
        "persona_checks": ["USER_BREAKS", "USER_TEMPLATE", "echoes", "judge_user_turns", "judged_breaks", "user_turn_judge", "user_turns"],
        "released": ["CUES", "RELEASED_TEMPLATE", "Released", "read_released", "released_question"],
        "verdicts": ["LONGEST_ANSWER", "Rating", "Statement", "declines", "json_objects", "own_lines", "parse_verdict", "parse_verdicts", "statements"],
    },
)
