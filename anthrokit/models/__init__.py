"""Every model behind one call: limits, retries, budgets, batches."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "answers": ["Completion"],
        "batches": ["Batch", "BatchQueue", "count_pending"],
        "checkup": ["doctor"],
        "embedded": ["DEFAULT_MODEL", "NOTICE", "fetch_model", "load_embedded", "quiet_transformers", "require_packages"],
        "english": ["SPACY_MODEL", "english_pipeline"],
        "executors": ["ExecutorPool", "RayExecutor"],
        "faults": [],
        "limits": ["Budget"],
        "llm": ["LLM"],
        "loop": ["await_for", "wait_for"],
        "meter": ["Meter"],
        "thoughts": [],
        "transports": ["CachedPrefix", "plain_messages"],
    },
)
