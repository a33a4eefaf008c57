"""Counselling cases, answers, rubric judges, scores."""
# Written by docs/subpackages.py: change its list, not this file.
import lazy_loader

_NAMES = {
    "answers": ["add_answers", "add_cases", "answers_of"],
    "cases": ["Case", "Cases", "Criterion", "bundled_answers", "bundled_ratings", "bundled_verdicts", "load_abilities", "load_cases", "write_cases"],
    "figures": ["plot_abilities", "plot_radar"],
    "hard_sets": ["hard_drop"],
    "judging": ["RubricJudge", "verdicts"],
    "personas": ["persona_words", "plot_personas"],
    "results": ["compare_models", "expert_agreement", "golden", "leaderboard", "length_correlation", "mean_words"],
    "scoring": ["case_scores", "missing_scores", "score"],
    "writing_patterns": ["patterns"],
}
_load, __dir__, _ = lazy_loader.attach(
    __name__,
    submodules=["answers", "building", "cases", "corpus", "experts", "figures", "gold_standard", "hard_sets", "judging", "languages", "personas", "released", "results", "rewriting", "rubric_judges", "scoring", "writing_patterns"],
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
