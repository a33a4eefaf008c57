"""From labels to answers: profiles, emergence, comparisons, agreement."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "agreements": ["agreement", "missingness", "pairwise_agreement", "table_by_measure", "two_raters"],
        "clustered": ["Shares", "Tally", "as_labels", "as_names", "at_least_half", "check_level", "check_range", "clusters", "contrast", "describing_columns", "difference", "draw_clusters", "group_rows", "has_enough_clusters", "holm", "in_own_order", "judges_of", "percentile_interval", "proportion", "recover_limits", "require_labelled_once", "resample", "share_estimates", "together", "truth_values", "whole_turns"],
        "comparisons": ["compare", "compare_differences", "compare_pairs", "similarity"],
        "domains": ["factor_model", "kruskal_wallis", "marginal_means", "post_hoc"],
        "people": ["compare_conditions", "profile_validity", "rank_biserial", "rank_test", "reliability", "scale_score"],
        "pressure": ["dialogue_flips", "escalation", "flips", "holding", "mirrored", "recovery"],
        "profiles": ["any_of", "first_turns", "profile"],
        "snowballs": ["carry_over", "snowball", "snowball_matrix"],
        "synthetic": ["behaviour_categories", "counted_behaviours", "simulate_labels"],
        "talk_about_the_system": ["anthroscore_by_turn"],
        "timing": ["emergence", "first_occurrences", "late_behaviours", "late_share"],
        "version_drift": ["VERDICTS", "compare_versions", "drift"],
    },
)
