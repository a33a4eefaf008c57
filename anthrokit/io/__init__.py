"""Readers and writers of other tools' files."""
# Written by docs/subpackages.py: change its list, not this file.
import lazy_loader

_NAMES = {
    "anthrobench_files": ["read_anthrobench", "write_anthrobench"],
    "chats": ["to_datasets", "write_openai", "write_sharegpt"],
    "inspect_logs": ["anthrobench", "read_inspect", "write_inspect"],
    "petri": ["read_petri"],
    "preferences": ["write_preferences"],
}
_load, __dir__, _ = lazy_loader.attach(
    __name__,
    submodules=["anthrobench_files", "chats", "inspect_logs", "petri", "preferences"],
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
