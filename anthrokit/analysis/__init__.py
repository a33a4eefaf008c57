"""From labels to answers: profiles, emergence, comparisons, agreement."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "agreement": ["agreement", "compare_conditions", "missingness", "pairwise_agreement", "profile_validity", "rank_biserial", "reliability", "scale_score"],
        "comparisons": ["compare", "difference", "factor_model", "kruskal_wallis", "post_hoc", "similarity"],
        "profiles": ["any_of", "clusters", "draw_clusters", "emergence", "first_occurrences", "first_turns", "judges_of", "late_behaviours", "late_share", "percentile_interval", "profile", "proportion", "resample", "simulate_labels"],
        "snowball": ["carry_over", "snowball"],
        "talk_about_the_system": ["anthroscore_by_turn"],
    },
)
