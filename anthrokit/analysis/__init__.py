"""Statistics of labels: profiles, emergence, comparisons, agreement."""
# Written by docs/subpackages.py: change its list, not this file.
import lazy_loader

_NAMES = {
    "clustered": ["proportion"],
    "comparisons": ["compare", "compare_differences", "compare_pairs", "similarity"],
    "domains": ["factor_model", "kruskal_wallis", "marginal_means", "post_hoc"],
    "interrater": ["agreement", "pairwise_agreement"],
    "people": ["compare_conditions", "reliability", "scale_score"],
    "pressure": ["dialogue_flips", "flips", "holding", "mirrored"],
    "profiles": ["any_behaviour", "first_turns", "profile"],
    "snowballing": ["carry_over", "snowball", "snowball_matrix"],
    "synthetic": ["simulate_labels"],
    "timing": ["emergence", "first_occurrences", "late_behaviours", "late_share"],
    "versions": ["compare_versions", "drift"],
}
_load, __dir__, _ = lazy_loader.attach(
    __name__,
    submodules=["clustered", "comparisons", "domains", "interrater", "people", "pressure", "profiles", "snowballing", "synthetic", "talk_about_the_system", "timing", "versions"],
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
