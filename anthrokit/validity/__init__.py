"""People's labels, the accuracy of judges, corrected rates."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "accuracy": ["WORDINGS", "annotate", "bounds", "compare_protocols", "corrected_rates", "effective_votes", "family", "judge_accuracy", "own_family", "rate_range", "read_annotations", "read_verdicts", "rogan_gladen", "sensitivity", "with_texts", "wording_judges"],
        "annotations": ["Annotations", "by_annotator", "kept_draw"],
    },
)
