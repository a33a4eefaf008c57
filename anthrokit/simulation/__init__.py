"""Behaviours, prompts, and dialogues between two models."""
# Written by docs/subpackages.py: change its list, not this file.
from anthrokit.core.errors import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    ["behaviours", "dialogues", "families", "personas", "prompts", "pronouns"],
    {
        "behaviours": ["Behaviour", "Taxonomy"],
        "dialogues": ["USER_TEMPLATE", "asimulate", "simulate"],
        "families": ["PUSHBACK", "family_prompts", "load_family"],
        "personas": ["Persona", "check_personas", "load_personas", "persona_breaks", "persona_prompts"],
        "prompts": ["acontextualise", "contextualise", "load_prompts", "load_scenarios", "sample_prompts"],
        "pronouns": ["first_person_pronouns"],
    },
)
