"""Judges say which behaviours a message shows."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "any_messages": ["compare_pairs", "import_messages", "judge_table", "read_messages", "swap_test"],
        "judges": ["JUDGE_TEMPLATE", "Judge", "LLMJudge", "PronounCounter", "Rating", "TOGETHER_TEMPLATE", "TogetherJudge", "ajudge", "judge", "judge_prompt", "label", "label_run", "mode_of", "modes", "parse_together", "parse_verdict", "still_owed", "together_prompt"],
        "offline": ["LikelihoodJudge", "PatternJudge", "StudentJudge", "best_threshold", "embed", "embedding_judge", "labelled_messages", "offline_panel", "offline_quality", "quality", "quality_note"],
        "released": ["CUES", "RELEASED_TEMPLATE", "Released", "read_released", "released_question"],
    },
)
