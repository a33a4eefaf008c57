"""Every model behind one call: limits, retries, budgets, batches."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "answers": ["Completion"],
        "batches": ["Batch", "BatchQueue", "under_way"],
        "checkup": ["doctor"],
        "embedded": ["DEFAULT_MODEL", "NOTICE", "calm_threads", "fetch_model", "import_torch", "load", "needs", "quiet_transformers"],
        "english": ["SPACY_MODEL", "english_pipeline"],
        "executors": ["RayExecutor", "Spread"],
        "faults": [],
        "limits": ["Budget"],
        "llm": ["LLM"],
        "loop": ["await_for", "wait_for"],
        "meter": ["Meter"],
        "thoughts": [],
        "transports": ["Shared", "unshared"],
    },
)
