"""A run to look at and to label, in the notebook."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "annotation": ["AnnotationPanel", "Deck"],
        "ballots": ["BallotPanel", "Booth", "Council", "CouncilPanel"],
        "chat": ["ChatPanel"],
        "dialogue": ["DialoguePanel", "Look", "dialogue_html", "reason_html"],
        "disagreements": ["DisagreementPanel", "confusion", "disagreement"],
        "emergence": ["EmergencePanel"],
        "frame": ["CSS", "ESM", "Filter", "Listing", "Panel", "Parts", "View", "options_of"],
        "rubric": ["RubricPanel", "Rubrics"],
        "source": ["LIMIT", "Mark", "SIGNS", "Source", "clean", "hues", "render", "rich", "spelled", "visible"],
    },
)
