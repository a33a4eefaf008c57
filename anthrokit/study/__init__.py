"""People chat with a system and judge it: conditions, gateway, questionnaires, outcomes."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "conditions": ["Condition", "check_conditions", "compare_behaviours", "load_conditions", "show_conditions", "simulate_conditions"],
        "gateway": ["Chats", "Client", "Gateway", "Handler", "Standing", "Told", "Turnstile", "serve", "take_turn"],
        "questionnaires": ["Item", "OPEN", "Questionnaire", "check_responses", "load_questionnaire", "load_questionnaires", "omega", "scale_reliability", "score_scales", "synthetic_responses", "wide_items"],
        "studies": ["People", "Study", "draw_condition", "init_study", "load_settings", "set_section"],
    },
)
