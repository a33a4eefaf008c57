"""People's labels, the accuracy of judges, corrected rates."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "accuracy": ["effective_votes", "judge_accuracy", "verdicts_of", "weights_of"],
        "annotations": ["Annotations", "by_annotator", "draw_annotation_sample", "keep_annotation_sample", "read_annotations", "read_verdicts", "score_strata", "with_texts"],
        "annotators": ["adjudicated", "annotation_progress", "annotator_agreement", "assign_items", "from_label_studio", "from_potato", "to_adjudicate", "to_label_studio", "to_potato"],
        "correction": ["bounds", "corrected_rates", "prediction_powered_differences", "prediction_powered_rates", "rogan_gladen"],
        "human_data": ["check_against_people", "load_human_data", "stands_for"],
        "judge_checks": ["anchor_drift", "error_bias", "item_response", "latent_labels", "sample_agreement"],
        "label_plan": ["enough_labels", "labels_needed"],
        "sensitivities": ["WORDINGS", "compare_protocols", "context_judges", "family", "judge_exchanges", "labelled_exchanges", "own_family", "present_judges", "rate_range", "sensitivity", "wording_judges"],
    },
)
