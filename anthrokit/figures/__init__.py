"""One function a figure."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "differences": ["plot_differences", "plot_odds", "plot_similarity"],
        "judges": ["plot_agreement", "plot_missing", "plot_pairs"],
        "people": ["plot_conditions", "plot_validity"],
        "pressure": ["plot_drift", "plot_holding"],
        "profiles": ["plot_corrected", "plot_heatmap", "plot_plane", "plot_profile"],
        "published": ["plot_counts", "plot_ranks", "plot_scores", "plot_slopes"],
        "style": ["ALLOW_OVERFLOW", "COLOURS", "MARKERS", "SHARED", "STYLES", "Style", "THEME", "describe_interval", "figure_size", "format_name", "legend_above", "new_axes", "save", "scaled_size", "shorten_name", "theme", "themed"],
        "talk_about_the_system": ["plot_anthroscore_by_turn"],
        "turns": ["plot_emergence", "plot_emergence_curves", "plot_late", "plot_snowball", "plot_snowball_matrix"],
    },
)
