"""A run to look at and to label, in the notebook."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "annotation": ["AnnotationPanel", "Deck", "Queue", "card_html", "label_bar", "label_filters", "label_item", "label_list", "label_parts", "progress_html", "put_off", "summary_html", "undo"],
        "ballots": ["ASKS", "BallotPanel", "Booth"],
        "chat": ["ChatPanel"],
        "dialogue": ["DialoguePanel", "FLAGS", "Look", "badges_of", "dialogue_filters", "dialogue_html", "dialogue_line", "dialogue_list", "dialogue_markdown", "dialogue_parts", "dialogue_rows", "dialogue_view", "flagged", "flags_of", "found_in", "hits_of", "marks_of", "sets_of", "strip_of"],
        "disagreement": ["CELLS", "DisagreementList", "DisagreementPanel", "Disputes", "OwnVerdicts", "TICKS", "VERDICTS", "confusion", "decide", "decide_html", "disagreement", "disagreement_filters", "disagreement_parts", "disputed_html", "keep_verdict", "matrix_html", "pairs_html", "samples_of", "take_back", "two"],
        "emergence": ["ANY", "Curves", "EmergencePanel", "EmergenceParts", "LINES", "Occurrences", "about_html", "behind", "between", "chart_of", "contrast_svg", "curves", "numbers_of", "percent", "signed", "svg_of", "turns_of", "when"],
        "frame": ["AHEAD", "CSS", "ESM", "Filter", "Listing", "Panel", "Parts", "STILL_ROWS", "View", "chip_texts", "first_of", "nothing", "options_of"],
        "rubric": ["RubricList", "RubricPanel", "Rubrics", "WORTH", "pair_of", "rubric_filters", "rubric_html", "rubric_parts", "scores_of", "worth_a_look"],
        "source": ["LIMIT", "Mark", "SIGNS", "Source", "clean", "hues", "render", "rich", "spelled", "visible"],
    },
)
