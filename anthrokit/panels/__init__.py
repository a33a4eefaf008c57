"""A run to look at and to label, in the notebook."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "annotation": ["AnnotationPanel", "Deck", "Keyboard"],
        "base": ["LIMIT", "Mark", "Panel", "STYLE", "Source", "choice", "clean", "offer", "render", "row", "search", "visible"],
        "dialogue": ["CopyButton", "DialoguePanel", "FLAGS", "badges_of", "dialogue_html", "flagged", "flags_of", "marks_of"],
        "disagreement": ["DisagreementPanel", "confusion", "disagreement"],
        "emergence": ["Curves", "EmergencePanel", "LINES", "Ticks", "curves", "fit", "joined", "parted"],
        "rubric": ["RubricPanel", "Rubrics", "WORTH", "scores_of", "worth_a_look"],
    },
)
