"""Runs, tables, votes and errors, which every stage uses."""
# Written by docs/subpackages.py: change its list, not this file.
from anthrokit.core.errors import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    ["errors", "files", "ledger", "maintenance", "notes", "run", "tables", "texts", "votes"],
    {
        "errors": ["BudgetReached", "CallFailed", "Interrupted", "RunError", "SetupError", "TableError"],
        "files": ["public_file"],
        "maintenance": ["merge", "repair", "split"],
        "run": ["Run", "forget_judges", "import_dialogues"],
        "tables": ["data_path", "list_columns", "read_frame", "write_frame"],
        "votes": ["label", "label_messages"],
    },
)
