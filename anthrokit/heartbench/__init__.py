"""Counselling cases, answers, rubric judges, scores."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "building": ["adraft_criteria", "check_wording", "draft_criteria", "draft_prompt", "drafts_of", "drop_saturated", "find_personal", "mark_difficulty", "merge_turns", "new_case", "read_draft", "read_released_answers", "read_released_overall", "read_released_scores", "select_hard", "with_drafts", "write_released_answers", "write_released_scores"],
        "cases": ["Case", "CaseScore", "Cases", "Criterion", "OTHER", "bundled_answers", "bundled_hits", "bundled_ratings", "case_record", "case_scores", "load_abilities", "load_cases", "score", "score_case", "unscored", "with_criteria", "write_cases"],
        "judging": ["RubricJudge", "Unreadable", "aanswer", "add_answers", "add_cases", "ajudge_answers", "answer", "answer_prompt", "answers_of", "cases_of", "count_words", "hits_of", "judge_answers", "judge_once", "judgements_of", "ratings_of", "read_verdicts", "rubric_prompt"],
        "results": ["ability_table", "agreement", "by_difficulty", "compare", "disagreements", "golden", "leaderboard", "length_correlation", "mean_words", "normalised", "plot_abilities", "plot_agreement", "plot_by", "plot_difficulty", "plot_normalisation", "plot_radar", "saturation", "score_by"],
    },
)
