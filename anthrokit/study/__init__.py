"""Studies with people: conditions, gateway, questionnaires, outcomes."""
# Written by docs/subpackages.py: change its list, not this file.
import lazy_loader

_NAMES = {
    "conditions": ["Condition", "check_conditions", "load_conditions", "show_conditions"],
    "credibility": ["compare_credibility", "draw_credibility_sheet"],
    "erasure": ["erase", "search_study"],
    "gateway": ["Client", "Gateway", "serve"],
    "planning": ["plan"],
    "questionnaires": ["scale_reliability", "score_scales", "synthetic_responses"],
    "results": ["judged_and_perceived", "outcomes"],
    "server": ["StudyServer"],
    "studies": ["Study", "init_study", "set_section"],
}
_load, __dir__, _ = lazy_loader.attach(
    __name__,
    submodules=["conditions", "credibility", "erasure", "gateway", "planning", "questionnaires", "results", "server", "studies"],
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
