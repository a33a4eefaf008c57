"""Every model behind one call: limits, retries, budgets, batches."""
# Written by docs/subpackages.py: change its list, not this file.
from anthrokit.core.errors import lazy_names

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    ["answers", "batches", "checkup", "embedded", "english", "executors", "faults", "limits", "llm", "loop", "meter", "thoughts", "transports"],
    {
        "answers": ["Completion"],
        "batches": ["Batch"],
        "checkup": ["doctor"],
        "embedded": ["DEFAULT_MODEL", "fetch_model", "load_embedded"],
        "executors": ["ExecutorPool", "RayExecutor"],
        "limits": ["Budget"],
        "llm": ["LLM"],
    },
)
