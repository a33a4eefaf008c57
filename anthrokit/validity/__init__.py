"""People's labels, the accuracy of judges, corrected rates."""
# Written by docs/subpackages.py: change its list, not this file.
import lazy_loader

_NAMES = {
    "accuracy": ["effective_votes", "judge_accuracy"],
    "annotations": ["draw_annotation_sample", "read_annotations"],
    "annotators": ["annotation_progress", "annotator_agreement", "assign_items", "from_label_studio", "from_potato", "to_label_studio", "to_potato"],
    "correction": ["corrected_rates", "prediction_powered_differences", "rate_bounds"],
    "human_data": ["check_against_people", "load_human_data"],
    "judge_checks": ["item_response", "sample_agreement"],
    "label_plan": ["labels_needed"],
    "panel_checks": ["compare_protocols", "panel_sensitivity"],
}
_load, __dir__, _ = lazy_loader.attach(
    __name__,
    submodules=["accuracy", "annotations", "annotators", "correction", "human_data", "judge_checks", "label_plan", "panel_checks"],
    submod_attrs=_NAMES,
)
__all__ = sorted(name for names in _NAMES.values() for name in names)


def __getattr__(name):
    try:
        return _load(name)
    except AttributeError:
        if name.startswith("_"):
            raise
    from anthrokit.core.errors import missing_attribute

    raise AttributeError(missing_attribute(__name__, name))
