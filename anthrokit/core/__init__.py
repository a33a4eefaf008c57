"""Runs, tables, votes and errors, which every stage uses."""
# Written by docs/subpackages.py: change its list, not this file.
from anthrokit.core.errors import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    ["errors", "files", "ledger", "notes", "run", "tables", "texts", "votes"],
    {
        "errors": ["BudgetReached", "CallFailed", "Interrupted", "RunError", "SetupError", "TableError"],
        "files": ["public_file"],
        "run": ["Run", "forget_judges", "forget_target", "import_dialogues", "repair"],
        "tables": ["data_path", "list_columns", "read_frame", "write_frame"],
        "votes": ["label", "label_messages"],
    },
)
