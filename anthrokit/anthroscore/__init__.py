"""Implicit anthropomorphism of texts."""
# Written by docs/subpackages.py: change its list, not this file.
from anthrokit.core.errors import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    ["files", "mentions", "scoring", "tables", "tone"],
    {
        "files": ["score_files"],
        "mentions": ["AnthroScoreError", "Entities", "PROTOCOLS", "Protocol", "mask_sentences", "preset"],
        "scoring": ["Scorer", "load_scorer", "score_into", "score_messages", "score_sentences", "score_texts", "stored_scores", "stored_summary", "summarise"],
        "tone": ["score_tone"],
    },
)
