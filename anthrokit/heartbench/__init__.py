"""Counselling cases, answers, rubric judges, scores."""
# Written by docs/subpackages.py: change its list, not this file.
from anthrokit.core.errors import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    ["answers", "building", "cases", "corpus", "experts", "figures", "gold_standard", "hard_sets", "judging", "languages", "personas", "released", "results", "rewriting", "rubric_judges", "scoring", "writing_patterns"],
    {
        "answers": ["add_answers", "add_cases", "answers_of"],
        "cases": ["Case", "Cases", "Criterion", "bundled_answers", "bundled_verdicts", "load_cases"],
        "figures": ["plot_abilities", "plot_radar"],
        "judging": ["RubricJudge", "verdicts"],
        "results": ["compare_models", "expert_agreement", "golden", "leaderboard", "mean_words"],
        "scoring": ["missing_scores", "score"],
    },
)
