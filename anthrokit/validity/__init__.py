"""People's labels, the accuracy of judges, corrected rates."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "accuracy": ["both_said", "effective_votes", "judge_accuracy", "people_said", "verdicts_of"],
        "annotations": ["Annotations", "by_annotator", "draw_annotation_sample", "keep_annotation_sample", "read_annotations", "read_verdicts", "with_texts"],
        "correction": ["bounds", "corrected_rates", "prediction_powered_rates", "rogan_gladen"],
        "human_data": ["check_against_people", "load_human_data", "stands_for"],
        "sensitivities": ["WORDINGS", "compare_protocols", "context_judges", "family", "judge_exchanges", "labelled_exchanges", "own_family", "present_judges", "rate_range", "sensitivity", "wording_judges"],
    },
)
