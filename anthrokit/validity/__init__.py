"""People's labels, the accuracy of judges, corrected rates."""
# Written by docs/subpackages.py: change its list, not this file.
from anthrokit.core.errors import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    ["accuracy", "annotations", "annotators", "correction", "human_data", "judge_checks", "label_plan", "panel_checks"],
    {
        "accuracy": ["effective_votes", "judge_accuracy"],
        "annotations": ["draw_annotation_sample", "read_annotations"],
        "annotators": ["annotation_progress", "annotator_agreement", "assign_items", "from_label_studio", "from_potato", "to_label_studio", "to_potato"],
        "correction": ["corrected_rates", "prediction_powered_differences", "prediction_powered_rates", "rate_bounds"],
        "human_data": ["check_against_people", "load_human_data"],
        "judge_checks": ["item_response", "sample_agreement"],
        "label_plan": ["labels_needed"],
        "panel_checks": ["compare_protocols", "panel_sensitivity"],
    },
)
