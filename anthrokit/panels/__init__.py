"""A run to look at and to label, in the notebook."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "annotation": ["AnnotationPanel", "Deck"],
        "ballots": ["ASKS", "BallotPanel", "Booth", "Council", "CouncilPanel"],
        "chat": ["ChatPanel"],
        "dialogue": ["DialoguePanel", "FLAGS", "Look", "dialogue_html", "dialogue_line", "dialogue_rows", "hits_of"],
        "disagreements": ["CELLS", "DisagreementPanel", "TICKS", "VERDICTS", "confusion", "disagreement", "keep_verdict", "two"],
        "emergence": ["ANY", "EmergencePanel", "LINES", "turns_of", "when"],
        "frame": ["AHEAD", "CSS", "ESM", "Filter", "LOST", "Listing", "Panel", "Parts", "STILL_ROWS", "View", "options_of"],
        "rubric": ["RubricPanel", "Rubrics", "WORTH"],
        "source": ["LIMIT", "Mark", "SIGNS", "Source", "clean", "hues", "render", "rich", "spelled", "visible"],
    },
)
