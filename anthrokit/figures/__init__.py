"""One function a figure."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "figures": ["COLOURS", "MARKERS", "THEME", "counted", "interval", "plot_agreement", "plot_conditions", "plot_counts", "plot_differences", "plot_emergence", "plot_heatmap", "plot_late", "plot_missing", "plot_odds", "plot_pairs", "plot_profile", "plot_radar", "plot_ranks", "plot_scores", "plot_similarity", "plot_slopes", "plot_snowball", "plot_validity", "save", "shown", "theme", "themed", "words"],
        "talk_about_the_system": ["plot_anthroscore_by_turn"],
    },
)
