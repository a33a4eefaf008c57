"""Files of other tools, in and out."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "anthrobench_files": ["anthrobench_losses", "column_name", "listed_judges", "one_target", "read_anthrobench", "write_anthrobench"],
        "chats": ["conversations", "to_datasets", "write_openai", "write_sharegpt"],
        "inspect_logs": ["LiteLLMModel", "anthrobench", "behaviour_scorer", "clustered_stderr", "dialogue", "dialogue_score", "judges_there", "read_inspect", "run_of_log", "write_inspect"],
        "petri": ["read_petri"],
        "preferences": ["preference_table", "write_preferences"],
    },
)
