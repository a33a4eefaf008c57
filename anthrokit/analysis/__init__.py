"""From labels to answers: profiles, emergence, comparisons, agreement."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "clustered": ["ClusterCounts", "Shares", "as_floats", "as_labels", "as_names", "at_least_half", "check_level", "check_range", "clusters", "context_columns", "contrast", "difference", "draw_clusters", "group_rows", "has_enough_clusters", "holm", "judge_columns", "percentile_interval", "proportion", "recover_limits", "require_labelled_once", "resample", "share_estimates", "sorted_levels", "together", "whole_turns"],
        "comparisons": ["compare", "compare_differences", "compare_pairs", "similarity"],
        "domains": ["factor_model", "kruskal_wallis", "marginal_means", "post_hoc"],
        "interrater": ["agreement", "missingness", "pairwise_agreement", "resampled_table", "two_raters"],
        "people": ["compare_conditions", "profile_validity", "rank_biserial", "rank_test", "reliability", "scale_score"],
        "pressure": ["dialogue_flips", "escalation", "flips", "holding", "mirrored", "recovery"],
        "profiles": ["any_behaviour", "first_turns", "profile"],
        "snowballing": ["carry_over", "snowball", "snowball_matrix"],
        "synthetic": ["behaviour_categories", "counted_behaviours", "simulate_labels"],
        "talk_about_the_system": ["anthroscore_by_turn"],
        "timing": ["emergence", "first_occurrences", "late_behaviours", "late_share"],
        "versions": ["DRIFT_VERDICTS", "compare_versions", "drift"],
    },
)
