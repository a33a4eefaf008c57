"""A run to look at and to label, in the notebook."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "annotation": ["AnnotationPanel", "LabellingSession"],
        "ballots": ["AdjudicationSession", "BallotPanel", "CouncilPanel", "VotingSession"],
        "chat": ["ChatPanel"],
        "dialogue": ["DialoguePanel", "DisplayOptions", "dialogue_html"],
        "emergence": ["EmergencePanel"],
        "frame": ["CSS", "ESM", "Filter", "Listing", "Panel", "Parts", "View", "options_of"],
        "judge_disagreement": ["DisagreementPanel", "confusion", "judge_disagreement"],
        "rubric": ["RubricPanel", "Rubrics"],
        "source": ["LIMIT", "Mark", "RunSource", "SIGNS", "palette_places", "render", "safe_html", "safe_markdown", "spell_invisible", "visible_name"],
    },
)
