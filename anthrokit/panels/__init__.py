"""Widgets to inspect and label a run in the notebook."""
# Written by docs/subpackages.py: change its list, not this file.
import lazy_loader

_NAMES = {
    "annotation": ["AnnotationPanel"],
    "ballots": ["BallotPanel", "CouncilPanel"],
    "chat": ["ChatPanel"],
    "dialogue": ["DialoguePanel", "dialogue_html"],
    "disagreement": ["DisagreementPanel"],
    "emergence": ["EmergencePanel"],
    "rubric": ["RubricPanel"],
}
_load, __dir__, _ = lazy_loader.attach(
    __name__,
    submodules=["annotation", "ballots", "chat", "dialogue", "disagreement", "emergence", "frame", "rubric", "source"],
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
