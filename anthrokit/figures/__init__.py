"""One function for each figure."""
# Written by docs/subpackages.py: change its list, not this file.
import lazy_loader

_NAMES = {
    "differences": ["plot_differences", "plot_odds", "plot_similarity"],
    "judges": ["plot_agreement", "plot_missing", "plot_pairs"],
    "people": ["plot_conditions", "plot_validity"],
    "pressure": ["plot_drift", "plot_holding"],
    "profiles": ["plot_corrected", "plot_heatmap", "plot_plane", "plot_profile"],
    "published": ["plot_counts", "plot_ranks", "plot_scores", "plot_slopes"],
    "style": ["save", "theme"],
    "talk_about_the_system": ["plot_anthroscore_by_turn"],
    "turns": ["plot_emergence", "plot_emergence_curves", "plot_late", "plot_snowball", "plot_snowball_matrix"],
}
_load, __dir__, _ = lazy_loader.attach(
    __name__,
    submodules=["differences", "judges", "people", "pressure", "profiles", "published", "style", "talk_about_the_system", "turns"],
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
