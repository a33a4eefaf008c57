"""Implicit anthropomorphism of a text."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "scoring": ["AnthroScoreError", "Entities", "Scorer", "anthroscore", "by_turn", "dialogue_scores", "is_english", "load_scorer", "mask_sentences", "plot_by_turn", "preset", "pronoun_tokens", "pronouns", "score_into", "score_sentences", "stored_scores", "stored_summary", "summarise"],
    },
)
