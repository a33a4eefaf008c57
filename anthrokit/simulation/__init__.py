"""Behaviours, prompts, and dialogues between two models."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "behaviours": ["Behaviour", "Taxonomy"],
        "dialogues": ["USER_TEMPLATE", "as_llm", "asimulate", "metadata_rows", "simulate", "swap_roles", "user_system_prompt"],
        "families": ["PUSHBACK", "STANCE_TEMPLATE", "family_prompts", "load_family", "read_syco_bench", "read_sycon", "read_sycon_verdicts"],
        "personas": ["Persona", "ROMANTIC_BEHAVIOURS", "check_personas", "extract_age", "extract_facts", "has_assistant_phrases", "is_possible_minor", "is_romantic", "load_personas", "persona_breaks", "persona_prompts", "role_signals"],
        "prompts": ["PUBLIC_BEHAVIOURS", "PUBLIC_DOMAINS", "WritingJob", "acontextualise", "contextualise", "load_prompts", "load_scenarios", "most_similar", "sample_prompts"],
        "pronouns": ["first_person_pronouns"],
    },
)
