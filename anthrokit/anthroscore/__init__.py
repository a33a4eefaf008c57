"""Implicit anthropomorphism of a text."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "files": ["score_files"],
        "mentions": ["AnthroScoreError", "Entities", "PROTOCOLS", "Protocol", "SENTENCE_COLUMNS", "get_protocol", "mask_sentences", "preset"],
        "scoring": ["SCALE", "Scorer", "check_scale", "load_scorer", "pronoun_tokens", "score_into", "score_messages", "score_sentences", "score_texts", "stored_scores", "stored_summary", "summarise"],
        "tone": ["DIMENSIONS", "score_tone"],
    },
)
