"""What every stage stands on: tables, votes, runs, errors."""
# Written by docs/subpackages.py: change its list, not this file.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=["errors", "files", "ledger", "notes", "run", "tables", "texts", "votes"],
    submod_attrs={
        "errors": ["BudgetReached", "CallFailed", "Interrupted", "RunError", "SetupError", "TableError"],
        "files": ["public_file"],
        "run": ["Run", "forget_judges", "forget_target", "import_dialogues", "repair"],
        "tables": ["data_path", "list_columns", "read_frame", "write_frame"],
        "votes": ["label", "label_messages"],
    },
)
