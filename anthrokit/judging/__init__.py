"""Judges say which behaviours a message shows."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "any_messages": ["SPEAKERS", "Source", "as_text", "conversation", "import_messages", "judge_table", "metadata_rows", "paired_turns", "read_messages", "read_rows"],
        "judges": ["JUDGE_TEMPLATE", "Judge", "LLMJudge", "PronounCounter", "Rating", "TOGETHER_TEMPLATE", "TogetherJudge", "ajudge", "judge", "judge_prompt", "parse_together", "parse_verdict", "taxonomy_of", "together_prompt"],
        "offline": ["LikelihoodJudge", "PatternJudge", "StudentJudge", "best_threshold", "embed", "embedding_judge", "labelled_messages", "offline_panel", "offline_quality", "quality", "quality_note"],
        "released": ["CUES", "RELEASED_TEMPLATE", "Released", "read_released", "released_question"],
    },
)
