"""Widgets to inspect and label a run in the notebook."""
# Written by docs/subpackages.py: change its list, not this file.
from anthrokit.core.errors import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    ["annotation", "ballots", "chat", "decisions", "dialogue", "disagreement", "emergence", "frame", "rubric", "source"],
    {
        "annotation": ["AnnotationPanel"],
        "ballots": ["BallotPanel", "CouncilPanel"],
        "chat": ["ChatPanel"],
        "dialogue": ["DialoguePanel", "dialogue_html"],
        "disagreement": ["DisagreementPanel"],
        "emergence": ["EmergencePanel"],
        "rubric": ["RubricPanel"],
    },
)
