"""Behaviours, prompts, and dialogues between two models."""
# Written by docs/subpackages.py: change its list, not this file.
import lazy_loader

_NAMES = {
    "behaviours": ["Behaviour", "Taxonomy"],
    "dialogues": ["USER_TEMPLATE", "asimulate", "simulate"],
    "families": ["PUSHBACK", "family_prompts", "load_family"],
    "personas": ["Persona", "check_personas", "load_personas", "persona_breaks", "persona_prompts"],
    "prompts": ["acontextualise", "contextualise", "load_prompts", "load_scenarios", "sample_prompts"],
    "pronouns": ["first_person_pronouns"],
}
_load, __dir__, _ = lazy_loader.attach(
    __name__,
    submodules=["behaviours", "dialogues", "families", "personas", "prompts", "pronouns"],
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
