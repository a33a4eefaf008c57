"""Implicit anthropomorphism of texts."""
# Written by docs/subpackages.py: change its list, not this file.
import lazy_loader

_NAMES = {
    "files": ["score_files"],
    "mentions": ["AnthroScoreError", "Entities", "PROTOCOLS", "Protocol", "mask_sentences", "preset"],
    "scoring": ["Scorer", "load_scorer", "score_into", "score_messages", "score_sentences", "score_texts", "stored_scores", "stored_summary", "summarise"],
    "tone": ["score_tone"],
}
_load, __dir__, _ = lazy_loader.attach(
    __name__,
    submodules=["files", "mentions", "scoring", "tone"],
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
