"""People chat with a system and judge it: conditions, gateway, questionnaires, outcomes."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "conditions": ["Condition", "check_conditions", "compare_behaviours", "load_conditions", "show_conditions", "simulate_conditions"],
        "credibility": ["compare_credibility", "draw_credibility_sheet", "list_user_turns", "turn_distances"],
        "erasure": ["erase", "search_study"],
        "gateway": ["Client", "Gateway", "GatewayError", "serve", "wait_for_signal"],
        "planning": ["plan", "simulated_power"],
        "questionnaires": ["Item", "OPEN", "Questionnaire", "check_responses", "load_questionnaire", "load_questionnaires", "omega", "scale_reliability", "score_scales", "synthetic_responses", "wide_items"],
        "results": ["judged_and_perceived", "outcomes"],
        "server": ["OTREE", "StudyServer", "otree_python", "start", "write_project"],
        "studies": ["People", "Study", "draw_condition", "init_study", "load_settings", "make_private", "set_section"],
    },
)
