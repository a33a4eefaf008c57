"""People's labels, the accuracy of judges, corrected rates."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "accuracy": ["effective_votes", "judge_accuracy", "panel_verdicts", "weights_of"],
        "annotations": ["Annotations", "add_texts", "by_annotator", "draw_annotation_sample", "read_annotations", "read_verdicts", "save_annotation_sample", "score_strata"],
        "annotators": ["annotation_progress", "annotator_agreement", "apply_adjudication", "assign_items", "from_label_studio", "from_potato", "items_to_adjudicate", "to_label_studio", "to_potato"],
        "correction": ["corrected_rates", "prediction_powered_differences", "prediction_powered_rates", "rate_bounds", "rogan_gladen"],
        "human_data": ["check_against_people", "dataset_behaviours", "load_human_data"],
        "judge_checks": ["anchor_drift", "error_bias", "item_response", "latent_labels", "sample_agreement"],
        "label_plan": ["enough_labels", "labels_needed"],
        "panel_checks": ["WORDINGS", "compare_protocols", "context_judges", "judge_exchanges", "labelled_exchanges", "model_family", "panel_sensitivity", "present_judges", "rate_range", "same_family_judges", "wording_judges"],
    },
)
