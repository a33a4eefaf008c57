"""Counselling cases, answers, rubric judges, scores."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "answers": ["aanswer", "add_answers", "add_cases", "answer", "answer_prompt", "cases_of", "count_words", "with_words"],
        "building": ["adraft_criteria", "check_wording", "draft_criteria", "draft_prompt", "drafts_of", "drop_saturated", "find_personal", "mark_difficulty", "new_case", "read_draft", "select_hard", "with_drafts"],
        "cases": ["Case", "Cases", "Criterion", "OTHER", "READINGS", "RELEASED", "SCENES", "WRITERS", "ability_names", "bundled_answers", "bundled_hits", "bundled_ratings", "case_record", "load_abilities", "load_cases", "merge_turns", "with_criteria", "write_cases"],
        "corpus": ["NEAR", "atag_cases", "choose_balanced", "near_duplicates", "read_tags", "read_transcripts", "tag_cases", "tags_of"],
        "experts": ["Ballots", "VERDICTS", "VOTES", "criteria_sheet", "decide", "disputed", "mock_report", "with_decisions"],
        "figures": ["CHINESE_FONTS", "chinese_font", "plot_abilities", "plot_agreement", "plot_by", "plot_difficulty", "plot_normalisation", "plot_radar"],
        "gold_standard": ["agreement_bar", "agreement_by", "agreement_by_criterion", "case_correlation", "cases_needed", "draw_golden", "golden_progress", "golden_sheets", "read_golden", "write_golden_sheets"],
        "hard_sets": ["drop_by_choice", "hard_drop", "plot_hard_drop", "saturation_without"],
        "judging": ["RubricJudge", "ajudge_answers", "judge_answers", "read_verdicts", "rubric_prompt", "verdict_mark"],
        "languages": ["Word", "language_of", "read_sentences", "read_words", "simplified"],
        "personas": ["WORDS", "persona", "persona_words", "plot_personas", "plot_together", "shapes", "together"],
        "released": ["read_released_answers", "read_released_overall", "read_released_scores", "write_released_answers", "write_released_scores"],
        "results": ["AGREEMENTS", "ability_table", "agreement", "by_difficulty", "compare", "disagreements", "golden", "leaderboard", "length_correlation", "mean_words", "saturation", "score_by", "wide_scores"],
        "rewriting": ["MOST", "STEPS", "Span", "accepted", "anonymise", "arewrite", "personal_spans", "refuse_personal", "rewrite", "rewrites_of", "rewrites_sheet", "steps_html", "write_public"],
        "rubric_judges": ["judge_quality", "place_effect"],
        "scoring": ["CaseScore", "case_scores", "normalised", "score", "score_case", "unscored"],
        "writing_patterns": ["HELD", "MEASURES", "answer_patterns", "patterns", "patterns_and_scores", "plot_patterns", "sentence_kinds"],
    },
)
