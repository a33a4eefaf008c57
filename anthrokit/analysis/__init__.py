"""Statistics of labels: profiles, emergence, comparisons, agreement."""
# Written by docs/subpackages.py: change its list, not this file.
from anthrokit.core.errors import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    ["clustered", "comparisons", "domains", "interrater", "people", "pressure", "profiles", "snowballing", "synthetic", "talk_about_the_system", "timing", "versions"],
    {
        "comparisons": ["compare", "compare_differences", "compare_pairs", "similarity"],
        "domains": ["factor_model", "kruskal_wallis"],
        "interrater": ["agreement"],
        "people": ["compare_conditions"],
        "pressure": ["dialogue_flips", "flips", "holding", "mirrored"],
        "profiles": ["first_turns", "profile"],
        "snowballing": ["carry_over", "snowball", "snowball_matrix"],
        "synthetic": ["simulate_labels"],
        "timing": ["emergence", "first_occurrences", "late_behaviours", "late_share"],
        "versions": ["compare_versions", "drift"],
    },
)
