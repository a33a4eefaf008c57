"""Studies with people: conditions, gateway, questionnaires, outcomes."""
# Written by docs/subpackages.py: change its list, not this file.
from anthrokit.core.errors import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    ["conditions", "credibility", "erasure", "gateway", "planning", "questionnaires", "results", "server", "studies", "tables"],
    {
        "conditions": ["Condition", "check_conditions", "load_conditions", "show_conditions"],
        "credibility": ["compare_credibility", "draw_credibility_sheet"],
        "erasure": ["erase", "search_study"],
        "gateway": ["Client", "Gateway", "serve"],
        "planning": ["plan"],
        "questionnaires": ["scale_reliability", "score_scales", "synthetic_responses"],
        "results": ["judged_and_perceived", "outcomes"],
        "server": ["StudyServer"],
        "studies": ["Study", "init_study", "set_section"],
    },
)
