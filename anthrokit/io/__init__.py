"""Readers and writers of other tools' files."""
# Written by docs/subpackages.py: change its list, not this file.
from anthrokit.core.errors import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    ["anthrobench_files", "chats", "inspect_logs", "petri", "preferences"],
    {
        "anthrobench_files": ["read_anthrobench", "write_anthrobench"],
        "chats": ["to_datasets", "write_openai", "write_sharegpt"],
        "inspect_logs": ["anthrobench", "read_inspect", "write_inspect"],
        "petri": ["read_petri"],
        "preferences": ["write_preferences"],
    },
)
