"""A run to look at and to label, in the notebook."""
# Written by docs/subpackages.py: change its list, not this file.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=["annotation", "ballots", "chat", "dialogue", "disagreement", "emergence", "frame", "rubric", "source"],
    submod_attrs={
        "annotation": ["AnnotationPanel"],
        "ballots": ["BallotPanel", "CouncilPanel"],
        "chat": ["ChatPanel"],
        "dialogue": ["DialoguePanel", "dialogue_html"],
        "disagreement": ["DisagreementPanel"],
        "emergence": ["EmergencePanel"],
        "rubric": ["RubricPanel"],
    },
)
