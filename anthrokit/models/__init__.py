"""Every model behind one call: limits, retries, budgets, batches."""
# Written by docs/subpackages.py: change its list, not this file.
import lazy_loader

_NAMES = {
    "answers": ["Completion"],
    "batches": ["Batch"],
    "checkup": ["doctor"],
    "embedded": ["DEFAULT_MODEL", "fetch_model", "load_embedded"],
    "executors": ["ExecutorPool", "RayExecutor"],
    "limits": ["Budget"],
    "llm": ["LLM"],
}
_load, __dir__, _ = lazy_loader.attach(
    __name__,
    submodules=["answers", "batches", "checkup", "embedded", "english", "executors", "faults", "limits", "llm", "loop", "meter", "thoughts", "transports"],
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
