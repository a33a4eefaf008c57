"""One function for each figure."""
# Written by docs/subpackages.py: change its list, not this file.
from anthrokit.core.errors import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    ["differences", "judges", "people", "pressure", "profiles", "published", "style", "turns"],
    {
        "differences": ["plot_differences", "plot_odds", "plot_similarity"],
        "judges": ["plot_agreement"],
        "people": ["plot_conditions"],
        "pressure": ["plot_drift", "plot_holding"],
        "profiles": ["plot_corrected", "plot_plane", "plot_profile"],
        "published": ["plot_counts", "plot_ranks", "plot_scores", "plot_slopes"],
        "style": ["save", "theme"],
        "turns": ["plot_emergence", "plot_emergence_curves", "plot_late", "plot_snowball", "plot_snowball_matrix"],
    },
)
