"""Runs, tables, votes and errors, which every stage uses."""
# Written by docs/subpackages.py: change its list, not this file.
import lazy_loader

_NAMES = {
    "errors": ["BudgetReached", "CallFailed", "Interrupted", "RunError", "SetupError", "TableError"],
    "files": ["public_file"],
    "run": ["Run", "forget_judges", "forget_target", "import_dialogues", "repair"],
    "tables": ["data_path", "list_columns", "read_frame", "write_frame"],
    "votes": ["label", "label_messages"],
}
_load, __dir__, _ = lazy_loader.attach(
    __name__,
    submodules=["errors", "files", "ledger", "notes", "run", "tables", "texts", "votes"],
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
