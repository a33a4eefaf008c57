"""Counselling cases, answers, rubric judges, scores."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "answers": ["aanswer", "add_answers", "add_cases", "add_word_counts", "answer", "answer_prompt", "count_words", "run_cases"],
        "building": ["add_drafts", "adraft_criteria", "check_wording", "collect_drafts", "draft_criteria", "draft_prompt", "drop_saturated", "find_personal", "mark_difficulty", "new_case", "read_draft", "select_hard"],
        "cases": ["Case", "Cases", "Criterion", "OTHER", "READINGS", "RELEASED", "SCENES", "WRITERS", "ability_names", "add_criteria", "bundled_answers", "bundled_ratings", "bundled_verdicts", "case_record", "load_abilities", "load_cases", "merge_turns", "write_cases"],
        "corpus": ["NEAR_DUPLICATE", "atag_cases", "choose_balanced", "collect_tags", "near_duplicates", "read_tags", "read_transcripts", "tag_cases"],
        "experts": ["Ballots", "EXPERT_VERDICTS", "VOTES", "apply_decisions", "criteria_sheet", "decide", "disputed", "mock_report"],
        "figures": ["CHINESE_FONTS", "chinese_font", "plot_abilities", "plot_by", "plot_difficulty", "plot_expert_agreement", "plot_normalisation", "plot_radar"],
        "gold_standard": ["agreement_bar", "agreement_by", "agreement_by_criterion", "case_correlation", "cases_needed", "draw_golden", "golden_progress", "golden_sheets", "read_golden", "write_golden_sheets"],
        "hard_sets": ["drop_by_choice", "hard_drop", "plot_hard_drop", "saturation_without"],
        "judging": ["RubricJudge", "ajudge_answers", "judge_answers", "parse_rubric", "rubric_prompt", "verdict_mark"],
        "languages": ["Word", "language_of", "read_sentences", "read_words", "simplified"],
        "personas": ["WORDS", "ability_profiles", "cluster_models", "persona", "persona_words", "plot_clusters", "plot_personas"],
        "released": ["read_released_answers", "read_released_overall", "read_released_scores", "write_released_answers", "write_released_scores"],
        "results": ["AGREEMENTS", "ability_table", "by_difficulty", "compare_models", "expert_agreement", "expert_disagreements", "golden", "leaderboard", "length_correlation", "mean_words", "saturation", "score_by", "wide_scores"],
        "rewriting": ["MAX_MESSAGES", "STEPS", "Span", "accepted_rewrites", "anonymise", "arewrite", "collect_rewrites", "personal_spans", "require_anonymous", "rewrite", "rewrites_sheet", "steps_html", "write_public"],
        "rubric_judges": ["judge_quality", "position_effect"],
        "scoring": ["CaseScore", "case_scores", "missing_scores", "normalise_points", "score", "score_case"],
        "writing_patterns": ["CONTROLS", "MEASURES", "answer_patterns", "patterns", "patterns_and_scores", "plot_patterns", "sentence_kinds"],
    },
)
