"""Every model behind one call: limits, retries, budgets, batches."""
# Made by docs/rooms.py from the modules' own lists; make no change here.
import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "batches": ["Asking", "Batch", "Batches", "under_way"],
        "embedded": ["DEFAULT_MODEL", "NOTICE", "Request", "cache_folder", "fetch_model", "generate", "load", "log_probability", "needs", "provider", "quiet_transformers"],
        "llm": ["Budget", "Completion", "LLM", "Meter", "Progress", "Unit", "Workers", "await_for", "wait_for", "work_through"],
    },
)
